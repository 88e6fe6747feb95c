"""The fresh projection that every change of a manager answers with, and its new handle.

Owns: what a projection is made of. It is read after the change, so it shows what it came to.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed
from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    CorrectOutcome,
    CutoffOutcome,
    ForgetOutcome,
    Projection,
    Unaffected,
)
from cognid.protocol.configure import ManagerHandle
from cognid.protocol.errors import CognidError
from cognid.protocol.recall import MemoryView
from cognid.protocol.retention import PinOutcome
from cognid_daemon.bank.errors import BankError
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import MemoryPage, kinds_of, page_of
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.bank.view import View
from cognid_daemon.banks import Lease
from cognid_daemon.catalog_copy import BankRecord
from cognid_daemon.dispatch import Call
from cognid_daemon.operations.memories import memory_view
from cognid_daemon.operations.writing import to_the_end

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

Projected = TypeVar("Projected", CorrectOutcome, ForgetOutcome, CutoffOutcome, PinOutcome)

LATEST_SECONDS: Final = 2.0
"""A change whose own deadline has passed by now still gets its projection within this."""


async def projected(call: Call, request: Addressed, outcome: Projected) -> Projected:
    """An outcome with the bank as it stands after it, where it says something of the bank."""
    if not isinstance(outcome, Changed | AlreadyAbsent | Unaffected):
        return outcome
    projection = await to_the_end(_projection(call, request))
    return outcome.model_copy(update={"projection": projection})


async def _projection(call: Call, request: Addressed) -> Projection | None:
    """The bank as it stands now; None where it cannot be read: the change is done all the same."""
    try:
        latest = max(call.deadline, asyncio.get_running_loop().time() + LATEST_SECONDS)
        async with call.daemon.banks.lease(request.owner, request.agent, latest) as lease:
            return await _read(call, lease)
    except (BankError, CognidError):
        return None


async def _read(call: Call, lease: Lease) -> Projection:
    def read(connection: Connection) -> tuple[MemoryPage, dict[int, Event], dict[str, int]]:
        page = page_of(
            connection,
            Filters(),
            before=None,
            limit=bounds.INSPECT_PAGE_DEFAULT,
            text_bytes=bounds.REPLY_TEXT_BYTES,
        )
        return page, events_of(connection, page.memories), kinds_of(connection)

    latest = asyncio.get_running_loop().time() + LATEST_SECONDS
    with lease.bank.watch() as watch:
        page, events, by_kind = await lease.bank.read(read, deadline=max(call.deadline, latest))
        memories = [
            shown(memory, events)
            for memory in page.memories
            if memory.revision_rowid not in watch.removed
        ]
    return Projection(
        memories=memories,
        total=sum(by_kind.values()),
        by_kind=by_kind,
        epoch=lease.record.epoch,
        enabled=lease.record.enabled,
    )


def events_of(connection: Connection, memories: list[Memory]) -> dict[int, Event]:
    """The events that memories came from, by event_rowid."""
    rowids = [memory.event_rowid for memory in memories if memory.event_rowid is not None]
    return View(connection).events_at(rowids)


def shown(memory: Memory, events: dict[int, Event]) -> MemoryView:
    """A memory with its event, as a caller sees it."""
    return memory_view(memory, events.get(memory.event_rowid or 0))


def new_handle(call: Call, request: Addressed, record: BankRecord) -> ManagerHandle:
    """A manager handle for the bank as it stands in a record."""
    managers = call.connection.managers
    handle, seconds = managers.open(request.owner, request.agent, record.epoch)
    return ManagerHandle(
        handle=handle,
        expires_at=datetime.now(UTC) + timedelta(seconds=seconds),
        epoch=record.epoch,
        enabled=record.enabled,
    )
