"""Evidence outcomes: what became of a trusted evidence, in the seven words that its callers know.

committed is accepted; the same evidence again is replayed; what asking showed to be on disk is
recovered; filtered, disabled and forgotten are skipped, with the reason; changed content is a
conflict; what lies outside a bound is rejected, typed; and a write whose fate is not known is
unavailable. An error of the caller's own, such as a right it does not have, is none of the seven:
it stays an error.

Owns: that table. Pure functions: sends nothing, and keeps nothing.
"""

from __future__ import annotations

from typing import Any, Final, assert_never

from pydantic import ValidationError

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import (
    EvidenceAccepted,
    EvidenceConflict,
    EvidenceOutcome,
    EvidenceRecovered,
    EvidenceRejected,
    EvidenceReplayed,
    EvidenceSkipped,
    EvidenceUnavailable,
    TypedRejection,
)
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
)
from cognid.protocol.operations import (
    Expired,
    Pending,
    Resolution,
    ResolvedCommitted,
    ResolvedRefused,
    Sealed,
)
from cognid.protocol.table import OPERATIONS

_SPENT: Final = {"operation_sealed": "sealed", "operation_expired": "expired"}
"""Errors that say an operation id can be used no more, in the words of operation.resolve."""


def of_answer(answer: IntakeOutcome) -> EvidenceOutcome:
    """What the daemon's answer comes to."""
    operation_id = answer.operation_id
    match answer:
        case Committed():
            if answer.replayed:
                return EvidenceReplayed(operation_id=operation_id, memories=answer.memories)
            return EvidenceAccepted(operation_id=operation_id, memories=answer.memories)
        case Duplicate():
            return EvidenceReplayed(operation_id=operation_id, memories=answer.memories)
        case Rejected():
            return EvidenceSkipped(
                operation_id=operation_id,
                reason="filtered",
                rules=answer.rules,
                note=answer.note,
            )
        case Forgotten():
            return EvidenceSkipped(operation_id=operation_id, reason="forgotten")
        case NoEffect():
            return EvidenceSkipped(operation_id=operation_id, reason=answer.reason)
        case Conflict():
            return EvidenceConflict(operation_id=operation_id, reason=answer.reason)
        case DeliveryGap():
            return EvidenceUnavailable(operation_id=operation_id, reason=answer.outcome)
        case _:
            assert_never(answer)


def of_resolution(resolution: Resolution) -> EvidenceOutcome:
    """What operation.resolve settled.

    Raises:
        CognidError: `invalid_argument` where the operation was something else than an evidence.
    """
    operation_id = resolution.operation_id
    match resolution:
        case ResolvedCommitted() | ResolvedRefused():
            answer = _stored(operation_id, resolution.stored)
            if isinstance(answer, Committed | Duplicate):
                return EvidenceRecovered(operation_id=operation_id, memories=answer.memories)
            return of_answer(answer)
        case Sealed() | Pending() | Expired():
            return EvidenceUnavailable(operation_id=operation_id, reason=resolution.outcome)
        case _:
            assert_never(resolution)


def of_error(error: CognidError, operation_id: str) -> EvidenceUnavailable:
    """What an error on the way comes to, where it leaves the evidence to be sent again.

    Raises:
        CognidError: this very error, where sending the same again could not help.
    """
    if error.code in _SPENT:
        return EvidenceUnavailable(operation_id=operation_id, reason=_SPENT[error.code])
    if error.retryable or error.effect == "unknown":
        return EvidenceUnavailable(operation_id=operation_id, reason=error.code)
    raise error


def over_bound(content: str, operation_id: str) -> EvidenceRejected | None:
    """The rejection of what is longer than any memory; None where it is not.

    It depends on its two arguments alone, so it is the same whenever they come again.
    """
    if len(content) <= bounds.TEXT_CHARACTERS:
        return None
    rejection = TypedRejection(operation_id=operation_id, reason="input_budget_exceeded")
    return EvidenceRejected(operation_id=operation_id, rejection=rejection)


def _stored(operation_id: str, stored: dict[str, Any]) -> IntakeOutcome:
    read = OPERATIONS["memory.remember_evidence"].read_reply
    try:
        answer: IntakeOutcome = read.validate_python({**stored, "operation_id": operation_id})
    except ValidationError:
        raise CognidError(
            "invalid_argument", "the operation is none of intake", operation_id=operation_id
        ) from None
    return answer
