"""Bank and catalog agree on what was forgotten, whatever file is put back and wherever it stops."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.banks_room import AGENT, OWNER, Snapshots, banks_room

from cognid_daemon.bank import ledger
from cognid_daemon.bank.errors import OverloadedError, StorageFailedError, StorageFullError
from cognid_daemon.bank.view import View


async def test_the_catalog_knows_each_forget_before_it_is_answered(tmp_path: Path) -> None:
    """Barrier and ledger head are in the catalog when a forget is acknowledged."""
    async with banks_room(tmp_path / "data") as room:
        stored = await room.add("The lamp code is amber-sky.", 1)
        assert await room.forget(stored.memory_id) is False  # the VACUUM is owed
        bank_id = room.banks.record(OWNER, AGENT).bank_id
        barriers = await room.catalog.barriers(bank_id)
        assert [(one.memory_id, one.stream, one.sequence) for one in barriers] == [
            (stored.memory_id, "s", 1)
        ]
        async with room.banks.lease(OWNER, AGENT) as lease:
            head = await lease.bank.read(ledger.head)
        assert (await room.catalog.standing(bank_id)).head == head


async def test_an_older_bank_file_does_not_bring_it_back(tmp_path: Path) -> None:
    """A file put back from before the forget loses the memory before the first read, and the bank
    is reported as rolled back."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        stored = await room.add("The lamp code is amber-sky.", 1)
        await room.add("Stays.", 2)
        bank_file = room.bank_file
    older = tmp_path / "older.db"
    shutil.copy(bank_file, older)
    async with banks_room(data) as room:
        await room.add("Said later.", 3)
        await room.forget(stored.memory_id)
    shutil.copy(older, bank_file)
    async with banks_room(data) as room:
        assert await room.texts() == ["Stays."]
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert lease.rolled_back
            event = await lease.bank.read(lambda c: View(c).event("s", 1))
            assert event is not None
            assert event.hash is None
            assert await lease.bank.erase_now()
            proof = await lease.bank.erasure_of(stored.memory_id)
            assert proof is not None
            assert proof.erased
    async with banks_room(data) as room, room.banks.lease(OWNER, AGENT) as lease:
        assert not lease.rolled_back


async def test_an_older_file_is_told_even_where_nothing_was_forgotten(tmp_path: Path) -> None:
    """A bank that lost what was remembered since is reported, though no barrier is at stake."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Stays.", 1)
        bank_file = room.bank_file
    older = tmp_path / "older.db"
    shutil.copy(bank_file, older)
    async with banks_room(data) as room:
        await room.add("Said later.", 2)
    shutil.copy(older, bank_file)
    async with banks_room(data) as room, room.banks.lease(OWNER, AGENT) as lease:
        assert lease.rolled_back


async def test_a_file_from_before_the_memory_refuses_its_event(tmp_path: Path) -> None:
    """An even older file knows neither memory nor event; the event's replay meets the barrier."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        await room.add("Before.", 1)
        bank_file = room.bank_file
    older = tmp_path / "older.db"
    shutil.copy(bank_file, older)
    async with banks_room(data) as room:
        stored = await room.add("Forget me.", 2)
        await room.forget(stored.memory_id)
    shutil.copy(older, bank_file)
    async with banks_room(data) as room, room.banks.lease(OWNER, AGENT) as lease:
        event = await lease.bank.read(lambda c: View(c).event("s", 2))
        assert event is not None
        assert event.hash is None


async def test_a_crash_between_any_two_steps_brings_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before or after the scrub or the catalog's commit, the memory is gone, the catalog
    learns of it at the next opening, and then even the bank of before the forget loses it."""
    data = tmp_path / "data"
    snapshots = Snapshots(data, tmp_path / "crashed")
    async with banks_room(data) as room:
        stored = await room.add("The lamp code is amber-sky.", 1)
        await room.add("Stays.", 2)
        older = tmp_path / "older"
        async with room.banks.lease(OWNER, AGENT) as lease:
            await lease.bank.eraser.scrub()
            shutil.copytree(room.bank_file.parent, older, ignore=shutil.ignore_patterns("*-*"))
            snapshots.around(monkeypatch, lease.bank.eraser, "scrub")
            snapshots.around(monkeypatch, room.catalog, "remember_forgotten")
            await room.forget(stored.memory_id)
            monkeypatch.undo()
        relative = room.bank_file.relative_to(data)
    assert len(snapshots.taken) == 4
    for folder in snapshots.taken.values():
        async with banks_room(folder) as room:
            assert await room.texts() == ["Stays."]
            assert len(await room.catalog.barriers(room.banks.record(OWNER, AGENT).bank_id)) == 1
        shutil.copy(older / "bank.db", folder / relative)
        async with banks_room(folder) as room:
            assert await room.texts() == ["Stays."]


async def test_a_catalog_that_fails_is_told_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the catalog cannot be written the forget's answer is unknown, and the next one carries
    both barriers over."""
    async with banks_room(tmp_path / "data") as room:
        first = await room.add("First.", 1)
        second = await room.add("Second.", 2)

        async def fail(*_: object) -> None:
            raise StorageFailedError("a fault of this test")

        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, "remember_forgotten", fail)
            with pytest.raises(StorageFailedError) as caught:
                await room.forget(first.memory_id)
        assert caught.value.effect == "unknown"
        assert await room.texts() == ["Second."]
        await room.forget(second.memory_id)
        bank_id = room.banks.record(OWNER, AGENT).bank_id
        known = {one.memory_id for one in await room.catalog.barriers(bank_id)}
        assert known == {first.memory_id, second.memory_id}


