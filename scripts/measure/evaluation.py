"""Recall measured on a data set: everything is told over the socket, then every question is asked.

Owns: what is told how, when the indexes count as complete, and how a hit becomes a key of the gold.
A turn is an event (stream, sequence) and is found by its hit's event; a preference is found by its
memory id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any, Final

from cognid.client import AsyncClient
from cognid.protocol.intake import Committed, Duplicate, IntakeOutcome
from cognid.protocol.recall import Hit, Hits, NoHits
from cognid.protocol.values import Kind, Provenance
from measure.datasets import Conversation, DataSet, Told
from measure.metrics import Scored, percentile, score, summarize

LIMIT: Final = 10
_DEADLINE_MS: Final = 10_000
_WRITE_DEADLINE_MS: Final = 60_000
_IN_FLIGHT: Final = 32
_LOOK_SECONDS: Final = 0.2
_STUCK_SECONDS: Final = 120.0


class StuckError(Exception):
    """The indexes of a bank make no progress any more."""


@dataclass(slots=True)
class Evaluation:
    """What was measured so far."""

    scored: list[Scored] = field(default_factory=list)
    told: int = 0
    stored: int = 0
    skipped: int = 0
    partial: int = 0
    unanswered: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def summary(self, headline: frozenset[str]) -> dict[str, Any]:
        """The means: those over the headline's categories on top, then each category's."""
        return {
            **summarize(one for one in self.scored if one.category in headline),
            "all": summarize(self.scored),
            "categories": {
                category: summarize(one for one in self.scored if one.category == category)
                for category in sorted({one.category for one in self.scored})
            },
            "told": self.told,
            "stored": self.stored,
            "share_stored": self.stored / self.told if self.told else 0.0,
            "skipped": self.skipped,
            "partial": self.partial,
            "unanswered": self.unanswered,
            "ms_query": {
                "median": percentile(self.milliseconds, 0.5),
                "p95": percentile(self.milliseconds, 0.95),
            }
            if self.milliseconds
            else None,
        }
