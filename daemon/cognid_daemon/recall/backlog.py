"""From the bank's durable work list to its vectors, behind the commits.

Owns: the one task per open bank that embeds what waits, and the counts of what is done, waits and
was given up. May not rank or answer.

The list is the bank's: what a crash interrupts stands on it still. A revision is embedded window by
window on the host's background thread; the vectors of several revisions are committed together,
each behind a fence (a revision that is no longer current gets nothing). A revision that fails
`ATTEMPTS` times is counted and passed over; it never stops the others, and is tried again when the
bank is next opened, or in an hour, for the fault may have been the machine's. Nothing polls: the
task sleeps until a commit or the model wakes it. The newest comes first, so that what was just said
does not wait behind a whole bank that is embedded anew.

A model of another space finds the bank's work done for a space that is not its own: then every
current revision without vectors of the new space is listed again, in chunks; `meta` says for which
space the list is complete, so that an interrupted listing is taken up again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, ClosedError
from cognid_daemon.bank.rows import Committed, NewEmbedding
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall.models import EmbedderHost
from cognid_models import Embedder, Window
from cognid_models.errors import ModelError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.vectors import VectorIndex, Windows

T = TypeVar("T")

ATTEMPTS: Final = 3
"""Times a revision's embedding may fail before it is passed over."""

_GROUP: Final = 32
_GROUP_SECONDS: Final = 1.0
_GROUP_BYTES: Final = 1_000_000
_LISTED: Final = 2_000
_PAUSE_SECONDS: Final = 5.0
"""Before a bank that refused a write (a full disk) is tried again."""

_PATIENCE_SECONDS: Final = 3_600.0
_SPACE_KEY: Final = "embedding_space"


@dataclass(frozen=True, slots=True)
class Tally:
    """Current revisions, those that wait for vectors, and those that were given up."""

    current: int
    waiting: int
    skipped: int


@dataclass(frozen=True, slots=True)
class _Item:
    """One line of the work list; `text` is None where the bank's bytes are no valid UTF-8."""

    work_rowid: int
    revision_rowid: int
    attempts: int
    speaker: str | None = field(repr=False)
    text: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Vectors:
    """A revision's vectors, for the bank and for the index."""

    embeddings: tuple[NewEmbedding, ...]
    windows: Windows


@dataclass(frozen=True, slots=True)
class _Done:
    """An item with its vectors; None where embedding failed."""

    item: _Item
    vectors: _Vectors | None


