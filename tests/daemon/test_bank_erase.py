"""Erasure: after it nothing of a forgotten memory stands in any file, free places included."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.bank_room import KEY, opened, remark
from support.pages_of import PAGE_BYTES, clear_bytes, clear_wal

from cognid_daemon.bank import erase
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import DeadlineError, StorageFailedError
from cognid_daemon.bank.rows import NewEmbedding, StoredMemory
from cognid_daemon.bank.transaction import Transaction

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
_WORDS = ("lamp", "code", "amber", "sky", "river", "stone", "bridge", "market", "letter")


def _text(chance: random.Random) -> str:
    return " ".join([*chance.sample(_WORDS, 5), f"{chance.getrandbits(60):x}"])


async def _add(bank: Bank, text: str, vector: bytes) -> StoredMemory:
    def apply(tx: Transaction) -> StoredMemory:
        stored = tx.add_memory(remark(text))
        tx.add_embeddings(
            stored.revision_rowid, tx.ensure_space("sp", 8), [NewEmbedding(0, (0, 5), vector)]
        )
        return stored

    return await bank.submit(apply).outcome()


async def _forget(bank: Bank, *memory_ids: str) -> None:
    def apply(tx: Transaction) -> None:
        tx.forget(tx.group_of(memory_ids).memories, None)

    await bank.submit(apply).outcome()


def _traces(content: bytes, text: str, vector: bytes) -> list[str]:
    forms = {
        "utf-8": text.encode(),
        "utf-16": text.encode("utf-16-le"),
        "token": text.rsplit(" ", 1)[1].encode(),
        "vector": vector,
    }
    return [name for name, form in forms.items() if form in content]


async def test_the_scan_sees_what_is_there(tmp_path: Path) -> None:
    """The test's own decryption finds a memory that was not forgotten, in the file and the WAL."""
    chance = random.Random(1)
    text, vector = _text(chance), chance.randbytes(16)
    async with opened(tmp_path / "b") as bank:
        await _add(bank, text, vector)
        assert _traces(clear_wal(bank.path.with_name("bank.db-wal"), KEY), text, vector)
        assert await bank.eraser.scrub()
        found = _traces(clear_bytes(bank.path, KEY), text, vector)
        assert found == ["utf-8", "token", "vector"]


async def test_after_erasure_no_page_holds_a_trace(tmp_path: Path) -> None:
    """A hundred forgets under churn, then the VACUUM: no text, UTF-16 form, token or vector."""
    chance = random.Random(7)
    gone: list[tuple[str, bytes]] = []
    async with opened(tmp_path / "b") as bank:
        kept: list[tuple[str, str, bytes]] = []
        for _ in range(100):
            for _ in range(3):
                text, vector = _text(chance), chance.randbytes(16)
                stored = await _add(bank, text, vector)
                kept.append((stored.memory_id, text, vector))
            memory_id, text, vector = kept.pop(chance.randrange(len(kept)))
            await _forget(bank, memory_id)
            gone.append((text, vector))
        assert await bank.erase_now()
        proof = await bank.erasure_of(memory_id)
        assert proof == erase.Erasure(True, ())
        content = clear_bytes(bank.path, KEY)
        content += clear_wal(bank.path.with_name("bank.db-wal"), KEY)
    assert [_traces(content, *one) for one in gone if _traces(content, *one)] == []
    assert all(_traces(content, text, vector) for _, text, vector in kept)


async def test_erasure_leaves_no_free_page(tmp_path: Path) -> None:
    """The file is written anew: it has no free pages, and is as small as what it holds."""
    async with opened(tmp_path / "b") as bank:
        chance = random.Random(3)
        await _add(bank, "Stays.", bytes(16))
        assert await bank.eraser.scrub()
        before = bank.file_bytes()
        stored = await _add(bank, " ".join(_text(chance) for _ in range(2000)), bytes(16))
        await _forget(bank, stored.memory_id)

        def free(connection: Connection) -> int:
            (pages,) = connection.execute("PRAGMA freelist_count").fetchone()
            return int(pages)

        assert await bank.read(free) > 10
        assert await bank.erase_now()
        assert await bank.read(free) == 0
        assert bank.file_bytes() <= before + 4 * PAGE_BYTES


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to see nameless files")
async def test_the_vacuum_s_temporary_file_is_sealed(tmp_path: Path) -> None:
    """The file that the VACUUM works in lies beside the bank, has no name, and is not readable."""
    folder = tmp_path / "b"
    canary = "sapphire heron"
    async with opened(folder) as bank:

        def fill(tx: Transaction) -> None:
            for number in range(3000):  # more than the page cache holds
                tx.add_memory(remark(f"{canary} {number} {5000 * chr(113)}"))

        await bank.submit(fill).outcome()
        forgotten = await _add(bank, f"{canary} once", bytes(16))
        await _forget(bank, forgotten.memory_id)
        seen, done = _nameless_files(folder), threading.Event()
        content: list[bytes] = []
        watcher = threading.Thread(target=lambda: content.extend(seen(done)))
        watcher.start()
        assert await bank.erase_now()
        done.set()
        watcher.join()
    assert max(map(len, content), default=0) > 10 * PAGE_BYTES
    for form in (canary.encode(), b"qqqqqqqq", b"SQLite format 3"):
        assert not any(form in one for one in content)


