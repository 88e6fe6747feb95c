"""`Client`: the same methods, blocking, for any number of threads at once.

It runs one `AsyncClient` on a private event-loop thread. The other way, a blocking socket a
thread, would save the hop to that thread (about 0.1 ms a call) and cost a second implementation
of handshake, deadlines and the three fates of a write; being right in one place is worth more.

Each method is its `AsyncClient` namesake, made by `_blocking`, which keeps the signature for type
checkers and editors. The thread itself is `loop_thread.py`'s.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from cognid.client.asynchronous import AsyncClient
from cognid.client.loop_thread import LoopThread
from cognid.credentials import Credential

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _blocking(
    method: Callable[Concatenate[AsyncClient, _P], Coroutine[Any, Any, _R]],
) -> Callable[Concatenate[Client, _P], _R]:
    @functools.wraps(method)
    def call(self: Client, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return self._thread.run(method(self._client, *args, **kwargs))

    return call


class Client:
    """A client of the daemon for threads. See `AsyncClient` for the arguments and the methods.

    It may not be used in a process that was forked after it was made: make one there.
    """

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        session_id: str | None = None,
    ) -> None:
        self._client = AsyncClient(socket, credential, owner, agent, session_id)
        self._thread = LoopThread()

    connect = _blocking(AsyncClient.connect)
    call = _blocking(AsyncClient.call)
    ping = _blocking(AsyncClient.ping)
    status = _blocking(AsyncClient.status)
    shutdown = _blocking(AsyncClient.shutdown)
    ensure_bank = _blocking(AsyncClient.ensure_bank)
    bank_status = _blocking(AsyncClient.bank_status)
    banks = _blocking(AsyncClient.banks)
    remember = _blocking(AsyncClient.remember)
    add = _blocking(AsyncClient.add)
    explain = _blocking(AsyncClient.explain)
    remember_evidence = _blocking(AsyncClient.remember_evidence)
    remember_user_event = _blocking(AsyncClient.remember_user_event)
    recover = _blocking(AsyncClient.recover)
    recall = _blocking(AsyncClient.recall)
    search = _blocking(AsyncClient.search)
    append_messages = _blocking(AsyncClient.append_messages)
    session_messages = _blocking(AsyncClient.session_messages)
    clear_session = _blocking(AsyncClient.clear_session)
    replace_lane = _blocking(AsyncClient.replace_lane)
    query_lanes = _blocking(AsyncClient.query_lanes)
    drop_lane = _blocking(AsyncClient.drop_lane)
    assemble_context = _blocking(AsyncClient.assemble_context)
    open_configure = _blocking(AsyncClient.open_configure)
    inspect_list = _blocking(AsyncClient.inspect_list)
    inspect_get = _blocking(AsyncClient.inspect_get)
    inspect_history = _blocking(AsyncClient.inspect_history)
    inspect_recent = _blocking(AsyncClient.inspect_recent)
    correct = _blocking(AsyncClient.correct)
    pin = _blocking(AsyncClient.pin)
    forget_preview = _blocking(AsyncClient.forget_preview)
    forget = _blocking(AsyncClient.forget)
    set_enabled = _blocking(AsyncClient.set_enabled)
    delete_all = _blocking(AsyncClient.delete_all)
    tool_forget_preview = _blocking(AsyncClient.tool_forget_preview)
    tool_forget = _blocking(AsyncClient.tool_forget)
    tool_correct_preview = _blocking(AsyncClient.tool_correct_preview)
    tool_correct = _blocking(AsyncClient.tool_correct)
    export = _blocking(AsyncClient.export)
    import_records = _blocking(AsyncClient.import_records)
    doctor = _blocking(AsyncClient.doctor)
    resolve = _blocking(AsyncClient.resolve)
    index_status = _blocking(AsyncClient.index_status)
    rebuild_indexes = _blocking(AsyncClient.rebuild_indexes)
    create_grant = _blocking(AsyncClient.create_grant)
    grants = _blocking(AsyncClient.grants)
    revoke_grant = _blocking(AsyncClient.revoke_grant)

    @property
    def owner(self) -> str:
        """Whose memories, where a call names no one else."""
        return self._client.owner

    @property
    def agent(self) -> str | None:
        """Which agent's, where a call names no other."""
        return self._client.agent

    @property
    def session_id(self) -> str | None:
        """The conversation, where a call names no other."""
        return self._client.session_id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection and the thread. Calls in flight fail as `AsyncClient.close` says."""
        self._thread.close(self._client.close)
