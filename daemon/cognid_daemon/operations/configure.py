"""configure.open and memory.inspect (list, get, history, recent)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, assert_never

from cognid.protocol import bounds
from cognid.protocol.configure import (
    ConfigureOpen,
    ForgottenMemory,
    History,
    HistoryEntry,
    InspectGet,
    InspectHistory,
    InspectList,
    InspectRecent,
    ManagerHandle,
    MemoryFilters,
    NotFound,
    Page,
    Recently,
    RevisionView,
    Shown,
)
from cognid.protocol.values import Lifecycle
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import MemoryPage, count_of, page_of
from cognid_daemon.bank.rows import Barrier, Event, Memory, Noted, Revision
from cognid_daemon.bank.view import View
from cognid_daemon.banks import Lease
from cognid_daemon.cursors import make_cursor, read_cursor
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.instants import instant_of, microseconds
from cognid_daemon.operations.memories import memory_view
from cognid_daemon.operations.projections import events_of, new_handle, shown
from cognid_daemon.operations.reading import read_kept
from cognid_daemon.operations.recent import recently

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _open(call: Call, request: ConfigureOpen) -> ManagerHandle:
    record = call.daemon.banks.record(request.owner, request.agent)
    return new_handle(call, request, record)


async def _inspect(
    call: Call, request: InspectList | InspectGet | InspectHistory | InspectRecent
) -> Page | Shown | History | Recently | ForgottenMemory | NotFound:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        call.connection.managers.check(
            request.handle, request.owner, request.agent, lease.record.epoch
        )
        match request:
            case InspectGet():
                return await _get(call, request, lease)
            case InspectHistory():
                return await _history(call, request, lease)
            case InspectList():
                return await _list(call, request, lease)
            case InspectRecent():
                return await recently(call, request, lease)
            case _:
                assert_never(request)


async def _get(call: Call, request: InspectGet, lease: Lease) -> Shown | ForgottenMemory | NotFound:
    def read(
        connection: Connection,
    ) -> tuple[Memory, Event | None, list[Revision], list[str]] | Barrier | None:
        view = View(connection)
        memory = view.memory(request.memory_id)
        if memory is None:
            return view.barrier(request.memory_id)
        revisions = view.revisions_of(memory.memory_id)
        if memory.event_rowid is None:
            return memory, None, revisions, []
        siblings = view.memories_of_event(memory.event_rowid)
        group = [m.memory_id for m in siblings if m.memory_id != memory.memory_id]
        return memory, view.events_at([memory.event_rowid])[memory.event_rowid], revisions, group

    found, removed = await read_kept(lease, read, call.deadline)
    if isinstance(found, tuple) and found[0].revision_rowid in removed:
        # Corrected after the snapshot: look again.
        found, _ = await read_kept(lease, read, call.deadline)
    epoch = lease.record.epoch
    if found is None:
        return NotFound(memory_id=request.memory_id, epoch=epoch)
    if isinstance(found, Barrier):
        return ForgottenMemory(
            memory_id=found.memory_id,
            forgotten_at=instant_of(found.forgotten_at),
            erased=found.erased_at is not None,
            epoch=epoch,
        )
    memory, event, revisions, group = found
    return Shown(
        memory=memory_view(memory, event),
        origin_id=memory.origin_id,
        revisions=[
            RevisionView(
                revision=one.revision,
                lifecycle=one.lifecycle,
                created_at=instant_of(one.created_at),
                ended_at=instant_of(one.ended_at),
            )
            for one in revisions
        ],
        group=group,
        epoch=epoch,
    )


async def _list(call: Call, request: InspectList, lease: Lease) -> Page:
    record = lease.record
    filters = filters_of(request)
    before = None
    if request.cursor is not None:
        before = read_cursor(request.cursor, record.bank_id, record.epoch, asdict(filters))

    def read(connection: Connection) -> tuple[MemoryPage, dict[int, Event], int]:
        page = page_of(
            connection,
            filters,
            before=before,
            limit=request.limit,
            text_bytes=bounds.REPLY_TEXT_BYTES,
        )
        return page, events_of(connection, page.memories), count_of(connection, filters)

    (page, events, total), removed = await read_kept(lease, read, call.deadline)
    gone = removed.intersection(m.revision_rowid for m in page.memories)
    cursor = None
    if page.more:
        last = page.memories[-1].memory_rowid
        cursor = make_cursor(last, record.bank_id, record.epoch, asdict(filters))
    return Page(
        memories=[shown(m, events) for m in page.memories if m.revision_rowid not in gone],
        total=total - len(gone),
        cursor=cursor,
        epoch=record.epoch,
    )


def filters_of(request: MemoryFilters) -> Filters:
    """What a request filters by, as the bank takes it."""
    return Filters(
        kinds=None if request.kinds is None else tuple(sorted(set(request.kinds))),
        session_id=request.session_id,
        lifecycles=None if request.lifecycles is None else tuple(sorted(set(request.lifecycles))),
        provenances=(
            None if request.provenances is None else tuple(sorted(set(request.provenances)))
        ),
        labels=tuple(sorted(set(request.labels))) or None,
        since=microseconds(request.since),
        until=microseconds(request.until),
        text=request.text,
        uncovered=request.uncovered,
    )


async def _history(call: Call, request: InspectHistory, lease: Lease) -> History | NotFound:
    record = lease.record
    listing = {"history": request.memory_id}
    after = 0
    if request.cursor is not None:
        after = read_cursor(request.cursor, record.bank_id, record.epoch, listing)

    def read(
        connection: Connection,
    ) -> tuple[Lifecycle | None, list[Revision], list[Noted]]:
        view = View(connection)
        memory = view.memory(request.memory_id)
        if memory is not None:
            lifecycle: Lifecycle | None = memory.lifecycle
        else:
            barred = view.barrier(request.memory_id) is not None
            lifecycle = Lifecycle.FORGOTTEN if barred else None
        revisions = view.revisions_of(request.memory_id)
        return lifecycle, revisions, view.ledger_of(request.memory_id)

    (lifecycle, revisions, noted), removed = await read_kept(lease, read, call.deadline)
    if removed:  # perhaps of this memory
        (lifecycle, revisions, noted), _ = await read_kept(lease, read, call.deadline)
    if lifecycle is None:
        return NotFound(memory_id=request.memory_id, epoch=record.epoch)
    names = {grant.credential_id: grant.name for grant in call.daemon.grants.all()}
    entries, last = _page_of_history(request, revisions, noted, names, after)
    more = last is not None and last != noted[-1].sequence
    return History(
        memory_id=request.memory_id,
        lifecycle=lifecycle,
        entries=entries,
        cursor=make_cursor(last, record.bank_id, record.epoch, listing) if last and more else None,
        epoch=record.epoch,
    )


def _page_of_history(
    request: InspectHistory,
    revisions: list[Revision],
    noted: list[Noted],
    names: dict[str, str],
    after: int,
) -> tuple[list[HistoryEntry], int | None]:
    """The entries of one page, and the ledger's sequence of the last of them.

    A revision's text stands beside the first entry that names it.
    """
    by_number = {one.revision: one for one in revisions}
    told: set[int] = set()
    entries: list[HistoryEntry] = []
    last: int | None = None
    size = taken = 0
    for one in noted:
        body = json.loads(one.body)
        mentions = [m for m in body.pop("memories", ()) if m.get("id") == request.memory_id]
        made: list[HistoryEntry] = []
        for mention in mentions:
            number = mention.get("revision")
            revision = None if number in told else by_number.get(number)
            told.add(number)
            made.append(_entry(one, mention, body, revision, names))
        if one.sequence <= after:
            continue
        size += sum(len((entry.text or "").encode()) for entry in made)
        if taken == request.limit or (entries and size > bounds.REPLY_TEXT_BYTES):
            break
        entries += made
        taken += 1
        last = one.sequence
    return entries, last


def _entry(
    noted: Noted,
    mention: dict[str, Any],
    body: dict[str, Any],
    revision: Revision | None,
    names: dict[str, str],
) -> HistoryEntry:
    rest = {name: mention[name] for name in mention.keys() - {"id", "revision", "lifecycle"}}
    return HistoryEntry(
        sequence=noted.sequence,
        at=instant_of(noted.at),
        operation=noted.operation,
        operation_id=noted.operation_id,
        authority=noted.authority,
        authority_name=names.get(noted.authority),
        policy_fingerprint=noted.policy_fingerprint,
        revision=mention.get("revision"),
        lifecycle=mention.get("lifecycle"),
        text=None if revision is None else revision.text,
        ended_at=None if revision is None else instant_of(revision.ended_at),
        details={**body, **rest},
    )


HANDLERS: Final[dict[str, Handler]] = {"configure.open": _open, "memory.inspect": _inspect}
