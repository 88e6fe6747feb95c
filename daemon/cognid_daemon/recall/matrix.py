"""The matrix that a vector index is made of: packed vectors in memory, and whose each is.

404 bytes a vector at 384 dimensions, in blocks: growing copies nothing, and shrinking gives memory
back. A removed vector is overwritten by the last one and the last one's place by zeros: there are
no tombstones, and nothing of it stays. Only where something points at the first vectors (`placed`)
they keep their places: there the removed one is overwritten by zeros and leaves a hole, which
belongs to nobody (owner 0) and comes before no other (its scale, and so its score, is NaN).

Owns: the form of a packed vector, and the exact scan. No lock: its owner has one. Importing this
module imports numpy and numkong: only the model's threads do that.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import numkong
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    def of(self, owners: Sequence[int]) -> Windows:
        """Those of some owners alone."""
        rows = np.isin(self.owners, owners)
        if rows.all():
            return self
        return Windows(self.owners[rows], self.spans[rows], self.codes[rows], self.scales[rows])


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


def _multiply(
    codes: NDArray[np.int8], rows: NDArray[np.int8], products: NDArray[np.float32]
) -> None:
    """The product of a query with each row, exactly: sums stay below 2**24."""
    numkong.cdist(codes, rows, "dot", out=products, out_dtype="float32")


def _look(until: float | None) -> None:
    if until is not None and time.monotonic() >= until:
        raise TimeoutError


@cache
def _second() -> ThreadPoolExecutor:
    """The second scanning thread of the process, made when the first large index is searched."""
    return ThreadPoolExecutor(1, "cognid-scan")


def best_of(
    wanted: int, *parts: tuple[NDArray[np.int64], NDArray[np.float32]]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best of some places with their scores, best first."""
    places = np.concatenate([part[0] for part in parts])
    scores = np.concatenate([part[1] for part in parts])
    best = (-scores).argsort(kind="stable")[:wanted]
    return places[best], scores[best]


