"""A peer that speaks the real handshake and then whatever a test tells it to, faults included.

It runs on the test's own event loop. A test gives `answer`, which is called for each request after
the proof; without it everything is answered by a plausible `Pong`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cognid.credentials import Credential, new_credential
from cognid.protocol import proof
from cognid.protocol.frames import Request, error_line, parse_request, result_line
from cognid.protocol.proof import Verifier, verifier_of


@dataclass
class ScriptedConnection:
    """One connection of a caller."""

    writer: asyncio.StreamWriter

    def raw(self, content: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(content)

    def reply(self, request: Request, result: Any) -> None:
        """Answer a request."""
        self.raw(result_line(request.id, json.dumps(result).encode()))

    def error(self, request: Request, code: str, detail: str = "") -> None:
        """Refuse a request."""
        self.raw(error_line(request.id, code, detail))

    def hang_up(self) -> None:
        """Close the connection without a word."""
        self.writer.transport.abort()


Answer = Callable[[Request, ScriptedConnection], Awaitable[None] | None]


def pong(request: Request, connection: ScriptedConnection) -> None:
    """Answer every request with a sign of life; a cancel as found."""
    found = request.method == "cancel"
    connection.reply(request, {"found": True} if found else {"instance": "ins_scripted"})


@dataclass
class ScriptedDaemon:
    """A daemon that is none.

    Args:
        folder: made 0700, for the socket.
        answer: what to do with a request after the proof.
        verifier: what to prove oneself with; None for the right one.
        reflects: give the caller's own nonce back.
        hello: sent instead of an answer to hello.
        extra: fields laid over the answers to hello and prove.
    """

    folder: Path
    answer: Answer = pong
    verifier: Verifier | None = None
    reflects: bool = False
    hello: bytes | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    credential: Credential = field(default_factory=lambda: new_credential("test"))
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / "bridge.sock"

    async def __aenter__(self) -> Self:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def listen(self) -> None:
        """Begin to listen; again after `stop`."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._server = await asyncio.start_unix_server(
            self._serve, path=self.socket, limit=16 * 1024 * 1024
        )
        self.socket.chmod(0o600)

    async def stop(self) -> None:
        """End: no socket, no connection."""
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0)
        self.socket.unlink(missing_ok=True)

    def methods(self) -> list[str]:
        """The methods that were asked for, in their order, without cancels."""
        return [request.method for request in self.requests if request.method != "cancel"]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        connection = ScriptedConnection(writer)
        try:
            if await self._shake_hands(reader, connection):
                while line := await reader.readline():
                    request = parse_request(line.rstrip(b"\n"))
                    self.requests.append(request)
                    done = self.answer(request, connection)
                    if done is not None:
                        await done
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _shake_hands(
        self, reader: asyncio.StreamReader, connection: ScriptedConnection
    ) -> bool:
        line = await reader.readline()
        if not line:
            return False
        if self.hello is not None:
            connection.raw(self.hello)
            await reader.read()
            return False
        hello = parse_request(line.rstrip(b"\n"))
        ours = hello.params["client_nonce"] if self.reflects else proof.new_nonce()
        connection.reply(hello, {"server_nonce": ours, "version": 1, **self.extra})
        line = await reader.readline()
        if not line:
            return False
        prove = parse_request(line.rstrip(b"\n"))
        script = proof.transcript(
            hello.params["credential_id"],
            hello.params["client_nonce"],
            hello.params["versions"],
            ours,
            1,
        )
        verifier = self.verifier or verifier_of(self.credential.secret)
        proven = {
            "daemon_signature": proof.daemon_signature(verifier, script).hex(),
            "grant": {
                "credential_id": self.credential.credential_id,
                "name": "test",
                "owners": "*",
                "agents": "*",
                "rights": ["remember", "recall"],
            },
            "bounds": {},
            "build": "0.1.0",
            "instance": "ins_scripted",
            "state": "ready",
        }
        connection.reply(prove, {**proven, **self.extra})
        return True
