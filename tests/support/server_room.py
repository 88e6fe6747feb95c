"""The server room alone: a real socket, real grants and connections, and handlers of the test's
own, on an event loop in a thread of its own, so that a test can use blocking connections."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from support.daemon import RawConnection

from cognid.credentials import Credential, credential_path, load_credential
from cognid.paths import Places, make_folder
from cognid_daemon.daemon import Daemon
from cognid_daemon.dispatch import Handler
from cognid_daemon.grants import Grants
from cognid_daemon.health import Health
from cognid_daemon.listener import listen
from cognid_daemon.logs import Log
from cognid_daemon.operations import grants, knowledge, link
from cognid_daemon.server import Server
from cognid_daemon.settings import Settings

T = TypeVar("T")


@dataclass
class ServerRoom:
    """A running server; `run` reaches into its loop."""

    places: Places
    loop: asyncio.AbstractEventLoop
    daemon: Daemon
    opened: list[RawConnection] = field(default_factory=list)

    @property
    def server(self) -> Server:
        """The server under test."""
        return self.daemon.server

    @property
    def owner(self) -> Credential:
        """The owner's credential."""
        return load_credential(credential_path(self.places))

    def connect(self, credential: Credential | None = None, *, prove: bool = True) -> RawConnection:
        """A blocking connection, closed with the room."""
        connection = RawConnection(
            self.places.socket, credential or self.owner, prove=prove, timeout=10
        )
        self.opened.append(connection)
        return connection

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def do(self, work: Callable[[], T]) -> T:
        """Call a function on the server's loop."""

        async def wrapped() -> T:
            return work()

        return self.run(wrapped())


@contextlib.contextmanager
def server_room(
    folder: Path, handlers: Mapping[str, Handler] | None = None
) -> Iterator[ServerRoom]:
    """Serve the link, grant and knowledge families and the given handlers at a socket."""
    folder.chmod(0o700)
    places = Places(folder / "data", folder / "config", folder / "run/bridge.sock")
    make_folder(places.data)
    made: list[ServerRoom] = []
    ready = threading.Event()

    async def live() -> None:
        held = Grants.load(places.data)
        held.settle_owner(places)
        # No bank and no model takes part: a handler that asked for one would fail loudly.
        missing = cast(Any, None)
        daemon = Daemon(places, Settings(), Log("error"), Health(), held, missing, missing, "none")
        families = {**link.HANDLERS, **grants.HANDLERS, **knowledge.HANDLERS}
        daemon.server = Server(daemon, {**families, **(handlers or {})})
        daemon.state = "ready"
        daemon.server.start(listen(places.socket))
        made.append(ServerRoom(places, asyncio.get_running_loop(), daemon))
        ready.set()
        await daemon.stopping.wait()
        await daemon.server.drain(0.5)
        held.close()

    thread = threading.Thread(target=asyncio.run, args=(live(),), name="server room")
    thread.start()
    assert ready.wait(10)
    room = made[0]
    try:
        yield room
    finally:
        for connection in room.opened:
            connection.close()
        with contextlib.suppress(RuntimeError):  # the test has stopped the daemon: no loop any more
            room.loop.call_soon_threadsafe(room.daemon.stop)
        thread.join(10)
        assert not thread.is_alive()
