"""The vector pipeline's index: one bank's vectors of one space as int8.

Owns: the matrix in memory, the graph over it, and the order in which changes reach them. May not
read the bank. Importing this module imports numpy and numkong: only the model's threads do that.

It is scanned exactly, which costs about 3 ms at 100,000 vectors of 384 dimensions on an AVX2 core
(the int8 kernel of numkong, which usearch brings and uses itself; usearch's own exact search takes
8 ms there, a float32 product 7 ms and four times the memory), and 34 ms at a million on two
threads. Each vector has its own scale, so that int8 keeps the order; the ranking takes the exact
value of the best ones from the bank's float16. A large index gets a graph besides (`graph_build`
makes it, and says when it may be used): then its first vectors are found by that, and the others by
the scan.

Threads: `add` and `remove` only put a change into a queue, so the event loop never waits for a
scan, and their order is the order in which the loop saw the commits. Everything else carries the
queue out under the lock before it does its own.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid_daemon.recall.matrix import BLOCK, Matrix, Windows, best_of
from cognid_daemon.recall.ordered import is_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognid_daemon.recall.graph import Graph
    from cognid_models import Vector

_OVERFETCH: Final = 0.5
"""Share of the vectors that may answer below which all are scanned: a graph would be asked for
more than twice what is wanted."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Memories, best first, each by its best window: revision_rowids, cosines, and the windows'
    characters, a row each."""

    rowids: NDArray[np.int64]
    cosines: NDArray[np.float32]
    spans: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rowids)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One search by scan and through the graph: how many the scan's best are, how many of these the
    graph finds, and the seconds of either."""

    best: int
    found: int
    scan_seconds: float
    graph_seconds: float


