"""One open bank: the private memory of one (owner, agent) pair, in its own file under its own key.

Owns: how a bank is made, opened, brought up to date and closed, and the two ways to it: `submit`
for writes, `read` for snapshots. Knows nothing of operations, recall or the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_daemon.bank import erase, files, keys, ledger, migrate, schema
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.erase import Eraser, Erasure
from cognid_daemon.bank.errors import BankError, DamagedError
from cognid_daemon.bank.fence import Fence, Watch
from cognid_daemon.bank.filters import casefolded
from cognid_daemon.bank.fold import FOLD_VERSION, fold_document
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.migrate import Step
from cognid_daemon.bank.readers import Readers
from cognid_daemon.bank.rows import Committed
from cognid_daemon.bank.sweeper import Sweeper
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.write import Place, Write
from cognid_daemon.bank.writer import Writer

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")

FILE_NAME: Final = "bank.db"
_READERS: Final = 2
_LEDGER_TAIL: Final = 8


class Bank:
    """An open bank. Made by `open`, ended by `close`."""

    def __init__(
        self,
        bank_id: str,
        database: Database,
        readers: Readers,
        keeping: Keeping,
        vectors_key: bytes,
    ) -> None:
        self.bank_id = bank_id
        self.keeping = keeping
        self.path = database.path
        self.snapshot = erase.snapshot_of(database.path)
        """Where a sealed snapshot of its vectors may stand; a forget deletes it."""
        self.vectors_key = vectors_key
        """The key of that snapshot."""
        self._database = database
        self._readers = readers
        self.fence = Fence()
        self.touched = asyncio.get_running_loop().time()
        """When a caller last wrote or read, by the loop's clock: erasure waits for idleness."""
        self.written = 0.0
        """When one last wrote: embedding gives way to that."""
        self.eraser = Eraser(self)
        self.sweeper = Sweeper(self)
        self._listeners: list[Callable[[Committed], None]] = []
        self._watches: set[Watch] = set()
        self._writer = Writer(database, self._announce, keeping)

    @classmethod
    async def open(
        cls,
        folder: Path,
        bank_id: str,
        key: bytes,
        *,
        create: bool,
        keeping: Keeping = KEEP_ALL,
        steps: Sequence[Step] = schema.STEPS,
    ) -> Bank:
        """Open the bank in a folder, or make it with `create`.

        Brings an older schema up to date (a sealed copy of the file is kept beside it), and indexes
        the texts anew where the fold has changed.

        Args:
            folder: the bank's own folder.
            key: 32 bytes.
            keeping: how long and how much it keeps; its sweeper is the caller's to start.

        Raises:
            DamagedError: missing, not under this key, of another bank, or at odds with itself.
            NewerSchemaError: written by a newer build; nothing was changed.
            BankError: as the disk has it.
        """
        if create:
            await _on_disk(files.private_folder, folder)
        path = folder / FILE_NAME

        def prepare(connection: Connection) -> None:
            _prepare(connection)
            keeping.teach(connection)

        async def connect(*, create: bool = False, query_only: bool = False) -> Database:
            return await Database.open(
                path,
                key,
                create=create,
                query_only=query_only,
                name=f"{'read' if query_only else 'write'} {bank_id}",
                prepare=prepare,
            )

        opened = [await connect(create=create)]
        try:
            if not create and await opened[0].run(lambda c: _needs_copy(c, path, steps)):
                await opened.pop().close()
                await _on_disk(_keep_copy, path)
                opened.append(await connect())
            await opened[0].run(lambda c: _bring_up(c, path, bank_id, steps, create=create))
            while len(opened) <= _READERS:
                opened.append(await connect(query_only=True))
        except BaseException:
            for database in opened:
                await database.close()
            raise
        vectors_key = keys.derive(key, keys.Use.VECTORS)
        bank = cls(bank_id, opened[0], Readers(opened[1:]), keeping, vectors_key)
        bank.eraser.start()
        return bank

    def submit(
        self,
        apply: Callable[[Transaction], T],
        *,
        deadline: float | None = None,
        background: bool = False,
    ) -> Write[T]:
        """Queue a write; the order of the calls is the order of the writes.

        Args:
            apply: runs on the writer's thread inside the group's transaction, perhaps more than
                once (only the last time counts): it may touch nothing but its transaction. What it
                raises undoes its own writes only, and comes out of `outcome()`.
            deadline: in seconds of the loop's clock.
            background: after every other write, and without a commit of its own under load.

        Raises:
            OverloadedError: the queue is full.
            ClosedError: the bank is closing.
        """
        if not background:
            self.touched = self.written = asyncio.get_running_loop().time()
            self.eraser.give_way()
        return self._writer.submit(
            apply, deadline, Place.BACKGROUND if background else Place.FOREGROUND
        )

    async def alone(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer's connection outside any transaction, between two groups.

        It is for what no transaction can do (checkpoint, VACUUM, checks); writes wait meanwhile.
        """
        return await self._writer.submit(work, None, Place.ALONE).outcome()

    async def read(
        self,
        work: Callable[[Connection], T],
        *,
        deadline: float | None = None,
        first: Callable[[], None] | None = None,
        first_deadline: float | None = None,
    ) -> T:
        """Run `work` in one read transaction, a snapshot; `View(connection)` gives typed reads.

        Args:
            work: runs on a reader's thread, once more if a forget makes its snapshot too old; must
                fetch all its rows.
            deadline: in seconds of the loop's clock; what runs then is interrupted.
            first: runs once on the same thread before there is a snapshot; nothing interrupts it.
            first_deadline: when that must be done; by default by the deadline.

        Raises:
            DeadlineError: the deadline passed.
            OverloadedError: too many reads are waiting.
            ClosedError: the bank is closing.
        """
        self.touched = asyncio.get_running_loop().time()
        return await self._readers.read(work, deadline, first, first_deadline)

    @property
    def readers_are_idle(self) -> bool:
        """Whether nothing is being read."""
        return self._readers.are_idle

    def interrupt_writer(self) -> None:
        """Break off the statement that the writer's connection runs now."""
        self._database.interrupt()

    async def refresh_readers(self) -> None:
        """Let no read go on over a snapshot that is older than now."""
        await self._readers.refresh()

    @contextmanager
    def watch(self) -> Iterator[Watch]:
        """Collect what ceases to be current from now on, for an answer that takes a while."""
        watch = Watch()
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)

    async def erasure_of(self, memory_id: str) -> Erasure | None:
        """Prove whether a forgotten memory's bytes are gone; None where it was not forgotten."""
        return await self.read(lambda connection: erase.proof(connection, memory_id, self.path))

    async def erase_now(self, deadline: float | None = None) -> bool:
        """Erase at once what is owed. False: it stays owed (no room, or not done by `deadline`).

        Args:
            deadline: in seconds of the loop's clock.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                return await self.eraser.now()
        return False

    def subscribe(self, listener: Callable[[Committed], None]) -> None:
        """Have `listener` called on the loop after each COMMIT that changed which revisions are
        current, before the writes of that COMMIT are answered. It must not raise or block."""
        self._listeners.append(listener)

    @property
    def fault(self) -> str | None:
        """The error code of the last write that the disk or the file failed, until a later one
        succeeds; else of damage that a read has met."""
        return self._writer.fault or self._readers.fault

    def group_commits(self) -> dict[int, int]:
        """How many commits of each number of writes there were since the bank was opened."""
        return self._writer.group_commits()

    def file_bytes(self) -> int:
        """What the bank's file and its WAL take on the disk."""
        return sum(
            name.stat().st_size
            for name in (self.path, self.path.with_name(f"{FILE_NAME}-wal"))
            if name.exists()
        )

    async def close(self) -> None:
        """Commit what is queued, fold the WAL into the file, and close. Twice is nothing."""
        await self.sweeper.close()
        await self.eraser.break_off()
        await self._writer.close()
        await self.eraser.close()
        await self._readers.close()
        try:
            await self._database.run(
                lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            )
        except BankError:
            pass  # the WAL stays, and the next open reads it
        finally:
            await self._database.close()

    def _announce(self, committed: Committed) -> None:
        for watch in self._watches:
            watch.removed.update(committed.removed)
            watch.erased = watch.erased or committed.forgot
        if committed.forgot:
            self.eraser.owe()
        for listener in self._listeners:
            listener(committed)


