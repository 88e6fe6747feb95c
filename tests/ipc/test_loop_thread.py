"""The loop of the faces that block: whoever calls while it ends never waits for good."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from cognid.client.loop_thread import LoopThread

SECONDS = 5.0


class Calling:
    """A thread that runs one work and keeps what came of it."""

    def __init__(self, loop_thread: LoopThread, work: Coroutine[Any, Any, str]) -> None:
        self.ended: str | BaseException | None = None
        self._loop_thread = loop_thread
        self._work = work
        # A daemon: where the fault is back it would hold up the end of the whole run.
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.ended = self._loop_thread.run(self._work)
        except BaseException as error:
            self.ended = error

    def wait(self) -> str | BaseException | None:
        """What came of it, None where it still waits."""
        self.thread.join(SECONDS)
        return self.ended


async def answer() -> str:
    """A call."""
    return "answer"


async def nothing() -> None:
    """The last thing that a client does."""


def test_a_call_at_the_moment_of_the_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A work that reaches the loop between its stop and its end is not lost there."""
    loop_thread = LoopThread()
    loop_thread.run(answer())
    called, stopped = threading.Event(), threading.Event()
    hand_over = asyncio.run_coroutine_threadsafe
    end = asyncio.BaseEventLoop.shutdown_asyncgens

    def late(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Future[Any]:
        if threading.current_thread() is not threading.main_thread():
            called.set()
            stopped.wait(0.5)
        return hand_over(work, loop)

    async def slow_end(loop: asyncio.BaseEventLoop) -> None:
        await end(loop)
        stopped.set()
        called.clear()
        called.wait(0.2)  # long enough for the other thread

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", late)
    monkeypatch.setattr(asyncio.BaseEventLoop, "shutdown_asyncgens", slow_end)
    calling = Calling(loop_thread, answer())
    assert called.wait(SECONDS)
    loop_thread.close(nothing)
    assert calling.wait() == "answer"


def test_a_call_that_ends_in_many_steps_ends() -> None:
    """What is called off at the end is waited for, however often it has to suspend for that."""
    loop_thread = LoopThread()
    begun = threading.Event()

    async def stubborn() -> str:
        begun.set()
        try:
            await asyncio.sleep(SECONDS * 10)
        finally:
            for _ in range(10):
                await asyncio.sleep(0)
        return "slept"

    calling = Calling(loop_thread, stubborn())
    assert begun.wait(SECONDS)
    loop_thread.close(nothing)
    assert isinstance(calling.wait(), CancelledError)
