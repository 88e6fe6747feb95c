"""Switching a bank and wiping it: epochs, what is carried over, what is destroyed, and crashes."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sqlcipher3 import dbapi2
from support.bank_room import remembering
from support.banks_room import AGENT, MASTER, OWNER, BanksRoom, Snapshots, banks_room, cutoff
from support.pages_of import PAGE_BYTES, clear_bytes, clear_wal

from cognid.protocol.ids import new_operation_id
from cognid_daemon import banks, catalog_file, wipe
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import StorageFailedError, StorageFullError
from cognid_daemon.bank.keys import Use, derive
from cognid_daemon.bank.view import View
from cognid_daemon.catalog_copy import BankRecord

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _wipe(room: BanksRoom) -> None:
    deadline = asyncio.get_running_loop().time() + 10
    record, done = await room.banks.delete_all(
        OWNER, AGENT, cutoff("bank.delete_all"), deadline=deadline
    )
    assert done
    assert record == room.banks.record(OWNER, AGENT)


async def test_a_switch_begins_an_epoch_and_leaves_its_receipt(tmp_path: Path) -> None:
    """The record changes at once, the lease of before has ended, the bank has the receipt."""
    async with banks_room(tmp_path / "data") as room:
        before = room.banks.record(OWNER, AGENT)
        asked = cutoff("bank.set_enabled")
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert not lease.has_ended
            switched = await room.banks.set_enabled(OWNER, AGENT, asked, enabled=False)
            assert lease.has_ended
        assert switched == room.banks.record(OWNER, AGENT)
        assert (switched.enabled, switched.epoch == before.epoch) == (False, False)
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert not lease.has_ended
            receipt = await lease.bank.read(lambda c: View(c).receipt(asked.operation_id))
            assert receipt is not None
            assert json.loads(receipt.outcome) == {
                "outcome": "committed",
                "affected": [],
                "epoch": switched.epoch,
                "enabled": False,
            }
    async with banks_room(tmp_path / "data") as room:
        assert room.banks.record(OWNER, AGENT) == switched


async def test_a_switch_that_a_crash_cut_short_is_told_as_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the catalog's commit and the bank's receipt: `operation.resolve` must not take
    for one that never arrived what has switched the bank off."""
    data = tmp_path / "data"
    snapshots = Snapshots(data, tmp_path / "crashed")
    asked = cutoff("bank.set_enabled")
    async with banks_room(data) as room:
        await room.add("Stays.", 1)
        snapshots.around(monkeypatch, room.catalog, "begin_epoch")
        await room.banks.set_enabled(OWNER, AGENT, asked, enabled=False)
    before, after = snapshots.taken.values()
    for folder, switched in ((before, False), (after, True), (data, True)):
        for _ in range(2):
            async with banks_room(folder) as room, room.banks.lease(OWNER, AGENT) as lease:
                assert lease.record.enabled is not switched
                assert not lease.rolled_back
                receipt = await lease.bank.read(lambda c: View(c).receipt(asked.operation_id))
                assert (receipt is not None) is switched
                noted = await lease.bank.read(lambda c: View(c).ledger_end(10))
                operations = [one.operation for one in noted]
                assert operations.count("bank.set_enabled") == int(switched)


