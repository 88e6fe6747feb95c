"""The lexical pipeline: from a query's terms to scored memories, with the neighbours of each turn.

Owns: the FTS5 queries and the rule by which a short turn borrows from the turns beside it. May not
know numpy: the first answer after a start is given before numpy is imported.

FTS5 finds the best candidates by bm25. A reply of four words rarely holds the words of the
question, but the turn before or after it does; so for the candidates and their neighbours (the
events one before and one after in the same stream and session) bm25 is taken once more for each
term apart, and a term counts own + ½·max(0, max(previous, next) − own). bm25 is a sum over terms,
so nothing is approximated. Measured on LoCoMo: any@10 .670 without neighbours, .766 with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank.fold import match_any
from cognid_daemon.recall.answer import Query

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

CANDIDATES: Final = 150
"""Memories of each pipeline that are ranked (`DESIGN` 7)."""

_BORROWED: Final = 0.5
_RARE: Final = 10
"""An identifier that stands in more candidates than this names nothing in particular."""

_BEST: Final = "SELECT rowid FROM lexical WHERE lexical MATCH ? ORDER BY rank LIMIT ?"
_BEST_ALLOWED: Final = (
    "SELECT l.rowid FROM lexical AS l"
    " CROSS JOIN revisions AS r ON r.revision_rowid = l.rowid"
    " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
    " WHERE l.lexical MATCH ? AND {allowed} ORDER BY l.rank LIMIT ?"
)
# `+rowid` keeps the list a filter over one pass through a term's rows; as a constraint it would
# start a pass for each of its elements. bm25 is negative: the smaller, the better.
_OF_TERM: Final = (
    "SELECT rowid, -bm25(lexical) FROM lexical"
    " WHERE lexical MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
)
_BESIDE: Final = (
    "SELECT f.value, nr.revision_rowid FROM json_each(?) AS f"
    " CROSS JOIN revisions AS r ON r.revision_rowid = f.value"
    " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
    " CROSS JOIN events AS e ON e.event_rowid = m.event_rowid"
    " CROSS JOIN events AS n ON n.stream = e.stream"
    " AND n.sequence IN (e.sequence - 1, e.sequence + 1) AND n.session_id IS e.session_id"
    " CROSS JOIN memories AS nm ON nm.event_rowid = n.event_rowid"
    " CROSS JOIN revisions AS nr ON nr.memory_rowid = nm.memory_rowid"
    " AND nr.revision = nm.revision AND nr.lifecycle = 'current'"
)


@dataclass(frozen=True, slots=True)
class LexicalMatches:
    """Scores by revision_rowid, and the rows that hold a rare identifier of the query verbatim."""

    scores: dict[int, float]
    literal: frozenset[int]


def allowed(query: Query) -> tuple[str, list[str]]:
    """The SQL condition on `memories AS m` for what a query allows, with its parameters."""
    conditions: list[str] = []
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
    return " AND ".join(conditions), parameters


def search(connection: Connection, terms: list[str], query: Query) -> LexicalMatches:
    """Score the memories that hold any of the terms (of `fold_query`), and their neighbours."""
    if not terms:
        return LexicalMatches({}, frozenset())
    found = _candidates(connection, terms, query)
    if not found:
        return LexicalMatches({}, frozenset())
    beside: dict[int, set[int]] = {rowid: set() for rowid in found}
    for rowid, neighbour in connection.execute(_BESIDE, (json.dumps(found),)).fetchall():
        beside[rowid].add(neighbour)
        beside.setdefault(neighbour, set()).add(rowid)
    wanted = json.dumps(list(beside))
    scores = dict.fromkeys(beside, 0.0)
    literal: set[int] = set()
    for term in terms:
        rows = connection.execute(_OF_TERM, (match_any([term]), wanted)).fetchall()
        own: dict[int, float] = dict(rows)
        for rowid, score in _with_neighbours(own, beside):
            scores[rowid] += score
        if _is_identifier(term) and len(own) <= _RARE:
            literal |= own.keys()
    if query.is_filtered:
        scores = {rowid: scores[rowid] for rowid in found}
        literal &= scores.keys()
    return LexicalMatches(scores, frozenset(literal))


def _candidates(connection: Connection, terms: list[str], query: Query) -> list[int]:
    """The best revision_rowids by bm25 over all terms."""
    if query.is_filtered:
        condition, parameters = allowed(query)
        statement = _BEST_ALLOWED.format(allowed=condition)
        values = (match_any(terms), *parameters, CANDIDATES)
        rows = connection.execute(statement, values).fetchall()
    else:
        rows = connection.execute(_BEST, (match_any(terms), CANDIDATES)).fetchall()
    return [rowid for (rowid,) in rows]


def _with_neighbours(
    own: dict[int, float], beside: dict[int, set[int]]
) -> Iterable[tuple[int, float]]:
    """One term's score for each row that has it, or stands beside a row that has more of it."""
    best_beside: dict[int, float] = {}
    for rowid, score in own.items():
        for neighbour in beside[rowid]:
            if score > best_beside.get(neighbour, 0.0):
                best_beside[neighbour] = score
        yield rowid, score
    for rowid, score in best_beside.items():
        lent = score - own.get(rowid, 0.0)
        if lent > 0.0:
            yield rowid, _BORROWED * lent


def _is_identifier(term: str) -> bool:
    """Whether a term names one thing (klm204, 12·7), as a plain word or a bare number does not."""
    return not term.isdigit() and any(character.isdigit() for character in term)
