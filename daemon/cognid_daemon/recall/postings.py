"""bm25 by our own hand: rowids from FTS5, lengths in memory, arithmetic in numpy, and neighbours.

Owns: the formula of a lexical score. Importing this module imports numpy.

FTS5's index is quick and its ranking is not: at 100,000 memories and 25,000 rows of the query's
terms it takes ten times as long as draining the same rows. So each term's rowids are drained, as
one string, and scored here. A term counts once a memory however often it stands there: turns are
short, and on LoCoMo that is worth .007 of any@5.

A reply of four words rarely holds the words of the question, but the turn before or after it does.
So for the candidates and their neighbours (the events one before and one after in the same stream
and session) a term counts own + ½·max(0, max(previous, next) − own). Measured on LoCoMo: any@10
.670 without neighbours, .763 with them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from cognid_daemon.recall.kept_rows import KeptRows
from cognid_daemon.recall.lexical import CANDIDATES, FACTS, RARE, LexicalMatches
from cognid_daemon.recall.ordered import distinct, is_first
from cognid_daemon.recall.terms import is_identifier, share

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.places import Places

    Integers = NDArray[np.integer]

_K1: Final = 1.2
_B: Final = 0.75
_BORROWED: Final = 0.5

# FTS5's own table of token counts: one varint a row for our one column.
_LENGTHS: Final = "SELECT id, sz FROM lexical_docsize WHERE id > ? ORDER BY id LIMIT ?"
_LENGTHS_OF: Final = (
    "SELECT d.id, d.sz FROM json_each(?) AS r CROSS JOIN lexical_docsize AS d ON d.id = r.value"
)
_READ: Final = 20_000

_NEWEST: Final = "SELECT coalesce(max(revision_rowid), 0) FROM revisions"
"""A tenth of the time of asking for what came after the last, and mostly nothing did."""

_UNSEEN: Final = 50
"""Memories without any of the terms that are thought to be there as well: in a bank of three, a
word that stands in two of them still says something. On the public sets neither gain nor loss."""

_ABSENT: Final = 0.3
"""What a term that stands nowhere in the bank counts in the whole of a query."""


class _Change(NamedTuple):
    """That a memory became current again, or is no more; no two have the same number."""

    is_current: bool
    number: int


class _Pending:
    """What commits changed in what was read of the bank, by revision_rowid, until that is read
    again.

    A commit is noted once it is there. So what was noted before a snapshot was taken is in it; of
    what is noted while one is read nobody knows.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._changes: dict[int, _Change] = {}
        self._number = 0
        self._reading = 0

    def note(self, added: Sequence[int], removed: Sequence[int], last: int) -> None:
        """See what a commit changed; what went and came in one, in whichever order, is as it was.

        Args:
            last: the last revision_rowid that was read; of what comes after it nothing is known
                that could be wrong, unless it is being read.
        """
        with self._lock:
            self._number += 1
            for rowids, others, is_current in ((added, removed, True), (removed, added, False)):
                change = _Change(is_current, self._number)
                for rowid in set(rowids).difference(others):
                    if rowid <= last or self._reading:
                        self._changes[rowid] = change

    @contextmanager
    def reading(self) -> Iterator[dict[int, _Change]]:
        """While a snapshot is taken and read: what was noted before."""
        with self._lock:
            self._reading += 1
            changes = self._changes.copy()
        try:
            yield changes
        finally:
            with self._lock:
                self._reading -= 1

    def take(self, changes: dict[int, _Change]) -> frozenset[int]:
        """Those of some changes that were neither read again by others nor changed once more; they
        are done with."""
        with self._lock:
            left = frozenset(
                rowid for rowid, change in changes.items() if self._changes.get(rowid) == change
            )
            for rowid in left:
                del self._changes[rowid]
        return left


