"""Server: the set of connections, how many there may be, and how they end.

At most `bounds.UNPROVEN_CONNECTIONS` are in their handshake; who comes meanwhile waits in the
listener's backlog, so that a burst of callers is served and not turned away. A caller that says
nothing holds its place for the two seconds of the handshake.

Owns: the accepting from the listener, the connections, and every task that answers a request:
whatever becomes of its connection, `drain` awaits it.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from cognid.protocol import bounds
from cognid_daemon.connection import Connection
from cognid_daemon.dispatch import Dispatcher, Handler
from cognid_daemon.handshake import Decoys
from cognid_daemon.listener import Listener

if TYPE_CHECKING:
    from cognid_daemon.daemon import Daemon

CANCEL_SECONDS: Final = 0.25
"""For requests that are called off at the end of a drain: a COMMIT that has begun is finished."""
ACCEPT_AGAIN_SECONDS: Final = 0.1
FLUSH_SECONDS: Final = 0.25
"""For answers that were written but not yet read when the daemon ends."""


class Server:
    """All connections of one daemon."""

    def __init__(self, daemon: Daemon, handlers: Mapping[str, Handler]) -> None:
        self.daemon = daemon
        self.decoys = Decoys()
        self.dispatcher = Dispatcher(daemon, handlers)
        self._connections: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self._gone = asyncio.Event()
        self._listener: Listener | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._places = asyncio.Semaphore(bounds.UNPROVEN_CONNECTIONS)

    def start(self, listener: Listener) -> None:
        """Accept connections."""
        self._listener = listener
        self._accepting = asyncio.create_task(self._accept(listener.socket), name="accept")

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._places.acquire()
            try:
                accepted, _ = await loop.sock_accept(listening)
                await loop.connect_accepted_socket(
                    lambda: Connection(self, next(self._numbers)), accepted
                )
            except OSError:  # no descriptors left, or the caller is gone: the others still wait
                self._places.release()
                await asyncio.sleep(ACCEPT_AGAIN_SECONDS)

    @property
    def connections(self) -> int:
        """Connections that are open, proven or not."""
        return len(self._connections)

    @property
    def in_flight(self) -> int:
        """Requests whose answers are still owed, on all connections."""
        return len(self._tasks)

    # For connections.

    def admit(self, connection: Connection) -> bool:
        """Take a new connection in, unless there are as many as the bounds allow."""
        if len(self._connections) >= bounds.CONNECTIONS:
            return False
        self._connections.add(connection)
        return True

    def leave_handshake(self) -> None:
        """Give up a connection's place among the unproven: it is proven, or over. Once for each."""
        self._places.release()

    def lost(self, connection: Connection) -> None:
        """Forget a connection; one that was not admitted is no fault."""
        self._connections.discard(connection)
        if not self._connections:
            self._gone.set()

    def own(self, task: asyncio.Task[None]) -> None:
        """Keep a request's task until it is done."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # For handlers and the lifecycle.

    def end_credential(self, credential_id: str, asking: Connection) -> int:
        """Close the connections of a revoked credential at once; tells how many there were.

        The connection that asks for it is closed too, after its answer.
        """
        ended = [
            connection
            for connection in self._connections
            if connection.is_proven and connection.credential_id == credential_id
        ]
        for connection in ended:
            if connection is asking:
                connection.end_when_answered()
            else:
                connection.end("unauthenticated", "the grant was revoked")
        return len(ended)

    async def drain(self, seconds: float) -> None:
        """Accept no more, let what is in flight finish, then close every connection.

        Ends within `seconds` + CANCEL_SECONDS + FLUSH_SECONDS.
        """
        if self._listener:
            self._listener.remove()
        if self._accepting:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])
        if self._listener:
            self._listener.socket.close()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=seconds)
        for connection in tuple(self._connections):
            connection.cancel_all()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=CANCEL_SECONDS)
        for connection in tuple(self._connections):
            connection.end("shutting_down")
        if self._connections:
            self._gone.clear()
            try:
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._gone.wait()
            except TimeoutError:
                pass  # the caller does not read; the process ends without it
