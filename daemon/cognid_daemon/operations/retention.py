"""memory.pin: keep a memory beyond its term, revive one that has expired, or take the pin away.

It needs a manager handle and answers with a fresh projection, as the changes of `authority` do.
"""

from __future__ import annotations

from typing import Final

from cognid.protocol.retention import Pin, PinOutcome
from cognid_daemon.authority.pin import pinning
from cognid_daemon.authority.receipts import Warrant
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.operations.projections import projected
from cognid_daemon.operations.writing import committed, order_of


async def _pin(call: Call, request: Pin) -> PinOutcome:
    managers = call.connection.managers
    warrant = Warrant(managers.epoch_of(request.handle, request.owner, request.agent))
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(pinning(order, request, warrant), deadline=call.deadline)
        outcome = await committed(write)
        lease.bank.sweeper.wake()  # without its pin the memory may be past its term
    return await projected(call, request, outcome)


HANDLERS: Final[dict[str, Handler]] = {"memory.pin": _pin}
