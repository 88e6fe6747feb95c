"""The calls about what stands beside the memories: sessions, lanes, and the context made of all.

Owns: the parameters of those methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cognid.client.addressing import Addressing
from cognid.client.arguments import UNSET, Unset, listed
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id

if TYPE_CHECKING:
    from cognid.protocol.context import ContextOutcome, Part
    from cognid.protocol.lanes import (
        DropOutcome,
        LaneUnit,
        Omission,
        QueryOutcome,
        ReplaceOutcome,
        Snapshot,
    )
    from cognid.protocol.sessions import (
        AppendOutcome,
        ClearOutcome,
        MessagesOutcome,
        NewMessage,
    )


class SessionCalls(Addressing):
    """What `AsyncClient` can do with sessions, lanes and contexts."""

    async def append_messages(
        self,
        messages: Sequence[NewMessage],
        *,
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> AppendOutcome:
        """Put messages behind those that a session has, all of them or none.

        What the filters withhold keeps role and time; the answer names the rules.
        """
        outcome: AppendOutcome = await self.ask(
            "session.append",
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            messages=list(messages),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def session_messages(
        self,
        *,
        query: str | None = None,
        limit: int = bounds.MESSAGE_PAGE_DEFAULT,
        before: str | None = None,
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> MessagesOutcome:
        """Read a session's last messages, oldest first, or those that a query finds in it.

        Args:
            query: words to look for; what matches comes best first.
            limit: messages at most.
            before: the cursor of a page, for the one before it.
            session_id, owner, agent, deadline_ms: see `AsyncClient`.
        """
        outcome: MessagesOutcome = await self.ask(
            "session.messages",
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            query=query,
            limit=limit,
            before=before,
            deadline_ms=deadline_ms,
        )
        return outcome

    async def clear_session(
        self,
        *,
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ClearOutcome:
        """Take every message of a session away for good. Memories made of it stay."""
        outcome: ClearOutcome = await self.ask(
            "session.clear",
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def replace_lane(
        self,
        lane: str,
        snapshot: Snapshot,
        units: Sequence[LaneUnit],
        *,
        omissions: Sequence[Omission] = (),
        covers: int | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ReplaceOutcome:
        """Put a lane in the place of what it was, whole or not at all.

        Args:
            lane: its name.
            snapshot: what it was made from.
            units: the pieces of the snapshot.
            omissions: what of the snapshot is not among them, and why.
            covers: how many pieces the snapshot has, to be checked.
            owner, agent, policy_fingerprint, operation_id, deadline_ms: see `AsyncClient`.
        """
        outcome: ReplaceOutcome = await self.ask(
            "lane.replace",
            **self._whose(owner, agent),
            lane=lane,
            snapshot=snapshot,
            units=list(units),
            omissions=list(omissions),
            covers=covers,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def query_lanes(
        self,
        query: str | None = None,
        *,
        lane: str | None = None,
        types: Sequence[str] | None = None,
        limit: int = bounds.LANE_PAGE_DEFAULT,
        cursor: str | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> QueryOutcome:
        """Read the units of one lane or of all, in their order, or those that a query finds."""
        outcome: QueryOutcome = await self.ask(
            "lane.query",
            **self._whose(owner, agent),
            lane=lane,
            query=query,
            types=listed(types),
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
        )
        return outcome

    async def drop_lane(
        self,
        lane: str,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> DropOutcome:
        """Take a lane away for good."""
        outcome: DropOutcome = await self.ask(
            "lane.drop",
            **self._whose(owner, agent),
            lane=lane,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def assemble_context(
        self,
        query: str | None = None,
        *,
        budget_tokens: int = bounds.CONTEXT_TOKENS_DEFAULT,
        include: Sequence[Part] = ("memories", "lanes", "messages"),
        lanes: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        deadline_ms: int | None = None,
    ) -> ContextOutcome:
        """Put together what belongs into one turn's prompt, within a budget of tokens.

        Args:
            query: what the turn is about; without it nothing is recalled.
            budget_tokens: tokens of the whole text at most.
            include: which parts are wanted.
            lanes: which lanes; None means all.
            exclude: ids of memories that the caller has shown already.
            session_id: whose last messages belong to it; None means none.
            owner, agent, policy_fingerprint, deadline_ms: see `AsyncClient`.
        """
        outcome: ContextOutcome = await self.ask(
            "context.assemble",
            **self._whose(owner, agent),
            query=query,
            session_id=self._session(session_id),
            budget_tokens=budget_tokens,
            include=list(include),
            lanes=listed(lanes),
            exclude=list(exclude),
            policy_fingerprint=policy_fingerprint,
            deadline_ms=deadline_ms,
        )
        return outcome
