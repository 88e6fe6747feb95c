"""The catalog: which banks there are, whose they are, and their wrapped keys.

Owns: catalog.db (encrypted under a key of its own), its second sealed copy, and the choice between
the two at the start. Every change is committed to the database, then to the copy, then told. Reads
are answered from memory. A fresh catalog is never made over banks that are there.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cognid.protocol.ids import new_bank_id, new_epoch
from cognid_daemon import catalog_copy
from cognid_daemon.bank import files, migrate
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import DamagedError, WrongKeyError
from cognid_daemon.bank.keys import Use, derive, new_key, seal, unseal
from cognid_daemon.bank.migrate import Step
from cognid_daemon.catalog_copy import BankRecord, Contents, Entry

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

FILE_NAME: Final = "catalog.db"
COPY_NAME: Final = "catalog.copy"
BANKS_NAME: Final = "banks"
_KEY_VERSION: Final = 1

_STEPS: Final = (
    Step(
        version=1,
        statements=(
            "CREATE TABLE meta(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
            # agent_key: '0' for no agent, '1' and the name for one, so that a null agent is a key
            # like any other and UNIQUE holds for it.
            """CREATE TABLE banks(
                bank_id TEXT PRIMARY KEY,
                owner TEXT NOT NULL,
                agent TEXT,
                agent_key TEXT NOT NULL,
                epoch TEXT NOT NULL,
                enabled INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                purge_horizon INTEGER NOT NULL,
                key_version INTEGER NOT NULL,
                wrapped_key BLOB NOT NULL,
                UNIQUE (owner, agent_key)) WITHOUT ROWID""",
        ),
    ),
)


def data_exists(data_folder: Path) -> bool:
    """Whether a data folder holds anything that a lost master key would lock away."""
    return any((data_folder / name).exists() for name in (FILE_NAME, COPY_NAME)) or _banks_exist(
        data_folder
    )


def _banks_exist(data_folder: Path) -> bool:
    folder = data_folder / BANKS_NAME
    return folder.is_dir() and next(folder.iterdir(), None) is not None


def _something_was_there(data_folder: Path) -> bool:
    """Whether a catalog that cannot be read, and has no copy, may have held something."""
    try:
        size = (data_folder / FILE_NAME).stat().st_size
    except FileNotFoundError:
        size = 0
    return size > 0 or _banks_exist(data_folder)


def _bound_to(bank_id: str, key_version: int) -> bytes:
    return f"{bank_id}/{key_version}".encode()


class Catalog:
    """The open catalog.

    `restored` is the path of a damaged or outdated catalog.db that was set aside, or the missing
    file's own, when this start took the catalog from its second copy; else None.
    """

    def __init__(
        self, data_folder: Path, master: bytes, database: Database, contents: Contents
    ) -> None:
        self.restored: Path | None = None
        self._data_folder = data_folder
        self._master = master
        self._wrapping = derive(master, Use.BANK_KEYS)
        self._database = database
        self._generation = contents.generation
        self._entries = {entry.record.bank_id: entry for entry in contents.entries}
        self._by_owner = {
            (entry.record.owner, entry.record.agent): entry.record.bank_id
            for entry in contents.entries
        }
        self._changing = asyncio.Lock()

    @classmethod
    async def open(cls, data_folder: Path, master: bytes) -> Catalog:
        """Open the catalog, restore it from its second copy, or make it in an empty data folder.

        Raises:
            WrongKeyError: neither file opens under this master key.
            DamagedError: the catalog cannot be read and there is no copy to take over.
            NewerSchemaError: a newer build wrote it; nothing was changed.
        """
        await asyncio.to_thread(files.private_folder, data_folder / BANKS_NAME)
        path = data_folder / FILE_NAME
        copy_path = data_folder / COPY_NAME
        key = derive(master, Use.CATALOG)
        found = await _load(path, key)
        copy_fault: WrongKeyError | None = None
        try:
            copy = await asyncio.to_thread(catalog_copy.read, copy_path, master)
        except WrongKeyError as fault:
            copy, copy_fault = None, fault
        if found is not None:
            database, contents = found
            if copy is None or copy.generation <= contents.generation:
                catalog = cls(data_folder, master, database, contents)
                if copy != contents:
                    await catalog._write_copy()
                return catalog
            await database.close()  # an older file was put back: the copy knows more
        elif copy_fault is not None:
            raise WrongKeyError(f"neither {path} nor {copy_path} opens under this master key")
        elif copy is None and await asyncio.to_thread(_something_was_there, data_folder):
            raise DamagedError(f"unreadable (or another key's), and no second copy: {path}")
        set_aside = await asyncio.to_thread(_set_aside, path)
        database = await _make(path, key, copy or Contents(0, ()))
        catalog = cls(data_folder, master, database, copy or Contents(0, ()))
        if copy is None:
            await catalog._write_copy()
        else:
            catalog.restored = set_aside or path
        return catalog

    def find(self, owner: str, agent: str | None) -> BankRecord | None:
        """The bank of an (owner, agent) pair."""
        bank_id = self._by_owner.get((owner, agent))
        return None if bank_id is None else self._entries[bank_id].record

    def banks(self) -> list[BankRecord]:
        """All banks, in the order of their making."""
        records = [entry.record for entry in self._entries.values()]
        return sorted(records, key=lambda record: (record.created_at, record.bank_id))

    def folder(self, bank_id: str) -> Path:
        """The folder of a bank."""
        return self._data_folder / BANKS_NAME / bank_id

    def bank_key(self, bank_id: str) -> bytes:
        """Unwrap a bank's key.

        Raises:
            WrongKeyError: the wrapped key does not belong to this bank.
        """
        entry = self._entries[bank_id]
        return unseal(self._wrapping, entry.wrapped_key, _bound_to(bank_id, entry.key_version))

    async def ensure_bank(
        self, owner: str, agent: str | None, *, enabled: bool
    ) -> tuple[BankRecord, bool]:
        """Give the bank of a pair, making it where there is none.

        The file is made before the binding is committed, so that a bank in the catalog always has
        its file; what a crash leaves between the two is a file whose key is gone.

        Args:
            enabled: of a new bank; one that is there stays as it is.

        Returns:
            The record, and whether the bank was made now.
        """
        async with self._changing:
            record = self.find(owner, agent)
            if record is not None:
                return record, False
            record = BankRecord(
                bank_id=new_bank_id(),
                owner=owner,
                agent=agent,
                epoch=new_epoch(),
                enabled=enabled,
                created_at=time.time_ns() // 1000,
                purge_horizon=0,
            )
            key = new_key()
            folder = self.folder(record.bank_id)
            await (await Bank.open(folder, record.bank_id, key, create=True)).close()
            wrapped = seal(self._wrapping, key, _bound_to(record.bank_id, _KEY_VERSION))
            await self._put(Entry(record, _KEY_VERSION, wrapped))
            return record, True

    async def raise_purge_horizon(self, bank_id: str, horizon: int) -> None:
        """Remember the largest operation time (Unix milliseconds) whose receipt a bank dropped: it
        must outlive the bank's file."""
        async with self._changing:
            entry = self._entries[bank_id]
            if horizon > entry.record.purge_horizon:
                record = replace(entry.record, purge_horizon=horizon)
                await self._put(replace(entry, record=record))

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()

    async def _put(self, entry: Entry) -> None:
        """Commit one entry to the database, then to the copy; then it can be read."""
        generation = self._generation + 1

        def change(connection: Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            _insert(connection, entry)
            _set_generation(connection, generation)
            connection.execute("COMMIT")

        await self._database.run(change)
        self._generation = generation
        self._entries[entry.record.bank_id] = entry
        self._by_owner[entry.record.owner, entry.record.agent] = entry.record.bank_id
        await self._write_copy()

    async def _write_copy(self) -> None:
        contents = Contents(self._generation, tuple(self._entries.values()))
        path = self._data_folder / COPY_NAME
        await asyncio.to_thread(catalog_copy.write, path, self._master, contents)


def _insert(connection: Connection, entry: Entry) -> None:
    record = entry.record
    connection.execute(
        "INSERT OR REPLACE INTO banks(bank_id, owner, agent, agent_key, epoch, enabled,"
        " created_at, purge_horizon, key_version, wrapped_key)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.bank_id,
            record.owner,
            record.agent,
            "0" if record.agent is None else f"1{record.agent}",
            record.epoch,
            record.enabled,
            record.created_at,
            record.purge_horizon,
            entry.key_version,
            entry.wrapped_key,
        ),
    )


