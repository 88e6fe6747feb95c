"""The file catalog.db: its tables, how it is read whole, made, written anew and set aside.

Owns: the SQL of banks and wipes, and the form of the file. May not decide which of the catalog's
two files is right: `catalog` does.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import files, migrate
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.bank.migrate import Step
from cognid_daemon.catalog_copy import (
    BankRecord,
    Contents,
    Entry,
    Switch,
    Wipe,
    switch_form,
    switch_of,
    wipe_form,
    wipe_of,
)

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

FILE_NAME: Final = "catalog.db"

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
            # What must outlive a bank's file: its forget barriers and how far its ledger was.
            """CREATE TABLE barriers(
                bank_id TEXT NOT NULL,
                memory_id TEXT NOT NULL,
                origin_id TEXT NOT NULL,
                stream TEXT,
                sequence INTEGER,
                made_by TEXT,
                forgotten_at INTEGER NOT NULL,
                operation_id TEXT,
                PRIMARY KEY (bank_id, memory_id)) WITHOUT ROWID""",
            """CREATE TABLE heads(
                bank_id TEXT PRIMARY KEY,
                sequence INTEGER NOT NULL,
                hash BLOB NOT NULL) WITHOUT ROWID""",
            "CREATE TABLE wipes(old_bank_id TEXT PRIMARY KEY, form TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
)


def insert_switch(connection: Connection, bank_id: str, switch: Switch) -> None:
    """Note a bank's last switch, inside the open transaction that makes it."""
    connection.execute(
        "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)",
        (f"switch {bank_id}", json.dumps(switch_form(switch))),
    )


def last_switch(connection: Connection, bank_id: str) -> Switch | None:
    """A bank's last switch."""
    row = connection.execute(
        "SELECT value FROM meta WHERE key = ?", (f"switch {bank_id}",)
    ).fetchone()
    return None if row is None else switch_of(json.loads(row[0]))


def insert_wipe(connection: Connection, wipe: Wipe) -> None:
    """Put a wipe, or how far it has come, inside the open transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO wipes(old_bank_id, form) VALUES (?, ?)",
        (wipe.old_bank_id, json.dumps(wipe_form(wipe))),
    )


def compact(connection: Connection) -> None:
    """Write the file anew, so that no free place of a page holds a key that was deleted."""
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def delete_set_aside(data_folder: Path) -> None:
    """Delete the damaged catalogs that were kept: they hold the wrapped keys of their time."""
    for name in data_folder.glob(f"{FILE_NAME}.damaged-*"):
        name.unlink(missing_ok=True)
    files.sync_folder(data_folder)


def insert(connection: Connection, entry: Entry) -> None:
    """Put a bank, or what it has become, inside the open transaction."""
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


def set_generation(connection: Connection, generation: int) -> None:
    """Count a change of banks or wipes, inside the open transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO meta(key, value) VALUES ('generation', ?)", (generation,)
    )


def settled_generation(connection: Connection) -> int | None:
    """The generation that the file holds for good, the WAL folded in and made empty: no frame in it
    can bring another one back. None where somebody still reads from it."""
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        return None
    row = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    return int(row[0])


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
    wipes = connection.execute("SELECT form FROM wipes ORDER BY old_bank_id").fetchall()
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
        tuple(wipe_of(json.loads(form)) for (form,) in wipes),
    )


async def load(path: Path, key: bytes) -> tuple[Database, Contents] | None:
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


def set_aside(path: Path) -> Path | None:
    """Move a catalog.db that is no good out of the way, with its WAL. Gives its new place."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    there = path.exists()
    for suffix in ("-shm", "-wal", ""):
        name = path.with_name(f"{path.name}{suffix}")
        if name.exists():
            name.rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))
    files.sync_folder(path.parent)
    return path.with_name(f"{path.name}.damaged-{stamp}") if there else None


async def make(path: Path, key: bytes, contents: Contents) -> Database:
    """Make catalog.db. Its generation is written last, in one transaction with the entries: a
    database without one was never finished."""

    def fill(connection: Connection) -> None:
        migrate.migrate(connection, _STEPS)
        connection.execute("BEGIN IMMEDIATE")
        for entry in contents.entries:
            insert(connection, entry)
        for wipe in contents.wipes:
            insert_wipe(connection, wipe)
        set_generation(connection, contents.generation)
        connection.execute("COMMIT")

    database = await Database.open(path, key, create=True, name="catalog")
    try:
        await database.run(fill)
    except BaseException:
        await database.close()
        raise
    return database
