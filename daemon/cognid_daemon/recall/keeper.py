"""When a snapshot of a bank's vectors is written: in the background, when the bank has been idle.

It gives way: a chunk at a time, none while a recall is open, with pauses between them, on threads
of normal priority. (At the lowest one, as the backlog has it, a thread that is put off while it
holds the interpreter's lock stops all the others: single pages took up to 98 ms.)

Owns: that moment, and that no snapshot gets its name that holds what was removed meanwhile. The
bank deletes all snapshots before it answers a forget; one under way sees that the index has changed
and is dropped: on the writer's thread, where no COMMIT can come between the look and the name.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError
from cognid_daemon.recall.handover import handed_over
from cognid_daemon.recall.models import EmbedderHost

if TYPE_CHECKING:
    from cognid_daemon.recall.snapshot import SnapshotWriter
    from cognid_daemon.recall.vectors import VectorIndex

LEAST: Final = 20_000
"""Vectors below which a start reads the rows: 50 ms."""

IDLE_SECONDS: Final = 10.0
_STALE: Final = 0.1
"""Share of an index that may have changed before its snapshot is written anew; a start makes up for
less."""

_CLOSE_MOST: Final = 200_000
"""Vectors above which a close does not wait for a snapshot: 80 MB."""

_REST: Final = 3.0
"""Pauses between chunks, in times that a chunk took: a quarter of a core at most."""


@dataclass(frozen=True, slots=True)
class Service:
    """An index, and the generation of vectors that is in it."""

    index: VectorIndex
    generation: int
    space_id: str


class Keeper:
    """Keeps the snapshot of one bank. Its owner awaits `close` before the bank's."""

    def __init__(self, bank: Bank, host: EmbedderHost) -> None:
        self._bank = bank
        self._host = host
        self._service: Service | None = None
        self._saved: int | None = None  # the index's changes when its snapshot was written
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._touched = 0.0

    def follow(self, service: Service, *, saved: bool) -> None:
        """Keep a snapshot of this index from now on; `saved`: it was filled from one."""
        self._service = service
        self._saved = service.index.changes if saved else None
        self.touch()

    def touch(self) -> None:
        """Wait for a quiet time from now on."""
        loop = asyncio.get_running_loop()
        self._touched = loop.time()
        # Whether it is due is seen then: a forget deletes the snapshot only after its COMMIT.
        if self._timer is None and self._is_large():
            self._timer = loop.call_later(IDLE_SECONDS, self._look)

    def _is_large(self) -> bool:
        return self._service is not None and len(self._service.index) >= LEAST

    def _is_due(self) -> bool:
        if self._service is None or not self._is_large():
            return False
        if self._saved is None or not self._bank.snapshot.exists():
            return True
        index = self._service.index
        return index.changes - self._saved > _STALE * len(index)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        left = self._touched + IDLE_SECONDS - loop.time()
        if left > 0 or (self._task is not None and not self._task.done()):
            self._timer = loop.call_later(max(left, 1.0), self._look)
            return
        self._timer = None
        if self._is_due():
            self._task = loop.create_task(self._save(), name=f"snapshot {self._bank.bank_id}")

    async def close(self) -> None:
        """Write what is due, if that is quick, and end."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._is_due() and self._service and len(self._service.index) <= _CLOSE_MOST:
            await self._save(rest=0.0)

    async def _save(self, rest: float = _REST) -> None:
        service = self._service
        if service is None:
            return
        try:
            if not await self._write(service, rest):
                self.touch()
        except (BankError, OSError):
            pass  # no room on the disk, or the end of the bank: the next start reads the rows

    async def _write(self, service: Service, rest: float = 0.0) -> bool:
        """Write a snapshot. False: the index changed on the way, or another has taken its place
        and it hears of no removal any more, and there is none."""
        from cognid_daemon.recall.snapshot import Facts, SnapshotWriter

        bank, index = self._bank, service.index
        changes = index.changes

        def is_as_it_was() -> bool:
            return index.changes == changes and self._service is service

        sequence, head = await bank.read(ledger.head)
        await asyncio.to_thread(index.settle)
        facts = Facts(
            bank.bank_id,
            service.generation,
            service.space_id,
            index.dimension,
            len(index),
            sequence,
            head.hex(),
        )
        writer = await handed_over(
            partial(SnapshotWriter, bank.snapshot, bank.vectors_key, facts), SnapshotWriter.drop
        )
        try:
            more = True
            while more and is_as_it_was():
                begun = time.monotonic()
                more = await asyncio.to_thread(writer.add_part, index)
                if rest:
                    await asyncio.sleep(rest * (time.monotonic() - begun))
                    await self._host.quiet()
            if more:
                return False
            await asyncio.to_thread(writer.end)
            named = await bank.alone(lambda _: _name(writer, is_as_it_was))
        finally:
            await asyncio.shield(asyncio.to_thread(writer.drop))
        if named:
            self._saved = changes
        return named


def _name(writer: SnapshotWriter, is_as_it_was: Callable[[], bool]) -> bool:
    """On the writer's thread: a forget is either before, and its removal seen here, or its scrub
    comes later and deletes what is named here."""
    if not is_as_it_was():
        return False
    writer.name()
    return True