class Backlog:
    """Embeds one bank's work list. `run` is the task; its owner cancels and awaits it."""

    def __init__(self, bank: Bank, host: EmbedderHost) -> None:
        self._bank = bank
        self._host = host
        self._wake = asyncio.Event()
        self._in_flight: set[int] = set()
        self._tally = Tally(0, 0, 0)
        self._added = 0
        self._is_listed = False
        bank.subscribe(self._on_commit)

    @property
    def tally(self) -> Tally:
        """The counts as of the last commit."""
        return self._tally

    @property
    def is_listed(self) -> bool:
        """Whether everything without vectors of the model's space is among what waits."""
        return self._is_listed

    async def count(self) -> None:
        """Count what there is, once, at the opening of the bank."""
        self._tally = await self._bank.read(_count)

    async def run(self, index: VectorIndex, embedder: Embedder) -> None:
        """Embed whatever waits and whatever comes, until cancelled or the bank closes."""
        while True:
            try:
                space = await self._ensure_space(embedder)
                while True:
                    self._wake.clear()
                    if not await self._drain(index, space):
                        # What was removed is overwritten now, not at the next search.
                        await self._host.background(lambda _: index.settle())
                        await self._recount()
                        await self._sleep()
            except ClosedError:
                return
            except BankError:
                # A full disk or a damaged page: the list stands, and the bank says so itself.
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _sleep(self) -> None:
        """Sleep until a commit; where something was given up, try that again in an hour."""
        patience = _PATIENCE_SECONDS if self._tally.skipped else None
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._wake.wait()
                return
        await self._write(_forgive)

    def _on_commit(self, committed: Committed) -> None:
        added, removed = len(committed.added), len(committed.removed)
        self._added += added
        self._in_flight.difference_update(committed.removed)
        tally = self._tally
        self._tally = Tally(tally.current + added - removed, tally.waiting + added, tally.skipped)
        if added or removed:
            self._wake.set()

    async def _recount(self) -> None:
        """Count the work list: a revision that was removed while it waited is off it."""
        before = self._added
        waiting, skipped = await self._bank.read(_count_work)
        # The snapshot may not have what came meanwhile; one too many is mended by the next count,
        # one too few would have a status say that nothing waits.
        waiting += self._added - before
        self._tally = replace(self._tally, waiting=waiting, skipped=skipped)

    async def _ensure_space(self, embedder: Embedder) -> int:
        """The number of the model's space, once every current revision is embedded or listed."""
        space_id = embedder.space_id
        if self._tally.skipped:
            await self._write(_forgive)
        space = await self._write(lambda tx: tx.ensure_space(space_id, embedder.dimension))
        if await self._bank.read(_listed_space) != space_id:
            after: int | None = 0
            while after is not None:
                listing: Callable[[Transaction], int | None]
                listing = partial(_list_missing, space=space, after=after)
                after = await self._write(listing)
            await self._write(partial(_mark_listed, space_id=space_id))
        await self._recount()
        self._is_listed = True
        return space

    async def _drain(self, index: VectorIndex, space: int) -> bool:
        """Embed and store one group; False when nothing waits."""
        items = await self._bank.read(_next_items)
        if not items:
            return False
        self._in_flight = {item.revision_rowid for item in items}
        group: list[_Done] = []
        begun = time.monotonic()
        for item in items:
            if item.revision_rowid in self._in_flight:
                group.append(_Done(item, await self._embed(item)))
            if time.monotonic() - begun > _GROUP_SECONDS:
                await self._store(group, index, space)
                group, begun = [], time.monotonic()
        await self._store(group, index, space)
        return True

    async def _embed(self, item: _Item) -> _Vectors | None:
        """A revision's vectors; None if its text or the model is at fault."""
        if item.text is None:
            return None
        passage = _Passage(item.text, item.speaker)
        try:
            while await self._host.background(passage.embed_next):
                if item.revision_rowid not in self._in_flight:
                    break  # forgotten meanwhile: the fence will drop it
            return await self._host.background(partial(passage.vectors, item.revision_rowid))
        except ModelError:
            return None

    async def _store(self, group: list[_Done], index: VectorIndex, space: int) -> None:
        """Commit a group's vectors, then show them to the index."""
        if not group:
            return
        stored = await self._write(partial(_store, group=group, space=space))
        # No await from here to the last `add`: what is in flight now was removed by no commit, and
        # a removal that comes later queues behind it.
        failed = given_up = 0
        for done in group:
            revision_rowid = done.item.revision_rowid
            if done.vectors is None:
                failed += 1
                given_up += done.item.attempts + 1 >= ATTEMPTS
            elif revision_rowid in stored and revision_rowid in self._in_flight:
                index.add(done.vectors.windows)
            self._in_flight.discard(revision_rowid)
        tally = self._tally
        self._tally = Tally(
            tally.current,
            max(0, tally.waiting - (len(group) - failed) - given_up),
            tally.skipped + given_up,
        )
        await self._host.background(lambda _: index.settle())

    async def _write(self, apply: Callable[[Transaction], T]) -> T:
        return await self._bank.submit(apply, background=True).outcome()


class _Passage:
    """One text on its way through the model, a window at a time, on the background thread.

    A turn is embedded as "speaker: text": questions name people, and without the name LoCoMo's
    any@10 falls from .750 to .318. Spans are those of the text alone.
    """

    def __init__(self, text: str, speaker: str | None) -> None:
        self._text = f"{speaker}: {text}" if speaker else text
        self._shift = len(self._text) - len(text)
        self._windows: Iterator[Window] | None = None
        self._found: list[NewEmbedding] = []

    def embed_next(self, embedder: Embedder) -> bool:
        """Embed the next window; False when there is none left. Raises ModelError."""
        if self._windows is None:
            self._windows = embedder.windows(self._text)
        window = next(self._windows, None)
        if window is None:
            return False
        span = (max(0, window.start - self._shift), max(0, window.end - self._shift))
        vector = embedder.embed_window(window).astype("<f2").tobytes()
        self._found.append(NewEmbedding(len(self._found), span, vector))
        return True

    def vectors(self, revision_rowid: int, embedder: Embedder) -> _Vectors:
        """What was embedded, in both forms."""
        from cognid_daemon.recall.vectors import pack

        windows = pack(
            [revision_rowid] * len(self._found),
            [one.span for one in self._found],
            b"".join(one.vector for one in self._found),
            embedder.dimension,
        )
        return _Vectors(tuple(self._found), windows)


