"""Correct: a new revision becomes current, the old one stays as history until it is forgotten.

Owns: in which cases nothing happens, and what the ledger says of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol import bounds
from cognid.protocol.authority import (
    Changed,
    CorrectOutcome,
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    TextRejected,
    Unaffected,
)
from cognid.protocol.values import Lifecycle
from cognid_daemon.authority.receipts import Warrant, keep, met, note
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order

FACT_TOO_LONG: Final = "fact_too_long"
"""The rule that keeps out a text that is too long for its memory's kind."""
_OUTCOMES: Final[TypeAdapter[CorrectOutcome]] = TypeAdapter(
    CorrectOutcome, config=ConfigDict(hide_input_in_errors=True)
)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A text that was screened. `credentials` are the rules by which it holds credentials;
    `allowed` says that it may."""

    text: str = field(repr=False)
    credentials: tuple[str, ...]
    allowed: bool = False


def correcting(
    order: Order, memory_id: str, expected_revision: int | None, text: Corrected, warrant: Warrant
) -> Callable[[Transaction], CorrectOutcome]:
    """The write of one correction, to be run in the bank's transaction.

    Args:
        expected_revision: None where the preview of the warrant says which.
        text: what the memory shall say.

    The transaction raises CognidError (`handle_invalid`, `preview_invalid`).
    """

    def apply(tx: Transaction) -> CorrectOutcome:
        operation_id = order.operation_id
        reused = TargetsConflict(operation_id=operation_id, reason="operation_reused")
        known = met(tx, order, _OUTCOMES, reused)
        if known is not None:
            return known
        if order.has_ended:
            ended = Unaffected(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended, holds_text=True)
        warrant.check(order.epoch)
        if not order.enabled:
            disabled = Unaffected(operation_id=operation_id, reason="disabled")
            return keep(tx, order, disabled, holds_text=True)
        memory = tx.memory(memory_id)
        if memory is None:
            if tx.barrier(memory_id) is None:
                missing = TargetsNotFound(operation_id=operation_id, unknown=[memory_id])
                return keep(tx, order, missing, holds_text=True)
            forgotten = TargetForgotten(operation_id=operation_id, memory_id=memory_id)
            return keep(tx, order, forgotten, holds_text=True)
        refusal = _refusal(order, memory, expected_revision, text, warrant)
        if refusal is not None:
            return keep(tx, order, refusal, holds_text=True)
        return _correct(tx, order, memory, text)

    return apply


def _refusal(
    order: Order, memory: Memory, expected_revision: int | None, text: Corrected, warrant: Warrant
) -> TargetsConflict | TextRejected | Unaffected | None:
    """Why the memory is not corrected, if so."""
    operation_id = order.operation_id
    current = {memory.memory_id: memory.revision}
    if warrant.preview is not None and warrant.preview.revisions != current:
        return TargetsConflict(operation_id=operation_id, reason="preview_stale", current=current)
    if expected_revision not in (None, memory.revision):
        return TargetsConflict(operation_id=operation_id, reason="revision_stale", current=current)
    if memory.lifecycle is not Lifecycle.CURRENT:
        return TargetsConflict(operation_id=operation_id, reason="not_current", current=current)
    if memory.is_fact and len(text.text) > bounds.FACT_CHARACTERS:
        return TextRejected(operation_id=operation_id, rules=[FACT_TOO_LONG])
    if text.credentials and not text.allowed:
        return TextRejected(operation_id=operation_id, rules=list(text.credentials))
    if text.text == memory.text:
        return Unaffected(operation_id=operation_id, reason="unchanged")
    return None


def _correct(tx: Transaction, order: Order, memory: Memory, text: Corrected) -> Changed:
    before = {
        one.memory_id: one.revision for one in tx.group_of([memory.memory_id]).memories
    }  # the revisions of what may be superseded with it
    corrected = tx.correct(memory, text.text)
    override = {"override": list(text.credentials)} if text.credentials else {}
    note(
        tx,
        order,
        [
            {
                "id": memory.memory_id,
                "revision": corrected.revision,
                "lifecycle": "current",
                "digest": corrected.digest,
            },
            *(
                {"id": one, "revision": before[one], "lifecycle": "superseded"}
                for one in (memory.memory_id, *corrected.superseded)
            ),
        ],
        **override,
    )
    changed = Changed(
        operation_id=order.operation_id,
        affected=[memory.memory_id, *corrected.superseded],
        revision=corrected.revision,
    )
    return keep(tx, order, changed, memory_rowid=corrected.memory_rowid, holds_text=True)
