"""The calls of memory authority: look at, correct, pin, forget, switch, wipe; an agent's own tools.

Each needs a manager handle or a preview token, which hold on this connection alone.
`AgentConfigure` (`cognid/configure.py`) keeps the handle for its callers.

Owns: the parameters of those methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from cognid.client.addressing import Addressing
from cognid.client.arguments import UNSET, FilterWords, Unset, filters_of, targets_of
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id

if TYPE_CHECKING:
    from cognid.protocol.authority import (
        CorrectOutcome,
        CorrectPreviewReply,
        CutoffOutcome,
        ForgetOutcome,
        Preview,
        Target,
    )
    from cognid.protocol.configure import (
        ForgottenMemory,
        History,
        ManagerHandle,
        NotFound,
        Page,
        Recently,
        Shown,
    )
    from cognid.protocol.retention import PinOutcome


class AuthorityCalls(Addressing):
    """What `AsyncClient` can do with a manager handle, and as an agent's tool."""

    async def open_configure(
        self,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> ManagerHandle:
        """Ask for a manager handle: good for this connection, agent and epoch, for some minutes."""
        reply: ManagerHandle = await self.ask(
            "configure.open", **self._whose(owner, agent), deadline_ms=deadline_ms
        )
        return reply

    async def inspect_list(
        self,
        handle: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
        **filters: Unpack[FilterWords],
    ) -> Page:
        """List memories, newest first, a page at a time; the current ones of all sessions unless
        the filters say otherwise."""
        reply: Page = await self.ask(
            "memory.inspect",
            **self._whose(owner, agent),
            view="list",
            handle=handle,
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
            **filters_of(filters),
        )
        return reply

    async def inspect_get(
        self,
        handle: str,
        memory_id: str,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> Shown | ForgottenMemory | NotFound:
        """Show one memory whole, with its source, its revisions and its group."""
        reply: Shown | ForgottenMemory | NotFound = await self.ask(
            "memory.inspect",
            **self._whose(owner, agent),
            view="get",
            handle=handle,
            memory_id=memory_id,
            deadline_ms=deadline_ms,
        )
        return reply

    async def inspect_history(
        self,
        handle: str,
        memory_id: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> History | NotFound:
        """Show what the ledger says of one memory, oldest first, forgotten or not."""
        reply: History | NotFound = await self.ask(
            "memory.inspect",
            **self._whose(owner, agent),
            view="history",
            handle=handle,
            memory_id=memory_id,
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
        )
        return reply

    async def inspect_recent(
        self,
        handle: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> Recently:
        """Show what changed and what was recalled just now, newest first: ids and no texts."""
        reply: Recently = await self.ask(
            "memory.inspect",
            **self._whose(owner, agent),
            view="recent",
            handle=handle,
            limit=limit,
            deadline_ms=deadline_ms,
        )
        return reply

    async def correct(
        self,
        handle: str,
        memory_id: str,
        text: str,
        *,
        expected_revision: int,
        allow_credentials: bool = False,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CorrectOutcome:
        """Replace a memory's text, where it still has the revision that was seen.

        What looks like a credential is rejected, unless that is allowed.
        """
        outcome: CorrectOutcome = await self.ask(
            "memory.correct",
            **self._whose(owner, agent),
            handle=handle,
            memory_id=memory_id,
            expected_revision=expected_revision,
            text=text,
            allow_credentials=allow_credentials,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def pin(
        self,
        handle: str,
        memory_id: str,
        *,
        pinned: bool = True,
        expected_revision: int | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> PinOutcome:
        """Keep a memory beyond its term, revive one that has expired, or take the pin away."""
        outcome: PinOutcome = await self.ask(
            "memory.pin",
            **self._whose(owner, agent),
            handle=handle,
            memory_id=memory_id,
            pinned=pinned,
            expected_revision=expected_revision,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def forget_preview(
        self,
        handle: str,
        targets: Sequence[str | Target] | None = None,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
        **filters: Unpack[FilterWords],
    ) -> Preview:
        """List what a forget would take, by ids or by filters; changes nothing."""
        reply: Preview = await self.ask(
            "memory.forget_preview",
            **self._whose(owner, agent),
            handle=handle,
            targets=None if targets is None else targets_of(targets),
            deadline_ms=deadline_ms,
            **filters_of(filters),
        )
        return reply

    async def forget(
        self,
        handle: str,
        targets: Sequence[str | Target],
        *,
        confirmed: bool,
        preview_token: str | None = None,
        keep_messages: bool = False,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ForgetOutcome:
        """Forget memories for good: exact ids, all or nothing, and their groups with them.

        Args:
            handle: of `open_configure`.
            targets: ids; a `Target` with `expected_revision` only as it was seen.
            confirmed: must be True.
            preview_token: of a preview whose `affected` are exactly these ids.
            keep_messages: whether session messages that say the same keep their text.
            owner, agent, policy_fingerprint, operation_id, deadline_ms: see `AsyncClient`.
        """
        outcome: ForgetOutcome = await self.ask(
            "memory.forget",
            **self._whose(owner, agent),
            handle=handle,
            targets=targets_of(targets),
            confirmed=confirmed,
            preview_token=preview_token,
            keep_messages=keep_messages,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def set_enabled(
        self,
        handle: str,
        enabled: bool,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CutoffOutcome:
        """Switch a bank on or off. A new epoch begins, and the answer has a new handle."""
        outcome: CutoffOutcome = await self.ask(
            "bank.set_enabled",
            **self._whose(owner, agent),
            handle=handle,
            enabled=enabled,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def delete_all(
        self,
        handle: str,
        *,
        confirmed: bool,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CutoffOutcome:
        """Wipe a bank for good: every memory in it, and the key that it was sealed with."""
        outcome: CutoffOutcome = await self.ask(
            "bank.delete_all",
            **self._whose(owner, agent),
            handle=handle,
            confirmed=confirmed,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def tool_forget_preview(
        self,
        targets: Sequence[str | Target],
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> Preview:
        """List what the agent's own forget would take. Needs the right `tool_forget`."""
        reply: Preview = await self.ask(
            "memory.tool_forget_preview",
            **self._whose(owner, agent),
            targets=targets_of(targets),
            deadline_ms=deadline_ms,
        )
        return reply

    async def tool_forget(
        self,
        targets: Sequence[str | Target],
        *,
        preview_token: str,
        keep_messages: bool = False,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ForgetOutcome:
        """Forget, as an agent's tool, exactly what a preview listed."""
        outcome: ForgetOutcome = await self.ask(
            "memory.tool_forget",
            **self._whose(owner, agent),
            targets=targets_of(targets),
            preview_token=preview_token,
            keep_messages=keep_messages,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def tool_correct_preview(
        self,
        memory_id: str,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> CorrectPreviewReply:
        """Show the memory that the agent's own correct would change. Needs `tool_correct`."""
        reply: CorrectPreviewReply = await self.ask(
            "memory.tool_correct_preview",
            **self._whose(owner, agent),
            memory_id=memory_id,
            deadline_ms=deadline_ms,
        )
        return reply

    async def tool_correct(
        self,
        memory_id: str,
        text: str,
        *,
        preview_token: str,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CorrectOutcome:
        """Replace a memory's text, as an agent's tool, where it is still as the preview showed."""
        outcome: CorrectOutcome = await self.ask(
            "memory.tool_correct",
            **self._whose(owner, agent),
            memory_id=memory_id,
            text=text,
            preview_token=preview_token,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome
