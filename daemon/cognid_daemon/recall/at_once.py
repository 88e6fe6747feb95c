"""A whole answer in one read: where the query's vector is kept, both pipelines and the reading of
the hits need no other thread.

Each way to another thread and back costs 0.2 to 0.4 ms (measured), and the three of an ordinary
answer more than all the work at 10,000 memories. Above `MOST` the scan is long enough to be worth a
thread beside the lexical pipeline.

Owns: that one read, and what is left of it where it fails or comes too late.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from cognid_daemon.recall.hydration import Hydrated, Likeness, Sought, hydrate
from cognid_daemon.recall.lexical import LexicalIndex, LexicalMatches
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.nearest import QueryVectors, nearest
from cognid_models import Embedder

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.keeper import Service

MOST: Final = 40_000
"""Vectors of an index: 1 ms of a scan."""

_SCAN_SHARE: Final = 0.5
"""Of the time: how long a scan may wait for the index, so that the words have theirs."""


def at_hand(
    service: Service | None, host: EmbedderHost, text: str
) -> tuple[Service, QueryVectors, Embedder] | None:
    """What answers in one read, where the query's vector is kept and the index is small."""
    embedder, queries = host.embedder, host.queries
    if service is None or embedder is None or embedder.space_id != service.space_id:
        return None
    if len(service.index) > MOST or not queries.holds(embedder, text):
        return None
    return service, queries, embedder


@dataclass(slots=True)
class AtOnce:
    """One answer, and what it is made of as far as it has come. Call it in a read of the bank.

    Args:
        until: in seconds of `time.monotonic`; the read is interrupted there.
    """

    sought: Sought
    text: str = field(repr=False)
    allowed: list[int] | None
    count: int
    until: float
    words: LexicalIndex
    service: Service
    queries: QueryVectors
    embedder: Embedder
    matches: LexicalMatches | None = None
    """None where the lexical pipeline has not answered."""
    likeness: Likeness | None = None
    """None where the vector pipeline has not answered."""

    def __call__(self, connection: Connection) -> Hydrated:
        """Ask both and read the hits; without the vector pipeline where it is late."""
        sought = self.sought
        now = time.monotonic()
        try:
            self.likeness = nearest(
                self.service,
                self.queries,
                self.text,
                self.allowed,
                self.count,
                now + _SCAN_SHARE * (self.until - now),
                self.words.places,
                self.embedder,
            )
        except TimeoutError:
            sought = replace(sought, may_abstain=False)
        self.matches = self.words.search(connection, sought.terms, self.allowed, self.count)
        return hydrate(connection, sought, self.matches, self.likeness, self.words.places)
