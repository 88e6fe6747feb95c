"""Dialling: from a socket's path to a proven link.

Owns: the order of the checks. Nothing is sent before the path and the listener are trusted, and
nothing but the handshake before both ends are proved.
"""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Final

from cognid.client.handshake import shake_hands
from cognid.client.link import Link
from cognid.client.trust import check_path, check_peer
from cognid.credentials import Credential, default_credential, load_credential
from cognid.paths import find_places
from cognid.protocol.errors import CognidError
from cognid.protocol.link import Proven

DIAL_SECONDS: Final = 10.0
"""Bounds one attempt. A daemon that its socket starts has to load first, so this is more than the
two seconds of the handshake; a call waits no longer than its own deadline."""
_BACKLOG_PAUSE: Final = 0.01


async def dial(path: Path | None, credential: Credential | Path | None) -> tuple[Link, Proven]:
    """Connect and prove both ends.

    Args:
        path: the socket; None for the place that `paths.py` works out.
        credential: the credential or its file; None for `$COGNID_CREDENTIAL`, else the owner's.

    Raises:
        CognidError: `unreachable`, `untrusted_socket`, `credential_missing`, `credential_unsafe`,
            and what `shake_hands` raises.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + DIAL_SECONDS
    if path is None:
        path = find_places().socket
    check_path(path)
    if not isinstance(credential, Credential):
        credential = load_credential(credential or default_credential(find_places()))
    connected = await _connect(path, until)
    try:
        check_peer(connected)
        _, link = await loop.create_unix_connection(Link, sock=connected)
    except BaseException:
        connected.close()
        raise
    try:
        return link, await shake_hands(link, credential, until)
    except BaseException:
        await link.close()
        raise


async def _connect(path: Path, until: float) -> socket.socket:
    """Connect a Unix socket. It is done at once or not at all; a full backlog is waited for.

    asyncio's own `sock_connect` takes EAGAIN for a connect in progress, which it never is here.
    """
    loop = asyncio.get_running_loop()
    wanted = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        wanted.setblocking(False)
        while True:
            try:
                wanted.connect(str(path))
            except BlockingIOError:
                if loop.time() > until:
                    raise CognidError("unreachable", f"{path}: its backlog is full") from None
                await asyncio.sleep(_BACKLOG_PAUSE)
            except OSError as error:
                raise CognidError("unreachable", f"{path}: {error.strerror}") from None
            else:
                return wanted
    except BaseException:
        wanted.close()
        raise
