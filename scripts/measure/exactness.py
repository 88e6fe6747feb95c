"""What the vector index loses of the true neighbours, once its best are rescored, as it grows.

For the scan the seeded vectors point everywhere alike, so that the true neighbours of a query
hardly differ: those of a model are further apart, and easier. For the graph, which is tried on a
bank's own vectors before it is used, they lie round middles, as texts of a topic do; it is compared
with the scan of the same. No daemon is asked: this is about the index alone.

Owns: what is exact: the float32 product with the vectors as the bank stores them.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid_daemon.recall.graph_build import BREADTHS
from cognid_daemon.recall.hydration import RESCORED
from cognid_daemon.recall.lexical import CANDIDATES
from cognid_daemon.recall.matrix import pack
from cognid_daemon.recall.selection import RESERVE
from cognid_daemon.recall.vectors import VectorIndex
from cognid_models import PACKAGE_FOLDER, read_manifest
from measure import process
from measure.figures import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZES: Final = (10_000, 100_000, 1_000_000)
_DIMENSION: Final = read_manifest(PACKAGE_FOLDER).dimension
_PORTION: Final = 50_000
_QUERIES: Final = 100
_PAGE: Final = 10
_MOST_BYTES: Final = 450.0
"""Of the 900 that a vector may take with its graph: the matrix may take as many."""
_MIDDLES: Final = 4_000
_SPREAD: Final = 0.7
"""Of a vector round its middle, whose own length is that of the same number of random numbers."""


async def measure_exactness(*, quick: bool) -> list[Figure]:
    """The share of the true first ten that is among those rescored (quick: up to 100,000)."""
    figures = []
    for size in _SIZES[:2] if quick else _SIZES:
        share, milliseconds = _kept(size)
        name = f"{size:,} vectors"
        figures += [
            Figure(f"of the true first ten, rescored, {name}", 100 * share, "%", 99.0, least=True),
            Figure(f"a scan, median, {name}", milliseconds, "ms"),
        ]
    return figures + _through_graph(_SIZES[1 if quick else 2])


def _kept(size: int) -> tuple[float, float]:
    source = np.random.default_rng(size)
    queries = _unit(source, _QUERIES)
    index = VectorIndex(_DIMENSION)
    owners = np.zeros((_QUERIES, 0), np.int64)
    scores = np.zeros((_QUERIES, 0), np.float32)
    for first in range(0, size, _PORTION):
        rows = np.arange(first, min(size, first + _PORTION))
        stored = _unit(source, len(rows)).astype("<f2")
        index.add(pack(rows.tolist(), [(0, 1)] * len(rows), stored.tobytes(), _DIMENSION))
        owners = np.hstack((owners, np.broadcast_to(rows, (_QUERIES, len(rows)))))
        scores = np.hstack((scores, queries @ stored.astype(np.float32).T))
        best = np.argsort(-scores, axis=1)[:, :_PAGE]
        owners = np.take_along_axis(owners, best, axis=1)
        scores = np.take_along_axis(scores, best, axis=1)
    index.settle()
    kept, took = 0, []
    for query, true in zip(queries, owners, strict=True):
        began = time.perf_counter()
        found = index.search(query, _PAGE + RESERVE + RESCORED)
        took.append((time.perf_counter() - began) * 1000)
        kept += len(np.intersect1d(found.rowids, true))
    return kept / (_QUERIES * _PAGE), float(np.median(took))


def _through_graph(size: int) -> list[Figure]:
    """The graph over an index of that size: what it finds of what the scan finds, and its cost."""
    source = np.random.default_rng(size)
    middles = source.standard_normal((_MIDDLES, _DIMENSION), dtype=np.float32)
    index = VectorIndex(_DIMENSION)
    for first in range(0, size, _PORTION):
        rows = np.arange(first + 1, min(size, first + _PORTION) + 1)
        near = middles[source.integers(0, _MIDDLES, len(rows))]
        stored = _unit(source, len(rows), near).astype("<f2")
        index.add(pack(rows.tolist(), [(0, 1)] * len(rows), stored.tobytes(), _DIMENSION))
        index.settle()
    import_module("cognid_daemon.recall.graph")  # whose code is no part of a graph
    resident = process.megabytes(os.getpid(), "VmRSS") if process.available else 0.0
    began = time.process_time()
    while index.grow_graph(64):
        pass
    building = time.process_time() - began
    resident = process.megabytes(os.getpid(), "VmRSS") - resident if process.available else 0.0
    name = f"{size:,} vectors round middles"
    size_name = f"the graph beside each vector, {name}"
    figures = [
        Figure(size_name, resident * (1 << 20) / size, "bytes", _MOST_BYTES)
        if process.available
        else Figure(size_name, None, "bytes", _MOST_BYTES, not_run=process.NOT_HERE),
        Figure(f"CPU of putting one into the graph, {name}", 1000 * building / size, "ms"),
    ]
    queries = _unit(source, _QUERIES, middles[source.integers(0, _MIDDLES, _QUERIES)])
    scanned, milliseconds = _asked(index, queries)
    figures.append(Figure(f"a scan of them, median, {name}", milliseconds, "ms"))
    for breadth in BREADTHS:
        index.use_graph(breadth)
        found, milliseconds = _asked(index, queries)
        kept = sum(len(np.intersect1d(*pair)) for pair in zip(scanned, found, strict=True))
        share = 100 * kept / (_QUERIES * _PAGE)
        figures += [
            Figure(f"of the scan's first ten, through the graph at {breadth}, {name}", share, "%"),
            Figure(f"the graph at {breadth}, median, {name}", milliseconds, "ms"),
        ]
    return figures


def _asked(
    index: VectorIndex, queries: NDArray[np.float32]
) -> tuple[list[NDArray[np.int64]], float]:
    """The first ten for each query, and the milliseconds of the median one."""
    found, took = [], []
    for query in queries:
        began = time.perf_counter()
        matches = index.search(query, CANDIDATES)
        took.append((time.perf_counter() - began) * 1000)
        found.append(matches.rowids[:_PAGE])
    return found, float(np.median(took))


def _unit(
    source: np.random.Generator, count: int, middles: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """Seeded unit vectors; round some middles, one each, where those are given."""
    rows = source.standard_normal((count, _DIMENSION), dtype=np.float32)
    if middles is not None:
        rows = middles + _SPREAD * rows
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
