"""An order of memories, and whether it is worth an answer.

Owns: what a score may be, and the order of the first answers after a start, by words alone: it is
there before numpy is. What both pipelines found is ranked by `fusion`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.weights import WEIGHTS


class Ranked(NamedTuple):
    """A memory's place: its revision_rowid, score and the parts of it, each 0 to 1."""

    revision_rowid: int
    score: float
    lexical: float | None
    vector: float | None
    is_literal: bool = False
    reranker: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best candidates, best first.

    `is_evident`: whether any of them says enough to be worth an answer. Where one pipeline alone
    answered that is not known, and taken for granted.
    """

    best: list[Ranked]
    is_evident: bool


def rank_words(lexical: LexicalMatches, count: int) -> Ranking:
    """Rank what the lexical pipeline found; of equal ones the newest first."""
    scores = lexical.by_rowid()
    best = max(scores.values(), default=0.0) or 1.0
    found = sorted(
        (rowid in lexical.literal, score / best, rowid) for rowid, score in scores.items()
    )
    beside = bool(lexical.literal)
    return Ranking(
        [
            Ranked(
                rowid,
                bounded(WEIGHTS.remark.lexical * share, is_literal=is_literal, beside=beside),
                share,
                None,
                is_literal,
            )
            for is_literal, share, rowid in found[: -count - 1 : -1]
        ],
        is_evident=True,
    )


def bounded(score: float, *, is_literal: bool, beside: bool) -> float:
    """A score between 0 and 1, those of literal matches above all others `beside` them."""
    share = min(1.0, max(0.0, score / WEIGHTS.whole))
    if is_literal:
        return WEIGHTS.literal + (1.0 - WEIGHTS.literal) * share
    return min(share, WEIGHTS.literal) if beside else share


def adjusted(ranked: Ranked, change: float, *, beside: bool) -> Ranked:
    """Change a score by some parts of the whole, within its bounds; `beside` literal matches."""
    change /= WEIGHTS.whole
    if ranked.is_literal:
        change *= 1.0 - WEIGHTS.literal
    least = WEIGHTS.literal if ranked.is_literal else 0.0
    most = WEIGHTS.literal if beside and not ranked.is_literal else 1.0
    score = min(most, max(least, ranked.score + change))
    return ranked if score == ranked.score else ranked._replace(score=score)
