"""`AgentConfigure`: one agent's memory in the hands of the person it belongs to.

`AgentConfigure(owner=…, agent=…).memory` inspects, corrects, pins, forgets, switches and wipes. It
opens its manager handle by itself and asks for a new one when the old has expired or the connection
was lost. Each mutation answers its outcome, the ids that it affected, and the bank as it stands.
Where a memory is named, an alias of the session will do as well (`cognid/aliases.py`).

Owns: the handle's life, and what an alias becomes in a mutation. What is sent, and the three fates
of a write, are the client's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, ParamSpec, TypeVar, Unpack, assert_never

from cognid.aliases import Aliases, find, is_alias
from cognid.client import AsyncClient
from cognid.client.arguments import FilterWords, make
from cognid.client.closing import AsyncClosing, Closing
from cognid.client.loop_thread import Blocking, LoopThread, blocking
from cognid.credentials import Credential
from cognid.protocol import bounds
from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    CorrectOutcome,
    CutoffOutcome,
    CutoffPending,
    ForgetOutcome,
    Preview,
    Target,
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    TextRejected,
    Unaffected,
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
from cognid.protocol.errors import CognidError
from cognid.protocol.ids import new_operation_id
from cognid.protocol.operations import Resolution
from cognid.protocol.retention import PinOutcome

_P = ParamSpec("_P")
_R = TypeVar("_R")
Named = str | Target
"""A memory: its id, an alias, or a target with the revision that was seen."""


class AsyncAgentMemory:
    """The memory of one agent, for asyncio. `AsyncAgentConfigure` makes it.

    Each method takes `deadline_ms`, and each mutation `operation_id`, as `AsyncClient` does.

    Raises:
        CognidError: by every call; besides the daemon's refusals `memory_alias_unknown`,
            `memory_alias_stale` and `memory_alias_precondition_unavailable`, and then nothing was
            sent. See `docs/errors.md`.
        OutcomeUnknownError: the answer to a mutation was lost; `resolve` tells what became of it.
    """

    def __init__(self, client: AsyncClient, aliases: Aliases | None) -> None:
        self._client = client
        self._aliases = aliases
        self._opened: ManagerHandle | None = None
        self._opening = asyncio.Lock()

    async def inspect(
        self,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        deadline_ms: int | None = None,
        **filters: Unpack[FilterWords],
    ) -> Page:
        """List memories, newest first, a page at a time; without filters what is current."""
        return await self._managed(
            lambda handle: self._client.inspect_list(
                handle, limit=limit, cursor=cursor, deadline_ms=deadline_ms, **filters
            )
        )

    async def get(
        self, memory: str, *, deadline_ms: int | None = None
    ) -> Shown | ForgottenMemory | NotFound:
        """Show one memory whole, with its source, its revisions and its group."""
        memory_id = self._id(memory)
        return await self._managed(
            lambda handle: self._client.inspect_get(handle, memory_id, deadline_ms=deadline_ms)
        )

    async def history(
        self,
        memory: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        deadline_ms: int | None = None,
    ) -> History | NotFound:
        """Show what happened to one memory, by whom and under which policy, oldest first."""
        memory_id = self._id(memory)
        return await self._managed(
            lambda handle: self._client.inspect_history(
                handle, memory_id, limit=limit, cursor=cursor, deadline_ms=deadline_ms
            )
        )

    async def recent(
        self, *, limit: int = bounds.INSPECT_PAGE_DEFAULT, deadline_ms: int | None = None
    ) -> Recently:
        """Show what changed and what was recalled just now, newest first: ids and no texts."""
        return await self._managed(
            lambda handle: self._client.inspect_recent(handle, limit=limit, deadline_ms=deadline_ms)
        )

    async def correct(
        self,
        memory: str,
        text: str,
        *,
        expected_revision: int | None = None,
        allow_credentials: bool = False,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CorrectOutcome:
        """Replace a memory's text. The old text can be read in its history until it is forgotten.

        Args:
            memory: its id or alias.
            text: what it says from now on.
            expected_revision: the revision that was seen; an alias carries its own.
            allow_credentials: whether it may hold what looks like a credential; the ledger
                records that it was allowed.
            operation_id, deadline_ms: see the class.
        """
        target = self._target(memory)
        expected = target.expected_revision or expected_revision
        if expected is None:
            raise CognidError("invalid_argument", "expected_revision: the revision that was seen")
        operation_id = operation_id or new_operation_id()
        outcome = await self._managed(
            lambda handle: self._client.correct(
                handle,
                target.memory_id,
                text,
                expected_revision=expected,
                allow_credentials=allow_credentials,
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )
        )
        self._outdate(outcome)
        return outcome

    async def pin(
        self,
        memory: str,
        *,
        pinned: bool = True,
        expected_revision: int | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> PinOutcome:
        """Keep a memory beyond its term, revive one that has expired, or take the pin away.

        Args:
            memory: its id or alias; an alias carries its revision.
            pinned: False takes the pin away; then its term holds, counted from its commit.
            expected_revision: only where the memory still has it.
            operation_id, deadline_ms: see the class.
        """
        target = self._target(memory)
        operation_id = operation_id or new_operation_id()
        outcome = await self._managed(
            lambda handle: self._client.pin(
                handle,
                target.memory_id,
                pinned=pinned,
                expected_revision=target.expected_revision or expected_revision,
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )
        )
        if not isinstance(outcome, Changed):  # its text and revision are what they were
            self._outdate(outcome)
        return outcome

    async def forget_preview(
        self,
        memories: Named | Sequence[Named] | None = None,
        *,
        deadline_ms: int | None = None,
        **filters: Unpack[FilterWords],
    ) -> Preview:
        """List what a forget would take, by names or by filters; changes nothing."""
        targets = None if memories is None else self._targets(memories)
        return await self._managed(
            lambda handle: self._client.forget_preview(
                handle, targets, deadline_ms=deadline_ms, **filters
            )
        )

    async def forget(
        self,
        memories: Named | Sequence[Named],
        *,
        confirmed: bool,
        preview_token: str | None = None,
        keep_messages: bool = False,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ForgetOutcome:
        """Forget memories for good, all or nothing. A fact takes its remark along, a remark its
        facts; `affected` names all that went.

        Args:
            memories: which.
            confirmed: must be True.
            preview_token: of a preview whose `affected` are exactly these.
            keep_messages: whether session messages that say the same keep their text.
            operation_id, deadline_ms: see the class.
        """
        targets = self._targets(memories)
        operation_id = operation_id or new_operation_id()
        outcome = await self._managed(
            lambda handle: self._client.forget(
                handle,
                targets,
                confirmed=confirmed,
                preview_token=preview_token,
                keep_messages=keep_messages,
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )
        )
        self._outdate(outcome)
        return outcome

    async def set_enabled(
        self,
        enabled: bool,
        *,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CutoffOutcome:
        """Switch memory on or off. While it is off nothing is taken in or recalled, nor later
        caught up with; inspect, forget and wipe go on working."""
        operation_id = operation_id or new_operation_id()
        return await self._cut_off(
            lambda handle: self._client.set_enabled(
                handle, enabled, operation_id=operation_id, deadline_ms=deadline_ms
            )
        )

    async def delete_all(
        self,
        *,
        confirmed: bool,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> CutoffOutcome:
        """Wipe everything that this agent remembers, and the key that it was sealed with."""
        operation_id = operation_id or new_operation_id()
        outcome = await self._cut_off(
            lambda handle: self._client.delete_all(
                handle, confirmed=confirmed, operation_id=operation_id, deadline_ms=deadline_ms
            )
        )
        if self._aliases is not None and isinstance(outcome, Changed | CutoffPending):
            self._aliases.invalidate()
        return outcome

    async def resolve(self, operation_id: str, *, deadline_ms: int | None = None) -> Resolution:
        """Settle what became of a mutation whose answer was lost."""
        return await self._client.resolve(operation_id, deadline_ms=deadline_ms)

    async def _managed(
        self, ask: Callable[[str], Awaitable[_R]], *, in_one_epoch: bool = False
    ) -> _R:
        """Ask with a handle; once more with a new one where the daemon does not know it any more.

        A refused handle means that nothing was done, so asking again is safe. `in_one_epoch`: but
        not in an epoch that the caller has not heard of.
        """
        manager = await self._manager(None)
        try:
            return await ask(manager.handle)
        except CognidError as refusal:
            if refusal.code != "handle_invalid":
                raise
            renewed = await self._manager(manager)
            if in_one_epoch and renewed.epoch != manager.epoch:
                raise
        return await ask(renewed.handle)

    async def _manager(self, refused: ManagerHandle | None) -> ManagerHandle:
        async with self._opening:
            if self._opened is None or self._opened is refused:
                self._opened = await self._client.open_configure()
            return self._opened

    async def _cut_off(self, ask: Callable[[str], Awaitable[CutoffOutcome]]) -> CutoffOutcome:
        outcome = await self._managed(ask, in_one_epoch=True)
        handle = None if isinstance(outcome, TargetsConflict) else outcome.handle
        self._opened = handle or self._opened
        return outcome

    def _targets(self, memories: Named | Sequence[Named]) -> list[Target]:
        named = [memories] if isinstance(memories, str | Target) else memories
        return [self._target(one) for one in named]

    def _target(self, named: Named) -> Target:
        """What is sent for a memory: through an alias only with the revision that was shown."""
        if isinstance(named, Target):
            return named
        if not is_alias(named):
            return make(Target, memory_id=named)
        memory_id, revision = self._known().precondition(named)
        return Target(memory_id=memory_id, expected_revision=revision)

    def _id(self, memory: str) -> str:
        return find(self._known().table, memory).memory_id if is_alias(memory) else memory

    def _known(self) -> Aliases:
        if self._aliases is None:
            raise CognidError("memory_alias_unknown", "no session's aliases were given")
        return self._aliases

    def _outdate(self, outcome: CorrectOutcome | ForgetOutcome) -> None:
        """Let the aliases be stale of all that an outcome shows to be otherwise than it was."""
        if self._aliases is not None:
            self._aliases.invalidate(_otherwise(outcome))


def _otherwise(outcome: CorrectOutcome | ForgetOutcome) -> Iterable[str]:
    match outcome:
        case Changed():
            return [*outcome.affected, *outcome.already_absent]
        case AlreadyAbsent():
            return outcome.already_absent
        case TargetsNotFound():
            return outcome.unknown
        case TargetForgotten():
            return [outcome.memory_id]
        case TargetsConflict():
            return outcome.current
        case TextRejected() | Unaffected():
            return ()
        case _:
            assert_never(outcome)


class AsyncAgentConfigure(AsyncClosing):
    """One agent's configuration, for asyncio; so far its memory.

    Args:
        socket, credential, owner, agent: as of `AsyncClient`; the credential needs `configure`.
        aliases: of the session in which memories are named `m1`, `m2`, …
    """

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        aliases: Aliases | None = None,
    ) -> None:
        self._client = AsyncClient(socket, credential, owner, agent)
        self.memory: Final = AsyncAgentMemory(self._client, aliases)

    async def close(self) -> None:
        """End the connection, and with it the manager handle."""
        await self._client.close()


class AgentMemory(Blocking[AsyncAgentMemory]):
    """The memory of one agent, for threads. See `AsyncAgentMemory` for the methods."""

    inspect = blocking(AsyncAgentMemory.inspect)
    get = blocking(AsyncAgentMemory.get)
    history = blocking(AsyncAgentMemory.history)
    recent = blocking(AsyncAgentMemory.recent)
    correct = blocking(AsyncAgentMemory.correct)
    pin = blocking(AsyncAgentMemory.pin)
    forget_preview = blocking(AsyncAgentMemory.forget_preview)
    forget = blocking(AsyncAgentMemory.forget)
    set_enabled = blocking(AsyncAgentMemory.set_enabled)
    delete_all = blocking(AsyncAgentMemory.delete_all)
    resolve = blocking(AsyncAgentMemory.resolve)


class AgentConfigure(Closing):
    """The same as `AsyncAgentConfigure`, for threads."""

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        aliases: Aliases | None = None,
    ) -> None:
        self._thread = LoopThread()
        self._configure = AsyncAgentConfigure(socket, credential, owner, agent, aliases)
        self.memory: Final = AgentMemory(self._configure.memory, self._thread)

    def close(self) -> None:
        """End the connection and the thread."""
        self._thread.close(self._configure.close)
