"""Dispatch: from one request of a proven connection to its answer.

In this order: the operation, whether the daemon still takes work, the request's form, the grant,
then the handler. Every way out is a typed line. What a handler did not foresee is `internal` with
the id of an incident; the log then has the exception's type and the places it passed, nothing else.

A handler keeps its deadline itself, because a write whose COMMIT has begun answers its true outcome
however late. The net under it here only catches a handler that hangs.

Owns: the order above, and the words of a refusal. May not write to a socket.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from cognid.protocol.errors import CognidError
from cognid.protocol.frames import Request, RequestId, error_line, result_line
from cognid.protocol.table import OPERATIONS, RECALLS, Operation, Reach, find_operation
from cognid.protocol.validation import describe
from cognid_daemon.bank.errors import BankError
from cognid_daemon.grants import Grant
from cognid_daemon.logs import Log, fault_fields
from cognid_daemon.turns import FREE, Turn

if TYPE_CHECKING:
    from cognid_daemon.connection import Connection
    from cognid_daemon.daemon import Daemon

NET_SECONDS: Final = 30.0
"""How long after its deadline a handler is taken to hang: far beyond a slow fsync."""
_SAY_PENDING: Final = RECALLS | {"operation.resolve"}
"""Operations that have a word of their own for a change that is not done in time."""
_TAKEN_WHILE_DRAINING: Final = frozenset({"ping", "status", "cancel"})


@dataclass(slots=True)
class Call:
    """What a handler gets beside the validated request. Instants are `loop.time()` seconds."""

    daemon: Daemon
    connection: Connection
    method: str
    params: dict[str, Any]
    """As they stood on the line: the request's digest is made of them."""
    arrived: float
    deadline: float
    in_turn: bool = True
    """False where an earlier change of its connection was not done by the deadline: the handler
    says so in its own words, or `dispatch` does."""


Handler = Callable[[Call, Any], Awaitable[BaseModel] | BaseModel]
"""Answers a request, or raises CognidError or BankError. What it does before it gives a coroutine
back is done before any later line is looked at, and must not block. One that is no coroutine
function and not marked by `begins` answers at once."""

_H = TypeVar("_H", bound=Handler)


def begins(handler: _H) -> _H:
    """Mark a plain function that may begin its work at once and gives the rest as a coroutine.

    A write that is queued where its line is read saves the step of a task (60–100 µs of a round
    trip, measured), and its place in the order is plain to see.
    """
    handler.begins = True  # type: ignore[attr-defined]  # a mark on the function itself
    return handler


@dataclass(slots=True)
class Work:
    """A request that was let in and whose handler has to be awaited.

    `rest` is what is left of a handler once it has begun.
    """

    request_id: RequestId
    operation: Operation
    call: Call
    request: Any
    handler: Callable[[Call, Any], Awaitable[BaseModel]]
    rest: Awaitable[BaseModel] | None = None


class Dispatcher:
    """Takes requests for one daemon.

    Args:
        handlers: by operation; exactly the operations of the table.
    """

    def __init__(self, daemon: Daemon, handlers: Mapping[str, Handler]) -> None:
        self._daemon = daemon
        self._log: Log = daemon.log
        self._handlers = dict(handlers)
        self._slow = {
            name
            for name, one in handlers.items()
            if inspect.iscoroutinefunction(one) or hasattr(one, "begins")
        }

    def take(self, connection: Connection, request: Request, arrived: float) -> bytes | Work:
        """Answer a request as a line, or give the work that will."""
        operation: Operation | None = None
        try:
            operation = find_operation(request.method)
            if operation is None:
                raise CognidError("unknown_operation")
            if self._daemon.state == "draining" and operation.name not in _TAKEN_WHILE_DRAINING:
                raise CognidError("shutting_down")
            asked = _asked(operation, request)
            _check_grant(connection.grant, operation, asked)
            milliseconds = operation.deadline_ms_of(asked)
            call = Call(
                self._daemon,
                connection,
                request.method,
                request.params,
                arrived,
                arrived + milliseconds / 1000,
            )
            handler: Any = self._handlers[operation.name]
            if operation.name in self._slow:
                return Work(request.id, operation, call, asked, handler)
            return _result(request.id, handler(call, asked))
        except Exception as error:  # the room's edge: every fault becomes a typed line
            return self._error(request.id, operation.name if operation else None, error)

    def begin(self, work: Work, turn: Turn) -> bytes | Work:
        """Let a handler that `begins` do so, if it is its turn; give its error, or what is left."""
        if turn.before or not hasattr(work.handler, "begins"):
            return work
        try:
            work.rest = work.handler(work.call, work.request)
        except Exception as error:  # the room's edge: every fault becomes a typed line
            turn.end()
            return self._error(work.request_id, work.call.method, error)
        return work

    async def run(self, work: Work, turn: Turn = FREE) -> bytes:
        """Await the work's turn and its handler, and give the line of its answer."""
        try:
            async with asyncio.timeout_at(work.call.deadline + NET_SECONDS):
                if turn.before and not await turn.comes(work.call.deadline):
                    if work.operation.name not in _SAY_PENDING:
                        raise CognidError("deadline_exceeded", "an earlier change is not done yet")
                    work.call.in_turn = False
                reply = await (work.rest or work.handler(work.call, work.request))
            return _result(work.request_id, reply)
        except asyncio.CancelledError:
            return error_line(work.request_id, "cancelled")
        except Exception as error:  # the room's edge: every fault becomes a typed line
            return self._error(work.request_id, work.call.method, error)
        finally:
            turn.end()

    def _error(self, request_id: RequestId, method: str | None, error: Exception) -> bytes:
        match error:
            case CognidError():
                return error_line(request_id, error.code, error.detail, error.effect)
            case BankError():
                return error_line(request_id, error.code, error.detail, error.effect)
            case _:
                incident = f"inc_{secrets.token_hex(6)}"
                known = method if method in OPERATIONS else None
                fields = fault_fields(error)
                self._log.error("incident", incident=incident, method=known, **fields)
                return error_line(request_id, "internal", f"incident {incident}")


def _asked(operation: Operation, request: Request) -> Any:
    """The request, validated. Only what fails here is the caller's: an answer of ours that does not
    validate is an incident, for by then something may have happened."""
    try:
        return operation.read_request.validate_python(request.params)
    except ValidationError as error:
        raise CognidError("invalid_argument", describe(error)) from None


def _result(request_id: RequestId, reply: BaseModel) -> bytes:
    # What model_dump_json does, without its way over str: 4 MiB pages and hot pings go here.
    return result_line(request_id, reply.__pydantic_serializer__.to_json(reply))


def _check_grant(grant: Grant, operation: Operation, asked: Any) -> None:
    """Refuse what the grant does not allow, by the name of what is missing."""
    if grant.lacks(operation.right) and all(grant.lacks(right) for right in operation.or_rights):
        raise CognidError("forbidden", f"the right {operation.right} is not in the grant")
    if operation.reach is Reach.BANK:
        if not grant.reaches_owner(asked.owner):
            raise CognidError("forbidden", "owner is not in the grant")
        if not grant.reaches_agent(asked.agent):
            raise CognidError("forbidden", "agent is not in the grant")
