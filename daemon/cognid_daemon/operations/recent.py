"""Noting what the recall family answers, and telling it: memory.inspect's view `recent`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, assert_never

from cognid.protocol import bounds
from cognid.protocol.configure import (
    ChangedRevision,
    ChangeNote,
    InspectRecent,
    RecallNote,
    Recently,
)
from cognid.protocol.context import Assemble, Assembled, ContextOutcome
from cognid.protocol.recall import Disabled, Hits, NoHits, Recall, RecallOutcome, Unavailable
from cognid_daemon.bank.rows import Noted
from cognid_daemon.bank.view import View
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.recent import Recalled

Answers = Callable[[Call, Any], Awaitable[RecallOutcome | ContextOutcome]]


def noted(handler: Answers) -> Answers:
    """The same handler, whose answers are noted for who asks afterwards what was recalled."""

    async def answer(call: Call, request: Recall | Assemble) -> RecallOutcome | ContextOutcome:
        outcome = await handler(call, request)
        call.daemon.recent.note(
            Recalled(
                at=datetime.now(UTC),
                owner=request.owner,
                agent=request.agent,
                epoch=outcome.epoch,
                operation=call.method,
                authority=call.connection.grant.credential_id,
                session_id=request.session_id,
                outcome=outcome.outcome,
                reason=outcome.reason if isinstance(outcome, Unavailable) else None,
                memory_ids=_ids(outcome),
                pipelines=None if isinstance(outcome, Disabled) else outcome.pipelines,
                partial=outcome.partial
                if isinstance(outcome, Hits | NoHits | Assembled)
                else False,
                took_ms=0.0 if isinstance(outcome, Disabled) else outcome.took_ms,
            )
        )
        return outcome

    return answer


def _ids(outcome: RecallOutcome | ContextOutcome) -> tuple[str, ...]:
    match outcome:
        case Hits():
            return tuple(hit.memory_id for hit in outcome.hits)
        case Assembled():
            memories = ("standing", "recalled")
            return tuple(
                item.id
                for section in outcome.sections
                if section.name in memories
                for item in section.items
            )
        case NoHits() | Unavailable() | Disabled():
            return ()
        case _:
            assert_never(outcome)


async def recently(call: Call, request: InspectRecent, lease: Lease) -> Recently:
    """What changed in one bank, and what was recalled of it, newest first."""
    noted = await lease.bank.read(
        lambda connection: View(connection).ledger_end(request.limit), deadline=call.deadline
    )
    names = {grant.credential_id: grant.name for grant in call.daemon.grants.all()}
    epoch = lease.record.epoch
    recalled = call.daemon.recent.of(request.owner, request.agent, epoch)[: request.limit]
    return Recently(
        changes=[_change(one, names) for one in noted],
        recalls=[_recall(one, names) for one in recalled],
        since=call.daemon.started_at,
        epoch=epoch,
    )


def _change(noted: Noted, names: dict[str, str]) -> ChangeNote:
    mentions = json.loads(noted.body).get("memories", [])
    return ChangeNote(
        sequence=noted.sequence,
        at=instant_of(noted.at),
        operation=noted.operation,
        operation_id=noted.operation_id,
        authority=noted.authority,
        authority_name=names.get(noted.authority),
        policy_fingerprint=noted.policy_fingerprint,
        memories=[
            ChangedRevision(
                memory_id=one["id"],
                revision=one.get("revision"),
                lifecycle=one.get("lifecycle"),
            )
            for one in mentions[: bounds.INSPECT_PAGE_MAX]
        ],
        count=len(mentions),
    )


def _recall(one: Recalled, names: dict[str, str]) -> RecallNote:
    return RecallNote(
        at=one.at,
        operation=one.operation,
        authority=one.authority,
        authority_name=names.get(one.authority),
        session_id=one.session_id,
        outcome=one.outcome,
        reason=one.reason,
        memory_ids=list(one.memory_ids),
        pipelines=one.pipelines,
        partial=one.partial,
        took_ms=one.took_ms,
    )
