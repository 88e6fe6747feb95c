"""Evidence: what memory.remember_evidence reports, as an event to be taken.

An evidence's root is made of its event hash too, and that is a digest of what was said. So the bank
keeps a root that is made with an empty hash: it tells which evidence it was, even after a wipe, and
nothing of its text. The event hash stands in the event's row, and goes with a forget or a wipe.

Owns: how an evidence becomes an event, and its identity in the bank.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import Evidence, RememberEvidence, event_place, evidence_root
from cognid.protocol.intake import IntakeOutcome
from cognid.protocol.values import Role
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.custody import Report, taking
from cognid_daemon.intake.promotion import Prepared, Told

TYPE: Final = "user_message"
"""The type of an event of which only the evidence is known."""


def told_by(request: RememberEvidence) -> Told:
    """The turn that an evidence reports.

    Raises:
        CognidError: `identity_mismatch` where it is of another owner than the request.
    """
    evidence = request.evidence
    if evidence.actor.owner_id != request.owner:
        raise CognidError("identity_mismatch", "evidence.actor.owner_id is not the request's owner")
    return Told(
        role=Role.USER,
        content=evidence.content,
        session_id=evidence.event.session,
        occurred_at=request.occurred_at,
    )


def witnessing(
    order: Order,
    request: RememberEvidence,
    told: Told,
    prepared: Prepared,
    kept: Collection[Role],
) -> Callable[[Transaction], IntakeOutcome]:
    """The write of one evidence, to be run in the bank's transaction."""
    evidence = request.evidence
    stream, sequence = event_place(evidence.event.id)
    digest = bytes.fromhex(evidence.event.event_hash)
    report = Report(
        stream=stream,
        sequence=sequence,
        after=None,
        type=TYPE,
        told=told,
        prepared=prepared,
        digest=lambda _: digest,
        evidence=identity_of(evidence),
    )
    return taking(order, report, kept)


def identity_of(evidence: Evidence) -> bytes:
    """Which evidence it is, by everything in its root but the event hash: 32 bytes."""
    root = evidence_root(
        user_id=evidence.actor.user_id,
        owner_id=evidence.actor.owner_id,
        event_id=evidence.event.id,
        event_hash="",
        session=evidence.event.session,
        conversation=evidence.event.conversation,
        turn=evidence.event.turn,
    )
    return bytes.fromhex(root)
