"""The calls about trusted evidence: to remember one, and to find out what became of it.

Owns: how what a user said becomes an evidence. What an answer means in the seven outcomes is
`cognid/evidence.py`'s; nothing here is ever sent a second time.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from cognid.client.addressing import Addressing
from cognid.client.arguments import UNSET, Unset, make
from cognid.protocol.canonical import NotCanonicalError, event_hash
from cognid.protocol.errors import CognidError
from cognid.protocol.ids import new_operation_id

if TYPE_CHECKING:
    from cognid.protocol.evidence import Evidence, EvidenceOutcome
    from cognid.protocol.intake import IntakeOutcome
    from cognid.protocol.operations import Resolution


class EvidenceCalls(Addressing):
    """What `AsyncClient` can do with trusted evidence."""

    async def remember_evidence(
        self,
        evidence: Evidence,
        *,
        occurred_at: datetime | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> IntakeOutcome:
        """Remember what a user said, as an evidence that the host made.

        Args:
            evidence: the body; its owner must be the client's, or the one named here.
            occurred_at: when it was said, with a time zone.
            owner, agent, policy_fingerprint, operation_id, deadline_ms: see `AsyncClient`.
        """
        outcome: IntakeOutcome = await self.ask(
            "memory.remember_evidence",
            **self._whose(owner, agent),
            evidence=evidence,
            occurred_at=occurred_at,
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def remember_user_event(
        self,
        content: str,
        *,
        stream: str,
        sequence: int,
        user_id: str,
        conversation: str,
        turn: str,
        session_id: str | Unset | None = UNSET,
        type: str = "user_message",
        data: dict[str, Any] | None = None,
        event_hash: str | None = None,
        occurred_at: datetime | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> EvidenceOutcome:
        """Remember what a user said, and tell in the seven outcomes what became of it.

        A lost answer is `unavailable`, never a second attempt. Who tries again passes the same
        arguments with the outcome's `operation_id`, which makes the byte-identical request; or
        asks `recover` first.

        Args:
            content: what was said, as the host persisted it.
            stream, sequence: where the host persisted the event.
            user_id: who said it.
            conversation, turn: the host's names of where it was said.
            session_id: the session; one is needed, here or in the client.
            type: the event's type, and
            data: the other fields of its data; both count only towards the hash.
            event_hash: the event's hash as the host keeps it; made of the above where not given.
            occurred_at: when it was said, with a time zone.
            owner, agent, policy_fingerprint, operation_id, deadline_ms: see `AsyncClient`.

        Raises:
            CognidError: the caller's own faults: `invalid_argument`, `forbidden`, `unknown_bank` ….
        """
        # Here and below: who remembers no evidence does not pay for loading its models.
        from cognid import evidence as outcomes
        from cognid.protocol import evidence as protocol

        operation_id = operation_id or new_operation_id()
        rejected = outcomes.over_bound(content, operation_id)
        if rejected is not None:
            return rejected
        digest = event_hash or _hash_of(stream, sequence, type, {**(data or {}), **_said(content)})
        evidence = make(
            protocol.Evidence,
            version=protocol.VERSION,
            actor=make(
                protocol.EvidenceActor,
                user_id=user_id,
                owner_id=self.owner if owner is None else owner,
            ),
            event=make(
                protocol.EvidenceEvent,
                id=f"{stream}:{sequence}",
                event_hash=digest,
                session=self._session(session_id),
                conversation=conversation,
                turn=turn,
            ),
            messages=[make(protocol.EvidenceMessage, **_said(content))],
        )
        try:
            answer = await self.remember_evidence(
                evidence,
                occurred_at=occurred_at,
                owner=owner,
                agent=agent,
                policy_fingerprint=policy_fingerprint,
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )
        except CognidError as error:
            return outcomes.of_error(error, operation_id)
        return outcomes.of_answer(answer)

    async def recover(
        self,
        operation_id: str,
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> EvidenceOutcome:
        """Settle an evidence whose outcome was `unavailable`.

        What never arrived is sealed, and `unavailable` as such: it then needs a new operation id.

        Raises:
            CognidError: the caller's own faults, as `remember_user_event`.
        """
        from cognid import evidence as outcomes

        try:
            resolution: Resolution = await self.ask(
                "operation.resolve",
                **self._whose(owner, agent),
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )
        except CognidError as error:
            return outcomes.of_error(error, operation_id)
        return outcomes.of_resolution(resolution)


def _said(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def _hash_of(stream: str, sequence: int, type: str, data: dict[str, Any]) -> str:
    try:
        return event_hash(stream, sequence, type, data)
    except NotCanonicalError as error:
        raise CognidError("invalid_argument", f"data: {error}") from None
