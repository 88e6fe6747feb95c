"""Listings of a bank: pages of current memories, counts, frontiers, and facts that say the same.

Owns: the SELECTs behind inspect, bank.status and folding. Runs on any connection of the bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cognid.protocol.values import Kind
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_CURRENT = (
    " FROM memories AS m JOIN revisions AS r"
    " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision AND r.lifecycle = 'current'"
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which current memories a listing shows; None lets all through."""

    kinds: tuple[Kind, ...] | None = None
    session_id: str | None = None


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


def _where(filters: Filters) -> tuple[str, list[Any]]:
    clauses: list[str] = []
    values: list[Any] = []
    if filters.kinds is not None:
        clauses.append(f"m.kind IN ({','.join('?' * len(filters.kinds))})")
        values += [kind.value for kind in filters.kinds]
    if filters.session_id is not None:
        clauses.append("m.session_id = ?")
        values.append(filters.session_id)
    return "".join(f" AND {clause}" for clause in clauses), values


def page_of(
    connection: Connection, filters: Filters, *, before: int | None, limit: int, text_bytes: int
) -> MemoryPage:
    """A page of current memories, newest first.

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
        "SELECT r.revision_rowid, octet_length(t.text)"
        f"{_CURRENT} JOIN texts AS t ON t.revision_rowid = r.revision_rowid WHERE 1{where}"
        " ORDER BY m.memory_rowid DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    shown: list[int] = []
    size = 0
    for revision_rowid, length in rows[:limit]:
        size += length
        if shown and size > text_bytes:
            break
        shown.append(revision_rowid)
    found = View(connection).memories_at(shown)
    return MemoryPage([found[rowid] for rowid in shown], more=len(shown) < len(rows))


def count_of(connection: Connection, filters: Filters) -> int:
    """How many current memories the filters let through."""
    where, values = _where(filters)
    count: int = connection.execute(f"SELECT count(*){_CURRENT} WHERE 1{where}", values).fetchone()[
        0
    ]
    return count


def counts(connection: Connection) -> Counts:
    """What the bank holds: current memories by kind, events, receipts and ledger entries."""
    execute = connection.execute
    by_kind = execute(f"SELECT m.kind, count(*){_CURRENT} GROUP BY m.kind ORDER BY m.kind")
    return Counts(
        dict(by_kind.fetchall()),
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
