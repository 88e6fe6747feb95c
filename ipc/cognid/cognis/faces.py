"""`AsyncCognis` and `Cognis`: who is set, and what each call takes.

Owns: the signatures. Who is set is `names.py`'s; what a call does is `calls.py`'s and `reads.py`'s.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from cognid.client.closing import AsyncClosing, Closing
from cognid.client.loop_thread import Blocking, LoopThread, blocking
from cognid.cognis.calls import CognisCalls, read_messages, with_zone
from cognid.cognis.names import Scoped, Who
from cognid.cognis.shapes import (
    Added,
    Context,
    Done,
    Found,
    Got,
    HistoryDict,
    Listed,
    Updated,
)
from cognid.starting import find_home

_R = TypeVar("_R")


class AsyncCognis(Scoped, AsyncClosing):
    """Memory by owner, agent and session, for asyncio. Answers plain dicts (`shapes.py`).

    Facts belong to an owner and agent and outlive sessions; messages belong to one session. Who is
    set holds where a call names no one else, as it stands when the method is called, not when it
    is awaited. Where no daemon runs one is started (`cognid/starting.py`).

    Args:
        gemini_api_key, config: taken and not used: nothing leaves this machine.
        data_dir: a folder for a daemon of its own; by default the person's own daemon.
        owner_id: the person or tenant; by default the local user.
        agent_id: the agent; None is a scope of its own, never all agents.
        session_id: the conversation; one is made up where none is named.
        socket: the socket of a daemon that runs; then none is started.

    Raises:
        ValueError: none of the three is named, or one of them is "" or too long.
        CognidError: by every call; see `docs/errors.md`.
        OutcomeUnknownError: by a call that writes: its answer was lost.
    """

    def __init__(
        self,
        gemini_api_key: str | None = None,
        data_dir: Path | str | None = None,
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        config: object = None,
        socket: Path | str | None = None,
    ) -> None:
        self._who = Who(owner_id, agent_id, session_id)
        self._home = find_home(data_dir, socket)
        self._calls = CognisCalls(self._home)

    # Not `async def`: who is set is read when a method is called.

    def add(
        self,
        messages: Iterable[Mapping[str, Any]],
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        reference_time: datetime | None = None,
    ) -> Coroutine[Any, Any, Added]:
        """Remember what was said: facts for good, the messages themselves in the session.

        Args:
            messages: dicts with `role` and `content`, and perhaps the speaker's `name`.
            owner_id, agent_id, session_id: instead of who is set.
            reference_time: when it was said, if not now; without a zone it is UTC.

        Raises:
            ValueError: a message is none; then nothing was stored.
        """
        said, blank = read_messages(messages)
        scope = self._who.scope(owner_id, agent_id, session_id)
        return self._calls.add(scope, said, blank, with_zone(reference_time))

    def search(
        self,
        query: str,
        limit: int = 10,
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        include_historical: bool = False,
    ) -> Coroutine[Any, Any, Found]:
        """Find memories of all sessions, then messages of this one; of each the best first.

        A message is there only where it shares words with the query. `include_historical` puts
        what is no longer current behind them, where it shares words.
        """
        scope = self._who.scope(owner_id, agent_id, session_id)
        return self._calls.search(scope, query, limit, include_historical=include_historical)

    def get(
        self, memory_id: str, owner_id: str | None = None, agent_id: str | None = None
    ) -> Coroutine[Any, Any, Got]:
        """Look at one memory."""
        return self._calls.get(self._who.scope(owner_id, agent_id), memory_id)

    def get_all(
        self,
        limit: int = 100,
        offset: int = 0,
        owner_id: str | None = None,
        agent_id: str | None = None,
        include_historical: bool = False,
    ) -> Coroutine[Any, Any, Listed]:
        """List facts, newest first, and remarks that no fact covers.

        With `include_historical` each is followed by what it said before it was corrected, and
        memories that have expired are listed too; then all are read, whatever the limit.
        """
        if limit < 0 or offset < 0:
            raise ValueError("limit and offset must not be negative")
        scope = self._who.scope(owner_id, agent_id)
        return self._calls.get_all(scope, limit, offset, include_historical=include_historical)

    def delete(
        self, memory_id: str, owner_id: str | None = None, agent_id: str | None = None
    ) -> Coroutine[Any, Any, Done]:
        """Forget one memory for good, with the session's messages that it came from."""
        return self._calls.delete(self._who.scope(owner_id, agent_id), memory_id)

    def update(
        self,
        memory_id: str,
        content: str,
        owner_id: str | None = None,
        agent_id: str | None = None,
    ) -> Coroutine[Any, Any, Updated]:
        """Correct one memory. What it said before stays in its history until it is deleted."""
        return self._calls.update(self._who.scope(owner_id, agent_id), memory_id, content)

    def history(
        self, memory_id: str, owner_id: str | None = None, agent_id: str | None = None
    ) -> Coroutine[Any, Any, HistoryDict]:
        """Tell what happened to one memory, oldest first."""
        return self._calls.history(self._who.scope(owner_id, agent_id), memory_id)

    def get_context(
        self,
        messages: Iterable[Mapping[str, Any]] | None = None,
        max_short_term: int = 30,
        include_long_term: bool = True,
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
    ) -> Coroutine[Any, Any, Context]:
        """Give the session's last messages, and memories about the last that the user said.

        Args:
            messages: of the present turn; they are not stored.
            max_short_term: messages of the session at most.
            include_long_term: whether to look for memories.
            owner_id, agent_id, session_id: instead of who is set.
        """
        scope = self._who.scope(owner_id, agent_id, session_id)
        return self._calls.get_context(
            scope, list(messages or ()), max_short_term, include_long_term=include_long_term
        )

    def clear(
        self,
        owner_id: str | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Coroutine[Any, Any, Done]:
        """Take away the messages of one session, the current one unless told otherwise. Facts
        stay."""
        return self._calls.clear(self._who.scope(owner_id, agent_id, session_id))

    def count(
        self, owner_id: str | None = None, agent_id: str | None = None
    ) -> Coroutine[Any, Any, int]:
        """Count what `get_all` lists."""
        return self._calls.count(self._who.scope(owner_id, agent_id))

    async def close(self) -> None:
        """End the connection. The daemon goes on."""
        await self._calls.close()

    def renew(self) -> object:
        """Use a connection of its own from now on; gives what held the old one, to be kept."""
        old, self._calls = self._calls, CognisCalls(self._home)
        return old


class Cognis(Scoped, Blocking[AsyncCognis], Closing):
    """The same as `AsyncCognis`, blocking, for any number of threads, and in a forked process too.

    See `AsyncCognis` for the arguments and the methods.
    """

    def __init__(
        self,
        gemini_api_key: str | None = None,
        data_dir: Path | str | None = None,
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        config: object = None,
        socket: Path | str | None = None,
    ) -> None:
        face = AsyncCognis(gemini_api_key, data_dir, owner_id, agent_id, session_id, config, socket)
        super().__init__(face, LoopThread())
        self._who = face._who
        self._closed = False
        self._inherited: list[object] = []
        self._begin()

    add = blocking(AsyncCognis.add)
    search = blocking(AsyncCognis.search)
    get = blocking(AsyncCognis.get)
    get_all = blocking(AsyncCognis.get_all)
    delete = blocking(AsyncCognis.delete)
    update = blocking(AsyncCognis.update)
    history = blocking(AsyncCognis.history)
    get_context = blocking(AsyncCognis.get_context)
    clear = blocking(AsyncCognis.clear)
    count = blocking(AsyncCognis.count)

    def close(self) -> None:
        """End the connection. The daemon goes on."""
        self._closed = True
        self._end.detach()
        self._thread.close(self._face.close)

    def _run(self, call: Callable[[AsyncCognis], Coroutine[Any, Any, _R]]) -> _R:
        if self._process != os.getpid():
            with _renewing:  # of many threads of a new process one alone
                self._renew()
        return super()._run(call)

    def _renew(self) -> None:
        if self._process == os.getpid() or self._closed:
            return
        # Forked: the connection and the thread are the parent's, and must stay untouched here.
        self._end.detach()
        self._inherited += [self._thread, self._face.renew()]
        self._thread = LoopThread()
        self._begin()

    def _begin(self) -> None:
        # Scripts leave it open: whoever makes one for each request must not run out of threads.
        self._end = weakref.finalize(self, _end, self._thread, self._face.close)
        self._end.atexit = False
        self._process = os.getpid()  # last: from here on other threads use what is new


_renewing = threading.Lock()


def _renew_lock() -> None:
    """Where a process is forked while a thread of it holds the lock, nobody there lets go of it."""
    global _renewing
    _renewing = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


def _end(thread: LoopThread, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Close what nobody holds any more; on a thread, since collecting may happen on any."""
    threading.Thread(target=thread.close, args=(last,), daemon=True).start()
