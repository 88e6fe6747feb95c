"""The sealed snapshot of vectors: proven before it is used, and outliving no forget."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import BANK_ID, KEY
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.bank import generations, keys
from cognid_daemon.bank.erase import snapshot_of
from cognid_daemon.recall import keeper, models, snapshot
from cognid_daemon.recall.matrix import Windows
from cognid_daemon.recall.snapshot import Facts, Snapshot, SnapshotError, SnapshotWriter
from cognid_daemon.recall.vectors import VectorIndex

TEXTS = [f"memory number {number} about apples and w{number}" for number in range(40)]
VECTORS_KEY = keys.derive(KEY, keys.Use.VECTORS)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of small banks, soon."""
    monkeypatch.setattr(keeper, "LEAST", 10)
    monkeypatch.setattr(keeper, "IDLE_SECONDS", 0.05)


@asynccontextmanager
async def reopened(folder: Path) -> AsyncIterator[tuple[RecallRoom, bool]]:
    """A room over a bank that was closed, with its index loaded; whether a snapshot was of use."""
    async with recall_room(folder, create=False) as room:
        await room.settle()
        yield room, room.recaller.serving.keeper._saved is not None


def path_of(folder: Path) -> Path:
    """Where the snapshot stands."""
    return snapshot_of(folder / "bank.db")


def content_of(path: Path) -> tuple[Facts, Windows]:
    """What a snapshot of one chunk holds."""
    opened = Snapshot(path, VECTORS_KEY)
    windows = opened.next()
    assert windows is not None
    opened.close()
    return opened.facts, windows


async def filled(folder: Path) -> None:
    """A bank that was closed with its snapshot."""
    async with recall_room(folder) as room:
        for text in TEXTS:
            await room.add(text)
        await room.settle()
    assert path_of(folder).exists()


async def check(room: RecallRoom, count: int = len(TEXTS)) -> None:
    """Every memory is found by its vector, and none that is not there."""
    service = room.recaller.serving.service
    assert service is not None
    assert len(service.index) == count
    for number in (3, 20, 39):
        found = await room.texts(f"number w{number}", pipeline=Pipeline.VECTOR, limit=1)
        assert found == [TEXTS[number]]


async def test_a_start_uses_it(tmp_path: Path) -> None:
    """A file of ours, 0600, that holds no vector in the clear; the next start answers from it."""
    await filled(tmp_path)
    assert stat.S_IMODE(path_of(tmp_path).stat().st_mode) == 0o600
    facts, windows = content_of(path_of(tmp_path))
    assert (facts.bank_id, facts.count) == (BANK_ID, 40)
    codes = windows.codes[7].tobytes()
    assert codes[:64] not in path_of(tmp_path).read_bytes()
    async with reopened(tmp_path) as (room, used):
        assert used
        await check(room)


async def test_it_may_be_behind(tmp_path: Path) -> None:
    """What came and went since it was written is made up for from the rows."""
    await filled(tmp_path)
    kept = tmp_path / "kept"
    shutil.copy(path_of(tmp_path), kept)
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        (memory,) = [h.memory for h in (await room.ask("w5", limit=1)).hits]
        await room.add("something new about pears", stream="later")

        def drop(tx: object) -> None:
            tx.connection.execute(  # type: ignore[attr-defined]
                "DELETE FROM embeddings WHERE revision_rowid = ?", (memory.revision_rowid,)
            )

        await room.bank.submit(drop).outcome()
        await room.settle()
    shutil.copy(kept, path_of(tmp_path))
    async with reopened(tmp_path) as (room, used):
        assert used
        await check(room, 40)
        assert (await room.texts("something new pears", pipeline=Pipeline.VECTOR, limit=1)) == [
            "something new about pears"
        ]


