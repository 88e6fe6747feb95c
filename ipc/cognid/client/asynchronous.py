"""`AsyncClient`: every operation of the bridge as a typed method.

Owns: the parameters of the methods about banks, intake and recall, and how they become requests;
`daemon_calls.py`, `authority_calls.py` and `upkeep_calls.py` have the other families. What is sent
when, and what a lost answer means, is `caller.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from cognid.client.arguments import UNSET, Unset, listed, make
from cognid.client.authority_calls import AuthorityCalls
from cognid.client.upkeep_calls import UpkeepCalls
from cognid.protocol import bounds
from cognid.protocol.banks import (
    BankEnsure,
    BankEnsured,
    BankList,
    BankListReply,
    BankStatus,
    BankStatusReply,
    BankView,
)
from cognid.protocol.ids import new_operation_id
from cognid.protocol.index import IndexStatus, IndexView
from cognid.protocol.intake import Add, Event, IntakeOutcome, Remember
from cognid.protocol.operations import Resolution, Resolve
from cognid.protocol.recall import Recall, RecallOutcome, Search
from cognid.protocol.values import Kind, Pipeline, Provenance, Role


class AsyncClient(AuthorityCalls, UpkeepCalls):
    """A client of the daemon for asyncio. Many calls may be in flight on its one connection.

    It connects at its first call and again when the connection was lost; that counts against the
    call's deadline, so a turn that must not wait calls `connect` ahead of it. Each method takes
    `owner`, `agent` and, where it matters, `session_id`, which override the client's own for
    that call; `deadline_ms`, which overrides the operation's default; and, where it writes,
    `operation_id`: a UUIDv7 that makes the write safe to ask about (`resolve`), made afresh where
    none is given. A cancelled call is called off at the daemon too.

    Args:
        socket: the daemon's socket; by default where `cognid serve` puts it.
        credential: the credential or its file; by default `$COGNID_CREDENTIAL`, else the owner's.
        owner: whose memories.
        agent: which agent's; None is a bank of its own.
        session_id: the conversation that is going on.

    Raises:
        CognidError: by every call; see `docs/errors.md` and `Caller.call`.
    """

    async def ensure_bank(
        self,
        *,
        enabled: bool,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> BankEnsured:
        """Make the bank if there is none, switched on or off. One that is there stays as it is."""
        request = make(
            BankEnsure,
            **self._whose(owner, agent),
            enabled=enabled,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        reply: BankEnsured = await self.call("bank.ensure", request)
        return reply

    async def bank_status(
        self,
        *,
        stream: str | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> BankStatusReply:
        """Ask how a bank is; with a stream, also how far that stream has come."""
        request = make(
            BankStatus, **self._whose(owner, agent), stream=stream, deadline_ms=deadline_ms
        )
        reply: BankStatusReply = await self.call("bank.status", request)
        return reply

    async def banks(
        self, *, owner: str | None = None, deadline_ms: int | None = None
    ) -> list[BankView]:
        """List the banks that the credential can reach, of all owners unless one is named."""
        request = make(BankList, owner=owner, deadline_ms=deadline_ms)
        reply: BankListReply = await self.call("bank.list", request)
        return reply.banks

    async def remember(
        self,
        *,
        role: Role | str,
        content: str,
        stream: str,
        sequence: int | None = None,
        after: int | None = None,
        speaker: str | None = None,
        type: str = "message",
        data: dict[str, Any] | None = None,
        occurred_at: datetime | None = None,
        event_hash: str | None = None,
        labels: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> IntakeOutcome:
        """Report an event of a conversation; what the filters let through is remembered.

        Args:
            role: who spoke: user, assistant, system or tool.
            content: what was said.
            stream: the runtime's own log that the event stands in.
            sequence: its place there; without it the daemon gives the next one.
            after: the sequence that went before, where a gap is to be refused.
            speaker: the speaker's name.
            type: the event's type.
            data: other fields of the event's data; bound by its hash and not kept.
            occurred_at: when it was said, with a time zone.
            event_hash: the event's hash, to be checked.
            labels, session_id, owner, agent, policy_fingerprint, operation_id, deadline_ms: see
                the class.
        """
        said: dict[str, Any] = {**(data or {}), "role": str(role), "content": content}
        if speaker is not None:
            said["speaker"] = speaker
        event = make(
            Event,
            stream=stream,
            sequence=sequence,
            after=after,
            type=type,
            data=said,
            occurred_at=occurred_at,
            hash=event_hash,
        )
        request = make(
            Remember,
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            labels=list(labels),
            event=event,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        outcome: IntakeOutcome = await self.call("memory.remember", request)
        return outcome

    async def add(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.FACT,
        role: Role | str = Role.USER,
        speaker: str | None = None,
        provenance: Provenance | str | None = None,
        confidence: float = 1.0,
        importance: float | None = None,
        pinned: bool = False,
        categories: Sequence[str] = (),
        event_time: datetime | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        labels: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> IntakeOutcome:
        """Assert a memory deliberately. A fact has at most 4,000 characters, a remark 400,000.

        Without a provenance, what the user says is explicit and the rest inferred.
        """
        request = make(
            Add,
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            labels=list(labels),
            text=text,
            kind=kind,
            role=role,
            speaker=speaker,
            provenance=provenance,
            confidence=confidence,
            importance=importance,
            pinned=pinned,
            categories=list(categories),
            event_time=event_time,
            valid_from=valid_from,
            valid_until=valid_until,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        outcome: IntakeOutcome = await self.call("memory.add", request)
        return outcome

    async def recall(
        self,
        query: str,
        *,
        limit: int = bounds.RECALL_LIMIT_DEFAULT,
        kinds: Sequence[Kind | str] | None = None,
        roles: Sequence[Role | str] | None = None,
        labels: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        deadline_ms: int | None = None,
    ) -> RecallOutcome:
        """Ask what is remembered about a query. Late or missing parts are named in the answer."""
        request = make(
            Recall,
            **self._whose(owner, agent),
            query=query,
            limit=limit,
            kinds=listed(kinds),
            roles=listed(roles),
            labels=list(labels),
            session_id=self._session(session_id),
            policy_fingerprint=policy_fingerprint,
            deadline_ms=deadline_ms,
        )
        outcome: RecallOutcome = await self.call("memory.recall", request)
        return outcome

    async def search(
        self,
        query: str,
        pipeline: Pipeline | Literal["lexical", "vector"],
        *,
        limit: int = bounds.RECALL_LIMIT_DEFAULT,
        kinds: Sequence[Kind | str] | None = None,
        roles: Sequence[Role | str] | None = None,
        labels: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        deadline_ms: int | None = None,
    ) -> RecallOutcome:
        """Ask through one named pipeline alone."""
        request = make(
            Search,
            **self._whose(owner, agent),
            query=query,
            pipeline=pipeline,
            limit=limit,
            kinds=listed(kinds),
            roles=listed(roles),
            labels=list(labels),
            session_id=self._session(session_id),
            policy_fingerprint=policy_fingerprint,
            deadline_ms=deadline_ms,
        )
        outcome: RecallOutcome = await self.call("memory.search", request)
        return outcome

    async def resolve(
        self,
        operation_id: str,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> Resolution:
        """Settle what became of a write. An id that never arrived is sealed: it never will."""
        request = make(
            Resolve,
            **self._whose(owner, agent),
            operation_id=operation_id,
            deadline_ms=deadline_ms,
        )
        resolution: Resolution = await self.call("operation.resolve", request)
        return resolution

    async def index_status(
        self,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> IndexView:
        """Ask where the indexes of a bank stand."""
        request = make(IndexStatus, **self._whose(owner, agent), deadline_ms=deadline_ms)
        reply: IndexView = await self.call("index.status", request)
        return reply
