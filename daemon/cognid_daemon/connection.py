"""Connection: one caller's stream of lines, both ways (`cognid.protocol.frames` has the form).

A plain asyncio protocol: no reader task, and a request that needs no waiting is answered where its
bytes arrive. Everything is bounded: a line (`line_too_long`), the time and the steps of the
handshake, the requests in flight (`overloaded`; reading goes on, so that `cancel` always arrives),
the replies left unread (`slow_consumer`), and the time that a closing connection may take.

Owns: bytes in, lines out, and the tasks of the requests in flight, which it ends and the server
awaits. May not know an operation.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING, Final, cast

from pydantic import ValidationError

import cognid
from cognid.peer import peer_uid
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.frames import (
    FrameError,
    Request,
    RequestId,
    error_line,
    parse_request,
    result_line,
)
from cognid.protocol.link import Hello, HelloReply, Prove, Proven
from cognid.protocol.table import HANDSHAKE
from cognid.protocol.validation import describe
from cognid_daemon.dispatch import Work
from cognid_daemon.grants import Grant
from cognid_daemon.handshake import Handshake
from cognid_daemon.managers import Managers
from cognid_daemon.previews import Previews
from cognid_daemon.turns import Turn, Turns

if TYPE_CHECKING:
    from cognid_daemon.server import Server

LINES_AT_ONCE: Final = 16
"""Lines of one connection that are taken before the others have their turn."""
CLOSING_SECONDS: Final = 2.0
"""How long a closing connection may take to hand over what was already written."""


class Connection(asyncio.Protocol):
    """One connection, from accept to loss."""

    def __init__(self, server: Server, number: int) -> None:
        self.number = number
        self.managers = Managers()
        self.previews = Previews()
        self._turns = Turns()
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport  # from `connection_made` on
        self._handshake: Handshake | None = Handshake(server.daemon.grants, server.decoys)
        self._grant: Grant | None = None
        self._buffer = bytearray()
        self._scanned = 0
        self._line_limit = bounds.LINE_BYTES_BEFORE_PROOF
        self._in_flight: dict[RequestId, asyncio.Task[None]] = {}
        self._cancelled: set[RequestId] = set()
        self._paused = False
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def grant(self) -> Grant:
        """The grant that was proved; there is none before the proof."""
        if self._grant is None:
            raise CognidError("unauthenticated", "not proven")
        return self._grant

    @property
    def credential_id(self) -> str:
        """The credential that was proved."""
        return self.grant.credential_id

    @property
    def is_proven(self) -> bool:
        """Whether the handshake is done."""
        return self._grant is not None

    @property
    def in_flight(self) -> int:
        """Requests whose answers are still owed."""
        return len(self._in_flight)

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the peer in, or say why not and close."""
        self._transport = cast(asyncio.Transport, transport)
        connected = cast(socket.socket, transport.get_extra_info("socket"))
        if not _is_us(connected):
            self._server.daemon.log.warning("peer_refused", connection=self.number)
            self.end("unauthenticated", "the peer is another user")
        elif not self._server.admit(self):
            self.end("too_many_connections")
        else:
            self._timer = self._loop.call_later(
                bounds.HANDSHAKE_SECONDS, self.end, "handshake_timeout"
            )

    def data_received(self, data: bytes) -> None:
        """Take the lines that are whole, keep the rest."""
        if self._closing:
            return
        if not self._buffer and data.find(b"\n") == len(data) - 1 <= self._line_limit:
            self._take(data)  # one whole line, as callers mostly send: nothing is copied
            return
        self._buffer += data
        self._take_lines()

    def eof_received(self) -> bool:
        """The caller sends no more: half a line is dropped, answers that are owed still go out."""
        self._ended = True
        self._buffer.clear()
        self._close_if_answered()
        return True  # the transport stays until `_close` says otherwise

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more: call off what is in flight."""
        if self._timer:
            self._timer.cancel()
        if self._handshake:
            self._server.leave_handshake()
        self.cancel_all()
        self._server.lost(self)

    # Called by the server and by handlers.

    def send(self, line: bytes) -> None:
        """Write one line, unless the caller is gone or has left too much unread."""
        if self._closing:
            return
        self._transport.write(line)
        if self._transport.get_write_buffer_size() > bounds.UNREAD_REPLY_BYTES:
            self.end("slow_consumer")

    def cancel(self, request_id: RequestId) -> bool:
        """Call off a request in flight, at most once; tells whether there was one."""
        task = self._in_flight.get(request_id)
        if task is None:
            return False
        if request_id not in self._cancelled:
            self._cancelled.add(request_id)
            # Behind the task's first step, which is in the loop's queue by now: what has begun
            # where its line was read is called off by its own handler and by nobody else.
            self._loop.call_soon(task.cancel)
        return True

    def cancel_all(self) -> None:
        """Call off every request in flight."""
        for request_id in tuple(self._in_flight):
            self.cancel(request_id)

    def end(self, code: str | None = None, detail: str = "") -> None:
        """Say why, if there is a reason to give, call off what is in flight, and close."""
        if self._closing:
            return
        if code:
            self._server.daemon.log.debug("connection_ended", connection=self.number, code=code)
            self._transport.write(error_line(None, code, detail))
        self._close()
        self.cancel_all()

    def end_when_answered(self) -> None:
        """Take no more lines, and close once no answer is owed."""
        self._ended = True
        if not self._closing:
            self._transport.pause_reading()
        self._close_if_answered()

    # Lines.

    @property
    def _closing(self) -> bool:
        return self._transport.is_closing()

    def _take_lines(self) -> None:
        for _ in range(LINES_AT_ONCE):
            if self._closing or self._ended:
                return
            end = self._buffer.find(b"\n", self._scanned)
            length = len(self._buffer) if end < 0 else end
            if length > self._line_limit:
                self._buffer.clear()
                self.end("line_too_long", f"the limit here is {self._line_limit} bytes")
                return
            if end < 0:
                self._scanned = length
                self._read_on()
                return
            with memoryview(self._buffer) as view:
                line = bytes(view[: end + 1])
            del self._buffer[: end + 1]
            self._scanned = 0
            self._take(line)
        # The rest waits while the other connections have their turn; no more is read meanwhile,
        # so the buffer holds one line and one read at most.
        if not self._paused and not self._closing:
            self._paused = True
            self._transport.pause_reading()
        self._loop.call_soon(self._take_lines)

    def _read_on(self) -> None:
        if self._paused and not self._ended:
            self._paused = False
            self._transport.resume_reading()

    def _take(self, line: bytes) -> None:
        arrived = self._loop.time()
        try:
            request = parse_request(line)
        except FrameError as error:
            if self._handshake:
                self._refuse(error.request_id, error.code, error.detail)
            else:
                self.send(error_line(error.request_id, error.code, error.detail))
            return
        if self._handshake:
            self._shake(self._handshake, request)
        else:
            self._serve(request, arrived)

    # Before the proof.

    def _shake(self, handshake: Handshake, request: Request) -> None:
        try:
            if self._server.daemon.state == "draining":
                raise CognidError("shutting_down")
            operation = HANDSHAKE.get(request.method)
            if operation is None:
                raise CognidError("unauthenticated", "hello and prove come first")
            asked: Hello | Prove = operation.read_request.validate_python(request.params)
            if isinstance(asked, Hello):
                reply: HelloReply | Proven = handshake.hello(asked)
            else:
                reply = self._prove(handshake, asked)
        except CognidError as error:
            self._refuse(request.id, error.code, error.detail)
        except ValidationError as error:
            self._refuse(request.id, "invalid_argument", describe(error))
        else:
            self.send(result_line(request.id, reply.__pydantic_serializer__.to_json(reply)))

    def _prove(self, handshake: Handshake, asked: Prove) -> Proven:
        proof = handshake.prove(asked)
        if self._timer:
            self._timer.cancel()
        self._handshake = None
        self._server.leave_handshake()
        self._grant = proof.grant
        self._line_limit = bounds.LINE_BYTES
        daemon = self._server.daemon
        return Proven(
            daemon_signature=proof.signature.hex(),
            grant=proof.grant.view(),
            bounds={name: bound for name, (bound, _) in bounds.BOUNDS.items()},
            build=cognid.__version__,
            instance=daemon.instance,
            state=daemon.state,
        )

    def _refuse(self, request_id: RequestId | None, code: str, detail: str) -> None:
        """Answer a wrong step of the handshake; there is no second try on this connection."""
        self.send(error_line(request_id, code, detail))
        self._close()

    # After the proof.

    def _serve(self, request: Request, arrived: float) -> None:
        if request.id in self._in_flight:
            self.send(error_line(request.id, "invalid_request", "the id is in flight already"))
            return
        dispatcher = self._server.dispatcher
        answer = dispatcher.take(self, request, arrived)
        if not isinstance(answer, bytes) and len(self._in_flight) >= bounds.REQUESTS_IN_FLIGHT:
            answer = error_line(request.id, "overloaded", "on this connection")
        if not isinstance(answer, bytes):
            turn = self._turns.take(answer.operation, answer.request)
            answer = dispatcher.begin(answer, turn)
        if isinstance(answer, bytes):
            self.send(answer)
        else:
            task = self._loop.create_task(self._answer(answer, turn))
            self._in_flight[request.id] = task
            self._server.own(task)
            task.add_done_callback(lambda _: self._settled(turn))

    async def _answer(self, work: Work, turn: Turn) -> None:
        line = await self._server.dispatcher.run(work, turn)
        self._in_flight.pop(work.request_id, None)
        self._cancelled.discard(work.request_id)
        self.send(line)

    def _settled(self, turn: Turn) -> None:
        turn.end()
        self._close_if_answered()

    # The end.

    def _close_if_answered(self) -> None:
        if self._ended and not self._in_flight and not self._closing:
            self._close()

    def _close(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._transport.close()
        self._timer = self._loop.call_later(CLOSING_SECONDS, self._transport.abort)


def _is_us(connected: socket.socket) -> bool:
    try:
        return peer_uid(connected) == os.getuid()
    except OSError:
        return False
