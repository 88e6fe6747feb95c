"""A graph over int8 vectors that lie elsewhere: what takes the place of the scan of a large index.

usearch's HNSW (Y. Malkov and D. Yashunin, 2016), which keeps the way between the vectors and points
at the vectors themselves: 200 bytes each beside theirs. It only grows. What is removed is
overwritten by zeros where it lies, so nothing of it stays here either, and is near to nothing.

Owns: usearch. Importing this module imports numpy and usearch: only `graph_build`'s threads do.
And what runs the models before it, which a daemon with vectors has: imported after usearch,
onnxruntime (1.32, usearch 2.26, Linux) ends the process, since both bring a C++ runtime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

import cognid_models.onnx_embedder  # noqa: F401  # onnxruntime, its telemetry off, before usearch

# isort: split
from usearch.index import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINKS: Final = 16
_BUILDING_BREADTH: Final = 128


class Graph:
    """A graph over the rows of some int8 matrices, by numbers that its owner gives them."""

    def __init__(self, dimension: int) -> None:
        self._index = Index(
            ndim=dimension,
            metric="cos",  # of the codes: that of the vectors, since a vector has one scale
            dtype="i8",
            connectivity=_LINKS,
            expansion_add=_BUILDING_BREADTH,
        )
        self._pointed_at: list[NDArray[np.int8]] = []

    def add(self, first: int, rows: NDArray[np.int8]) -> None:
        """Add rows by the numbers from `first` on. They are not copied: they must stay where they
        are. Searches wait meanwhile: .6 ms a row."""
        base = rows if not isinstance(rows.base, np.ndarray) else rows.base
        if not self._pointed_at or self._pointed_at[-1] is not base:
            self._pointed_at.append(base)
        numbers = np.arange(first, first + len(rows), dtype=np.uint64)
        self._index.add(numbers, rows, copy=False, threads=1)

    def nearest(self, codes: NDArray[np.int8], count: int, breadth: int) -> NDArray[np.int64]:
        """The numbers of the nearest rows, best first; of few of them perhaps not all.

        Args:
            codes: of the query, one row.
            count: how many at most.
            breadth: how many are followed at least; more find more, and take longer.
        """
        self._index.expansion_search = max(count, breadth)  # type: ignore[misc]
        found = self._index.search(codes, count, threads=1)
        return found.keys.astype(np.int64)
