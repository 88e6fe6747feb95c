"""memory.remember, memory.remember_evidence and memory.add: from the request to the bank's
transaction and back.

A short text is screened and its write queued where its line is read; a long one goes by the
screening thread first (`cognid_daemon.intake.worker` says why).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

from pydantic import ValidationError

from cognid.protocol.addressed import Mutation
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import RememberEvidence
from cognid.protocol.intake import Add, IntakeOutcome, Remember, TurnData
from cognid.protocol.validation import describe
from cognid.protocol.values import Provenance, Role
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.write import Write
from cognid_daemon.banks import Banks, Lease
from cognid_daemon.dispatch import Call, Handler, begins
from cognid_daemon.intake import evidence
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.assertion import asserting
from cognid_daemon.intake.identity import check_claims
from cognid_daemon.intake.promotion import prepare
from cognid_daemon.intake.remember import remembering, told_by
from cognid_daemon.intake.screening import credentials_in
from cognid_daemon.intake.worker import is_slow
from cognid_daemon.operations.writing import committed, order_of

S = TypeVar("S")
_TURN_FIELDS: Final = tuple(TurnData.model_fields)


@begins
def _remember(call: Call, request: Remember) -> Awaitable[IntakeOutcome]:
    data = request.event.data
    check_claims(data, request.labels, request.owner, request.agent, request.session_id)
    try:
        turn = TurnData.model_validate({name: data[name] for name in _TURN_FIELDS if name in data})
    except ValidationError as error:
        raise CognidError("invalid_argument", describe(error, "event.data")) from None
    told = told_by(request, turn)
    if told.role is not Role.USER and any(
        one.provenance is Provenance.EXPLICIT for one in told.candidates or ()
    ):
        raise CognidError("invalid_argument", "candidates: only what the user said can be explicit")
    settings = call.daemon.settings.intake
    return _write(
        call,
        request,
        partial(prepare, told, extracts=settings.extract),
        lambda order, prepared: remembering(order, request, told, prepared, settings.roles),
    )


@begins
def _remember_evidence(call: Call, request: RememberEvidence) -> Awaitable[IntakeOutcome]:
    told = evidence.told_by(request)
    settings = call.daemon.settings.intake
    return _write(
        call,
        request,
        partial(prepare, told, extracts=settings.extract),
        lambda order, prepared: evidence.witnessing(order, request, told, prepared, settings.roles),
    )


@begins
def _add(call: Call, request: Add) -> Awaitable[IntakeOutcome]:
    check_claims({}, request.labels, request.owner, request.agent, request.session_id)
    return _write(
        call,
        request,
        partial(credentials_in, request.text),
        lambda order, found: asserting(order, request, found),
    )


_Apply = Callable[[Transaction], IntakeOutcome]
_Writing = Callable[[Order], _Apply]


def _write(
    call: Call, request: Mutation, screen: Callable[[], S], writing: Callable[[Order, S], _Apply]
) -> Awaitable[IntakeOutcome]:
    """Screen what a request says, then queue its write: what a filter stops is written nowhere."""
    if is_slow(request):
        return _write_screened(call, request, screen, writing)
    screened = screen()
    return _queue(call, request, lambda order: writing(order, screened))


async def _write_screened(
    call: Call, request: Mutation, screen: Callable[[], S], writing: Callable[[Order, S], _Apply]
) -> IntakeOutcome:
    screened = await call.daemon.screening.run(screen, call.deadline)
    return await _queue(call, request, lambda order: writing(order, screened))


def _queue(call: Call, request: Mutation, writing: _Writing) -> Awaitable[IntakeOutcome]:
    """Queue a write at once where its bank is open, else once it is."""
    banks = call.daemon.banks
    lease = banks.lease_now(request.owner, request.agent)
    if lease is None:
        return _queue_later(call, request, writing)
    try:
        write = _submit(call, request, writing, lease)
    except BaseException:
        banks.release(lease)
        raise
    return _finish(banks, lease, write)


async def _queue_later(call: Call, request: Mutation, writing: _Writing) -> IntakeOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        return await committed(_submit(call, request, writing, lease))


async def _finish(banks: Banks, lease: Lease, write: Write[IntakeOutcome]) -> IntakeOutcome:
    try:
        return await committed(write)
    finally:
        banks.release(lease)


def _submit(call: Call, request: Mutation, writing: _Writing, lease: Lease) -> Write[IntakeOutcome]:
    order = order_of(call, request, lease)
    return lease.bank.submit(writing(order), deadline=call.deadline)


HANDLERS: Final[dict[str, Handler]] = {
    "memory.remember": _remember,
    "memory.remember_evidence": _remember_evidence,
    "memory.add": _add,
}
