"""What a change's operation id has come to already, and how its outcome is kept.

Owns: replay and conflict for the outcomes of `cognid.protocol.authority`, and the warrant under
which a change is asked for. A receipt holds codes, ids and revisions, never text; projections and
handles are made anew for each answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from cognid.protocol.errors import CognidError
from cognid_daemon.bank.rows import LedgerEntry, Receipt
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import SEALED, Order, is_expired
from cognid_daemon.managers import check_epoch
from cognid_daemon.previews import Listed, required

T = TypeVar("T")
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Warrant:
    """By what a change may be asked for. Looked at only after the receipt.

    `handle_epoch` is the epoch of the manager handle, None for a tool. `preview` is what the token
    stands for, None where it stands for nothing.
    """

    handle_epoch: str | None
    preview: Listed | None = None
    needs_preview: bool = False

    def check(self, epoch: str) -> None:
        """Let the change pass in this epoch.

        Raises:
            CognidError: `handle_invalid`, `preview_invalid`.
        """
        if self.handle_epoch is not None:
            check_epoch(self.handle_epoch, epoch)
        if self.needs_preview:
            required(self.preview, epoch)


def met(tx: Transaction, order: Order, outcomes: TypeAdapter[T], reused: T) -> T | None:
    """What this operation id has come to already; None where it is new.

    Args:
        reused: the answer where the id stands for another request.

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
    if receipt.operation != order.operation or receipt.digest not in (None, order.digest):
        return reused
    stored = json.loads(receipt.outcome)
    return outcomes.validate_python(
        {**stored, "operation_id": order.operation_id, "replayed": True}
    )


def keep(
    tx: Transaction,
    order: Order,
    outcome: R,
    *,
    memory_rowid: int | None = None,
    holds_text: bool = False,
) -> R:
    """Store the receipt of an outcome.

    Args:
        memory_rowid: the memory whose forget clears the request's digest.
        holds_text: the request holds memory text, so its digest is one of that text: without a
            memory beside it, it is not kept, and a replay is known by its id alone.
    """
    tx.add_receipt(
        Receipt(
            operation_id=order.operation_id,
            operation=order.operation,
            digest=None if holds_text and memory_rowid is None else order.digest,
            outcome=outcome.model_dump_json(
                exclude={"operation_id", "replayed", "projection", "handle"}
            ),
            authority=order.authority,
            memory_rowid=memory_rowid,
        )
    )
    return outcome


def note(tx: Transaction, order: Order, memories: list[dict[str, Any]], **more: Any) -> None:
    """Write into the ledger what a change made of which revisions: ids and codes, never text."""
    body = {"memories": memories, **more}
    tx.note(
        LedgerEntry(
            operation=order.operation,
            operation_id=order.operation_id,
            authority=order.authority,
            body=json.dumps(body, separators=(",", ":"), ensure_ascii=False),
            policy_fingerprint=order.policy_fingerprint,
        )
    )
