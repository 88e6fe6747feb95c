"""From the bank's durable work list to its vectors, behind the commits.

Owns: the one task per open bank that embeds what waits, and the counts of what is done, waits and
was given up. May not rank or answer.

The list is the bank's: what a crash interrupts stands on it still. A revision is embedded window by
window on the host's background thread; the vectors of several revisions are committed together,
each behind a fence (a revision that is no longer current gets nothing). A revision that fails
`ATTEMPTS` times is counted and passed over; it never stops the others. Nothing polls: the task
sleeps until a commit or the model wakes it.

A model of another space finds the bank's work done for a space that is not its own: then every
current revision without vectors of the new space is listed again, in chunks; `meta` says for which
space the list is complete, so that an interrupted listing is taken up again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

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

ATTEMPTS: Final = 3
"""Times a revision's embedding may fail before it is passed over."""

_GROUP: Final = 32
_GROUP_SECONDS: Final = 1.0
_GROUP_CHARACTERS: Final = 1_000_000
_LISTED: Final = 2_000
_PAUSE_SECONDS: Final = 5.0
"""Before a bank that refused a write (a full disk) is tried again."""

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
    text: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Embedded:
    """A revision with its vectors, ready to be stored; None where embedding failed."""

    item: _Item
    embeddings: tuple[NewEmbedding, ...] | None


class Backlog:
    """Embeds one bank's work list. `run` is the task; its owner cancels and awaits it."""

    def __init__(self, bank: Bank, host: EmbedderHost) -> None:
        self._bank = bank
        self._host = host
        self._wake = asyncio.Event()
        self._in_flight: set[int] = set()
        self._tally = Tally(0, 0, 0)
        bank.subscribe(self._on_commit)

    @property
    def tally(self) -> Tally:
        """The counts as of the last commit."""
        return self._tally

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
                        await self._wake.wait()
            except ClosedError:
                return
            except BankError:
                # A full disk or a damaged page: the list stands, and the bank says so itself.
                await asyncio.sleep(_PAUSE_SECONDS)

    def _on_commit(self, committed: Committed) -> None:
        added, removed = len(committed.added), len(committed.removed)
        self._in_flight.difference_update(committed.removed)
        tally = self._tally
        self._tally = Tally(tally.current + added - removed, tally.waiting + added, tally.skipped)
        if added:
            self._wake.set()

    async def _ensure_space(self, embedder: Embedder) -> int:
        """The number of the model's space, every current revision being embedded or listed."""
        space_id, dimension = embedder.space_id, embedder.dimension
        space = await self._write(lambda tx: tx.ensure_space(space_id, dimension))
        after: int | None = await self._bank.read(lambda c: _listed(c, space_id))
        while after is not None:
            start = after
            after = await self._write(lambda tx, start=start: _list_missing(tx, space, start))  # type: ignore[misc]  # a default argument, so that each chunk has its own
        await self._write(lambda tx: _mark_listed(tx, space_id))
        self._tally = await self._bank.read(_count)
        return space

    async def _drain(self, index: VectorIndex, space: int) -> bool:
        """Embed and store one group; False when nothing waits."""
        items = await self._bank.read(_next_items)
        if not items:
            return False
        self._in_flight = {item.revision_rowid for item in items}
        group: list[_Embedded] = []
        begun = time.monotonic()
        for item in items:
            if item.revision_rowid in self._in_flight:
                group.append(_Embedded(item, await self._embed(item)))
            if time.monotonic() - begun > _GROUP_SECONDS:
                await self._store(group, index, space)
                group, begun = [], time.monotonic()
        await self._store(group, index, space)
        return True

    async def _embed(self, item: _Item) -> tuple[NewEmbedding, ...] | None:
        """A revision's vectors; None if the text or the model is at fault."""
        text = item.text
        if text is None:
            return None
        found: list[NewEmbedding] = []
        windows: Iterator[Window] | None = None

        def next_window(embedder: Embedder) -> NewEmbedding | None:
            nonlocal windows
            if windows is None:
                windows = embedder.windows(text)
            window = next(windows, None)
            if window is None:
                return None
            vector = embedder.embed_window(window).astype("<f2").tobytes()
            return NewEmbedding(len(found), (window.start, window.end), vector)

        try:
            while embedding := await self._host.background(next_window):
                if item.revision_rowid not in self._in_flight:
                    break  # forgotten meanwhile: the fence would drop it anyway
                found.append(embedding)
        except ModelError:
            return None
        return tuple(found)

    async def _store(self, group: list[_Embedded], index: VectorIndex, space: int) -> None:
        """Commit a group's vectors, then show them to the index."""
        if not group:
            return
        stored = await self._write(lambda tx: _store(tx, group, space))
        # No await from here to `add`: what is still in flight now was not removed by any commit,
        # and a removal that comes later queues behind it.
        windows = _windows(group, stored & self._in_flight)
        if windows is not None:
            index.add(windows)
        self._in_flight.difference_update(done.item.revision_rowid for done in group)
        self._tally = await self._bank.read(_recount(self._tally.current))
        await self._host.background(lambda _: index.settle())

    async def _write(self, apply: Callable[[Transaction], T]) -> T:
        return await self._bank.submit(apply, background=True).outcome()
