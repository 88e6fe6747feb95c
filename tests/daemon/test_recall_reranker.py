"""The reranker inside the daemon: loaded when asked for, stopped between pairs, let go."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.reranker import WordReranker

from cognid_daemon.recall import reranker as module
from cognid_daemon.recall.answer import READY, State
from cognid_daemon.recall.reranker import FOLDER, RerankerHost, Scored
from cognid_models import Reranker, RerankerChangedError

TEXTS = [f"number {n}" for n in range(8)]


@asynccontextmanager
async def hosted(
    data: Path, load: Callable[[Path], Reranker] = lambda _: WordReranker()
) -> AsyncIterator[RerankerHost]:
    """A host that is closed at the end."""
    host = RerankerHost(data, load)
    try:
        yield host
    finally:
        await host.close()


def put(data: Path, content: bytes = b"weights") -> Path:
    """Lay a file where the reranker's is looked for."""
    folder = data / FOLDER
    folder.mkdir(exist_ok=True)
    file = folder / "ms-marco-MiniLM-L-12-v2.int8.onnx"
    file.write_bytes(content)
    return file


async def scored(host: RerankerHost, texts: list[str] = TEXTS, seconds: float = 5.0) -> Scored:
    """Score some texts."""
    return await host.score("number 3", texts, asyncio.get_running_loop().time() + seconds)


async def test_it_is_absent_until_it_is_installed(tmp_path: Path) -> None:
    """Without its file it is failed as reranker_missing; with it, the next recall has it."""
    async with hosted(tmp_path) as host:
        assert (host.state, host.code) == ("absent", "reranker_missing")
        assert await scored(host) == Scored(State("failed", "reranker_missing"))
        assert host.standing == State("failed", "reranker_missing")
        put(tmp_path)
        assert (host.state, host.code, host.standing) == ("installed", None, READY)
        assert (await scored(host)).logits == (-4.0, -4.0, -4.0, 0.0, *[-4.0] * 4)
        assert host.state == "ready"


async def test_it_runs_on_a_thread_of_its_own(tmp_path: Path) -> None:
    """No query's embedding waits behind a pair."""
    made = WordReranker()
    async with hosted(tmp_path, lambda _: made) as host:
        put(tmp_path)
        await scored(host)
    assert (made.thread or "").startswith("cognid-rerank")


async def test_a_deadline_stops_it_between_pairs(tmp_path: Path) -> None:
    """What was scored by then is given, in order, and the state says how much of it."""
    made = WordReranker(delay=0.05)
    async with hosted(tmp_path, lambda _: made) as host:
        put(tmp_path)
        await host.score("x", [], asyncio.get_running_loop().time() + 5)
        late = await scored(host, seconds=0.13)
        assert late.state.state == "late"
        assert 0 < len(late.logits) < len(TEXTS)
        assert late.state.percent == round(100 * len(late.logits) / len(TEXTS), 1)
        await asyncio.sleep(0.15)
        assert len(made.read) <= len(late.logits) + 1  # nothing goes on behind it


async def test_a_cancelled_one_stops_between_pairs(tmp_path: Path) -> None:
    """At most the pair that runs is run to its end."""
    made = WordReranker(delay=0.03)
    async with hosted(tmp_path, lambda _: made) as host:
        put(tmp_path)
        task = asyncio.create_task(scored(host))
        while not made.read:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        read = len(made.read)
        await asyncio.sleep(0.15)
        assert len(made.read) <= read + 1


async def test_two_recalls_take_turns(tmp_path: Path) -> None:
    """A short one does not wait for the end of a long one."""
    made = WordReranker(delay=0.01)
    async with hosted(tmp_path, lambda _: made) as host:
        put(tmp_path)
        long = asyncio.create_task(scored(host, [f"long {n}" for n in range(40)]))
        while not made.read:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.002)
        await scored(host, ["short"])
        assert not long.done()
        await long


async def test_a_load_that_is_late_goes_on(tmp_path: Path) -> None:
    """The first answer says that it is being loaded, the next one has it; it is loaded once."""
    release, loads = threading.Event(), []

    def load(folder: Path) -> Reranker:
        loads.append(folder)
        release.wait(10)
        return WordReranker()

    async with hosted(tmp_path, load) as host:
        put(tmp_path)
        assert await scored(host, seconds=0.05) == Scored(State("late", "reranker_loading"))
        assert host.state == "loading"
        release.set()
        assert (await scored(host)).state == READY
        assert loads == [tmp_path / FOLDER]


async def test_a_refused_file_is_not_looked_at_again(tmp_path: Path) -> None:
    """The same file is refused without being read anew; another in its place is tried."""
    loads = []

    def load(folder: Path) -> Reranker:
        loads.append(folder)
        if put_there.read_bytes() == b"bad":
            raise RerankerChangedError("x.onnx", "one", "another")
        return WordReranker()

    async with hosted(tmp_path, load) as host:
        put_there = put(tmp_path, b"bad")
        for _ in range(2):
            assert (await scored(host)).state == State("failed", "reranker_changed")
        assert (host.state, host.code, len(loads)) == ("failed", "reranker_changed", 1)
        put(tmp_path, b"good one")
        assert (await scored(host)).state == READY


async def test_a_removed_one_is_let_go(tmp_path: Path) -> None:
    """From the next recall on."""
    async with hosted(tmp_path) as host:
        file = put(tmp_path)
        await scored(host)
        file.unlink()
        assert host.state == "absent"
        assert (await scored(host)).state == State("failed", "reranker_missing")


async def test_it_is_let_go_when_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some time after the last recall that asked; then it is loaded anew."""
    loads = []

    def load(folder: Path) -> Reranker:
        loads.append(folder)
        return WordReranker()

    monkeypatch.setattr(module, "IDLE_SECONDS", 0.05)
    async with hosted(tmp_path, load) as host:
        put(tmp_path)
        await scored(host)
        async with asyncio.timeout(5):
            while host.state == "ready":  # noqa: ASYNC110  # it tells states only
                await asyncio.sleep(0.01)
        assert host.state == "installed"
        assert (await scored(host)).state == READY
        assert len(loads) == 2


async def test_what_breaks_is_a_code(tmp_path: Path) -> None:
    """A pair that fails, and an error that nobody foresaw, while loading or reading:
    reranker_failed."""

    class Raising(WordReranker):
        def score(self, query: str, text: str) -> float:
            raise MemoryError(query, text)

    def broken(folder: Path) -> Reranker:
        raise RuntimeError(folder)

    put(tmp_path)
    for load in (lambda _: WordReranker(fault=True), broken, lambda _: Raising()):
        async with hosted(tmp_path, load) as host:
            assert await scored(host) == Scored(State("failed", "reranker_failed"))
