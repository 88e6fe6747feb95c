"""Banks of a given size to measure on, filled without waiting for the model.

Texts and vectors are seeded and go straight into the bank through the bank room, while no daemon
runs; what asks later is the real model through the real daemon.

Owns: the home of the filled banks. A bank is filled once and kept until the end.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid.client import AsyncClient
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.rows import Decision, NewEmbedding, NewEvent, NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.upkeep import Upkeep
from cognid_daemon.catalog import Catalog
from cognid_daemon.master_key import find_master_key
from cognid_models import PACKAGE_FOLDER, read_manifest
from measure.scratch import ScratchDaemon
from measure.texts import Texts

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_MODEL: Final = read_manifest(PACKAGE_FOLDER)
_PORTION: Final = 500  # memories a transaction
_SESSION: Final = 40  # turns a session


class Workbench:
    """A home with banks of made-up memories, and daemons over it, one at a time."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._filled: set[int] = set()

    @asynccontextmanager
    async def daemon(
        self, extra: Mapping[str, str] | None = None
    ) -> AsyncIterator[tuple[ScratchDaemon, AsyncClient]]:
        """A fresh daemon process over these banks, with more in its environment, and a client."""
        daemon = ScratchDaemon(self._home, extra)
        async with daemon.running() as client:
            yield daemon, client

    async def filled(self, size: int) -> str:
        """The agent whose bank holds that many memories, every one with its vector."""
        agent = f"bench-{size}"
        if size not in self._filled:
            print(f"bench: filling a bank with {size:,} memories", file=sys.stderr)
            async with self.daemon() as (_, client):
                await client.ensure_bank(agent=agent, enabled=True)
            await self._fill(agent, size)
            self._filled.add(size)
        return agent

    async def _fill(self, agent: str, size: int) -> None:
        places = ScratchDaemon(self._home).places
        master = find_master_key(places.configuration, {}, data_exists=True)
        catalog = await Catalog.open(places.data, master.key)
        try:
            record = catalog.find("local", agent)
            assert record is not None  # noqa: S101 - ensured just now
            folder, key = catalog.folder(record.bank_id), catalog.bank_key(record.bank_id)
        finally:
            await catalog.close()
        bank = await Bank.open(folder, record.bank_id, key, create=False)
        texts, vectors = Texts(seed=size), np.random.default_rng(size)
        try:
            for first in range(1, size + 1, _PORTION):
                count = min(_PORTION, size + 1 - first)
                drawn = list(texts.turns(count))
                await bank.submit(_filling(drawn, _unit_vectors(vectors, count), first)).outcome()
            await bank.alone(_tidy)
        finally:
            await bank.close()


def _tidy(connection: Connection) -> None:
    """Do the upkeep that a bank does when it is idle, so that its age is that of a real one."""
    upkeep = Upkeep()
    while upkeep.due:
        upkeep.step(connection)


def _unit_vectors(source: np.random.Generator, count: int) -> list[bytes]:
    rows = source.standard_normal((count, _MODEL.dimension), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [row.tobytes() for row in rows.astype("<f2")]


def _filling(drawn: list[str], vectors: list[bytes], first: int) -> Callable[[Transaction], None]:
    """The write of one portion: turns as events and remarks, with vectors and no work left."""

    def apply(tx: Transaction) -> None:
        space = tx.ensure_space(_MODEL.space_id, _MODEL.dimension)
        for sequence, (text, vector) in enumerate(zip(drawn, vectors, strict=True), first):
            event_rowid = tx.add_event(
                NewEvent(
                    stream="bench",
                    sequence=sequence,
                    type="message",
                    hash=hashlib.sha256(text.encode()).digest(),
                    decision=Decision.COMMITTED,
                )
            )
            stored = tx.add_memory(
                NewMemory(
                    kind=Kind.REMARK,
                    role=Role.USER if sequence % 2 else Role.ASSISTANT,
                    provenance=Provenance.EXPLICIT if sequence % 2 else Provenance.INFERRED,
                    text=text,
                    confidence=1.0,
                    session_id=f"session-{sequence // _SESSION}",
                    event_rowid=event_rowid,
                    span=(0, len(text)),
                )
            )
            whole = NewEmbedding(window=0, span=(0, len(text)), vector=vector)
            tx.add_embeddings(stored.revision_rowid, space, [whole])
        tx.connection.execute("DELETE FROM work")  # every text has its vector

    return apply
