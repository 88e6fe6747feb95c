"""One SQLCipher connection on one worker thread, driven through aiosqlite.

Owns: how a file is opened (key first, then the settings that the promises rest on), how work gets
to its thread, and the translation of SQLite's errors: none of their texts leaves this module, since
they may quote what was stored. Only this module knows aiosqlite's private parts, of a pinned
version: it has no public call for a whole transaction in one callable on its thread, which is
3.5 times as fast as one await a statement (measured).
"""

from __future__ import annotations

import asyncio
import errno
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

# aiosqlite logs each callable and each exception at DEBUG; either may hold content.
logging.getLogger("aiosqlite").disabled = True

_BUSY_MILLISECONDS: Final = 1000
_INTERRUPT_SECONDS: Final = 0.005
_PROBE_BYTES: Final = 64 * 1024
_FULL_ERRNO: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
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

# Primary result codes (sqlite.org/rescode.html).
_NOMEM, _INTERRUPT, _IOERR, _CORRUPT, _FULL, _NOTADB = 7, 9, 10, 11, 13, 26
_BUSY, _LOCKED, _CANTOPEN, _READONLY, _PERM = 5, 6, 14, 8, 3
# IOERR_WRITE, _FSYNC, _TRUNCATE, _SHMOPEN, _SHMSIZE, _SHMMAP: what a full disk can look like.
_WRITING: Final = {778, 1034, 1546, 4618, 4874, 5386}
_BROKEN: Final = {_IOERR, _CORRUPT, _NOTADB, _FULL, _CANTOPEN}
WRITE_FAILED: Final = "SQLITE_IOERR_WRITE"


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
        return error.errno in _FULL_ERRNO
    finally:
        with suppress(OSError):
            probe.unlink()
    return False


def _translate(error: Exception, path: Path) -> BankError:
    """Turn an exception of sqlcipher3 into one of ours, by its result code."""
    if isinstance(error, MemoryError):
        return OverloadedError("SQLITE_NOMEM")
    code = getattr(error, "sqlite_errorcode", None)
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    match None if code is None else code & 0xFF:
        case 13:
            return StorageFullError(name)
        case 10 if code in _WRITING and _is_full(path):
            return StorageFullError(name)
        case 10 | 14 | 8 | 3:
            return StorageFailedError(f"{name}: {path}")
        case 11 | 26:
            return DamagedError(f"{name}: {path}")
        case 9:
            return DeadlineError(name)
        case 5 | 6 | 7:
            return OverloadedError(name)
        case _:
            return InternalError(name, effect="none")
