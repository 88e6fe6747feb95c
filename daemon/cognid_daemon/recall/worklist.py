"""What waits for vectors: the bank's work list, and the builds that go through all revisions.

Owns: the reads and writes of both, each the share of one transaction. Runs on the bank's threads;
may not know the model's. The work list holds what came last; a build holds how far it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import generations
from cognid_daemon.bank.generations import Generation
from cognid_daemon.bank.rows import NewEmbedding
from cognid_daemon.bank.transaction import Transaction

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

ATTEMPTS: Final = 3
"""Times a revision's embedding may fail before it is passed over."""

DAMAGED: Final = "text_damaged"
"""The code of a text whose bytes are no UTF-8."""

_GROUP: Final = 32
_GROUP_BYTES: Final = 1_000_000
_STRETCH: Final = 2_000
"""Revisions that one step of a build looks at: a few milliseconds of a reader."""

_COLUMNS: Final = (
    # As a blob: one text with a bad byte must not make the whole group unreadable.
    "r.revision_rowid, m.kind <> 'remark' AND m.event_rowid IS NULL, m.speaker,"
    " CAST(t.text AS BLOB)"
)
_TEXTS: Final = (
    " CROSS JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
    " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
)


@dataclass(frozen=True, slots=True)
class Item:
    """A revision that waits. `text` is None where the bank's bytes are no valid UTF-8.

    `work_rowid` is its line on the work list; None where a build came upon it.
    """

    work_rowid: int | None
    revision_rowid: int
    attempts: int
    is_statement: bool
    speaker: str | None = field(repr=False)
    text: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """What a build comes upon from `before` on; `after` is its cursor once that is done."""

    generation: int
    before: int
    after: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """An item with its vectors; without, `code` says why there are none."""

    item: Item
    embeddings: tuple[NewEmbedding, ...] | None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A current revision that an index is without, and why."""

    memory_id: str
    revision: int
    pipeline: str
    code: str


def next_items(connection: Connection) -> list[Item]:
    """The newest items of the work list, a group of them or fewer where texts are long."""
    cursor = connection.execute(
        f"SELECT w.work_rowid, w.attempts, {_COLUMNS} FROM work AS w"  # noqa: S608 # fixed names
        " CROSS JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        f" AND r.lifecycle = 'current'{_TEXTS}"
        " WHERE w.kind = 'embed' AND w.attempts < ? ORDER BY w.work_rowid DESC LIMIT ?",
        (ATTEMPTS, _GROUP),
    )
    items: list[Item] = []
    size = 0
    for work_rowid, attempts, revision_rowid, is_statement, speaker, raw in cursor:
        items.append(
            Item(work_rowid, revision_rowid, attempts, bool(is_statement), speaker, _decoded(raw))
        )
        size += len(raw)
        if size > _GROUP_BYTES:
            break
    cursor.close()
    return items


def next_step(connection: Connection, built: Generation) -> Step:
    """The next of a build's revisions that are neither in it nor on the work list."""
    before = built.cursor or 0
    cursor = connection.execute(
        f"SELECT {_COLUMNS} FROM revisions AS r{_TEXTS}"  # noqa: S608 # fixed names
        " WHERE r.revision_rowid <= ? AND r.revision_rowid > ? AND r.lifecycle = 'current'"
        " AND NOT EXISTS (SELECT 1 FROM embeddings AS e"
        " WHERE e.revision_rowid = r.revision_rowid AND e.generation = ?)"
        " AND NOT EXISTS (SELECT 1 FROM work AS w"
        " WHERE w.revision_rowid = r.revision_rowid AND w.kind = 'embed')"
        " ORDER BY r.revision_rowid DESC LIMIT ?",
        (before, before - _STRETCH, built.number, _GROUP),
    )
    items: list[Item] = []
    size = 0
    more = False
    for revision_rowid, is_statement, speaker, raw in cursor:
        items.append(Item(None, revision_rowid, 0, bool(is_statement), speaker, _decoded(raw)))
        size += len(raw)
        more = len(items) == _GROUP or size > _GROUP_BYTES
        if more:
            break
    cursor.close()
    after = items[-1].revision_rowid - 1 if more else before - _STRETCH
    return Step(built.number, before, after, tuple(items))


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def store(
    tx: Transaction, *, results: list[Result], targets: tuple[int, ...], step: Step | None
) -> set[tuple[int, int]] | None:
    """Store vectors, strike their items off the list, and move the build on that they are of.

    Returns:
        The new pairs of a generation and a revision; None where the build has gone on without it.
    """
    if step is not None:
        (passed,) = tx.connection.execute(
            "SELECT count(*) FROM revisions WHERE revision_rowid <= ? AND revision_rowid > ?"
            " AND lifecycle = 'current'",
            (step.before, step.after),
        ).fetchone()
        cursor = step.after if step.after > 0 else None
        if not generations.advance(
            tx, step.generation, before=step.before, cursor=cursor, done=passed
        ):
            return None
    stored: set[tuple[int, int]] = set()
    for result in results:
        item = result.item
        if result.embeddings is None:
            _failed(tx, item, result.code)
            continue
        for target in targets:
            if not _holds(tx, item.revision_rowid, target) and tx.add_embeddings(
                item.revision_rowid, target, result.embeddings
            ):
                stored.add((target, item.revision_rowid))
        if item.work_rowid is not None:
            tx.finish_work(item.work_rowid)
    return stored