async def _on_disk(work: Callable[[Path], None], path: Path) -> None:
    """Do something with files; what the system refuses is typed."""
    try:
        await asyncio.to_thread(work, path)
    except OSError as error:
        raise files.fault_of(error) from None


def _fold(raw: bytes, speaker: str | None) -> str:
    """Fold a stored text; what a fault has spoiled can still be taken out of the index."""
    return fold_document(raw.decode("utf-8", errors="replace"), speaker)


def _prepare(connection: Connection) -> None:
    connection.create_function("cognid_fold", 2, _fold, deterministic=True)
    connection.create_function("cognid_casefold", 1, casefolded, deterministic=True)


def _needs_copy(connection: Connection, path: Path, steps: Sequence[Step]) -> bool:
    """Whether steps are ahead of this file; then its WAL is folded in, ready to be copied."""
    found = migrate.version(connection)
    migrate.check_age(found, steps)
    if found == 0:
        raise DamagedError(f"no schema: {path}")
    if found == steps[-1].version:
        return False
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return True


def _keep_copy(path: Path) -> None:
    """Keep the file as it is now, still sealed under its key. A copy that an interrupted migration
    left is older than what this one would be, and stays."""
    to = path.with_name(f"{path.name}.before-migration")
    if not to.exists():
        files.copy(path, to)


def _bring_up(
    connection: Connection, path: Path, bank_id: str, steps: Sequence[Step], *, create: bool
) -> None:
    migrate.migrate(connection, steps)
    execute = connection.execute
    execute("BEGIN IMMEDIATE")
    if create:
        execute(
            "INSERT INTO meta(key, value) VALUES ('bank_id', ?), ('created_at', ?),"
            " ('fold_version', ?)",
            (bank_id, time.time_ns() // 1000, FOLD_VERSION),
        )
    meta = dict(execute("SELECT key, value FROM meta").fetchall())
    if meta.get("bank_id") != bank_id:
        raise DamagedError(f"the file of another bank: {path}")
    broken = ledger.verify(connection, last=_LEDGER_TAIL)
    if broken is not None:
        raise DamagedError(f"the ledger breaks at entry {broken}: {path}")
    if meta.get("fold_version") != FOLD_VERSION:
        execute("INSERT INTO lexical(lexical) VALUES ('rebuild')")
        execute("UPDATE meta SET value = ? WHERE key = 'fold_version'", (FOLD_VERSION,))
    execute("COMMIT")
