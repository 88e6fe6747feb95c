"""Assertion: to store what a caller states deliberately, without an event behind it.

Owns: in which cases nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cognid.protocol.intake import (
    Add,
    Committed,
    Duplicate,
    IntakeOutcome,
    NoEffect,
    Rejected,
    Stored,
)
from cognid.protocol.values import Provenance, Role
from cognid_daemon.bank.rows import NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order, keep, settled
from cognid_daemon.intake.folding import folded_into
from cognid_daemon.intake.instants import microseconds
from cognid_daemon.intake.noting import note_made
from cognid_daemon.intake.screening import note_of

EXTRACTOR: Final = "assertion"
"""What made it: nobody but the caller."""


def asserting(
    order: Order, request: Add, credentials: Sequence[str]
) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one deliberate memory, to be run in the bank's transaction.

    Args:
        credentials: the rules by which its text holds credentials.
    """
    memory = _memory_of(order, request)

    def apply(tx: Transaction) -> IntakeOutcome:
        operation_id = order.operation_id
        known = settled(tx, order)
        if known is not None:
            return known
        if order.has_ended:
            ended = NoEffect(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended)
        if not order.enabled:
            disabled = NoEffect(operation_id=operation_id, reason="disabled")
            return keep(tx, order, disabled)
        if credentials and not request.allow_credentials:
            rejected = Rejected(
                operation_id=operation_id, rules=list(credentials), note=note_of(credentials)
            )
            return keep(tx, order, rejected)
        twin = folded_into(tx, memory)
        if twin is not None:
            there = Stored(memory_id=twin.memory_id, revision=twin.revision, kind=twin.kind)
            duplicate = Duplicate(operation_id=operation_id, memories=[there])
            return keep(tx, order, duplicate, [twin.memory_rowid])
        stored = tx.add_memory(memory)
        note_made(tx, order, [stored], None, override=list(credentials))
        committed = Committed(
            operation_id=operation_id,
            memories=[Stored(memory_id=stored.memory_id, revision=1, kind=memory.kind)],
            epoch=order.epoch,
        )
        return keep(tx, order, committed, [stored.memory_rowid])

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
