"""Private files and folders: made 0600 and 0700, and durable before anyone relies on them.

Owns: how a folder is made, how a small file is replaced, what "loose" means for both. A name is
durable only once its folder was fsynced (measured by replaying power cuts).
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from cognid_daemon.bank.errors import (
    BankError,
    StorageFailedError,
    StorageFullError,
    UnsafeFileError,
)

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What a system says of a place that takes no more."""
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


def fault_of(error: OSError) -> BankError:
    """The typed error for a file that the system refused; nothing was written by then."""
    kind = StorageFullError if error.errno in FULL else StorageFailedError
    return kind(f"{error.strerror}: {error.filename}", effect="none")


def _sync(descriptor: int) -> None:
    """fsync; on macOS that leaves the data in the disk's cache, F_FULLFSYNC does not."""
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_file(file: BinaryIO) -> None:
    """Make what was written to an open file durable."""
    file.flush()
    _sync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def private_folder(folder: Path) -> None:
    """Make a folder (and those above it) 0700 and durable, or tighten the one that is there.

    Raises:
        UnsafeFileError: it is not a folder, not ours, or a symbolic link.
    """
    if not folder.parent.exists():
        private_folder(folder.parent)
    try:
        folder.mkdir(mode=_FOLDER_MODE)
    except FileExistsError:
        made = False
    else:
        made = True
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise UnsafeFileError(f"not a folder of ours: {folder}")
    if stat.S_IMODE(found.st_mode) != _FOLDER_MODE:
        folder.chmod(_FOLDER_MODE)
    if made:
        sync_folder(folder.parent)


def make_empty(path: Path) -> None:
    """Make an empty 0600 file whose name is durable; SQLite gives its WAL the same mode.

    Raises:
        FileExistsError: there is one already.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, _FILE_MODE))
    sync_folder(path.parent)


def tighten(path: Path) -> None:
    """Take away from a file of ours what others may do with it.

    Raises:
        UnsafeFileError: it is not a regular file of ours.
    """
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        raise UnsafeFileError(f"not a file of ours: {path}")
    if stat.S_IMODE(found.st_mode) != _FILE_MODE:
        path.chmod(_FILE_MODE)


def _beside(path: Path) -> tuple[Path, int]:
    """Open a fresh file beside `path`, to be renamed onto it."""
    beside = path.with_name(f"{path.name}.new")
    with suppress(FileNotFoundError):
        beside.unlink()
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
    return beside, os.open(beside, flags, _FILE_MODE)


def replace(path: Path, content: bytes) -> None:
    """Put a whole file in place of another: after a crash there is the old one or the new one."""
    beside, descriptor = _beside(path)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        _sync(descriptor)
    beside.replace(path)
    sync_folder(path.parent)


def copy(path: Path, to: Path) -> None:
    """Copy a file that nobody writes to; `to` appears whole or not at all."""
    beside, descriptor = _beside(to)
    with path.open("rb") as source, os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
        file.flush()
        _sync(descriptor)
    beside.replace(to)
    sync_folder(to.parent)
