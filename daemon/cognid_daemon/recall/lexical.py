"""The lexical pipeline: from a query's terms to scored memories.

Owns: which way a query takes, and what a filter means in SQL. May not import numpy itself: the
first answer after a start is given before numpy is there, by FTS5's own bm25; as soon as `warm` has
run, by `postings`, which is ten times as quick at 100,000 memories and knows neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank.fold import match_any
from cognid_daemon.bank.keeping import PAST_TERM
from cognid_daemon.recall.answer import Query
from cognid_daemon.recall.terms import is_identifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.places import Places
    from cognid_daemon.recall.postings import Postings

CANDIDATES: Final = 150
"""Memories of each pipeline that are ranked (`DESIGN` 7)."""

FACTS: Final = 50
"""Facts promoted from turns that may be ranked beside them, where there are so many others."""

RARE: Final = 10
"""An identifier that stands in more memories than this names nothing in particular."""

# bm25 is negative: the smaller, the better.
_BEST: Final = "SELECT rowid, -rank FROM lexical WHERE lexical MATCH ? ORDER BY rank LIMIT ?"
_BEST_ALLOWED: Final = (
    "SELECT rowid, -rank FROM lexical WHERE lexical MATCH ?"
    " AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rank LIMIT ?"
)
_HOLDING: Final = "SELECT rowid FROM lexical WHERE lexical MATCH ? LIMIT ?"


@dataclass(frozen=True, slots=True)
class LexicalMatches:
    """Revision_rowids, each once, and in the same order their scores: lists, or numpy's arrays of
    `postings`. `literal` are those that hold a rare identifier of the query verbatim.

    `whole` is about what a memory that holds the whole query would have; None where it is not
    known. It makes scores comparable between queries. `held` is the share of the query, by the
    rarity of its terms, that stands in a memory itself, in the same order; empty where it is not
    known. `rows` counts the bank's memories, without the facts that say again what a turn says.
    """

    rowids: list[int] | NDArray[np.int64]
    scores: list[float] | NDArray[np.float32]
    literal: frozenset[int]
    whole: float | None = None
    held: list[float] | NDArray[np.float32] = field(default_factory=list)
    rows: int = 0

    def by_rowid(self) -> dict[int, float]:
        """The scores by revision_rowid."""
        return dict(zip(map(int, self.rowids), map(float, self.scores), strict=True))


NOTHING: Final = LexicalMatches([], [], frozenset())


class LexicalIndex:
    """The lexical pipeline of one bank."""

    def __init__(self) -> None:
        self._postings: Postings | None = None
        self.places: Places | None = None
        """Where the memories stand; None until `warm` has run."""
        self._unseen: list[tuple[Sequence[int], Sequence[int]]] | None = None
        """What commits changed while `warm` reads, which its snapshot may not have."""
        self._swap = Lock()  # never held for longer than it takes to note some commits

    def warm(self, connection: Connection) -> None:
        """Import numpy and read the memories' lengths and places: 0.1 s, and 0.4 s at 100,000."""
        from cognid_daemon.recall.places import Places
        from cognid_daemon.recall.postings import Postings

        unseen: list[tuple[Sequence[int], Sequence[int]]] = []
        self._unseen = unseen
        try:
            places = Places()
            places.follow(connection)
            postings = Postings(places)
            postings.follow(connection)
            with self._swap:
                for added, removed in unseen:
                    postings.note(added, removed)
                self._postings, self.places, self._unseen = postings, places, None
        finally:
            self._unseen = None

    def follow(self, added: Sequence[int], removed: Sequence[int]) -> None:
        """See what a commit changed. On the loop, commit by commit."""
        with self._swap:
            if self._unseen is not None:
                self._unseen.append((added, removed))
            if self._postings is not None:
                self._postings.note(added, removed)

    def search(
        self,
        connection: Connection,
        terms: list[str],
        allowed: Sequence[int] | None,
        count: int = CANDIDATES,
    ) -> LexicalMatches:
        """Score the best `count` memories that hold any of the terms (of `fold_query`).

        `allowed` are the revision_rowids that may answer; None means all.
        """
        if not terms:
            return NOTHING
        if self._postings is not None:
            return self._postings.search(connection, terms, allowed, count)
        if allowed is None:
            rows = connection.execute(_BEST, (match_any(terms), count)).fetchall()
        else:
            rows = connection.execute(
                _BEST_ALLOWED, (match_any(terms), json.dumps(allowed), count)
            ).fetchall()
        rowids = [rowid for rowid, _ in rows]
        literal: set[int] = set()
        for term in filter(is_identifier, terms):
            holding = connection.execute(_HOLDING, (match_any([term]), RARE + 1)).fetchall()
            if len(holding) <= RARE:
                literal.update(rowid for (rowid,) in holding)
        literal.intersection_update(rowids)
        return LexicalMatches(rowids, [score for _, score in rows], frozenset(literal))


def allowed_rows(connection: Connection, query: Query) -> list[int]:
    """The current revisions that a query may find, where not all that are indexed may."""
    conditions = [f"r.lifecycle = 'current' AND m.memory_rowid NOT IN ({PAST_TERM})"]
    parameters: list[str] = []
    if query.kinds is not None:
        conditions.append("m.kind IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(sorted(query.kinds)))
    if query.roles is not None:
        conditions.append("m.role IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(sorted(query.roles)))
    if query.labels:
        conditions.append(
            "NOT EXISTS (SELECT 1 FROM json_each(?) AS w"
            " WHERE w.value NOT IN (SELECT value FROM json_each(m.labels)))"
        )
        parameters.append(json.dumps(sorted(query.labels)))
    rows = connection.execute(
        "SELECT r.revision_rowid FROM memories AS m JOIN revisions AS r"  # noqa: S608  # only the fixed conditions above
        " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
        f" WHERE {' AND '.join(conditions)}",
        parameters,
    ).fetchall()
    return [rowid for (rowid,) in rows]
