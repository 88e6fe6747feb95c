"""Lock: one daemon per data folder.

`flock` on `lock` in the data folder decides; the process id in the file is only a hint for the
person who is told "already running". The kernel drops the lock with the process, so a kill -9
leaves nothing to clean up, and the file itself is never removed.

Owns: taking the lock. May not judge a process id.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from cognid.protocol.errors import CognidError


@dataclass(frozen=True, slots=True)
class DataLock:
    """The lock, held as long as its descriptor is open."""

    descriptor: int

    def release(self) -> None:
        """Give the data folder up."""
        os.close(self.descriptor)


def take_lock(data: Path) -> DataLock:
    """Take the data folder for this process.

    Raises:
        CognidError: `already_running`, naming the holder's process id if it can be read.
        OSError: the file cannot be made or opened.
    """
    path = data / "lock"
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).strip()
            who = f"process {int(holder)}" if holder.isdigit() else "a process"
            raise CognidError("already_running", f"{who} holds {data}") from None
        os.fchmod(descriptor, 0o600)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
    except BaseException:
        os.close(descriptor)
        raise
    return DataLock(descriptor)
