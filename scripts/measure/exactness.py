"""What the int8 scan loses of the true neighbours, once its best are rescored, at growing indexes.

The vectors are seeded and point everywhere alike, so the true neighbours of a query hardly differ:
those of a model are further apart, and easier. No daemon is asked: this is about the index alone.

Owns: what is exact: the float32 product with the vectors as the bank stores them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid_daemon.recall.hydration import RESCORED
from cognid_daemon.recall.matrix import pack
from cognid_daemon.recall.vectors import VectorIndex
from cognid_models import PACKAGE_FOLDER, read_manifest
from measure.figures import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZES: Final = (10_000, 100_000, 1_000_000)
_DIMENSION: Final = read_manifest(PACKAGE_FOLDER).dimension
_PORTION: Final = 50_000
_QUERIES: Final = 100
_PAGE: Final = 10


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
    return figures


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
        found = index.search(query, _PAGE + RESCORED)
        took.append((time.perf_counter() - began) * 1000)
        kept += len(np.intersect1d(found.rowids, true))
    return kept / (_QUERIES * _PAGE), float(np.median(took))


def _unit(source: np.random.Generator, count: int) -> NDArray[np.float32]:
    rows = source.standard_normal((count, _DIMENSION), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
