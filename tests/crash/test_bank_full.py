"""A disk that is full or fails: typed, nothing earlier lost, and writes resume."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bank_room import opened, remembering

from cognid_daemon.bank.bank import FILE_NAME, Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import BankError, StorageFailedError, StorageFullError
from cognid_daemon.bank.view import View

TESTS = Path(__file__).parent.parent

LIMITED = """
import asyncio, resource, signal, sys
from pathlib import Path
from support.bank_room import opened, remembering
from cognid_daemon.bank.check import check
from cognid_daemon.bank.errors import StorageFullError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

async def main(folder):
    async with opened(folder) as bank:
        async def write(n):
            await bank.submit(remembering(f"{n} " * 500, sequence=n)).outcome()
        await write(0)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
        stored = 1
        try:
            while stored < 2000:
                await write(stored)
                stored += 1
        except StorageFullError as fault:
            assert fault.effect == "none", fault.effect
            assert bank.fault == "storage_full"
        else:
            raise SystemExit("never full")
        rows = await bank.read(lambda c: c.execute("SELECT count(*) FROM texts").fetchone())
        assert rows == (stored,), rows
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await write(stored)
        assert bank.fault is None
        report = await check(bank)
        assert report.sound and report.memories == stored + 1, report

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_file_size_limit_is_storage_full(tmp_path: Path) -> None:
    """At RLIMIT_FSIZE a write is refused whole, earlier ones stay, and writes resume after it."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "b")],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr.decode()


async def _run(*argv: str) -> int:
    process = await asyncio.create_subprocess_exec(*argv)
    return await process.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small tmpfs")
@pytest.mark.root
async def test_a_full_disk_is_storage_full(tmp_path: Path) -> None:
    """On a full tmpfs a write is refused, reads go on, and writes resume once space is freed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = "size=4m,mode=700"
    if await _run("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)):
        pytest.skip("cannot mount here")
    try:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(1 << 20))
        async with opened(disk / "b") as bank:
            stored = 0
            with pytest.raises(StorageFullError) as caught:
                while stored < 5000:
                    await bank.submit(remembering(f"{stored} " * 500, sequence=stored)).outcome()
                    stored += 1
            assert caught.value.effect == "none"
            assert bank.fault == "storage_full"
            frontier = await bank.read(lambda c: View(c).frontier("s"))
            assert frontier == stored - 1
            ballast.unlink()
            await bank.submit(remembering("after", sequence=stored)).outcome()
            assert bank.fault is None
            report = await check(bank)
            assert report.sound
            assert report.memories == stored + 1
    finally:
        assert await _run("umount", "-l", str(disk)) == 0


class _FailingCommit:
    """A connection whose COMMIT fails with an I/O error, before or after it was done."""

    def __init__(self, connection: object, error: Exception, *, done: bool) -> None:
        self._connection = connection
        self._error = error
        self._done = done

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: object) -> object:
        """Pass on everything but the COMMIT."""
        execute = self._connection.execute  # type: ignore[attr-defined] # sqlcipher3 has no types
        if statement == "COMMIT":
            if self._done:
                execute(statement)
            raise self._error
        return execute(statement, *values)


def _fail_once(bank: Bank, monkeypatch: pytest.MonkeyPatch, *, done: bool) -> None:
    """Make the next COMMIT of the bank's writer fail."""
    from sqlcipher3 import dbapi2

    error = dbapi2.OperationalError("disk I/O error")
    error.sqlite_errorcode = 10
    error.sqlite_errorname = "SQLITE_IOERR"
    real = Database.connection_here
    left = [True]

    def once(self: Database) -> object:
        connection = real(self)
        if self.path == bank.path and left and connection.in_transaction:
            left.clear()
            return _FailingCommit(connection, error, done=done)
        return connection

    monkeypatch.setattr(Database, "connection_here", once)


async def test_a_commit_that_failed_is_told_from_one_that_only_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a COMMIT error the file is opened anew, and the receipts tell which fate it was."""
    async with opened(tmp_path / "b") as bank:
        await bank.submit(remembering("first", sequence=1)).outcome()
        _fail_once(bank, monkeypatch, done=False)
        with pytest.raises(StorageFailedError) as caught:
            await bank.submit(remembering("lost", sequence=2)).outcome()
        assert caught.value.effect == "none"
        monkeypatch.undo()
        _fail_once(bank, monkeypatch, done=True)
        writes = [bank.submit(remembering(f"kept {n}", sequence=n)) for n in (3, 4)]
        await asyncio.gather(*(write.outcome() for write in writes))
        monkeypatch.undo()
        rows = await bank.read(lambda c: c.execute("SELECT text FROM texts").fetchall())
        assert sorted(rows) == [("first",), ("kept 3",), ("kept 4",)]
        assert (await check(bank)).sound


async def test_a_commit_that_cannot_be_told_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no receipt can tell after a COMMIT error, the effect is said to be unknown."""
    async with opened(tmp_path / "b") as bank:
        _fail_once(bank, monkeypatch, done=False)
        with pytest.raises(BankError) as caught:
            await bank.submit(lambda tx: tx.ensure_space("space", 4)).outcome()
        assert caught.value.effect == "unknown"
        assert (bank.path.parent / FILE_NAME).exists()
