"""From the pipelines' scores to one order.

Owns: the weights, in one table, and the fusion. May not read the bank.

The scores of a pipeline mean something only beside the others of the same query (cosines of the
default model lie between .7 and .9, bm25 has no bound), so each pipeline's are brought to 0…1 over
its candidates and then mixed. A memory that one pipeline did not find has 0 there. Measured on
LoCoMo: any@10 .825, .817 when the other pipeline's true score is used instead, .763 and .750 for
either alone; rank fusion does worse.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from cognid_daemon.recall.lexical import LexicalMatches


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much.

    `vector` is the vector pipeline's share of a score, the rest is the lexical one's. any@5/any@10
    at .5 and at .6: LoCoMo .741/.825 and .732/.824, BEAM .750/.837 and .756/.849, PrefEval
    .200/.299 and .212/.309 (development parts). `literal` is the least score of a memory
    that holds a rare identifier of the query verbatim; all others stay below it.
    """

    vector: float
    literal: float


WEIGHTS: Final = Weights(vector=0.5, literal=0.5)


class Ranked(NamedTuple):
    """A memory's place: its revision_rowid, score and the parts of it, each 0 to 1."""

    revision_rowid: int
    score: float
    lexical: float | None
    vector: float | None


def rank(
    lexical: LexicalMatches | None, vector: Mapping[int, float] | None, count: int
) -> list[Ranked]:
    """Give the best `count` of the candidates, best first; None is a pipeline without an answer.

    Equal scores: the newest first, by the order in which memories were stored. A clock has no part
    in it, so a memory from the future wins nothing.
    """
    words = None if lexical is None else _share(lexical.scores, least=0.0)
    likeness = None if vector is None else _share(vector, least=min(vector.values(), default=0.0))
    scored = _mixed(words, likeness)
    if lexical is not None and lexical.literal:
        rest = 1.0 - WEIGHTS.literal
        scored = [
            (WEIGHTS.literal + rest * score if rowid in lexical.literal else rest * score, rowid)
            for score, rowid in scored
        ]
    return [
        Ranked(
            rowid,
            score,
            None if words is None else words.get(rowid, 0.0),
            None if likeness is None else likeness.get(rowid, 0.0),
        )
        for score, rowid in heapq.nlargest(count, scored)
    ]


def _mixed(
    words: Mapping[int, float] | None, likeness: Mapping[int, float] | None
) -> list[tuple[float, int]]:
    """Every candidate with its score, as a pair that sorts."""
    if words is None or likeness is None:
        only = words or likeness or {}
        return [(share, rowid) for rowid, share in only.items()]
    of_vector, of_words = WEIGHTS.vector, 1.0 - WEIGHTS.vector
    return [
        (of_words * words.get(rowid, 0.0) + of_vector * likeness.get(rowid, 0.0), rowid)
        for rowid in {**words, **likeness}
    ]


def _share(scores: Mapping[int, float], *, least: float) -> dict[int, float]:
    """Scores as shares of the way from the least to the best; a single one is the best."""
    span = max(scores.values(), default=0.0) - least
    if span <= 0.0:
        return dict.fromkeys(scores, 1.0)
    return {rowid: (score - least) / span for rowid, score in scores.items()}
