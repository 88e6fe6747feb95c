"""memory.remember and memory.add: from the request to the bank's transaction and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from pydantic import ValidationError

from cognid.protocol.addressed import Mutation
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import Add, IntakeOutcome, Remember, TurnData
from cognid.protocol.validation import describe
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.write import Write
from cognid_daemon.banks import Banks, Lease
from cognid_daemon.dispatch import Call, Handler, begins
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.assertion import asserting
from cognid_daemon.intake.identity import check_claims
from cognid_daemon.intake.remember import remembering
from cognid_daemon.operations.writing import committed, order_of

_TURN_FIELDS: Final = tuple(TurnData.model_fields)


@begins
def _remember(call: Call, request: Remember) -> Awaitable[IntakeOutcome]:
    data = request.event.data
    check_claims(data, request.labels, request.owner, request.agent, request.session_id)
    try:
        turn = TurnData.model_validate({name: data[name] for name in _TURN_FIELDS if name in data})
    except ValidationError as error:
        raise CognidError("invalid_argument", describe(error, "event.data")) from None
    kept = call.daemon.settings.intake.roles
    return _write(call, request, lambda order: remembering(order, request, turn, kept))


@begins
def _add(call: Call, request: Add) -> Awaitable[IntakeOutcome]:
    check_claims({}, request.labels, request.owner, request.agent, request.session_id)
    return _write(call, request, lambda order: asserting(order, request))


_Writing = Callable[[Order], Callable[[Transaction], IntakeOutcome]]


def _write(call: Call, request: Mutation, writing: _Writing) -> Awaitable[IntakeOutcome]:
    """Queue a write at once where its bank is open, else once it is."""
    banks = call.daemon.banks
    lease = banks.lease_now(request.owner, request.agent)
    if lease is None:
        return _write_later(call, request, writing)
    try:
        write = _submit(call, request, writing, lease)
    except BaseException:
        banks.release(lease)
        raise
    return _finish(banks, lease, write)


async def _write_later(call: Call, request: Mutation, writing: _Writing) -> IntakeOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        return await committed(_submit(call, request, writing, lease))


async def _finish(banks: Banks, lease: Lease, write: Write[IntakeOutcome]) -> IntakeOutcome:
    try:
        return await committed(write)
    finally:
        banks.release(lease)


def _submit(call: Call, request: Mutation, writing: _Writing, lease: Lease) -> Write[IntakeOutcome]:
    order = order_of(call, request, lease)
    return lease.bank.submit(writing(order), deadline=call.deadline)


HANDLERS: Final[dict[str, Handler]] = {"memory.remember": _remember, "memory.add": _add}