async def test_no_snapshot_outlives_a_forget(tmp_path: Path) -> None:
    """After a forget it is gone from the disk before anything else is done, and comes anew."""
    await filled(tmp_path)
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        assert path_of(tmp_path).exists()
        stored = await room.add("The lamp code is amber-sky", stream="later")
        await room.settle()
        await room.remove(stored)
        assert await room.bank.eraser.scrub()
        assert not path_of(tmp_path).exists()
        async with asyncio.timeout(10):
            while not path_of(tmp_path).exists():  # noqa: ASYNC110 # a file tells nobody
                await asyncio.sleep(0.01)
        assert await room.bank.erase_now()
        proof = await room.bank.erasure_of(stored.memory_id)
        assert proof is not None
        assert proof.erased, proof.pending


async def test_one_under_way_is_dropped_by_a_forget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forget between its last byte and its name leaves no file of either name."""
    async with recall_room(tmp_path) as room:
        stored = [await room.add(text) for text in TEXTS]
        await room.settle()
        monkeypatch.setattr(keeper, "IDLE_SECONDS", 60.0)
        alone = room.bank.alone

        async def forgetting(work: Callable[..., object]) -> object:
            monkeypatch.setattr(room.bank, "alone", alone)
            await room.remove(stored[0])
            return await alone(work)

        service = room.recaller.serving.service
        assert service is not None
        monkeypatch.setattr(room.bank, "alone", forgetting)
        path_of(tmp_path).unlink(missing_ok=True)
        assert not await room.recaller.serving.keeper._write(service)
        left = await asyncio.to_thread(lambda: list(tmp_path.glob("*.vectors*")))
        assert left == []
        monkeypatch.setattr(keeper, "LEAST", 1000)


async def test_one_of_vectors_that_were_replaced_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors are made anew as a snapshot of the old ones is begun, then a memory is forgotten: the
    old index does not hear of it any more, and must not reach the disk with it."""
    async with recall_room(tmp_path) as room:
        stored = [await room.add(text) for text in TEXTS]
        await room.settle()
        monkeypatch.setattr(keeper, "IDLE_SECONDS", 60.0)
        path_of(tmp_path).unlink(missing_ok=True)
        space_id, dimension = await room.recaller.model()
        before, read = room.recaller.serving.service, room.bank.read
        assert before is not None

        async def replaced(work: Callable[..., object]) -> object:
            monkeypatch.setattr(room.bank, "read", read)
            await room.bank.submit(
                lambda tx: generations.begin(
                    tx, "vector", epoch="e", space_id=space_id, dimension=dimension
                )
            ).outcome()
            room.recaller.wake()
            async with asyncio.timeout(10):
                while room.recaller.serving.service is before:  # noqa: ASYNC110 # tells nobody
                    await asyncio.sleep(0.01)
            await room.remove(stored[0])
            assert await room.bank.eraser.scrub()
            return await read(work)

        monkeypatch.setattr(room.bank, "read", replaced)
        assert not await room.recaller.serving.keeper._write(before)
        assert not await asyncio.to_thread(lambda: list(tmp_path.glob("*.vectors*")))
        monkeypatch.setattr(keeper, "LEAST", 1000)


