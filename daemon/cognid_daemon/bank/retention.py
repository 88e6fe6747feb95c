"""Retention: what is past its term is marked expired, and what was marked for long enough goes.

How a memory ends, each step the bank's own write with an entry in the ledger:

1. Its term ends (`keeping`). From that instant on no recall finds it; nothing has to be written.
2. The mark: it leaves index, vectors and tally, and can be seen and revived by pinning.
3. `REVIVABLE` after the mark, by the mark's own stamp, it is forgotten for good: it alone and none
   of its group, with a barrier, so that no replay and no older file brings it back.

A clock that is wrong for a while costs nothing. What was marked and is within its term after all
(the clock was set back, or the term was made longer) becomes what it was. And the last step needs
two looks, `WATCHED` apart, that both find the mark old enough: one look into a wrong future erases
nothing, and erasures come in batches, with one VACUUM each.

A remark that a correction superseded expires like any other, but cannot be revived: what it says is
no longer so.

The messages of sessions end by `sessions`, in the same sweep.

Owns: these steps, and when the next one is due. May not wait or schedule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.values import Lifecycle
from cognid_daemon.bank import sessions
from cognid_daemon.bank.keeping import DAY, PAST_TERM, WITHIN_TERM, Keeping
from cognid_daemon.bank.rows import Barrier, LedgerEntry, Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

REVIVABLE: Final = 30 * DAY
WATCHED: Final = DAY
AUTHORITY: Final = "retention"
"""Who changed it, in the ledger."""
STEP: Final = 2
"""Memories of one step. A caller's write may have to wait for one: about 20 ms at 40,000 memories,
nearly all of it FTS5's secure delete (measured)."""
ERASED: Final = 64
"""Memories that one step erases; they are in no index any more."""
_SEEN: Final = "erasable_seen"
"""In `meta`: since when marks are known to be old enough."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one step erased, and whether there is more to do at once."""

    barriers: tuple[Barrier, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Due:
    """When a memory will be past its term, and when there is something to sweep; None: never."""

    term: int | None
    sweep: int | None


def sweep(tx: Transaction) -> Swept:
    """Do one bounded step of everything that is due."""
    back = _some(tx, WITHIN_TERM)
    for memory in back:
        restore(tx, memory)
    _note(tx, "retention.restore", back, None)
    past = _some(tx, PAST_TERM)
    for memory in past:
        expire(tx, memory)
    _note(tx, "retention.expire", past, Lifecycle.EXPIRED)
    erased = _erasable(tx)
    barriers = tx.forget(erased, None)
    _note(tx, "retention.erase", erased, Lifecycle.FORGOTTEN, cause=Lifecycle.EXPIRED.value)
    messages = sessions.sweep(tx)
    more = STEP in (len(back), len(past)) or len(erased) == ERASED
    return Swept(barriers, more or messages)


def expire(tx: Transaction, memory: Memory) -> None:
    """Mark a memory expired: out of every index, its text kept until the mark is old enough."""
    tx.end(memory, Lifecycle.EXPIRED)
    _mark(tx, memory, tx.now)


def restore(tx: Transaction, memory: Memory) -> None:
    """Take the mark from a memory; it is current again, unless a correction superseded it."""
    _mark(tx, memory, None)
    if memory.written is Lifecycle.EXPIRED:
        tx.relist(memory)


def pin(tx: Transaction, memory: Memory, *, pinned: bool) -> None:
    """Let a memory never expire, or let its term hold again; pinning revives one that has expired.

    The memory must not be superseded. A term that holds again still counts from the commit.
    """
    tx.connection.execute(
        "UPDATE memories SET pinned = ? WHERE memory_rowid = ?", (pinned, memory.memory_rowid)
    )
    if pinned and memory.written is Lifecycle.EXPIRED:
        restore(tx, memory)


def renew(tx: Transaction, memory: Memory) -> None:
    """Let a memory's term begin anew, for what it says was said again. A clock that was set back
    makes none shorter."""
    tx.connection.execute(
        "UPDATE memories SET term_from = max(term_from, ?) WHERE memory_rowid = ?",
        (tx.now, memory.memory_rowid),
    )


def due(connection: Connection, keeping: Keeping) -> Due:
    """Tell when something is due next; the past where it is now."""
    execute = connection.execute
    ends = [
        execute(
            "SELECT min(term_from) + ? FROM memories INDEXED BY memories_by_term"
            " WHERE kind = ? AND pinned = 0 AND expired_at IS NULL",
            (term, kind.value),
        ).fetchone()[0]
        for kind, term in keeping.terms.items()
    ]
    term = min((end for end in ends if end is not None), default=None)
    steps = [term, sessions.due(connection, keeping)]
    if execute(f"{WITHIN_TERM} LIMIT 1").fetchone() is not None:
        steps.append(0)
    oldest: int | None = execute(
        "SELECT min(expired_at) FROM memories WHERE expired_at IS NOT NULL"
    ).fetchone()[0]
    if oldest is not None:
        seen = _seen(connection)
        if seen is None:
            steps.append(oldest + REVIVABLE)
        else:
            steps.append(0 if seen > keeping.clock() else seen + WATCHED)
    return Due(term, min((step for step in steps if step is not None), default=None))


def _erasable(tx: Transaction) -> list[Memory]:
    """Some of what may be erased now; notes when marks were first seen to be old enough."""
    execute = tx.connection.execute
    seen = _seen(tx.connection)
    if seen is not None and seen > tx.now:  # the clock was set back
        execute("DELETE FROM meta WHERE key = ?", (_SEEN,))
        seen = None
    if seen is None:
        execute(
            "INSERT INTO meta(key, value) SELECT ?, ? WHERE EXISTS"
            " (SELECT 1 FROM memories WHERE expired_at <= ?)",
            (_SEEN, tx.now, tx.now - REVIVABLE),
        )
        return []
    if seen > tx.now - WATCHED:
        return []
    rows = execute(
        "SELECT memory_id FROM memories WHERE expired_at <= ? ORDER BY expired_at LIMIT ?",
        (seen - REVIVABLE, ERASED),
    ).fetchall()
    if len(rows) < ERASED:
        execute("DELETE FROM meta WHERE key = ?", (_SEEN,))
    return _memories(tx, rows)


def _seen(connection: Connection) -> int | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_SEEN,)).fetchone()
    return None if row is None else int(row[0])


