"""Bare commits: the rows of one memory.add or memory.remember, one transaction each, one thread.

What the daemon's writes are measured against: the same file, settings, rows and code of the bank
room, without socket, protocol, admission and groups. Runs as a process of its own beside the daemon
(`python -m measure.bare FOLDER`), so that a preload shim can slow its fsyncs as well. A line on
standard input, `add 50` or `remember 50`, is answered by a line with a JSON list of 50 seconds.

Owns: which rows those are; a test holds them against what the daemon writes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from cognid.protocol.ids import new_bank_id, new_epoch, new_operation_id
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.rows import Decision, LedgerEntry, NewEvent, NewMemory, Receipt
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.upkeep import Upkeep
from measure.texts import Texts

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

Operation = Literal["add", "remember"]

_STREAM: Final = "bench"
_AUTHORITY: Final = f"crd_{secrets.token_hex(16)}"
_EPOCH: Final = new_epoch()


def write_rows(tx: Transaction, operation: Operation, text: str, sequence: int) -> None:
    """Write what one memory.add or memory.remember writes."""
    event_rowid = event = None
    if operation == "remember":
        event = [_STREAM, sequence]
        digest = hashlib.sha256(text.encode()).digest()
        event_rowid = tx.add_event(
            NewEvent(_STREAM, sequence, "message", digest, Decision.COMMITTED)
        )
    stored = tx.add_memory(
        NewMemory(
            kind=Kind.REMARK if operation == "remember" else Kind.FACT,
            role=Role.USER,
            provenance=Provenance.EXPLICIT,
            text=text,
            confidence=1.0,
            event_rowid=event_rowid,
            span=None if event_rowid is None else (0, len(text)),
            extractor="turn" if operation == "remember" else "assertion",
        )
    )
    operation_id = new_operation_id()
    made = {"id": stored.memory_id, "revision": 1, "lifecycle": "current", "digest": stored.digest}
    tx.note(
        LedgerEntry(
            operation=f"memory.{operation}",
            operation_id=operation_id,
            authority=_AUTHORITY,
            body=json.dumps({"memories": [made], "event": event}, separators=(",", ":")),
        )
    )
    answer = {
        "outcome": "committed",
        "memories": [{"memory_id": stored.memory_id, "revision": 1, "kind": "fact"}],
        "event": event,
        "epoch": _EPOCH,
    }
    tx.add_receipt(
        Receipt(
            operation_id=operation_id,
            operation=f"memory.{operation}",
            digest=hashlib.sha256(operation_id.encode()).digest(),
            outcome=json.dumps(answer, separators=(",", ":")),
            authority=_AUTHORITY,
            memory_rowid=stored.memory_rowid,
        )
    )


def committing(
    operation: Operation, texts: list[str], first: int, upkeep: Upkeep
) -> Callable[[Connection], list[float]]:
    """The work of one round, for the writer's own thread: a timed transaction a text.

    Upkeep is done between them, untimed, so that the lexical index has as few segments as the
    daemon's.
    """

    def work(connection: Connection) -> list[float]:
        took = []
        for sequence, text in enumerate(texts, first):
            began = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            write_rows(Transaction(connection, time.time_ns() // 1000), operation, text, sequence)
            connection.execute("COMMIT")
            took.append(time.perf_counter() - began)
            upkeep.committed()
            while upkeep.due:
                upkeep.step(connection)
        return took

    return work


async def _serve(folder: Path) -> None:
    texts = Texts(seed=2)
    bank_id = new_bank_id()
    bank = await Bank.open(folder / bank_id, bank_id, secrets.token_bytes(32), create=True)
    sequence, upkeep = 1, Upkeep()
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            operation, count = line.split()
            drawn = list(texts.turns(int(count)))
            name: Operation = "add" if operation == "add" else "remember"
            took = await bank.alone(committing(name, drawn, sequence, upkeep))
            sequence += len(drawn)
            print(json.dumps(took), flush=True)
    finally:
        await bank.close()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
