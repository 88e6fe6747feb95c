"""Retrieval metrics: what one ranked answer is worth, and the means over many.

Owns: the formulae. A place of the ranking holds the id of what was found there; an id that stands
there again holds its place and is worth nothing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

CUTS: Final = (5, 10)


@dataclass(frozen=True, slots=True)
class Scored:
    """One question: its category, and which places of its answer (from 0) hold gold."""

    category: str
    places: tuple[int, ...]
    gold: int


def score(category: str, ranking: Sequence[str], gold: frozenset[str]) -> Scored:
    """Find the gold in a ranking. `gold` has at least one id."""
    found: dict[str, int] = {}
    for place, item in enumerate(ranking):
        if item in gold:
            found.setdefault(item, place)
    return Scored(category, tuple(sorted(found.values())), len(gold))


def any_at(scored: Scored, cut: int) -> float:
    """1 where at least one gold item stands in the first `cut` places."""
    return float(any(place < cut for place in scored.places))


def frac_at(scored: Scored, cut: int) -> float:
    """The share of the gold that stands in the first `cut` places."""
    return sum(place < cut for place in scored.places) / scored.gold


def all_at(scored: Scored, cut: int) -> float:
    """1 where the whole gold stands in the first `cut` places."""
    return float(sum(place < cut for place in scored.places) == scored.gold)


def ndcg_at(scored: Scored, cut: int) -> float:
    """Discounted gain over the best possible one: each gold item gains 1 / log2(place + 2)."""
    gained = sum(1 / math.log2(place + 2) for place in scored.places if place < cut)
    best = sum(1 / math.log2(place + 2) for place in range(min(scored.gold, cut)))
    return gained / best


def reciprocal_rank(scored: Scored) -> float:
    """1 / rank of the first gold item, ranks from 1; 0 where there is none."""
    return 1 / (scored.places[0] + 1) if scored.places else 0.0


def summarize(questions: Iterable[Scored]) -> dict[str, float]:
    """The means over questions, by name; `questions` counts them. Empty: the count alone."""
    asked = list(questions)
    if not asked:
        return {"questions": 0}
    summary: dict[str, float] = {"questions": len(asked)}
    for name, measure in (("any", any_at), ("frac", frac_at), ("all", all_at)):
        for cut in CUTS:
            summary[f"{name}@{cut}"] = statistics.fmean(measure(one, cut) for one in asked)
    summary["ndcg@10"] = statistics.fmean(ndcg_at(one, 10) for one in asked)
    summary["mrr"] = statistics.fmean(reciprocal_rank(one) for one in asked)
    return summary


def percentile(values: Sequence[float], share: float) -> float:
    """The value at a share (0–1) of the sorted values, the nearest rank above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
