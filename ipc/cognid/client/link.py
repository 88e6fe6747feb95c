"""A link: one connection to the daemon, many requests in flight on it, answers matched by id.

It is an `asyncio.Protocol`: answers arrive in the event loop's own callback, so there is no reader
task that could leak. At most as many requests are in flight as the daemon takes; the next ones
wait their turn in the order they came, which keeps the order of writes.

Owns: ids, the line buffer, who waits for which answer, and whether a request's bytes may have
left. Knows neither operations nor retries. Lines never reach a message.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, Final, cast

from pydantic_core import from_json

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.frames import error_from

_STRANGER: Final = object()
"""Stands for an id that nobody asked under."""


class LostError(Exception):
    """The link ended before the answer came.

    Args:
        left: whether bytes of this request may have left.
        reason: what was wrong, where the daemon or its answer told.
    """

    def __init__(self, left: bool, reason: CognidError | None = None) -> None:
        super().__init__(left)
        self.left = left
        self.reason = reason


class LateError(Exception):
    """The time to wait is over; `left` as in `LostError`."""

    def __init__(self, left: bool) -> None:
        super().__init__(left)
        self.left = left


class Link(asyncio.Protocol):
    """One connection. Made by `dial.py`, which also proves both ends before others may use it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._ids = itertools.count(1)
        # An id whose asker has gone keeps its place, with None, until its answer comes: the daemon
        # still counts it among those in flight.
        self._waiting: dict[int, asyncio.Future[dict[str, Any]] | None] = {}
        self._slots = asyncio.Semaphore(bounds.REQUESTS_IN_FLIGHT)
        self._held = bytearray()
        self._reason: CognidError | None = None
        self._ended = self._loop.create_future()

    @property
    def alive(self) -> bool:
        """Whether a request can still be sent."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, method: str, params: bytes, until: float) -> dict[str, Any]:
        """Send one request and wait for its answer's frame, until a time of the loop's clock.

        Args:
            method: the operation's name.
            params: its parameters as one JSON object without line feeds.
            until: when to give up, by `loop.time()`.

        Raises:
            LostError, LateError: no answer came.
            CognidError: `line_too_long`; nothing was sent.
        """
        if len(params) > bounds.LINE_BYTES - 256:  # what stands around the parameters
            raise CognidError("line_too_long", f"at most {bounds.LINE_BYTES} bytes a request")
        await self._take_slot(until)
        request_id, answer = self._register()
        if not self._write(request_id, method, params):
            self._settle(request_id)
            raise LostError(left=False, reason=self._reason)
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
                raise LateError(left=False) from None
        else:
            await self._slots.acquire()  # does not suspend
        if not self.alive:
            self._slots.release()
            raise LostError(left=False, reason=self._reason)

    def _register(self) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        request_id = next(self._ids)
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._waiting[request_id] = answer
        return request_id, answer

    def _settle(self, request_id: int) -> None:
        del self._waiting[request_id]
        self._slots.release()

    def _write(self, request_id: int, method: str, params: bytes) -> bool:
        """Write a request; False where it is certain that none of it left."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return False
        line = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' % (
            request_id,
            method.encode("ascii"),
            params,
        )
        nothing_waits = transport.get_write_buffer_size() == 0
        transport.write(line)
        # asyncio sends at once where nothing waits; a dead peer then shows as a closing transport.
        return not (nothing_waits and transport.is_closing())

    def _abandon(self, request_id: int) -> None:
        """Stop waiting for an answer and tell the daemon so; the answer itself still comes."""
        if request_id not in self._waiting:
            return
        self._waiting[request_id] = None
        # A cancel is sent over the count: it must arrive when all slots are taken.
        cancel_id = next(self._ids)
        self._waiting[cancel_id] = None
        self._slots_owed_nothing.add(cancel_id)
        self._write(cancel_id, "cancel", b'{"request_id":%d}' % request_id)
