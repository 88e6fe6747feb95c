"""The master key: where it comes from and how it is first made.

The order is: a systemd credential, then the key file. (The OS keyring and a passphrase will stand
between them, as further backends.) A key is made only where there is nothing yet that a lost key
could have sealed.

Owns: the backends and their order. The key is never part of a message or a repr.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from cognid_daemon.bank import files
from cognid_daemon.bank.errors import MissingKeyError, UnsafeFileError, WrongKeyError
from cognid_daemon.bank.keys import KEY_BYTES, new_key

CREDENTIAL_NAME: Final = "cognid-master-key"
FILE_NAME: Final = "master.key"
_LIMIT: Final = 4096


@dataclass(frozen=True, slots=True)
class MasterKey:
    """The key and the name of the backend that gave it, which `doctor` and `status` show."""

    key: bytes = field(repr=False)
    backend: str


class KeyBackend(Protocol):
    """A place that can hold the master key."""

    name: str
    place: str

    def load(self) -> bytes | None:
        """Give the 32 bytes, or None where this backend holds none."""


def _parse(content: bytes, place: str) -> bytes:
    """Read 32 raw bytes, or 64 hex digits with or without white space around them."""
    if len(content) == KEY_BYTES:
        return content
    try:
        key = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:  # its text may quote the content
        key = b""
    if len(key) != KEY_BYTES:
        raise WrongKeyError(f"{place} holds neither 32 bytes nor 64 hex digits") from None
    return key


class SystemdCredential:
    """`$CREDENTIALS_DIRECTORY/cognid-master-key`, as systemd's LoadCredential= provides it."""

    name = "systemd-credential"

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / CREDENTIAL_NAME
        self.place = str(self._path)

    def load(self) -> bytes | None:
        """Read the credential; systemd answers for the file's owner and mode."""
        try:
            with self._path.open("rb") as file:
                return _parse(file.read(_LIMIT), self.place)
        except FileNotFoundError:
            return None


class KeyFile:
    """A 0600 file of ours in the configuration folder: 64 hex digits and a line feed."""

    name = "key-file"

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.place = str(self._path)

    def load(self) -> bytes | None:
        """Read the file; a loose mode is tightened first.

        Raises:
            UnsafeFileError: it is a symbolic link, no regular file, or not ours.
        """
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            raise UnsafeFileError(f"not a file of ours: {self.place}") from None
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
                raise UnsafeFileError(f"not a file of ours: {self.place}")
            if stat.S_IMODE(found.st_mode) & 0o177:
                os.fchmod(descriptor, 0o600)
            return _parse(file.read(_LIMIT), self.place)

    def make(self) -> bytes:
        """Make a key and keep it, durably, before anything is sealed under it."""
        key = new_key()
        files.private_folder(self._path.parent)
        files.replace(self._path, key.hex().encode("ascii") + b"\n")
        return key


def find_master_key(
    config_folder: Path, environ: Mapping[str, str], *, data_exists: bool
) -> MasterKey:
    """Load the master key from the first backend that has it, or make the key file.

    Args:
        environ: for `CREDENTIALS_DIRECTORY`.
        data_exists: whether there is a catalog or a bank already; then no key is made.

    Raises:
        MissingKeyError: there is data and no key.
        WrongKeyError: what a backend holds is not a key.
        UnsafeFileError: the key file is not a file of ours.
    """
    file = KeyFile(config_folder)
    backends: list[KeyBackend] = [file]
    if credentials := environ.get("CREDENTIALS_DIRECTORY"):
        backends.insert(0, SystemdCredential(credentials))
    for backend in backends:
        key = backend.load()
        if key is not None:
            return MasterKey(key, backend.name)
    if data_exists:
        places = ", ".join(backend.place for backend in backends)
        raise MissingKeyError(f"there is data, but no master key; looked at {places}")
    return MasterKey(file.make(), file.name)
