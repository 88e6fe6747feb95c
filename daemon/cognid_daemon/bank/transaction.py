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
from typing import TYPE_CHECKING, Final

from cognid.protocol.ids import new_memory_id
from cognid.protocol.values import Kind, Lifecycle
from cognid_daemon.bank import ledger, sessions, shelves
from cognid_daemon.bank.common import Common
from cognid_daemon.bank.generations import settle_vectors
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.quota import check_room
from cognid_daemon.bank.rows import (
    Barrier,
    Corrected,
    Decision,
    LedgerEntry,
    Memory,
    NewEmbedding,
    NewEvent,
    NewMemory,
    Receipt,
    StoredMemory,
    Withholding,
)
from cognid_daemon.bank.standing import Standing, sort_of

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# The receipts of whatever made or met a memory, as its own or as one of several.
_NAMES_MEMORY: Final = (
    "(memory_rowid = :rowid OR operation_id IN"
    " (SELECT operation_id FROM receipt_memories WHERE memory_rowid = :rowid))"
)


class Transaction(Standing):
    """One item's share of an open transaction.

    `now` is the item's instant, `keeping` what the bank may hold. What it `added` to and `removed`
    from the current revisions goes to the listeners once the group is committed; by the `receipts`
    it added, the writer can tell after a failed COMMIT whether the group is in the file. `forgot`:
    bytes have to be erased.
    """

    __slots__ = ("forgot", "keeping", "receipts")

    def __init__(
        self,
        connection: Connection,
        now: int,
        keeping: Keeping = KEEP_ALL,
        common: Common | None = None,
    ) -> None:
        super().__init__(connection, now, Common() if common is None else common)
        self.keeping = keeping
        self.forgot = False
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
        if receipt.others:
            self.connection.executemany(
                "INSERT INTO receipt_memories(operation_id, memory_rowid) VALUES (?, ?)",
                [(receipt.operation_id, rowid) for rowid in dict.fromkeys(receipt.others)],
            )
        self.receipts.append(receipt.operation_id)

    def add_event(self, event: NewEvent) -> int:
        """Take custody of an event; its (stream, sequence) must be new here. Gives its rowid."""
        rowid: int = self.connection.execute(
            "INSERT INTO events(stream, sequence, type, hash, session_id, occurred_at,"
            " received_at, decision, rules, evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                event.stream,
                event.sequence,
                event.type,
                event.hash,
                event.session_id,
                event.occurred_at,
                self.now,
                event.decision.value,
                _encode(event.rules) if event.rules else None,
                event.evidence,
            ),
        ).lastrowid
        return rowid

    def know_as_evidence(self, event_rowid: int, evidence: bytes) -> None:
        """Note that an event that is there was reported as trusted evidence too."""
        self.connection.execute(
            "UPDATE events SET evidence = ? WHERE event_rowid = ?", (evidence, event_rowid)
        )

    def withhold(self, whose: str, state: Withholding) -> None:
        """Let `state` be what is not to be remembered of a session or stream from now on."""
        if state == Withholding():
            self.connection.execute("DELETE FROM withholding WHERE whose = ?", (whose,))
            return
        self.connection.execute(
            "INSERT OR REPLACE INTO withholding(whose, next_turn, whole_session, replies)"
            " VALUES (?, ?, ?, ?)",
            (whose, state.next_turn, state.whole_session, state.replies),
        )

    def add_memory(
        self,
        memory: NewMemory,
        *,
        memory_id: str | None = None,
        origin_id: str | None = None,
        made_at: int | None = None,
        revised_at: int | None = None,
        revision: int = 1,
        term_from: int | None = None,
    ) -> StoredMemory:
        """Make a memory with its first revision, searchable at once and listed for embedding.

        Args:
            memory_id: of a memory that is brought in; must be free here. None makes a fresh id.
            origin_id: the first id that it ever had, if that is another.
            made_at: when it was made, if not now.
            revised_at: when its current revision was made, if not then.
            revision: the number of its current revision.
            term_from: when its term began, if not now; a term counts from the commit in this bank.

        Raises:
            QuotaError: the bank holds as much as it may.
        """
        check_room(self.connection, self.keeping, self.common, memory.text)
        memory_id = memory_id or new_memory_id()
        digest_key = secrets.token_bytes(16)
        start, end = memory.span or (None, None)
        memory_rowid: int = self.connection.execute(
            "INSERT INTO memories(memory_id, revision, kind, role, speaker, provenance, confidence,"
            " importance, pinned, categories, labels, session_id, event_rowid, span_start,"
            " span_end, extractor, policy_fingerprint, event_time, valid_from, valid_until,"
            " created_at, digest_key, origin_id, sources, term_from)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                memory_id,
                revision,
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
                made_at or self.now,
                digest_key,
                None if origin_id == memory_id else origin_id,
                _encode(memory.sources) if memory.sources else None,
                term_from or self.now,
            ),
        ).lastrowid
        sort = shelves.Sort(
            memory_rowid, memory.kind, memory.provenance, memory.labels, made_at or self.now
        )
        shelves.put(self.connection, sort, Lifecycle.CURRENT)
        revision_rowid = self._make_current(
            memory_rowid,
            revision,
            memory.kind,
            memory.text,
            memory.speaker,
            revised_at or made_at or self.now,
            come=1,
        )
        digest = _keyed_digest(digest_key, memory.text)
        return StoredMemory(memory_id, revision, memory_rowid, revision_rowid, digest)

    def add_past_revision(
        self, memory_rowid: int, revision: int, text: str, made_at: int, ended_at: int | None
    ) -> None:
        """Add a superseded revision to the history of a memory that is brought in."""
        execute = self.connection.execute
        rowid: int = execute(
            "INSERT INTO revisions(memory_rowid, revision, lifecycle, created_at, ended_at)"
            " VALUES (?, ?, 'superseded', ?, ?)",
            (memory_rowid, revision, made_at, ended_at),
        ).lastrowid
        execute("INSERT INTO texts(revision_rowid, text) VALUES (?, ?)", (rowid, text))

    def correct(self, memory: Memory, text: str) -> Corrected:
        """Make `text` the memory's new current revision; the id stays, the old text is history.

        The remark that a fact was promoted from says the old text, so it is superseded with it. The
        memory's term begins anew: what it says now was said now.
        """
        execute = self.connection.execute
        (digest_key,) = execute(
            "SELECT digest_key FROM memories WHERE memory_rowid = ?", (memory.memory_rowid,)
        ).fetchone()
        self.supersede(memory)
        revision = memory.revision + 1
        execute(
            "UPDATE memories SET revision = ?, term_from = ?, expired_at = NULL"
            " WHERE memory_rowid = ?",
            (revision, self.now, memory.memory_rowid),
        )
        revision_rowid = self._make_current(
            memory.memory_rowid, revision, memory.kind, text, memory.speaker, self.now
        )
        sort = sort_of(memory)
        shelves.move(self.connection, sort, Lifecycle.SUPERSEDED, Lifecycle.CURRENT)
        superseded = [
            other
            for other in (self.group_of([memory.memory_id]).memories if memory.is_fact else ())
            if not other.is_fact and other.written is not Lifecycle.SUPERSEDED
        ]
        for remark in superseded:
            self.supersede(remark)
        return Corrected(
            memory.memory_id,
            memory.memory_rowid,
            revision,
            revision_rowid,
            _keyed_digest(digest_key, text),
            tuple(remark.memory_id for remark in superseded),
        )

    def forget(self, memories: Iterable[Memory], operation_id: str | None) -> tuple[Barrier, ...]:
        """Remove exactly these memories for good and leave a barrier for each.

        Takes every row that holds any of their text, vectors or digests; `group_of` says what
        belongs together. The bytes in free places of the file stay until `erase` has run.
        """
        return tuple(self._forget(memory, operation_id) for memory in memories)

    def obey(self, barrier: Barrier) -> bool:
        """Apply a barrier that this file does not know: what it bars goes, or never comes.

        Returns:
            Whether it was new here.
        """
        if self.barrier(barrier.memory_id) is not None:
            return False
        memory = self.memory(barrier.memory_id)
        if memory is not None:
            sessions.scrub(self, sessions.saying(self, [memory]))
            self._remove(memory)
        self.bar(barrier)
        if barrier.stream is not None and barrier.sequence is not None:
            sessions.scrub_event(self, barrier.stream, barrier.sequence)
            event = self.event(barrier.stream, barrier.sequence)
            if event is not None:
                self._clear_event(event.event_rowid)
            else:
                self.add_event(
                    NewEvent(
                        barrier.stream, barrier.sequence, "forgotten", None, Decision.COMMITTED
                    )
                )
        # The event's too: a turn that was told without a sequence would get the next one.
        for made_by in (barrier.made_by or "").split():
            operation, _, operation_id = made_by.partition(":")
            if self.receipt(operation_id) is None:
                self.add_receipt(
                    Receipt(
                        operation_id=operation_id,
                        operation=operation,
                        digest=None,
                        outcome='{"outcome":"forgotten"}',
                        authority="catalog",
                    )
                )
        return True

    def _forget(self, memory: Memory, operation_id: str | None) -> Barrier:
        event = None
        if memory.event_rowid is not None:
            event = self.events_at([memory.event_rowid])[memory.event_rowid]
        (made_by,) = self.connection.execute(
            "SELECT group_concat(operation || ':' || operation_id, ' ') FROM receipts"  # noqa: S608
            f" WHERE {_NAMES_MEMORY} AND operation IN"
            " ('memory.remember', 'memory.add', 'memory.remember_evidence')",
            {"rowid": memory.memory_rowid},
        ).fetchone()
        barrier = Barrier(
            memory.memory_id,
            memory.origin_id,
            None if event is None else event.stream,
            None if event is None else event.sequence,
            made_by,
            self.now,
            operation_id,
        )
        self._remove(memory)
        self.bar(barrier)
        return barrier

    def bar(self, barrier: Barrier) -> None:
        """Put up a barrier that is not here yet."""
        self.connection.execute(
            "INSERT INTO barriers(memory_id, origin_id, stream, sequence, made_by, forgotten_at,"
            " operation_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                barrier.memory_id,
                barrier.origin_id,
                barrier.stream,
                barrier.sequence,
                barrier.made_by,
                barrier.forgotten_at,
                barrier.operation_id,
            ),
        )
        self.owe_erasure()

    def owe_erasure(self) -> None:
        """Note that bytes of what this transaction deletes have to be erased."""
        self.connection.execute(
            "INSERT INTO meta(key, value) VALUES ('vacuum_owed', 1)"
            " ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
        self.forgot = True

    def _remove(self, memory: Memory) -> None:
        """Delete every row of a memory and every digest of its text."""
        execute = self.connection.execute
        rowid = memory.memory_rowid
        shelves.take(self.connection, sort_of(memory), memory.written)
        if memory.written is Lifecycle.CURRENT:
            self.unlist(memory)  # while its text is there: the index has none
        for table in ("work", "embeddings", "texts"):
            execute(
                f"DELETE FROM {table} WHERE revision_rowid IN"  # noqa: S608 # a fixed name
                " (SELECT revision_rowid FROM revisions WHERE memory_rowid = ?)",
                (rowid,),
            )
        execute("DELETE FROM revisions WHERE memory_rowid = ?", (rowid,))
        execute("DELETE FROM memories WHERE memory_rowid = ?", (rowid,))
        self.gone(memory.kind)
        execute(
            f"UPDATE receipts SET digest = NULL WHERE {_NAMES_MEMORY}",  # noqa: S608 # fixed
            {"rowid": rowid},
        )
        execute("DELETE FROM receipt_memories WHERE memory_rowid = ?", (rowid,))
        if memory.event_rowid is not None:
            self._clear_event(memory.event_rowid)

    def _clear_event(self, event_rowid: int) -> None:
        """Take the hash from an event: it is a digest of the text; the identity stays."""
        self.connection.execute(
            "UPDATE events SET hash = NULL WHERE event_rowid = ?", (event_rowid,)
        )

    def _make_current(
        self,
        memory_rowid: int,
        revision: int,
        kind: Kind,
        text: str,
        speaker: str | None,
        made_at: int,
        *,
        come: int = 0,
    ) -> int:
        execute = self.connection.execute
        revision_rowid: int = execute(
            "INSERT INTO revisions(memory_rowid, revision, lifecycle, created_at)"
            " VALUES (?, ?, 'current', ?)",
            (memory_rowid, revision, made_at),
        ).lastrowid
        # Only facts fold, so only they have a likeness; it ends with the text's row.
        alike = None if kind is Kind.REMARK else likeness(text)
        execute(
            "INSERT INTO texts(revision_rowid, text, likeness) VALUES (?, ?, ?)",
            (revision_rowid, text, alike),
        )
        self.list_current(revision_rowid, kind, text, speaker, come=come)
        return revision_rowid

    def note(self, entry: LedgerEntry) -> None:
        """Append an entry to the ledger's hash chain."""
        after = self.common.head or ledger.head(self.connection)
        self.common.head = ledger.append(self.connection, entry, self.now, after)

    def purge_horizon(self) -> int:
        """As `View.purge_horizon`; looked up once a transaction."""
        if self.common.horizon is None:
            self.common.horizon = super().purge_horizon()
        return self.common.horizon

    def ensure_space(self, space_id: str, dimension: int) -> int:
        """The generation that vectors of a space go into, begun if there is none."""
        return settle_vectors(self, space_id, dimension, "").serving.number

    def add_embeddings(
        self, revision_rowid: int, generation: int, embeddings: Iterable[NewEmbedding]
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
                " generation, vector) VALUES (?, ?, ?, ?, ?, ?)",
                (revision_rowid, embedding.window, *embedding.span, generation, embedding.vector),
            )
        return True

    def finish_work(self, work_rowid: int) -> None:
        """Strike one item off the work list."""
        self.connection.execute("DELETE FROM work WHERE work_rowid = ?", (work_rowid,))

    def retry_work(self, work_rowid: int, code: str) -> None:
        """Count one failed attempt at an item of the work list, and why it failed."""
        self.connection.execute(
            "UPDATE work SET attempts = attempts + 1, code = ? WHERE work_rowid = ?",
            (code, work_rowid),
        )


def _keyed_digest(key: bytes, text: str) -> str:
    """A text's digest for the ledger, under the random key in its memory's own row."""
    return hmac.digest(key, text.encode(), hashlib.sha256).hex()
