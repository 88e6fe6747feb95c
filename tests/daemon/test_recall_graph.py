"""The graph over a large vector index: it finds what a scan finds, and nothing that was removed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.fresh_home import run_in_fresh_home
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.recall import graph_build
from cognid_daemon.recall.matrix import BLOCK, Windows, pack
from cognid_daemon.recall.vectors import Comparison, VectorIndex

DIMENSION = 64
COUNT = 2 * BLOCK + 1000


def clustered(count: int, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Unit vectors round some middles, as texts of some topics have them."""
    source = np.random.default_rng(seed)
    middles = np.random.default_rng(7).standard_normal((200, dimension))
    rows = middles[source.integers(0, 200, count)]
    rows = (rows + 0.6 * source.standard_normal((count, dimension))).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows)


def add(index: VectorIndex, first: int, vectors: NDArray[np.float32]) -> None:
    """Put vectors into an index, with owners from `first` on."""
    owners = range(first, first + len(vectors))
    stored = vectors.astype("<f2").tobytes()
    index.add(pack(owners, [(n, n + 1) for n in owners], stored, DIMENSION))


def with_graph(vectors: NDArray[np.float32], *, breadth: int = 300) -> VectorIndex:
    """An index of them, by owners from 1 on, that is searched through its graph."""
    index = VectorIndex(DIMENSION)
    add(index, 1, vectors)
    while index.grow_graph(256):
        pass
    index.use_graph(breadth)
    return index


def without_graph(vectors: NDArray[np.float32]) -> VectorIndex:
    """The same, scanned."""
    index = VectorIndex(DIMENSION)
    add(index, 1, vectors)
    return index


def agreeing(
    one: VectorIndex, other: VectorIndex, allowed: list[int] | None = None, queries: int = 50
) -> float:
    """The share of the first ten of one index that the other gives too."""
    both = 0
    for query in clustered(queries, seed=3):
        first = one.search(query, 150, allowed).rowids[:10]
        both += len(np.intersect1d(first, other.search(query, 150, allowed).rowids[:10]))
    return both / (10 * queries)


def test_the_graph_finds_what_a_scan_finds() -> None:
    """The first ten of a scan, with the same cosines; what is in no graph yet is found as well."""
    vectors = clustered(COUNT)
    index, scanned = with_graph(vectors), without_graph(vectors)
    assert (index.scanned, index.uncovered) == (1000, 1000)
    assert agreeing(scanned, index) >= 0.99
    late = index.search(vectors[-1], 150)
    assert late.rowids[0] == COUNT
    assert late.spans[0].tolist() == [COUNT, COUNT + 1]
    for query in vectors[[0, BLOCK, COUNT - 1]]:
        true, found = scanned.search(query, 150), index.search(query, 150)
        assert found.cosines[:10] == pytest.approx(true.cosines[:10])


def test_a_filtered_search_loses_no_neighbours() -> None:
    """Whether one in two hundred may answer or all but a few, the answer is that of a scan."""
    vectors = clustered(COUNT)
    index, scanned = with_graph(vectors), without_graph(vectors)
    for step in (200, 2):
        for allowed in (
            list(range(1, COUNT + 1, step)),
            [n for n in range(1, COUNT + 1) if n % step],
        ):
            assert agreeing(scanned, index, allowed, queries=20) >= 0.99
            found = index.search(vectors[0], 150, allowed).rowids
            assert len(found) == min(150, len(allowed))
            assert set(found.tolist()) <= set(allowed)


def test_nothing_of_a_removed_vector_stays() -> None:
    """It is overwritten where the graph points, takes nobody's place in an answer, and the others
    keep theirs; so it is in what a snapshot is given."""
    vectors = clustered(COUNT)
    index, scanned = with_graph(vectors), without_graph(vectors)
    nearest = index.search(vectors[9], 100).rowids.tolist()
    for owner in nearest:
        index.remove(owner)
        scanned.remove(owner)
    found = index.search(vectors[9], 150).rowids
    assert len(found) == 150
    assert not set(nearest) & set(found.tolist())
    assert agreeing(scanned, index) >= 0.99
    assert len(index) == len(scanned) == COUNT - 100
    in_graph = sum(owner <= 2 * BLOCK for owner in nearest)
    assert index.holes == in_graph > 0
    graph = index._graph
    assert graph is not None
    for owner in nearest:
        if owner <= 2 * BLOCK:
            assert not np.asarray(graph._index.get(owner - 1)).any()
    assert set(index.owners().tolist()) == set(scanned.owners().tolist())
    parts: list[Windows] = []
    while (part := index.part(1024 * len(parts), 1024)) is not None:
        assert np.isfinite(part.scales).all()
        parts.append(part)
    owners = np.concatenate([part.owners for part in parts])
    assert sorted(owners.tolist()) == sorted(scanned.owners().tolist())
    for part in parts:
        spans = np.column_stack((part.owners, part.owners + 1))
        assert (part.spans == spans).all()


