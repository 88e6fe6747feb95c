"""Loading: from the vectors that a bank has stored to an index in memory.

Owns: how they are read, out of a snapshot or a chunk at a time on both readers, and what becomes of
a vector whose memory is removed on the way. May not search.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.recall.handover import handed_over
from cognid_daemon.recall.keeper import Service

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.snapshot import Snapshot
    from cognid_daemon.recall.vectors import VectorIndex

_CHUNK: Final = 2048
"""Stored vectors read at a time; about 10 ms of a reader."""

_PORTION: Final = 1000
"""Revisions that are looked up at a time."""


class Loading:
    """One filling of an index with the vectors of one generation."""

    def __init__(self, bank: Bank, service: Service) -> None:
        self._bank = bank
        self._service = service
        self._index = service.index
        self._generation = service.generation
        self._removed: set[int] = set()
        self.percent = 0.0
        """Of the stored vectors, that are in the index."""

    def remove(self, revision_rowids: Iterable[int]) -> None:
        """Leave out what was removed while its chunk was on the way."""
        self._removed.update(revision_rowids)

    def settle(self) -> None:
        """Take out what came into the index after its removal. On the loop, in one step with the
        end of the loading."""
        for revision_rowid in self._removed:
            self._index.remove(revision_rowid)

    async def run(self) -> bool:
        """Load all of them, from a snapshot where there is one of use.

        Returns:
            Whether a snapshot was.
        """
        if not await self._take_snapshot():
            await self._take_rows()
            return False
        await self._catch_up()
        return True

    async def _take_snapshot(self) -> bool:
        """Bring in what a snapshot holds; False where nothing of it came in."""
        from cognid_daemon.recall.snapshot import Snapshot, SnapshotError

        bank = self._bank
        try:
            snapshot = await handed_over(
                partial(Snapshot, bank.snapshot, bank.vectors_key), Snapshot.close
            )
        except SnapshotError:
            return False
        try:
            return await self._take_chunks(snapshot)
        except SnapshotError:
            # What came before is whole; `_catch_up` brings the rest.
            return len(self._index) > 0
        finally:
            snapshot.close()

    async def _take_chunks(self, snapshot: Snapshot) -> bool:
        bank, service, facts = self._bank, self._service, snapshot.facts
        mine = (bank.bank_id, service.generation, service.space_id, self._index.dimension)
        if (facts.bank_id, facts.generation, facts.space_id, facts.dimension) != mine:
            return False
        head = await bank.read(lambda connection: ledger.hash_at(connection, facts.sequence))
        if head is None or head.hex() != facts.head:
            return False  # an older file of the bank was put back since

        def take() -> bool:
            windows = snapshot.next()
            if windows is None:
                return False
            self._index.add(windows)
            self._index.settle()
            return True

        while await asyncio.to_thread(take):
            self.percent = 99.0 * len(self._index) / max(1, facts.count)
        return True

    async def _catch_up(self) -> None:
        """Make what a snapshot held to what the bank holds, revision by revision."""
        stored = await self._bank.read(partial(_stored, generation=self._generation))
        gone, missing = await asyncio.to_thread(_differences, self._index, stored)
        for revision_rowid in gone:
            self._index.remove(revision_rowid)
        for first in range(0, len(missing), _PORTION):
            portion = missing[first : first + _PORTION]
            await self._bank.read(
                partial(
                    _load_revisions,
                    index=self._index,
                    generation=self._generation,
                    revision_rowids=portion,
                )
            )

    async def _take_rows(self) -> None:
        """Read all rows; half of a chunk's time is spent without the interpreter's lock."""
        last = await self._bank.read(_last_embedding)
        past = await self._bank.read(_past)
        chunks = iter(range(0, last, _CHUNK))

        async def load() -> None:
            for after in chunks:
                self.percent = 100.0 * after / last
                await self._bank.read(
                    partial(
                        load_chunk,
                        index=self._index,
                        generation=self._generation,
                        past=past,
                        after=after,
                        last=min(last, after + _CHUNK),
                    )
                )

        await side_by_side(load(), load())


async def side_by_side(*works: Coroutine[Any, Any, object]) -> list[object]:
    """Do several things at once; where one fails, the others end and its error is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _last_embedding(connection: Connection) -> int:
    (last,) = connection.execute("SELECT max(embedding_rowid) FROM embeddings").fetchone()
    return last or 0


