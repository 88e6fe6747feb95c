"""The catalog: which banks there are, whose they are, and their wrapped keys.

Owns: catalog.db (encrypted under a key of its own), its second sealed copy, and the choice between
the two at the start. Every change is committed to the database, then to the copy, then told. Reads
are answered from memory. A fresh catalog is never made over banks that are there.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cognid.protocol.ids import new_bank_id as fresh_bank_id
from cognid.protocol.ids import new_epoch
from cognid_daemon import catalog_copy, catalog_file
from cognid_daemon.bank import files
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import (
    BankError,
    DamagedError,
    StorageFailedError,
    StorageFullError,
    WrongKeyError,
)
from cognid_daemon.bank.keys import Use, derive, new_key, seal, unseal
from cognid_daemon.bank.rows import Barrier
from cognid_daemon.catalog_copy import (
    BankRecord,
    Contents,
    Cutoff,
    Entry,
    Switch,
    Wipe,
)

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

COPY_NAME: Final = "catalog.copy"
BANKS_NAME: Final = "banks"
_KEY_VERSION: Final = 1


def data_exists(data_folder: Path) -> bool:
    """Whether a data folder holds anything that a lost master key would lock away."""
    names = (catalog_file.FILE_NAME, COPY_NAME)
    return any((data_folder / name).exists() for name in names) or _banks_exist(data_folder)


def _banks_exist(data_folder: Path) -> bool:
    folder = data_folder / BANKS_NAME
    return folder.is_dir() and next(folder.iterdir(), None) is not None


def _something_was_there(data_folder: Path) -> bool:
    """Whether a catalog that cannot be read, and has no copy, may have held something."""
    try:
        size = (data_folder / catalog_file.FILE_NAME).stat().st_size
    except FileNotFoundError:
        size = 0
    return size > 0 or _banks_exist(data_folder)


def _bound_to(bank_id: str, key_version: int) -> bytes:
    return f"{bank_id}/{key_version}".encode()


@dataclass(frozen=True, slots=True)
class Standing:
    """What the catalog has of a bank: the number of its barriers, the last ledger head it saw
    (sequence and hash) and its last switch; None where there was none."""

    barriers: int
    head: tuple[int, bytes] | None
    switch: Switch | None = None


class Catalog:
    """The open catalog.

    `restored` is the path of a damaged or outdated catalog.db that was set aside, or the missing
    file's own, when this start took the catalog from its second copy; else None.
    """

    def __init__(
        self, data_folder: Path, master: bytes, database: Database, contents: Contents
    ) -> None:
        self.restored: Path | None = None
        self.data_folder = data_folder
        self._master = master
        self._wrapping = derive(master, Use.BANK_KEYS)
        self._database = database
        self._generation = contents.generation
        self._entries = {entry.record.bank_id: entry for entry in contents.entries}
        self._by_owner = {
            (entry.record.owner, entry.record.agent): entry.record.bank_id
            for entry in contents.entries
        }
        self._wipes = {wipe.old_bank_id: wipe for wipe in contents.wipes}
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
        path = data_folder / catalog_file.FILE_NAME
        copy_path = data_folder / COPY_NAME
        key = derive(master, Use.CATALOG)
        found = await catalog_file.load(path, key)
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
                    with suppress(StorageFullError, StorageFailedError):
                        await catalog._write_copy()  # else the next change or start writes it
                return catalog
            await database.close()  # an older file was put back: the copy knows more
        elif copy_fault is not None:
            raise WrongKeyError(f"neither {path} nor {copy_path} opens under this master key")
        elif copy is None and await asyncio.to_thread(_something_was_there, data_folder):
            raise DamagedError(f"unreadable (or another key's), and no second copy: {path}")
        set_aside = await asyncio.to_thread(catalog_file.set_aside, path)
        database = await catalog_file.make(path, key, copy or Contents(0, ()))
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

    def record_of(self, bank_id: str) -> BankRecord:
        """The record of a bank that is there."""
        return self._entries[bank_id].record

    def banks(self) -> list[BankRecord]:
        """All banks, in the order of their making."""
        records = [entry.record for entry in self._entries.values()]
        return sorted(records, key=lambda record: (record.created_at, record.bank_id))

    def folder(self, bank_id: str) -> Path:
        """The folder of a bank."""
        return self.data_folder / BANKS_NAME / bank_id

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
                bank_id=fresh_bank_id(),
                owner=owner,
                agent=agent,
                epoch=new_epoch(),
                enabled=enabled,
                created_at=time.time_ns() // 1000,
                purge_horizon=0,
            )
            key = new_key()
            folder = self.folder(record.bank_id)
            wrapped = seal(self._wrapping, key, _bound_to(record.bank_id, _KEY_VERSION))
            try:
                await (await Bank.open(folder, record.bank_id, key, create=True)).close()
                await self._put(Entry(record, _KEY_VERSION, wrapped))
            except BankError as fault:
                if fault.effect == "none":  # nobody will ever ask for it, and the disk may be full
                    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
                raise
            return record, True

    async def raise_purge_horizon(self, bank_id: str, horizon: int) -> None:
        """Remember the largest operation time (Unix milliseconds) whose receipt a bank dropped: it
        must outlive the bank's file."""
        async with self._changing:
            entry = self._entries[bank_id]
            if horizon > entry.record.purge_horizon:
                record = replace(entry.record, purge_horizon=horizon)
                await self._put(replace(entry, record=record))

    async def begin_epoch(self, bank_id: str, switch: Switch) -> BankRecord:
        """Begin a new epoch of a bank, switched on or off."""
        async with self._changing:
            entry = self._entries[bank_id]
            record = replace(entry.record, epoch=switch.epoch, enabled=switch.enabled)
            await self._put(replace(entry, record=record), switch=switch)
            return record

    async def remember_forgotten(
        self, bank_id: str, barriers: Sequence[Barrier], head: tuple[int, bytes]
    ) -> None:
        """Keep a bank's barriers and its ledger's head, so that no older file of it undoes them.

        One transaction, durable when this returns.
        """

        def change(connection: Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT OR IGNORE INTO barriers(bank_id, memory_id, origin_id, stream, sequence,"
                " made_by, forgotten_at, operation_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        bank_id,
                        one.memory_id,
                        one.origin_id,
                        one.stream,
                        one.sequence,
                        one.made_by,
                        one.forgotten_at,
                        one.operation_id,
                    )
                    for one in barriers
                ],
            )
            connection.execute(
                "INSERT INTO heads(bank_id, sequence, hash) VALUES (?, ?, ?)"
                " ON CONFLICT (bank_id) DO UPDATE SET sequence = excluded.sequence,"
                " hash = excluded.hash",
                (bank_id, *head),
            )
            connection.execute("COMMIT")

        await self._database.run(change)

    async def standing(self, bank_id: str) -> Standing:
        """How many barriers the catalog has of a bank, the last ledger head it saw, and the last
        switch it made."""

        def read(connection: Connection) -> Standing:
            (count,) = connection.execute(
                "SELECT count(*) FROM barriers WHERE bank_id = ?", (bank_id,)
            ).fetchone()
            head = connection.execute(
                "SELECT sequence, hash FROM heads WHERE bank_id = ?", (bank_id,)
            ).fetchone()
            return Standing(count, head, catalog_file.last_switch(connection, bank_id))

        return await self._database.run(read)

    async def barriers(self, bank_id: str) -> list[Barrier]:
        """The barriers that the catalog has of a bank."""

        def read(connection: Connection) -> list[Barrier]:
            rows = connection.execute(
                "SELECT memory_id, origin_id, stream, sequence, made_by, forgotten_at, operation_id"
                " FROM barriers WHERE bank_id = ?",
                (bank_id,),
            ).fetchall()
            return [Barrier(*row) for row in rows]

        return await self._database.run(read)

    # The wipe; `wipe.py` knows its order.

    def wipes(self) -> list[Wipe]:
        """The wipes that are not at their end."""
        return list(self._wipes.values())

    def wipe_of(self, old_bank_id: str) -> Wipe | None:
        """The wipe of a bank as it stands; None where it is at its end, or was never begun."""
        return self._wipes.get(old_bank_id)

    async def begin_wipe(self, bank_id: str, epoch: str, cutoff: Cutoff) -> Wipe:
        """Make the cutoff: from here on the wipe is carried to its end, whatever happens."""
        async with self._changing:
            entry = self._entries[bank_id]
            new_bank_id = fresh_bank_id()
            wrapped = seal(self._wrapping, new_key(), _bound_to(new_bank_id, _KEY_VERSION))
            wipe = Wipe(bank_id, new_bank_id, epoch, cutoff, _KEY_VERSION, wrapped)
            record = replace(entry.record, epoch=epoch)
            await self._put(replace(entry, record=record), wipe)
            return wipe

    def new_key_of(self, wipe: Wipe) -> bytes:
        """The key of the bank that a wipe is to make; not once it is turned."""
        bound_to = _bound_to(wipe.new_bank_id, wipe.key_version)
        return unseal(self._wrapping, wipe.wrapped_key, bound_to)

    async def turn_over(self, wipe: Wipe, created_at: int, horizon: int) -> BankRecord:
        """Put the new bank in the old one's place, and take the old one's key out of database and
        copy."""
        async with self._changing:
            record = self._entries[wipe.old_bank_id].record
            record = replace(
                record,
                bank_id=wipe.new_bank_id,
                created_at=created_at,
                purge_horizon=max(horizon, record.purge_horizon),
            )
            entry = Entry(record, wipe.key_version, wipe.wrapped_key)
            turned = replace(wipe, turned=True, wrapped_key=b"")
            await self._put(entry, turned, gone=wipe.old_bank_id)
            return record

    async def forget_keys(self) -> None:
        """Let no file hold a key that was taken out: the database is written anew without its free
        places, and damaged catalogs that were set aside are deleted."""
        async with self._changing:
            await asyncio.to_thread(catalog_file.delete_set_aside, self.data_folder)
            await self._database.run(catalog_file.compact)
            await self._write_copy()

    async def end_wipe(self, wipe: Wipe) -> None:
        """Strike a wipe off: nothing of the old bank is left. The new one may be gone by then too,
        by a wipe of its own."""
        async with self._changing:
            await self._put(None, ended=wipe)

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()

    async def _put(
        self,
        entry: Entry | None,
        wipe: Wipe | None = None,
        *,
        switch: Switch | None = None,
        gone: str | None = None,
        ended: Wipe | None = None,
    ) -> None:
        """Commit one change to the database, then to the copy; then it can be read.

        Args:
            entry: a bank, or what it has become.
            wipe: begun or carried on with it.
            switch: of the bank.
            gone: the bank whose place the entry takes.
            ended: a wipe that is at its end.
        """
        generation = self._generation + 1
        committing = False

        def change(connection: Connection) -> None:
            nonlocal committing
            execute = connection.execute
            execute("BEGIN IMMEDIATE")
            if gone is not None:
                execute("DELETE FROM banks WHERE bank_id = ?", (gone,))
                execute("DELETE FROM heads WHERE bank_id = ?", (gone,))
                execute("DELETE FROM meta WHERE key = ?", (f"switch {gone}",))
            if gone is not None and entry is not None:
                execute(
                    "UPDATE barriers SET bank_id = ? WHERE bank_id = ?",
                    (entry.record.bank_id, gone),
                )
            if entry is not None:
                catalog_file.insert(connection, entry)
            if entry is not None and switch is not None:
                catalog_file.insert_switch(connection, entry.record.bank_id, switch)
            if wipe is not None:
                catalog_file.insert_wipe(connection, wipe)
            if ended is not None:
                execute("DELETE FROM wipes WHERE old_bank_id = ?", (ended.old_bank_id,))
            catalog_file.set_generation(connection, generation)
            committing = True
            execute("COMMIT")

        try:
            await self._database.run(change)
        except BankError as fault:
            if not committing or not await self._is_there(generation, fault):
                raise
        self._generation = generation
        if gone is not None:
            del self._entries[gone]
        if entry is not None:
            self._entries[entry.record.bank_id] = entry
            self._by_owner[entry.record.owner, entry.record.agent] = entry.record.bank_id
        if wipe is not None:
            self._wipes[wipe.old_bank_id] = wipe
        if ended is not None:
            self._wipes.pop(ended.old_bank_id, None)
        await self._write_copy()

    async def _is_there(self, generation: int, fault: BankError) -> bool:
        """Whether a change is in the database although its COMMIT failed: one that is, or that the
        next start would find in the WAL, must not be told as one that did not happen.

        Raises:
            BankError: it cannot be told; the effect is unknown.
        """
        with suppress(BankError):
            there = await self._database.run(catalog_file.settled_generation)
            if there is not None:
                return there == generation
        if fault.detail == "SQLITE_FULL":
            return False  # the WAL ends before the frame that would commit
        raise type(fault)(fault.detail, effect="unknown") from None

    async def _write_copy(self) -> None:
        contents = Contents(
            self._generation, tuple(self._entries.values()), tuple(self._wipes.values())
        )
        path = self.data_folder / COPY_NAME
        try:
            await asyncio.to_thread(catalog_copy.write, path, self._master, contents)
        except OSError as error:
            # The database has the change, and the next start writes the copy anew.
            fault = StorageFullError if error.errno in files.FULL else StorageFailedError
            raise fault(f"the catalog's copy: {error.strerror}", effect="unknown") from None
