"""A whole answer on one reader's thread: the query's vector, the scan, and the reading of the hits,
one after the other, where the two ways to the loop and back between them would cost 0.5 ms (each
is measured at 0.2 to 0.4 ms).

The words are searched meanwhile on another reader's thread. Where the query's vector is kept and
the index is small there is nothing to wait for, and the words have their turn in the same read.

Only one recall at a time is answered so, and only where nothing else is being read: others go the
way over the query thread, which embeds one query after the other, and wait for no second reader.

Owns: that one read, and what is left of it where it fails or comes too late.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError
from cognid_daemon.recall.answer import LATE, READY, State, failure
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
"""Vectors that are scanned: 1 ms. Above that it is worth a thread beside the words."""

_SCAN_SHARE: Final = 0.5
"""Of the time: how long a scan may wait for the index, so that the words have theirs."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the vector pipeline answers with. `is_kept`: it has the query's vector already."""

    service: Service
    queries: QueryVectors
    embedder: Embedder
    is_kept: bool


def at_hand(service: Service | None, host: EmbedderHost, bank: Bank, text: str) -> Parts | None:
    """What answers a query at once; None where it has to wait for something."""
    embedder, queries = host.embedder, host.queries
    if service is None or embedder is None or embedder.space_id != service.space_id:
        return None
    is_kept = service.index.scanned <= MOST and queries.holds(embedder, text)
    is_alone = bank.readers_are_idle and not host.is_busy
    return Parts(service, queries, embedder, is_kept) if is_kept or is_alone else None


@dataclass(slots=True)
class AtOnce:
    """One answer, and what it is made of as far as it has come.

    Args:
        until: in seconds of `time.monotonic`, which is the loop's clock: when both pipelines must
            have answered; the rest of the deadline is for the reading.
    """

    sought: Sought
    text: str = field(repr=False)
    allowed: list[int] | None
    count: int
    until: float
    words: LexicalIndex
    parts: Parts
    lexical: State = LATE
    vector: State = LATE
    """Where either stands; that of the vector pipeline tells only why it has not answered."""
    matches: LexicalMatches | None = None
    """None where the lexical pipeline has not answered."""
    likeness: Likeness | None = None
    """None where the vector pipeline has not answered."""
    reading_seconds: float = 0.0
    """How long the hits took."""
    _is_without_words: bool = False
    _beside: Future[LexicalMatches] | None = None
    """What the lexical pipeline gives on another thread; None where it has its turn here."""

    async def read(self, bank: Bank, deadline: float) -> Hydrated | None:
        """Ask both pipelines and read the hits; None where that did not come to its end, and what
        there is by then stands in the fields."""
        found = None
        async with asyncio.TaskGroup() as group:
            if not self.parts.is_kept:
                self._beside = Future()
                group.create_task(self._search_beside(bank, self._beside))
            # What is kept of the deadline is for the reading; words that have their turn in the
            # same read could take all of it.
            until = self.until if self._beside is None else deadline
            try:
                found = await bank.read(
                    self._answer, deadline=until, first=self._ask_model, first_deadline=self.until
                )
            except BankError as error:
                if self._beside is None and self.matches is None:
                    self.lexical = failure(error)
                if self.vector == LATE:
                    self.vector = failure(error)
        if found is not None and self._is_without_words and self.lexical == READY:
            self.lexical = LATE  # they came, but too late for these hits
        return found

    async def _search_beside(self, bank: Bank, given: Future[LexicalMatches]) -> None:
        """Search the words while another thread embeds, and give them to it."""

        def search(connection: Connection) -> LexicalMatches:
            matches = self.words.search(connection, self.sought.terms, self.allowed, self.count)
            if not given.done():  # a read may run twice
                given.set_result(matches)
            return matches

        try:
            matches = await bank.read(search, deadline=self.until)
        except BankError as error:
            self.lexical = failure(error)
        else:
            self.lexical, self.matches = READY, matches
        finally:
            given.cancel()  # nothing where they are given

    def _ask_model(self) -> None:
        """Embed and scan."""
        now = time.monotonic()
        share = _SCAN_SHARE if self._beside is None else 1.0
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
            self.vector = LATE
        except ModelError as error:
            self.vector = State("failed", error.code)

    def _answer(self, connection: Connection) -> Hydrated:
        """Have the words and read the hits; with one pipeline alone where the other is late."""
        matches = self._words_for(connection)
        self._is_without_words = matches is None
        if self.likeness is None and matches is None:
            return Hydrated((), 0)
        sought = self.sought
        if self.likeness is None or matches is None:
            sought = replace(sought, may_abstain=False)
        begun = time.monotonic()
        try:
            return hydrate(connection, sought, matches, self.likeness, self.words.places)
        finally:
            self.reading_seconds = time.monotonic() - begun

    def _words_for(self, connection: Connection) -> LexicalMatches | None:
        if self._beside is None:
            self.matches = self.words.search(
                connection, self.sought.terms, self.allowed, self.count
            )
            self.lexical = READY
            return self.matches
        # Where they fail or are late, who asked for them knows why.
        with suppress(TimeoutError, CancelledError):
            return self._beside.result(max(0.0, self.until - time.monotonic()))
        return None
