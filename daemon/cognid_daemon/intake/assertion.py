"""Assertion: a memory that somebody states deliberately, typed and dated by the caller.

Owns: what memory.add makes, and when it says what a current fact says already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cognid.protocol.intake import Add, Committed, Duplicate, IntakeOutcome, NoEffect, Stored
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.listing import facts_like
from cognid_daemon.bank.rows import Memory, NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order, keep, settled
from cognid_daemon.intake.instants import microseconds
from cognid_daemon.intake.remember import note_made

EXTRACTOR: Final = "assertion"
"""What made it: nobody but the caller."""


def asserting(order: Order, request: Add) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one deliberate memory, to be run in the bank's transaction."""
    memory = _memory_of(order, request)

    def apply(tx: Transaction) -> IntakeOutcome:
        known = settled(tx, order)
        if known is not None:
            return known
        if order.has_ended:
            outcome = NoEffect(operation_id=order.operation_id, reason="epoch_ended")
            return keep(tx, order, outcome)
        if not order.enabled:
            outcome = NoEffect(operation_id=order.operation_id, reason="disabled")
            return keep(tx, order, outcome)
        if memory.kind is not Kind.REMARK:
            for twin in facts_like(tx.connection, memory.text):
                if _says_the_same(twin, memory):
                    there = Stored(memory_id=twin.memory_id, revision=twin.revision, kind=twin.kind)
                    duplicate = Duplicate(operation_id=order.operation_id, memories=[there])
                    return keep(tx, order, duplicate, twin.memory_rowid)
        stored = tx.add_memory(memory)
        note_made(tx, order, stored.memory_id, stored.digest, None)
        committed = Committed(
            operation_id=order.operation_id,
            memories=[Stored(memory_id=stored.memory_id, revision=1, kind=memory.kind)],
            epoch=order.epoch,
        )
        return keep(tx, order, committed, stored.memory_rowid)

    return apply


def _memory_of(order: Order, request: Add) -> NewMemory:
    usual = Provenance.EXPLICIT if request.role is Role.USER else Provenance.INFERRED
    return NewMemory(
        kind=request.kind,
        role=request.role,
        provenance=request.provenance or usual,
        text=request.text,
        speaker=request.speaker,
        confidence=request.confidence,
        importance=request.importance,
        pinned=request.pinned,
        categories=tuple(request.categories),
        labels=tuple(request.labels),
        session_id=request.session_id,
        extractor=EXTRACTOR,
        policy_fingerprint=order.policy_fingerprint,
        event_time=microseconds(request.event_time),
        valid_from=microseconds(request.valid_from),
        valid_until=microseconds(request.valid_until),
    )


def _says_the_same(twin: Memory, memory: NewMemory) -> bool:
    """Whether nothing would be lost by not storing a fact whose text is equal after normalization.

    Whatever else the caller said of it must stand there already: another date, label or kind makes
    it another memory.
    """
    return (
        twin.kind is memory.kind
        and twin.role is memory.role
        and twin.speaker == memory.speaker
        and twin.provenance is memory.provenance
        and (twin.pinned or not memory.pinned)
        and twin.labels == memory.labels
        and twin.categories == memory.categories
        and twin.event_time == memory.event_time
        and twin.valid_from == memory.valid_from
        and twin.valid_until == memory.valid_until
    )