class VectorIndex:
    """The vectors of one bank in one space."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._lock = Lock()
        self._changes: deque[Windows | int] = deque()
        self._matrix = Matrix(dimension)
        self._graph: Graph | None = None
        self._covered = 0  # so many first vectors are in the graph
        self._breadth = 0  # of a search of the graph; 0 while it is not used
        self.changes = 0
        """How many changes were asked for by now."""
        self.searches = 0
        """How many searches there were by now."""

    def __len__(self) -> int:
        return self._matrix.count - self._matrix.holes

    @property
    def holes(self) -> int:
        """How many places are kept for the graph though their vectors were removed."""
        return self._matrix.holes

    @property
    def uncovered(self) -> int:
        """How many vectors are in no graph."""
        return self._matrix.count - self._covered

    @property
    def scanned(self) -> int:
        """How many vectors a search compares one by one where any of them may answer."""
        return self.uncovered if self._breadth else self._matrix.count

    def add(self, windows: Windows) -> None:
        """Queue vectors to be added."""
        self.changes += 1
        self._changes.append(windows)

    def remove(self, revision_rowid: int) -> None:
        """Queue the removal of every window of a revision."""
        self.changes += 1
        self._changes.append(revision_rowid)

    def settle(self) -> None:
        """Carry out what is queued."""
        with self._lock:
            self._settle()

    def part(self, first: int, count: int) -> Windows | None:
        """A copy of so many vectors at most, after the first so many; None past the end."""
        with self._lock:
            self._settle()
            places = self._matrix.places()[first : first + count]
            return self._matrix.windows_at(places) if len(places) else None

    def owners(self) -> NDArray[np.int64]:
        """The revision_rowid of each vector."""
        with self._lock:
            self._settle()
            return self._matrix.owners[self._matrix.places()]

    def search(
        self,
        query: Vector,
        count: int,
        allowed: Sequence[int] | None = None,
        until: float | None = None,
    ) -> Matches:
        """Find the memories nearest to a query, best first, each by its best window.

        Args:
            query: of the index's space.
            count: how many memories at most.
            allowed: the revision_rowids that may answer; None means all of them.
            until: in seconds of `time.monotonic`; the search ends there, whatever it has.

        Raises:
            TimeoutError: it is past `until`.
        """
        patience = -1.0 if until is None else max(0.0, until - time.monotonic())
        if not self._lock.acquire(timeout=patience):
            raise TimeoutError
        try:
            self._settle()
            self.searches += 1
            return self._search(query, count, allowed, until, self._breadth)
        finally:
            self._lock.release()

    def grow_graph(self, most: int) -> bool:
        """Put the next vectors into the graph, so many at most, as far as blocks are full; begin
        one where there is none. Nobody searches it before `use_graph`. One thread at a time.

        Returns:
            Whether there are more.
        """
        graph = self._graph
        if graph is None:
            from cognid_daemon.recall.graph import Graph

            graph = Graph(self.dimension)
        matrix = self._matrix
        with self._lock:
            self._settle()
            first = self._covered
            whole = matrix.count - matrix.count % BLOCK
            if first >= whole:
                return False
            rows = matrix.rows(first, most)
            self._graph = graph
            matrix.placed = first + len(rows)
        graph.add(first, rows)
        with self._lock:
            self._covered = matrix.placed
        return matrix.placed < whole

    def compare(self, query: Vector, breadth: int, count: int, best: int) -> Comparison:
        """Search both ways for so many memories, and compare the best of them.

        Args:
            query: of the index's space.
            breadth: that of the search of the graph.
            count: how many memories are looked for.
            best: how many of these are compared.
        """
        with self._lock:
            self._settle()
            began = time.monotonic()
            true = self._search(query, count, None, None, 0).rowids[:best]
            scanned = time.monotonic()
            found = self._search(query, count, None, None, breadth).rowids[:best]
            ended = time.monotonic()
        met = len(np.intersect1d(true, found))
        return Comparison(len(true), met, scanned - began, ended - scanned)

    def between(self, places: tuple[int, int], noise: Vector) -> Vector:
        """What lies between two of the vectors, and a step to the side.

        Args:
            places: of the two, counted from 0 without the holes, and from the start again past
                the end.
            noise: that step.
        """
        with self._lock:
            self._settle()
            there = self._matrix.places()
            if not len(there):
                return noise / np.linalg.norm(noise)
            two = self._matrix.windows_at(there[np.asarray(places) % len(there)])
        middle = (two.codes * two.scales[:, None]).sum(axis=0, dtype=np.float32)
        middle += np.linalg.norm(middle) * noise
        query: Vector = middle / np.linalg.norm(middle)
        return query

    def use_graph(self, breadth: int) -> None:
        """Search through the graph from now on, with that breadth."""
        with self._lock:
            self._breadth = breadth

    def drop_graph(self) -> None:
        """Have no graph, and scan; the holes are of no use then (`fill_holes`)."""
        with self._lock:
            self._graph = None
            self._breadth = self._covered = self._matrix.placed = 0

    def fill_holes(self, most: int) -> bool:
        """Close so many of the holes at most, but for those that the graph needs; gives whether
        there are more."""
        with self._lock:
            self._settle()
            self._matrix.fill(most)
            return self._matrix.holes > 0 and not self._matrix.placed

    def _search(
        self,
        query: Vector,
        count: int,
        allowed: Sequence[int] | None,
        until: float | None,
        breadth: int,
    ) -> Matches:
        """Search through the graph, or, where `breadth` is 0, without it."""
        scale = float(np.abs(query).max()) / 127.0
        codes = np.rint(query / scale).astype(np.int8)[None, :]
        permitted = None if allowed is None else self._permitted(allowed)
        wanted = 2 * count
        while True:
            found = self._follow(codes, permitted, wanted, until, breadth)
            if found is None:
                found = self._matrix.scan(codes, permitted, wanted, until)
            places, scores = found
            matches = self._folded(places, scores * scale, count)
            if len(matches) == count or len(places) < wanted:
                return matches
            wanted *= 4  # long memories filled the places with their windows

    def _follow(
        self,
        codes: NDArray[np.int8],
        permitted: NDArray[np.bool_] | None,
        wanted: int,
        until: float | None,
        breadth: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """What a scan of all gives, through the graph and by a scan of the rest. None where that
        would not be as many as are wanted."""
        if not breadth or self._graph is None:
            return None
        owners, asked = self._matrix.owners, wanted
        if permitted is not None:
            share = float(permitted[owners].mean())
            if share < _OVERFETCH:
                return None
            asked = int(wanted / share) + 1
        near = self._graph.nearest(codes[0], asked, breadth)
        answers = owners[near] > 0 if permitted is None else permitted[owners[near]]
        near = near[answers][:wanted]
        if len(near) < wanted:
            return None
        rest = self._matrix.scan(codes, permitted, wanted, until, self._covered)
        return best_of(wanted, (near, self._matrix.scores_at(codes, near)), rest)

    def _permitted(self, allowed: Sequence[int]) -> NDArray[np.bool_]:
        """Which owners may answer, by their number: one look-up a vector, however many they are."""
        highest = int(self._matrix.owners.max(initial=0))
        permitted = np.zeros(highest + 1, np.bool_)
        rowids = np.asarray(allowed, np.int64)
        permitted[rowids[rowids <= highest]] = True
        return permitted

    def _folded(
        self, places: NDArray[np.int64], scores: NDArray[np.float32], count: int
    ) -> Matches:
        """Windows, best first, folded to their memories."""
        owners = self._matrix.owners[places]
        by_owner = owners.argsort(kind="stable")
        best = np.sort(by_owner[is_first(owners[by_owner])])[:count]
        return Matches(owners[best], scores[best], self._matrix.spans_at(places[best]))

    def _settle(self) -> None:
        while self._changes:
            change = self._changes.popleft()
            if not isinstance(change, int):
                self._matrix.add(change)
                continue
            removed = [change]
            while self._changes and isinstance(following := self._changes[0], int):
                removed.append(following)
                self._changes.popleft()
            self._matrix.remove(removed)