def _past(connection: Connection) -> frozenset[int]:
    """The revisions that are no longer current. A join for each vector would take twice the time of
    reading all vectors (measured at 100,000)."""
    rows = connection.execute(
        "SELECT revision_rowid FROM revisions WHERE lifecycle <> 'current'"
    ).fetchall()
    return frozenset(rowid for (rowid,) in rows)


def _stored(connection: Connection, *, generation: int) -> str:
    """The current revisions that have vectors in a generation, once for each vector.

    Out of an index that holds all of it, and as one string: 20 ms at 100,000.
    """
    (listed,) = connection.execute(
        "SELECT group_concat(revision_rowid) FROM embeddings WHERE generation = ?", (generation,)
    ).fetchone()
    return listed or ""


def _differences(index: VectorIndex, stored: str) -> tuple[list[int], list[int]]:
    """The revisions that an index has to lose, and those that it then has to get."""
    import numpy as np

    from cognid_daemon.recall.kept_rows import numbers

    there = numbers(stored)
    wanted, wanted_counts = np.unique(there, return_counts=True)
    held, held_counts = np.unique(index.owners(), return_counts=True)
    places = np.minimum(np.searchsorted(wanted, held), max(0, len(wanted) - 1))
    agrees = np.zeros(len(held), np.bool_)
    if len(wanted):
        agrees = (wanted[places] == held) & (wanted_counts[places] == held_counts)
    gone: list[int] = held[~agrees].tolist()
    missing: list[int] = np.setdiff1d(wanted, held[agrees], assume_unique=True).tolist()
    return gone, missing


def _load_revisions(
    connection: Connection, *, index: VectorIndex, generation: int, revision_rowids: list[int]
) -> None:
    """Bring the stored vectors of some revisions into the index, if they are still current."""
    rows = connection.execute(
        "SELECT e.revision_rowid, e.span_start, e.span_end, e.vector FROM json_each(?) AS f"
        " CROSS JOIN revisions AS r ON r.revision_rowid = f.value AND r.lifecycle = 'current'"
        " CROSS JOIN embeddings AS e ON e.revision_rowid = f.value AND e.generation = ?"
        " WHERE length(e.vector) = ?",
        (json.dumps(revision_rowids), generation, 2 * index.dimension),
    ).fetchall()
    _add(index, rows)


def _add(index: VectorIndex, rows: list[tuple[int, int, int, bytes]]) -> None:
    from cognid_daemon.recall.matrix import pack

    windows = pack(
        [row[0] for row in rows],
        [(row[1], row[2]) for row in rows],
        b"".join(row[3] for row in rows),
        index.dimension,
    )
    index.add(windows)
    index.settle()


def load_chunk(
    connection: Connection,
    *,
    index: VectorIndex,
    generation: int,
    past: frozenset[int],
    after: int,
    last: int,
) -> None:
    """Bring the stored vectors after one and up to another into the index, but for those of `past`
    revisions."""
    dimension = index.dimension
    rows = connection.execute(
        "SELECT revision_rowid, span_start, span_end, vector FROM embeddings"
        " WHERE embedding_rowid > ? AND embedding_rowid <= ?"
        " AND generation = ? AND length(vector) = ?"
        " ORDER BY embedding_rowid",
        (after, last, generation, 2 * dimension),
    ).fetchall()
    if past:
        rows = [row for row in rows if row[0] not in past]
    _add(index, rows)