async def test_it_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a recall is open no further chunk is written; then the rest is, in many."""
    monkeypatch.setattr(snapshot, "_CHUNK", 4)
    monkeypatch.setattr(models, "GATE_SECONDS", 10.0)
    written: list[int] = []
    add_part = snapshot.SnapshotWriter.add_part

    def noted(self: snapshot.SnapshotWriter, index: VectorIndex) -> bool:
        written.append(len(written))
        return add_part(self, index)

    monkeypatch.setattr(snapshot.SnapshotWriter, "add_part", noted)
    async with recall_room(tmp_path) as room:
        for text in TEXTS:
            await room.add(text)
        await room.settle()
        monkeypatch.setattr(keeper, "IDLE_SECONDS", 60.0)
        service = room.recaller.serving.service
        assert service is not None
        written.clear()
        with room.host.recall():
            writing = asyncio.ensure_future(room.recaller.serving.keeper._write(service, rest=1.0))
            await asyncio.sleep(0.2)
            assert written == [0]
        assert await writing
        assert len(written) == len(TEXTS) // 4 + 1
    async with reopened(tmp_path) as (room, used):
        assert used
        await check(room)


def folder(path: Path) -> None:
    """A folder of its name."""
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    """The same bytes under another key."""
    facts, windows = content_of(path)
    content = path.read_bytes()
    plain = b"".join(
        part.tobytes() for part in (windows.owners, windows.spans, windows.scales, windows.codes)
    )
    sealed = keys.seal(bytes(32), plain, b"")
    path.write_bytes(content[: -len(sealed)] + sealed)
    assert facts.count == 40


DAMAGES: dict[str, Callable[[Path], object]] = {
    "zero-length": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "random": lambda path: path.write_bytes(os.urandom(path.stat().st_size)),
    "only its head": lambda path: path.write_bytes(path.read_bytes()[:30]),
    "one bit": lambda path: path.write_bytes(
        (content := path.read_bytes())[:-500] + bytes([content[-500] ^ 1]) + content[-499:]
    ),
    "another count": lambda path: path.write_bytes(
        path.read_bytes().replace(b'"count": 40', b'"count": 41')
    ),
    "a count beyond memory": lambda path: path.write_bytes(
        path.read_bytes().replace(b'"count": 40', b'"count": ' + b"9" * 18)
    ),
    "another bank's name": lambda path: path.write_bytes(
        path.read_bytes().replace(BANK_ID.encode(), BANK_ID[:-1].encode() + b"2")
    ),
    "another key": foreign,
    "a folder": folder,
    "a link": lambda path: path.symlink_to(path.rename(path.with_name("elsewhere"))),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_one_is_refused_and_made_anew(tmp_path: Path, damage: str) -> None:
    """Whatever stands there in its place: nothing crashes, and the rows are read instead."""
    await filled(tmp_path)
    DAMAGES[damage](path_of(tmp_path))
    async with reopened(tmp_path) as (room, used):
        assert not used
        await check(room)


async def test_that_of_another_bank_is_refused(tmp_path: Path) -> None:
    """Sealed under another bank's key, it never opens, whatever it says of itself."""
    await filled(tmp_path / "a")
    opened = Snapshot(path_of(tmp_path / "a"), bytes(32))
    with pytest.raises(SnapshotError, match="seal"):
        opened.next()
    opened.close()


async def test_one_that_is_opened_for_nobody_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another model, or the end of the bank, may come while a thread opens it."""
    await filled(tmp_path)
    begun, go, opened = threading.Event(), threading.Event(), list[Snapshot]()
    make = Snapshot.__init__

    def slow(one: Snapshot, *arguments: Any) -> None:
        begun.set()
        go.wait(10)
        make(one, *arguments)
        opened.append(one)

    monkeypatch.setattr(Snapshot, "__init__", slow)
    async with recall_room(tmp_path, create=False) as room:
        assert await asyncio.to_thread(begun.wait, 10)
        await room.recaller.close()
        go.set()
        async with asyncio.timeout(5):
            while not (opened and opened[0]._file.closed):  # noqa: ASYNC110 # a file tells nobody
                await asyncio.sleep(0.01)


async def test_one_that_is_begun_for_nobody_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the bank may come while a thread makes the file."""
    begun, go = threading.Event(), threading.Event()
    make = SnapshotWriter.__init__

    def slow(one: SnapshotWriter, *arguments: Any) -> None:
        make(one, *arguments)
        begun.set()
        go.wait(10)

    monkeypatch.setattr(SnapshotWriter, "__init__", slow)
    beside = path_of(tmp_path).with_name(f"{path_of(tmp_path).name}.new")
    async with recall_room(tmp_path) as room:
        for text in TEXTS:
            await room.add(text)
        await room.settle()
        room.recaller.serving.keeper.touch()
        assert await asyncio.to_thread(begun.wait, 10)
        assert beside.exists()
        monkeypatch.setattr(keeper, "LEAST", 1000)
        await room.recaller.close()
        go.set()
        async with asyncio.timeout(5):
            while beside.exists():  # noqa: ASYNC110 # as above
                await asyncio.sleep(0.01)
