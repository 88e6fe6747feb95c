"""What counts how much in a recall: one table, with the evaluation that chose it.

Owns: the numbers. May not use them.

They were chosen together, one setting for three public sets, out of two grids, and `moment` out of
a third. docs/benchmarks.md has what they give on the folds they were chosen on and on folds left
out, and what each part is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mixture:
    """The shares that words and meaning have in the score of one kind of text."""

    lexical: float
    vector: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much. Scores are in parts of `whole`, and between 0 and 1 after that."""

    remark: Mixture
    statement: Mixture
    """Facts and preferences: short, and asked for in other words. PrefEval any@5 .284 with the
    remarks' mixture."""

    speaker: float
    """For a memory of somebody whom the query names."""

    session: float
    """Of how well the best of its session fits."""

    question: float
    """Off a turn that asks itself: it is rarely what tells."""

    moment: float
    """For a memory of the time that the query names. With half of it LoCoMo's any@5 is .806, not
    .809."""

    pinned: float
    explicit: float
    """Small: they decide between equals."""

    literal: float
    """The least score of a memory that holds a rare identifier of the query, and the most of others
    beside it."""

    whole: float


WEIGHTS: Final = Weights(
    remark=Mixture(lexical=0.52, vector=0.72),
    statement=Mixture(lexical=0.20, vector=1.20),
    speaker=0.20,
    session=0.30,
    question=0.10,
    moment=0.30,
    pinned=0.04,
    explicit=0.01,
    literal=0.5,
    whole=2.0,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """When an answer is worth giving: the sum that its best candidate must reach.

    In it, likeness is in shares of its scale and words in natural logarithms of their rarity, so it
    is the same from query to query, which a score against the best hit is not.
    """

    vector: float
    lexical: float
    speaker: float
    held: float
    """The share of the query's words in one memory that is evidence by itself."""

    remark: float
    """The least sum for a remark among 500. Of 500 commands asked of LoCoMo banks 72 % find none;
    its own questions lose .002 of any@10, BEAM's nothing."""

    statement: float
    chance: float
    """What the best of many unrelated memories gains by their number: that of n draws lies at about
    sqrt(2 ln n) deviations."""

    def by_chance(self, memories: int) -> float:
        """Give what is asked more of the best of many memories, or less of the best of a few."""
        expected = math.sqrt(2.0 * math.log(max(1, memories)))
        return self.chance * min(0.1, expected - math.sqrt(2.0 * math.log(500)))


EVIDENCE: Final = Evidence(
    vector=1.5, lexical=1 / 12, speaker=1.0, held=0.5, remark=0.92, statement=0.40, chance=0.45
)


@dataclass(frozen=True, slots=True)
class Reranking:
    """What the reranker reads in a thorough recall, and what its word counts."""

    candidates: int
    """The best that it reads; each costs 10 to 40 ms of CPU."""

    middle: float
    """The logit that is worth half. It was made for web pages: what is said in a talk gets less."""

    width: float
    """Of logits, from a half to three quarters: the logistic function's own unit."""

    weight: float
    """Its share of the score."""


RERANKING: Final = Reranking(candidates=25, middle=-1.0, width=3.0, weight=0.17)