async def test_a_bank_is_not_closed_as_idle_while_it_is_switched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are in use, and one of their calls ends meanwhile: the switch has its receipt."""
    monkeypatch.setattr(banks, "MOST_OPEN", 1)
    asked = cutoff("bank.set_enabled")
    async with banks_room(tmp_path / "data") as room:
        await room.banks.ensure(OWNER, "eva", enabled=True)
        begin = room.catalog.begin_epoch
        async with room.banks.lease(OWNER, AGENT):
            ending = room.banks.lease_now(OWNER, AGENT)
            assert ending is not None

            async def slowly(*record: Any, **more: Any) -> BankRecord:
                room.banks.release(ending)
                await asyncio.sleep(0.3)
                return await begin(*record, **more)

            monkeypatch.setattr(room.catalog, "begin_epoch", slowly)
            switched = await room.banks.set_enabled(OWNER, "eva", asked, enabled=False)
        assert not switched.enabled
        async with room.banks.lease(OWNER, "eva") as lease:
            receipt = await lease.bank.read(lambda c: View(c).receipt(asked.operation_id))
            assert receipt is not None


async def test_a_wipe_leaves_operations_streams_and_barriers(tmp_path: Path) -> None:
    """The new bank knows which operations there were, how far the stream had come and what was
    forgotten before, and not a word else."""
    async with banks_room(tmp_path / "data") as room:
        first = await room.add("The lamp code is amber-sky.", 1)
        operation = new_operation_id()
        async with room.banks.lease(OWNER, AGENT) as lease:
            write = remembering("Wiped.", sequence=7, operation_id=operation)
            await lease.bank.submit(write).outcome()
        await room.forget(first.memory_id)
        before = room.banks.record(OWNER, AGENT)
        await _wipe(room)
        after = room.banks.record(OWNER, AGENT)
        assert after.bank_id != before.bank_id
        assert after.epoch != before.epoch
        assert after.enabled
        assert await room.texts() == []
        async with room.banks.lease(OWNER, AGENT) as lease:
            receipt = await lease.bank.read(lambda c: View(c).receipt(operation))
            assert receipt is not None
            assert receipt.digest is None
            assert json.loads(receipt.outcome) == {
                "outcome": "no_effect",
                "reason": "before_cutoff",
                "was": "committed",
            }
            assert await lease.bank.read(lambda c: View(c).frontier("s")) == 7
            assert await lease.bank.read(lambda c: View(c).cutoff("s")) == 7
            assert await lease.bank.read(
                lambda c: View(c).is_barred(first.memory_id, first.memory_id)
            )
            assert (await check(lease.bank)).sound
            assert not lease.rolled_back
    async with banks_room(tmp_path / "data") as room, room.banks.lease(OWNER, AGENT) as lease:
        assert not lease.rolled_back


async def test_a_wipe_destroys_the_key(tmp_path: Path) -> None:
    """The old file is gone, and its wrapped key stands in no page of the catalog, free or not."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
        old = room.bank_file
        entry = room.catalog._entries[room.banks.record(OWNER, AGENT).bank_id]
        key = derive(MASTER, Use.CATALOG)
        (data / "catalog.db.damaged-20200101T000000000000Z").write_bytes(b"an old catalog")
        await _wipe(room)
        assert not old.parent.exists()
        assert entry.wrapped_key not in clear_bytes(data / "catalog.db", key)
        assert entry.wrapped_key not in clear_wal(data / "catalog.db-wal", key)
        assert not list(data.glob("catalog.db.damaged-*"))
        assert [folder.name for folder in (data / "banks").iterdir()] == [
            room.banks.record(OWNER, AGENT).bank_id
        ]


async def test_a_wipe_waits_behind_what_came_before_it(tmp_path: Path) -> None:
    """Calls that come while a bank is wiped wait and find the new one; the fence of the old one is
    shut at once."""
    async with banks_room(tmp_path / "data") as room:
        await room.add("Wiped.", 1)
        async with room.banks.lease(OWNER, AGENT) as lease:
            old = lease.bank
            wiping = asyncio.ensure_future(_wipe(room))
            await asyncio.sleep(0.05)
            assert lease.has_ended
            late = asyncio.ensure_future(room.texts())
            await asyncio.sleep(0.02)
            assert not late.done()
        await wiping
        assert await late == []
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert lease.bank is not old


async def test_a_wipe_that_is_cut_short_is_carried_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at any step: before the cutoff all is there; after it nothing is, one bank's folder
    stands, and the operation's receipt too."""
    data = tmp_path / "data"
    snapshots = Snapshots(data, tmp_path / "crashed")
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
        before = room.banks.record(OWNER, AGENT)
        for name in ("begin_wipe", "turn_over", "forget_keys", "end_wipe", "_write_copy"):
            snapshots.around(monkeypatch, room.catalog, name)
        await _wipe(room)
        monkeypatch.undo()
    assert len(snapshots.taken) >= 14
    seen: set[bool] = set()
    for name, folder in snapshots.taken.items():
        async with banks_room(folder) as room:
            record = room.banks.record(OWNER, AGENT)
            wiped = record.epoch != before.epoch
            seen.add(wiped)
            assert wiped or name.endswith("before-begin_wipe"), name
            assert await room.texts() == ([] if wiped else ["Wiped."]), name
            folders = [one.name for one in (folder / "banks").iterdir()]
            assert folders == [record.bank_id], name
            assert room.catalog.wipes() == []
            assert (record.bank_id == before.bank_id) is not wiped
    assert seen == {True, False}


async def test_a_damaged_bank_can_be_wiped(tmp_path: Path) -> None:
    """What does not open is wiped all the same; every operation until then is expired."""
    async with banks_room(tmp_path / "data") as room:
        await room.add("Wiped.", 1)
        bank_file = room.bank_file
    bank_file.write_bytes(b"\xff" * 8192)
    async with banks_room(tmp_path / "data") as room:
        await _wipe(room)
        assert await room.texts() == []
        assert room.banks.record(OWNER, AGENT).purge_horizon > 0


