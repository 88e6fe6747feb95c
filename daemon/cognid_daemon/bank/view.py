"""What one connection sees of a bank, as typed rows; good on a reader and inside a transaction.

Owns: the SELECTs that more than one room needs. Every read fetches all its rows, so that no open
cursor keeps a checkpoint waiting.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.values import Kind, Lifecycle, Provenance, Role
from cognid_daemon.bank.keeping import EXPIRES_AT, LIFECYCLE
from cognid_daemon.bank.rows import (
    Barrier,
    Decision,
    Event,
    Group,
    Memory,
    Noted,
    Receipt,
    Revision,
    Withholding,
)

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_EVENT: Final = (
    "SELECT event_rowid, stream, sequence, type, hash, session_id, occurred_at, received_at,"
    " decision, rules, evidence FROM events"
)
_MEMORY: Final = (
    f"SELECT m.memory_rowid, m.memory_id, m.revision, r.revision_rowid, {LIFECYCLE},"  # noqa: S608 # fixed words only
    " m.kind, m.role, m.provenance, CAST(t.text AS BLOB), m.speaker, m.confidence, m.importance,"
    " m.pinned,"
    " m.categories, m.labels, m.session_id, m.event_rowid, m.span_start, m.span_end, m.extractor,"
    " m.policy_fingerprint, m.event_time, m.valid_from, m.valid_until, m.created_at, r.created_at,"
    f" coalesce(m.origin_id, m.memory_id), r.lifecycle, {EXPIRES_AT}, m.sources"
    " FROM memories AS m"
    " JOIN revisions AS r ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
    " LEFT JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
)

_DECISIONS: Final = {one.value: one for one in Decision}
_LIFECYCLES: Final = {one.value: one for one in Lifecycle}
_KINDS: Final = {one.value: one for one in Kind}
_ROLES: Final = {one.value: one for one in Role}
_PROVENANCES: Final = {one.value: one for one in Provenance}

_BARRIER: Final = (
    "SELECT memory_id, origin_id, stream, sequence, made_by, forgotten_at, operation_id, erased_at"
    " FROM barriers"
)


def _strings(column: str) -> tuple[str, ...]:
    return () if column == "[]" else tuple(json.loads(column))


def _optional(column: str | None) -> tuple[str, ...]:
    return () if column is None else tuple(json.loads(column))


def _text(raw: bytes | None) -> str | None:
    """A stored text. Read as bytes: one that a fault has spoiled must not hide those beside it."""
    return None if raw is None else raw.decode("utf-8", errors="replace")


def _event(row: tuple[Any, ...]) -> Event:
    return Event(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        row[6],
        row[7],
        _DECISIONS[row[8]],
        _optional(row[9]),
        row[10],
    )


def _memory(row: tuple[Any, ...]) -> Memory:
    # By place and by table, in the order of the columns: a page reads twenty, and names and enums
    # took half of its time.
    return Memory(
        row[0],
        row[1],
        row[2],
        row[3],
        _LIFECYCLES[row[4]],
        _KINDS[row[5]],
        _ROLES[row[6]],
        _PROVENANCES[row[7]],
        _text(row[8]),
        row[9],
        row[10],
        row[11],
        bool(row[12]),
        _strings(row[13]),
        _strings(row[14]),
        row[15],
        row[16],
        None if row[17] is None else (row[17], row[18]),
        row[19],
        row[20],
        row[21],
        row[22],
        row[23],
        row[24],
        row[25],
        row[26],
        _LIFECYCLES[row[27]],
        row[28],
        _optional(row[29]),
    )


def overlap(one: Memory, other: Memory) -> bool:
    """Whether, of a fact and a remark of one event, the fact's span lies inside the remark's."""
    fact, remark = (one, other) if one.is_fact else (other, one)
    if fact.span is None or remark.span is None:
        return True
    return remark.span[0] <= fact.span[0] and fact.span[1] <= remark.span[1]


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
        highest: int | None = self.connection.execute(
            "SELECT max(sequence) FROM (SELECT max(sequence) AS sequence FROM events"
            " WHERE stream = :stream"
            " UNION ALL SELECT sequence FROM cutoffs WHERE stream = :stream)",
            {"stream": stream},
        ).fetchone()[0]
        return highest

    def cutoff(self, stream: str) -> int | None:
        """The sequence that a stream had reached when the bank was last wiped."""
        row = self.connection.execute(
            "SELECT sequence FROM cutoffs WHERE stream = ?", (stream,)
        ).fetchone()
        return None if row is None else row[0]

    def is_past_evidence(self, evidence: bytes) -> bool:
        """Whether an evidence was taken before the last wipe."""
        found = self.connection.execute(
            "SELECT 1 FROM past_evidence WHERE evidence = ?", (evidence,)
        ).fetchone()
        return found is not None

    def withholding(self, whose: str) -> Withholding:
        """What is not to be remembered of a session or stream."""
        row = self.connection.execute(
            "SELECT next_turn, whole_session, replies FROM withholding WHERE whose = ?", (whose,)
        ).fetchone()
        return Withholding() if row is None else Withholding(*map(bool, row))

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

    def ends_of_turns(self, event_rowids: Sequence[int]) -> dict[int, str]:
        """The last characters of the turns that some events reported, by event_rowid."""
        if not event_rowids:
            return {}
        rows = self.connection.execute(
            "SELECT m.event_rowid, CAST(substr(t.text, -40) AS BLOB) FROM json_each(?) AS f"
            " CROSS JOIN memories AS m ON m.event_rowid = f.value AND m.kind = 'remark'"
            " CROSS JOIN revisions AS r ON r.memory_rowid = m.memory_rowid"
            " AND r.revision = m.revision"
            " CROSS JOIN texts AS t ON t.revision_rowid = r.revision_rowid",
            (json.dumps(sorted(set(event_rowids))),),
        ).fetchall()
        return {rowid: _text(raw) or "" for rowid, raw in rows}

    def said_in(self, event_rowid: int) -> str | None:
        """What was said in an event: its remark's first text. None where there is none."""
        row = self.connection.execute(
            "SELECT t.text FROM memories AS m"
            " JOIN revisions AS r ON r.memory_rowid = m.memory_rowid"
            " JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
            " WHERE m.event_rowid = ? AND m.kind = ? ORDER BY m.memory_rowid, r.revision LIMIT 1",
            (event_rowid, Kind.REMARK.value),
        ).fetchone()
        return None if row is None else row[0]

    def memories_at(self, revision_rowids: Sequence[int]) -> dict[int, Memory]:
        """The memories whose current revision is one of these, by revision_rowid (hydration)."""
        found = self.newest_at(revision_rowids)
        return {rowid: m for rowid, m in found.items() if m.lifecycle is Lifecycle.CURRENT}

    def newest_at(self, revision_rowids: Sequence[int]) -> dict[int, Memory]:
        """The memories whose newest revision is one of these, whatever its lifecycle."""
        marks = ",".join("?" * len(revision_rowids))
        rows = self.connection.execute(
            f"{_MEMORY} WHERE r.revision_rowid IN ({marks})", tuple(revision_rowids)
        ).fetchall()
        return {row[3]: _memory(row) for row in rows}

    def group_of(self, memory_ids: Sequence[str]) -> Group:
        """The memories of these ids, and what a forget of them takes along.

        A fact takes the remark that it was promoted from; a remark takes the facts inside its
        span. What is taken along takes nothing further: siblings stay.
        """
        targets: dict[str, Memory] = {}
        absent: list[str] = []
        unknown: list[str] = []
        for memory_id in dict.fromkeys(memory_ids):
            memory = self.memory(memory_id)
            if memory is not None:
                targets[memory_id] = memory
            elif self.barrier(memory_id) is not None:
                absent.append(memory_id)
            else:
                unknown.append(memory_id)
        along: dict[str, Memory] = {}
        for memory in targets.values():
            if memory.event_rowid is None:
                continue
            for other in self.memories_of_event(memory.event_rowid):
                if other.is_fact is not memory.is_fact and overlap(memory, other):
                    along[other.memory_id] = other
        return Group(tuple((targets | along).values()), tuple(absent), tuple(unknown))

    def revisions_of(self, memory_id: str) -> list[Revision]:
        """All revisions of a memory, oldest first; none once it was forgotten."""
        rows = self.connection.execute(
            f"SELECT r.revision, CASE WHEN r.revision = m.revision THEN {LIFECYCLE}"  # noqa: S608 # fixed words only
            " ELSE r.lifecycle END, CAST(t.text AS BLOB), r.created_at, r.ended_at"
            " FROM memories AS m JOIN revisions AS r ON r.memory_rowid = m.memory_rowid"
            " LEFT JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
            " WHERE m.memory_id = ? ORDER BY r.revision",
            (memory_id,),
        ).fetchall()
        return [Revision(row[0], Lifecycle(row[1]), _text(row[2]), *row[3:]) for row in rows]

    def ledger_of(self, memory_id: str) -> list[Noted]:
        """The ledger's entries that name a memory, oldest first. Walks the whole ledger."""
        rows = self.connection.execute(
            "SELECT sequence, at, operation, operation_id, authority, policy_fingerprint, body"
            " FROM ledger WHERE instr(body, ?) ORDER BY sequence",
            (f'"{memory_id}"',),
        ).fetchall()
        return [Noted(*row) for row in rows]

    def ledger_end(self, limit: int) -> list[Noted]:
        """The ledger's last entries, the newest first."""
        rows = self.connection.execute(
            "SELECT sequence, at, operation, operation_id, authority, policy_fingerprint, body"
            " FROM ledger ORDER BY sequence DESC LIMIT ?",
            (limit,),
        ).fetchall()
        return [Noted(*row) for row in rows]

    def barrier(self, memory_id: str) -> Barrier | None:
        """The mark of a memory that was forgotten."""
        row = self.connection.execute(f"{_BARRIER} WHERE memory_id = ?", (memory_id,)).fetchone()
        return None if row is None else Barrier(*row)

    def barriers(self) -> list[Barrier]:
        """Every mark."""
        rows = self.connection.execute(f"{_BARRIER} ORDER BY memory_id").fetchall()
        return [Barrier(*row) for row in rows]

    def all_erased(self, memory_ids: Sequence[str]) -> bool:
        """Whether the bytes of all these forgotten memories are gone from the file."""
        barriers = [self.barrier(memory_id) for memory_id in memory_ids]
        return all(one is not None and one.erased_at is not None for one in barriers)

    def bars_event(self, stream: str, sequence: int) -> bool:
        """Whether a memory of that event was forgotten: then no digest of the event may stay."""
        found = self.connection.execute(
            "SELECT 1 FROM barriers WHERE stream = ? AND sequence = ?", (stream, sequence)
        ).fetchone()
        return found is not None

    def is_barred(self, memory_id: str, origin_id: str) -> bool:
        """Whether a memory that is brought in from outside was forgotten here."""
        found = self.connection.execute(
            "SELECT 1 FROM barriers WHERE memory_id IN (:id, :origin)"
            " UNION ALL SELECT 1 FROM barriers WHERE origin_id IN (:id, :origin)",
            {"id": memory_id, "origin": origin_id},
        ).fetchone()
        return found is not None
