"""What an `apply` of `Bank.submit` sees: typed writes inside the group's open transaction.

Owns: every INSERT, UPDATE and DELETE of a bank's rows, and that text, index, work list and ledger
change together. Never begins or ends a transaction: that is the writer's.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cognid.protocol.ids import new_memory_id
from cognid.protocol.values import Kind
from cognid_daemon.bank import ledger
from cognid_daemon.bank.fold import fold_document
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.rows import (
    LedgerEntry,
    NewEmbedding,
    NewEvent,
    NewMemory,
    Receipt,
    StoredMemory,
)
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Transaction(View):
    """One item's share of an open transaction.

    `now` is the item's instant. What it `added` to and `removed` from the current revisions goes to
    the listeners once the group is committed; by the `receipts` it added, the writer can tell
    after a failed COMMIT whether the group is in the file.
    """

    __slots__ = ("added", "now", "receipts", "removed")

    def __init__(self, connection: Connection, now: int) -> None:
        super().__init__(connection)
        self.now = now
        self.added: list[int] = []
        self.removed: list[int] = []
        self.receipts: list[str] = []

    def add_receipt(self, receipt: Receipt) -> None:
        """Store an operation's outcome; its id must be new here."""
        self.connection.execute(
            "INSERT INTO receipts(operation_id, operation, digest, outcome, memory_rowid, at,"
            " authority) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                receipt.operation_id,
                receipt.operation,
                receipt.digest,
                receipt.outcome,
                receipt.memory_rowid,
                receipt.at or self.now,
                receipt.authority,
            ),
        )
        self.receipts.append(receipt.operation_id)

    def add_event(self, event: NewEvent) -> int:
        """Take custody of an event; its (stream, sequence) must be new here. Gives its rowid."""
        rowid: int = self.connection.execute(
            "INSERT INTO events(stream, sequence, type, hash, session_id, occurred_at,"
            " received_at, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                event.stream,
                event.sequence,
                event.type,
                event.hash,
                event.session_id,
                event.occurred_at,
                self.now,
                event.decision.value,
            ),
        ).lastrowid
        return rowid

    def add_memory(self, memory: NewMemory) -> StoredMemory:
        """Make a memory with its first revision, searchable at once and listed for embedding."""
        execute = self.connection.execute
        memory_id = new_memory_id()
        digest_key = secrets.token_bytes(16)
        start, end = memory.span or (None, None)
        memory_rowid: int = execute(
            "INSERT INTO memories(memory_id, revision, kind, role, speaker, provenance, confidence,"
            " importance, pinned, categories, labels, session_id, event_rowid, span_start,"
            " span_end, extractor, policy_fingerprint, event_time, valid_from, valid_until,"
            " created_at, digest_key)"
            " VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                memory_id,
                memory.kind.value,
                memory.role.value,
                memory.speaker,
                memory.provenance.value,
                memory.confidence,
                memory.importance,
                memory.pinned,
                _encode(memory.categories) if memory.categories else "[]",
                _encode(memory.labels) if memory.labels else "[]",
                memory.session_id,
                memory.event_rowid,
                start,
                end,
                memory.extractor,
                memory.policy_fingerprint,
                memory.event_time,
                memory.valid_from,
                memory.valid_until,
                self.now,
                digest_key,
            ),
        ).lastrowid
        revision_rowid: int = execute(
            "INSERT INTO revisions(memory_rowid, revision, lifecycle, created_at)"
            " VALUES (?, 1, 'current', ?)",
            (memory_rowid, self.now),
        ).lastrowid
        # Only facts fold, so only they have a likeness; it ends with the text's row.
        alike = None if memory.kind is Kind.REMARK else likeness(memory.text)
        execute(
            "INSERT INTO texts(revision_rowid, text, likeness) VALUES (?, ?, ?)",
            (revision_rowid, memory.text, alike),
        )
        execute(
            "INSERT INTO lexical(rowid, body) VALUES (?, ?)",
            (revision_rowid, fold_document(memory.text, memory.speaker)),
        )
        execute("INSERT INTO work(kind, revision_rowid) VALUES ('embed', ?)", (revision_rowid,))
        self.added.append(revision_rowid)
        digest = hmac.digest(digest_key, memory.text.encode(), hashlib.sha256).hex()
        return StoredMemory(memory_id, 1, memory_rowid, revision_rowid, digest)

    def note(self, entry: LedgerEntry) -> None:
        """Append an entry to the ledger's hash chain."""
        ledger.append(self.connection, entry, self.now)

    def ensure_space(self, space_id: str, dimension: int) -> int:
        """The number of an embedding space, made if it is new."""
        execute = self.connection.execute
        row = execute("SELECT space FROM spaces WHERE space_id = ?", (space_id,)).fetchone()
        if row is None:
            row = execute(
                "INSERT INTO spaces(space_id, dimension, created_at) VALUES (?, ?, ?)"
                " RETURNING space",
                (space_id, dimension, self.now),
            ).fetchone()
        space: int = row[0]
        return space

    def add_embeddings(
        self, revision_rowid: int, space: int, embeddings: Iterable[NewEmbedding]
    ) -> bool:
        """Store a revision's vectors, unless it is no longer current: then nothing, and False."""
        execute = self.connection.execute
        current = execute(
            "SELECT 1 FROM revisions WHERE revision_rowid = ? AND lifecycle = 'current'",
            (revision_rowid,),
        ).fetchone()
        if current is None:
            return False
        for embedding in embeddings:
            execute(
                "INSERT OR REPLACE INTO embeddings(revision_rowid, window, span_start, span_end,"
                " space, vector) VALUES (?, ?, ?, ?, ?, ?)",
                (revision_rowid, embedding.window, *embedding.span, space, embedding.vector),
            )
        return True

    def finish_work(self, work_rowid: int) -> None:
        """Strike one item off the work list."""
        self.connection.execute("DELETE FROM work WHERE work_rowid = ?", (work_rowid,))

    def retry_work(self, work_rowid: int) -> None:
        """Count one failed attempt at an item of the work list."""
        self.connection.execute(
            "UPDATE work SET attempts = attempts + 1 WHERE work_rowid = ?", (work_rowid,)
        )
