"""Where a memory's newest revision stands: in every index of the bank, or in none of them.

Owns: the way in and out of the lexical index, the work list, the vectors, the tallies and shelves,
all in the one transaction, and what the listeners are told of it after its COMMIT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cognid.protocol.values import Kind, Lifecycle
from cognid_daemon.bank import shelves
from cognid_daemon.bank.common import Common
from cognid_daemon.bank.fold import fold_document
from cognid_daemon.bank.generations import has_words
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_WORDS_BESIDE: Final = "SELECT 1 FROM generations WHERE kind = 'lexical' AND state = 'building'"


class Standing(View):
    """The changes of standing that one item of an open transaction makes at `now`.

    `added` became current by it, `removed` ceased to be. `common` is what it shares with the others
    of its transaction.
    """

    __slots__ = ("added", "common", "now", "removed")

    def __init__(self, connection: Connection, now: int, common: Common) -> None:
        super().__init__(connection)
        self.now = now
        self.common = common
        self.added: list[int] = []
        self.removed: list[int] = []

    def supersede(self, memory: Memory) -> None:
        """End a memory's newest revision: out of every index, its text kept as history."""
        self.end(memory, Lifecycle.SUPERSEDED)

    def end(self, memory: Memory, lifecycle: Lifecycle) -> None:
        """Take a memory's newest revision out of every index; what is superseded stays so."""
        if memory.written is Lifecycle.SUPERSEDED:
            return
        execute = self.connection.execute
        if memory.written is Lifecycle.CURRENT:
            self.unlist(memory)
            for table in ("work", "embeddings"):
                execute(
                    f"DELETE FROM {table} WHERE revision_rowid = ?",  # noqa: S608 # a fixed name
                    (memory.revision_rowid,),
                )
        execute(
            "UPDATE revisions SET lifecycle = ?, ended_at = coalesce(ended_at, ?)"
            " WHERE revision_rowid = ?",
            (lifecycle.value, self.now, memory.revision_rowid),
        )
        shelves.move(self.connection, sort_of(memory), memory.written, lifecycle)

    def relist(self, memory: Memory) -> None:
        """Make an ended revision current again, in every index."""
        self.connection.execute(
            "UPDATE revisions SET lifecycle = 'current', ended_at = NULL WHERE revision_rowid = ?",
            (memory.revision_rowid,),
        )
        self.list_current(memory.revision_rowid, memory.kind, memory.text or "", memory.speaker)
        shelves.move(self.connection, sort_of(memory), memory.written, Lifecycle.CURRENT)

    def list_current(
        self, revision_rowid: int, kind: Kind, text: str, speaker: str | None, *, come: int = 0
    ) -> None:
        """Put a current revision into the lexical index, the work list, the tally and what
        listeners know.

        Args:
            come: 1 for the first revision of a memory that was not held before.
        """
        execute = self.connection.execute
        body = fold_document(text, speaker)
        execute("INSERT INTO lexical(rowid, body) VALUES (?, ?)", (revision_rowid, body))
        if self._is_built_beside():
            execute("INSERT INTO lexical_next(rowid, body) VALUES (?, ?)", (revision_rowid, body))
        execute("INSERT INTO work(kind, revision_rowid) VALUES ('embed', ?)", (revision_rowid,))
        self._count(kind, 1, come)
        self.added.append(revision_rowid)

    def unlist(self, memory: Memory) -> None:
        """Take a current revision from the lexical index, the tally and what listeners know."""
        execute, rowid = self.connection.execute, memory.revision_rowid
        execute("DELETE FROM lexical WHERE rowid = ?", (rowid,))
        # One that became current again stands there before the build comes to it.
        if self._is_built_beside() and has_words(self.connection, rowid):
            execute("DELETE FROM lexical_next WHERE rowid = ?", (rowid,))
        self._count(memory.kind, -1, 0)
        self.removed.append(memory.revision_rowid)

    def _is_built_beside(self) -> bool:
        """Whether a lexical index is built beside the live one; looked up once a transaction."""
        if self.common.beside is None:
            self.common.beside = self.connection.execute(_WORDS_BESIDE).fetchone() is not None
        return self.common.beside

    def gone(self, kind: Kind) -> None:
        """Count a memory, of whatever lifecycle, that is held no more."""
        self._count(kind, 0, -1)

    def _count(self, kind: Kind, current: int, held: int) -> None:
        self.connection.execute(
            "INSERT INTO tallies(kind, count, held) VALUES (?, ?, ?) ON CONFLICT (kind) DO UPDATE"
            " SET count = count + excluded.count, held = held + excluded.held",
            (kind.value, current, held),
        )
        if self.common.held is not None:
            self.common.held += held


def sort_of(memory: Memory) -> shelves.Sort:
    """What of a memory its shelf counts it by."""
    return shelves.Sort(
        memory.memory_rowid, memory.kind, memory.provenance, memory.labels, memory.created_at
    )
