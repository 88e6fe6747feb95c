"""Listener: the one socket that the daemon listens at, made here or handed over by the system.

With socket activation (`$LISTEN_FDS`, sd_listen_fds(3)) the service manager owns the socket and
its path; nothing is bound or removed. Otherwise the path is bound in a folder that is ours alone.
A socket file that is left over is removed only while the data folder's lock is held, so it can
belong to no living daemon of this data, only if it is a socket of our user, and only if nobody
listens there: a daemon of other data may, whose callers would come to this one.

Owns: the listening socket and its file. May not accept a connection.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cognid.paths import make_folder
from cognid.protocol.errors import CognidError

_FIRST_PASSED: Final = 3  # SD_LISTEN_FDS_START
_BACKLOG: Final = 256


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket. `path` is the file that we made and must remove, or None; `made` tells
    it from another one that took its place."""

    socket: socket.socket
    path: Path | None
    made: tuple[int, int] | None = None

    def touch(self) -> None:
        """Keep the file young: what cleans temporary folders removes sockets by their age."""
        if self.path:
            with suppress(OSError):  # removed by somebody: callers find none in any case
                os.utime(self.path)

    def remove(self) -> None:
        """Take the socket's file away, if we made it, so that no new caller finds it."""
        # Ours may be gone since, and a daemon of other data or a service manager listen there.
        if self.path and _identity(self.path) == self.made:
            self.path.unlink(missing_ok=True)


def listen(path: Path) -> Listener:
    """Take the socket that was passed to this process, or bind one. The lock must be held.

    Raises:
        CognidError: `folder_unsafe` where the socket's folder is not ours alone or what lies at
            the path is not a socket of ours; `already_running` where somebody listens there;
            `configuration_invalid` for a passed socket of another kind.
        OSError: binding failed.
    """
    passed = _passed_socket()
    if passed:
        return Listener(passed, None)
    make_folder(path.parent)
    _remove_leftover(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        before = os.umask(0o177)  # 0600 from the first moment on
        try:
            made.bind(os.fspath(path))
        finally:
            os.umask(before)
        made.listen(_BACKLOG)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return Listener(made, path, _identity(path))


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one of its name; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _passed_socket() -> socket.socket | None:
    """The activated socket; the variables are removed so that no child takes it for its own."""
    process = os.environ.pop("LISTEN_PID", "")
    count = os.environ.pop("LISTEN_FDS", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if process != str(os.getpid()) or not count.isdigit() or int(count) == 0:
        return None
    if int(count) != 1:
        raise CognidError("configuration_invalid", f"{count} sockets were passed, 1 is taken")
    os.set_inheritable(_FIRST_PASSED, False)
    passed = socket.socket(fileno=_FIRST_PASSED)
    accepting = passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if passed.family != socket.AF_UNIX or passed.type != socket.SOCK_STREAM or not accepting:
        raise CognidError("configuration_invalid", "the passed socket is no Unix stream listener")
    name = passed.getsockname()
    if not isinstance(name, str) or not name.startswith("/"):
        raise CognidError("folder_unsafe", "the passed socket has no path")
    make_folder(Path(name).parent)
    passed.setblocking(False)
    return passed


def _remove_leftover(path: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid():
        raise CognidError("folder_unsafe", f"{path} is not a socket of ours")
    if _is_heard(path):
        raise CognidError("already_running", f"a daemon of other data listens at {path}")
    path.unlink()


def _is_heard(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        try:
            caller.connect(os.fspath(path))
        except BlockingIOError:
            return True  # its backlog is full
        except OSError:
            return False
    return True
