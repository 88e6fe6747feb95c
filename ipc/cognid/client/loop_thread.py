"""A private event loop on a thread of its own, for the faces that block.

Owns: the thread's life, that a call's work is called off when its caller is interrupted, and how a
method of an asyncio face becomes one that blocks. Knows no operation.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

_F = TypeVar("_F")
_F_co = TypeVar("_F_co", covariant=True)
_P = ParamSpec("_P")
_R = TypeVar("_R")


class LoopThread:
    """Runs coroutines for any number of threads; the thread starts with the first of them.

    It may not be used in a process that was forked after it was made: make one there.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, _R]) -> _R:
        """Run a coroutine to its end.

        Raises:
            RuntimeError: this is closed, or belongs to another process.
        """
        try:
            future = self._hand_over(work)
        except RuntimeError:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            # Interrupted (Ctrl-C) while waiting: call the request off. Else it is done already.
            future.cancel()
            raise

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """End the thread; `last` makes what it runs before that, if it ever ran anything."""
        if os.getpid() != self._process:
            return  # the thread lives in the parent alone
        with self._guard:
            self._closed = True
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(last(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def _hand_over(self, work: Coroutine[Any, Any, _R]) -> Future[_R]:
        if os.getpid() != self._process:
            raise RuntimeError("this client was made before a fork: make one in this process")
        # Under the guard of `close`: a loop that is about to end would take the work and never
        # run it, and its caller would wait for good.
        with self._guard:
            if self._closed:
                raise RuntimeError("this client is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="cognid client", daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)


class Blocking(Generic[_F_co]):
    """A face for threads over one for asyncio."""

    def __init__(self, face: _F_co, thread: LoopThread) -> None:
        self._face = face
        self._thread = thread

    def _run(self, call: Callable[[_F_co], Coroutine[Any, Any, _R]]) -> _R:
        return self._thread.run(call(self._face))


def blocking(
    method: Callable[Concatenate[_F, _P], Coroutine[Any, Any, _R]],
) -> Callable[Concatenate[Blocking[_F], _P], _R]:
    """Make a method of the asyncio face one that blocks, with the same signature."""

    @functools.wraps(method)
    def call(self: Blocking[_F], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return self._run(lambda face: method(face, *args, **kwargs))

    return call


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped, then end what is left on it."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:  # however many steps they take to end: somebody waits for each of them
            loop.run_until_complete(asyncio.wait(left))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
