"""Generations: each time a bank's lexical index or its vectors are made anew, from begin to end.

A generation is built beside the live one and takes its place in one transaction; then the old one
is retired, and what it held is removed in small steps. Of each kind at most one is live and one is
being built: two unique indexes say so. Everything that a build needs to go on stands in its row, in
the transaction of the work it tells of, so that a crash anywhere costs at most one step.

`cursor` is how far a build has come. A lexical one goes up through the revisions, with everything
at or below it done; one of vectors goes down (the newest first), with everything above it done.
Null means that there is nothing left of it.

Owns: the rows of `generations`, and the two tables of words while one is built beside the other.
Knows nothing of models or of who does the steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.bank.transaction import Transaction

GenerationKind = Literal["lexical", "vector"]
GenerationState = Literal["building", "live", "retired"]

LEXICAL_TABLE: Final = (
    "CREATE VIRTUAL TABLE {name} USING fts5(body, content = 'lexical_source',"
    " content_rowid = 'revision_rowid', tokenize = 'porter ascii')",
    "INSERT INTO {name}({name}, rank) VALUES ('secure-delete', 1)",
    "INSERT INTO {name}({name}, rank) VALUES ('automerge', 0)",
    "INSERT INTO {name}({name}, rank) VALUES ('crisismerge', 500)",
)
"""automerge=0: a merge must not sit on the path of an acknowledgement; `upkeep` merges explicitly.
crisismerge=500: far above what upkeep leaves, far below FTS5's limit of 2,000 segments, at which
a write fails as "database or disk is full" (measured)."""

_COLUMNS: Final = (
    "generation, kind, state, space_id, dimension, bank_version, epoch, last, cursor, done, total"
)
_ALL: Final = 2**62
"""The cursor of vectors that went out of service and miss what came since."""

_RETIRED_ROWS: Final = 256
"""Rows of a retired generation that one step removes: 200 kB of vectors, a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One row. `done` of `total` current revisions are in it; `last` was the newest when it began.

    `bank_version` is the ledger's last entry then, `epoch` the bank's. A lexical one has no space.
    """

    number: int
    kind: GenerationKind
    state: GenerationState
    space_id: str | None
    dimension: int | None
    bank_version: int
    epoch: str
    last: int
    cursor: int | None
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Vectors:
    """The generations of vectors that matter to a model of one space.

    `serving` answers queries; `building`, of the same space, is to take its place. They are one
    where the bank has no complete vectors of this space.
    """

    serving: Generation
    building: Generation | None

    @property
    def targets(self) -> tuple[int, ...]:
        """Where a new revision's vectors go."""
        if self.building is None or self.building.number == self.serving.number:
            return (self.serving.number,)
        return (self.serving.number, self.building.number)

    @property
    def unfinished(self) -> Generation | None:
        """What is to be gone through next."""
        for one in (self.serving, self.building):
            if one is not None and one.cursor is not None:
                return one
        return None


def generations(connection: Connection) -> list[Generation]:
    """All of them, in the order they were begun."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM generations ORDER BY generation"  # noqa: S608 # fixed names
    ).fetchall()
    return [Generation(*row) for row in rows]


def find(connection: Connection, kind: GenerationKind, state: GenerationState) -> Generation | None:
    """The generation of a kind in a state; of retired ones the oldest."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM generations WHERE kind = ? AND state = ?"  # noqa: S608 # fixed names
        " ORDER BY generation LIMIT 1",
        (kind, state),
    ).fetchone()
    return None if row is None else Generation(*row)