async def test_a_bank_with_a_damaged_page_can_be_wiped(tmp_path: Path) -> None:
    """What opens, and cannot be read to its end, is no bank that can neither be used nor wiped."""
    async with banks_room(tmp_path / "data") as room:
        for sequence in range(200):
            await room.add("Wiped.", sequence)
        bank_file = room.bank_file
        async with room.banks.lease(OWNER, AGENT) as lease:
            (root,) = await lease.bank.read(
                lambda c: c.execute(
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'events'"
                ).fetchone()
            )
    content = bytearray(bank_file.read_bytes())
    content[(root - 1) * PAGE_BYTES + 100] ^= 1
    bank_file.write_bytes(content)
    async with banks_room(tmp_path / "data") as room:
        assert len(await room.texts()) == 200
        await _wipe(room)
        assert await room.texts() == []
        assert room.banks.record(OWNER, AGENT).purge_horizon > 0


async def test_a_new_bank_is_made_anew_when_its_making_was_cut_short(tmp_path: Path) -> None:
    """A half-made new bank does not stop the wipe."""
    async with banks_room(tmp_path / "data") as room:
        await room.add("Wiped.", 1)
        record = room.banks.record(OWNER, AGENT)
        begun = await room.catalog.begin_wipe(record.bank_id, "epo_x", cutoff("bank.delete_all"))
        await wipe._make_new_bank(room.catalog, begun)
    async with banks_room(tmp_path / "data") as room:
        assert await room.texts() == []


async def test_a_wipe_goes_on_with_the_ballast_where_the_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No room for the catalog without the old key: what was done before that is not done again,
    and with the ballast's room the wipe comes to its end."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
        old = room.bank_file.parent
        compact = catalog_file.compact

        def full_once(connection: Connection) -> None:
            monkeypatch.setattr(catalog_file, "compact", compact)
            raise StorageFullError("a fault of this test")

        monkeypatch.setattr(catalog_file, "compact", full_once)
        await _wipe(room)
        assert not (data / "ballast").exists()
        assert room.catalog.wipes() == []
        assert not old.exists()
        assert await room.texts() == []


async def test_a_bank_can_be_wiped_again_before_the_first_wipe_is_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails the first wipe where only the old file is left to go: the second one, and
    every start after it, work."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)

        async def fail() -> None:
            raise StorageFailedError("a fault of this test")

        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, "forget_keys", fail)
            deadline = asyncio.get_running_loop().time() + 10
            asked = cutoff("bank.delete_all")
            _, done = await room.banks.delete_all(OWNER, AGENT, asked, deadline=deadline)
            assert not done
        await room.add("Wiped too.", 2)
        await _wipe(room)
    async with banks_room(data) as room:
        assert await room.texts() == []
        assert room.catalog.wipes() == []
        record = room.banks.record(OWNER, AGENT)
        assert [one.name for one in (data / "banks").iterdir()] == [record.bank_id]


async def test_a_wipe_that_began_with_an_error_closes_the_old_bank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cutoff is in the catalog and not in its copy: its fate is unknown to the caller, the next
    call carries it on, and the old bank does not stay open for good."""
    async with banks_room(tmp_path / "data") as room:
        await room.add("Wiped.", 1)

        async def fail() -> None:
            raise StorageFailedError("a fault of this test", effect="unknown")

        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, "_write_copy", fail)
            with pytest.raises(StorageFailedError):
                await _wipe(room)
        assert await room.texts() == []
        bank_id = room.banks.record(OWNER, AGENT).bank_id
        assert [held.bank.bank_id for held in room.banks.open_banks()] == [bank_id]
        names = {thread.name for thread in threading.enumerate()}
        assert {name for name in names if "bnk_" in name} == {f"read {bank_id}", f"write {bank_id}"}


async def test_a_caller_that_gives_up_leaves_no_step_of_a_wipe_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting what is left of a bank takes long, and the call that waits for it is called off: it
    does not delete the bank that the next call finds."""
    data = tmp_path / "data"
    real = wipe._delete_folder
    go_on, deleting = threading.Event(), threading.Event()

    def slow_once(folder: Path) -> None:
        monkeypatch.setattr(wipe, "_delete_folder", real)
        deleting.set()
        go_on.wait(10)
        real(folder)

    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
        record = room.banks.record(OWNER, AGENT)
        await room.catalog.begin_wipe(record.bank_id, "epo_x", cutoff("bank.delete_all"))
        monkeypatch.setattr(wipe, "_delete_folder", slow_once)
        first = asyncio.create_task(room.texts())
        await asyncio.to_thread(deleting.wait, 10)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        second = asyncio.create_task(room.add("Kept.", 2))
        await asyncio.sleep(0.7)  # as far as it can come
        go_on.set()
        await second
    async with banks_room(data) as room:
        assert await room.texts() == ["Kept."]


