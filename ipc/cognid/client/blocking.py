"""`Client`: the same methods, blocking, for any number of threads at once.

It runs one `AsyncClient` on a private event-loop thread. The other way, a blocking socket a
thread, would save the hop to that thread (about 0.1 ms a call) and cost a second implementation
of handshake, deadlines and the three fates of a write; being right in one place is worth more.

Owns: the thread. Each method is its `AsyncClient` namesake, made by `_blocking`, which keeps the
signature for type checkers and editors.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from cognid.client.asynchronous import AsyncClient
from cognid.credentials import Credential

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _blocking(
    method: Callable[Concatenate[AsyncClient, _P], Coroutine[Any, Any, _R]],
) -> Callable[Concatenate[Client, _P], _R]:
    @functools.wraps(method)
    def call(self: Client, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return self._run(method(self._client, *args, **kwargs))

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
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

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
    recall = _blocking(AsyncClient.recall)
    search = _blocking(AsyncClient.search)
    open_configure = _blocking(AsyncClient.open_configure)
    inspect_list = _blocking(AsyncClient.inspect_list)
    inspect_get = _blocking(AsyncClient.inspect_get)
    resolve = _blocking(AsyncClient.resolve)
    index_status = _blocking(AsyncClient.index_status)
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
        if os.getpid() != self._process:
            return  # the thread lives in the parent alone
        with self._guard:
            self._closed = True
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._client.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def _run(self, work: Coroutine[Any, Any, _R]) -> _R:
        try:
            loop = self._running_loop()
        except RuntimeError:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:
            # Interrupted (Ctrl-C) while waiting: call the request off. Else it is done already.
            future.cancel()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if os.getpid() != self._process:
            raise RuntimeError("this client was made before a fork: make one in this process")
        loop = self._loop
        if loop is not None:
            return loop
        with self._guard:
            if self._closed:
                raise RuntimeError("this client is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="cognid client", daemon=True
                )
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped, then end what is left on it."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
