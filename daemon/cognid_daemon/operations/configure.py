"""configure.open and memory.inspect (list, get)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cognid.protocol import bounds
from cognid.protocol.configure import (
    ConfigureOpen,
    InspectGet,
    InspectList,
    ManagerHandle,
    NotFound,
    Page,
    Shown,
)
from cognid.protocol.recall import MemoryView
from cognid_daemon.bank.listing import Filters, MemoryPage, count_of, page_of
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.bank.view import View
from cognid_daemon.banks import Lease
from cognid_daemon.cursors import make_cursor, read_cursor
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.operations.memories import memory_view

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _open(call: Call, request: ConfigureOpen) -> ManagerHandle:
    record = call.daemon.banks.record(request.owner, request.agent)
    handle, seconds = call.connection.managers.open(record.bank_id, record.epoch)
    return ManagerHandle(
        handle=handle,
        expires_at=datetime.now(UTC) + timedelta(seconds=seconds),
        epoch=record.epoch,
        enabled=record.enabled,
    )


async def _inspect(call: Call, request: InspectList | InspectGet) -> Page | Shown | NotFound:
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        record = lease.record
        call.connection.managers.check(request.handle, record.bank_id, record.epoch)
        if isinstance(request, InspectGet):
            return await _get(call, request, lease)
        return await _list(call, request, lease)


async def _get(call: Call, request: InspectGet, lease: Lease) -> Shown | NotFound:
    def read(connection: Connection) -> tuple[Memory, Event | None, list[str]] | None:
        view = View(connection)
        memory = view.memory(request.memory_id)
        if memory is None:
            return None
        if memory.event_rowid is None:
            return memory, None, []
        siblings = view.memories_of_event(memory.event_rowid)
        group = [m.memory_id for m in siblings if m.memory_id != memory.memory_id]
        return memory, view.events_at([memory.event_rowid])[memory.event_rowid], group

    found = await lease.bank.read(read, deadline=call.deadline)
    if found is None:
        return NotFound(memory_id=request.memory_id, epoch=lease.record.epoch)
    memory, event, group = found
    return Shown(memory=memory_view(memory, event), group=group, epoch=lease.record.epoch)


async def _list(call: Call, request: InspectList, lease: Lease) -> Page:
    record = lease.record
    kinds = None if request.kinds is None else tuple(sorted(set(request.kinds)))
    filters = Filters(kinds, request.session_id)
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
        rowids = [m.event_rowid for m in page.memories if m.event_rowid is not None]
        return page, View(connection).events_at(rowids), count_of(connection, filters)

    page, events, total = await lease.bank.read(read, deadline=call.deadline)
    cursor = None
    if page.more:
        last = page.memories[-1].memory_rowid
        cursor = make_cursor(last, record.bank_id, record.epoch, asdict(filters))
    return Page(
        memories=[_show(memory, events) for memory in page.memories],
        total=total,
        cursor=cursor,
        epoch=record.epoch,
    )


def _show(memory: Memory, events: dict[int, Event]) -> MemoryView:
    return memory_view(memory, events.get(memory.event_rowid or 0))


HANDLERS: Final[dict[str, Handler]] = {"configure.open": _open, "memory.inspect": _inspect}