def _count(connection: Connection) -> Tally:
    (current,) = connection.execute(
        "SELECT count(*) FROM revisions WHERE lifecycle = 'current'"
    ).fetchone()
    return Tally(current, *_count_work(connection))


def _count_work(connection: Connection) -> tuple[int, int]:
    """Items that wait, and items that were given up."""
    waiting, skipped = connection.execute(
        "SELECT count(*) FILTER (WHERE w.attempts < ?), count(*) FILTER (WHERE w.attempts >= ?)"
        " FROM work AS w JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        " AND r.lifecycle = 'current'",
        (ATTEMPTS, ATTEMPTS),
    ).fetchone()
    return waiting, skipped


def _listed_space(connection: Connection) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_SPACE_KEY,)).fetchone()
    return None if row is None else str(row[0])


def _mark_listed(tx: Transaction, *, space_id: str) -> None:
    tx.connection.execute(
        "INSERT INTO meta(key, value) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (_SPACE_KEY, space_id),
    )


def _forgive(tx: Transaction) -> None:
    """Give what was given up its attempts anew."""
    tx.connection.execute("UPDATE work SET attempts = 0 WHERE attempts >= ?", (ATTEMPTS,))


def _list_missing(tx: Transaction, *, space: int, after: int) -> int | None:
    """List a chunk's current revisions that have no vectors of a space; where to go on, if so."""
    (last,) = tx.connection.execute(
        "SELECT max(revision_rowid) FROM (SELECT revision_rowid FROM revisions"
        " WHERE revision_rowid > ? ORDER BY revision_rowid LIMIT ?)",
        (after, _LISTED),
    ).fetchone()
    if last is None:
        return None
    tx.connection.execute(
        "INSERT INTO work(kind, revision_rowid)"
        " SELECT 'embed', r.revision_rowid FROM revisions AS r"
        " WHERE r.revision_rowid > ? AND r.revision_rowid <= ? AND r.lifecycle = 'current'"
        " AND NOT EXISTS (SELECT 1 FROM work AS w WHERE w.revision_rowid = r.revision_rowid)"
        " AND NOT EXISTS (SELECT 1 FROM embeddings AS e"
        " WHERE e.revision_rowid = r.revision_rowid AND e.space = ?)",
        (after, last, space),
    )
    return int(last)


def _next_items(connection: Connection) -> list[_Item]:
    """The newest items that wait, a group of them or fewer where texts are long."""
    # As a blob: one text with a bad byte must not make the whole group unreadable.
    cursor = connection.execute(
        "SELECT w.work_rowid, w.revision_rowid, w.attempts, m.speaker, CAST(t.text AS BLOB)"
        " FROM work AS w"
        " CROSS JOIN revisions AS r ON r.revision_rowid = w.revision_rowid"
        " AND r.lifecycle = 'current'"
        " CROSS JOIN texts AS t ON t.revision_rowid = w.revision_rowid"
        " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
        " WHERE w.attempts < ? ORDER BY w.work_rowid DESC LIMIT ?",
        (ATTEMPTS, _GROUP),
    )
    items: list[_Item] = []
    size = 0
    for work_rowid, revision_rowid, attempts, speaker, raw in cursor:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        items.append(_Item(work_rowid, revision_rowid, attempts, speaker, text))
        size += len(raw)
        if size > _GROUP_BYTES:
            break
    cursor.close()
    return items


def _store(tx: Transaction, *, group: list[_Done], space: int) -> set[int]:
    """Store a group's vectors and strike it off the list; the revisions that were still current."""
    stored: set[int] = set()
    for done in group:
        item = done.item
        if done.vectors is None:
            tx.retry_work(item.work_rowid)
            continue
        if tx.add_embeddings(item.revision_rowid, space, done.vectors.embeddings):
            stored.add(item.revision_rowid)
        tx.finish_work(item.work_rowid)
    return stored