def _holds(tx: Transaction, revision_rowid: int, generation: int) -> bool:
    found = tx.connection.execute(
        "SELECT 1 FROM embeddings WHERE revision_rowid = ? AND generation = ?",
        (revision_rowid, generation),
    ).fetchone()
    return found is not None


def _failed(tx: Transaction, item: Item, code: str) -> None:
    """Count a failed attempt; what a build came upon is listed for the next ones."""
    if item.work_rowid is not None:
        tx.retry_work(item.work_rowid, code)
        return
    tx.connection.execute(
        "INSERT INTO work(kind, revision_rowid, attempts, code)"
        " SELECT 'embed', revision_rowid, 1, ? FROM revisions"
        " WHERE revision_rowid = ? AND lifecycle = 'current'",
        (code, item.revision_rowid),
    )


def publish(tx: Transaction, *, built: Generation) -> bool:
    """Put a build in its place, once nothing waits that it should hold."""
    waiting = tx.connection.execute(
        "SELECT 1 FROM work WHERE kind = 'embed' AND attempts < ? LIMIT 1", (ATTEMPTS,)
    ).fetchone()
    return waiting is None and generations.publish(tx, built)


def count_work(connection: Connection) -> tuple[int, int]:
    """Revisions that wait on the list, and those that were given up."""
    waiting, skipped = connection.execute(
        "SELECT count(*) FILTER (WHERE w.attempts < ?), count(*) FILTER (WHERE w.attempts >= ?)"
        " FROM work AS w JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        " AND r.lifecycle = 'current' WHERE w.kind = 'embed'",
        (ATTEMPTS, ATTEMPTS),
    ).fetchone()
    return waiting, skipped


def count_current(connection: Connection) -> int:
    """Current revisions."""
    (current,) = connection.execute("SELECT coalesce(sum(count), 0) FROM tallies").fetchone()
    return int(current)


def forgive(tx: Transaction) -> None:
    """Give what was given up its attempts anew."""
    tx.connection.execute(
        "UPDATE work SET attempts = 0 WHERE kind = 'embed' AND attempts >= ?", (ATTEMPTS,)
    )


def skipped(connection: Connection, limit: int) -> list[Skipped]:
    """The revisions that an index is without, the latest first."""
    rows = connection.execute(
        "SELECT m.memory_id, r.revision, w.kind, w.code FROM work AS w"
        " CROSS JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        " AND r.lifecycle = 'current'"
        " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
        " WHERE w.attempts >= ? ORDER BY w.work_rowid DESC LIMIT ?",
        (ATTEMPTS, limit),
    ).fetchall()
    return [
        Skipped(memory_id, revision, "vector" if kind == "embed" else "lexical", code or "failed")
        for memory_id, revision, kind, code in rows
    ]
