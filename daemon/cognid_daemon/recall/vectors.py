"""The vector pipeline's index: one bank's vectors of one space as int8, scanned exactly.

Owns: the compact matrix in memory and the order in which changes reach it. May not read the bank.
Importing this module imports numpy and numkong: only the model's threads do that.

The scan is exact and costs about 3 ms at 100,000 vectors of 384 dimensions on an AVX2 core (the
int8 kernel of numkong, which usearch brings and uses itself; usearch's own exact search takes 8 ms
there, a float32 product 7 ms and four times the memory). A graph index begins to pay above that
size. Each vector has its own scale, so that int8 keeps the order; the ranking takes the exact value
of the best ones from the bank's float16.

404 bytes a vector at 384 dimensions, in blocks: growing copies nothing, and shrinking gives memory
back. A removed vector is overwritten by the last one and the last one's place by zeros: there are
no tombstones, and nothing of it stays.

Threads: `add` and `remove` only put a change into a queue, so the event loop never waits for a
scan, and their order is the order in which the loop saw the commits. `search` and `settle` carry
the queue out under the lock before they do anything else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import numkong
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognid_models import Vector

_BLOCK: Final = 4096
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


class Match(NamedTuple):
    """A memory's best window: its revision_rowid, cosine, and the window's characters."""

    revision_rowid: int
    score: float
    span: tuple[int, int]


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


class VectorIndex:
    """The vectors of one bank in one space."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._lock = Lock()
        self._changes: deque[Windows | int] = deque()
        self._blocks: list[NDArray[np.int8]] = []
        self._count = 0
        self._owners = np.zeros(0, np.int64)
        self._spans = np.zeros((0, 2), np.int32)
        self._scales = np.zeros(0, np.float32)
        self._products = np.zeros((1, 0), np.float32)

    def __len__(self) -> int:
        return self._count

    def add(self, windows: Windows) -> None:
        """Queue vectors to be added."""
        self._changes.append(windows)

    def remove(self, revision_rowid: int) -> None:
        """Queue the removal of every window of a revision."""
        self._changes.append(revision_rowid)

    def settle(self) -> None:
        """Carry out what is queued."""
        with self._lock:
            self._settle()

    def search(
        self, query: Vector, count: int, allowed: Sequence[int] | None = None
    ) -> list[Match]:
        """Find the memories nearest to a query, best first, each by its best window.

        `allowed` are the revision_rowids that may answer; None means all of them.
        """
        scale = float(np.abs(query).max()) / 127.0
        codes = np.rint(query / scale).astype(np.int8)[None, :]
        with self._lock:
            self._settle()
            count_now = self._count
            if not count_now:
                return []
            products = self._products[:, :count_now]
            for number, block in enumerate(self._blocks):
                start = number * _BLOCK
                end = min(start + _BLOCK, count_now)
                numkong.cdist(
                    codes,
                    block[: end - start],
                    "dot",
                    out=products[:, start:end],
                    out_dtype="float32",  # exact: sums stay below 2**24,
                )
            scores = products[0] * self._scales[:count_now]
            if allowed is not None:
                scores[~np.isin(self._owners[:count_now], np.asarray(allowed, np.int64))] = -np.inf
            return self._best(scores, scale, count)

    def _best(self, scores: NDArray[np.float32], scale: float, count: int) -> list[Match]:
        """Fold windows to their memories until there are enough of them."""
        taken = 2 * count
        while True:
            if taken < len(scores):
                places = np.argpartition(scores, len(scores) - taken)[-taken:]
            else:
                places = np.arange(len(scores))
            places = places[np.argsort(-scores[places], kind="stable")]
            places = places[scores[places] > -np.inf]
            best: dict[int, Match] = {}
            owners: list[int] = self._owners[places].tolist()
            for place, owner in zip(places.tolist(), owners, strict=True):
                if owner not in best:
                    start, end = self._spans[place].tolist()
                    best[owner] = Match(owner, float(scores[place]) * scale, (start, end))
                    if len(best) == count:
                        break
            if len(best) == count or taken >= len(scores):
                return list(best.values())
            taken *= 4  # long memories filled the places with their windows

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
            number, place = divmod(self._count + done, _BLOCK)
            if number == len(self._blocks):
                self._blocks.append(np.zeros((_BLOCK, self.dimension), np.int8))
            part = windows.codes[done : done + _BLOCK - place]
            self._blocks[number][place : place + len(part)] = part
            done += len(part)
        self._count = total

    def _remove(self, revision_rowid: int) -> None:
        places = np.flatnonzero(self._owners[: self._count] == revision_rowid)
        for place in places[::-1].tolist():
            last = self._count - 1
            last_block, last_place = divmod(last, _BLOCK)
            block, at = divmod(place, _BLOCK)
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
        size = max(_BLOCK, total + total // 4)
        for name in ("_owners", "_spans", "_scales"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)
        self._products = np.zeros((1, size), np.float32)
