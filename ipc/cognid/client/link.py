"""A link: one connection to the daemon, many requests in flight on it, answers matched by id.

It is an `asyncio.Protocol`: answers arrive in the event loop's own callback, so there is no reader
task that could leak. At most as many requests are in flight as the daemon takes; the next ones
wait their turn in the order they came, which keeps the order of writes and bounds what is queued.

Owns: ids, the line buffer, who waits for which answer, and whether a request's bytes may have
left. Knows neither operations nor retries. What stands on a line never reaches a message.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, cast

from pydantic_core import from_json

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.frames import error_from

_ENVELOPE_BYTES = 256
"""More than what stands around the parameters of any request."""

Frame = dict[str, Any]
"""An answer as it stands on its line; its result is not yet validated."""


class LostError(Exception):
    """The link ended before the answer came.

    Args:
        left: whether bytes of this request may have left.
        reason: what was wrong, where the daemon told or its answer showed it.
    """

    def __init__(self, left: bool, reason: CognidError | None) -> None:
        super().__init__(left)
        self.left = left
        self.reason = reason


class LateError(Exception):
    """The time to wait is over; `left` as in `LostError`."""

    def __init__(self, left: bool) -> None:
        super().__init__(left)
        self.left = left


class Link(asyncio.Protocol):
    """One connection. `dial.py` makes it and has both ends proved before anyone else may use it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._ids = itertools.count(1)
        # An id whose asker has gone keeps its place, with None, until its answer comes: the daemon
        # still counts it among those in flight.
        self._waiting: dict[int, asyncio.Future[Frame] | None] = {}
        self._slots = asyncio.Semaphore(bounds.REQUESTS_IN_FLIGHT)
        self._held = bytearray()
        self._reason: CognidError | None = None
        self._ended: asyncio.Future[None] = self._loop.create_future()

    @property
    def alive(self) -> bool:
        """Whether a request can still be sent."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, method: str, params: bytes, until: float) -> Frame:
        """Send one request and wait for its answer.

        Args:
            method: the operation's name.
            params: its parameters as one JSON object without line feeds.
            until: when to give up, by the loop's clock.

        Raises:
            LostError, LateError: no answer came.
            CognidError: `line_too_long`; nothing was sent.
        """
        if len(params) > bounds.LINE_BYTES - _ENVELOPE_BYTES:
            raise CognidError("line_too_long", f"at most {bounds.LINE_BYTES} bytes a request")
        await self._take_slot(until)
        request_id = next(self._ids)
        if not self._write(request_id, method, params):
            self._slots.release()
            raise LostError(False, self._reason)
        answer: asyncio.Future[Frame] = self._loop.create_future()
        self._waiting[request_id] = answer
        timer = self._loop.call_at(until, _expire, answer)
        try:
            return await answer
        except (asyncio.CancelledError, LateError):
            self._abandon(request_id)
            raise
        finally:
            timer.cancel()

    async def _take_slot(self, until: float) -> None:
        if self._slots.locked():
            try:
                async with asyncio.timeout_at(until):
                    await self._slots.acquire()
            except TimeoutError:
                raise LateError(False) from None
        else:
            await self._slots.acquire()  # does not suspend

    def _write(self, request_id: int, method: str, params: bytes) -> bool:
        """Write a request; False where it is certain that none of it left."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return False
        nothing_waits = transport.get_write_buffer_size() == 0
        transport.write(
            b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n'
            % (request_id, method.encode("ascii"), params)
        )
        # asyncio sends at once where nothing waits; a dead peer then shows as a closing transport.
        return not (nothing_waits and transport.is_closing())

    def _abandon(self, request_id: int) -> None:
        """Stop waiting for an answer and call the request off; the answer itself still comes."""
        if request_id in self._waiting:
            self._waiting[request_id] = None
            # Under the negative id, and over the count: it must arrive when all slots are taken.
            self._write(-request_id, "cancel", b'{"request_id":%d}' % request_id)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport (called by the loop)."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Split what came into lines (called by the loop)."""
        if b"\n" in data:
            *lines, rest = (bytes(self._held) + data if self._held else data).split(b"\n")
            self._held.clear()
            self._held += rest
            for line in lines:
                self._take_answer(line)
        else:
            self._held += data
        if len(self._held) > bounds.LINE_BYTES:
            self._break("an answer is longer than the bridge takes")

    def _take_answer(self, line: bytes) -> None:
        if self._reason is not None:
            return  # broken: nothing that follows can be trusted to be whose it says
        try:
            frame = from_json(line, allow_inf_nan=False)
        except ValueError:
            # The parser's message is left behind: it could quote the line.
            self._break("an answer is not JSON")
            return
        request_id = frame.get("id") if isinstance(frame, dict) else None
        if request_id is None and isinstance(frame, dict) and isinstance(frame.get("error"), dict):
            # About the connection itself, which the daemon closes next; or about a line of ours
            # that it could not read, and then somebody here waits for what never comes.
            self._end(error_from(frame["error"]))
            return
        if type(request_id) is not int or (request_id > 0 and request_id not in self._waiting):
            self._break("an answer belongs to no request")
            return
        if request_id < 0:
            return  # to a cancel
        answer = self._waiting.pop(request_id)
        self._slots.release()
        if answer is not None and not answer.done():
            answer.set_result(frame)

    def _break(self, detail: str) -> None:
        """End a connection whose answers cannot be made sense of."""
        self._end(CognidError("protocol_violation", detail))

    def _end(self, reason: CognidError) -> None:
        self._reason = reason
        self._held.clear()
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everyone who waits (called by the loop)."""
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            self._slots.release()
            if answer is not None and not answer.done():
                answer.set_exception(LostError(True, self._reason))
        if not self._ended.done():
            self._ended.set_result(None)

    async def wait_ended(self) -> None:
        """Wait until the connection is gone."""
        await asyncio.shield(self._ended)

    async def close(self) -> None:
        """End the connection at once; who still waits gets `LostError`."""
        if self._transport is not None:
            self._transport.abort()
            await self.wait_ended()


def _expire(answer: asyncio.Future[Frame]) -> None:
    if not answer.done():
        answer.set_exception(LateError(True))
