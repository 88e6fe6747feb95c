"""Custody: to take an event for good, or to refuse it whole, and what becomes of it.

The order is receipt, cutoff, what is known of the event, gap, enabled, filters. An event that a
filter stops is acknowledged and its place in the stream is taken, but nothing of its content is
written, not even a digest.

Owns: the identity of an event (stream, sequence, hash), its decision, and what the turn that it
reports becomes: a remark, byte for byte, and the facts of `promotion`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Literal

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
    Stored,
)
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.rows import Decision, Event, NewEvent, NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order, keep, settled
from cognid_daemon.intake.instants import microseconds
from cognid_daemon.intake.noting import note_made
from cognid_daemon.intake.promotion import Prepared, Told, promote
from cognid_daemon.intake.screening import ROLE_RULE, Heard, conversation_of, heard, note_of

EXTRACTOR: Final = "turn"
"""What made a remark: the whole turn, as it was said."""
FIRST_SEQUENCE: Final = 1


@dataclass(frozen=True, slots=True)
class Report:
    """An event as its runtime reports it, with the turn in it and what was made of that.

    `digest` gives the event's hash (32 bytes) once its sequence is known; it may raise CognidError.
    `evidence` identifies trusted evidence, None for every other event.
    """

    stream: str
    sequence: int | None
    after: int | None
    type: str
    told: Told
    prepared: Prepared
    digest: Callable[[int], bytes]
    evidence: bytes | None = None


def taking(
    order: Order, report: Report, kept: Collection[Role]
) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one event, to be run in the bank's transaction.

    A turn of a role that is not in `kept` is acknowledged as rejected, and its text goes nowhere.
    """

    def apply(tx: Transaction) -> IntakeOutcome:
        known = settled(tx, order)
        if known is not None:
            return known
        last = tx.frontier(report.stream)
        cutoff = tx.cutoff(report.stream)
        if report.sequence is not None:
            sequence = report.sequence
        else:
            sequence = FIRST_SEQUENCE if last is None else last + 1
        digest = report.digest(sequence)
        reference = EventReference(stream=report.stream, sequence=sequence)

        if _is_past(tx, report, sequence, cutoff):
            outcome = NoEffect(operation_id=order.operation_id, reason="before_cutoff")
            return keep(tx, order, outcome)
        taken = tx.event(report.stream, sequence)
        if taken is not None:
            return _met_again(tx, order, report, taken, digest, reference)
        if report.after is not None and not _is_there(tx, report.stream, report.after, cutoff):
            # No custody, so no receipt: the same operation may come again once the gap is filled.
            return DeliveryGap(operation_id=order.operation_id, last_sequence=last)
        if order.has_ended or not order.enabled:
            # The frontier advances all the same, so that nothing is owed once the bank is enabled.
            _add_event(tx, report, reference, None, Decision.NO_EFFECT)
            return keep(tx, order, _without_effect(order))
        rules = _screen(tx, report, kept)
        if rules:
            _add_event(tx, report, reference, None, Decision.REJECTED, rules)
            return keep(tx, order, _rejected(order, rules, reference))
        return _take(tx, order, report, digest, reference)

    return apply


def _is_past(tx: Transaction, report: Report, sequence: int, cutoff: int | None) -> bool:
    """Whether the event was taken, or passed by, before the last wipe."""
    if cutoff is not None and sequence <= cutoff:
        return True
    return report.evidence is not None and tx.is_past_evidence(report.evidence)


def _is_there(tx: Transaction, stream: str, sequence: int, cutoff: int | None) -> bool:
    """Whether custody of an event was taken, before or after the last wipe."""
    if cutoff is not None and sequence <= cutoff:
        return True
    return tx.event(stream, sequence) is not None


def _screen(tx: Transaction, report: Report, kept: Collection[Role]) -> tuple[str, ...]:
    """The rules against a turn; notes what its conversation withholds from now on."""
    told = report.told
    whose = conversation_of(told.session_id, report.stream)
    before = tx.withholding(whose)
    now = heard(before, told.role, report.prepared.reading)
    if now.state != before:
        tx.withhold(whose, now.state)
    return rules_of(told, report.prepared, now, kept)


def rules_of(told: Told, prepared: Prepared, now: Heard, kept: Collection[Role]) -> tuple[str, ...]:
    """All rules against a turn, in the order in which the filters are asked."""
    role = () if told.role in kept else (ROLE_RULE,)
    return (*role, *prepared.credentials, *now.rules)


