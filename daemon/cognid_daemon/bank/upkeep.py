"""Upkeep of an open bank: small steps of housework that no acknowledgement should wait for.

Owns: when a step is due and what it does. FTS5 merges by itself only at `crisismerge`, so its
segments are merged here, 16 pages a step, a step every 16 commits; left to automerge, single
commits took up to 56 ms (measured). An idle bank is merged to the end: a forget looks for each of
its terms in every segment, 30 ms with the 186 segments of 100,000 memories that were written in one
go, 2 ms with the 3 that are left of them after 0.8 s of steps (measured).

Receipts are dropped once they are older than 30 days and not among the last 10,000; what was
dropped last raises the purge horizon.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from cognid.protocol import bounds
from cognid.protocol.ids import operation_milliseconds

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_MERGE_EVERY: Final = 16
_MERGE_PAGES: Final = 16
# A bank that is never idle merges inside its groups: far from the 500 segments of `crisismerge`.
_MERGE_WAITS: Final = 64
# FTS5's documentation: with less than two changed rows the merge found nothing to do.
_MERGED_CHANGES: Final = 2
_PRUNE_EVERY: Final = 4096
_PRUNE_ROWS: Final = 500
_DAY_MILLISECONDS: Final = 86_400_000


class Upkeep:
    """What one writer owes its bank. Lives on the writer's thread."""

    def __init__(self) -> None:
        # Look once after opening.
        self._unmerged = _MERGE_EVERY
        self._unpruned = _PRUNE_EVERY

    def committed(self) -> None:
        """Count a commit."""
        self._unmerged += 1
        self._unpruned += 1

    @property
    def due(self) -> bool:
        """Whether a step is owed when the bank is idle."""
        return self._unmerged >= _MERGE_EVERY or self._unpruned >= _PRUNE_EVERY

    @property
    def pressing(self) -> bool:
        """Whether a merge is owed even though the bank is busy."""
        return self._unmerged >= _MERGE_WAITS

    def postpone(self) -> None:
        """Let a step that failed come again with the next ones, not at once."""
        self._unmerged = 0
        self._unpruned = 0

    def step(self, connection: Connection) -> None:
        """Do one step in a transaction of its own."""
        connection.execute("BEGIN IMMEDIATE")
        if self._unmerged >= _MERGE_EVERY:
            if self.merge(connection):
                self._unmerged += _MERGE_EVERY  # there is more, and nobody waits
        else:
            more = prune_receipts(connection, time.time_ns() // 1_000_000)
            self._unpruned = _PRUNE_EVERY if more else 0
        connection.execute("COMMIT")

    def merge(self, connection: Connection) -> bool:
        """Merge some pages of the lexical index inside the open transaction.

        Returns:
            Whether there was anything to merge.
        """
        before = connection.total_changes
        connection.execute(
            "INSERT INTO lexical(lexical, rank) VALUES ('merge', ?)", (_MERGE_PAGES,)
        )
        self._unmerged -= _MERGE_EVERY
        changed: int = connection.total_changes - before
        return changed >= _MERGED_CHANGES


def prune_receipts(connection: Connection, now: int, kept: int = bounds.RECEIPTS_KEPT) -> bool:
    """Drop some receipts that are past keeping, inside the open transaction.

    Args:
        now: Unix milliseconds.
        kept: so many of the latest operations keep theirs, however old.

    Returns:
        Whether there may be more to drop.
    """
    newest = connection.execute(
        "SELECT operation_id FROM receipts ORDER BY operation_id DESC LIMIT 1 OFFSET ?", (kept,)
    ).fetchone()
    if newest is None:
        return False
    oldest_kept = now - bounds.RECEIPT_DAYS * _DAY_MILLISECONDS
    # Operation ids are UUIDv7: their order is that of their time.
    stamp = f"{oldest_kept:012x}"
    rows = connection.execute(
        "SELECT operation_id FROM receipts WHERE operation_id <= ? AND operation_id < ? AND at < ?"
        " ORDER BY operation_id LIMIT ?",
        (newest[0], f"{stamp[:8]}-{stamp[8:]}", oldest_kept * 1000, _PRUNE_ROWS),
    ).fetchall()
    if not rows:
        return False
    connection.executemany("DELETE FROM receipts WHERE operation_id = ?", rows)
    connection.executemany("DELETE FROM receipt_memories WHERE operation_id = ?", rows)
    connection.execute(
        "INSERT INTO meta(key, value) VALUES ('purge_horizon', ?)"
        " ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)",
        (operation_milliseconds(rows[-1][0]),),
    )
    return len(rows) == _PRUNE_ROWS
