"""A whole answer on one reader's thread: the query's vector, the scan, and the reading of the hits,
one after the other, where the two ways to the loop and back between them would cost 0.5 ms (each
is measured at 0.2 to 0.4 ms).

The words are searched meanwhile on another reader's thread. Where the query's vector is kept and
the index is small there is nothing to wait for, and the words have their turn in the same read.

Only one recall at a time is answered so: others go the way over the query thread, which embeds one
query after the other.

Owns: that one read, and what is left of it where it fails or comes too late.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from cognid_daemon.recall.answer import LATE, State
from cognid_daemon.recall.hydration import Hydrated, Likeness, Sought, hydrate
from cognid_daemon.recall.lexical import LexicalIndex, LexicalMatches
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.nearest import QueryVectors, nearest
from cognid_models import Embedder
from cognid_models.errors import ModelError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.keeper import Service

MOST: Final = 40_000
"""Vectors of an index: 1 ms of a scan. Above that it is worth a thread beside the words."""

_SCAN_SHARE: Final = 0.5
"""Of the time: how long a scan may wait for the index, so that the words have theirs."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the vector pipeline answers with. `is_kept`: it has the query's vector already."""

    service: Service
    queries: QueryVectors
    embedder: Embedder
    is_kept: bool


def at_hand(service: Service | None, host: EmbedderHost, text: str) -> Parts | None:
    """What answers a query at once; None where it has to wait for something."""
    embedder, queries = host.embedder, host.queries
    if service is None or embedder is None or embedder.space_id != service.space_id:
        return None
    is_kept = len(service.index) <= MOST and queries.holds(embedder, text)
    return Parts(service, queries, embedder, is_kept) if is_kept or not host.is_busy else None


@dataclass(slots=True)
class AtOnce:
    """One answer, and what it is made of as far as it has come. Call `first`, and then it in a read
    of the bank.

    Args:
        until: in seconds of `time.monotonic`; the read is interrupted there.
        beside: what the lexical pipeline gives on another thread; None where it is asked here.
    """

    sought: Sought
    text: str = field(repr=False)
    allowed: list[int] | None
    count: int
    until: float
    words: LexicalIndex
    parts: Parts
    beside: Future[LexicalMatches] | None = None
    matches: LexicalMatches | None = None
    """None where the lexical pipeline has not answered."""
    likeness: Likeness | None = None
    """None where the vector pipeline has not answered."""
    vector: State = LATE
    """Why it has not."""
    reading_seconds: float = 0.0
    """How long the hits took."""

    def first(self) -> None:
        """Embed and scan."""
        now = time.monotonic()
        share = _SCAN_SHARE if self.beside is None else 1.0
        try:
            self.likeness = nearest(
                self.parts.service,
                self.parts.queries,
                self.text,
                self.allowed,
                self.count,
                now + share * (self.until - now),
                self.words.places,
                self.parts.embedder,
            )
        except TimeoutError:
            pass  # late
        except ModelError as error:
            self.vector = State("failed", error.code)

    def __call__(self, connection: Connection) -> Hydrated:
        """Have the words and read the hits; with one pipeline alone where the other is late."""
        if self.beside is None:
            self.matches = self.words.search(
                connection, self.sought.terms, self.allowed, self.count
            )
        else:
            # Where they fail or are late, who asked for them knows why.
            with suppress(TimeoutError, CancelledError):
                self.matches = self.beside.result(max(0.0, self.until - time.monotonic()))
        if self.likeness is None and self.matches is None:
            return Hydrated((), 0)
        sought = self.sought
        if self.likeness is None or self.matches is None:
            sought = replace(sought, may_abstain=False)
        begun = time.monotonic()
        try:
            return hydrate(connection, sought, self.matches, self.likeness, self.words.places)
        finally:
            self.reading_seconds = time.monotonic() - begun