def _nameless_files(folder: Path) -> Callable[[threading.Event], list[bytes]]:
    """A watch over the files in a folder that this process has open and that have no name."""

    def watch(done: threading.Event) -> list[bytes]:
        found: list[bytes] = []
        while not done.wait(0.002):
            for entry in Path("/proc/self/fd").iterdir():
                with suppress(OSError):
                    name = str(entry.readlink())
                    if name.startswith(f"{folder}/") and name.endswith(" (deleted)"):
                        found.append(entry.read_bytes())
        return found

    return watch


async def test_erased_is_said_only_when_it_is_done(tmp_path: Path) -> None:
    """Before the VACUUM a barrier is pending; for an id that was never forgotten there is none."""
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Pending for now.", bytes(16))
        assert await bank.erasure_of(stored.memory_id) is None
        await _forget(bank, stored.memory_id)
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(False, ("vacuum_owed",))


async def test_the_scrub_leaves_no_wal_and_no_copy(tmp_path: Path) -> None:
    """What an acknowledged forget promises at once: an empty WAL, no copy of the file beside it."""
    async with opened(tmp_path / "b") as bank:
        copy = bank.path.with_name("bank.db.before-migration")
        copy.write_bytes(b"old pages")
        stored = await _add(bank, "In the WAL.", bytes(16))
        await _forget(bank, stored.memory_id)
        assert await bank.eraser.scrub()
        assert bank.path.with_name("bank.db-wal").stat().st_size == 0
        assert not copy.exists()


async def test_a_read_of_an_older_snapshot_begins_again(tmp_path: Path) -> None:
    """A read that was under way when a memory was forgotten answers without it."""
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Seen by nobody.", bytes(16))
        begun = threading.Event()
        seen: list[int] = []

        def slow(connection: Connection) -> int:
            execute = connection.execute
            (count,) = execute("SELECT count(*) FROM memories").fetchone()
            seen.append(count)
            begun.set()
            if count:  # hold the first snapshot until it is interrupted
                execute(_ENDLESS).fetchone()
            return int(count)

        reading = asyncio.ensure_future(bank.read(slow))
        await asyncio.to_thread(begun.wait, 5)
        await _forget(bank, stored.memory_id)
        assert await bank.eraser.scrub()
        assert await reading == 0
        assert seen == [1, 0]


async def test_a_read_that_begins_again_keeps_its_deadline(tmp_path: Path) -> None:
    """Beginning again does not give a read more time."""
    async with opened(tmp_path / "b") as bank:
        loop = asyncio.get_running_loop()

        def endless(connection: Connection) -> object:
            return connection.execute(_ENDLESS).fetchone()

        began = loop.time()
        reading = asyncio.ensure_future(bank.read(endless, deadline=began + 0.2))
        await asyncio.sleep(0.05)
        await bank.refresh_readers()
        with pytest.raises(DeadlineError):
            await reading
        assert 0.19 <= loop.time() - began < 1.0


async def test_the_vacuum_comes_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle bank pays what it owes without being asked, and one that owes is paid at opening."""
    monkeypatch.setattr(erase, "IDLE_SECONDS", 0.05)
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Idle.", bytes(16))
        await _forget(bank, stored.memory_id)
        await asyncio.sleep(0.3)
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(True, ())
        monkeypatch.setattr(erase, "IDLE_SECONDS", 60.0)
        second = await _add(bank, "Owed.", bytes(16))
        await _forget(bank, second.memory_id)
    monkeypatch.setattr(erase, "IDLE_SECONDS", 0.05)
    async with opened(tmp_path / "b", create=False) as bank:
        await asyncio.sleep(0.3)
        assert await bank.erasure_of(second.memory_id) == erase.Erasure(True, ())


async def test_the_vacuum_comes_though_the_first_look_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails the one read that asks, as the bank is opened, whether a VACUUM is owed: what
    is forgotten from then on is erased all the same."""
    monkeypatch.setattr(erase, "IDLE_SECONDS", 0.05)
    real = erase.owed
    failed: list[bool] = []

    def once(connection: Connection) -> int:
        if not failed:
            failed.append(True)
            raise StorageFailedError("a fault of this test")
        return real(connection)

    monkeypatch.setattr(erase, "owed", once)
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Idle.", bytes(16))
        await _forget(bank, stored.memory_id)
        await asyncio.sleep(0.4)
        assert failed
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(True, ())


