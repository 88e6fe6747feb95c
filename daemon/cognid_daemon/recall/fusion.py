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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.places import Places, Standing
from cognid_daemon.recall.ranking import Ranked, Ranking, bounded
from cognid_daemon.recall.weights import EVIDENCE, WEIGHTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognid_models import Calibration

    Floats = NDArray[np.float64]

FACTS_OF_A_TURN: Final = 2
"""Facts of one turn that are ranked beside it: thirty of a long message would fill the page."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines by revision_rowid, and what they are worth."""

    cosines: Mapping[int, float]
    calibration: Calibration


def fuse(
    lexical: LexicalMatches | None,
    vector: Nearness | None,
    places: Places,
    named: frozenset[int],
    count: int,
) -> Ranking:
    """Give the best `count` of the candidates; None is a pipeline without an answer.

    Equal scores: the newest first, by the order in which memories were stored. A clock has no part
    in it, so a memory from the future wins nothing.

    Args:
        named: the speakers whom the query names.
    """
    found = {} if lexical is None else lexical.scores
    cosines = {} if vector is None else vector.cosines
    rowids = np.unique(np.fromiter((*found, *cosines), np.int64))
    if not len(rowids):
        return Ranking([], _is_unknown(lexical, vector))
    standing = places.of(rowids)
    bm25 = _spread(found, rowids, 0.0)
    words, near = _word_shares(bm25, lexical), _near_shares(rowids, vector, standing.statements)
    is_named = np.isin(standing.speakers, np.fromiter(named, np.int64, len(named)))
    own = (
        np.where(standing.statements, WEIGHTS.statement.lexical, WEIGHTS.remark.lexical) * words
        + np.where(standing.statements, WEIGHTS.statement.vector, WEIGHTS.remark.vector) * near
        + WEIGHTS.speaker * is_named
    )
    held = {} if lexical is None else lexical.held
    # Of what only stands beside a candidate nobody knows yet whether it is still there.
    facts, turns = _facts_and_turns(
        rowids, own, standing, lambda rowid: rowid in cosines or held.get(rowid, 0.0) > 0.0
    )
    scores = _with_session(own, standing)
    # What is short scores high: with scores of their own facts took BEAM's any@5 from .80 to .75.
    scores[facts] = np.minimum(scores[facts], scores[turns])
    is_one_too_many = np.zeros(len(rowids), np.bool_)
    is_one_too_many[facts[FACTS_OF_A_TURN:]] = turns[FACTS_OF_A_TURN:] == turns[:-FACTS_OF_A_TURN]
    is_evident = _is_unknown(lexical, vector)
    if lexical is not None and not is_evident:
        total = EVIDENCE.vector * near + EVIDENCE.lexical * bm25 + EVIDENCE.speaker * is_named
        enough = np.where(standing.statements, EVIDENCE.statement, EVIDENCE.remark)
        enough += EVIDENCE.by_chance(lexical.rows)
        enough[facts] = np.inf  # what the turn itself says is the measure
        most = max(held.values(), default=0.0)
        is_evident = most >= EVIDENCE.held or bool((total >= enough).any())
    literal = frozenset[int]() if lexical is None else lexical.literal
    is_literal = np.isin(rowids, np.fromiter(literal, np.int64, len(literal)))
    order = np.lexsort((rowids, scores, is_literal))[::-1]
    best = order[~is_one_too_many[order]][:count]
    return Ranking(
        [
            Ranked(
                rowid,
                bounded(score, is_literal=verbatim, beside=bool(literal)),
                None if lexical is None else word,
                None if vector is None else meaning,
                verbatim,
            )
            for rowid, score, word, meaning, verbatim in zip(
                rowids[best].tolist(),
                scores[best].tolist(),
                words[best].tolist(),
                near[best].tolist(),
                is_literal[best].tolist(),
                strict=True,
            )
        ],
        is_evident,
    )


def _is_unknown(lexical: LexicalMatches | None, vector: Nearness | None) -> bool:
    """Whether too little was asked to say that there is no evidence."""
    return lexical is None or vector is None or lexical.whole is None


def _spread(values: Mapping[int, float], rowids: NDArray[np.int64], otherwise: float) -> Floats:
    """The values of some candidates in the order of all."""
    spread = np.full(len(rowids), otherwise)
    at = np.searchsorted(rowids, np.fromiter(values, np.int64, len(values)))
    spread[at] = np.fromiter(values.values(), np.float64, len(values))
    return spread


def _word_shares(bm25: Floats, lexical: LexicalMatches | None) -> Floats:
    best = float(bm25.max())
    whole = best if lexical is None or lexical.whole is None else lexical.whole
    return bm25 / (max(best, math.sqrt(best * whole)) or 1.0)


def _near_shares(
    rowids: NDArray[np.int64], vector: Nearness | None, statements: NDArray[np.bool_]
) -> Floats:
    if vector is None or not vector.cosines:
        return np.zeros(len(rowids))
    cosines = _spread(vector.cosines, rowids, min(vector.cosines.values()))
    passage, statement = vector.calibration.passage, vector.calibration.statement
    unrelated = np.where(statements, statement.unrelated, passage.unrelated)
    span = np.where(statements, statement.span, passage.span)
    return np.minimum(1.0, np.maximum(0.0, (cosines - unrelated) / span))


def _facts_and_turns(
    rowids: NDArray[np.int64], own: Floats, standing: Standing, is_there: Callable[[int], bool]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The promoted facts whose turn is a candidate too, the best of each turn first, and that turn.

    A fact whose turn is none, or is gone, speaks for itself.
    """
    facts = np.flatnonzero(standing.promoted)
    turns = np.flatnonzero(~standing.promoted & (standing.turns != 0))
    if not len(facts) or not len(turns):
        return facts[:0], turns[:0]
    turns = turns[np.argsort(standing.turns[turns], kind="stable")]
    facts = facts[np.lexsort((facts, own[facts], standing.turns[facts]))[::-1]]
    at = np.searchsorted(standing.turns[turns], standing.turns[facts])
    theirs = turns[np.minimum(at, len(turns) - 1)]
    there = standing.turns[theirs] == standing.turns[facts]
    there &= np.fromiter(map(is_there, rowids[theirs].tolist()), np.bool_, len(theirs))
    return facts[there], theirs[there]


def _with_session(own: Floats, standing: Standing) -> Floats:
    """The best of a session speaks for the rest; what is of none speaks for itself."""
    sessions: Any
    sessions, at = np.unique(standing.sessions, return_inverse=True)
    best = np.zeros(len(sessions))
    np.maximum.at(best, at, own)
    together: Floats = own + WEIGHTS.session * np.where(standing.sessions == 0, own, best[at])
    return together
