"""What one connection sees of a bank, as typed rows; good on a reader and inside a transaction.

Owns: the SELECTs that more than one room needs. Every read fetches all its rows, so that no open
cursor keeps a checkpoint waiting.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.values import Kind, Lifecycle, Provenance, Role
from cognid_daemon.bank.rows import Decision, Event, Memory, Receipt

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
    return Event(
        event_rowid=row[0],
        stream=row[1],
        sequence=row[2],
        type=row[3],
        hash=row[4],
        session_id=row[5],
        occurred_at=row[6],
        received_at=row[7],
        decision=Decision(row[8]),
    )


def _memory(row: tuple[Any, ...]) -> Memory:
    return Memory(
        memory_rowid=row[0],
        memory_id=row[1],
        revision=row[2],
        revision_rowid=row[3],
        lifecycle=Lifecycle(row[4]),
        kind=Kind(row[5]),
        role=Role(row[6]),
        provenance=Provenance(row[7]),
        text=row[8],
        speaker=row[9],
        confidence=row[10],
        importance=row[11],
        pinned=bool(row[12]),
        categories=_strings(row[13]),
        labels=_strings(row[14]),
        session_id=row[15],
        event_rowid=row[16],
        span=None if row[17] is None else (row[17], row[18]),
        extractor=row[19],
        policy_fingerprint=row[20],
        event_time=row[21],
        valid_from=row[22],
        valid_until=row[23],
        created_at=row[24],
        revised_at=row[25],
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

    def events_at(self, event_rowids: Sequence[int]) -> dict[int, Event]:
        """The events of these rowids, by rowid."""
        marks = ",".join("?" * len(event_rowids))
        rows = self.connection.execute(
            f"{_EVENT} WHERE event_rowid IN ({marks})", tuple(event_rowids)
        ).fetchall()
        return {row[0]: _event(row) for row in rows}

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
