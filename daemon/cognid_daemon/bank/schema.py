"""The bank file's schema: version 1 and every step that leads to a later one.

Owns: the tables, and `STEPS`, the list that `migrate` applies; a step is never changed once it was
released. Instants are integer Unix microseconds UTC. Text tables have AUTOINCREMENT rowids (an id
never comes back), their rows are never updated in place, and no row holds another memory's text.
`memories.origin_id` is null where it is the memory's own id.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.bank.migrate import Step

# automerge=0: a merge must not sit on the path of an acknowledgement; `upkeep` merges explicitly.
# crisismerge=500: far above what upkeep leaves, far below FTS5's limit of 2,000 segments, at which
# a write fails as "database or disk is full" (measured).
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
        extractor TEXT,
        policy_fingerprint TEXT,
        event_time INTEGER,
        valid_from INTEGER,
        valid_until INTEGER,
        created_at INTEGER NOT NULL,
        digest_key BLOB)""",
    "CREATE INDEX memories_by_event ON memories(event_rowid) WHERE event_rowid IS NOT NULL",
    "CREATE INDEX memories_by_session ON memories(session_id, memory_rowid)"
    " WHERE session_id IS NOT NULL",
    """CREATE TABLE revisions(
        revision_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_rowid INTEGER NOT NULL REFERENCES memories(memory_rowid),
        revision INTEGER NOT NULL,
        lifecycle TEXT NOT NULL
            CHECK (lifecycle IN ('current', 'superseded', 'forgotten', 'expired')),
        created_at INTEGER NOT NULL,
        ended_at INTEGER,
        UNIQUE (memory_rowid, revision))""",
    # Current memories by kind: counting them at 100,000 would read every memory.
    "CREATE TABLE tallies(kind TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE texts(
        revision_rowid INTEGER PRIMARY KEY AUTOINCREMENT
            REFERENCES revisions(revision_rowid),
        text TEXT NOT NULL,
        likeness BLOB)""",
    "CREATE INDEX texts_by_likeness ON texts(likeness) WHERE likeness IS NOT NULL",
    """CREATE VIEW lexical_source(revision_rowid, body) AS
        SELECT r.revision_rowid, cognid_fold(t.text, m.speaker)
        FROM revisions AS r
        JOIN texts AS t ON t.revision_rowid = r.revision_rowid
        JOIN memories AS m ON m.memory_rowid = r.memory_rowid
        WHERE r.lifecycle = 'current'""",
    """CREATE VIRTUAL TABLE lexical USING fts5(
        body, content = 'lexical_source', content_rowid = 'revision_rowid',
        tokenize = 'porter ascii')""",
    "INSERT INTO lexical(lexical, rank) VALUES ('secure-delete', 1)",
    "INSERT INTO lexical(lexical, rank) VALUES ('automerge', 0)",
    "INSERT INTO lexical(lexical, rank) VALUES ('crisismerge', 500)",
    """CREATE TABLE spaces(
        space INTEGER PRIMARY KEY,
        space_id TEXT NOT NULL UNIQUE,
        dimension INTEGER NOT NULL,
        created_at INTEGER NOT NULL)""",
    """CREATE TABLE embeddings(
        embedding_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        revision_rowid INTEGER NOT NULL REFERENCES revisions(revision_rowid),
        window INTEGER NOT NULL,
        span_start INTEGER NOT NULL,
        span_end INTEGER NOT NULL,
        space INTEGER NOT NULL REFERENCES spaces(space),
        vector BLOB NOT NULL,
        UNIQUE (revision_rowid, space, window))""",
    """CREATE TABLE work(
        work_rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('embed')),
        revision_rowid INTEGER NOT NULL REFERENCES revisions(revision_rowid),
        attempts INTEGER NOT NULL DEFAULT 0)""",
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
)

STEPS: Final = (Step(version=1, statements=_VERSION_1),)
SCHEMA_VERSION: Final = STEPS[-1].version
