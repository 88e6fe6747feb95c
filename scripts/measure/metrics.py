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
    """One question: its category, and which places of its answer (from 0) hold gold.

    `fold` is what it is left out with; `near` the places that hold something of a gold item's
    session, None where sessions tell nothing.
    """

    category: str
    places: tuple[int, ...]
    gold: int
    fold: str = ""
    near: tuple[int, ...] | None = None


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


def session_any_at(scored: Scored, cut: int) -> float:
    """1 where anything of a gold item's session stands in the first `cut` places."""
    return float(any(place < cut for place in scored.near or ()))


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
    if all(one.near is not None for one in asked):
        summary["session_any@5"] = statistics.fmean(session_any_at(one, 5) for one in asked)
    summary["ndcg@10"] = statistics.fmean(ndcg_at(one, 10) for one in asked)
    summary["mrr"] = statistics.fmean(reciprocal_rank(one) for one in asked)
    return summary


def mean_of_folds(questions: Iterable[Scored]) -> dict[str, float]:
    """The means over folds of the means over each fold's questions; `folds` counts them."""
    folds: dict[str, list[Scored]] = {}
    for one in questions:
        folds.setdefault(one.fold, []).append(one)
    means = [summarize(some) for some in folds.values()]
    if not means:
        return {"folds": 0}
    names = [name for name in means[0] if name != "questions"]
    return {"folds": len(means)} | {
        name: statistics.fmean(mean[name] for mean in means) for name in names
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value at a share (0–1) of the sorted values, the nearest rank above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
