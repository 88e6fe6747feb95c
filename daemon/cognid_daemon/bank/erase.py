"""Erasure: after a forget, its bytes leave the bank's files, free places included.

At once, before the forget is answered: readers of older snapshots begin again, the WAL is folded in
and truncated, copies of the file are deleted. Later, since it reads and writes the whole file: a
VACUUM, because secure_delete alone leaves 1 to 3 of 3,550 forgotten texts in free slack of pages
(measured). It is owed durably (`meta.vacuum_owed`, the number of forgets since the last one) and
paid once for all of them: when the bank was idle for `IDLE_SECONDS`, after `MOST_SECONDS` even if
it never is, and at the opening of the bank, which `arrears` sees to after a start. Until those
`MOST_SECONDS` are over it gives way to any write that comes, since writes wait for it. Only then do
barriers get their `erased_at`.

Owns: these steps, their task, and the proof that a memory's bytes are gone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import files
from cognid_daemon.bank.errors import BankError, ClosedError
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.bank.bank import Bank

IDLE_SECONDS: Final = 2.0
MOST_SECONDS: Final = 600.0
AGAIN_SECONDS: Final = 60.0
"""After a disk that had no room for the VACUUM."""
_VACUUM: Final = "VACUUM"
_BREAK_SECONDS: Final = 0.005


@dataclass(frozen=True, slots=True)
class Erasure:
    """Whether a forgotten memory's bytes are gone; else what is still in the way."""

    erased: bool
    pending: tuple[str, ...]


class Eraser:
    """Pays what a bank owes. `start` once; its owner awaits `close` before the bank's end."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._owed = asyncio.Event()
        self._even = False  # whether the file is known to owe nothing
        self._task: asyncio.Task[None] | None = None
        self._paying = asyncio.Lock()
        self._lock = threading.Lock()
        self._yields = False  # a VACUUM runs and gives way; under the lock
        self._gave_way = False
        self._rewrites = False  # a VACUUM runs; under the lock
        self._ends = False
        self.erased: Callable[[], None] | None = None
        """Called after each VACUUM: there is room on the disk, or was."""

    def start(self) -> None:
        """Begin to wait for what is owed."""
        self._task = asyncio.create_task(self._run(), name=f"erase {self._bank.bank_id}")

    async def break_off(self) -> None:
        """Let no VACUUM run from now on, before the bank's writer is asked to end: it may have a
        large file to write, and stays owed."""
        self._ends = True
        while self._is_rewriting():
            self._bank.interrupt_writer()
            await asyncio.sleep(_BREAK_SECONDS)

    def _is_rewriting(self) -> bool:
        with self._lock:
            return self._rewrites

    async def close(self) -> None:
        """End the task; what is owed stands in the file."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def owe(self) -> None:
        """Let the VACUUM come."""
        self._even = False
        self._owed.set()
        _mark(self._bank.path.parent, owes=True)

    @property
    def may_owe(self) -> bool:
        """Whether a VACUUM is to come, or it is not known yet: only while the bank is open."""
        return not self._even

    async def scrub(self) -> bool:
        """Take what a forget left out of the WAL and of the copies.

        Returns:
            False where the WAL was busy or a copy could not be deleted; a VACUUM tries it again.

        Raises:
            BankError: the disk refused the checkpoint.
        """
        await self._bank.refresh_readers()
        return await self._bank.alone(lambda connection: _scrub(connection, self._bank.path))

    async def is_even(self) -> bool:
        """Whether no VACUUM is owed."""
        return not await self._bank.alone(owed)  # a read without a deadline waits for all others

    def give_way(self) -> None:
        """Break off a VACUUM that can wait, for a write that should not."""
        with self._lock:
            if self._yields:
                self._gave_way = True
                self._bank.interrupt_writer()

    async def now(self, *, patient: bool = False) -> bool:
        """Pay what is owed now. False: the disk or a reader was in the way, and it stays owed.

        One at a time: what is owed is a number that begins anew once it is paid, and who had read
        it before that would take the next forget for one of those that he has paid for.

        Args:
            patient: give way to writes.
        """
        async with self._paying:
            return await self._pay(patient=patient)

    async def _pay(self, *, patient: bool) -> bool:
        bank = self._bank
        try:
            paid = await bank.alone(lambda connection: self._vacuum(connection, patient=patient))
            if not await self.scrub():
                return False
            done = await bank.alone(lambda connection: _settle(connection, paid))
        except ClosedError:
            raise
        except BankError:
            return False
        if done and self.erased is not None:
            self.erased()
        return done

    def _vacuum(self, connection: Connection, *, patient: bool) -> int:
        """Write the file anew without its free places, on the writer's thread; gives how many
        forgets that has paid for."""
        paid = owed(connection)
        if paid:
            with self._lock:
                if self._ends:
                    raise ClosedError
                self._yields, self._rewrites = patient, True
            try:
                _rewrite(connection, self._bank.path.parent)
            finally:
                with self._lock:
                    self._yields = self._rewrites = False
        return paid

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        latest = 0.0
        with suppress(ClosedError):
            if await self._owes():
                self._owed.set()
            self._note_even()
            while True:
                await self._owed.wait()
                latest = latest or loop.time() + MOST_SECONDS
                while (left := self._bank.touched + IDLE_SECONDS - loop.time()) > 0:
                    if loop.time() >= latest:
                        break
                    await asyncio.sleep(left)
                self._owed.clear()
                if await self.now(patient=loop.time() < latest):
                    latest = 0.0
                    self._note_even()
                    continue
                self._owed.set()
                if self._gave_way:
                    self._gave_way = False
                else:
                    await asyncio.sleep(AGAIN_SECONDS)

    def _note_even(self) -> None:
        self._even = not self._owed.is_set()
        _mark(self._bank.path.parent, owes=not self._even)

    async def _owes(self) -> bool:
        """Whether there is something to pay, as far as the file tells it now: where it does not,
        paying it looks again, and what is forgotten later must find this task alive."""
        try:
            return bool(await self._bank.read(owed))
        except ClosedError:
            raise
        except BankError:
            return True