def begin(
    tx: Transaction,
    kind: GenerationKind,
    *,
    epoch: str,
    space_id: str | None = None,
    dimension: int | None = None,
    state: GenerationState = "building",
) -> Generation:
    """Begin a generation; a live one is complete from the start (what comes is added to it)."""
    execute = tx.connection.execute
    tx.common.beside = None
    (last,) = execute("SELECT coalesce(max(revision_rowid), 0) FROM revisions").fetchone()
    (total,) = execute("SELECT coalesce(sum(count), 0) FROM tallies").fetchone()
    (version,) = execute("SELECT coalesce(max(sequence), 0) FROM ledger").fetchone()
    cursor = None
    if state == "building":
        cursor = last if kind == "vector" else 0
        if kind == "lexical":
            execute("DROP TABLE IF EXISTS lexical_next")
            for statement in LEXICAL_TABLE:
                execute(statement.format(name="lexical_next"))
            execute("DELETE FROM work WHERE kind = 'index'")
    row = execute(
        "INSERT INTO generations(kind, state, space_id, dimension, bank_version, epoch, last,"  # noqa: S608 # fixed names
        " cursor, done, total, begun_at, live_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        f" RETURNING {_COLUMNS}",
        (
            kind,
            state,
            space_id,
            dimension,
            version,
            epoch,
            last,
            cursor,
            0 if state == "building" else total,
            total,
            tx.now,
            tx.now if state == "live" else None,
        ),
    ).fetchone()
    return Generation(*row)


def settle_vectors(tx: Transaction, space_id: str, dimension: int, epoch: str) -> Vectors:
    """Let the bank have a generation of a model's space, and drop what was begun for another.

    The vectors of the space before stay, whole, until those of the new one are complete.
    """
    live = find(tx.connection, "vector", "live")
    building = find(tx.connection, "vector", "building")
    if building is not None and building.space_id != space_id:
        retire(tx, building)
        building = None
    if live is None and building is None:
        # The work list holds every revision from its first moment on.
        live = begin(
            tx, "vector", epoch=epoch, space_id=space_id, dimension=dimension, state="live"
        )
    elif live is None or live.space_id != space_id:
        if building is None:
            building = begin(tx, "vector", epoch=epoch, space_id=space_id, dimension=dimension)
        if live is not None:
            # It misses from now on what comes: should its model come back, all is looked through.
            tx.connection.execute(
                "UPDATE generations SET cursor = ? WHERE generation = ?", (_ALL, live.number)
            )
        return Vectors(building, building)
    elif live.cursor == _ALL:
        live = _look_through(tx, live)
    return Vectors(live, building)


def vectors(connection: Connection, space_id: str) -> Vectors | None:
    """The generations that matter to a model of a space; None before `settle_vectors`."""
    live = find(connection, "vector", "live")
    building = find(connection, "vector", "building")
    if building is not None and building.space_id != space_id:
        building = None
    if live is not None and live.space_id == space_id:
        return Vectors(live, building)
    return None if building is None else Vectors(building, building)


def _look_through(tx: Transaction, live: Generation) -> Generation:
    """Begin to look for what a live generation missed while it was not in service."""
    (last,) = tx.connection.execute("SELECT max(revision_rowid) FROM revisions").fetchone()
    tx.connection.execute(
        "UPDATE generations SET cursor = ?, last = ?, done = 0,"
        " total = (SELECT coalesce(sum(count), 0) FROM tallies) WHERE generation = ?",
        (last or None, last or 0, live.number),
    )
    found = find(tx.connection, "vector", "live")
    return live if found is None else found


def advance(
    tx: Transaction, generation: int, *, before: int, cursor: int | None, done: int
) -> bool:
    """Move a build on by one step. False: it is not where the step began, so nothing may count."""
    execute = tx.connection.execute
    if cursor is None:
        moved = execute(
            "UPDATE generations SET cursor = NULL, done = total"
            " WHERE generation = ? AND cursor = ?",
            (generation, before),
        )
    else:
        moved = execute(
            "UPDATE generations SET cursor = ?, done = min(total, done + ?)"
            " WHERE generation = ? AND cursor = ?",
            (cursor, done, generation, before),
        )
    return bool(moved.rowcount)


