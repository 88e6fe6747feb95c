"""Ballast: a file of 8 MiB that is given up when the disk is full, so that a forget still works.

Owns: making it (real bytes, durable) and giving it up. It holds random bytes: a file system that
compresses or leaves holes would keep no room for zeros.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from cognid_daemon.bank import files

FILE_NAME: Final = "ballast"
BYTES: Final = 8 * 1024 * 1024


class Ballast:
    """The ballast of a data folder."""

    def __init__(self, data_folder: Path) -> None:
        self._path = data_folder / FILE_NAME

    def keep(self) -> None:
        """Make it, if it is not there and the disk has room for it twice over; else nothing."""
        with suppress(OSError):
            if self._path.stat().st_size == BYTES:
                return
        disk = os.statvfs(self._path.parent)
        if disk.f_bavail * disk.f_frsize < 2 * BYTES:
            return
        with suppress(OSError):  # the disk filled up just now: it is tried again later
            files.replace(self._path, os.urandom(BYTES))

    def give_up(self) -> bool:
        """Free its room. False: it was given up before."""
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        files.sync_folder(self._path.parent)
        return True
