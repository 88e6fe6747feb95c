"""Reranking: which candidates the reranker reads, and what its word does to their order.

Owns: the texts that it is given, and the mixing of its scores with those that led to it. Pure. What
it did not read keeps the rest of its score, so where time ran out the best are better placed and
the others stand as they stood, below them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cognid_daemon.bank.rows import Memory
from cognid_daemon.recall.ranking import Ranked, Ranking, adjusted
from cognid_daemon.recall.selection import Found
from cognid_daemon.recall.weights import RERANKING, WEIGHTS

_SHORT: Final = 300
"""Characters of a turn that is read with the one before it, and of that one's end."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text to be read, and the memories that it speaks for: a turn and the facts inside it."""

    revision_rowids: tuple[int, ...]
    text: str = field(repr=False)


def candidates(
    found: Sequence[Found],
    spans: Mapping[int, tuple[int, int]],
    before: Mapping[int, Memory],
) -> list[Candidate]:
    """The texts of some memories, each turn once, in their order.

    Args:
        found: best first.
        spans: of long texts, the characters that are nearest to the query, by revision_rowid.
        before: the turns that some of them answer, by the revision_rowid of the answer.
    """
    turns = {one.memory.event_rowid for one in found if not one.memory.is_fact} - {None}
    facts: dict[int, list[int]] = {}
    for one in found:
        if one.memory.is_fact and one.memory.event_rowid in turns:
            facts.setdefault(one.memory.event_rowid or 0, []).append(one.ranked.revision_rowid)
    return [
        Candidate(
            (one.ranked.revision_rowid, *facts.get(one.memory.event_rowid or 0, ())),
            _text(
                one.memory,
                spans.get(one.ranked.revision_rowid),
                before.get(one.ranked.revision_rowid),
            ),
        )
        for one in found
        if not one.memory.is_fact or one.memory.event_rowid not in turns
    ]


def _text(memory: Memory, span: tuple[int, int] | None, before: Memory | None) -> str:
    """What is read of a memory: who says it, of a long text the place that is nearest, and what a
    short one answers ("Yes, since May." says nothing by itself)."""
    text = memory.text or ""
    said = _spoken(memory, text if span is None else text[slice(*span)])
    if before is None or len(text) > _SHORT:
        return said
    return f"{_spoken(before, (before.text or '')[-_SHORT:])} {said}"


def _spoken(memory: Memory, text: str) -> str:
    return f"{memory.speaker}: {text}" if memory.speaker else text


def shares_of(candidates: Sequence[Candidate], logits: Sequence[float]) -> dict[int, float]:
    """The reranker's part of the score of each memory that it spoke of, 0 to 1."""
    return {
        rowid: _share(logit)
        for candidate, logit in zip(candidates, logits, strict=False)  # it may not have read all
        for rowid in candidate.revision_rowids
    }


def _share(logit: float) -> float:
    return 1.0 / (1.0 + math.exp((RERANKING.middle - logit) / RERANKING.width))


def reranked(ranking: Ranking, shares: Mapping[int, float]) -> Ranking:
    """The order with the reranker's word in it; a literal match stays before all others."""
    beside = any(one.is_literal for one in ranking.best)
    mixed = [_mixed(one, shares.get(one.revision_rowid), beside=beside) for one in ranking.best]
    mixed.sort(key=lambda one: (one.is_literal, one.score, one.revision_rowid), reverse=True)
    return Ranking(mixed, ranking.is_evident)


def _mixed(one: Ranked, share: float | None, *, beside: bool) -> Ranked:
    low, high = (WEIGHTS.literal, 1.0) if one.is_literal else (0.0, 1.0)
    own = (one.score - low) / (high - low)
    change = RERANKING.weight * ((share or 0.0) - own) * WEIGHTS.whole
    return adjusted(one, change, beside=beside)._replace(reranker=share)
