"""Overlap: which of a handful of texts share words with a query, by weight.

For what stands beside the memories and has no index of its own: the messages of one session, the
units of a lane. Each text is folded as it is looked at, about 10 µs for a turn of 36 words.

Owns: that score. May not read the bank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cognid_daemon.bank.fold import fold_document, fold_query


def overlaps(query: str, texts: Sequence[str]) -> list[float]:
    """Score each text from 0 to 1: the share of the query's terms that it holds, where a term that
    few of the texts hold weighs more. All are 0 where nothing of the query can be searched."""
    terms = fold_query(query)
    wanted = frozenset(terms)
    held = [wanted.intersection(fold_document(text, None).split()) for text in texts]
    counts = dict.fromkeys(terms, 0)
    for found in held:
        for term in found:
            counts[term] += 1
    weights = {term: math.log1p(len(texts) / (1 + count)) for term, count in counts.items()}
    whole = sum(weights.values())
    if not whole:
        return [0.0] * len(texts)
    return [round(sum(weights[term] for term in found) / whole, 6) for found in held]
