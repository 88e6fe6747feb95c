"""The caller: any operation of the table, with a deadline, over a link that is made when needed.

The three fates of a write are kept here. A write whose bytes may have left and whose answer was
lost is `OutcomeUnknownError` with its operation id; it is never sent again. A read whose link was
lost is asked once more on a new one.

Owns: reconnecting, how long to wait, retries, and the validation of answers. Knows the operations
only through `protocol/table.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from cognid.client.arguments import request_of
from cognid.client.closing import AsyncClosing
from cognid.client.dial import dial
from cognid.client.link import Frame, LateError, Link, LostError
from cognid.credentials import Credential
from cognid.protocol.errors import CognidError, OutcomeUnknownError
from cognid.protocol.frames import error_from
from cognid.protocol.table import RECALLS, Operation, find_operation
from cognid.protocol.validation import describe

if TYPE_CHECKING:
    from cognid.protocol.link import Proven

_GRACE_SECONDS: Final = 1.0
"""How much longer than the daemon's own deadline a call waits: the way there and back."""
_GRACE_SECONDS_RECALL: Final = 0.15
"""A recall stands in a turn's way, so it waits less."""
_ONCE: Final = frozenset({"shutdown", "cancel"})
"""Reads that are not asked again on a new link: it could reach another daemon."""
_REPEATABLE: Final = frozenset({"operation.resolve"})
"""Writes that may be asked again: settling an operation twice settles it the same."""


class Caller(AsyncClosing):
    """Calls operations by name. Belongs to the event loop it is first used on."""

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
    ) -> None:
        self._socket = Path(socket) if isinstance(socket, str) else socket
        self._credential = Path(credential) if isinstance(credential, str) else credential
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link: Link | None = None
        self._proven: Proven | None = None
        self._dialling: asyncio.Task[None] | None = None
        self._closed = False

    async def close(self) -> None:
        """End the connection. Reads in flight fail; writes in flight are of unknown outcome."""
        self._closed = True
        if self._dialling is not None:
            self._dialling.cancel()
            await asyncio.wait({self._dialling})
        if self._link is not None:
            await self._link.close()

    async def connect(self, *, seconds: float = 10.0) -> Proven:
        """Connect now rather than at the first call, and tell what was proved.

        Raises:
            CognidError: see `dial.py`; `deadline_exceeded` after so many seconds.
        """
        loop = self._bind()
        await self._linked(loop.time() + seconds)
        assert self._proven is not None  # noqa: S101 (a link stands only beside what it proved)
        return self._proven

    async def ask(self, name: str, /, **fields: Any) -> Any:
        """Call an operation with a request of these fields, which is checked before it is sent.

        Raises:
            CognidError: `invalid_argument` where a field is wrong; else as `call`.
        """
        operation = find_operation(name)
        if operation is None:
            raise CognidError("unknown_operation", name)
        return await self.call(name, request_of(operation, fields))

    async def call(self, name: str, request: BaseModel) -> Any:
        """Call an operation of `protocol/table.py`.

        Args:
            name: its name on the wire.
            request: an instance of its request model.

        Returns:
            An instance of its answer model.

        Raises:
            CognidError: what the daemon refused; `unreachable` where nothing was sent;
                `deadline_exceeded` or `connection_lost` for a read; `protocol_violation` where
                the answer has not the shape it should have.
            OutcomeUnknownError: the answer to a write was lost.
        """
        operation = find_operation(name)
        if operation is None:
            raise CognidError("unknown_operation", name)
        params = _params(request)
        operation_id: str | None = (
            getattr(request, "operation_id", None) if operation.mutates else None
        )
        deadline_ms = operation.deadline_ms_of(request)
        grace = _GRACE_SECONDS_RECALL if name in RECALLS else _GRACE_SECONDS
        until = self._bind().time() + deadline_ms / 1000 + grace
        frame = await self._exchange(name, params, until, operation_id)
        return _read(operation, name, frame, operation_id)

    async def _exchange(
        self, name: str, params: bytes, until: float, operation_id: str | None
    ) -> Frame:
        may_repeat = name not in _ONCE and (operation_id is None or name in _REPEATABLE)
        again = True
        while True:
            link = await self._linked(until)
            try:
                return await link.ask(name, params, until)
            except LateError as late:
                if operation_id is not None and late.left:
                    raise OutcomeUnknownError(operation_id, "no answer in time") from None
                raise CognidError("deadline_exceeded", "no answer in time") from None
            except LostError as lost:
                if lost.left and operation_id is not None and not may_repeat:
                    raise _unknown(operation_id, lost) from None
                broken = lost.reason is not None and lost.reason.code == "protocol_violation"
                if again and not (broken or self._closed) and (may_repeat or not lost.left):
                    again = False
                    continue
                raise _lost(lost, operation_id) from None

    def _bind(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None:
                raise RuntimeError("this client belongs to another event loop")
            self._loop = loop
        if self._closed:
            raise RuntimeError("this client is closed")
        return loop

    async def _linked(self, until: float) -> Link:
        """Give the link, dialling where there is none.

        However many ask at once, one dials, and goes on when they give up.
        """
        loop = self._bind()
        if self._link is not None and self._link.alive:
            return self._link
        if self._dialling is None:
            self._dialling = loop.create_task(self._dial(), name="cognid dial")
            self._dialling.add_done_callback(_look_at)
        dialling = self._dialling
        done, _ = await asyncio.wait({dialling}, timeout=until - loop.time())
        if not done:
            raise CognidError("deadline_exceeded", "no connection in time")
        if dialling.cancelled():
            raise CognidError("unreachable", "the client was closed")
        failure = dialling.exception()
        if isinstance(failure, CognidError):
            # A copy: many callers may raise it, each with its own traceback.
            raise CognidError(failure.code, failure.detail, remedy=failure.remedy)
        if failure is not None:
            raise failure
        assert self._link is not None  # noqa: S101 (a dial that did not fail has set it)
        return self._link

    async def _dial(self) -> None:
        try:
            self._link, self._proven = await dial(self._socket, self._credential)
        finally:
            self._dialling = None


def _look_at(task: asyncio.Task[None]) -> None:
    """Take a dial's failure off its hands where all who waited for it have given up."""
    if not task.cancelled():
        task.exception()


def _params(request: BaseModel) -> bytes:
    try:
        return request.__pydantic_serializer__.to_json(request, exclude_defaults=True)
    except (PydanticSerializationError, ValueError):
        # From None: the message could quote the text.
        raise CognidError("invalid_argument", "the request has no form in JSON") from None


def _read(operation: Operation, name: str, frame: Frame, operation_id: str | None) -> Any:
    error = frame.get("error")
    if isinstance(error, dict):
        raise error_from(error, operation_id)
    try:
        return operation.read_reply.validate_python(frame.get("result"))
    except ValidationError as invalid:
        raise CognidError(
            "protocol_violation", f"{name}: {describe(invalid)}", operation_id=operation_id
        ) from None


def _unknown(operation_id: str, lost: LostError) -> OutcomeUnknownError:
    return OutcomeUnknownError(operation_id, lost.reason.code if lost.reason else "")


def _lost(lost: LostError, operation_id: str | None) -> CognidError:
    if not lost.left:
        return CognidError("unreachable", "the connection ended before the request was sent")
    if lost.reason is not None:
        return lost.reason
    return CognidError("connection_lost", "", operation_id=operation_id)
