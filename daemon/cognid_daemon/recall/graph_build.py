"""The graph over a large vector index: made, tried and kept, in the background.

It is made anew after each start, once the index was asked often enough: it takes .6 to 1 ms of CPU
for each vector and more in a whole daemon, as much as ten thousand scans or twice that. It is made
some vectors at a time while no recall is open, and takes half of a core at most. Until it is there,
and wherever it is not good enough, the index is scanned. Before it is used, and again whenever it
has grown by a quarter, both are asked the same: the graph must find 99 of 100 of what the scan
finds, and in less time. Asked is for what lies between two of the bank's own vectors and a step to
the side, which is harder than a real question (at 200,000 mixtures of real texts the graph found
.975 of it, of those .992).

Owns: when. The graph itself is the index's.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_daemon.recall.lexical import CANDIDATES
from cognid_daemon.recall.models import EmbedderHost

if TYPE_CHECKING:
    from cognid_daemon.recall.vectors import Comparison, VectorIndex

T = TypeVar("T")

LEAST: Final = 300_000
"""Vectors from which on there may be a graph: a scan takes 10 to 12 ms there, a graph that is
searched broadly enough 6 to 8; at 200,000 both take the same."""

SEARCHED: Final = 1_000
"""Searches of an index before its first graph is begun: where hardly anybody asks, the scans cost
less, and a daemon that is started again and again would make one again and again."""

_SLACK: Final = 4096
"""Vectors that are not in the graph yet, before it grows: .1 ms of a scan."""

_PORTION: Final = 8
"""Vectors put into it at a time: a recall that comes meanwhile waits for 5 ms."""

_HOLES: Final = 0.1
"""Share of the places whose vectors may have been removed before the graph is made anew."""

_FILLED: Final = 64
BREADTHS: Final = (300, 600, 1200, 2400)
"""How broadly a graph is searched: the least that finds enough."""

_BEST: Final = 10
_ASKED: Final = 50
_FOUND: Final = 0.99
_ASIDE: Final = 0.3
"""How far beside the middle of two vectors is asked, in lengths of the query."""

_GROWN: Final = 1.25
_REST: Final = 1.0
"""Pauses, in times that a step took."""


class GraphBuild:
    """Keeps one bank's graph. `run` is the task."""

    def __init__(self, host: EmbedderHost) -> None:
        self._host = host
        self._index: VectorIndex | None = None
        self._wanted_from = LEAST
        self._tried_at = 0
        self._wake = asyncio.Event()

    def follow(self, index: VectorIndex) -> None:
        """Keep the graph of this index from now on."""
        self._index, self._wanted_from, self._tried_at = index, LEAST, 0
        self.touch()

    def touch(self) -> None:
        """See whether there is something to do, after vectors came or went or were searched."""
        if self._index is not None and self._is_due(self._index):
            self._wake.set()

    def _is_due(self, index: VectorIndex) -> bool:
        is_short = len(index) >= self._wanted_from and index.uncovered >= _SLACK
        is_begun = index.uncovered < len(index)
        return (is_short and (is_begun or index.searches >= SEARCHED)) or _is_worn(index)

    async def run(self) -> None:
        """Do what is due, then sleep until woken."""
        while True:
            self._wake.clear()
            index = self._index
            if index is not None and self._is_due(index):
                try:
                    await self._keep(index)
                except Exception:  # the room's edge: whatever it was, the index is scanned
                    await self._do_without(index)
            await self._wake.wait()

    async def _keep(self, index: VectorIndex) -> None:
        """Grow the graph to the last full block, and try it where it was not tried so large."""
        if _is_worn(index):
            await self._drop(index)
            self._tried_at = 0
        if len(index) < self._wanted_from:
            return
        while index is self._index and await self._step(partial(index.grow_graph, _PORTION)):
            pass
        if index is self._index and len(index) >= _GROWN * self._tried_at:
            self._tried_at = len(index)
            await self._try(index)

    async def _drop(self, index: VectorIndex) -> None:
        await asyncio.to_thread(index.drop_graph)
        while await self._step(partial(index.fill_holes, _FILLED)):
            pass

    async def _try(self, index: VectorIndex) -> None:
        """Use the graph with the least breadth that finds enough, if it is quicker then."""
        for breadth in BREADTHS:
            tried = [await self._step(partial(_compare, index, breadth)) for _ in range(_ASKED)]
            best, found = sum(one.best for one in tried), sum(one.found for one in tried)
            if found < _FOUND * best:
                continue
            scan = median(one.scan_seconds for one in tried)
            if median(one.graph_seconds for one in tried) < scan:
                await asyncio.to_thread(index.use_graph, breadth)
                return
            break
        await self._do_without(index)

    async def _do_without(self, index: VectorIndex) -> None:
        """Have no graph until there are twice as many vectors."""
        await self._drop(index)
        if index is self._index:
            self._wanted_from = 2 * max(LEAST, len(index))

    async def _step(self, work: Callable[[], T]) -> T:
        """Do one thing on a thread, rest, and let recalls go first."""
        begun = time.monotonic()
        done = await asyncio.to_thread(work)
        await asyncio.sleep(_REST * (time.monotonic() - begun))
        await self._host.quiet()
        return done


def _is_worn(index: VectorIndex) -> bool:
    return index.holes > _HOLES * len(index)


def _compare(index: VectorIndex, breadth: int) -> Comparison:
    import numpy as np

    noise = np.random.default_rng().standard_normal(index.dimension, np.float32)
    noise *= _ASIDE / np.linalg.norm(noise)
    last = max(1, len(index))
    query = index.between((secrets.randbelow(last), secrets.randbelow(last)), noise)
    return index.compare(query, breadth, CANDIDATES, _BEST)