def test_holes_are_closed_once_there_is_no_graph() -> None:
    """A few at a time; every memory stays findable, on the way and afterwards."""
    vectors = clustered(COUNT)
    index, scanned = with_graph(vectors), without_graph(vectors)
    gone = [*range(1, 300), *range(BLOCK, BLOCK + 50), *range(COUNT - 20, COUNT + 1)]
    for owner in gone:
        index.remove(owner)
        scanned.remove(owner)
    assert not index.fill_holes(64)  # the graph needs them
    assert index.holes == 299 + 50
    index.drop_graph()
    assert agreeing(scanned, index) == 1.0
    while index.fill_holes(64):
        assert agreeing(scanned, index, queries=3) == 1.0
    assert index.holes == 0
    assert agreeing(scanned, index) == 1.0
    assert index.scanned == index._matrix.count == len(index) == COUNT - len(gone)
    assert set(index.owners().tolist()) == set(range(1, COUNT + 1)) - set(gone)


def test_it_grows_while_others_search_and_change() -> None:
    """Searches, adds and removes beside it: no error, and the end is what was asked for."""
    vectors = clustered(COUNT)
    index = VectorIndex(DIMENSION)
    add(index, 1, vectors[: 2 * BLOCK])
    index.grow_graph(64)
    index.use_graph(300)
    failures: list[BaseException] = []
    ended = threading.Event()

    def search(seed: int) -> None:
        try:
            queries = clustered(20, seed=seed)
            while not ended.is_set():
                for query in queries:
                    assert len(index.search(query, 50)) == 50
        except BaseException as error:
            failures.append(error)

    def change() -> None:
        try:
            for owner in range(1, 2 * BLOCK, 20):
                index.remove(owner)
                index.settle()
            add(index, 2 * BLOCK + 1, vectors[2 * BLOCK :])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search, args=(seed,)) for seed in (11, 12)]
    changer = threading.Thread(target=change)
    for thread in (*threads, changer):
        thread.start()
    while index.grow_graph(16):
        pass
    changer.join()
    ended.set()
    for thread in threads:
        thread.join()
    assert not failures
    index.settle()
    alive = set(range(1, COUNT + 1)) - set(range(1, 2 * BLOCK, 20))
    assert set(index.owners().tolist()) == alive
    scanned = without_graph(vectors)
    for owner in range(1, 2 * BLOCK, 20):
        scanned.remove(owner)
    assert agreeing(scanned, index) >= 0.98  # of it, 5 % are holes


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs of small banks, soon."""
    monkeypatch.setattr(graph_build, "LEAST", BLOCK)
    monkeypatch.setattr(graph_build, "SEARCHED", 0)
    monkeypatch.setattr(graph_build, "_PORTION", 256)
    monkeypatch.setattr(graph_build, "_ASKED", 5)
    monkeypatch.setattr(graph_build, "_REST", 0.0)
    real = VectorIndex.compare

    def compare(index: VectorIndex, *asked: Any) -> Comparison:
        return replace(real(index, *asked), scan_seconds=1.0)  # so few are scanned in no time

    monkeypatch.setattr(VectorIndex, "compare", compare)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what the background does; it tells nobody."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def hold(room: RecallRoom, count: int) -> VectorIndex:
    """Have a bank's index hold so many vectors besides, as if it had memories for them."""
    await room.settle()
    service = room.recaller.serving.service
    assert service is not None
    dimension = service.index.dimension
    rows = clustered(count, seed=5, dimension=dimension)
    owners = range(1_000_000, 1_000_000 + count)
    service.index.add(pack(owners, [(0, 1)] * count, rows.astype("<f2").tobytes(), dimension))
    service.index.settle()
    room.recaller.serving.graph.touch()
    return service.index


@pytest.mark.usefixtures("small")
async def test_a_large_bank_gets_its_graph_and_answers_from_it(tmp_path: Path) -> None:
    """It comes by itself, finds what it should, and what is forgotten afterwards is not found."""
    async with recall_room(tmp_path / "b") as room:
        gone = await room.add("The harbour master keeps a grey heron.")
        await room.add("The lamp is amber.")
        index = await hold(room, BLOCK)
        await until(lambda: index._breadth > 0)
        assert index.scanned < 10
        ask = "grey heron harbour"
        found = await room.texts(ask, pipeline=Pipeline.VECTOR, limit=1)
        assert found == ["The harbour master keeps a grey heron."]
        await room.remove(gone)
        found = await room.texts(ask, pipeline=Pipeline.VECTOR, limit=5)
        assert "The harbour master keeps a grey heron." not in found
        assert index.holes == 1


