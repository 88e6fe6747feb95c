"""One SQLCipher connection on one worker thread, driven through aiosqlite.

Owns: how a file is opened (key first, then the settings that the promises rest on), how work gets
to its thread, and the translation of SQLite's errors: none of their texts leaves this module, since
they may quote what was stored. Only this module knows aiosqlite's private parts, of a pinned
version: it has no public call for a whole transaction in one callable on its thread, which is
3.5 times as fast as one await a statement (measured).
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import aiosqlite
from sqlcipher3 import dbapi2 as sqlcipher

from cognid_daemon.bank import files
from cognid_daemon.bank.errors import (
    BankError,
    ClosedError,
    DamagedError,
    DeadlineError,
    InternalError,
    OverloadedError,
    StorageFailedError,
    StorageFullError,
)

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")

SQLITE_ERRORS: Final = (sqlcipher.Error, MemoryError)

# aiosqlite logs each callable and each exception at DEBUG; either may hold content.
logging.getLogger("aiosqlite").disabled = True

_BUSY_MILLISECONDS: Final = 1000
_INTERRUPT_SECONDS: Final = 0.005
# A page is decrypted when it is read: a larger cache took a third off a lexical search at 100,000
# memories (measured), and is filled only as far as a bank has pages.
_READ_CACHE_KIB: Final = 16 * 1024
_PROBE_BYTES: Final = 64 * 1024
_SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # NORMAL lost acknowledged rows in 502 of 850 power cuts
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA foreign_keys = ON",
    "PRAGMA wal_autocheckpoint = 1000",
    f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}",
    "PRAGMA trusted_schema = ON",  # the lexical view calls our fold
    *(("PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON") * (sys.platform == "darwin")),
)

# Primary result codes (sqlite.org/rescode.html); sqlcipher3 does not give the extended ones.
_PERM, _BUSY, _LOCKED, _NOMEM, _READONLY, _INTERRUPT = 3, 5, 6, 7, 8, 9
_IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 10, 11, 13, 14, 26
# After these a connection stays broken (a failed HMAC does so by design): it is opened anew.
_BREAKING: Final = (StorageFailedError, StorageFullError, DamagedError)


def _is_full(path: Path) -> bool:
    """Whether the place of a failed write takes no more: SQLite keeps the errno to itself."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit != resource.RLIM_INFINITY:
        for name in (path, path.with_name(f"{path.name}-wal")):
            with suppress(OSError):
                if name.stat().st_size + _PROBE_BYTES >= limit:
                    return True
    probe = path.with_name(f"{path.name}.probe")
    try:
        descriptor = os.open(probe, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, bytes(_PROBE_BYTES))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.errno in files.FULL
    finally:
        with suppress(OSError):
            probe.unlink()
    return False


def _translate(error: Exception, path: Path) -> BankError:
    """Turn an exception of sqlcipher3 into one of ours, by its result code and without its text.

    The effect is none, since what was begun is rolled back; the writer knows better of a COMMIT.
    """
    if isinstance(error, MemoryError):
        return OverloadedError("SQLITE_NOMEM")
    code: int | None = getattr(error, "sqlite_errorcode", None)
    name: str = getattr(error, "sqlite_errorname", None) or type(error).__name__
    if code is None:
        return InternalError(name, effect="none")
    primary = code & 0xFF
    if primary == _FULL or (primary == _IOERR and _is_full(path)):
        return StorageFullError(name)
    if primary in (_IOERR, _CANTOPEN, _READONLY, _PERM):
        return StorageFailedError(f"{name}: {path}", effect="none")
    if primary in (_CORRUPT, _NOTADB):
        return DamagedError(f"{name}: {path}")
    if primary == _INTERRUPT:
        return DeadlineError(name)
    if primary in (_BUSY, _LOCKED, _NOMEM):
        return OverloadedError(name)
    return InternalError(name, effect="none")


def _stand_ready(path: Path, *, create: bool) -> None:
    """Make the file, or see that there is one; SQLite would take an empty one for a new one."""
    if create:
        try:
            files.make_empty(path)
        except FileExistsError:
            raise InternalError(f"there is a file already: {path}", effect="none") from None
        return
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = 0
    if size == 0:
        raise DamagedError(f"missing or empty: {path}")
    files.tighten(path)


