"""The banks that are open: one `OpenBank` a bank id, opened on first use and shared by all calls.

Owns: opening and closing, each bank once at a time, and which idle ones are closed when too many
are open. May not read or write a memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from cognid.protocol.errors import CognidError
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError
from cognid_daemon.bank.view import View
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
    held: OpenBank

    @property
    def bank(self) -> Bank:
        """The bank."""
        return self.held.bank

    @property
    def recaller(self) -> Recaller:
        """Its recall."""
        return self.held.recaller


@dataclass(slots=True)
class _Door:
    """Where calls wait while their bank is being opened."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Banks:
    """All banks of this daemon."""

    def __init__(self, catalog: Catalog, host: EmbedderHost) -> None:
        self._catalog = catalog
        self._host = host
        self._open: dict[str, OpenBank] = {}  # in the order of last use
        self._doors: dict[str, _Door] = {}
        self._opening: dict[str, asyncio.Task[OpenBank]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
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
        """Hold a bank open for one call.

        Suspends only while the bank is being opened, and then lets calls through in the order in
        which they came: writes that arrive in order are submitted in order.

        Raises:
            CognidError: `unknown_bank`, `shutting_down`.
            BankError: why the bank does not open.
        """
        lease = self.lease_now(owner, agent)
        if lease is None:
            record = self.record(owner, agent)
            door = self._doors.setdefault(record.bank_id, _Door())
            door.waiting += 1
            try:
                # A fair lock: calls pass in the order in which they came.
                async with door.lock:
                    if record.bank_id not in self._open:
                        await self._opened(record.bank_id)
                    lease = self._take(record)
            finally:
                door.waiting -= 1
        try:
            yield lease
        finally:
            self.release(lease)

    def lease_now(self, owner: str, agent: str | None) -> Lease | None:
        """Hold a bank open without waiting; `release` ends it. None where the bank is not open, or
        where calls that came before wait at its door: they must not be overtaken.

        Raises:
            CognidError: `unknown_bank`.
        """
        record = self.record(owner, agent)
        door = self._doors.get(record.bank_id)
        if record.bank_id not in self._open or (door is not None and door.waiting):
            return None
        return self._take(record)

    def _take(self, record: BankRecord) -> Lease:
        held = self._open.pop(record.bank_id)
        self._open[record.bank_id] = held
        held.users += 1
        return Lease(record, held)

    def release(self, lease: Lease) -> None:
        """End a lease; once for each."""
        lease.held.users -= 1
        self._close_idle()

    async def _opened(self, bank_id: str) -> OpenBank:
        if self._closed:
            raise CognidError("shutting_down")
        opening = self._opening.get(bank_id)
        if opening is None:
            # A task of its own, owned by this object: one caller that gives up must not undo it.
            opening = asyncio.create_task(self._open_now(bank_id), name=f"open {bank_id}")
            self._opening[bank_id] = opening
            opening.add_done_callback(lambda _: self._opening.pop(bank_id, None))
        return await asyncio.shield(opening)

    async def _open_now(self, bank_id: str) -> OpenBank:
        if bank_id in self._closing:
            await asyncio.wait({self._closing[bank_id]})
        key = self._catalog.bank_key(bank_id)
        bank = await Bank.open(self._catalog.folder(bank_id), bank_id, key, create=False)
        recaller = Recaller(bank, self._host)
        try:
            await self._keep_horizon(bank)
            await recaller.open()
        except BaseException:
            await bank.close()
            raise
        self._open[bank_id] = opened = OpenBank(bank, recaller)
        return opened

    async def _keep_horizon(self, bank: Bank) -> None:
        """Let the catalog know how far the bank's receipts were dropped: a bank file that is older
        than that must not take an operation for new."""
        horizon = await bank.read(lambda connection: View(connection).purge_horizon())
        await self._catalog.raise_purge_horizon(bank.bank_id, horizon)

    def _close_idle(self) -> None:
        for bank_id, held in list(self._open.items()) if len(self._open) > MOST_OPEN else ():
            if len(self._open) > MOST_OPEN and held.users == 0:
                self._close_later(bank_id)

    def _close_later(self, bank_id: str) -> asyncio.Task[None]:
        closing = asyncio.create_task(self._close(self._open.pop(bank_id)), name=f"close {bank_id}")
        self._closing[bank_id] = closing
        closing.add_done_callback(lambda _: self._closing.pop(bank_id, None))
        return closing

    async def _close(self, held: OpenBank) -> None:
        await held.recaller.close()
        with suppress(BankError):  # the next opening tells it again
            await self._keep_horizon(held.bank)
        await held.bank.close()

    async def close(self) -> None:
        """Close every bank; writes that are queued are committed first."""
        self._closed = True
        if self._opening:
            await asyncio.wait(self._opening.values())
        for bank_id in list(self._open):
            self._close_later(bank_id)
        if self._closing:
            await asyncio.wait(self._closing.values())
