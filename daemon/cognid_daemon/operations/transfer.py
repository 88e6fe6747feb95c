"""export and import: a bank's memories as records, page by page.

Owns: the way between a record of the wire and a memory of the bank. What was forgotten does not
come back by an import, under whatever rule or id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol import bounds
from cognid.protocol.transfer import (
    Export,
    ExportedEvent,
    ExportedRecord,
    ExportedRevision,
    ExportPage,
    Import,
    ImportConflict,
    Imported,
    ImportOutcome,
    ImportWithoutEffect,
    Record,
    RejectedRecord,
)
from cognid.protocol.values import Lifecycle
from cognid_daemon.authority.receipts import keep, met, note
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import count_of
from cognid_daemon.bank.portable import Fate, Portable, Rule, Taken, import_memory, portables
from cognid_daemon.bank.rows import Decision, NewEvent, NewMemory, Revision
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.cursors import make_cursor, read_cursor
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.identity import check_claims
from cognid_daemon.intake.instants import instant_of, microseconds
from cognid_daemon.intake.screening import rules_against_record
from cognid_daemon.operations.reading import read_kept
from cognid_daemon.operations.writing import committed, order_of

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_LISTING: Final[dict[str, Any]] = {"export": True}
_ALL: Final = Filters(lifecycles=(Lifecycle.CURRENT, Lifecycle.SUPERSEDED, Lifecycle.EXPIRED))
_OUTCOMES: Final[TypeAdapter[ImportOutcome]] = TypeAdapter(
    ImportOutcome, config=ConfigDict(hide_input_in_errors=True)
)


async def _export(call: Call, request: Export) -> ExportPage:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        record = lease.record
        after = 0
        if request.cursor is not None:
            after = read_cursor(request.cursor, record.bank_id, record.epoch, _LISTING)

        def read(connection: Connection) -> tuple[list[Portable], int]:
            page = portables(
                connection, after, limit=request.limit, text_bytes=bounds.REPLY_TEXT_BYTES
            )
            return page, count_of(connection, _ALL)

        (page, total), removed = await read_kept(lease, read, call.deadline)
        if removed:  # perhaps something of this page
            (page, total), _ = await read_kept(lease, read, call.deadline)
        # A page that is empty is the last one: a page may end early at its bound of text.
        cursor = None
        if page:
            cursor = make_cursor(page[-1].memory_rowid, record.bank_id, record.epoch, _LISTING)
        return ExportPage(
            records=[_exported(portable) for portable in page],
            total=total,
            cursor=cursor,
            epoch=record.epoch,
        )


def _exported(portable: Portable) -> ExportedRecord:
    memory, event = portable.memory, portable.event
    return ExportedRecord(
        memory_id=portable.memory_id,
        origin_id=portable.origin_id,
        kind=memory.kind,
        role=memory.role,
        speaker=memory.speaker,
        provenance=memory.provenance,
        confidence=1.0 if memory.confidence is None else memory.confidence,
        importance=memory.importance,
        pinned=memory.pinned,
        categories=list(memory.categories),
        labels=list(memory.labels),
        session_id=memory.session_id,
        event=None
        if event is None
        else ExportedEvent(
            stream=event.stream,
            sequence=event.sequence,
            type=event.type,
            hash=None if event.hash is None else event.hash.hex(),
            occurred_at=instant_of(event.occurred_at),
        ),
        span=memory.span,
        sources=list(memory.sources),
        extractor=memory.extractor,
        policy_fingerprint=memory.policy_fingerprint,
        event_time=instant_of(memory.event_time),
        valid_from=instant_of(memory.valid_from),
        valid_until=instant_of(memory.valid_until),
        created_at=instant_of(portable.created_at),
        revisions=[
            ExportedRevision(
                revision=one.revision,
                lifecycle=one.lifecycle,
                text=one.text or "",
                created_at=instant_of(one.created_at),
                ended_at=instant_of(one.ended_at),
            )
            for one in portable.revisions
        ],
    )


async def _import(call: Call, request: Import) -> ImportOutcome:
    for record in request.records:
        check_claims({}, record.labels, request.owner, request.agent, record.session_id)
    screen = partial(_screen, request)
    rejected = await call.daemon.screening.screen(request, screen, call.deadline)
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(importing(order, request, rejected), deadline=call.deadline)
        return await committed(write)


def _screen(request: Import) -> dict[int, RejectedRecord]:
    """The records that the filters keep out, by their place in the request."""
    found = ((at, one, rules_against_record(one)) for at, one in enumerate(request.records))
    return {
        at: RejectedRecord(memory_id=one.memory_id, rules=list(rules))
        for at, one, rules in found
        if rules
    }


def importing(
    order: Order, request: Import, rejected: Mapping[int, RejectedRecord]
) -> Callable[[Transaction], ImportOutcome]:
    """The write of one import, to be run in the bank's transaction.

    Args:
        rejected: the records that the filters keep out, by their place in the request.
    """
    rule = Rule(request.rule)
    wanted = [
        (record, _portable(record))
        for at, record in enumerate(request.records)
        if at not in rejected
    ]
    kept_out = list(rejected.values())

    def apply(tx: Transaction) -> ImportOutcome:
        operation_id = order.operation_id
        known = met(tx, order, _OUTCOMES, ImportConflict(operation_id=operation_id))
        if known is not None:
            return known
        if order.has_ended or not order.enabled:
            none = ImportWithoutEffect(
                operation_id=operation_id,
                reason="epoch_ended" if order.has_ended else "disabled",
            )
            return keep(tx, order, none, holds_text=True)
        noted: list[dict[str, Any]] = []
        blocked: list[str] = []
        skipped = 0
        for record, portable in wanted:
            taken = import_memory(tx, portable, rule)
            match taken.fate:
                case Fate.IMPORTED:
                    noted += _mentions(record, taken)
                case Fate.SKIPPED:
                    skipped += 1
                case Fate.BLOCKED:
                    blocked.append(record.memory_id)
        stopped = [one.model_dump() for one in kept_out]
        note(tx, order, noted, rule=rule.value, blocked=blocked, skipped=skipped, rejected=stopped)
        imported = Imported(
            operation_id=operation_id,
            imported=len(wanted) - skipped - len(blocked),
            skipped=skipped,
            blocked=blocked,
            rejected=kept_out,
            epoch=order.epoch,
        )
        return keep(tx, order, imported, holds_text=True)

    return apply


def _mentions(record: Record, taken: Taken) -> list[dict[str, Any]]:
    """What the ledger says of one record that was taken: each of its revisions, the last first."""
    if taken.memory_id is None:
        return []
    # What stood there is overwritten by a revision that is current, whatever the record was.
    lifecycle = Lifecycle.CURRENT if taken.overwritten else record.revisions[-1].lifecycle
    newest = {
        "id": taken.memory_id,
        "revision": taken.revision,
        "lifecycle": lifecycle.value,
        "digest": taken.digest,
    }
    if taken.memory_id != record.memory_id:
        newest["from"] = record.memory_id
    older = [] if taken.overwritten else record.revisions[:-1]
    return [
        newest,
        *(
            {"id": taken.memory_id, "revision": one.revision, "lifecycle": "superseded"}
            for one in older
        ),
    ]


def _portable(record: Record) -> Portable:
    newest = record.revisions[-1]
    return Portable(
        memory_id=record.memory_id,
        origin_id=record.origin_id,
        created_at=microseconds(record.created_at),
        memory=NewMemory(
            kind=record.kind,
            role=record.role,
            provenance=record.provenance,
            text=newest.text,
            speaker=record.speaker,
            confidence=record.confidence,
            importance=record.importance,
            pinned=record.pinned,
            categories=tuple(record.categories),
            labels=tuple(record.labels),
            session_id=record.session_id,
            span=None if record.span is None else (record.span[0], record.span[1]),
            sources=tuple(record.sources),
            extractor=record.extractor,
            policy_fingerprint=record.policy_fingerprint,
            event_time=microseconds(record.event_time),
            valid_from=microseconds(record.valid_from),
            valid_until=microseconds(record.valid_until),
        ),
        revisions=tuple(
            Revision(
                revision=one.revision,
                lifecycle=one.lifecycle,
                text=one.text,
                created_at=microseconds(one.created_at),
                ended_at=microseconds(one.ended_at),
            )
            for one in record.revisions
        ),
        event=_event(record),
    )


def _event(record: Record) -> NewEvent | None:
    event = record.event
    if event is None:
        return None
    return NewEvent(
        stream=event.stream,
        sequence=event.sequence,
        type=event.type,
        hash=None if event.hash is None else bytes.fromhex(event.hash),
        decision=Decision.COMMITTED,
        session_id=record.session_id,
        occurred_at=microseconds(event.occurred_at),
    )


HANDLERS: Final[dict[str, Handler]] = {"export": _export, "import": _import}
