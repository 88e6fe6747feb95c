"""What one connection sees of a bank, as typed rows; good on a reader and inside a transaction.

Owns: the SELECTs that more than one room needs. Every read fetches all its rows, so that no open
cursor keeps a checkpoint waiting.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.values import Kind, Lifecycle, Provenance, Role
from cognid_daemon.bank.rows import Decision, Event, Memory, Receipt, Work

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_EVENT: Final = (
    "SELECT event_rowid, stream, sequence, type, hash, session_id, occurred_at, received_at,"
    " decision FROM events"
)
_MEMORY: Final = (
    "SELECT m.memory_rowid, m.memory_id, m.revision, r.revision_rowid, r.lifecycle, m.kind, m.role,"
    " m.provenance, t.text, m.speaker, m.confidence, m.importance, m.pinned, m.categories,"
    " m.labels, m.session_id, m.event_rowid, m.span_start, m.span_end, m.extractor,"
    " m.policy_fingerprint, m.event_time, m.valid_from, m.valid_until, m.created_at, r.created_at"
    " FROM memories AS m"
    " JOIN revisions AS r ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
    " LEFT JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
)


def _strings(column: str) -> tuple[str, ...]:
    return () if column == "[]" else tuple(json.loads(column))


def _event(row: tuple[Any, ...]) -> Event:
    return Event(*row[:8], Decision(row[8]))


def _memory(row: tuple[Any, ...]) -> Memory:
    return Memory(
        *row[:4],
        Lifecycle(row[4]),
        Kind(row[5]),
        Role(row[6]),
        Provenance(row[7]),
        *row[8:12],
        bool(row[12]),
        _strings(row[13]),
        _strings(row[14]),
        row[15],
        row[16],
        None if row[17] is None else (row[17], row[18]),
        *row[19:],
    )


class View:
    """Typed reads over one connection."""

    __slots__ = ("connection",)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def receipt(self, operation_id: str) -> Receipt | None:
        """The stored outcome of an operation, if there is one."""
        row = self.connection.execute(
            "SELECT operation_id, operation, digest, outcome, authority, memory_rowid, at"
            " FROM receipts WHERE operation_id = ?",
            (operation_id,),
        ).fetchone()
        return None if row is None else Receipt(*row)

    def purge_horizon(self) -> int:
        """The largest operation time (Unix milliseconds) of a receipt that was dropped, or 0."""
        row = self.connection.execute(
            "SELECT value FROM meta WHERE key = 'purge_horizon'"
        ).fetchone()
        return 0 if row is None else int(row[0])

    def event(self, stream: str, sequence: int) -> Event | None:
        """The event of that identity, if custody of it was taken."""
        row = self.connection.execute(
            f"{_EVENT} WHERE stream = ? AND sequence = ?", (stream, sequence)
        ).fetchone()
        return None if row is None else _event(row)

    def frontier(self, stream: str) -> int | None:
        """The highest sequence of a stream, or None where nothing of it was taken."""
        row = self.connection.execute(
            "SELECT max(sequence) FROM events WHERE stream = ?", (stream,)
        ).fetchone()
        highest: int | None = row[0]
        return highest

    def memory(self, memory_id: str) -> Memory | None:
        """A memory with its current revision, whatever its lifecycle."""
        row = self.connection.execute(f"{_MEMORY} WHERE m.memory_id = ?", (memory_id,)).fetchone()
        return None if row is None else _memory(row)

    def memories_of_event(self, event_rowid: int) -> list[Memory]:
        """The memories that were made from an event, in the order of their making."""
        rows = self.connection.execute(
            f"{_MEMORY} WHERE m.event_rowid = ? ORDER BY m.memory_rowid", (event_rowid,)
        ).fetchall()
        return [_memory(row) for row in rows]

    def memories_at(self, revision_rowids: Sequence[int]) -> dict[int, Memory]:
        """The memories whose current revision is one of these, by revision_rowid (hydration)."""
        marks = ",".join("?" * len(revision_rowids))
        rows = self.connection.execute(
            f"{_MEMORY} WHERE r.revision_rowid IN ({marks}) AND r.lifecycle = 'current'",
            tuple(revision_rowids),
        ).fetchall()
        return {row[3]: _memory(row) for row in rows}

    def next_work(self, limit: int, after: int = 0) -> list[Work]:
        """The oldest items of the work list past work_rowid `after`, whose revision is current."""
        rows = self.connection.execute(
            "SELECT w.work_rowid, w.revision_rowid, w.attempts, t.text, m.speaker FROM work AS w"
            " JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
            " AND r.lifecycle = 'current'"
            " JOIN texts AS t ON t.revision_rowid = w.revision_rowid"
            " JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
            " WHERE w.work_rowid > ? ORDER BY w.work_rowid LIMIT ?",
            (after, limit),
        ).fetchall()
        return [Work(*row) for row in rows]
