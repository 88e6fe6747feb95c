"""Admission: what an operation id has come to already, and how its outcome is kept.

The order is grant (dispatch has checked it), receipt, cutoff, enabled, filters.

Owns: replay, conflict, sealed and expired ids, and the receipt of each outcome. Knows nothing of
what an operation does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from cognid.protocol.errors import CognidError
from cognid.protocol.ids import operation_milliseconds
from cognid.protocol.intake import (
    Committed,
    Conflict,
    Duplicate,
    Forgotten,
    IntakeOutcome,
)
from cognid_daemon.bank.fence import Fence
from cognid_daemon.bank.rows import Receipt
from cognid_daemon.bank.transaction import Transaction

SEALED: Final = "sealed"
"""The operation that a receipt names when operation.resolve sealed the id."""
_OFTEN_EMPTY: Final = ("folded", "rejected", "adjusted")
_read_outcome: Final[TypeAdapter[IntakeOutcome]] = TypeAdapter(IntakeOutcome)


@dataclass(frozen=True, slots=True)
class Order:
    """Who asked for a write, under which id and policy.

    `digest` is of the whole request. `horizon` is the catalog's purge horizon in Unix milliseconds,
    which outlives the bank's file. `epoch` is that in which it was asked; `fence` knows the
    present one.
    """

    operation_id: str
    operation: str
    digest: bytes
    authority: str
    policy_fingerprint: str | None
    epoch: str
    enabled: bool
    horizon: int
    fence: Fence

    @property
    def has_ended(self) -> bool:
        """Whether the epoch in which it was asked is over, so that it has no effect."""
        return self.fence.epoch != self.epoch


def settled(tx: Transaction, order: Order) -> IntakeOutcome | None:
    """What this operation id has come to already; None where it is new.

    Raises:
        CognidError: `operation_sealed` or `operation_expired`.
    """
    receipt = tx.receipt(order.operation_id)
    if receipt is None:
        if is_expired(tx, order.operation_id, order.horizon):
            raise CognidError("operation_expired", operation_id=order.operation_id)
        return None
    if receipt.operation == SEALED:
        raise CognidError("operation_sealed", operation_id=order.operation_id)
    if receipt.operation != order.operation:
        return Conflict(operation_id=order.operation_id, reason="operation_reused")
    if receipt.digest is not None and receipt.digest != order.digest:
        return Conflict(operation_id=order.operation_id, reason="operation_reused")
    outcome = stored_outcome(receipt)
    if isinstance(outcome, Committed | Duplicate) and _is_forgotten(tx, outcome):
        # As the same event under another operation is answered: its ids would name nothing.
        return Forgotten(operation_id=order.operation_id, event=outcome.event, replayed=True)
    return outcome


def _is_forgotten(tx: Transaction, outcome: Committed | Duplicate) -> bool:
    return any(tx.barrier(one.memory_id) is not None for one in outcome.memories)


def is_expired(tx: Transaction, operation_id: str, horizon: int) -> bool:
    """Whether receipts as old as this id have been dropped, so that its fate is not known."""
    return operation_milliseconds(operation_id) <= max(horizon, tx.purge_horizon())


def stored_outcome(receipt: Receipt) -> IntakeOutcome:
    """The outcome that a receipt keeps, as it was or would have been answered."""
    stored = json.loads(receipt.outcome)
    return _read_outcome.validate_python(
        {**stored, "operation_id": receipt.operation_id, "replayed": True}
    )


def keep(
    tx: Transaction, order: Order, outcome: IntakeOutcome, memory_rowids: Sequence[int] = ()
) -> IntakeOutcome:
    """Store the receipt of an outcome: codes, ids and revisions, never text.

    The request's digest is a digest of its text, so it is kept only beside the memories that the
    operation made or met, and the forget of any of them clears it. Without one, a replay is known
    by its id alone.
    """
    left_out = {"operation_id", "replayed"}
    if isinstance(outcome, Committed):
        left_out.update(name for name in _OFTEN_EMPTY if not getattr(outcome, name))
    tx.add_receipt(
        Receipt(
            operation_id=order.operation_id,
            operation=order.operation,
            digest=order.digest if memory_rowids else None,
            outcome=outcome.model_dump_json(exclude=left_out),
            authority=order.authority,
            memory_rowid=memory_rowids[0] if memory_rowids else None,
            others=tuple(memory_rowids[1:]),
        )
    )
    return outcome
