"""How a handler writes: under which order, and waiting until its true outcome is known.

Owns: the meeting of cancellation and COMMIT. A write whose COMMIT has begun cannot be called off,
and what has to follow it is done whatever the caller does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from cognid.protocol.addressed import Mutation
from cognid.protocol.canonical import request_digest
from cognid_daemon.bank.errors import BankError
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.write import Write
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call
from cognid_daemon.intake.admission import Order

T = TypeVar("T")


def order_of(call: Call, request: Mutation, lease: Lease) -> Order:
    """Who asks for a write, under which id, policy and epoch."""
    return Order(
        operation_id=request.operation_id,
        operation=call.method,
        digest=request_digest(call.method, call.params),
        authority=call.connection.credential_id,
        policy_fingerprint=request.policy_fingerprint,
        epoch=lease.record.epoch,
        enabled=lease.record.enabled,
        horizon=lease.record.purge_horizon,
        fence=lease.bank.fence,
    )


async def committed(write: Write[T]) -> T:
    """The outcome of a write; cancelling this calls the write off, or waits where that is too late.

    Raises:
        CancelledError: the write was called off; nothing happened.
    """
    try:
        return await write.outcome()
    except asyncio.CancelledError:
        if write.cancel():
            raise
        return await write.outcome()


async def committed_with_ballast(
    call: Call,
    request: Mutation,
    lease: Lease,
    writing: Callable[[Order], Callable[[Transaction], T]],
) -> T:
    """The outcome of a write that takes something away, so that it must work on a full disk."""
    order = order_of(call, request, lease)

    async def write() -> T:
        return await committed(lease.bank.submit(writing(order), deadline=call.deadline))

    return await call.daemon.banks.with_ballast(write)


async def scrubbed(lease: Lease) -> bool:
    """What follows the COMMIT of what takes text away: WAL and copies hold nothing of it any more.

    Returns:
        Whether its bytes are gone from every file; else the VACUUM is owed.
    """
    try:
        await lease.bank.eraser.scrub()
    except BankError:
        return False  # the VACUUM that is owed does it again
    return await lease.bank.eraser.is_even()


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Do what has to follow a COMMIT; cancelling this waits for it all the same."""
    task = asyncio.get_running_loop().create_task(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
        except Exception:  # noqa: S110 # it is raised below, from the task itself
            pass
    return task.result()
