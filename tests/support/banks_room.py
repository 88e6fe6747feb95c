"""All banks of a data folder without a server: a real catalog, real banks, the words' model; and
copies of the folder as a crash would leave it at any step."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import remembering
from support.recall_room import word_model

from cognid.protocol.ids import new_operation_id
from cognid_daemon.bank.rows import Barrier, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.banks import Banks
from cognid_daemon.catalog import Catalog
from cognid_daemon.catalog_copy import Cutoff
from cognid_daemon.recall.models import EmbedderHost

MASTER = bytes(range(32))
OWNER, AGENT = "local", "ada"


@dataclass
class BanksRoom:
    """Open banks over a data folder, with one bank."""

    data: Path
    catalog: Catalog
    banks: Banks

    async def add(self, text: str, sequence: int) -> StoredMemory:
        """Remember a text as the next event of the stream `s`."""
        async with self.banks.lease(OWNER, AGENT) as lease:
            return await lease.bank.submit(remembering(text, sequence=sequence)).outcome()

    async def forget(self, *memory_ids: str) -> bool:
        """Forget as an operation does: the bank's transaction, then what follows it."""

        def apply(tx: Transaction) -> tuple[Barrier, ...]:
            return tx.forget(tx.group_of(memory_ids).memories, new_operation_id())

        async with self.banks.lease(OWNER, AGENT) as lease:
            barriers = await self.banks.with_ballast(lambda: lease.bank.submit(apply).outcome())
            return await self.banks.forgotten(lease, barriers)

    async def texts(self) -> list[str]:
        """Every text that the bank has, whatever its lifecycle."""
        async with self.banks.lease(OWNER, AGENT) as lease:
            rows = await lease.bank.read(lambda c: c.execute("SELECT text FROM texts").fetchall())
            return sorted(row[0] for row in rows)

    @property
    def bank_file(self) -> Path:
        """The bank's file."""
        record = self.banks.record(OWNER, AGENT)
        return self.catalog.folder(record.bank_id) / "bank.db"


def cutoff(operation: str) -> Cutoff:
    """A cutoff's operation."""
    return Cutoff(new_operation_id(), operation, bytes(32), "crd_test", None)


@asynccontextmanager
async def banks_room(data: Path) -> AsyncIterator[BanksRoom]:
    """Open the data folder, or make it with its one bank."""
    host = EmbedderHost(word_model)
    host.start()
    catalog = await Catalog.open(data, MASTER)
    banks = Banks(catalog, host)
    try:
        await banks.start()
        await banks.ensure(OWNER, AGENT, enabled=True)
        yield BanksRoom(data, catalog, banks)
    finally:
        await banks.close()
        await catalog.close()
        await host.close()


@dataclass
class Snapshots:
    """Copies of a data folder, each as a kill -9 would leave it at that step."""

    data: Path
    to: Path
    taken: dict[str, Path] = field(default_factory=dict)

    def take(self, step: str) -> None:
        """Copy the folder now; without the shared memory, which a crash leaves stale."""
        target = self.to / f"{len(self.taken):02}-{step}"
        shutil.copytree(self.data, target, ignore=shutil.ignore_patterns("*-shm"))
        self.taken[target.name] = target

    def around(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        """Take one before and one after each call of a coroutine function."""
        real: Callable[..., Awaitable[Any]] = getattr(owner, name)

        async def wrapped(*arguments: Any, **named: Any) -> Any:
            self.take(f"before-{name}")
            result = await real(*arguments, **named)
            self.take(f"after-{name}")
            return result

        monkeypatch.setattr(owner, name, wrapped)
