"""operation.resolve: what became of a write, settled for good.

The question is itself a write in the bank's queue, so it comes after everything that arrived
before it: an id without a receipt has not arrived, and sealing it keeps it that way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from cognid.protocol.operations import (
    Expired,
    Pending,
    Resolution,
    Resolve,
    ResolvedCommitted,
    ResolvedRefused,
    Sealed,
)
from cognid_daemon.bank.rows import Receipt
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import SEALED, is_expired
from cognid_daemon.operations.writing import committed

_TOOK_EFFECT: Final = frozenset({"committed", "appended", "cleared", "replaced", "dropped"})
"""Outcomes that say that something was done."""


async def _resolve(call: Call, request: Resolve) -> Resolution:
    whose = (request.owner, request.agent)
    if not call.in_turn or call.daemon.cutoffs.is_under_way(whose, request.operation_id):
        return Pending(operation_id=request.operation_id)
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        switch = lease.held.switch
        if switch is not None and switch.cutoff.operation_id == request.operation_id:
            return Pending(operation_id=request.operation_id)  # the disk did not take its receipt
        settle = resolving(
            request.operation_id, call.connection.credential_id, lease.record.purge_horizon
        )
        write = lease.bank.submit(settle, deadline=call.deadline)
        return await committed(write)


def resolving(
    operation_id: str, authority: str, horizon: int
) -> Callable[[Transaction], Resolution]:
    """The write that settles an operation id, to be run in the bank's transaction."""

    def apply(tx: Transaction) -> Resolution:
        receipt = tx.receipt(operation_id)
        if receipt is None:
            if is_expired(tx, operation_id, horizon):
                return Expired(operation_id=operation_id)
            tx.add_receipt(
                Receipt(
                    operation_id=operation_id,
                    operation=SEALED,
                    digest=None,
                    outcome="{}",
                    authority=authority,
                )
            )
            return Sealed(operation_id=operation_id)
        if receipt.operation == SEALED:
            return Sealed(operation_id=operation_id)
        stored = json.loads(receipt.outcome)
        # What a wipe left of a receipt says what it was.
        if not _TOOK_EFFECT.isdisjoint((stored["outcome"], stored.get("was"))):
            return ResolvedCommitted(operation_id=operation_id, stored=stored)
        return ResolvedRefused(operation_id=operation_id, stored=stored)

    return apply


HANDLERS: Final[dict[str, Handler]] = {"operation.resolve": _resolve}
