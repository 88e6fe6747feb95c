"""Filters: which memories a listing shows, and how a statement asks for them.

Owns: the filters, and the conditions in SQL that they become over memories `m`, newest revisions
`r` and, for a text, its row `f`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cognid.protocol.values import Kind, Lifecycle, Provenance
from cognid_daemon.bank.keeping import PAST_TERM

# As `keeping.LIFECYCLE` has it, but a walk over all memories asks for the terms only once.
_LIFECYCLE = (
    "CASE WHEN m.expired_at IS NOT NULL"
    f" OR (r.lifecycle = 'current' AND m.memory_rowid IN ({PAST_TERM}))"
    " THEN 'expired' ELSE r.lifecycle END"
)

_IS_FACT = (
    f"{{one}}.kind <> '{Kind.REMARK.value}'"  # noqa: S608 # fixed words only
    f" AND {{one}}.memory_rowid NOT IN ({PAST_TERM})"
    " AND EXISTS (SELECT 1 FROM revisions AS c WHERE c.memory_rowid = {one}.memory_rowid"
    " AND c.revision = {one}.revision AND c.lifecycle = 'current')"
)
_UNCOVERED = (
    f"(m.kind <> '{Kind.REMARK.value}' OR NOT ("  # noqa: S608 # fixed words only
    f"EXISTS (SELECT 1 FROM memories AS made WHERE made.event_rowid = m.event_rowid"
    f" AND {_IS_FACT.format(one='made')})"
    " OR EXISTS (SELECT 1 FROM receipts AS a"
    " JOIN receipt_memories AS b ON b.operation_id = a.operation_id"
    " JOIN memories AS met ON met.memory_rowid = b.memory_rowid"
    f" WHERE a.memory_rowid = m.memory_rowid AND {_IS_FACT.format(one='met')})))"
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories a listing shows; None lets all through.

    `lifecycles` are of the newest revision, None means current. All of `labels` must be there.
    `since` and `until` (Unix microseconds) bound when the memory was made, the second exclusively.
    `text` must occur in the text, whatever the case of its letters. `uncovered`: of remarks only
    those whose event neither made nor met a fact that is current; which it met is known as long as
    its receipt is kept.
    """

    kinds: tuple[Kind, ...] | None = None
    session_id: str | None = None
    lifecycles: tuple[Lifecycle, ...] | None = None
    provenances: tuple[Provenance, ...] | None = None
    labels: tuple[str, ...] | None = None
    since: int | None = None
    until: int | None = None
    text: str | None = field(default=None, repr=False)
    uncovered: bool = False


def within(column: str, words: Sequence[str]) -> str:
    """The condition that a column has one of so many values."""
    return f"{column} IN ({','.join('?' * len(words))})"


def conditions(filters: Filters) -> tuple[str, list[Any]]:
    """The joins and conditions that the filters need, and the values of the latter."""
    joins = ""
    clauses: list[str] = []
    values: list[Any] = []
    if filters.lifecycles is None:
        clauses.append(f"r.lifecycle = 'current' AND m.memory_rowid NOT IN ({PAST_TERM})")
    else:
        clauses.append(within(_LIFECYCLE, filters.lifecycles))
        values += [lifecycle.value for lifecycle in filters.lifecycles]
    if filters.kinds is not None:
        clauses.append(within("m.kind", filters.kinds))
        values += [kind.value for kind in filters.kinds]
    if filters.provenances is not None:
        clauses.append(within("m.provenance", filters.provenances))
        values += [provenance.value for provenance in filters.provenances]
    if filters.session_id is not None:
        clauses.append("m.session_id = ?")
        values.append(filters.session_id)
    for label in filters.labels or ():
        clauses.append("EXISTS (SELECT 1 FROM json_each(m.labels) WHERE value = ?)")
        values.append(label)
    if filters.since is not None:
        clauses.append("m.created_at >= ?")
        values.append(filters.since)
    if filters.until is not None:
        clauses.append("m.created_at < ?")
        values.append(filters.until)
    if filters.uncovered:
        clauses.append(_UNCOVERED)
    if filters.text is not None:
        joins = " JOIN texts AS f ON f.revision_rowid = r.revision_rowid"
        clauses.append("instr(cognid_casefold(f.text), ?)")
        values.append(casefolded(filters.text))
    return f"{joins} WHERE {' AND '.join(clauses)}", values


def casefolded(text: str) -> str:
    """The form in which a text filter compares; SQL knows it as `cognid_casefold`."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
