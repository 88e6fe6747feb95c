"""The bank file's schema: version 1 and every step that leads to a later one.

Owns: the tables, and `STEPS`, the list that `migrate` applies; a step is never changed once it was
released. Instants are integer Unix microseconds UTC. Text tables have AUTOINCREMENT rowids (an id
never comes back), their rows are never updated in place, and no row holds another memory's text.
`memories.origin_id` is null where it is the memory's own id, `sources` where there are none.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.bank.generations import LEXICAL_TABLE
from cognid_daemon.bank.migrate import Step

_VERSION_1: Final = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    """CREATE TABLE events(
        event_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        stream TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        type TEXT NOT NULL,
        hash BLOB,
        session_id TEXT,
        occurred_at INTEGER,
        received_at INTEGER NOT NULL,
        decision TEXT NOT NULL CHECK (decision IN ('committed', 'rejected', 'no_effect')),
        rules TEXT,
        evidence BLOB,
        UNIQUE (stream, sequence))""",
    """CREATE TABLE memories(
        memory_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_id TEXT NOT NULL UNIQUE,
        origin_id TEXT,
        revision INTEGER NOT NULL,
        kind TEXT NOT NULL,
        role TEXT NOT NULL,
        speaker TEXT,
        provenance TEXT NOT NULL,
        confidence REAL,
        importance REAL,
        pinned INTEGER NOT NULL,
        categories TEXT NOT NULL,
        labels TEXT NOT NULL,
        session_id TEXT,
        event_rowid INTEGER REFERENCES events(event_rowid),
        span_start INTEGER,
        span_end INTEGER,
        sources TEXT,
        extractor TEXT,
        policy_fingerprint TEXT,
        event_time INTEGER,
        valid_from INTEGER,
        valid_until INTEGER,
        created_at INTEGER NOT NULL,
        digest_key BLOB,
        term_from INTEGER NOT NULL,
        expired_at INTEGER)""",
    "CREATE INDEX memories_by_event ON memories(event_rowid) WHERE event_rowid IS NOT NULL",
    "CREATE INDEX memories_by_session ON memories(session_id, memory_rowid)"
    " WHERE session_id IS NOT NULL",
    # A memory's term counts from `term_from`, the commit of its current revision in this bank, to
    # the mark `expired_at`; `retention` has the rest.
    "CREATE INDEX memories_by_term ON memories(kind, term_from)"
    " WHERE pinned = 0 AND expired_at IS NULL",
    "CREATE INDEX memories_marked ON memories(kind, term_from) WHERE expired_at IS NOT NULL",
    "CREATE INDEX memories_by_mark ON memories(expired_at) WHERE expired_at IS NOT NULL",
    "CREATE INDEX memories_pinned ON memories(memory_rowid) WHERE pinned = 1",
    """CREATE TABLE revisions(
        revision_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_rowid INTEGER NOT NULL REFERENCES memories(memory_rowid),
        revision INTEGER NOT NULL,
        lifecycle TEXT NOT NULL
            CHECK (lifecycle IN ('current', 'superseded', 'forgotten', 'expired')),
        created_at INTEGER NOT NULL,
        ended_at INTEGER,
        UNIQUE (memory_rowid, revision))""",
    # Memories by kind, those with a current revision and all: counting them at 100,000 would read
    # every one.
    """CREATE TABLE tallies(
        kind TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        held INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    # The same by shelf, label, lifecycle and provenance, for the totals and pages of listings.
    """CREATE TABLE shelves(
        label TEXT NOT NULL,
        shelf INTEGER NOT NULL,
        kind TEXT NOT NULL,
        lifecycle TEXT NOT NULL,
        provenance TEXT NOT NULL,
        count INTEGER NOT NULL,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        PRIMARY KEY (label, shelf, kind, lifecycle, provenance)) WITHOUT ROWID""",
    """CREATE TABLE texts(
        revision_rowid INTEGER PRIMARY KEY AUTOINCREMENT
            REFERENCES revisions(revision_rowid),
        text TEXT NOT NULL,
        likeness BLOB)""",
    "CREATE INDEX texts_by_likeness ON texts(likeness) WHERE likeness IS NOT NULL",
    """CREATE VIEW lexical_source(revision_rowid, body) AS
        SELECT r.revision_rowid, cognid_fold(CAST(t.text AS BLOB), m.speaker)
        FROM revisions AS r
        JOIN texts AS t ON t.revision_rowid = r.revision_rowid
        JOIN memories AS m ON m.memory_rowid = r.memory_rowid
        WHERE r.lifecycle = 'current'""",
    *(statement.format(name="lexical") for statement in LEXICAL_TABLE),
    """CREATE TABLE generations(
        generation INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('lexical', 'vector')),
        state TEXT NOT NULL CHECK (state IN ('building', 'live', 'retired')),
        space_id TEXT,
        dimension INTEGER,
        bank_version INTEGER NOT NULL,
        epoch TEXT NOT NULL,
        last INTEGER NOT NULL,
        cursor INTEGER,
        done INTEGER NOT NULL,
        total INTEGER NOT NULL,
        begun_at INTEGER NOT NULL,
        live_at INTEGER)""",
    "CREATE UNIQUE INDEX generations_live ON generations(kind) WHERE state = 'live'",
    "CREATE UNIQUE INDEX generations_building ON generations(kind) WHERE state = 'building'",
    """CREATE TABLE embeddings(
        embedding_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        revision_rowid INTEGER NOT NULL REFERENCES revisions(revision_rowid),
        window INTEGER NOT NULL,
        span_start INTEGER NOT NULL,
        span_end INTEGER NOT NULL,
        generation INTEGER NOT NULL REFERENCES generations(generation),
        vector BLOB NOT NULL,
        UNIQUE (revision_rowid, generation, window))""",
    """CREATE TABLE work(
        work_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('embed', 'index')),
        revision_rowid INTEGER NOT NULL REFERENCES revisions(revision_rowid),
        attempts INTEGER NOT NULL DEFAULT 0,
        code TEXT)""",
    "CREATE INDEX work_by_revision ON work(revision_rowid)",
    """CREATE TABLE receipts(
        operation_id TEXT PRIMARY KEY,
        operation TEXT NOT NULL,
        digest BLOB,
        outcome TEXT NOT NULL,
        memory_rowid INTEGER,
        at INTEGER NOT NULL,
        authority TEXT NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX receipts_by_memory ON receipts(memory_rowid) WHERE memory_rowid IS NOT NULL",
    # The other memories that an operation made or met: a turn's facts beside its remark.
    """CREATE TABLE receipt_memories(
        operation_id TEXT NOT NULL,
        memory_rowid INTEGER NOT NULL,
        PRIMARY KEY (operation_id, memory_rowid)) WITHOUT ROWID""",
    "CREATE INDEX receipt_memories_by_memory ON receipt_memories(memory_rowid)",
    """CREATE TABLE ledger(
        sequence INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        operation TEXT NOT NULL,
        operation_id TEXT,
        authority TEXT NOT NULL,
        policy_fingerprint TEXT,
        body TEXT NOT NULL,
        previous BLOB NOT NULL,
        hash BLOB NOT NULL)""",
    # A forget's mark: ids and the event's identity, no digest of the text. `made_by` names the
    # operations that made or met the memory ("memory.add:ID …"), so that no replay makes it anew.
    """CREATE TABLE barriers(
        memory_id TEXT PRIMARY KEY,
        origin_id TEXT NOT NULL,
        stream TEXT,
        sequence INTEGER,
        made_by TEXT,
        forgotten_at INTEGER NOT NULL,
        operation_id TEXT,
        erased_at INTEGER) WITHOUT ROWID""",
    "CREATE INDEX barriers_by_origin ON barriers(origin_id)",
    "CREATE INDEX barriers_by_event ON barriers(stream, sequence) WHERE stream IS NOT NULL",
    "CREATE INDEX barriers_pending ON barriers(memory_id) WHERE erased_at IS NULL",
    # How far a stream had come when the bank was wiped: what is at or below has no effect.
    "CREATE TABLE cutoffs(stream TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID",
    # Evidence of before a wipe, by its identity (no digest of text): it has no effect either.
    "CREATE TABLE past_evidence(evidence BLOB PRIMARY KEY) WITHOUT ROWID",
    # What a user asked not to be remembered, by session or stream; a row only where that holds.
    """CREATE TABLE withholding(
        whose TEXT PRIMARY KEY,
        next_turn INTEGER NOT NULL,
        whole_session INTEGER NOT NULL,
        replies INTEGER NOT NULL) WITHOUT ROWID""",
    # A message keeps its row when its text goes: `rules` then says why. What its text came with is
    # not in this row: the speaker's name goes with the text.
    """CREATE TABLE session_messages(
        message_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        message_id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL,
        role TEXT NOT NULL,
        rules TEXT,
        stream TEXT,
        sequence INTEGER,
        occurred_at INTEGER,
        created_at INTEGER NOT NULL,
        operation_id TEXT NOT NULL)""",
    "CREATE INDEX session_messages_by_session ON session_messages(session_id, message_rowid)",
    "CREATE INDEX session_messages_by_event ON session_messages(stream, sequence)"
    " WHERE stream IS NOT NULL",
    "CREATE INDEX session_messages_by_age ON session_messages(created_at)",
    """CREATE TABLE message_texts(
        message_rowid INTEGER PRIMARY KEY AUTOINCREMENT
            REFERENCES session_messages(message_rowid),
        text TEXT NOT NULL,
        name TEXT)""",
    """CREATE TABLE lanes(
        lane_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        lane TEXT NOT NULL UNIQUE,
        snapshot_id TEXT NOT NULL,
        snapshot_hash BLOB NOT NULL,
        omissions TEXT NOT NULL,
        replaced_at INTEGER NOT NULL,
        operation_id TEXT NOT NULL)""",
    """CREATE TABLE lane_units(
        unit_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        lane_rowid INTEGER NOT NULL REFERENCES lanes(lane_rowid),
        unit_id TEXT NOT NULL,
        type TEXT NOT NULL,
        text TEXT NOT NULL,
        source TEXT,
        occurred_at INTEGER,
        UNIQUE (lane_rowid, unit_id))""",
)

STEPS: Final = (Step(version=1, statements=_VERSION_1),)
SCHEMA_VERSION: Final = STEPS[-1].version
