"""From what waits in the bank to its vectors, behind the commits.

Owns: the order of that work, the thread it runs on, and the counts of what is done, waits and was
given up. May not rank or answer, nor load an index.

What just came is on the bank's work list and goes first, the newest before the others; then comes
the generation that is being built, if there is one (another model, or a rebuild that was asked
for); then that is published, and what it replaced is taken away. All of it stands in the bank: what
a crash interrupts is taken up where it was. A revision is embedded window by window on the host's
background thread; the vectors of several revisions are committed together, each behind a fence (a
revision that is no longer current gets nothing). A revision that fails `ATTEMPTS` times is counted
and passed over; it never stops the others, and is tried again when the bank is next opened, or in
an hour, for the fault may have been the machine's. Nothing polls: the task sleeps until a commit or
a rebuild wakes it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_daemon.bank import generations
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, ClosedError
from cognid_daemon.bank.generations import Generation, Vectors
from cognid_daemon.bank.rows import Committed, NewEmbedding
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall import worklist
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.worklist import ATTEMPTS, DAMAGED, Item, Result, Step
from cognid_models import Embedder, Vector, Window
from cognid_models.errors import ModelError, failing_as

if TYPE_CHECKING:
    from cognid_daemon.recall.matrix import Windows
    from cognid_daemon.recall.vectors import VectorIndex

T = TypeVar("T")

_GROUP_SECONDS: Final = 1.0
_CUT: Final = 8
"""Texts whose first windows are cut in one hop to a thread: two hops less for each."""
_PAUSE_SECONDS: Final = 5.0
"""Before a bank that refused a write (a full disk) is tried again."""

_PATIENCE_SECONDS: Final = 3_600.0
_CALM_SECONDS: Final = 0.025
"""After a write: 32 callers who wait for a slow disk write again within so long."""
_WRITES_SECONDS: Final = 0.1
"""How long a window waits for writes that follow one another at most: beside the model, on two
cores, a write took a fifth longer and the slowest of a thousand three times as long (measured)."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Current revisions, those that wait for vectors, and those that were given up."""

    current: int
    waiting: int
    skipped: int