async def test_a_bank_that_is_being_opened_for_nobody_is_closed_before_it_is_wiped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call that had the bank opened was called off, and a wipe comes before it is open: no file
    of it, no thread and no task outlives the wipe."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
    async with banks_room(data) as room:
        old = room.banks.record(OWNER, AGENT).bank_id
        opening, go_on = asyncio.Event(), asyncio.Event()

        async def slowly(*arguments: Any, **named: Any) -> Bank:
            monkeypatch.undo()
            bank = await Bank.open(*arguments, **named)
            opening.set()
            await go_on.wait()
            return bank

        monkeypatch.setattr(banks, "Bank", SimpleNamespace(open=slowly))
        call = asyncio.create_task(room.texts())
        await opening.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        wiping = asyncio.create_task(_wipe(room))
        await asyncio.sleep(0.5)  # as far as it can come
        go_on.set()
        await wiping
        assert await room.texts() == []
        assert [thread.name for thread in threading.enumerate() if old in thread.name] == []
        assert [task.get_name() for task in asyncio.all_tasks() if old in task.get_name()] == []


async def test_what_the_disk_kept_of_a_wiped_bank_goes_before_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails a wipe after the new bank is there: the old file and its key go as soon as the
    new bank is asked for and the disk can do it, and no call waits for that or fails by it."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Wiped.", 1)
        old = room.bank_file.parent
        tried: list[int] = []

        async def fail() -> None:
            tried.append(1)
            raise StorageFailedError("a fault of this test")

        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, "forget_keys", fail)
            patched.setattr(banks, "AGAIN_SECONDS", 1.0, raising=False)
            deadline = asyncio.get_running_loop().time() + 10
            asked = cutoff("bank.delete_all")
            _, done = await room.banks.delete_all(OWNER, AGENT, asked, deadline=deadline)
            assert not done
            for sequence in range(2, 6):
                await room.add("Kept.", sequence)
            assert len(tried) == 1  # not at each call
            await asyncio.sleep(1.1)
            await room.add("Kept.", 6)
            await asyncio.sleep(0.1)
            assert len(tried) == 2
            await asyncio.sleep(1.1)
        assert old.exists()
        assert len(await room.texts()) == 5
        async with asyncio.timeout(5):
            while room.catalog.wipes():  # noqa: ASYNC110 # it is told to nobody
                await asyncio.sleep(0.01)
        assert not old.exists()
        assert len(await room.texts()) == 5


class _FailingCommit:
    """The catalog's connection; its COMMIT fails with an I/O error before or after it was done."""

    def __init__(self, connection: Any, fail: Callable[[], None], *, done: bool) -> None:
        self._connection = connection
        self._fail = fail
        self._done = done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: object) -> Any:
        """Pass on everything but the COMMIT."""
        if statement == "COMMIT":
            if self._done:
                self._connection.execute(statement)
            self._fail()
        return self._connection.execute(statement, *values)


@pytest.mark.parametrize("done", [True, False])
async def test_a_cutoff_of_which_the_disk_says_that_it_failed_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    """The catalog's COMMIT reports an error, and the wipe is in its file or is not: what is said
    after an answer of "nothing happened" is not wiped at the next start."""
    data = tmp_path / "data"
    real = Database.connection_here

    def fail() -> None:
        monkeypatch.undo()
        error = dbapi2.OperationalError("disk I/O error")
        error.sqlite_errorcode, error.sqlite_errorname = 10, "SQLITE_IOERR"
        raise error

    def failing(self: Database) -> Any:
        connection = real(self)
        if self.path != data / "catalog.db":
            return connection
        return _FailingCommit(connection, fail, done=done)

    async with banks_room(data) as room:
        await room.add("Said before.", 1)
        monkeypatch.setattr(Database, "connection_here", failing)
        wiped = True
        try:
            await _wipe(room)
        except StorageFailedError as fault:
            assert fault.effect == "none"
            wiped = False
        await room.add("Said after.", 2)
    async with banks_room(data) as room:
        assert await room.texts() == (["Said after."] if wiped else ["Said after.", "Said before."])
        assert wiped is done
