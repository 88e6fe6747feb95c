"""Shelves: how many memories of which sort stand among each 256, by the order of their making.

A total over 100,000 memories takes 50 to 180 ms where each is looked at, and so does a page of what
is rare. A shelf says in a row how many there are of a label, kind, lifecycle and provenance among
its memories, and between which instants they were made: totals are sums of shelves, and pages come
from those that hold something.

Owns: the table `shelves`, how a memory is counted in it, and which shelves filters look at. The
row of the label '' counts every memory. No row outlives the last memory that it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.values import Kind, Lifecycle, Provenance
from cognid_daemon.bank.filters import Filters, within
from cognid_daemon.bank.keeping import PAST_TERM

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

SIZE: Final = 256
ALL: Final = ""
"""The label under which every memory is counted; no label is empty."""


@dataclass(frozen=True, slots=True)
class Sort:
    """What of a memory its shelf counts it by. `made_at` in Unix microseconds."""

    memory_rowid: int
    kind: Kind
    provenance: Provenance
    labels: tuple[str, ...]
    made_at: int


@dataclass(frozen=True, slots=True)
class Shelf:
    """A shelf that filters look at, and how many of its memories they may let through.

    `exact`: they let exactly these through.
    """

    number: int
    count: int
    exact: bool


def put(connection: Connection, sort: Sort, lifecycle: Lifecycle) -> None:
    """Count a memory that stands so from now on."""
    _count(connection, sort, lifecycle, 1)


def take(connection: Connection, sort: Sort, lifecycle: Lifecycle) -> None:
    """No longer count a memory that stood so."""
    _count(connection, sort, lifecycle, -1)
    connection.executemany(
        "DELETE FROM shelves WHERE label = ? AND shelf = ? AND count = 0",
        [(label, sort.memory_rowid // SIZE) for label in (ALL, *sort.labels)],
    )


def move(connection: Connection, sort: Sort, before: Lifecycle, after: Lifecycle) -> None:
    """Count a memory that stood otherwise until now."""
    take(connection, sort, before)
    put(connection, sort, after)


def _count(connection: Connection, sort: Sort, lifecycle: Lifecycle, change: int) -> None:
    for label in (ALL, *set(sort.labels)) if sort.labels else (ALL,):
        connection.execute(
            "INSERT INTO shelves(label, shelf, kind, lifecycle, provenance, count, first_at,"
            " last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " count = count + excluded.count, first_at = min(first_at, excluded.first_at),"
            " last_at = max(last_at, excluded.last_at)",
            (
                label,
                sort.memory_rowid // SIZE,
                sort.kind.value,
                lifecycle.value,
                sort.provenance.value,
                change,
                sort.made_at,
                sort.made_at,
            ),
        )


def shelves_of(
    connection: Connection, filters: Filters, before: int | None = None
) -> list[Shelf] | None:
    """The shelves on which there may be what the filters let through, the newest first.

    None where shelves do not help: a session has an index of its own, and they count a memory that
    is past its term as what it was until it is marked so (rarely, and not for long), and one that a
    correction superseded for good.

    Args:
        before: only memories whose memory_rowid is less.
    """
    if filters.session_id is not None or _is_behind(connection):
        return None
    apart = {Lifecycle.SUPERSEDED, Lifecycle.EXPIRED}.intersection(filters.lifecycles or ())
    if len(apart) == 1 and _are_marked_though_superseded(connection):
        return None
    labels = filters.labels or ()
    clauses = ["label = ?"]
    values: list[Any] = [labels[0] if labels else ALL]
    words: Sequence[tuple[str, Sequence[str] | None]] = (
        ("lifecycle", filters.lifecycles or (Lifecycle.CURRENT,)),
        ("kind", filters.kinds),
        ("provenance", filters.provenances),
    )
    for column, allowed in words:
        if allowed is not None:
            clauses.append(within(column, allowed))
            values += [str(word) for word in allowed]
    if before is not None:
        clauses.append("shelf <= ?")
        values.append((before - 1) // SIZE)
    if filters.since is not None:
        clauses.append("last_at >= ?")
        values.append(filters.since)
    if filters.until is not None:
        clauses.append("first_at < ?")
        values.append(filters.until)
    rows = connection.execute(
        "SELECT shelf, sum(count), min(first_at), max(last_at) FROM shelves"  # noqa: S608 # fixed words only
        f" WHERE {' AND '.join(clauses)} GROUP BY shelf ORDER BY shelf DESC",
        values,
    ).fetchall()
    # One label is counted; how two of them meet is not.
    counted = filters.text is None and not filters.uncovered and len(labels) <= 1
    return [
        Shelf(
            number,
            count,
            counted
            and (filters.since is None or first >= filters.since)
            and (filters.until is None or last < filters.until),
        )
        for number, count, first, last in rows
    ]


def _is_behind(connection: Connection) -> bool:
    """Whether a memory is past its term and its row does not say so."""
    return connection.execute(f"{PAST_TERM} LIMIT 1").fetchone() is not None


def _are_marked_though_superseded(connection: Connection) -> bool:
    """Whether a memory has expired that was superseded before: it is shown as expired."""
    found = connection.execute(
        "SELECT 1 FROM memories AS m INDEXED BY memories_by_mark CROSS JOIN revisions AS r"
        " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
        " AND r.lifecycle = 'superseded' WHERE m.expired_at IS NOT NULL LIMIT 1"
    ).fetchone()
    return found is not None
