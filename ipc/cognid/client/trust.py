"""Trust in a socket: everything that is looked at before the first byte is sent.

Owns: the checks of the socket's path and of who listens there. The daemon's own proof comes after
them (`handshake.py`); these keep a credential's id and a person's text from going to a stranger.
"""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from cognid.paths import distrust
from cognid.peer import peer_uid
from cognid.protocol.errors import CognidError


def check_path(path: Path) -> None:
    """Refuse a socket that is not a 0600 socket of ours in a folder that is ours alone.

    Raises:
        CognidError: `unreachable` where there is none, else `untrusted_socket`.
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        raise CognidError("unreachable", f"no socket at {path}") from None
    except OSError as error:
        raise CognidError("untrusted_socket", f"{path}: {error.strerror}") from None
    reason = distrust(path.parent)
    if reason:
        raise CognidError("untrusted_socket", reason)
    if not stat.S_ISSOCK(status.st_mode):
        raise CognidError("untrusted_socket", f"{path} is not a socket")
    if status.st_uid != os.getuid():
        raise CognidError("untrusted_socket", f"{path} belongs to user {status.st_uid}")
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        raise CognidError("untrusted_socket", f"{path} has mode {mode:04o}, not 0600")


def check_peer(connected: socket.socket) -> None:
    """Refuse a listener that is another person's.

    Root is taken too: a system unit's socket is made by the system manager, and root could read
    everything anyway. What listens has to prove itself in any case.

    Raises:
        CognidError: `untrusted_socket`.
    """
    try:
        uid = peer_uid(connected)
    except OSError:
        raise CognidError("untrusted_socket", "the system does not say who listens") from None
    if uid not in (os.getuid(), 0):
        raise CognidError("untrusted_socket", f"user {uid} listens at the socket")
