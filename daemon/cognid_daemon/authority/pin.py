"""Pin: let a memory never expire, or revive one that has; and take the pin away.

Owns: in which cases nothing happens, and what the ledger says of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol.authority import (
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    Unaffected,
)
from cognid.protocol.retention import Pin, Pinned, PinOutcome
from cognid.protocol.values import Lifecycle
from cognid_daemon.authority.receipts import Warrant, keep, met, note
from cognid_daemon.bank import retention
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.instants import instant_of

_OUTCOMES: Final[TypeAdapter[PinOutcome]] = TypeAdapter(
    PinOutcome, config=ConfigDict(hide_input_in_errors=True)
)


def pinning(order: Order, request: Pin, warrant: Warrant) -> Callable[[Transaction], PinOutcome]:
    """The write of one pin, to be run in the bank's transaction.

    The transaction raises CognidError (`handle_invalid`).
    """

    def apply(tx: Transaction) -> PinOutcome:
        operation_id = order.operation_id
        reused = TargetsConflict(operation_id=operation_id, reason="operation_reused")
        known = met(tx, order, _OUTCOMES, reused)
        if known is not None:
            return known
        if order.has_ended:
            return keep(tx, order, Unaffected(operation_id=operation_id, reason="epoch_ended"))
        warrant.check(order.epoch)
        if not order.enabled:
            return keep(tx, order, Unaffected(operation_id=operation_id, reason="disabled"))
        memory = tx.memory(request.memory_id)
        if memory is None:
            return keep(tx, order, _missing(tx, order, request.memory_id))
        refusal = _refusal(order, request, memory)
        if refusal is not None:
            return keep(tx, order, refusal)
        return _pin(tx, order, memory, pinned=request.pinned)

    return apply


def _missing(tx: Transaction, order: Order, memory_id: str) -> TargetForgotten | TargetsNotFound:
    if tx.barrier(memory_id) is None:
        return TargetsNotFound(operation_id=order.operation_id, unknown=[memory_id])
    return TargetForgotten(operation_id=order.operation_id, memory_id=memory_id)


def _refusal(order: Order, request: Pin, memory: Memory) -> TargetsConflict | Unaffected | None:
    """Why nothing changes, if so."""
    operation_id = order.operation_id
    current = {memory.memory_id: memory.revision}
    if request.expected_revision not in (None, memory.revision):
        return TargetsConflict(operation_id=operation_id, reason="revision_stale", current=current)
    if memory.written is Lifecycle.SUPERSEDED:
        return TargetsConflict(operation_id=operation_id, reason="not_current", current=current)
    if memory.pinned is request.pinned:
        return Unaffected(operation_id=operation_id, reason="unchanged")
    return None


def _pin(tx: Transaction, order: Order, memory: Memory, *, pinned: bool) -> Pinned:
    retention.pin(tx, memory, pinned=pinned)
    now = tx.memory(memory.memory_id) or memory
    revived = pinned and memory.lifecycle is Lifecycle.EXPIRED
    mention = {"id": now.memory_id, "revision": now.revision, "lifecycle": now.lifecycle.value}
    note(tx, order, [mention], pinned=pinned, revived=revived)
    outcome = Pinned(
        operation_id=order.operation_id,
        affected=[now.memory_id],
        revision=now.revision,
        pinned=pinned,
        revived=revived,
        lifecycle=now.lifecycle,
        expires_at=instant_of(now.expires_at),
    )
    return keep(tx, order, outcome)
