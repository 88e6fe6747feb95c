"""Remember: take custody of an event, and make the turn that it reports a remark.

Owns: the event's identity (stream, sequence, hash) and what becomes of it. A remark keeps the
turn's text byte for byte.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from typing import Final, Literal

from cognid.protocol import bounds
from cognid.protocol.canonical import NotCanonicalError, event_form
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    EventReference,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
    Remember,
    Stored,
    TurnData,
)
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.rows import Decision, Event, LedgerEntry, NewEvent, NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order, keep, settled
from cognid_daemon.intake.instants import microseconds

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
EXTRACTOR: Final = "turn"
"""What made a remark: the whole turn, as it was said."""
FIRST_SEQUENCE: Final = 1
ROLE_RULE: Final = "role_not_kept"
"""The rule that keeps out turns of roles that the settings do not keep."""


def remembering(
    order: Order, request: Remember, turn: TurnData, kept: Collection[Role]
) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one event, to be run in the bank's transaction.

    A turn of a role that is not in `kept` is acknowledged as rejected, and its text goes nowhere.

    The transaction raises CognidError (`invalid_argument`) where the data has no canonical form,
    is too long, or does not have the hash that the caller gave.
    """

    def apply(tx: Transaction) -> IntakeOutcome:
        known = settled(tx, order)
        if known is not None:
            return known
        event = request.event
        last = tx.frontier(event.stream)
        cutoff = tx.cutoff(event.stream)
        if event.sequence is not None:
            sequence = event.sequence
        else:
            sequence = FIRST_SEQUENCE if last is None else last + 1
        digest = _event_digest(request, sequence)
        reference = EventReference(stream=event.stream, sequence=sequence)

        if cutoff is not None and sequence <= cutoff:
            outcome = NoEffect(operation_id=order.operation_id, reason="before_cutoff")
            return keep(tx, order, outcome)
        taken = tx.event(event.stream, sequence)
        if taken is not None:
            return _met_again(tx, order, taken, digest, reference)
        if event.after is not None and not _is_there(tx, event.stream, event.after, cutoff):
            # No custody, so no receipt: the same operation may come again once the gap is filled.
            return DeliveryGap(operation_id=order.operation_id, last_sequence=last)
        if order.has_ended or not order.enabled:
            # The frontier advances all the same, so that nothing is owed once the bank is enabled.
            return _pass_over(tx, order, request, Decision.NO_EFFECT, reference)
        if turn.role not in kept:
            return _pass_over(tx, order, request, Decision.REJECTED, reference)
        return _take(tx, order, request, turn, digest, reference)

    return apply


def _is_there(tx: Transaction, stream: str, sequence: int, cutoff: int | None) -> bool:
    """Whether custody of an event was taken, before or after the last wipe."""
    if cutoff is not None and sequence <= cutoff:
        return True
    return tx.event(stream, sequence) is not None


def _event_digest(request: Remember, sequence: int) -> bytes:
    event = request.event
    try:
        form = event_form(event.stream, sequence, event.type, event.data)
    except NotCanonicalError as error:
        raise CognidError("invalid_argument", f"event.data: {error}") from None
    if len(form) > bounds.EVENT_DATA_BYTES:
        raise CognidError(
            "invalid_argument", f"event.data: at most {bounds.EVENT_DATA_BYTES} bytes as JSON"
        )
    digest = hashlib.sha256(form).digest()
    if event.hash is not None and event.hash != digest.hex():
        raise CognidError("invalid_argument", "event.hash is not the hash of this event")
    return digest


def _met_again(
    tx: Transaction, order: Order, taken: Event, digest: bytes, reference: EventReference
) -> IntakeOutcome:
    """An event of that stream and sequence is there already."""
    if taken.decision is not Decision.COMMITTED:
        return keep(tx, order, _passed_over(order, taken.decision, reference))
    if taken.hash is None:
        return keep(tx, order, Forgotten(operation_id=order.operation_id, event=reference))
    if taken.hash != digest:
        # No receipt: nothing of this request was taken, and its id stays free for a right one.
        return Conflict(operation_id=order.operation_id, reason="sequence_reused")
    memories = tx.memories_of_event(taken.event_rowid)
    outcome = Duplicate(
        operation_id=order.operation_id,
        memories=[
            Stored(memory_id=m.memory_id, revision=m.revision, kind=m.kind) for m in memories
        ],
        event=reference,
    )
    return keep(tx, order, outcome, memories[0].memory_rowid if memories else None)


def _passed_over(
    order: Order, decision: Decision, reference: EventReference
) -> NoEffect | Rejected:
    if decision is Decision.NO_EFFECT:
        reason: Literal["disabled", "epoch_ended"]
        reason = "epoch_ended" if order.has_ended else "disabled"
        return NoEffect(operation_id=order.operation_id, reason=reason)
    return Rejected(operation_id=order.operation_id, rules=[ROLE_RULE], event=reference)


def _pass_over(
    tx: Transaction,
    order: Order,
    request: Remember,
    decision: Decision,
    reference: EventReference,
) -> IntakeOutcome:
    """Take custody of an event without its content: not even a digest of it stays."""
    _add_event(tx, request, reference, None, decision)
    return keep(tx, order, _passed_over(order, decision, reference))


def _add_event(
    tx: Transaction,
    request: Remember,
    reference: EventReference,
    digest: bytes | None,
    decision: Decision,
) -> int:
    return tx.add_event(
        NewEvent(
            stream=reference.stream,
            sequence=reference.sequence,
            type=request.event.type,
            hash=digest,
            decision=decision,
            session_id=request.session_id,
            occurred_at=microseconds(request.event.occurred_at),
        )
    )


def _take(
    tx: Transaction,
    order: Order,
    request: Remember,
    turn: TurnData,
    digest: bytes,
    reference: EventReference,
) -> IntakeOutcome:
    event_rowid = _add_event(tx, request, reference, digest, Decision.COMMITTED)
    stored = tx.add_memory(
        NewMemory(
            kind=Kind.REMARK,
            role=turn.role,
            provenance=Provenance.EXPLICIT if turn.role is Role.USER else Provenance.INFERRED,
            text=turn.content,
            speaker=turn.speaker,
            confidence=1.0,
            labels=tuple(request.labels),
            session_id=request.session_id,
            event_rowid=event_rowid,
            span=(0, len(turn.content)),
            extractor=EXTRACTOR,
            policy_fingerprint=order.policy_fingerprint,
            event_time=microseconds(request.event.occurred_at),
        )
    )
    note_made(tx, order, stored.memory_id, stored.digest, reference)
    committed = Committed(
        operation_id=order.operation_id,
        memories=[Stored(memory_id=stored.memory_id, revision=1, kind=Kind.REMARK)],
        event=reference,
        epoch=order.epoch,
    )
    return keep(tx, order, committed, stored.memory_rowid)


def note_made(
    tx: Transaction, order: Order, memory_id: str, digest: str, event: EventReference | None
) -> None:
    """Write into the ledger that a memory was made; `digest` is keyed with the memory's own key."""
    body = {
        "memories": [{"id": memory_id, "revision": 1, "lifecycle": "current", "digest": digest}],
        "event": None if event is None else [event.stream, event.sequence],
    }
    tx.note(
        LedgerEntry(
            operation=order.operation,
            operation_id=order.operation_id,
            authority=order.authority,
            body=_encode(body),
            policy_fingerprint=order.policy_fingerprint,
        )
    )
