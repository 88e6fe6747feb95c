"""The banks that are open: one `OpenBank` a bank id, opened on first use and shared by all calls.

Owns: opening and closing, each bank once at a time, and which idle ones are closed when too many
are open. May not read or write a memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from cognid.protocol.errors import CognidError
from cognid_daemon.bank.bank import Bank
from cognid_daemon.catalog import Catalog
from cognid_daemon.catalog_copy import BankRecord
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.recaller import Recaller

MOST_OPEN: Final = 64
"""Open banks above which idle ones are closed, the longest unused first. An open bank holds three
threads and its vectors."""


@dataclass(slots=True)
class OpenBank:
    """One open bank with its recall; `users` calls are at work in it."""

    bank: Bank
    recaller: Recaller
    users: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """A bank for the length of one call, and its record as it stood when the call began."""

    record: BankRecord
    bank: Bank
    recaller: Recaller


class Banks:
    """All banks of this daemon."""

    def __init__(self, catalog: Catalog, host: EmbedderHost) -> None:
        self._catalog = catalog
        self._host = host
        self._open: dict[str, OpenBank] = {}  # in the order of last use
        self._opening: dict[str, asyncio.Task[OpenBank]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def record(self, owner: str, agent: str | None) -> BankRecord:
        """The catalog's record of a bank.

        Raises:
            CognidError: `unknown_bank`.
        """
        record = self._catalog.find(owner, agent)
        if record is None:
            raise CognidError("unknown_bank")
        return record

    def records(self) -> list[BankRecord]:
        """All banks, in the order they were made."""
        return self._catalog.banks()

    def open_banks(self) -> list[OpenBank]:
        """The banks that are open now."""
        return list(self._open.values())

    async def ensure(
        self, owner: str, agent: str | None, *, enabled: bool
    ) -> tuple[BankRecord, bool]:
        """Make a bank if there is none; tells whether it was made."""
        return await self._catalog.ensure_bank(owner, agent, enabled=enabled)

    @asynccontextmanager
    async def lease(self, owner: str, agent: str | None) -> AsyncIterator[Lease]:
        """Hold a bank open for one call. Suspends only while the bank is being opened, so that
        calls which arrive in order submit their writes in order.

        Raises:
            CognidError: `unknown_bank`, `shutting_down`.
            BankError: why the bank does not open.
        """
        record = self.record(owner, agent)
        held = self._open.pop(record.bank_id, None)
        if held is None:
            held = await self._opened(record)
            self._open.pop(record.bank_id, None)
        self._open[record.bank_id] = held
        held.users += 1
        try:
            yield Lease(record, held.bank, held.recaller)
        finally:
            held.users -= 1
            self._close_idle()

    async def _opened(self, record: BankRecord) -> OpenBank:
        if self._closed:
            raise CognidError("shutting_down")
        opening = self._opening.get(record.bank_id)
        if opening is None:
            # A task of its own, owned by this object: one caller that gives up must not undo it.
            opening = asyncio.create_task(self._open_now(record))
            self._opening[record.bank_id] = opening
            opening.add_done_callback(lambda _: self._opening.pop(record.bank_id, None))
        return await asyncio.shield(opening)

    async def _open_now(self, record: BankRecord) -> OpenBank:
        bank_id = record.bank_id
        for closing in tuple(self._closing):
            if closing.get_name() == bank_id:
                await asyncio.wait({closing})
        key = self._catalog.bank_key(bank_id)
        bank = await Bank.open(self._catalog.folder(bank_id), bank_id, key, create=False)
        recaller = Recaller(bank, self._host)
        try:
            await recaller.open()
        except BaseException:
            await bank.close()
            raise
        opened = OpenBank(bank, recaller)
        self._open[bank_id] = opened
        return opened

    def _close_idle(self) -> None:
        if len(self._open) <= MOST_OPEN:
            return
        for bank_id, held in list(self._open.items()):
            if len(self._open) <= MOST_OPEN:
                return
            if held.users == 0:
                del self._open[bank_id]
                closing = asyncio.create_task(_close(held), name=bank_id)
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close every bank; writes that are queued are committed first."""
        self._closed = True
        if self._opening:
            await asyncio.wait(self._opening.values())
        async with asyncio.TaskGroup() as group:
            for held in self._open.values():
                group.create_task(_close(held))
        if self._closing:
            await asyncio.wait(self._closing)
        self._open.clear()


async def _close(held: OpenBank) -> None:
    await held.recaller.close()
    await held.bank.close()
