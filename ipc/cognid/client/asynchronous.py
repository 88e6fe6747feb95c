"""`AsyncClient`: every operation of the bridge as a typed method.

Owns: the parameters of the methods about banks, intake and recall, and how they become requests;
`daemon_calls.py`, `authority_calls.py`, `evidence_calls.py`, `session_calls.py` and
`upkeep_calls.py` have the other families. What is sent when, and what a lost answer means, is
`caller.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from cognid.client.arguments import UNSET, Unset, listed
from cognid.client.authority_calls import AuthorityCalls
from cognid.client.evidence_calls import EvidenceCalls
from cognid.client.session_calls import SessionCalls
from cognid.client.upkeep_calls import UpkeepCalls
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id
from cognid.protocol.values import Kind, Pipeline, Provenance, Role

if TYPE_CHECKING:
    from cognid.protocol.banks import (
        BankEnsured,
        BankListReply,
        BankStatusReply,
        BankView,
    )
    from cognid.protocol.explain import ExplainReply
    from cognid.protocol.index import IndexReport
    from cognid.protocol.intake import Candidate, IntakeOutcome
    from cognid.protocol.operations import Resolution
    from cognid.protocol.recall import Effort, RecallOutcome


class AsyncClient(AuthorityCalls, EvidenceCalls, SessionCalls, UpkeepCalls):
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
        reply: BankEnsured = await self.ask(
            "bank.ensure",
            **self._whose(owner, agent),
            enabled=enabled,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
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
        reply: BankStatusReply = await self.ask(
            "bank.status", **self._whose(owner, agent), stream=stream, deadline_ms=deadline_ms
        )
        return reply

    async def banks(
        self, *, owner: str | None = None, deadline_ms: int | None = None
    ) -> list[BankView]:
        """List the banks that the credential can reach, of all owners unless one is named."""
        reply: BankListReply = await self.ask("bank.list", owner=owner, deadline_ms=deadline_ms)
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
        candidates: Sequence[Candidate] | None = None,
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
            candidates: the facts that the caller's own model found in it, none being an empty
                list; without any the daemon looks for facts itself.
            labels, session_id, owner, agent, policy_fingerprint, operation_id, deadline_ms: see
                the class.
        """
        said: dict[str, Any] = {**(data or {}), "role": str(role), "content": content}
        if speaker is not None:
            said["speaker"] = speaker
        outcome: IntakeOutcome = await self.ask(
            "memory.remember",
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            labels=list(labels),
            event={
                "stream": stream,
                "sequence": sequence,
                "after": after,
                "type": type,
                "data": said,
                "occurred_at": occurred_at,
                "hash": event_hash,
            },
            candidates=None if candidates is None else list(candidates),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
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
        allow_credentials: bool = False,
        labels: Sequence[str] = (),
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> IntakeOutcome:
        """Assert a memory deliberately. A fact has at most 4,000 characters, a remark 400,000.

        Without a provenance, what the user says is explicit and the rest inferred. What looks like
        a credential is rejected, unless that is allowed.
        """
        outcome: IntakeOutcome = await self.ask(
            "memory.add",
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
            allow_credentials=allow_credentials,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def explain(
        self,
        content: str,
        *,
        role: Role | str = Role.USER,
        occurred_at: datetime | None = None,
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> ExplainReply:
        """Ask what would become of something that is said, and why. Nothing is stored.

        Args:
            content: what is said.
            role: who speaks.
            occurred_at: when, with a time zone: relative dates are counted from it.
            session_id, owner, agent, deadline_ms: see the class.
        """
        reply: ExplainReply = await self.ask(
            "memory.explain",
            **self._whose(owner, agent),
            session_id=self._session(session_id),
            role=role,
            content=content,
            occurred_at=occurred_at,
            deadline_ms=deadline_ms,
        )
        return reply

    async def recall(
        self,
        query: str,
        *,
        limit: int = bounds.RECALL_LIMIT_DEFAULT,
        kinds: Sequence[Kind | str] | None = None,
        roles: Sequence[Role | str] | None = None,
        labels: Sequence[str] = (),
        exclude: Sequence[str] = (),
        effort: Effort = "fast",
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        deadline_ms: int | None = None,
    ) -> RecallOutcome:
        """Ask what is remembered about a query. Late or missing parts are named in the answer.

        `exclude` names memories that the caller has already; they are left out and counted. With
        `effort="thorough"` the reranker reads the best of what is found: better, and slower. Where
        it is not installed or its time ends, the answer is `partial` and says so.
        """
        outcome: RecallOutcome = await self.ask(
            "memory.recall",
            **self._whose(owner, agent),
            query=query,
            limit=limit,
            kinds=listed(kinds),
            roles=listed(roles),
            labels=list(labels),
            exclude=list(exclude),
            effort=effort,
            session_id=self._session(session_id),
            policy_fingerprint=policy_fingerprint,
            deadline_ms=deadline_ms,
        )
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
        exclude: Sequence[str] = (),
        effort: Effort = "fast",
        session_id: str | Unset | None = UNSET,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        deadline_ms: int | None = None,
    ) -> RecallOutcome:
        """Ask through one named pipeline alone."""
        outcome: RecallOutcome = await self.ask(
            "memory.search",
            **self._whose(owner, agent),
            query=query,
            pipeline=pipeline,
            limit=limit,
            kinds=listed(kinds),
            roles=listed(roles),
            labels=list(labels),
            exclude=list(exclude),
            effort=effort,
            session_id=self._session(session_id),
            policy_fingerprint=policy_fingerprint,
            deadline_ms=deadline_ms,
        )
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
        resolution: Resolution = await self.ask(
            "operation.resolve",
            **self._whose(owner, agent),
            operation_id=operation_id,
            deadline_ms=deadline_ms,
        )
        return resolution

    async def index_status(
        self,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> IndexReport:
        """Ask where the indexes of a bank stand."""
        reply: IndexReport = await self.ask(
            "index.status", **self._whose(owner, agent), deadline_ms=deadline_ms
        )
        return reply
