"""From both pipelines' scores to one order, and whether it is worth an answer.

Owns: the fusion. May not read the bank. Importing this module imports numpy.

A cosine and a bm25 mean something only on their own scales, so each becomes a share first, 0 to 1,
of what a sure match would have: cosines by the scale of their model and of the text's form, bm25 by
the geometric mean of the query's best and of what a memory that holds the whole query would have.
By the best alone a hopeless query would look like a perfect one, and by the whole alone a long
query like a hopeless one. A memory that the vector pipeline did not find is as near as the last
that it did; one that the lexical pipeline did not find has none of the words.

Then what stands round a memory counts: a speaker whom the query names, and the best of its session.
Lending scores between neighbours as well, beside the words that `postings` lends, gained nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.ordered import distinct, is_first
from cognid_daemon.recall.places import Places, Standing
from cognid_daemon.recall.ranking import Ranked, Ranking
from cognid_daemon.recall.weights import EVIDENCE, WEIGHTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognid_daemon.recall.vectors import Matches
    from cognid_models import Calibration

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Integers = NDArray[np.int64]

FACTS_OF_A_TURN: Final = 2
"""Facts of one turn that are ranked beside it: thirty of a long message would fill the page."""

_NONE: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Nearness:
    """Memories by revision_rowid, each once, their cosines, and what those are worth."""

    rowids: Integers
    cosines: NDArray[np.floating]
    calibration: Calibration


def nearness(matches: Matches | None, calibration: Calibration) -> Nearness:
    """What an index has found; None is a query that holds nothing that the model knows."""
    if matches is None:
        return Nearness(_NONE, np.zeros(0), calibration)
    return Nearness(matches.rowids, matches.cosines, calibration)


class Fusion:
    """What both pipelines found, side by side; None is one without an answer.

    Equal scores: the newest first, by the order in which memories were stored. A clock has no part
    in it, so a memory from the future wins nothing.

    Args:
        named: the speakers whom the query names.
    """

    def __init__(
        self,
        lexical: LexicalMatches | None,
        vector: Nearness | None,
        places: Places,
        named: frozenset[int],
    ) -> None:
        self._lexical = lexical
        self._vector = vector
        found = _NONE if lexical is None else np.asarray(lexical.rowids, np.int64)
        near = _NONE if vector is None else vector.rowids
        self._rowids = rowids = distinct(np.concatenate((found, near)))
        self._standing = standing = places.of(rowids)
        self._bm25 = np.zeros(len(rowids))
        self._is_there = np.zeros(len(rowids), np.bool_)
        self._most = 0.0
        if lexical is not None and len(found):
            at = rowids.searchsorted(found)
            self._bm25[at] = lexical.scores
            if len(lexical.held):
                held = np.asarray(lexical.held)
                self._is_there[at] = held > 0.0
                self._most = float(held.max())
        self._words = _word_shares(self._bm25, lexical)
        self._near_at = rowids.searchsorted(near)
        self._is_there[self._near_at] = True  # of what only stands beside a candidate nobody knows
        self._cosines = None if vector is None else vector.cosines.astype(np.float64)
        self._is_named = np.zeros(len(rowids), np.bool_)
        for name in named & places.names:
            self._is_named |= standing.speakers == name
        self._sessions = _Sessions(standing.sessions)
        self._turns = _said_turns(standing)
        self._has_statements = bool(standing.statements.any())
        self._literal = _literal(rowids, lexical)

    def correct(self, rowids: list[int], cosines: NDArray[np.floating]) -> None:
        """Replace some cosines of what the vector pipeline found by better ones."""
        if self._vector is not None and self._cosines is not None and len(rowids):
            order = self._vector.rowids.argsort()
            at = order[self._vector.rowids.searchsorted(rowids, sorter=order)]
            self._cosines[at] = cosines

    def best(self, count: int) -> tuple[list[int], bool]:
        """The revision_rowids of the best `count`, and whether there is evidence among all."""
        order = self._order(count)
        return self._rowids[order.best].tolist(), order.is_evident

    def ranking(self, count: int) -> Ranking:
        """Give the best `count`."""
        order = self._order(count)
        best, nothing = order.best, [None] * len(order.best)
        columns = (
            self._rowids[best].tolist(),
            _bounded(order.scores[best], self._literal[best]).tolist(),
            nothing if self._lexical is None else self._words[best].tolist(),
            nothing if self._vector is None else order.near[best].tolist(),
            self._literal[best].tolist(),
        )
        return Ranking([Ranked(*row) for row in zip(*columns, strict=True)], order.is_evident)

    def _order(self, count: int) -> _Order:
        """Weigh and sort what was found."""
        standing, lexical, vector = self._standing, self._lexical, self._vector
        near = self._near_shares()
        weights = WEIGHTS.remark
        own = weights.lexical * self._words + weights.vector * near
        if self._has_statements:
            weights, are = WEIGHTS.statement, standing.statements
            own[are] = weights.lexical * self._words[are] + weights.vector * near[are]
        own += WEIGHTS.speaker * self._is_named
        facts, turns = self._facts_and_turns(own)
        scores = self._sessions.added(own)
        # What is short scores high: by themselves facts took BEAM's any@5 from .80 to .75.
        scores[facts] = np.minimum(scores[facts], scores[turns])
        is_evident = lexical is None or vector is None or lexical.whole is None
        if lexical is not None and not is_evident:
            is_evident = self._most >= EVIDENCE.held or self._is_enough(near, facts, lexical.rows)
        order = scores.argsort(kind="stable")[::-1]  # of equal ones the newest first
        if lexical is not None and lexical.literal:
            is_literal = self._literal[order]
            order = np.concatenate((order[is_literal], order[~is_literal]))
        if len(facts) > FACTS_OF_A_TURN:
            is_one_too_many = np.zeros(len(order), np.bool_)
            one_turn = turns[FACTS_OF_A_TURN:] == turns[:-FACTS_OF_A_TURN]
            is_one_too_many[facts[FACTS_OF_A_TURN:]] = one_turn
            order = order[~is_one_too_many[order]]
        return _Order(order[:count], scores, near, is_evident)

    def _near_shares(self) -> Floats:
        """How near each is, 0 to 1."""
        vector, known = self._vector, self._cosines
        if vector is None or known is None or not len(known):
            return np.zeros(len(self._rowids))
        cosines = np.full(len(self._rowids), known.min())
        cosines[self._near_at] = known
        passage, statement = vector.calibration.passage, vector.calibration.statement
        near = (cosines - passage.unrelated) / passage.span
        if self._has_statements:
            are = self._standing.statements
            near[are] = (cosines[are] - statement.unrelated) / statement.span
        return np.minimum(1.0, np.maximum(0.0, near, out=near), out=near)

    def _is_enough(self, near: Floats, facts: Integers, rows: int) -> bool:
        """Whether the likeness and the words of any memory are evidence."""
        total = EVIDENCE.vector * near + EVIDENCE.lexical * self._bm25
        total += EVIDENCE.speaker * self._is_named
        enough = np.where(self._standing.statements, EVIDENCE.statement, EVIDENCE.remark)
        enough += EVIDENCE.by_chance(rows)
        enough[facts] = np.inf  # what the turn itself says is the measure
        return bool((total >= enough).any())

    def _facts_and_turns(self, own: Floats) -> tuple[Integers, Integers]:
        """The promoted facts whose turn is a candidate too, the best of each turn first, and that
        turn.

        A fact whose turn is none, or is gone, speaks for itself.
        """
        if self._turns is None:
            return _NONE, _NONE
        turns, facts = self._turns
        standing = self._standing
        facts = facts[np.lexsort((facts, own[facts], standing.turns[facts]))[::-1]]
        at = standing.turns[turns].searchsorted(standing.turns[facts])
        theirs = turns[np.minimum(at, len(turns) - 1)]
        there = (standing.turns[theirs] == standing.turns[facts]) & self._is_there[theirs]
        return facts[there], theirs[there]


@dataclass(frozen=True, slots=True)
class _Order:
    """The places of the best, best first, and of all the scores and how near each is, 0 to 1."""

    best: Integers
    scores: Floats
    near: Floats
    is_evident: bool


class _Sessions:
    """Which candidates are of one session."""

    def __init__(self, sessions: Integers) -> None:
        self._order = sessions.argsort(kind="stable")
        self._starts = is_first(sessions[self._order]).nonzero()[0]
        self._counts = np.concatenate((self._starts[1:], [len(sessions)])) - self._starts
        self._is_of_one = sessions != 0

    def added(self, own: Floats) -> Floats:
        """The best of a session speaks for the rest; what is of none speaks for itself."""
        if not len(own):
            return own
        best = np.empty(len(own))
        together = np.maximum.reduceat(own[self._order], self._starts)
        best[self._order] = together.repeat(self._counts)
        scores: Floats = own + WEIGHTS.session * np.where(self._is_of_one, best, own)
        return scores


def _said_turns(standing: Standing) -> tuple[Integers, Integers] | None:
    """The candidates that were said, in the order of their turns, and the facts out of turns; None
    where either is not there."""
    facts = standing.promoted.nonzero()[0]
    if not len(facts):
        return None
    turns = (~standing.promoted & (standing.turns != 0)).nonzero()[0]
    return (turns[standing.turns[turns].argsort(kind="stable")], facts) if len(turns) else None


def _word_shares(bm25: Floats, lexical: LexicalMatches | None) -> Floats:
    best = float(bm25.max(initial=0.0))
    whole = best if lexical is None or lexical.whole is None else lexical.whole
    return bm25 / (max(best, math.sqrt(best * whole)) or 1.0)


def _literal(rowids: Integers, lexical: LexicalMatches | None) -> Flags:
    """Which hold a rare identifier of the query."""
    if lexical is None or not lexical.literal:
        return np.zeros(len(rowids), np.bool_)
    return np.isin(rowids, np.fromiter(lexical.literal, np.int64, len(lexical.literal)))


def _bounded(scores: Floats, literal: Flags) -> Floats:
    """What `ranking.bounded` says of each."""
    shares = np.clip(scores / WEIGHTS.whole, 0.0, 1.0)
    if not literal.any():
        return shares
    above = WEIGHTS.literal + (1.0 - WEIGHTS.literal) * shares
    return np.where(literal, above, np.minimum(shares, WEIGHTS.literal))
