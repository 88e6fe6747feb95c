"""Noting: what the ledger says of memories that intake made.

Owns: the form of those entries. They hold ids, codes and digests that are keyed with the memory's
own key, never text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from cognid.protocol.intake import EventReference
from cognid_daemon.bank.rows import LedgerEntry, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.admission import Order

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def note_made(
    tx: Transaction,
    order: Order,
    made: Sequence[StoredMemory],
    event: EventReference | None,
    **more: Any,
) -> None:
    """Write into the ledger that memories were made, of which event, and `more` where there is
    more to say."""
    body = {
        "memories": [
            {
                "id": one.memory_id,
                "revision": one.revision,
                "lifecycle": "current",
                "digest": one.digest,
            }
            for one in made
        ],
        "event": None if event is None else [event.stream, event.sequence],
        **{name: value for name, value in more.items() if value},
    }
    tx.note(
        LedgerEntry(
            operation=order.operation,
            operation_id=order.operation_id,
            authority=order.authority,
            body=_encode(body),
            policy_fingerprint=order.policy_fingerprint,
        )
    )
