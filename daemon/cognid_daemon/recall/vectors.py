"""The vector pipeline's index: one bank's vectors of one space as int8, scanned exactly.

Owns: the compact matrix in memory and the order in which changes reach it. May not read the bank.
Importing this module imports numpy and numkong: only the model's threads do that.

The scan is exact and costs about 3 ms at 100,000 vectors of 384 dimensions on an AVX2 core (the
int8 kernel of numkong, which usearch brings and uses itself; usearch's own exact search takes 8 ms
there, a float32 product 7 ms and four times the memory), and 34 ms at a million on two threads;
docs/benchmarks.md has what a graph would save and cost there. Each vector has its own scale, so
that int8 keeps the order; the ranking takes the exact value of the best ones from the bank's
float16.

404 bytes a vector at 384 dimensions, in blocks: growing copies nothing, and shrinking gives memory
back. A removed vector is overwritten by the last one and the last one's place by zeros: there are
no tombstones, and nothing of it stays.

Threads: `add` and `remove` only put a change into a queue, so the event loop never waits for a
scan, and their order is the order in which the loop saw the commits. `search` and `settle` carry
the queue out under the lock before they do anything else.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Final

import numkong
import numpy as np

from cognid_daemon.recall.ordered import is_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognid_models import Vector

BLOCK: Final = 4096
"""Vectors in one piece of the matrix."""

_LOOK_EVERY: Final = 16
"""Blocks between two looks at the clock: about 2 ms."""

_SHARED: Final = 20
"""Blocks (80,000 vectors, 2 to 4 ms) from which on two threads scan."""

_PORTION: Final = 256
_UNIT_TOLERANCE: Final = 0.01
"""Of a stored vector's squared length; float16 is within 0.001. NaN is never within."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Vectors on their way into an index, a row each: whose they are, and which characters."""

    owners: NDArray[np.int64]
    spans: NDArray[np.int32]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Matches:
    """Memories, best first, each by its best window: revision_rowids, cosines, and the windows'
    characters, a row each."""

    rowids: NDArray[np.int64]
    cosines: NDArray[np.float32]
    spans: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rowids)


def pack(
    owners: Sequence[int], spans: Sequence[tuple[int, int]], vectors: bytes, dimension: int
) -> Windows:
    """Pack stored vectors (float16 little-endian, one after another) for an index.

    Rows that are not finite and of length 1 are left out: a NaN would win or lose every comparison.
    """
    halves = np.frombuffer(vectors, dtype="<f2").reshape(-1, dimension)
    codes = np.empty(halves.shape, np.int8)
    scales = np.empty(len(halves), np.float32)
    sound = np.empty(len(halves), np.bool_)
    # In portions that stay in the cache, in one buffer: a third of the time of whole arrays.
    buffer = np.empty((min(_PORTION, len(halves)), dimension), np.float32)
    for first in range(0, len(halves), _PORTION):
        here = slice(first, min(first + _PORTION, len(halves)))
        full = buffer[: here.stop - first]
        full[:] = halves[here]
        sound[here] = np.abs(np.einsum("ij,ij->i", full, full) - 1.0) < _UNIT_TOLERANCE
        scales[here] = np.maximum(full.max(axis=1), -full.min(axis=1)) / 127.0
        with np.errstate(invalid="ignore", divide="ignore"):
            np.multiply(full, 1.0 / scales[here, None], out=full)
            np.rint(full, out=full)
            codes[here] = full
    return Windows(
        np.asarray(owners, np.int64)[sound],
        np.asarray(spans, np.int32).reshape(-1, 2)[sound],
        codes if sound.all() else codes[sound],
        scales[sound],
    )


def _look(until: float | None) -> None:
    if until is not None and time.monotonic() >= until:
        raise TimeoutError


@cache
def _second() -> ThreadPoolExecutor:
    """The second scanning thread of the process, made when the first large index is searched."""
    return ThreadPoolExecutor(1, "cognid-scan")


