"""Wipe: a bank's end, as one saga that a crash cannot leave half done.

1. The catalog commits the cutoff: a new epoch, and the wipe with the id and wrapped key of the bank
   to come. From here on it is carried to its end, at the next start if need be.
2. The new bank is made. It takes over which operations there were and how they ended, how far each
   stream had come, which trusted evidence was taken, and the forget barriers: no text, no digest of
   one. What is half made is made anew.
3. The catalog puts the new bank in the old one's place and takes the old one's key out.
4. The catalog's files are written anew, so that the old key is in no free place and no copy: what
   anybody kept of the old file cannot be opened any more. Then the old folder is deleted.
5. The wipe is struck off.

Owns: this order, and what is carried over. May not open a bank for others.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cognid_daemon.bank import files, ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.bank.rows import Barrier, LedgerEntry, Receipt
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View
from cognid_daemon.catalog import Catalog
from cognid_daemon.catalog_copy import Cutoff, Switch, Wipe

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_CHUNK: Final = 2_000
_SEALED: Final = "sealed"


@dataclass(frozen=True, slots=True)
class _Kept:
    """What outlives a wiped bank."""

    receipts: Sequence[Receipt]
    cutoffs: Sequence[tuple[str, int]]
    evidence: Sequence[tuple[bytes]]
    barriers: Sequence[Barrier]
    horizon: int
    ledger_entries: int


async def carry_on(catalog: Catalog, wipe: Wipe) -> None:
    """Carry a wipe from where it stands to its end.

    Args:
        wipe: how far it had come is asked of the catalog: a try before this one may have gone on.

    Raises:
        BankError: the disk refused; the wipe stands where it was.
    """
    standing = catalog.wipe_of(wipe.old_bank_id)
    if standing is None:
        return
    wipe = standing
    if not wipe.turned:
        horizon = await _make_new_bank(catalog, wipe)
        await catalog.turn_over(wipe, time.time_ns() // 1000, horizon)
    await catalog.forget_keys()
    await asyncio.to_thread(_delete_folder, catalog.folder(wipe.old_bank_id))
    await catalog.end_wipe(wipe)


def note_cutoff(
    tx: Transaction, cutoff: Cutoff, *, epoch: str, enabled: bool, body: dict[str, Any]
) -> None:
    """Write the receipt and the ledger entry of a switch or a wipe."""
    outcome = {"outcome": "committed", "affected": [], "epoch": epoch, "enabled": enabled}
    tx.add_receipt(
        Receipt(
            operation_id=cutoff.operation_id,
            operation=cutoff.operation,
            digest=cutoff.digest,
            outcome=json.dumps(outcome, separators=(",", ":")),
            authority=cutoff.authority,
        )
    )
    tx.note(
        LedgerEntry(
            operation=cutoff.operation,
            operation_id=cutoff.operation_id,
            authority=cutoff.authority,
            body=json.dumps({"epoch": epoch, **body}, separators=(",", ":")),
            policy_fingerprint=cutoff.policy_fingerprint,
        )
    )


def note_switch(tx: Transaction, switch: Switch) -> None:
    """Write the receipt and the ledger entry of a switch, unless they are there."""
    if tx.receipt(switch.cutoff.operation_id) is not None:
        return
    on = switch.enabled
    note_cutoff(tx, switch.cutoff, epoch=switch.epoch, enabled=on, body={"enabled": on})


async def _make_new_bank(catalog: Catalog, wipe: Wipe) -> int:
    """Make the bank to come, with what is carried over; gives the purge horizon."""
    kept = await _read_old(catalog, wipe)
    folder = catalog.folder(wipe.new_bank_id)
    await asyncio.to_thread(_delete_folder, folder)
    record = catalog.record_of(wipe.old_bank_id)
    bank = await Bank.open(folder, wipe.new_bank_id, catalog.new_key_of(wipe), create=True)

    def begin(tx: Transaction) -> None:
        execute = tx.connection.execute
        for barrier in kept.barriers:
            tx.bar(barrier)
        # The old file goes as a whole, and nothing of it was ever in this one.
        execute("UPDATE barriers SET erased_at = ?", (tx.now,))
        execute("DELETE FROM meta WHERE key = 'vacuum_owed'")
        tx.connection.executemany(
            "INSERT INTO cutoffs(stream, sequence) VALUES (?, ?)", kept.cutoffs
        )
        tx.connection.executemany("INSERT INTO past_evidence(evidence) VALUES (?)", kept.evidence)
        execute("INSERT INTO meta(key, value) VALUES ('purge_horizon', ?)", (kept.horizon,))
        body = {"ledger_entries_before": kept.ledger_entries}
        note_cutoff(tx, wipe.cutoff, epoch=wipe.epoch, enabled=record.enabled, body=body)

    try:
        for start in range(0, len(kept.receipts), _CHUNK):
            part = kept.receipts[start : start + _CHUNK]

            def carry(tx: Transaction, part: Sequence[Receipt] = part) -> None:
                for receipt in part:
                    tx.add_receipt(receipt)

            await bank.submit(carry).outcome()
        await bank.submit(begin).outcome()
    finally:
        await bank.close()
    return kept.horizon


async def _read_old(catalog: Catalog, wipe: Wipe) -> _Kept:
    """Read what is carried over. Of a file that does not open or cannot be read to its end, every
    operation until now is expired: better refused than done twice."""
    key = catalog.bank_key(wipe.old_bank_id)
    folder = catalog.folder(wipe.old_bank_id)
    try:
        bank = await Bank.open(folder, wipe.old_bank_id, key, create=False)
        try:
            return await bank.read(lambda connection: _read(connection, wipe.cutoff.operation_id))
        finally:
            await bank.close()
    except DamagedError:
        barriers = await catalog.barriers(wipe.old_bank_id)
        return _Kept((), (), (), barriers, time.time_ns() // 1_000_000, 0)


def _read(connection: Connection, own: str) -> _Kept:
    rows = connection.execute(
        "SELECT operation_id, operation, outcome, authority, at FROM receipts"
        " WHERE operation_id <> ?",
        (own,),
    ).fetchall()
    streams = connection.execute(
        "SELECT stream, max(sequence) FROM (SELECT stream, sequence FROM events"
        " UNION ALL SELECT stream, sequence FROM cutoffs) GROUP BY stream"
    ).fetchall()
    evidence = connection.execute(
        "SELECT evidence FROM events WHERE evidence IS NOT NULL"
        " UNION SELECT evidence FROM past_evidence"
    ).fetchall()
    view = View(connection)
    return _Kept(
        receipts=[_reduced(*row) for row in rows],
        cutoffs=streams,
        evidence=evidence,
        barriers=view.barriers(),
        horizon=view.purge_horizon(),
        ledger_entries=ledger.head(connection)[0],
    )


def _reduced(operation_id: str, operation: str, outcome: str, authority: str, at: int) -> Receipt:
    """A receipt of before the wipe: what it came to has no effect any more."""
    if operation != _SEALED:
        stored = json.loads(outcome)
        was = stored.get("was", stored.get("outcome"))
        reduced = {"outcome": "no_effect", "reason": "before_cutoff", "was": was}
        outcome = json.dumps(reduced, separators=(",", ":"))
    return Receipt(operation_id, operation, None, outcome, authority, None, at)


def _delete_folder(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
        files.sync_folder(folder.parent)
