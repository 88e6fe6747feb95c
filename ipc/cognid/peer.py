"""Peer: which user is at the other end of a Unix socket, as the kernel says. Both ends ask it.

Owns: the two systems' ways of asking. May not decide what follows from the answer.
"""

from __future__ import annotations

import socket
import struct
import sys
from typing import Final

_UCRED: Final = struct.Struct("iII")  # struct ucred: pid, uid, gid (unix(7))
_LOCAL_PEERCRED: Final = 1  # <sys/un.h> of macOS
_SOL_LOCAL: Final = 0
_XUCRED_BYTES: Final = 76  # struct xucred: u_int version; uid_t; short ngroups; gid_t[16]


def peer_uid(connected: socket.socket) -> int:
    """The user id of the process at the other end.

    Raises:
        OSError: the kernel does not say.
    """
    if sys.platform == "darwin":
        answer = connected.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
        version, uid = struct.unpack_from("II", answer)
        if version != 0:
            raise OSError("unknown version of struct xucred")
        return int(uid)
    answer = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    return int(_UCRED.unpack(answer)[1])