class VectorIndex:
    """The vectors of one bank in one space."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._lock = Lock()
        self._changes: deque[Windows | int] = deque()
        self._blocks: list[NDArray[np.int8]] = []
        self._count = 0
        self.changes = 0
        """How many changes were asked for by now."""
        self._owners = np.zeros(0, np.int64)
        self._spans = np.zeros((0, 2), np.int32)
        self._scales = np.zeros(0, np.float32)

    def __len__(self) -> int:
        return self._count

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
        """A copy of so many vectors at most, all of one block, from a place on; None past the
        end."""
        with self._lock:
            self._settle()
            number, place = divmod(first, BLOCK)
            last = min(first + min(count, BLOCK - place), self._count)
            if first >= last:
                return None
            return Windows(
                self._owners[first:last].copy(),
                self._spans[first:last].copy(),
                self._blocks[number][place : place + last - first].copy(),
                self._scales[first:last].copy(),
            )

    def owners(self) -> NDArray[np.int64]:
        """The revision_rowid of each vector."""
        with self._lock:
            self._settle()
            return self._owners[: self._count].copy()

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
        scale = float(np.abs(query).max()) / 127.0
        codes = np.rint(query / scale).astype(np.int8)[None, :]
        self._hold(until)
        try:
            self._settle()
            permitted = None if allowed is None else self._permitted(allowed)
            wanted = 2 * count
            while True:
                places, scores = self._scan_all(codes, permitted, wanted, until)
                matches = self._folded(places, scores * scale, count)
                if len(matches) == count or len(places) < wanted:
                    return matches
                wanted *= 4  # long memories filled the places with their windows
        finally:
            self._lock.release()

    def _permitted(self, allowed: Sequence[int]) -> NDArray[np.bool_]:
        """Which owners may answer, by their number: one look-up a vector, however many they are."""
        highest = int(self._owners[: self._count].max(initial=0))
        permitted = np.zeros(highest + 1, np.bool_)
        rowids = np.asarray(allowed, np.int64)
        permitted[rowids[rowids <= highest]] = True
        return permitted

    def _scan_all(
        self,
        codes: NDArray[np.int8],
        permitted: NDArray[np.bool_] | None,
        wanted: int,
        until: float | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places of the best scores, best first, and those: from `_SHARED` on, half of the
        blocks on a thread of its own."""
        blocks = len(self._blocks)
        scan = partial(self._scan, codes, permitted, wanted, until)
        if blocks < _SHARED:
            places, scores = scan(0, blocks)
        else:
            other = _second().submit(scan, blocks // 2, blocks)
            try:
                mine = scan(0, blocks // 2)
            finally:
                wait([other])
            theirs = other.result()
            places = np.concatenate((mine[0], theirs[0]))
            scores = np.concatenate((mine[1], theirs[1]))
        best = np.argsort(-scores, kind="stable")[:wanted]
        return places[best], scores[best]

    def _scan(
        self,
        codes: NDArray[np.int8],
        permitted: NDArray[np.bool_] | None,
        wanted: int,
        until: float | None,
        first: int,
        last: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places of the best scores of some blocks, in no order.

        What does not beat the worst of the best so far is dropped block by block: to choose among
        all scores at the end takes 10 ms at a million.
        """
        products = np.empty((1, BLOCK), np.float32)
        least = np.float32(-np.inf)
        places = [np.zeros(0, np.int64)]
        scores = [np.zeros(0, np.float32)]
        kept = 0
        for number in range(first, last):
            if number % _LOOK_EVERY == 0:
                _look(until)
            start = number * BLOCK
            size = min(BLOCK, self._count - start)
            numkong.cdist(
                codes,
                self._blocks[number][:size],
                "dot",
                out=products[:, :size],
                out_dtype="float32",  # exact: sums stay below 2**24
            )
            here = products[0, :size] * self._scales[start : start + size]
            if permitted is not None:
                here[~permitted[self._owners[start : start + size]]] = -np.inf
            better = np.flatnonzero(here > least)
            if not len(better):
                continue
            places.append(better + start)
            scores.append(here[better])
            kept += len(better)
            if kept > 2 * wanted:
                all_places, all_scores = np.concatenate(places), np.concatenate(scores)
                best = np.argpartition(all_scores, kept - wanted)[kept - wanted :]
                places, scores, kept = [all_places[best]], [all_scores[best]], wanted
                least = scores[0].min()
        return np.concatenate(places), np.concatenate(scores)

    def _folded(
        self, places: NDArray[np.int64], scores: NDArray[np.float32], count: int
    ) -> Matches:
        """Windows, best first, folded to their memories."""
        owners = self._owners[places]
        by_owner = np.argsort(owners, kind="stable")
        best = np.sort(by_owner[is_first(owners[by_owner])])[:count]
        return Matches(owners[best], scores[best], self._spans[places[best]])

    def _hold(self, until: float | None) -> None:
        """Take the lock, unless it cannot be had in time."""
        patience = -1.0 if until is None else max(0.0, until - time.monotonic())
        if not self._lock.acquire(timeout=patience):
            raise TimeoutError

    def _settle(self) -> None:
        while self._changes:
            change = self._changes.popleft()
            if isinstance(change, int):
                self._remove(change)
            else:
                self._add(change)

    def _add(self, windows: Windows) -> None:
        added = len(windows.owners)
        total = self._count + added
        self._reserve(total)
        self._owners[self._count : total] = windows.owners
        self._spans[self._count : total] = windows.spans
        self._scales[self._count : total] = windows.scales
        done = 0
        while done < added:
            number, place = divmod(self._count + done, BLOCK)
            if number == len(self._blocks):
                self._blocks.append(np.zeros((BLOCK, self.dimension), np.int8))
            part = windows.codes[done : done + BLOCK - place]
            self._blocks[number][place : place + len(part)] = part
            done += len(part)
        self._count = total

    def _remove(self, revision_rowid: int) -> None:
        places = np.flatnonzero(self._owners[: self._count] == revision_rowid)
        for place in places[::-1].tolist():
            last = self._count - 1
            last_block, last_place = divmod(last, BLOCK)
            block, at = divmod(place, BLOCK)
            self._blocks[block][at] = self._blocks[last_block][last_place]
            self._blocks[last_block][last_place] = 0
            for column in (self._owners, self._spans, self._scales):
                column[place] = column[last]
                column[last] = 0
            self._count = last
            if last_place == 0:
                self._blocks.pop()

    def _reserve(self, total: int) -> None:
        """Make the small columns long enough; a quarter more than asked, so that it is rare."""
        if total <= len(self._owners):
            return
        size = max(BLOCK, total + total // 4)
        for name in ("_owners", "_spans", "_scales"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)