class Matrix:
    """Packed vectors, a row each, with their owners, their characters and their scales."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.count = 0
        """Places, holes included."""
        self.holes = 0
        self.placed = 0
        """The first so many keep their places."""
        self._blocks: list[NDArray[np.int8]] = []
        self._owners = np.zeros(0, np.int64)
        self._spans = np.zeros((0, 2), np.int32)
        self._scales = np.zeros(0, np.float32)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Whose the vector at each place is; 0 is nobody."""
        return self._owners[: self.count]

    def places(self) -> NDArray[np.int64]:
        """The places that hold a vector."""
        return np.flatnonzero(self.owners) if self.holes else np.arange(self.count)

    def spans_at(self, places: NDArray[np.int64]) -> NDArray[np.int32]:
        """The characters that the vectors at some places are of."""
        return self._spans[places]

    def rows(self, first: int, most: int) -> NDArray[np.int8]:
        """The codes from a place on, so many at most, all of one block: not a copy."""
        number, place = divmod(first, BLOCK)
        return self._blocks[number][place : min(place + most, self.count - number * BLOCK)]

    def windows_at(self, places: NDArray[np.int64]) -> Windows:
        """A copy of the vectors at some places."""
        return Windows(
            self._owners[places], self._spans[places], self._codes_at(places), self._scales[places]
        )

    def scores_at(self, codes: NDArray[np.int8], places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The score of a query's codes with the vector at each of some places."""
        products = np.empty((1, len(places)), np.float32)
        _multiply(codes, self._codes_at(places), products)
        scores: NDArray[np.float32] = products[0] * self._scales[places]
        return scores

    def fill(self, most: int) -> None:
        """Close so many holes at most, but for those among the first that keep their places."""
        holes = np.flatnonzero(self.owners[self.placed :] == 0)[:most] + self.placed
        for place in holes[::-1].tolist():
            self._take_last(place)
            self.holes -= 1

    def add(self, windows: Windows) -> None:
        """Put vectors at the end."""
        added = len(windows.owners)
        total = self.count + added
        self._reserve(total)
        self._owners[self.count : total] = windows.owners
        self._spans[self.count : total] = windows.spans
        self._scales[self.count : total] = windows.scales
        done = 0
        while done < added:
            number, place = divmod(self.count + done, BLOCK)
            if number == len(self._blocks):
                self._blocks.append(np.zeros((BLOCK, self.dimension), np.int8))
            part = windows.codes[done : done + BLOCK - place]
            self._blocks[number][place : place + len(part)] = part
            done += len(part)
        self.count = total

    def remove(self, owners: Sequence[int]) -> None:
        """Take away every vector of some owners, in one look through all: 2 ms at a million for one
        of them, 10 to 20 for several."""
        one, *others = owners
        theirs = np.isin(self.owners, owners) if others else self.owners == one
        places = np.flatnonzero(theirs)
        for place in places[::-1].tolist():
            if place < self.placed:
                self._leave_hole(place)
            else:
                self._take_last(place)

    def _leave_hole(self, place: int) -> None:
        block, at = divmod(place, BLOCK)
        self._blocks[block][at] = 0
        self._owners[place] = 0
        self._spans[place] = 0
        self._scales[place] = np.nan
        self.holes += 1

    def _take_last(self, place: int) -> None:
        """Overwrite a place by the last one, and that by zeros."""
        last = self.count - 1
        last_block, last_place = divmod(last, BLOCK)
        block, at = divmod(place, BLOCK)
        self._blocks[block][at] = self._blocks[last_block][last_place]
        self._blocks[last_block][last_place] = 0
        for column in (self._owners, self._spans, self._scales):
            column[place] = column[last]
            column[last] = 0
        self.count = last
        if last_place == 0:
            self._blocks.pop()

    def scan(
        self,
        codes: NDArray[np.int8],
        permitted: NDArray[np.bool_] | None,
        wanted: int,
        until: float | None,
        since: int = 0,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places of the best scores, best first, and those: from `_SHARED` blocks on, half of
        them on a thread of its own.

        Args:
            codes: of the query, one row.
            permitted: of each owner, whether it may answer; None means that all may.
            wanted: how many at most.
            until: in seconds of `time.monotonic`; TimeoutError once it is past.
            since: the first place that counts.
        """
        first, last = since // BLOCK, len(self._blocks)
        scan = partial(self._scan_blocks, codes, permitted, wanted, until, since)
        if last - first < _SHARED:
            return best_of(wanted, scan(first, last))
        middle = (first + last) // 2
        other = _second().submit(scan, middle, last)
        try:
            mine = scan(first, middle)
        finally:
            wait([other])
        return best_of(wanted, mine, other.result())

    def _scan_blocks(
        self,
        codes: NDArray[np.int8],
        permitted: NDArray[np.bool_] | None,
        wanted: int,
        until: float | None,
        since: int,
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
            start = max(since, number * BLOCK)
            rows = self.rows(start, BLOCK)
            size = len(rows)
            if not size:
                continue
            _multiply(codes, rows, products[:, :size])
            here = products[0, :size] * self._scales[start : start + size]
            if permitted is not None:
                here[~permitted[self._owners[start : start + size]]] = -np.inf
            better = (here > least).nonzero()[0]
            if not len(better):
                continue
            places.append(better + start)
            scores.append(here[better])
            kept += len(better)
            if kept > 2 * wanted:
                all_places, all_scores = np.concatenate(places), np.concatenate(scores)
                best = all_scores.argpartition(kept - wanted)[kept - wanted :]
                places, scores, kept = [all_places[best]], [all_scores[best]], wanted
                least = scores[0].min()
        return np.concatenate(places), np.concatenate(scores)

    def _codes_at(self, places: NDArray[np.int64]) -> NDArray[np.int8]:
        """A copy of the codes at some places."""
        codes = np.empty((len(places), self.dimension), np.int8)
        numbers, rows = np.divmod(places, BLOCK)
        for number in np.unique(numbers).tolist():
            here = numbers == number
            codes[here] = self._blocks[number][rows[here]]
        return codes

    def _reserve(self, total: int) -> None:
        """Make the small columns long enough; a quarter more than asked, so that it is rare."""
        if total <= len(self._owners):
            return
        size = max(BLOCK, total + total // 4)
        for name in ("_owners", "_spans", "_scales"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), old.dtype)
            new[: self.count] = old[: self.count]
            setattr(self, name, new)