class Backlog:
    """Embeds what one bank owes. `run` is the task; its owner cancels and awaits it."""

    def __init__(self, bank: Bank, host: EmbedderHost) -> None:
        self._bank = bank
        self._host = host
        self._wake = asyncio.Event()
        self._in_flight: set[int] = set()
        self._taken: frozenset[int] = frozenset()
        self._listed = Tally(0, 0, 0)
        self._added = 0
        self._removed = 0
        self._vectors: Vectors | None = None
        bank.subscribe(self._on_commit)

    @property
    def tally(self) -> Tally:
        """The counts as of the last commit, the rest of the generation that serves included."""
        listed = self._listed
        serving = None if self._vectors is None else self._vectors.serving
        rest = 0 if serving is None or serving.cursor is None else serving.total - serving.done
        return replace(listed, waiting=min(listed.current, listed.waiting + max(0, rest)))

    @property
    def vectors(self) -> Vectors | None:
        """The generations of the model's space; None until they are known."""
        return self._vectors

    async def count(self) -> None:
        """Count what there is, once, at the opening of the bank."""
        current = await self._bank.read(worklist.count_current)
        self._listed = Tally(current, *await self._bank.read(worklist.count_work))

    async def settle(self, embedder: Embedder) -> Generation:
        """Let the bank have vectors of the model's space; gives the generation that answers."""
        if self._listed.skipped:
            await self._write(worklist.forgive)
        epoch = self._bank.fence.epoch
        self._vectors = await self._write(
            lambda tx: generations.settle_vectors(tx, embedder.space_id, embedder.dimension, epoch)
        )
        await self._recount()
        return self._vectors.serving

    def wake(self) -> None:
        """Look at once for what there is to do."""
        self._wake.set()

    async def keep_count(self) -> None:
        """Count anew after removals while nothing is embedded, until cancelled or the bank closes.

        Elsewhere the embedding itself comes to the end of the list, and counts then.
        """
        counted = 0
        while True:
            self._wake.clear()
            if counted != self._removed:
                counted = self._removed
                await self._recount()
                await asyncio.sleep(_GROUP_SECONDS)  # of many removals not each
            else:
                await self._wake.wait()

    async def run(self, index: VectorIndex, serving: int, embedder: Embedder) -> None:
        """Embed whatever waits and whatever comes, until cancelled or the bank closes.

        Ends where another generation than the one that `index` is of has come to answer, or where
        the bank may hold vectors that the index was not shown.
        """
        while True:
            try:
                while True:
                    self._wake.clear()
                    # In one read: what comes after a build was begun goes into that as well.
                    self._vectors, items = await self._bank.read(
                        lambda connection: (
                            generations.vectors(connection, embedder.space_id),
                            worklist.next_items(connection),
                        )
                    )
                    if self._vectors is None or self._vectors.serving.number != serving:
                        return
                    if not await self._advance(items, index, self._vectors, embedder):
                        # What was removed is overwritten now, not at the next search.
                        await asyncio.to_thread(index.settle)
                        await self._recount()
                        await self._sleep()
            except ClosedError:
                return
            except BankError as error:
                # A full disk or a damaged page: the list stands, and the bank says so itself.
                await asyncio.sleep(_PAUSE_SECONDS)
                if error.effect == "unknown":
                    return

    async def _advance(
        self, items: list[Item], index: VectorIndex, vectors: Vectors, embedder: Embedder
    ) -> bool:
        """Do the next piece of what there is to do, some items of the work list first; False where
        there is nothing."""
        if items:
            await self._embed_all(items, index, vectors, None, embedder)
            return True
        unfinished = vectors.unfinished
        if unfinished is not None:
            await self._host.quiet()
            step = await self._bank.read(partial(worklist.next_step, built=unfinished))
            await self._embed_all(step.items, index, vectors, step, embedder)
            return True
        if vectors.building is not None:
            # False where something came meanwhile: that first.
            await self._write(partial(worklist.publish, built=vectors.building))
            return True
        retired = await self._bank.read(
            lambda connection: generations.find(connection, "vector", "retired")
        )
        if retired is None:
            return False
        await self._quietly(partial(generations.remove_retired_vectors, generation=retired))
        return True

    async def _quietly(self, apply: Callable[[Transaction], T]) -> T:
        """Write once no recall is open."""
        await self._host.quiet()
        return await self._write(apply)

    async def _sleep(self) -> None:
        """Sleep until a commit; where something was given up, try that again in an hour."""
        patience = _PATIENCE_SECONDS if self._listed.skipped else None
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._wake.wait()
                return
        await self._write(worklist.forgive)

    def _on_commit(self, committed: Committed) -> None:
        added, removed = len(committed.added), len(committed.removed)
        self._added += added
        self._removed += removed
        self._in_flight.difference_update(committed.removed)
        # An expired revision that is restored meanwhile is the same one, with the same text.
        self._in_flight.update(self._taken.intersection(committed.added))
        tally = self._listed
        self._listed = Tally(tally.current + added - removed, tally.waiting + added, tally.skipped)
        if added or removed:
            self._wake.set()

    async def _recount(self) -> None:
        """Count the work list: a revision that was removed while it waited is off it."""
        before = self._added
        waiting, skipped = await self._bank.read(worklist.count_work)
        # The snapshot may not have what came meanwhile; one too many is mended by the next count,
        # one too few would have a status say that nothing waits.
        waiting += self._added - before
        self._listed = replace(self._listed, waiting=waiting, skipped=skipped)

    async def _embed_all(
        self,
        items: Sequence[Item],
        index: VectorIndex,
        vectors: Vectors,
        step: Step | None,
        embedder: Embedder,
    ) -> None:
        """Embed and store some items: of the work list, or what a build came upon."""
        self._taken = frozenset(item.revision_rowid for item in items)
        self._in_flight = set(self._taken)
        targets = vectors.targets if step is None else (step.generation,)
        serving = vectors.serving.number
        group: list[Result] = []
        begun = time.monotonic()
        for first in range(0, len(items), _CUT):
            passages = await asyncio.to_thread(_cut, items[first : first + _CUT], embedder)
            for passage in passages:
                item = passage.item
                if item.revision_rowid in self._in_flight:
                    result = await self._embed(passage)
                    if result is not None:
                        group.append(result)
                if time.monotonic() - begun > _GROUP_SECONDS:
                    if step is not None:
                        part = replace(step, after=item.revision_rowid - 1)
                        step = replace(step, before=part.after)
                        if not await self._store(group, index, serving, targets, part):
                            return
                    else:
                        await self._store(group, index, serving, targets, None)
                    group, begun = [], time.monotonic()
        await self._store(group, index, serving, targets, step)

    async def _embed(self, passage: _Passage) -> Result | None:
        """A revision's vectors; none if its text or the model is at fault. None where it ceased to
        be current on the way: should it be restored, it is on the list again.

        By the model that the generation is of, should the host have come to another by now.
        """
        item, embedder = passage.item, passage.embedder
        try:
            while passage.window is not None:
                await self._give_way()
                # Nothing but the model on that thread: see `models`.
                vector = await self._host.background(
                    partial(_vector_of, embedder=embedder, window=passage.window)
                )
                if item.revision_rowid not in self._in_flight:
                    return None
                if passage.take(vector):
                    await asyncio.to_thread(passage.cut)
        except ModelError as error:
            return Result(item, None, error.code)
        if passage.fault is not None:
            return Result(item, None, passage.fault)
        return Result(item, passage.embeddings)

    async def _give_way(self) -> None:
        """Let writes that follow one another go first, for a while."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _WRITES_SECONDS
        while (now := loop.time()) < until:
            left = min(self._bank.written + _CALM_SECONDS, until) - now
            if left <= 0.0:
                return
            await asyncio.sleep(left)

    async def _store(
        self,
        group: list[Result],
        index: VectorIndex,
        serving: int,
        targets: tuple[int, ...],
        step: Step | None,
    ) -> bool:
        """Commit a group's vectors, then show them to the index; False where a build has gone on
        without it."""
        if not group and step is None:
            return True
        packed = await asyncio.to_thread(_packed, group, index.dimension)
        stored = await self._write(
            partial(worklist.store, results=group, targets=targets, step=step)
        )
        if stored is None:
            return False
        # No await from here to `add`: what is in flight now was removed by no commit, and a removal
        # that comes later queues behind it.
        failed = given_up = 0
        shown: list[int] = []
        for result in group:
            item = result.item
            if result.embeddings is None:
                failed += 1
                given_up += item.attempts + 1 >= ATTEMPTS
            elif (
                serving,
                item.revision_rowid,
            ) in stored and item.revision_rowid in self._in_flight:
                shown.append(item.revision_rowid)
            self._in_flight.discard(item.revision_rowid)
        if shown:
            index.add(packed.of(shown))
        tally = self._listed
        struck = failed - given_up - len(group) if step is None else failed
        self._listed = replace(
            tally, waiting=max(0, tally.waiting + struck), skipped=tally.skipped + given_up
        )
        await asyncio.to_thread(index.settle)
        return True

    async def _write(self, apply: Callable[[Transaction], T]) -> T:
        return await self._bank.submit(apply, background=True).outcome()


def _vector_of(_: Embedder, *, embedder: Embedder, window: Window) -> Vector:
    with failing_as("embed"):
        return embedder.embed_window(window)


def _cut(items: Sequence[Item], embedder: Embedder) -> list[_Passage]:
    """Some texts with their first windows."""
    return [_Passage(item, embedder) for item in items]


def _packed(group: Sequence[Result], dimension: int) -> Windows:
    """All that was embedded, as the index takes it."""
    from cognid_daemon.recall.matrix import pack

    found = [
        (result.item.revision_rowid, one) for result in group for one in result.embeddings or ()
    ]
    return pack(
        [rowid for rowid, _ in found],
        [one.span for _, one in found],
        b"".join(one.vector for _, one in found),
        dimension,
    )


class _Passage:
    """One text on its way through the model, a window at a time.

    A turn is embedded as "speaker: text": questions name people, and without the name LoCoMo's
    any@10 falls from .750 to .318. Spans are those of the text alone. A fact that was stated
    by itself is embedded as a statement: PrefEval's any@5 is .294 by its vectors alone, .161 as
    passages. One that was promoted from a turn is a passage like its turn: as statements beside
    the turns they took LoCoMo's any@5 from .80 to .68.
    """

    def __init__(self, item: Item, embedder: Embedder) -> None:
        """Cut the first window."""
        text = item.text or ""
        self.item = item
        self.embedder = embedder
        whole = f"{item.speaker}: {text}" if item.speaker else text
        self._shift = len(whole) - len(text)
        self._found: list[NewEmbedding] = []
        self.fault: str | None = DAMAGED if item.text is None else None
        """Why there is nothing to embed, a code."""
        self.window: Window | None = None
        """The one that is to be embedded; None where there is none left."""
        self._following: Window | None = None
        self._windows: Iterator[Window] = iter(())
        if self.fault is None:
            try:
                with failing_as("embed"):
                    self._windows = embedder.windows(whole, statement=item.is_statement)
                    self.window = next(self._windows, None)
                self.cut()
            except ModelError as error:
                self.window, self.fault = None, error.code

    def cut(self) -> None:
        """Cut the window after the next, so that of most texts it is known that there is none.

        Raises ModelError.
        """
        with failing_as("embed"):
            self._following = None if self.window is None else next(self._windows, None)

    def take(self, vector: Vector) -> bool:
        """Keep the vector of the window and go on to the next; whether to `cut` then."""
        window = self.window
        if window is None:
            return False
        span = (max(0, window.start - self._shift), max(0, window.end - self._shift))
        stored = vector.astype("<f2").tobytes()
        self._found.append(NewEmbedding(len(self._found), span, stored))
        self.window, self._following = self._following, None
        return self.window is not None

    @property
    def embeddings(self) -> tuple[NewEmbedding, ...]:
        """What was embedded, as the bank keeps it."""
        return tuple(self._found)
