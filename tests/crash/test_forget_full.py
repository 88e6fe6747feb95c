"""Forget on a full disk: the ballast is given up for it, and made again when there is room."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.banks_room import AGENT, OWNER, banks_room

from cognid_daemon import ballast
from cognid_daemon.bank.errors import StorageFullError

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small tmpfs"),
    pytest.mark.root,
]


async def _run(*argv: str) -> int:
    process = await asyncio.create_subprocess_exec(*argv)
    return await process.wait()


@pytest.fixture
async def disk(tmp_path: Path) -> AsyncIterator[Path]:
    """A file system of 32 MiB."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    options = "size=32m,mode=700"
    if await _run("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mounted)):
        pytest.skip("cannot mount here")
    yield mounted
    assert await _run("umount", "-l", str(mounted)) == 0


def _fill(path: Path) -> None:
    """Take all the room there is."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    with path.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


async def test_forget_works_on_a_full_disk(disk: Path) -> None:
    """With no byte left a remember is refused and a forget goes through, catalog and all; erasure
    waits for room, and the ballast comes back with it."""
    data = disk / "data"
    filler = disk / "filler"
    async with banks_room(data) as room:
        stored = await room.add("The lamp code is amber-sky.", 1)
        await room.add("Stays.", 2)
        async with room.banks.lease(OWNER, AGENT) as lease:
            await lease.bank.eraser.scrub()
        ballasted = data / ballast.FILE_NAME
        assert ballasted.stat().st_size == ballast.BYTES
        assert ballasted.stat().st_mode & 0o777 == 0o600
        _fill(filler)
        with pytest.raises(StorageFullError):
            await room.add("Refused. " * 4000, 3)
        await room.forget(stored.memory_id)
        assert not ballasted.exists()
        assert await room.texts() == ["Stays."]
        barriers = await room.catalog.barriers(room.banks.record(OWNER, AGENT).bank_id)
        assert [one.memory_id for one in barriers] == [stored.memory_id]
        filler.unlink()
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert await lease.bank.erase_now()
            proof = await lease.bank.erasure_of(stored.memory_id)
            assert proof is not None
            assert proof.erased
        async with asyncio.timeout(5):
            while not ballasted.exists():  # noqa: ASYNC110 # made on a thread
                await asyncio.sleep(0.01)


async def test_a_small_disk_gets_no_ballast(disk: Path) -> None:
    """Where the ballast would take more than half of the room that is left, none is made."""
    (disk / "other").write_bytes(bytes(18 << 20))
    async with banks_room(disk / "data"):
        assert not (disk / "data" / ballast.FILE_NAME).exists()