async def test_of_two_forgets_at_once_the_one_that_failed_is_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalog fails one forget while it takes another's barrier: the next forget carries the
    lost one over, so that an older file of the bank does not bring it back."""
    data = tmp_path / "data"
    async with banks_room(data) as room:
        stored = [await room.add(f"Forget {n}.", n) for n in range(3)]
        bank_file = room.bank_file
        real = room.catalog.remember_forgotten
        both, failed = asyncio.Event(), asyncio.Event()
        calls: list[int] = []

        async def fail_first(*arguments: Any) -> None:
            calls.append(1)
            if len(calls) == 1:
                await both.wait()
                failed.set()
                raise StorageFailedError("a fault of this test")
            both.set()
            await failed.wait()
            await asyncio.sleep(0.05)
            await real(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, "remember_forgotten", fail_first)
            forgetting = [room.forget(one.memory_id) for one in stored[:2]]
            answers = await asyncio.gather(*forgetting, return_exceptions=True)
        assert {type(one) for one in answers} == {StorageFailedError, bool}
        await room.forget(stored[2].memory_id)
        known = {one.memory_id for one in await room.catalog.barriers(bank_file.parent.name)}
        assert known == {one.memory_id for one in stored}


@pytest.mark.parametrize("name", ["remember_forgotten", "raise_purge_horizon"])
async def test_a_full_disk_does_not_keep_a_bank_from_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What the catalog lacks of the bank finds no room as the bank is opened: it is read all the
    same, and the catalog is told once there is room."""
    data = tmp_path / "data"

    async def full(*_: object) -> None:
        raise StorageFullError("a fault of this test")

    async with banks_room(data) as room:
        stored = await room.add("Forget me.", 1)
        await room.add("Stays.", 2)
        async with room.banks.lease(OWNER, AGENT) as lease:
            await lease.bank.submit(
                lambda tx: tx.connection.execute("INSERT INTO meta VALUES ('purge_horizon', 7)")
            ).outcome()
        monkeypatch.setattr(room.catalog, "remember_forgotten", full)
        monkeypatch.setattr(room.catalog, "raise_purge_horizon", full)
        with pytest.raises(StorageFullError):
            await room.forget(stored.memory_id)
    async with banks_room(data) as room:
        bank_id = room.banks.record(OWNER, AGENT).bank_id
        with monkeypatch.context() as patched:
            patched.setattr(room.catalog, name, full)
            assert await room.texts() == ["Stays."]
        assert len(await room.catalog.barriers(bank_id)) == int(name != "remember_forgotten")
    async with banks_room(data) as room:
        assert len(await room.catalog.barriers(bank_id)) == 1
        assert room.banks.record(OWNER, AGENT).purge_horizon == 7


async def test_a_forget_does_not_wait_for_the_reads_of_others(tmp_path: Path) -> None:
    """Recalls come faster than the readers can do them: what follows the COMMIT of a forget does
    not stand behind all of them, is not refused as one too many, and the catalog has its barrier.
    """
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    )
    async with banks_room(tmp_path / "data") as room:
        stored = await room.add("Forget me.", 1)
        async with room.banks.lease(OWNER, AGENT) as lease:
            deadline = asyncio.get_running_loop().time() + 4
            reads = [
                asyncio.create_task(
                    lease.bank.read(lambda c: c.execute(endless).fetchone(), deadline=deadline)
                )
                for _ in range(300)
            ]
            await asyncio.sleep(0.1)
            refused = [read for read in reads if read.done()]
            assert {type(read.exception()) for read in refused} == {OverloadedError}
            await room.forget(stored.memory_id)
            barriers = await room.catalog.barriers(lease.record.bank_id)
            assert [one.memory_id for one in barriers] == [stored.memory_id]
            assert not await lease.bank.eraser.is_even()
            assert sum(read.done() for read in reads) == len(refused)
            for read in reads:
                read.cancel()
            await asyncio.gather(*reads, return_exceptions=True)
