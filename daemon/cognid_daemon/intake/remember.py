"""Remember: what memory.remember reports, as an event to be taken.

Owns: the hash of such an event, which the daemon makes anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection

from cognid.protocol import bounds
from cognid.protocol.canonical import NotCanonicalError, event_form
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import IntakeOutcome, Remember, TurnData
from cognid.protocol.values import Role
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.custody import Report, taking
from cognid_daemon.intake.promotion import Prepared, Told


def told_by(request: Remember, turn: TurnData) -> Told:
    """The turn that a request reports."""
    return Told(
        role=turn.role,
        content=turn.content,
        speaker=turn.speaker,
        session_id=request.session_id,
        labels=tuple(request.labels),
        occurred_at=request.event.occurred_at,
        candidates=None if request.candidates is None else tuple(request.candidates),
    )


def remembering(
    order: Order, request: Remember, told: Told, prepared: Prepared, kept: Collection[Role]
) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one event, to be run in the bank's transaction.

    The transaction raises CognidError (`invalid_argument`) where the data has no canonical form,
    is too long, or does not have the hash that the caller gave.
    """
    event = request.event
    report = Report(
        stream=event.stream,
        sequence=event.sequence,
        after=event.after,
        type=event.type,
        told=told,
        prepared=prepared,
        digest=lambda sequence: _event_digest(request, sequence),
    )
    return taking(order, report, kept)


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
