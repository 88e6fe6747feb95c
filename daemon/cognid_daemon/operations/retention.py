"""memory.pin: keep a memory beyond its term, revive one that has expired, or take the pin away.

It needs a manager handle and answers with a fresh projection, as the changes of `authority` do.
"""

from __future__ import annotations

from typing import Final

from cognid.protocol.authority import Unaffected
from cognid.protocol.retention import Pin, Pinned, PinOutcome
from cognid_daemon.authority.pin import pinning
from cognid_daemon.authority.receipts import Warrant
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.operations.projections import projection_of
from cognid_daemon.operations.writing import committed, order_of, to_the_end


async def _pin(call: Call, request: Pin) -> PinOutcome:
    managers = call.connection.managers
    warrant = Warrant(managers.epoch_of(request.handle, request.owner, request.agent))
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(pinning(order, request, warrant), deadline=call.deadline)
        outcome = await committed(write)
        lease.bank.sweeper.wake()  # without its pin the memory may be past its term
    if not isinstance(outcome, Pinned | Unaffected):
        return outcome
    projection = await to_the_end(projection_of(call, request))
    return outcome.model_copy(update={"projection": projection})


HANDLERS: Final[dict[str, Handler]] = {"memory.pin": _pin}