@pytest.mark.usefixtures("small")
async def test_a_bank_that_hardly_anybody_asks_has_no_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is begun at the search that makes it worth its CPU, and not by what is stored."""
    monkeypatch.setattr(graph_build, "SEARCHED", 3)
    async with recall_room(tmp_path / "b") as room:
        await room.add("The lamp is amber.")
        index = await hold(room, BLOCK)
        for _ in range(2):
            await room.texts("lamp", pipeline=Pipeline.VECTOR)
        await room.add("The bins go out on Monday.")
        await room.settle()
        await asyncio.sleep(0.1)
        assert index._graph is None
        await room.texts("lamp", pipeline=Pipeline.VECTOR)
        await until(lambda: index._breadth > 0)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("trial", [Comparison(10, 9, 0.05, 0.01), Comparison(10, 10, 0.01, 0.05)])
async def test_a_graph_that_misses_neighbours_or_is_slow_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trial: Comparison
) -> None:
    """The index is scanned then, and no new one is begun until it is twice as large."""
    monkeypatch.setattr(VectorIndex, "compare", lambda *_: trial)
    async with recall_room(tmp_path / "b") as room:
        await room.add("The lamp is amber.")
        index = await hold(room, BLOCK)
        await until(lambda: index._graph is not None)
        await until(lambda: index._graph is None)
        assert index.scanned == len(index) == BLOCK + 1
        room.recaller.serving.graph.touch()
        await asyncio.sleep(0.1)
        assert index._graph is None
        assert await room.texts("lamp", pipeline=Pipeline.VECTOR, limit=1) == ["The lamp is amber."]


@pytest.mark.usefixtures("small")
async def test_a_graph_full_of_holes_is_made_anew(tmp_path: Path) -> None:
    """Once a tenth of its vectors is gone, and the holes are closed before."""
    async with recall_room(tmp_path / "b") as room:
        await room.add("The lamp is amber.")
        index = await hold(room, 2 * BLOCK)
        await until(lambda: index._breadth > 0)
        first = index._graph
        for owner in range(1_000_000, 1_000_000 + 1000):
            index.remove(owner)
        index.settle()
        assert index.holes >= 999
        room.recaller.serving.graph.touch()
        await until(lambda: index._graph is not first and index._breadth > 0)
        assert index.holes == 0
        assert len(index) == 2 * BLOCK + 1 - 1000
        assert await room.texts("lamp", pipeline=Pipeline.VECTOR, limit=1) == ["The lamp is amber."]


@pytest.mark.usefixtures("small")
async def test_a_bank_that_shrank_is_scanned_again(tmp_path: Path) -> None:
    """Where most of a bank is forgotten, its worn graph goes, and no place is kept for it."""
    async with recall_room(tmp_path / "b") as room:
        await room.add("The lamp is amber.")
        index = await hold(room, BLOCK)
        await until(lambda: index._breadth > 0)
        for owner in range(1_000_000, 1_000_000 + 2000):
            index.remove(owner)
        index.settle()
        room.recaller.serving.graph.touch()
        await until(lambda: index._graph is None and index.holes == 0)
        assert len(index) == index._matrix.count == BLOCK + 1 - 2000
        assert await room.texts("lamp", pipeline=Pipeline.VECTOR, limit=1) == ["The lamp is amber."]


@pytest.mark.usefixtures("small")
async def test_a_fault_of_the_graph_leaves_the_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong while it is made, recalls go on and the room does not retry for ever."""

    def fail(*_: object) -> bool:
        raise MemoryError

    async with recall_room(tmp_path / "b") as room:
        await room.add("The lamp is amber.")
        await room.settle()
        monkeypatch.setattr(VectorIndex, "grow_graph", fail)
        await hold(room, BLOCK)
        await until(lambda: room.recaller.serving.graph._wanted_from == 2 * (BLOCK + 1))
        assert await room.texts("lamp", pipeline=Pipeline.VECTOR, limit=1) == ["The lamp is amber."]


@pytest.mark.usefixtures("small")
async def test_the_fault_of_an_index_that_was_replaced_is_not_the_next_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the old index comes to, the new one gets its graph from the same size on."""
    async with recall_room(tmp_path / "b") as room:
        index = await hold(room, BLOCK)
        work = room.recaller.serving.graph
        await until(lambda: index._breadth > 0)
        monkeypatch.setattr(work, "_index", VectorIndex(DIMENSION))
        await work._do_without(index)
        assert work._wanted_from == BLOCK
        assert index._graph is None


def test_a_model_can_be_loaded_after_the_graph(tmp_path: Path) -> None:
    """usearch before onnxruntime would end the process by a signal; and onnxruntime by any other
    way than the models' would leave its telemetry at home."""
    script = (
        "import cognid_daemon.recall.graph\n"
        "from cognid_models import load\n"
        "assert load().embed_query('tea') is not None"
    )
    ended = run_in_fresh_home(script, tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(tmp_path.rglob("*")) == []
