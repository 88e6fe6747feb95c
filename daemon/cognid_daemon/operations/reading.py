"""How a handler reads what may be taken away at any time: messages, lanes, and memories that need
not be current.

Owns: the check that an answer shows nothing that was gone when it was made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from cognid.protocol.addressed import Addressed
from cognid.protocol.recall import Disabled
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

R = TypeVar("R", bound=Addressed)
T = TypeVar("T")


async def read_whole(
    call: Call, request: R, read: Callable[[Call, R, Lease], Awaitable[T]]
) -> T | Disabled:
    """Read, and again where something was cleared, dropped, forgotten, wiped or switched off
    meanwhile: `read` keeps the deadline."""
    banks = call.daemon.banks
    while True:
        async with banks.lease(request.owner, request.agent, call.deadline) as lease:
            if not lease.record.enabled:
                return Disabled(epoch=lease.record.epoch)
            with lease.bank.watch() as watch:
                found = await read(call, request, lease)
            now = banks.record(request.owner, request.agent)
            if not watch.erased and (now.epoch, now.enabled) == (lease.record.epoch, True):
                return found


async def read_kept(
    lease: Lease, read: Callable[[Connection], T], deadline: float
) -> tuple[T, set[int]]:
    """Read, and again where something was forgotten meanwhile: of what was not current any more
    nothing else tells.

    Returns:
        What was read, and the revisions that ceased to be current since.
    """
    while True:
        with lease.bank.watch() as watch:
            found = await lease.bank.read(read, deadline=deadline)
        if not watch.erased:
            return found, watch.removed