def _met_again(
    tx: Transaction,
    order: Order,
    report: Report,
    taken: Event,
    digest: bytes,
    reference: EventReference,
) -> IntakeOutcome:
    """An event of that stream and sequence is there already."""
    if taken.decision is Decision.NO_EFFECT:
        return keep(tx, order, _without_effect(order))
    if taken.decision is Decision.REJECTED:
        return keep(tx, order, _rejected(order, taken.rules, reference))
    if taken.hash is None:
        return keep(tx, order, Forgotten(operation_id=order.operation_id, event=reference))
    # No receipt of a conflict: nothing of this request was taken, and its id stays free for a
    # right one.
    if taken.hash != digest:
        return Conflict(operation_id=order.operation_id, reason="sequence_reused")
    if report.evidence is not None or taken.evidence is not None:
        if _differs(tx, report, taken):
            return Conflict(operation_id=order.operation_id, reason="evidence_changed")
        if report.evidence is not None and taken.evidence is None:
            tx.know_as_evidence(taken.event_rowid, report.evidence)
    memories = tx.memories_of_event(taken.event_rowid)
    outcome = Duplicate(
        operation_id=order.operation_id,
        memories=[
            Stored(memory_id=m.memory_id, revision=m.revision, kind=m.kind) for m in memories
        ],
        event=reference,
    )
    return keep(tx, order, outcome, [memory.memory_rowid for memory in memories])


def _differs(tx: Transaction, report: Report, taken: Event) -> bool:
    """Whether an evidence is not the one that was taken.

    The event hash of an evidence is its host's word and cannot be made anew here, so the contents
    are compared themselves. That needs no further digest of them, which a forget had to find.
    """
    if report.evidence is not None and taken.evidence not in (None, report.evidence):
        return True
    said = tx.said_in(taken.event_rowid)
    return said is not None and said != report.told.content


def _without_effect(order: Order) -> NoEffect:
    reason: Literal["disabled", "epoch_ended"]
    reason = "epoch_ended" if order.has_ended else "disabled"
    return NoEffect(operation_id=order.operation_id, reason=reason)


def _rejected(order: Order, rules: Collection[str], reference: EventReference) -> Rejected:
    return Rejected(
        operation_id=order.operation_id,
        rules=list(rules),
        note=note_of(tuple(rules)),
        event=reference,
    )


def _add_event(
    tx: Transaction,
    report: Report,
    reference: EventReference,
    digest: bytes | None,
    decision: Decision,
    rules: tuple[str, ...] = (),
) -> int:
    return tx.add_event(
        NewEvent(
            stream=reference.stream,
            sequence=reference.sequence,
            type=report.type,
            hash=digest,
            decision=decision,
            session_id=report.told.session_id,
            occurred_at=microseconds(report.told.occurred_at),
            rules=rules,
            evidence=report.evidence,
        )
    )


def _take(
    tx: Transaction, order: Order, report: Report, digest: bytes, reference: EventReference
) -> IntakeOutcome:
    told = report.told
    event_rowid = _add_event(tx, report, reference, digest, Decision.COMMITTED)
    remark = tx.add_memory(
        NewMemory(
            kind=Kind.REMARK,
            role=told.role,
            provenance=Provenance.EXPLICIT if told.role is Role.USER else Provenance.INFERRED,
            text=told.content,
            speaker=told.speaker,
            confidence=1.0,
            labels=told.labels,
            session_id=told.session_id,
            event_rowid=event_rowid,
            span=(0, len(told.content)),
            extractor=EXTRACTOR,
            policy_fingerprint=order.policy_fingerprint,
            event_time=microseconds(told.occurred_at),
        )
    )
    facts = promote(tx, report.prepared, event_rowid, order.policy_fingerprint)
    note_made(
        tx,
        order,
        (remark, *facts.made),
        reference,
        folded=[one.memory_id for one in facts.folded],
        rejected=[part.model_dump() for part in facts.rejected],
    )
    committed = Committed(
        operation_id=order.operation_id,
        memories=[
            Stored(memory_id=remark.memory_id, revision=1, kind=Kind.REMARK),
            *facts.stored,
        ],
        folded=facts.folded,
        rejected=facts.rejected,
        adjusted=facts.adjusted,
        event=reference,
        epoch=order.epoch,
    )
    return keep(tx, order, committed, (remark.memory_rowid, *facts.rowids))