def publish(tx: Transaction, built: Generation) -> bool:
    """Put a complete generation in the place of the live one, if it still is what it was.

    Compare and swap, in the caller's transaction: from its COMMIT on everybody sees the new one.
    """
    execute = tx.connection.execute
    now = find(tx.connection, built.kind, "building")
    if now is None or now.number != built.number or now.cursor is not None:
        return False
    tx.common.beside = None
    live = find(tx.connection, built.kind, "live")
    if live is not None:
        retire(tx, live)
    execute(
        "UPDATE generations SET state = 'live', live_at = ? WHERE generation = ?",
        (tx.now, built.number),
    )
    if built.kind == "lexical":
        execute("ALTER TABLE lexical RENAME TO lexical_old")
        execute("ALTER TABLE lexical_next RENAME TO lexical")
    return True


def retire(tx: Transaction, generation: Generation) -> None:
    """Take a generation out of use; `remove_retired` takes away what it holds."""
    tx.common.beside = None
    tx.connection.execute(
        "UPDATE generations SET state = 'retired', cursor = 0 WHERE generation = ?",
        (generation.number,),
    )


def remove_retired_vectors(tx: Transaction, generation: Generation) -> bool:
    """Remove some vectors of a retired generation; False when none is left, nor its row."""
    execute = tx.connection.execute
    (last,) = execute(
        "SELECT max(embedding_rowid) FROM (SELECT embedding_rowid FROM embeddings"
        " WHERE embedding_rowid > ? ORDER BY embedding_rowid LIMIT ?)",
        (generation.cursor or 0, _RETIRED_ROWS),
    ).fetchone()
    if last is None:
        execute("DELETE FROM generations WHERE generation = ?", (generation.number,))
        return False
    execute(
        "DELETE FROM embeddings WHERE embedding_rowid > ? AND embedding_rowid <= ?"
        " AND generation = ?",
        (generation.cursor or 0, last, generation.number),
    )
    execute("UPDATE generations SET cursor = ? WHERE generation = ?", (last, generation.number))
    return True


def remove_old_words(tx: Transaction) -> bool:
    """Remove some of the words that a rebuild has replaced; False when nothing is left of them.

    Page by page out of FTS5's own tables: to drop a full one takes a second at a million memories.
    """
    execute = tx.connection.execute
    there = execute("SELECT 1 FROM sqlite_schema WHERE name = 'lexical_old'").fetchone()
    if there is not None:
        for table, limit in (("docsize", 8 * _RETIRED_ROWS), ("data", _RETIRED_ROWS // 4)):
            removed = execute(
                f"DELETE FROM lexical_old_{table} WHERE id IN"  # noqa: S608 # fixed names
                f" (SELECT id FROM lexical_old_{table} ORDER BY id DESC LIMIT ?)",
                (limit,),
            ).rowcount
            if removed:
                return True
        execute("DROP TABLE lexical_old")
    execute("DELETE FROM generations WHERE kind = 'lexical' AND state = 'retired'")
    return False


def has_words(connection: Connection, revision_rowid: int) -> bool:
    """Whether the lexical generation that is built has a revision by now."""
    found = connection.execute(
        "SELECT 1 FROM lexical_next_docsize WHERE id = ?", (revision_rowid,)
    ).fetchone()
    return found is not None


def add_words(tx: Transaction, built: Generation, words: Iterable[tuple[int, str]]) -> None:
    """Put folded texts into the lexical generation that is built, but for those of the past.

    What became current again meanwhile is there already: twice, a removal would leave one of them.
    """
    execute = tx.connection.execute
    for revision_rowid, body in words:
        current = execute(
            "SELECT 1 FROM revisions WHERE revision_rowid = ? AND lifecycle = 'current'",
            (revision_rowid,),
        ).fetchone()
        if current is None or revision_rowid > built.last:
            continue
        if not has_words(tx.connection, revision_rowid):
            execute("INSERT INTO lexical_next(rowid, body) VALUES (?, ?)", (revision_rowid, body))
