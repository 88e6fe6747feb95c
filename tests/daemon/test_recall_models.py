"""The embedding model inside the daemon: its life, its two threads, its gate."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.embedder import WordEmbedder
from support.recall_room import recall_room, word_model

from cognid_daemon.recall import models
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_models import Embedder, Vector, Window, load


@asynccontextmanager
async def hosted(load: Callable[[], Embedder] = word_model) -> AsyncIterator[EmbedderHost]:
    """A started host that is closed at the end."""
    host = EmbedderHost(load)
    host.start()
    try:
        yield host
    finally:
        await host.close()


async def test_it_loads_in_the_background() -> None:
    """Starting returns at once; the state goes from loading to ready."""
    release = threading.Event()

    def slow() -> Embedder:
        release.wait(10)
        return word_model()

    async with hosted(slow) as host:
        assert host.state == "loading"
        assert host.space_id is None
        release.set()
        embedder = await host.ready()
        assert host.code is None
        assert host.space_id == embedder.space_id


async def test_a_missing_model_has_its_code(tmp_path: Path) -> None:
    """A folder without the model's files: failed, model_missing; there is no fallback."""
    async with hosted(lambda: load(tmp_path)) as host:
        with pytest.raises(EmbedderUnavailableError, match="model_missing"):
            await host.ask(lambda embedder: embedder.dimension)
        assert (host.state, host.code) == ("failed", "model_missing")


async def test_whatever_breaks_while_loading_is_a_failed_model() -> None:
    """An error that nobody foresaw becomes model_failed, without its text."""

    def broken() -> Embedder:
        raise RuntimeError("SECRET")

    async with hosted(broken) as host:
        with pytest.raises(EmbedderUnavailableError) as caught:
            await host.ready()
        assert str(caught.value) == "model_failed"


async def test_a_query_is_not_behind_a_window() -> None:
    """A query runs on a thread of its own while a window of the backlog is being embedded."""
    begun, release = threading.Event(), threading.Event()

    def window(_: Embedder) -> str:
        begun.set()
        release.wait(10)
        return threading.current_thread().name

    async with hosted() as host:
        busy = asyncio.ensure_future(host.background(window))
        await asyncio.to_thread(begun.wait, 10)
        name = await host.ask(lambda _: threading.current_thread().name)
        assert name.startswith("cognid-query")
        assert not busy.done()
        release.set()
        assert (await busy).startswith("cognid-embed")


@pytest.mark.skipif(sys.platform != "linux", reason="priorities of threads are Linux's")
async def test_the_backlog_has_the_lowest_priority() -> None:
    """Nice 19 for the backlog's thread, and that of the process for the queries'."""

    def nice(_: Embedder) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async with hosted() as host:
        assert await host.background(nice) == 19
        assert await host.ask(nice) == os.getpriority(os.PRIO_PROCESS, os.getpid())


async def test_only_the_model_has_the_lowest_priority(tmp_path: Path) -> None:
    """A text is cut elsewhere: what holds a lock must not be put off behind everything else."""
    cut, embedded = set(), set()

    class Noting(WordEmbedder):
        def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
            cut.add(threading.current_thread().name)
            yield from super().windows(text, statement=statement)

        def embed_window(self, window: Window) -> Vector:
            embedded.add(threading.current_thread().name)
            return super().embed_window(window)

    async with recall_room(tmp_path, Noting) as room:
        await room.add("The spare key hangs in the hall")
        await room.settle()
    assert all(name.startswith("cognid-embed") for name in embedded)
    assert not any(name.startswith("cognid-embed") for name in cut)
    assert cut
    assert embedded


async def test_no_window_starts_while_a_recall_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate holds the backlog back until the last open recall has ended."""
    monkeypatch.setattr(models, "GATE_SECONDS", 10.0)
    async with hosted() as host:
        await host.ready()
        with host.recall():
            waiting = asyncio.ensure_future(host.background(lambda _: time.monotonic()))
            with host.recall():
                await asyncio.sleep(0.03)
            await asyncio.sleep(0.03)
            assert not waiting.done()
            closed = time.monotonic()
        assert await waiting >= closed


async def test_an_unbroken_stream_of_recalls_does_not_starve_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After its longest wait one window runs beside the open recalls."""
    monkeypatch.setattr(models, "GATE_SECONDS", 0.05)
    async with hosted() as host:
        with host.recall():
            async with asyncio.timeout(5):
                assert await host.background(lambda embedder: embedder.dimension) == 384


async def test_closing_joins_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """After close neither thread is left, even if the gate was shut."""
    monkeypatch.setattr(models, "GATE_SECONDS", 10.0)
    host = EmbedderHost(word_model)
    host.start()
    await host.ready()
    with host.recall():
        waiting = asyncio.ensure_future(host.background(lambda _: None))
        await asyncio.sleep(0.02)
        await host.close()
        await asyncio.gather(waiting, return_exceptions=True)
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith(("cognid-query", "cognid-embed"))]


async def test_calm_is_some_time_without_a_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for it waits on while recalls follow one another, but not for ever."""
    monkeypatch.setattr(models, "GATE_SECONDS", 0.4)
    loop = asyncio.get_running_loop()
    async with hosted() as host:
        ending = loop.time() + 0.2

        async def ask_and_ask() -> None:
            while loop.time() < ending:
                with host.recall():
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.01)

        asking = asyncio.create_task(ask_and_ask())
        await asyncio.sleep(0.005)
        await host.quiet()
        assert loop.time() < ending
        await host.quiet(0.05)
        assert ending <= loop.time() < ending + 0.15
        await asking
        ending = loop.time() + 0.6
        asking = asyncio.create_task(ask_and_ask())
        await host.quiet(0.05)
        assert loop.time() < ending
        await asking
