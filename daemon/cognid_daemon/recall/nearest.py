"""The vector pipeline's share of one recall: the query's vector, then the memories nearest to it.

Owns: the few query vectors that are kept, for a runtime that asks the same thing again within a
turn, or of several banks. They are kept by a keyed digest of the query, in memory only. Runs on the
query thread.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Final

from cognid_daemon.recall.hydration import Likeness
from cognid_models import Embedder, Vector
from cognid_models.errors import failing_as

if TYPE_CHECKING:
    from cognid_daemon.recall.keeper import Service
    from cognid_daemon.recall.places import Places
    from cognid_daemon.recall.vectors import Matches

_WIDER: Final = 4
"""Times as many memories that are looked for where most of those found are facts out of turns."""

_KEPT: Final = 64
"""Query vectors that are kept: 100 kB."""


class QueryVectors:
    """The latest queries' vectors, each of its model's space."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._kept: OrderedDict[bytes, tuple[Vector | None, bool]] = OrderedDict()
        self._lock = Lock()

    def holds(self, embedder: Embedder, text: str) -> bool:
        """Whether the vector of a query is kept."""
        with self._lock:
            return self._named(embedder, text) in self._kept

    def _named(self, embedder: Embedder, text: str) -> bytes:
        named = f"{embedder.space_id}\n{text}".encode()
        return hashlib.blake2b(named, key=self._key, digest_size=16).digest()

    def get(self, embedder: Embedder, text: str) -> tuple[Vector | None, bool]:
        """The vector of a query, and whether the model took its end only.

        Raises:
            ModelError: the model failed, in whichever way: the words answer all the same.
        """
        key = self._named(embedder, text)
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._kept[key] = found
                return found
        most = embedder.max_query_tokens  # no token is less than a byte
        with failing_as("embed"):
            trimmed = len(text.encode()) > most and embedder.count_tokens(text) > most
            made = (embedder.embed_query(text), trimmed)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def _are_mostly_facts(matches: Matches, places: Places | None) -> bool:
    """Whether facts out of a few long turns took the places of other turns."""
    return places is not None and 2 * int(places.repeat(matches.rowids).sum()) > len(matches)


def nearest(
    service: Service,
    queries: QueryVectors,
    text: str,
    allowed: list[int] | None,
    count: int,
    until: float,
    places: Places | None,
    embedder: Embedder,
) -> Likeness:
    """Embed a query and scan, in one hop to the query thread.

    Raises:
        TimeoutError: it is past `until` (seconds of `time.monotonic`, which is the loop's clock),
            or the index is still of another model's space.
    """
    if embedder.space_id != service.space_id or time.monotonic() >= until:
        raise TimeoutError
    vector, trimmed = queries.get(embedder, text)
    matches = None
    if vector is not None:
        matches = service.index.search(vector, count, allowed, until)
        if allowed is None and len(matches) == count and _are_mostly_facts(matches, places):
            with suppress(TimeoutError):
                matches = service.index.search(vector, _WIDER * count, None, until)
    return Likeness(
        matches=matches,
        vector=vector,
        space_id=service.space_id,
        generation=service.generation,
        calibration=embedder.calibration,
        query_trimmed=trimmed,
    )
