"""memory.remember and memory.add: from the request to the bank's transaction and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydantic import ValidationError

from cognid.protocol.addressed import Mutation
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import Add, IntakeOutcome, Remember, TurnData
from cognid.protocol.validation import describe
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.assertion import asserting
from cognid_daemon.intake.identity import check_claims
from cognid_daemon.intake.remember import remembering
from cognid_daemon.operations.writing import committed, order_of

_TURN_FIELDS: Final = tuple(TurnData.model_fields)


async def _remember(call: Call, request: Remember) -> IntakeOutcome:
    data = request.event.data
    check_claims(data, request.labels, request.owner, request.agent, request.session_id)
    try:
        turn = TurnData.model_validate({name: data[name] for name in _TURN_FIELDS if name in data})
    except ValidationError as error:
        raise CognidError("invalid_argument", describe(error, "event.data")) from None
    kept = call.daemon.settings.intake.roles
    return await _write(call, request, lambda order: remembering(order, request, turn, kept))


async def _add(call: Call, request: Add) -> IntakeOutcome:
    check_claims({}, request.labels, request.owner, request.agent, request.session_id)
    return await _write(call, request, lambda order: asserting(order, request))


async def _write(
    call: Call,
    request: Mutation,
    writing: Callable[[Order], Callable[[Transaction], IntakeOutcome]],
) -> IntakeOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(writing(order), deadline=call.deadline)
        return await committed(write)


HANDLERS: Final[dict[str, Handler]] = {"memory.remember": _remember, "memory.add": _add}