class Postings:
    """The lengths of one bank's memories, and searches that use them. Good on several threads."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.kept = KeptRows(places.last)
        self._lock = Lock()
        self._lengths = np.zeros(1024, np.float32)
        self._last = 0
        self._newest = 0
        self._rows = 0
        self._tokens = 0
        self._pending = _Pending()

    def note(self, added: Sequence[int], removed: Sequence[int]) -> None:
        """See what a commit changed. On the loop, commit by commit."""
        self.kept.follow(added, removed)
        self._pending.note(added, removed, self._places.last)

    def follow(self, connection: Connection, changes: dict[int, _Change] | None = None) -> None:
        """Read the places and lengths of what came since the last time, let go of those of what
        went, and read again what came back; rowids only ever grow.

        Args:
            changes: what was noted before the connection's snapshot was taken.
        """
        with self._lock:
            known = self._places.last
            self._places.follow(connection)
            while True:
                rows = connection.execute(_LENGTHS, (self._last, _READ)).fetchall()
                if not rows:
                    break
                last: int = rows[-1][0]
                if last + 1 >= len(self._lengths):  # the last place is that of nobody
                    longer = np.zeros(last + last // 4 + 1024, np.float32)
                    longer[: len(self._lengths)] = self._lengths
                    self._lengths = longer
                self._last = last
                self._count(rows)
            if not changes:
                return
            # What is read for the first time is read as it is now.
            again = {rowid: one for rowid, one in changes.items() if rowid <= known}
            came = json.dumps([rowid for rowid, one in again.items() if one.is_current])
            rows = connection.execute(_LENGTHS_OF, (came,)).fetchall()
            left = self._pending.take(changes)  # nothing can fail from here on
            gone = [rowid for rowid in left.intersection(again) if not again[rowid].is_current]
            self._let_go(gone)
            self._bring_back([row for row in rows if row[0] in left])

    def _count(self, rows: list[tuple[int, bytes]]) -> None:
        """Take up some lengths that are not known yet."""
        rowids = np.array([rowid for rowid, _ in rows], np.int64)
        counts = np.array([_varint(size) for _, size in rows], np.float32)
        self._lengths[rowids] = counts
        self._tally(rowids[~self._places.repeat(rowids)], 1)

    def _let_go(self, gone: list[int]) -> None:
        """Let go of the lengths of some memories, as far as they are known."""
        rowids = np.array(gone, np.int64)
        self._tally(rowids[~self._places.repeat(rowids)], -1)
        self._lengths[rowids[rowids < len(self._lengths)]] = 0.0
        # A fact whose turn has gone speaks for itself.
        self._tally(self._places.see(rowids, current=False), 1)

    def _bring_back(self, rows: list[tuple[int, bytes]]) -> None:
        """Take up lengths of what perhaps was expired when they were first read."""
        rowids = np.array([rowid for rowid, _ in rows], np.int64)
        self._tally(self._places.see(rowids, current=True), -1)
        self._count([row for row in rows if not self._lengths[row[0]]])

    def _tally(self, rowids: NDArray[np.int64], times: int) -> None:
        """Count some memories in, or out (-1), as far as their lengths are known."""
        lengths = self._lengths.take(rowids, mode="clip")
        self._rows += times * int(np.count_nonzero(lengths))
        self._tokens += times * int(lengths.sum(dtype=np.float64))

    def search(
        self,
        connection: Connection,
        terms: list[str],
        allowed: Sequence[int] | None,
        count: int = CANDIDATES,
    ) -> LexicalMatches:
        """Score the best `count` memories for the terms, and the neighbours of those.

        Args:
            connection: whose snapshot has yet to be taken.
        """
        with self._pending.reading() as changes:
            drops = self.kept.drops
            newest: int = connection.execute(_NEWEST).fetchone()[0]
            if newest > self._newest or changes:
                self.follow(connection, changes)
                self._newest = max(self._newest, newest)
        lengths, rows, tokens = self._lengths, self._rows, self._tokens
        weight = _K1 + 1.0
        norm = _K1 * _B * rows / max(1, tokens)
        found: list[tuple[Integers, NDArray[np.float32]]] = []
        literal: set[int] = set()
        total = np.zeros(len(lengths), np.float32)
        believed = rows + _UNSEEN
        whole = absent = 0.0
        rarities: list[float] = []
        for term in terms:
            rowids = self.kept.of(connection, term, drops, rows, newest)
            # Another search may have kept what this one's snapshot does not have yet.
            rowids = rowids[: rowids.searchsorted(len(lengths))]
            if not len(rowids):
                absent += share(term) * math.log(believed + 0.5)
                continue
            # A fact says again what its turn says: counted, it would make a word of a turn common.
            said_again = int(np.count_nonzero(self._places.repeat(rowids)))
            holding = max(1, len(rowids) - said_again)
            if is_identifier(term) and holding <= RARE:
                literal.update(rowids.tolist())
            # As FTS5 has it, with its floor: a term in over half of the memories counts nothing.
            # More than are known where another search has read on meanwhile: they count so too.
            odds = (believed - holding + 0.5) / (holding + 0.5)
            rarity = share(term) * max(1e-6, math.log(max(1.0, odds)))
            whole += rarity
            scores = (rarity * weight) / (1.0 + _K1 * (1.0 - _B) + norm * lengths[rowids])
            total[rowids] += scores
            found.append((rowids, scores))
            rarities.append(rarity)
        if allowed is not None:
            permitted = np.zeros(len(total), bool)
            permitted[np.asarray([rowid for rowid in allowed if rowid < len(total)], int)] = True
            total[~permitted] = 0.0
        best = self._best(total, [rowids for rowids, _ in found], count)
        if not len(best):
            return LexicalMatches([], [], frozenset(), 0.0, rows=rows)
        repeating = best[self._places.repeat(best)]
        turns = self._places.beside(repeating, (0,))[1] if len(repeating) else repeating
        wanted, own, scores = _with_neighbours(
            np.concatenate((best, turns)), found, *self._places.beside(best)
        )
        held = np.array(rarities, np.float32) @ (own > 0.0) / np.float32(whole + absent)
        if allowed is not None:
            places = wanted.searchsorted(distinct(best))
            wanted, scores, held = wanted[places], scores[places], held[places]
        return LexicalMatches(
            wanted,
            scores,
            frozenset(literal.intersection(wanted.tolist())) if literal else frozenset(),
            whole + _ABSENT * absent,
            held,
            rows,
        )

    def _best(
        self, total: NDArray[np.float32], found: Sequence[Integers], count: int
    ) -> NDArray[np.int64]:
        """The best of what was said or stated, and beside them the best of the facts in it: thirty
        of a long message would take the places of thirty turns."""
        many = 4 * count
        some = _best(total, _promising(total, found, many), many)
        repeating = self._places.repeat(some)
        if len(some) == many and np.count_nonzero(~repeating) < count:
            some = np.flatnonzero(total)  # as a rule not: to part 25,000 rows takes .3 ms
            repeating = self._places.repeat(some)
        others = _best(total, some[~repeating], count)
        facts = _best(total, some[repeating], max(FACTS, count - len(others)))
        return np.concatenate((others, facts))


def _varint(size: bytes) -> int:
    """SQLite's big-endian integer of seven bits a byte."""
    value = 0
    for byte in size:
        value = value << 7 | byte & 0x7F
    return value


