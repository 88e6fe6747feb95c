"""A recall room for tests: a real encrypted bank, a model host and a recaller over both."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.bank_room import opened

from cognid.protocol.values import Kind, Pipeline, Provenance, Role
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.rows import Decision, NewEvent, NewMemory, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.instants import microseconds
from cognid_daemon.recall.answer import Answer, Query
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.recaller import Recaller
from cognid_models import Embedder

if TYPE_CHECKING:
    import pytest

    from cognid_daemon.recall.postings import Postings


def word_model() -> Embedder:
    """The deterministic embedder for tests, imported where a host imports its model."""
    from support.embedder import WordEmbedder

    return WordEmbedder()


@dataclass
class RecallRoom:
    """An open bank with everything that answers over it."""

    bank: Bank
    host: EmbedderHost
    recaller: Recaller
    _sequences: dict[str, int] = field(default_factory=dict)

    async def add(
        self,
        text: str,
        *,
        speaker: str | None = None,
        session: str | None = None,
        stream: str | None = None,
        kind: Kind = Kind.REMARK,
        role: Role = Role.USER,
        labels: tuple[str, ...] = (),
    ) -> StoredMemory:
        """Remember a text as the next event of a stream, by default its session's; what is no
        remark is stated by itself, as `memory.add` does it."""
        stream = stream or session or "stream"
        sequence = self._sequences[stream] = self._sequences.get(stream, 0) + 1

        def apply(tx: Transaction) -> StoredMemory:
            event = NewEvent(
                stream=stream,
                sequence=sequence,
                type="turn",
                hash=None,
                decision=Decision.COMMITTED,
                session_id=session,
            )
            memory = NewMemory(
                kind=kind,
                role=role,
                provenance=Provenance.EXPLICIT,
                text=text,
                speaker=speaker,
                session_id=session,
                event_rowid=tx.add_event(event) if kind is Kind.REMARK else None,
                labels=labels,
            )
            return tx.add_memory(memory)

        return await self.bank.submit(apply).outcome()

    async def turn(
        self,
        text: str,
        *facts: str,
        sequence: int,
        at: datetime | None = None,
        pinned: bool = False,
    ) -> list[StoredMemory]:
        """Remember a turn and the facts that lie in it, as one event of the stream "chat"."""

        def apply(tx: Transaction) -> list[StoredMemory]:
            event = tx.add_event(
                NewEvent(
                    stream="chat",
                    sequence=sequence,
                    type="turn",
                    hash=None,
                    decision=Decision.COMMITTED,
                    session_id="s",
                    occurred_at=microseconds(at),
                )
            )
            return [
                tx.add_memory(
                    NewMemory(
                        kind=Kind.REMARK if part == text else Kind.FACT,
                        role=Role.USER,
                        provenance=Provenance.EXPLICIT,
                        text=part,
                        session_id="s",
                        event_rowid=event,
                        span=(text.index(part), text.index(part) + len(part)),
                        pinned=pinned,
                    )
                )
                for part in (text, *facts)
            ]

        return await self.bank.submit(apply).outcome()

    async def remove(self, stored: StoredMemory) -> None:
        """Forget a memory."""

        def apply(tx: Transaction) -> None:
            tx.forget(tx.group_of([stored.memory_id]).memories, None)

        await self.bank.submit(apply).outcome()

    async def settle(self) -> None:
        """Wait until nothing waits for vectors."""
        async with asyncio.timeout(20):
            while self.recaller.index_status().vector.state == "building":  # noqa: ASYNC110  # tells states only
                await asyncio.sleep(0.005)

    async def calm(self) -> None:
        """Wait until nothing is read in the background either: then a recall is alone."""
        await self.settle()
        async with asyncio.timeout(20):
            while not self.bank.readers_are_idle:  # noqa: ASYNC110  # tells states only
                await asyncio.sleep(0.005)

    async def ask(
        self,
        text: str,
        *,
        limit: int = 8,
        pipeline: Pipeline | None = None,
        seconds: float = 5.0,
        kinds: frozenset[Kind] | None = None,
        roles: frozenset[Role] | None = None,
        labels: frozenset[str] = frozenset(),
    ) -> Answer:
        """Recall, or search through one pipeline."""
        deadline = asyncio.get_running_loop().time() + seconds
        query = Query(text, limit, kinds=kinds, roles=roles, labels=labels)
        pipelines = frozenset(Pipeline) if pipeline is None else frozenset({pipeline})
        return await self.recaller.answer(query, pipelines, deadline)

    async def texts(
        self, text: str, *, limit: int = 8, pipeline: Pipeline | None = None
    ) -> list[str]:
        """What a query brings back, best first."""
        answer = await self.ask(text, limit=limit, pipeline=pipeline)
        return [hit.text for hit in answer.hits]


def hold_first_reading(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Stop whoever first reads the lengths of the words, as soon as they are read.

    Returns:
        That they are read, and to be set: that it goes on.
    """
    from cognid_daemon.recall.postings import Postings  # with numpy

    follow, read, go = Postings.follow, threading.Event(), threading.Event()

    def slow(postings: Postings, *reading: Any) -> None:
        follow(postings, *reading)
        if not read.is_set():
            read.set()
            go.wait(10)

    monkeypatch.setattr(Postings, "follow", slow)
    return read, go


@asynccontextmanager
async def recall_room(
    folder: Path,
    load: Callable[[], Embedder] = word_model,
    *,
    create: bool = True,
    keeping: Keeping = KEEP_ALL,
) -> AsyncIterator[RecallRoom]:
    """A room that is closed at the end, threads and all."""
    async with opened(folder, create=create, keeping=keeping) as bank:
        host = EmbedderHost(load)
        host.start()
        recaller = Recaller(bank, host)
        await recaller.open()
        try:
            yield RecallRoom(bank, host, recaller)
        finally:
            await recaller.close()
            await host.close()
