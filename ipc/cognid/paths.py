"""Paths: where the socket, the data and the configuration lie, and whether they are ours alone.

Client and daemon both ask here, so that they agree on the same socket whatever the environment.

- data: `$XDG_DATA_HOME/cognid` (macOS: `~/Library/Application Support/cognid`)
- configuration: `$XDG_CONFIG_HOME/cognid`
- socket: `$COGNID_SOCKET`, else `$XDG_RUNTIME_DIR/cognid/bridge.sock`, else (Linux)
  `/run/user/UID/cognid/bridge.sock` where that folder is ours, else `run/bridge.sock` in the data
  folder. A path that is too long for the system is replaced by `/tmp/cognid-UID-HASH/bridge.sock`,
  HASH being of the long path.

Owns: the rules above and the trust in a folder. May not talk to the socket.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import PlatformDirs

from cognid.protocol.errors import CognidError

SOCKET_PATH_BYTES: Final = 103 if sys.platform == "darwin" else 107
"""sun_path less its NUL: 104 bytes on macOS, 108 on Linux (unix(4), unix(7))."""
SOCKET_VARIABLE: Final = "COGNID_SOCKET"
_UNMAPPED_UID: Final = 65534
"""The owner that the kernel shows for a user whom a user namespace does not map."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders and the socket of one person's Cognid."""

    data: Path
    configuration: Path
    socket: Path

    @property
    def credentials(self) -> Path:
        """The folder of the credential files."""
        return self.configuration / "credentials"


def find_places() -> Places:
    """Work out the places from the environment; nothing is made or checked.

    Raises:
        CognidError: `socket_path_too_long`.
    """
    dirs = PlatformDirs("cognid", appauthor=False, roaming=False)
    data = Path(dirs.user_data_dir)
    return Places(data, Path(dirs.user_config_dir), _socket_path(data))


def _socket_path(data: Path) -> Path:
    named = os.environ.get(SOCKET_VARIABLE)
    return short_enough(Path(named).absolute() if named else _runtime_folder(data) / "bridge.sock")


def short_enough(wanted: Path) -> Path:
    """Give a socket's path, or its replacement where the system takes none as long.

    Raises:
        CognidError: `socket_path_too_long`.
    """
    if len(os.fsencode(wanted)) <= SOCKET_PATH_BYTES:
        return wanted
    digest = hashlib.sha256(os.fsencode(wanted)).hexdigest()[:12]
    # A fixed name under /tmp: both ends must find it, and `check_folder` refuses a squatter's.
    short = Path(f"/tmp/cognid-{os.getuid()}-{digest}/bridge.sock")  # noqa: S108
    if len(os.fsencode(short)) > SOCKET_PATH_BYTES:
        raise CognidError(
            "socket_path_too_long",
            f"{wanted} has {len(os.fsencode(wanted))} bytes, the limit is {SOCKET_PATH_BYTES}",
        )
    return short


def _runtime_folder(data: Path) -> Path:
    named = os.environ.get("XDG_RUNTIME_DIR")
    if named and Path(named).is_absolute():
        return Path(named) / "cognid"
    usual = Path(f"/run/user/{os.getuid()}")
    try:
        if sys.platform == "linux" and usual.stat().st_uid == os.getuid():
            return usual / "cognid"
    except OSError:
        pass  # no such folder here: a container, a headless box, macOS
    return data / "run"


def distrust(folder: Path) -> str | None:
    """Say why a folder is not ours alone, or None where it is.

    The folder itself must be ours, 0700 and no symbolic link. Each folder above it must belong to
    us or to root and be writable by no one else (a sticky folder such as /tmp may); a link above
    it must belong to us or to root (macOS: /tmp).

    In a sandbox that maps only our user, root's folders and a stranger's look the same: there the
    owner of a folder above is not judged. `cognid service install` and every client judge it from
    outside.
    """
    us = os.getuid()
    trusted = {0, us, _UNMAPPED_UID} if _root_is_unmapped() else {0, us}
    try:
        own = folder.lstat()
        if not stat.S_ISDIR(own.st_mode):
            return f"{folder} is a symbolic link or no folder"
        if own.st_uid != us:
            return f"{folder} belongs to user {own.st_uid}"
        if stat.S_IMODE(own.st_mode) & 0o077:
            return f"{folder} has mode {stat.S_IMODE(own.st_mode):04o}, not 0700"
        for above in folder.absolute().parents:
            link = above.lstat()
            if link.st_uid not in trusted:
                return f"{above} belongs to user {link.st_uid}"
            mode = above.stat().st_mode
            if mode & 0o022 and not mode & stat.S_ISVTX:
                return f"{above} is writable by others (mode {stat.S_IMODE(mode):04o})"
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None


def _root_is_unmapped() -> bool:
    """Whether we live in a user namespace without root (user_namespaces(7)): a user unit's."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return False  # no such thing on this system
    return not any(line.split()[0] == "0" for line in lines)


def make_folder(folder: Path) -> None:
    """Make a folder 0700, and those missing above it, and fsync the parent of each; tighten one of
    ours that is found loose.

    Raises:
        CognidError: `folder_unsafe` where it is not ours alone and cannot be made so.
    """
    try:
        missing = [above for above in folder.parents if not above.exists()]
        for above in reversed(missing):
            # One by one: mkdir(parents=True) would give the outer ones the umask's mode.
            above.mkdir(mode=0o700, exist_ok=True)
            sync_folder(above.parent)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            pass
        else:
            sync_folder(folder.parent)
        status = folder.lstat()
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        if ours and stat.S_IMODE(status.st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        detail = f"{error.filename or folder}: {error.strerror}"
        raise CognidError("folder_unsafe", detail) from None
    reason = distrust(folder)
    if reason:
        raise CognidError("folder_unsafe", reason)


def _sync(handle: int) -> None:
    """fsync; on macOS that leaves the data in the disk's cache, F_FULLFSYNC does not."""
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _sync(handle)
    finally:
        os.close(handle)


def write_private(path: Path, content: bytes) -> None:
    """Write a 0600 file so that after a crash it is whole, old or new: tmp, fsync, rename, fsync.

    The folder must be ours alone already (`make_folder`).
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(temporary, flags, 0o600)
    try:
        try:
            os.fchmod(handle, 0o600)
            view = memoryview(content)
            while view:
                view = view[os.write(handle, view) :]
            _sync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def read_private(path: Path, limit: int = 64 * 1024) -> bytes:
    """Read a small file that only we can read.

    Raises:
        FileNotFoundError: there is none.
        CognidError: `credential_unsafe` where it is a link, not ours, or others can read it.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise CognidError("credential_unsafe", f"{path}: {error.strerror}") from None
    try:
        status = os.fstat(handle)
        mode = stat.S_IMODE(status.st_mode)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or mode & 0o077:
            raise CognidError("credential_unsafe", f"{path}: mode {mode:04o}, user {status.st_uid}")
        return os.read(handle, limit)
    finally:
        os.close(handle)