def _rewrite(connection: Connection, folder: Path) -> None:
    """VACUUM, with its temporary file beside the bank's own.

    In memory it would take the size of the bank, and half of that stayed with the process (150 and
    80 MB at 100,000 memories, measured). The file is encrypted under the bank's key and has no name
    from the moment it is open; nothing else is ever allowed on a disk unencrypted.
    """
    quoted = str(folder).replace("'", "''")
    connection.execute(f"PRAGMA temp_store_directory = '{quoted}'").fetchall()
    connection.execute("PRAGMA temp_store = FILE").fetchall()
    try:
        connection.execute(_VACUUM).fetchall()
    finally:
        connection.execute("PRAGMA temp_store = MEMORY").fetchall()


def marker_of(folder: Path) -> Path:
    """An empty file that stands in a bank's folder while it owes a VACUUM: by it a daemon knows,
    when it starts, which banks it has to open though nobody asks for them."""
    return folder / "erasure-owed"


def _mark(folder: Path, *, owes: bool) -> None:
    """Put up the marker, or take it away; on the loop, so without an fsync. It may be missing after
    a power cut: what is owed stands in the bank, and is paid at its opening at the latest."""
    with suppress(OSError):
        if owes:
            marker_of(folder).touch(mode=0o600)
        else:
            marker_of(folder).unlink(missing_ok=True)


def truncate(connection: Connection) -> bool:
    """Fold the WAL into the file and make it empty. False: somebody still reads from it."""
    busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def _scrub(connection: Connection, path: Path) -> bool:
    clean = truncate(connection)
    try:
        delete_copies(path)
    except OSError:
        return False
    return clean


def owed(connection: Connection) -> int:
    """How many forgets wait for a VACUUM."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'vacuum_owed'").fetchone()
    return 0 if row is None else int(row[0])


def snapshot_of(path: Path) -> Path:
    """Where the snapshot of a bank's vectors stands: among what a forget deletes."""
    return path.with_name(f"{path.name}.vectors")


def copies_of(path: Path) -> list[Path]:
    """What stands beside a bank's file and may hold pages of it."""
    living = {path.name, f"{path.name}-wal", f"{path.name}-shm"}
    return [beside for beside in path.parent.glob(f"{path.name}*") if beside.name not in living]


def delete_copies(path: Path) -> None:
    """Delete the copies of a bank's file, durably."""
    copies = copies_of(path)
    for copy in copies:
        copy.unlink(missing_ok=True)
    if copies:
        files.sync_folder(path.parent)


def _settle(connection: Connection, paid: int) -> bool:
    """Note what a VACUUM has erased. False: there was a forget after it."""
    if owed(connection) != paid:
        return False
    if paid:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "UPDATE barriers SET erased_at = ? WHERE erased_at IS NULL",
            (time.time_ns() // 1000,),
        )
        connection.execute("DELETE FROM meta WHERE key = 'vacuum_owed'")
        connection.execute("COMMIT")
    return True


def proof(connection: Connection, memory_id: str, path: Path) -> Erasure | None:
    """Look whether a forgotten memory's bytes are gone; None where it has no barrier."""
    view = View(connection)
    barrier = view.barrier(memory_id)
    if barrier is None:
        return None
    pending: list[str] = []
    if view.memory(memory_id) is not None:
        pending.append("memory_present")
    # A snapshot of vectors that is there by now was made after the last forget deleted the others.
    if any(copy != snapshot_of(path) for copy in copies_of(path)):
        pending.append("copies")
    if barrier.erased_at is None:
        pending.append("vacuum_owed")
    return Erasure(not pending, tuple(pending))