class Database:
    """One file, one connection, one named thread.

    Methods that end in `_here` belong to the thread: only work that `run` runs may call them.
    """

    def __init__(
        self,
        path: Path,
        key: bytes,
        create: bool,
        query_only: bool,
        prepare: Callable[[Connection], None] | None,
    ) -> None:
        self.path = path
        self._key = key
        self._create = create
        self._query_only = query_only
        self._prepare = prepare
        self._connection: Connection | None = None
        self._broken = False
        self._proxy = aiosqlite.Connection(self._connect, iter_chunk_size=64)

    @classmethod
    async def open(
        cls,
        path: Path,
        key: bytes,
        *,
        create: bool = False,
        query_only: bool = False,
        name: str = "database",
        prepare: Callable[[Connection], None] | None = None,
    ) -> Database:
        """Open a file that is there, or make it with `create`.

        Args:
            key: 32 bytes, used as they are.
            prepare: called with each new connection, on the thread (to register functions).

        Raises:
            DamagedError: the file is missing, empty, or does not decrypt under the key.
            BankError: as the disk has it.
        """
        if len(key) != 32:
            raise InternalError("a raw key has 32 bytes", effect="none")
        database = cls(path, key, create, query_only, prepare)
        thread = database._proxy._thread
        thread.name = name
        # A process may end without `close`: what was acknowledged is on the disk by then.
        thread.daemon = True
        try:
            await database._proxy
        except BaseException:
            await asyncio.to_thread(thread.join)  # its last words go to this loop
            raise
        return database

    def _connect(self) -> Connection:
        """Open the file (on the thread): log level and key first, then prove the key by reading."""
        connection: Connection | None = None
        fault: BankError | None = None
        try:
            _stand_ready(self.path, create=self._create)
            self._create = False
            connection = sqlcipher.connect(
                str(self.path), isolation_level=None, check_same_thread=False, cached_statements=256
            )
            connection.execute("PRAGMA cipher_log_level = NONE").fetchall()
            connection.execute(f"PRAGMA key = \"x'{self._key.hex()}'\"").fetchall()
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            for setting in _SETTINGS:
                connection.execute(setting).fetchall()
            if self._query_only:
                connection.execute("PRAGMA query_only = ON").fetchall()
                connection.execute(f"PRAGMA cache_size = -{_READ_CACHE_KIB}").fetchall()
            if self._prepare is not None:
                self._prepare(connection)
        except SQLITE_ERRORS as error:
            fault = _translate(error, self.path)
        except OSError as error:
            fault = files.fault_of(error)
        if fault is not None:
            if connection is not None:
                connection.close()
            raise fault
        self._connection = connection
        self._broken = False
        return connection

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run a whole transaction or a whole read on the thread; what stays open is rolled back.

        `work` must fetch all rows: an open cursor keeps checkpoints waiting. A cancelled caller
        interrupts its work and waits until the thread is free again.

        Raises:
            BankError: SQLite's errors, translated. What `work` raises itself comes as it is.
        """

        def job() -> T:
            fault: BankError
            try:
                try:
                    return work(self.connection_here())
                finally:
                    if self._connection is not None and self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
            except SQLITE_ERRORS as error:
                fault = self.fault_here(error)
            raise fault  # outside the handler: the original, with its text, is not its context

        if self._proxy._connection is None:
            raise ClosedError
        try:
            # aiosqlite leaves its private call without types.
            result: T = await self._proxy._execute(job)  # type: ignore[no-untyped-call]
        except asyncio.CancelledError:
            await self._free()
            raise
        return result

    async def _free(self) -> None:
        """Interrupt what runs until the thread has come to the end of it."""
        loop = asyncio.get_running_loop()
        nothing = self._proxy._execute(_nothing)  # type: ignore[no-untyped-call] # as above
        barrier = loop.create_task(nothing)
        try:
            while not barrier.done():
                self.interrupt()
                await asyncio.wait([barrier], timeout=_INTERRUPT_SECONDS)
        finally:
            barrier.cancel()

    def interrupt(self) -> None:
        """Make the statement that runs now fail with `DeadlineError`; later ones are untouched."""
        connection = self._connection
        if connection is not None:
            with suppress(sqlcipher.Error):
                connection.interrupt()

    async def close(self) -> None:
        """Close the connection and end its thread. Closing twice is nothing."""
        fault: BankError | None = None
        try:
            await self._proxy.close()
        except sqlcipher.Error as error:
            fault = _translate(error, self.path)
        self._connection = None
        if fault is not None:
            raise fault

    def connection_here(self) -> Connection:
        """The connection, opened anew if it is broken (on the thread)."""
        if self._broken or self._connection is None:
            return self.reopen_here()
        return self._connection

    def reopen_here(self) -> Connection:
        """Close and open the connection (on the thread)."""
        if self._connection is not None:
            with suppress(sqlcipher.Error):
                self._connection.close()
            self._connection = None
        self._proxy._connection = self._connect()
        return self._proxy._connection

    def fault_here(self, error: Exception) -> BankError:
        """Translate an error of the connection and remember whether it is broken by it."""
        fault = _translate(error, self.path)
        if isinstance(fault, _BREAKING):
            self._broken = True
        return fault


def _nothing() -> None:
    """Come after what was queued before."""
