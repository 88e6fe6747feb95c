"""Real banks for tests: opened in a folder, filled the way that a remember fills them."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from cognid.protocol.ids import new_operation_id
from cognid.protocol.values import Kind, Provenance, Role
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.rows import (
    Decision,
    LedgerEntry,
    NewEvent,
    NewMemory,
    Receipt,
    StoredMemory,
)
from cognid_daemon.bank.transaction import Transaction

BANK_ID = "bnk_00000000000000000000000000000001"
KEY = bytes(range(32))


@asynccontextmanager
async def opened(
    folder: Path, *, create: bool = True, key: bytes = KEY, keeping: Keeping = KEEP_ALL
) -> AsyncIterator[Bank]:
    """A bank that is closed at the end."""
    bank = await Bank.open(folder, BANK_ID, key, create=create, keeping=keeping)
    try:
        yield bank
    finally:
        await bank.close()


def remark(
    text: str, *, session_id: str | None = None, event_rowid: int | None = None
) -> NewMemory:
    """A user's remark."""
    return NewMemory(
        kind=Kind.REMARK,
        role=Role.USER,
        provenance=Provenance.EXPLICIT,
        text=text,
        session_id=session_id,
        event_rowid=event_rowid,
    )


def remembering(
    text: str, *, sequence: int, operation_id: str | None = None
) -> Callable[[Transaction], StoredMemory]:
    """The whole write of one remember: event, memory, receipt and ledger entry."""
    operation = operation_id or new_operation_id()
    digest = os.urandom(32)

    def apply(tx: Transaction) -> StoredMemory:
        event = tx.add_event(
            NewEvent(
                stream="s",
                sequence=sequence,
                type="user_message",
                hash=digest,
                decision=Decision.COMMITTED,
            )
        )
        stored = tx.add_memory(remark(text, event_rowid=event))
        outcome = json.dumps({"outcome": "committed", "memory_id": stored.memory_id})
        tx.add_receipt(
            Receipt(
                operation_id=operation,
                operation="memory.remember",
                digest=digest,
                outcome=outcome,
                authority="crd_test",
                memory_rowid=stored.memory_rowid,
            )
        )
        body = json.dumps({"memory_id": stored.memory_id, "digest": stored.digest})
        tx.note(
            LedgerEntry(
                operation="memory.remember",
                operation_id=operation,
                authority="crd_test",
                body=body,
            )
        )
        return stored

    return apply