async def test_the_vacuum_gives_way_to_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that comes during a VACUUM that can wait does not wait for it; it stays owed."""
    monkeypatch.setattr(erase, "IDLE_SECONDS", 0.05)
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    )
    monkeypatch.setattr(erase, "_VACUUM", endless)
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Owed.", bytes(16))
        await _forget(bank, stored.memory_id)
        async with asyncio.timeout(5):
            while not bank.eraser._yields:  # noqa: ASYNC110 # it is told to nobody
                await asyncio.sleep(0.005)
            await _add(bank, "Comes at once.", bytes(16))
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(False, ("vacuum_owed",))
        monkeypatch.undo()
        bank.eraser.give_way()
        assert await bank.erase_now()
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(True, ())


async def test_a_bank_is_closed_though_a_vacuum_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a daemon does not wait until a large file is written anew; it stays owed."""
    monkeypatch.setattr(erase, "_VACUUM", _ENDLESS)
    async with opened(tmp_path / "b") as bank:
        stored = await _add(bank, "Owed.", bytes(16))
        await _forget(bank, stored.memory_id)
        erasing = asyncio.create_task(bank.erase_now())
        await asyncio.sleep(0.2)
        closing = asyncio.create_task(bank.close())
        try:
            done, _ = await asyncio.wait({closing}, timeout=5)
            assert done
        finally:
            bank.interrupt_writer()
            await closing
            await asyncio.gather(erasing, return_exceptions=True)
    monkeypatch.undo()
    async with opened(tmp_path / "b", create=False) as bank:
        assert await bank.erasure_of(stored.memory_id) == erase.Erasure(False, ("vacuum_owed",))
        assert await bank.erase_now()


async def test_a_forget_after_the_vacuum_is_not_taken_for_erased(tmp_path: Path) -> None:
    """What is forgotten while the file is written anew stays owed."""
    async with opened(tmp_path / "b") as bank:
        first = await _add(bank, "First.", bytes(16))
        second = await _add(bank, "Second.", bytes(16))
        await _forget(bank, first.memory_id)
        scrub = bank.eraser.scrub

        async def late_forget() -> bool:
            await _forget(bank, second.memory_id)
            return await scrub()

        bank.eraser.scrub = late_forget  # type: ignore[method-assign] # the fault of this test
        assert not await bank.erase_now()
        assert await bank.erasure_of(second.memory_id) == erase.Erasure(False, ("vacuum_owed",))


async def test_two_that_erase_at_once_leave_a_later_forget_owed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`doctor` while the bank's own VACUUM runs: a forget between their last steps is not said to
    be erased before a VACUUM that came after it."""
    rewritten: list[Path] = []
    rewrite, scrub = erase._rewrite, erase.Eraser.scrub
    gates = [asyncio.Event(), asyncio.Event()]
    at_gates = iter(gates)

    def counted(connection: Connection, folder: Path) -> None:
        rewritten.append(folder)
        rewrite(connection, folder)

    async def held(self: erase.Eraser) -> bool:
        await next(at_gates).wait()
        return await scrub(self)

    async with opened(tmp_path / "b") as bank:
        first = await _add(bank, "First.", bytes(16))
        later = await _add(bank, "Later.", bytes(16))
        await _forget(bank, first.memory_id)
        monkeypatch.setattr(erase, "_rewrite", counted)
        monkeypatch.setattr(erase.Eraser, "scrub", held)
        one, other = (asyncio.create_task(bank.erase_now()) for _ in range(2))
        await asyncio.sleep(0.3)  # each is as far as it can come
        gates[0].set()
        assert await one
        before = len(rewritten)
        await _forget(bank, later.memory_id)
        gates[1].set()
        await other
        erasure = await bank.erasure_of(later.memory_id)
        assert erasure is not None
        assert not erasure.erased or len(rewritten) > before
