"""Agreement: bank and catalog tell each other what was forgotten, before anybody reads the bank.

SQLite does not commit two files at once, so a forget is in the bank first and then in the catalog.
A crash between the two, or a bank file that somebody put back, is mended here: barriers of the bank
are copied up, those of the catalog applied down. A switch is in the catalog first, and its receipt
in the bank follows.

Owns: that repair, and what tells a bank file that is older than the catalog saw it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from cognid.protocol.ids import operation_milliseconds
from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, StorageFailedError, StorageFullError
from cognid_daemon.bank.rows import Barrier, LedgerEntry
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View
from cognid_daemon.catalog import Catalog
from cognid_daemon.catalog_copy import Switch
from cognid_daemon.wipe import note_switch

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

Insisting = Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]
"""Runs a write that must work on a full disk too."""


async def agree(catalog: Catalog, bank: Bank, insisting: Insisting) -> tuple[bool, bool]:
    """Bring the barriers of bank and catalog together.

    Returns:
        Whether the bank's file is older than what the catalog saw of it, and whether the catalog
        knows all that the bank does: a disk that does not take that keeps nobody from reading.
    """
    bank_id = bank.bank_id
    standing = await catalog.standing(bank_id)
    here, head = await bank.read(lambda connection: _standing(connection, standing.head))
    rolled_back = standing.head is not None and head != standing.head[1]
    await _note_switch(bank, standing.switch, insisting)
    if not rolled_back and here == standing.barriers:
        return False, True
    theirs = {one.memory_id: one for one in await catalog.barriers(bank_id)}
    ours = {one.memory_id: one for one in await bank.read(lambda c: View(c).barriers())}
    down = [one for memory_id, one in theirs.items() if memory_id not in ours]

    def obey(tx: Transaction) -> None:
        for barrier in down:
            tx.obey(barrier)
        body = {"rolled_back": rolled_back, "forgotten": [one.memory_id for one in down]}
        text = json.dumps(body, separators=(",", ":"))
        tx.note(LedgerEntry("bank.open", None, "catalog", text))

    if down or rolled_back:
        await insisting(lambda: bank.submit(obey).outcome())
        await bank.eraser.scrub()
    up = [one for memory_id, one in ours.items() if memory_id not in theirs]
    head_now = await bank.read(ledger.head)
    try:
        await insisting(lambda: catalog.remember_forgotten(bank_id, up, head_now))
    except (StorageFullError, StorageFailedError):
        return rolled_back, False
    return rolled_back, True


def to_be_told(
    connection: Connection, barriers: Sequence[Barrier], *, everything: bool
) -> tuple[Sequence[Barrier], tuple[int, bytes], bool]:
    """What the catalog is to know after a forget: its barriers, or with `everything` all that there
    are, and the ledger's head; and whether the bytes of what it took are gone by now."""
    view = View(connection)
    erased = view.all_erased([one.memory_id for one in barriers])
    return view.barriers() if everything else barriers, ledger.head(connection), erased


async def _note_switch(bank: Bank, switch: Switch | None, insisting: Insisting) -> None:
    """Let the bank have the receipt of a switch that the catalog has made: a crash between the two
    must not leave one that `operation.resolve` takes for one that never arrived."""
    if switch is None:
        return
    operation_id = switch.cutoff.operation_id
    if await bank.read(lambda connection: _is_told(connection, operation_id)):
        return
    with suppress(BankError):  # the next opening tells it
        await insisting(lambda: bank.submit(partial(note_switch, switch=switch)).outcome())


def _is_told(connection: Connection, operation_id: str) -> bool:
    """Whether there is a receipt of an operation, or was one."""
    view = View(connection)
    if view.receipt(operation_id) is not None:
        return True
    return operation_milliseconds(operation_id) <= view.purge_horizon()


def _standing(connection: Connection, seen: tuple[int, bytes] | None) -> tuple[int, bytes | None]:
    """The number of a bank's barriers, and the hash of the ledger entry that the catalog saw."""
    (count,) = connection.execute("SELECT count(*) FROM barriers").fetchone()
    if seen is None:
        return count, None
    return count, ledger.hash_at(connection, seen[0])