def _promising(
    total: NDArray[np.float32], found: Sequence[Integers], count: int
) -> NDArray[np.int64]:
    """The rowids of which some are the best `count`; `found` are those of each term.

    The last of the best among the rows of one term is no better than the last of the best of all:
    what is worse is left out before anything is sorted. At 100,000 memories 0.1 ms for 0.7.
    """
    enough = [rowids for rowids in found if len(rowids) >= count]
    least = np.float32(0.0)
    if enough:
        some = total[min(enough, key=len)]
        least = np.partition(some, len(some) - count)[len(some) - count]
    return np.flatnonzero(total >= least if least > 0.0 else total > 0.0)


def _best(total: NDArray[np.float32], rowids: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Those of the best totals."""
    if len(rowids) > count:
        kept = total[rowids].argpartition(len(rowids) - count)[-count:]
        rowids = rowids[kept]
    return rowids


def _with_neighbours(
    best: NDArray[np.int64],
    found: list[tuple[Integers, NDArray[np.float32]]],
    some: NDArray[np.int64],
    beside: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """The candidates and their neighbours, what they have of each term (a row each), and their
    scores; `beside` stands beside `some` of the candidates."""
    wanted = distinct(np.concatenate((best, beside)))
    own = np.zeros((len(found), len(wanted)), np.float32)
    for row, (rowids, scores) in zip(own, found, strict=True):
        places = rowids.searchsorted(wanted)
        is_held = rowids.take(places, mode="clip") == wanted
        row[is_held] = scores[places[is_held]]
    lent = np.zeros_like(own)
    if len(some):
        # Both ways: a candidate lends to its neighbour as the neighbour lends to it.
        mine, theirs = wanted.searchsorted(some), wanted.searchsorted(beside)
        receivers, givers = np.concatenate((mine, theirs)), np.concatenate((theirs, mine))
        order = receivers.argsort(kind="stable")
        receivers = receivers[order]
        starts = is_first(receivers).nonzero()[0]
        lent[:, receivers[starts]] = np.maximum.reduceat(own[:, givers[order]], starts, axis=1)
    total = (own + _BORROWED * np.maximum(0.0, lent - own)).sum(axis=0)
    return wanted, own, total