def _some(tx: Transaction, rowids: str) -> list[Memory]:
    rows = tx.connection.execute(
        f"SELECT memory_id FROM memories WHERE memory_rowid IN ({rowids} LIMIT ?)",  # noqa: S608 # fixed
        (STEP,),
    ).fetchall()
    return _memories(tx, rows)


def _memories(view: View, rows: Sequence[tuple[str]]) -> list[Memory]:
    found = [view.memory(memory_id) for (memory_id,) in rows]
    return [memory for memory in found if memory is not None]


def _mark(tx: Transaction, memory: Memory, expired_at: int | None) -> None:
    tx.connection.execute(
        "UPDATE memories SET expired_at = ? WHERE memory_rowid = ?",
        (expired_at, memory.memory_rowid),
    )


def _note(
    tx: Transaction,
    operation: str,
    memories: Iterable[Memory],
    lifecycle: Lifecycle | None,
    **more: Any,
) -> None:
    """Write into the ledger what became of which revisions; None: what a restored one is again."""
    named = [
        {
            "id": memory.memory_id,
            "revision": memory.revision,
            "lifecycle": (lifecycle or _restored(memory)).value,
        }
        for memory in memories
    ]
    if named:
        body = json.dumps({"memories": named, **more}, separators=(",", ":"))
        tx.note(LedgerEntry(operation, None, AUTHORITY, body))


def _restored(memory: Memory) -> Lifecycle:
    superseded = memory.written is Lifecycle.SUPERSEDED
    return Lifecycle.SUPERSEDED if superseded else Lifecycle.CURRENT
