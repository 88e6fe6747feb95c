"""Listings of a bank: pages of memories, counts, frontiers, and facts that say the same.

Owns: the SELECTs behind inspect, bank.status and folding. Runs on any connection of the bank.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cognid.protocol.values import Kind, Lifecycle, Provenance
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

# CROSS: the planner would walk all revisions first, and a page at 100,000 would take 300 ms.
_NEWEST = (
    " FROM memories AS m CROSS JOIN revisions AS r"
    " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories a listing shows; None lets all through.

    `lifecycles` are of the newest revision, None means current. All of `labels` must be there.
    `since` and `until` (Unix microseconds) bound when the memory was made, the second exclusively.
    `text` must occur in the text, whatever the case of its letters.
    """

    kinds: tuple[Kind, ...] | None = None
    session_id: str | None = None
    lifecycles: tuple[Lifecycle, ...] | None = None
    provenances: tuple[Provenance, ...] | None = None
    labels: tuple[str, ...] | None = None
    since: int | None = None
    until: int | None = None
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page, newest first. `more`: there are older ones that the filters let through."""

    memories: list[Memory]
    more: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """What a bank holds."""

    by_kind: dict[str, int]
    events: int
    receipts: int
    ledger_entries: int


def _in(column: str, words: Sequence[str]) -> str:
    return f"{column} IN ({','.join('?' * len(words))})"


def _where(filters: Filters) -> tuple[str, list[Any]]:
    """The joins and conditions that the filters need, and the values of the latter."""
    joins = ""
    clauses: list[str] = []
    values: list[Any] = []
    if filters.lifecycles is None:
        clauses.append("r.lifecycle = 'current'")
    else:
        clauses.append(_in("r.lifecycle", filters.lifecycles))
        values += [lifecycle.value for lifecycle in filters.lifecycles]
    if filters.kinds is not None:
        clauses.append(_in("m.kind", filters.kinds))
        values += [kind.value for kind in filters.kinds]
    if filters.provenances is not None:
        clauses.append(_in("m.provenance", filters.provenances))
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
    if filters.text is not None:
        joins = " JOIN texts AS f ON f.revision_rowid = r.revision_rowid"
        clauses.append("instr(cognid_casefold(f.text), ?)")
        values.append(casefolded(filters.text))
    return f"{joins} WHERE {' AND '.join(clauses)}", values


def casefolded(text: str) -> str:
    """The form in which a text filter compares; SQL knows it as `cognid_casefold`."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def page_of(
    connection: Connection, filters: Filters, *, before: int | None, limit: int, text_bytes: int
) -> MemoryPage:
    """A page of memories, newest first.

    Args:
        before: only memories whose memory_rowid is less; None begins at the newest.
        limit: memories at most.
        text_bytes: the page ends before its texts exceed this, but has one memory at least.
    """
    where, values = _where(filters)
    if before is not None:
        where += " AND m.memory_rowid < ?"
        values.append(before)
    rows = connection.execute(
        "SELECT r.revision_rowid, (SELECT octet_length(t.text) FROM texts AS t"  # noqa: S608 # fixed words only
        f" WHERE t.revision_rowid = r.revision_rowid){_NEWEST}{where}"
        " ORDER BY m.memory_rowid DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    shown: list[int] = []
    size = 0
    for revision_rowid, length in rows[:limit]:
        size += length or 0
        if shown and size > text_bytes:
            break
        shown.append(revision_rowid)
    found = View(connection).newest_at(shown)
    return MemoryPage([found[rowid] for rowid in shown], more=len(shown) < len(rows))


def count_of(connection: Connection, filters: Filters) -> int:
    """How many memories the filters let through."""
    if filters == Filters(kinds=filters.kinds):
        tally = kinds_of(connection)
        return sum(tally.get(kind.value, 0) for kind in set(filters.kinds or Kind))
    where, values = _where(filters)
    count: int = connection.execute(f"SELECT count(*){_NEWEST}{where}", values).fetchone()[0]
    return count


def kinds_of(connection: Connection) -> dict[str, int]:
    """The current memories of each kind that there is."""
    rows = connection.execute("SELECT kind, count FROM tallies WHERE count > 0 ORDER BY kind")
    return dict(rows.fetchall())


def ids_of(connection: Connection, filters: Filters, limit: int) -> list[str]:
    """The ids of the newest memories that the filters let through, `limit` at most."""
    where, values = _where(filters)
    rows = connection.execute(
        f"SELECT m.memory_id{_NEWEST}{where} ORDER BY m.memory_rowid DESC LIMIT ?",
        (*values, limit),
    ).fetchall()
    return [row[0] for row in rows]


def counts(connection: Connection) -> Counts:
    """What the bank holds: current memories by kind, events, receipts and ledger entries."""
    execute = connection.execute
    return Counts(
        kinds_of(connection),
        execute("SELECT count(*) FROM events").fetchone()[0],
        execute("SELECT count(*) FROM receipts").fetchone()[0],
        execute("SELECT coalesce(max(sequence), 0) FROM ledger").fetchone()[0],
    )


def ready_frontier(connection: Connection, stream: str) -> int | None:
    """The highest sequence of a stream up to which no memory waits for its vectors."""
    row = connection.execute(
        "SELECT min(e.sequence) FROM work AS w"
        " JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        " JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
        " JOIN events AS e ON e.event_rowid = m.event_rowid WHERE e.stream = ?",
        (stream,),
    ).fetchone()
    if row[0] is None:
        return View(connection).frontier(stream)
    ready: int | None = connection.execute(
        "SELECT max(sequence) FROM events WHERE stream = ? AND sequence < ?", (stream, row[0])
    ).fetchone()[0]
    return ready


def facts_like(connection: Connection, text: str) -> Sequence[Memory]:
    """The current facts whose text is equal to this one after normalization."""
    rows = connection.execute(
        "SELECT revision_rowid FROM texts WHERE likeness = ?", (likeness(text),)
    ).fetchall()
    if not rows:
        return ()
    return tuple(View(connection).memories_at([row[0] for row in rows]).values())
