"""The banks that are open: one `OpenBank` a bank id, opened on first use and shared by all calls.

Owns: opening and closing, each bank once at a time, which idle ones are closed when too many are
open, and the order of bank and catalog in a forget, a switch and a wipe. May not read or write a
memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

from cognid.protocol.errors import CognidError
from cognid.protocol.ids import new_epoch
from cognid_daemon.agreement import agree, to_be_told
from cognid_daemon.ballast import Ballast
from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, DeadlineError, StorageFailedError, StorageFullError
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.rows import Barrier
from cognid_daemon.bank.view import View
from cognid_daemon.catalog import Catalog
from cognid_daemon.catalog_copy import BankRecord, Cutoff, Switch, Wipe
from cognid_daemon.leases import Door, OpenBank
from cognid_daemon.leases import Lease as Lease  # everybody who takes one has it from here
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.recaller import Recaller
from cognid_daemon.wipe import carry_on

T = TypeVar("T")

MOST_OPEN: Final = 64
"""Open banks above which idle ones are closed, the longest unused first; one that has to erase yet
is open until twice as many are. An open bank holds three threads and its vectors."""


LEAVE_SECONDS: Final = 1.0
"""How long a wipe waits for the calls that are at work in the bank."""
AGAIN_SECONDS: Final = 60.0
"""Between two tries to destroy what is left of a bank whose successor is there."""


class Banks:
    """All banks of this daemon."""

    def __init__(self, catalog: Catalog, host: EmbedderHost, keeping: Keeping = KEEP_ALL) -> None:
        self._catalog = catalog
        self._host = host
        self._keeping = keeping
        self._open: dict[str, OpenBank] = {}  # in the order of last use
        self._doors: dict[str, Door] = {}
        self._opening: dict[str, asyncio.Task[OpenBank]] = {}
        self._unopened: dict[str, str] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._finishing: dict[str, asyncio.Task[None]] = {}
        self._again: dict[str, float] = {}  # when a wipe that failed is tried again
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ballast = Ballast(catalog.data_folder)
        self._closed = False

    async def start(self) -> None:
        """Carry on the wipes that were cut short, and see that the ballast is there.

        A wipe that the disk stops is tried again when its bank is asked for, and at the next start.
        """
        for wipe in self._catalog.wipes():
            with suppress(BankError, OSError):
                await carry_on(self._catalog, wipe)
        await asyncio.to_thread(self._ballast.keep)

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

    def is_wiping(self, bank_id: str) -> bool:
        """Whether what a wipe put this bank in the place of is still being destroyed."""
        return any(bank_id == wipe.new_bank_id for wipe in self._catalog.wipes())

    def open_banks(self) -> list[OpenBank]:
        """The banks that are open now."""
        return list(self._open.values())

    def unopened(self) -> dict[str, str]:
        """The banks that did not open when they were last asked for, with the error's code."""
        known = {record.bank_id for record in self.records()}
        return {bank_id: code for bank_id, code in self._unopened.items() if bank_id in known}

    async def ensure(
        self, owner: str, agent: str | None, *, enabled: bool
    ) -> tuple[BankRecord, bool]:
        """Make a bank if there is none; tells whether it was made."""
        return await self._catalog.ensure_bank(owner, agent, enabled=enabled)

    @asynccontextmanager
    async def lease(
        self, owner: str, agent: str | None, deadline: float | None = None
    ) -> AsyncIterator[Lease]:
        """Hold a bank open for one call.

        Suspends only while the bank is being opened, and then lets calls through in the order in
        which they came: writes that arrive in order are submitted in order.

        Args:
            deadline: in seconds of the loop's clock; the opening goes on without who waits for it.

        Raises:
            CognidError: `unknown_bank`, `shutting_down`.
            DeadlineError: the bank is not open by the deadline.
            BankError: why the bank does not open.
        """
        lease = self.lease_now(owner, agent)
        if lease is None:
            try:
                async with asyncio.timeout_at(deadline):
                    lease = await self._wait(owner, agent)
            except TimeoutError:
                raise DeadlineError("the bank is not open yet") from None
        try:
            yield lease
        finally:
            self.release(lease)

    async def _wait(self, owner: str, agent: str | None) -> Lease:
        """Hold a bank open once it is this call's turn."""
        door, record = await self._enter(owner, agent)
        try:
            await self._use(record.bank_id)
            lease = self._take(record)
            try:
                with suppress(BankError):  # a recall works all the same
                    await lease.held.tell_switch()
            except BaseException:
                self.release(lease)
                raise
            return lease
        finally:
            door.release()

    def lease_now(self, owner: str, agent: str | None) -> Lease | None:
        """Hold a bank open without waiting; `release` ends it. None where it is not open, lacks the
        receipt of a switch, or calls that came before wait at its door: they go first.

        Raises:
            CognidError: `unknown_bank`.
        """
        record = self.record(owner, agent)
        door = self._doors.get(record.bank_id)
        held = self._open.get(record.bank_id)
        if held is None or held.switch or (door is not None and not door.is_free):
            return None
        if self._catalog.wipes():
            return None  # perhaps of this bank: `lease` looks
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

    async def _enter(self, owner: str, agent: str | None) -> tuple[asyncio.Lock, BankRecord]:
        """Hold a bank's door: nobody else comes in until it is released."""
        while True:
            record = self.record(owner, agent)
            # A fair lock: who comes while others wait at it stands behind them, even when the bank
            # is open by then. Nobody waits at it for anything but an opening or a cutoff.
            door = self._doors.setdefault(record.bank_id, Door())
            door.waiting += 1
            try:
                await door.lock.acquire()
            finally:
                door.waiting -= 1
            try:
                await self._resume(record.bank_id)
                now = self.record(owner, agent)
            except BaseException:
                door.lock.release()
                raise
            if now.bank_id == record.bank_id:
                return door.lock, now
            door.lock.release()  # it was wiped meanwhile

    async def _resume(self, bank_id: str) -> None:
        """Carry on the wipe that the disk stopped, if there is one of this bank. One that has put
        this bank in the old one's place goes on beside, now and then: nobody waits for that."""
        now = asyncio.get_running_loop().time()
        for wipe in self._catalog.wipes():
            if wipe.old_bank_id == bank_id:
                await asyncio.shield(self._finish(wipe))
            elif wipe.new_bank_id == bank_id and now >= self._again.get(wipe.old_bank_id, 0.0):
                self._finish(wipe)

    async def _use(self, bank_id: str) -> OpenBank:
        """The open bank, as the last one used. At its door only."""
        while (held := self._open.pop(bank_id, None)) is None:
            await self._opened(bank_id)  # and it may be closed as idle before this goes on
        self._open[bank_id] = held
        return held

    async def _opened(self, bank_id: str) -> OpenBank:
        if self._closed:
            raise CognidError("shutting_down")
        opening = self._opening.get(bank_id)
        if opening is None:
            # A task of its own, owned by this object: one caller that gives up must not undo it.
            opening = asyncio.create_task(self._open_now(bank_id), name=f"open {bank_id}")
            self._opening[bank_id] = opening
            opening.add_done_callback(partial(self._was_opened, bank_id))
        return await asyncio.shield(opening)

    def _was_opened(self, bank_id: str, opening: asyncio.Task[OpenBank]) -> None:
        self._opening.pop(bank_id, None)
        self._unopened.pop(bank_id, None)
        if not opening.cancelled() and isinstance(fault := opening.exception(), BankError):
            self._unopened[bank_id] = fault.code

    async def _open_now(self, bank_id: str) -> OpenBank:
        if bank_id in self._closing:
            await asyncio.wait({self._closing[bank_id]})
        key = self._catalog.bank_key(bank_id)
        folder = self._catalog.folder(bank_id)
        bank = await Bank.open(folder, bank_id, key, create=False, keeping=self._keeping)
        bank.fence.epoch = self._catalog.record_of(bank_id).epoch
        bank.eraser.erased = self._keep_ballast
        recaller = Recaller(bank, self._host)
        try:
            rolled_back, told = await agree(self._catalog, bank, self.with_ballast)
            with suppress(StorageFullError, StorageFailedError):  # it is told again at its closing
                await self._keep_horizon(bank)
            await bank.sweeper.look()
            await recaller.open()
        except BaseException:
            await bank.close()
            raise
        self._open[bank_id] = opened = OpenBank(bank, recaller, rolled_back, int(not told))
        bank.sweeper.start(partial(self._swept, bank))
        return opened

    async def _keep_horizon(self, bank: Bank) -> None:
        """Let the catalog know how far the bank's receipts were dropped: a bank file that is older
        than that must not take an operation for new."""
        horizon = await bank.read(lambda connection: View(connection).purge_horizon())
        await self._catalog.raise_purge_horizon(bank.bank_id, horizon)

    async def forgotten(self, lease: Lease, barriers: Sequence[Barrier]) -> bool:
        """What follows the COMMIT of a forget, before it is answered: no older snapshot is read any
        more, WAL and copies hold nothing of it, and the catalog knows the barriers.

        Goes on to its end even if the caller gives up.

        Returns:
            Whether its bytes are gone from every file; else the VACUUM is owed.

        Raises:
            BankError: the catalog could not be written (`effect` unknown); the next forget or
                opening makes up for it.
        """
        return await asyncio.shield(self._own(self._forgotten(lease.bank, barriers), "forgotten"))

    async def _swept(self, bank: Bank, barriers: Sequence[Barrier]) -> None:
        """The same for what retention has erased."""
        await asyncio.shield(self._own(self._forgotten(bank, barriers), "swept"))

    async def _forgotten(self, bank: Bank, barriers: Sequence[Barrier]) -> bool:
        held = self._open.get(bank.bank_id)
        with suppress(BankError):  # the VACUUM that is owed does it again
            await bank.eraser.scrub()
        untold = 0 if held is None else held.untold
        behind = held is not None and held.behind
        try:
            # By the writer: nobody's reads are before it, and it is not one too many of them.
            look = partial(to_be_told, barriers=barriers, everything=behind)
            told, head, erased = await bank.alone(look)
            await self.with_ballast(
                lambda: self._catalog.remember_forgotten(bank.bank_id, told, head)
            )
        except BankError as fault:
            if held is not None:
                held.untold += 1
            raise type(fault)(fault.detail, effect="unknown") from None
        if held is not None:
            held.told = max(held.told, untold)  # not what another could not tell meanwhile
        return erased

    async def with_ballast(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do what must work on a full disk: once more without the ballast, if there is no room."""
        try:
            return await work()
        except StorageFullError as fault:
            if fault.effect != "none" or not await asyncio.to_thread(self._ballast.give_up):
                raise
        return await work()

    def _keep_ballast(self) -> None:
        self._own(asyncio.to_thread(self._ballast.keep), "ballast")

    async def set_enabled(
        self, owner: str, agent: str | None, cutoff: Cutoff, *, enabled: bool
    ) -> BankRecord:
        """Switch a bank: a new epoch begins, and what was begun in the old one has no effect.

        Call it without a lease. Goes on to its end even if the caller gives up.

        Raises:
            BankError: with the effect `none`, nothing was switched; else the cutoff may hold.
        """
        door, record = await self._enter(owner, agent)
        switching = self._switch(door, record, cutoff, enabled=enabled)
        return await asyncio.shield(self._own(switching, f"switch {record.bank_id}"))

    async def _switch(
        self, door: asyncio.Lock, record: BankRecord, cutoff: Cutoff, *, enabled: bool
    ) -> BankRecord:
        held: OpenBank | None = None
        try:
            held = await self._use(record.bank_id)
            held.users += 1
            epoch = new_epoch()
            switch = Switch(epoch, enabled, cutoff)
            # From here on no write of the old epoch is admitted; those before it are in the queue
            # before the receipt, so that they are settled when this is answered.
            held.bank.fence.epoch = epoch
            try:
                switched = await self.with_ballast(
                    lambda: self._catalog.begin_epoch(record.bank_id, switch)
                )
            finally:
                # Where only the catalog's second copy failed, it is made.
                held.bank.fence.epoch = self._catalog.record_of(record.bank_id).epoch
                held.switch = switch if held.bank.fence.epoch == epoch else held.switch
            try:
                await held.tell_switch()
            except BankError as fault:
                raise type(fault)(fault.detail, effect="unknown") from None
            return switched
        finally:
            if held is not None:
                held.users -= 1
            door.release()

    async def delete_all(
        self, owner: str, agent: str | None, cutoff: Cutoff, *, deadline: float
    ) -> tuple[BankRecord, bool]:
        """Wipe a bank. Call it without a lease; it goes on to its end even if the caller gives up.

        Args:
            deadline: in seconds of the loop's clock, for the answer.

        Returns:
            The record, and whether all is destroyed; else the cutoff holds and the rest goes on,
            or is taken up again when the bank is asked for and at the next start.

        Raises:
            BankError: the cutoff could not be made; nothing happened.
        """
        door, record = await self._enter(owner, agent)
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wiping = self._own(self._wipe(door, record, cutoff, begun), f"wipe {record.bank_id}")
        await asyncio.wait({wiping, begun}, return_when=asyncio.FIRST_COMPLETED)
        left = max(0.0, deadline - asyncio.get_running_loop().time())
        await asyncio.wait({wiping}, timeout=left)
        done = False
        if wiping.done():
            try:
                await wiping
                done = True
            except (BankError, OSError):
                if not begun.done():
                    raise
        return self.record(owner, agent), done

    async def _wipe(
        self,
        door: asyncio.Lock,
        record: BankRecord,
        cutoff: Cutoff,
        begun: asyncio.Future[None],
    ) -> None:
        """The door stays shut until the bank's successor is there."""
        try:
            epoch = new_epoch()
            held = self._open.get(record.bank_id)
            if held is not None:
                held.bank.fence.epoch = epoch
            try:
                wipe = await self.with_ballast(
                    lambda: self._catalog.begin_wipe(record.bank_id, epoch, cutoff)
                )
            except BaseException:
                if held is not None:
                    held.bank.fence.epoch = self._catalog.record_of(record.bank_id).epoch
                raise
            begun.set_result(None)
            await self._finish(wipe)
        finally:
            door.release()

    def _finish(self, wipe: Wipe) -> asyncio.Task[None]:
        """The one task that carries a wipe to its end: who gives up waiting at the door must not
        leave half a step behind for the next one to run into."""
        old = wipe.old_bank_id
        finishing = self._finishing.get(old)
        if finishing is None:
            finishing = self._own(self._finish_wipe(wipe), f"finish {old}")
            self._finishing[old] = finishing
            finishing.add_done_callback(partial(self._has_finished, old))
        return finishing

    def _has_finished(self, old: str, finishing: asyncio.Task[None]) -> None:
        self._finishing.pop(old, None)
        self._again.pop(old, None)
        if finishing.cancelled() or finishing.exception() is not None:
            self._again[old] = asyncio.get_running_loop().time() + AGAIN_SECONDS

    async def _finish_wipe(self, wipe: Wipe) -> None:
        if wipe.old_bank_id in self._opening:  # for a caller that has given up
            await asyncio.wait({self._opening[wipe.old_bank_id]})
        held = self._open.get(wipe.old_bank_id)
        if held is not None:
            held.bank.fence.epoch = wipe.epoch
            loop = asyncio.get_running_loop()
            until = loop.time() + LEAVE_SECONDS
            while held.users and loop.time() < until:  # noqa: ASYNC110 # a second, once in a life
                await asyncio.sleep(0.005)
            if self._open.get(wipe.old_bank_id) is held:
                self._close_later(wipe.old_bank_id)
        if wipe.old_bank_id in self._closing:
            await asyncio.wait({self._closing[wipe.old_bank_id]})
        await self.with_ballast(lambda: carry_on(self._catalog, wipe))

    def _own(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Do something that must come to its end, whoever waits for it; `close` awaits it."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # known to whoever waits; if nobody does, the next opening mends it

    def _close_idle(self) -> None:
        for bank_id, held in list(self._open.items()) if len(self._open) > MOST_OPEN else ():
            # What was forgotten in it is erased while it is open, and who opens it again?
            stays = held.bank.eraser.may_owe and len(self._open) <= 2 * MOST_OPEN
            if len(self._open) > MOST_OPEN and held.users == 0 and not stays:
                self._close_later(bank_id)

    def _close_later(self, bank_id: str) -> asyncio.Task[None]:
        closing = asyncio.create_task(self._close(self._open.pop(bank_id)), name=f"close {bank_id}")
        self._closing[bank_id] = closing
        closing.add_done_callback(lambda _: self._closing.pop(bank_id, None))
        return closing

    async def _close(self, held: OpenBank) -> None:
        await held.bank.sweeper.close()
        await held.recaller.close()
        with suppress(BankError):  # the next opening tells it again
            await self._keep_horizon(held.bank)
            bank = held.bank
            barriers: Sequence[Barrier] = ()
            if held.behind:
                barriers = await bank.read(lambda connection: View(connection).barriers())
            head = await bank.read(ledger.head)
            await self._catalog.remember_forgotten(bank.bank_id, barriers, head)
        await held.bank.close()

    async def close(self) -> None:
        """Close every bank; writes that are queued are committed first."""
        self._closed = True
        if self._tasks:
            await asyncio.wait(set(self._tasks))
        if self._opening:
            await asyncio.wait(self._opening.values())
        for bank_id in list(self._open):
            self._close_later(bank_id)
        if self._closing:
            await asyncio.wait(self._closing.values())
