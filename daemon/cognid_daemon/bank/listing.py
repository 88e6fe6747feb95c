"""Listings of a bank: pages of memories, counts, frontiers, and facts that say the same.

Owns: the SELECTs behind inspect, bank.status and folding. Runs on any connection of the bank.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cognid.protocol.values import Kind
from cognid_daemon.bank.filters import Filters, conditions
from cognid_daemon.bank.keeping import PAST_TERM
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.shelves import SIZE, shelves_of
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

# CROSS: the planner would walk all revisions first, and a page at 100,000 would take 300 ms.
_NEWEST = (
    " FROM memories AS m CROSS JOIN revisions AS r"
    " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
)
# The memories of some shelves, given as a JSON list, the same way.
_ON_SHELVES = (
    " FROM json_each(?) AS s CROSS JOIN memories AS m"
    f" ON m.memory_rowid BETWEEN s.value * {SIZE} AND s.value * {SIZE} + {SIZE - 1}"
    " CROSS JOIN revisions AS r ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
)
_SHELVES_AT_ONCE = 64
_REVISION_AND_BYTES = (
    "r.revision_rowid,"
    " (SELECT octet_length(t.text) FROM texts AS t WHERE t.revision_rowid = r.revision_rowid)"
)


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page, newest first. `more`: there are older ones that the filters let through."""

    memories: list[Memory]
    more: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """What a bank holds."""

    by_kind: dict[str, int]
    expired: int
    events: int
    receipts: int
    ledger_entries: int


def page_of(
    connection: Connection, filters: Filters, *, before: int | None, limit: int, text_bytes: int
) -> MemoryPage:
    """A page of memories, newest first.

    Args:
        before: only memories whose memory_rowid is less; None begins at the newest.
        limit: memories at most.
        text_bytes: the page ends before its texts exceed this, but has one memory at least.
    """
    rows = _newest(connection, _REVISION_AND_BYTES, filters, before, limit + 1)
    shown: list[int] = []
    size = 0
    for revision_rowid, length in rows[:limit]:
        size += length or 0
        if shown and size > text_bytes:
            break
        shown.append(revision_rowid)
    found = View(connection).newest_at(shown)
    return MemoryPage([found[rowid] for rowid in shown], more=len(shown) < len(rows))


def _newest(
    connection: Connection, columns: str, filters: Filters, before: int | None, limit: int
) -> list[tuple[Any, ...]]:
    """Columns of the newest memories that the filters let through."""
    where, values = conditions(filters)
    if before is not None:
        where += " AND m.memory_rowid < ?"
        values.append(before)
    end = f"{where} ORDER BY m.memory_rowid DESC LIMIT ?"
    shelves = None if filters == Filters() else shelves_of(connection, filters, before)
    rows: list[tuple[Any, ...]] = []
    if shelves is None:
        rows += connection.execute(f"SELECT {columns}{_NEWEST}{end}", (*values, limit)).fetchall()
        return rows
    while shelves and len(rows) < limit:
        taken: list[int] = []
        held = 0
        while shelves and len(taken) < _SHELVES_AT_ONCE and held < limit - len(rows):
            held += shelves[0].count
            taken.append(shelves.pop(0).number)
        rows += connection.execute(
            f"SELECT {columns}{_ON_SHELVES}{end}",
            (json.dumps(taken), *values, limit - len(rows)),
        ).fetchall()
    return rows


def count_of(connection: Connection, filters: Filters) -> int:
    """How many memories the filters let through."""
    where, values = conditions(filters)
    shelves = shelves_of(connection, filters)
    if shelves is None:
        statement = f"SELECT count(*){_NEWEST}{where}"
        count: int = connection.execute(statement, values).fetchone()[0]
        return count
    looked_into = [shelf.number for shelf in shelves if not shelf.exact]
    count = sum(shelf.count for shelf in shelves if shelf.exact)
    if looked_into:
        statement = f"SELECT count(*){_ON_SHELVES}{where}"
        count += connection.execute(statement, (json.dumps(looked_into), *values)).fetchone()[0]
    return count


def kinds_of(connection: Connection) -> dict[str, int]:
    """The current memories of each kind that there is."""
    tally: dict[str, int] = dict(
        connection.execute("SELECT kind, count FROM tallies ORDER BY kind").fetchall()
    )
    for kind in _past_term(connection):
        tally[kind] -= 1
    return {kind: count for kind, count in tally.items() if count}


def _expired_count(connection: Connection) -> int:
    """How many memories have expired and are still there."""
    marked = connection.execute(
        "SELECT count(*) FROM memories WHERE expired_at IS NOT NULL"
    ).fetchone()[0]
    return int(marked) + len(_past_term(connection))


def _past_term(connection: Connection) -> list[str]:
    """The kinds of the memories that are past their term and in the tally all the same."""
    rows = connection.execute(
        f"SELECT m.kind{_NEWEST} WHERE m.memory_rowid IN ({PAST_TERM}) AND r.lifecycle = 'current'"
    ).fetchall()
    return [kind for (kind,) in rows]


def ids_of(connection: Connection, filters: Filters, limit: int) -> list[str]:
    """The ids of the newest memories that the filters let through, `limit` at most."""
    return [row[0] for row in _newest(connection, "m.memory_id", filters, None, limit)]


def standing_of(connection: Connection, limit: int, text_bytes: int) -> tuple[list[Memory], int]:
    """The current memories that are pinned, then the preferences, the newest first, and how many
    there are of both.

    Args:
        limit: of them that are read.
        text_bytes: of all their texts together; one that is too long for what is left of it is
            passed over.
    """
    execute = connection.execute
    current = (
        " CROSS JOIN revisions AS r ON r.memory_rowid = m.memory_rowid"
        " AND r.revision = m.revision AND r.lifecycle = 'current'"
    )
    past = f"m.memory_rowid NOT IN ({PAST_TERM})"
    pinned = execute(
        f"SELECT r.revision_rowid FROM memories AS m INDEXED BY memories_pinned{current}"  # noqa: S608 # fixed words only
        " WHERE m.pinned = 1 ORDER BY m.memory_rowid DESC"
    ).fetchall()
    preferred = execute(
        f"SELECT r.revision_rowid FROM memories AS m INDEXED BY memories_by_term{current}"  # noqa: S608 # fixed words only
        f" WHERE m.kind = ? AND m.pinned = 0 AND m.expired_at IS NULL AND {past}"
        " ORDER BY m.memory_rowid DESC",
        (Kind.PREFERENCE.value,),
    ).fetchall()
    rowids = [rowid for (rowid,) in (*pinned, *preferred)]
    lengths = dict(
        execute(
            "SELECT revision_rowid, octet_length(text) FROM texts"
            " WHERE revision_rowid IN (SELECT value FROM json_each(?))",
            (json.dumps(rowids[:limit]),),
        ).fetchall()
    )
    read: list[int] = []
    for rowid in rowids[:limit]:
        length = lengths.get(rowid, 0)
        if length <= text_bytes:
            text_bytes -= length
            read.append(rowid)
    found = View(connection).memories_at(read)
    return [found[rowid] for rowid in read if rowid in found], len(rowids)


def counts(connection: Connection) -> Counts:
    """What the bank holds: current memories by kind, expired ones, events, receipts and ledger
    entries."""
    execute = connection.execute
    return Counts(
        kinds_of(connection),
        _expired_count(connection),
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