def _set_generation(connection: Connection, generation: int) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO meta(key, value) VALUES ('generation', ?)", (generation,)
    )


def _read(connection: Connection) -> Contents | None:
    """Everything in the database; None where its making did not come to the end."""
    if migrate.version(connection) == 0:
        return None
    migrate.migrate(connection, _STEPS)
    found = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    if found is None:
        return None
    rows = connection.execute(
        "SELECT bank_id, owner, agent, epoch, enabled, created_at, purge_horizon, key_version,"
        " wrapped_key FROM banks ORDER BY bank_id"
    ).fetchall()
    return Contents(
        found[0],
        tuple(
            Entry(
                BankRecord(
                    bank_id=row[0],
                    owner=row[1],
                    agent=row[2],
                    epoch=row[3],
                    enabled=bool(row[4]),
                    created_at=row[5],
                    purge_horizon=row[6],
                ),
                key_version=row[7],
                wrapped_key=row[8],
            )
            for row in rows
        ),
    )


async def _load(path: Path, key: bytes) -> tuple[Database, Contents] | None:
    """Open the database and read it; None where it cannot be read."""
    try:
        database = await Database.open(path, key, name="catalog")
    except DamagedError:
        return None
    try:
        contents = await database.run(_read)
    except DamagedError:
        contents = None
    except BaseException:
        await database.close()
        raise
    if contents is None:
        await database.close()
        return None
    return database, contents


def _set_aside(path: Path) -> Path | None:
    """Move a catalog.db that is no good out of the way, with its WAL. Gives its new place."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    there = path.exists()
    for suffix in ("-shm", "-wal", ""):
        name = path.with_name(f"{path.name}{suffix}")
        if name.exists():
            name.rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))
    files.sync_folder(path.parent)
    return path.with_name(f"{path.name}.damaged-{stamp}") if there else None


async def _make(path: Path, key: bytes, contents: Contents) -> Database:
    """Make catalog.db. Its generation is written last, in one transaction with the entries: a
    database without one was never finished."""

    def fill(connection: Connection) -> None:
        migrate.migrate(connection, _STEPS)
        connection.execute("BEGIN IMMEDIATE")
        for entry in contents.entries:
            _insert(connection, entry)
        _set_generation(connection, contents.generation)
        connection.execute("COMMIT")

    database = await Database.open(path, key, create=True, name="catalog")
    try:
        await database.run(fill)
    except BaseException:
        await database.close()
        raise
    return database
