"""memory.correct, memory.forget and its preview, bank.set_enabled, bank.delete_all.

All of them need a manager handle, and each answers with a fresh projection. What changes in the
bank is decided in `cognid_daemon.authority`, inside its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol.addressed import Addressed, Mutation
from cognid.protocol.authority import (
    EXCERPT_CHARACTERS,
    AffectedView,
    AlreadyAbsent,
    Changed,
    Correct,
    CorrectOutcome,
    CutoffOutcome,
    CutoffPending,
    DeleteAll,
    Forget,
    ForgetOutcome,
    ForgetPreview,
    Preview,
    SetEnabled,
    Targets,
    TargetsConflict,
    ToolCorrect,
    Unaffected,
)
from cognid.protocol.canonical import request_digest
from cognid_daemon.authority.correct import Corrected, correcting
from cognid_daemon.authority.forget import (
    Previewed,
    excerpt_of,
    forgetting,
    preview_filters,
    preview_targets,
)
from cognid_daemon.authority.receipts import Warrant, keep, met
from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.banks import Lease
from cognid_daemon.catalog_copy import Cutoff
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.intake.screening import credentials_in
from cognid_daemon.managers import check_epoch
from cognid_daemon.operations.configure import filters_of
from cognid_daemon.operations.projections import new_handle, projected
from cognid_daemon.operations.reading import read_kept
from cognid_daemon.operations.writing import (
    committed,
    committed_with_ballast,
    order_of,
    to_the_end,
)

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_CUTOFFS: Final[TypeAdapter[CutoffOutcome]] = TypeAdapter(
    CutoffOutcome, config=ConfigDict(hide_input_in_errors=True)
)


async def _correct(call: Call, request: Correct) -> CorrectOutcome:
    warrant = Warrant(_handle_epoch(call, request, request.handle))
    outcome = await correct(
        call, request, request.expected_revision, warrant, allowed=request.allow_credentials
    )
    return await projected(call, request, outcome)


async def correct(
    call: Call,
    request: Correct | ToolCorrect,
    expected_revision: int | None,
    warrant: Warrant,
    *,
    allowed: bool,
) -> CorrectOutcome:
    """Correct a memory under a warrant; the answer has no projection yet.

    Args:
        expected_revision: None where the preview of the warrant says which.
        allowed: whether the text may hold credentials.
    """
    screen = partial(credentials_in, request.text)
    found = await call.daemon.screening.screen(request, screen, call.deadline)
    text = Corrected(request.text, found, allowed)
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(
            correcting(order, request.memory_id, expected_revision, text, warrant),
            deadline=call.deadline,
        )
        return await committed(write)


async def _forget(call: Call, request: Forget) -> ForgetOutcome:
    epoch = _handle_epoch(call, request, request.handle)
    token = request.preview_token
    listed = None
    if token is not None:
        listed = call.connection.previews.find(token, call.method, request.owner, request.agent)
    warrant = Warrant(epoch, listed, needs_preview=token is not None)
    outcome = await forget(
        call, request, request.targets, warrant, keep_messages=request.keep_messages
    )
    return await projected(call, request, outcome)


async def forget(
    call: Call,
    request: Mutation,
    targets: Targets,
    warrant: Warrant,
    *,
    keep_messages: bool,
) -> ForgetOutcome:
    """Forget memories under a warrant; the answer has no projection yet.

    After the bank's COMMIT come the erasure's first step and the catalog's barriers, whatever the
    caller does meanwhile; only then is it answered.
    """
    banks = call.daemon.banks
    async with banks.lease(request.owner, request.agent, call.deadline) as lease:
        writing = partial(forgetting, targets=targets, warrant=warrant, keep_messages=keep_messages)
        forgotten = await committed_with_ballast(call, request, lease, writing)
        outcome = forgotten.outcome
        if not forgotten.barriers or not isinstance(outcome, Changed | AlreadyAbsent):
            return outcome
        erased = await to_the_end(banks.forgotten(lease, forgotten.barriers))
        return outcome.model_copy(update={"erased": erased})


async def _preview(call: Call, request: ForgetPreview) -> Preview:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        call.connection.managers.check(
            request.handle, request.owner, request.agent, lease.record.epoch
        )
        targets = request.targets

        def read(connection: Connection) -> Previewed:
            if targets is None:
                return preview_filters(connection, filters_of(request))
            return preview_targets(connection, targets)

        previewed, _ = await read_kept(lease, read, call.deadline)
        return preview_view(call, request, lease, previewed, "memory.forget")


def preview_view(
    call: Call, request: Addressed, lease: Lease, previewed: Previewed, operation: str
) -> Preview:
    """What a forget would take, and the token for it, where it may be confirmed as it stands."""
    epoch = lease.record.epoch
    token, expires_at = None, None
    group = previewed.group
    if group.memories and not group.unknown and not previewed.stale:
        token, seconds = call.connection.previews.open(
            operation, request.owner, request.agent, epoch, previewed.named, previewed.revisions
        )
        expires_at = datetime.now(UTC) + timedelta(seconds=seconds)
    affected = []
    for memory in group.memories:
        excerpt, complete = excerpt_of(memory, EXCERPT_CHARACTERS)
        affected.append(
            AffectedView(
                memory_id=memory.memory_id,
                revision=memory.revision,
                kind=memory.kind,
                excerpt=excerpt,
                complete=complete,
                created_at=instant_of(memory.created_at),
                because="named" if memory.memory_id in previewed.named else "group",
            )
        )
    return Preview(
        affected=affected,
        total=previewed.total,
        already_absent=list(group.absent),
        unknown=list(group.unknown),
        stale=dict(previewed.stale),
        preview_token=token,
        expires_at=expires_at,
        epoch=epoch,
    )


async def _set_enabled(call: Call, request: SetEnabled) -> CutoffOutcome:
    async def cut(cutoff: Cutoff) -> CutoffOutcome:
        record = await call.daemon.banks.set_enabled(
            request.owner, request.agent, cutoff, enabled=request.enabled
        )
        handle = new_handle(call, request, record)
        return Changed(operation_id=request.operation_id, affected=[], handle=handle)

    return await _cutoff(call, request, request.enabled, cut)


async def _delete_all(call: Call, request: DeleteAll) -> CutoffOutcome:
    async def cut(cutoff: Cutoff) -> CutoffOutcome:
        record, destroyed = await call.daemon.banks.delete_all(
            request.owner, request.agent, cutoff, deadline=call.deadline
        )
        handle = new_handle(call, request, record)
        if not destroyed:
            return CutoffPending(operation_id=request.operation_id, handle=handle)
        return Changed(operation_id=request.operation_id, affected=[], erased=True, handle=handle)

    return await _cutoff(call, request, None, cut)


async def _cutoff(
    call: Call,
    request: SetEnabled | DeleteAll,
    enabled: bool | None,
    cut: Callable[[Cutoff], Coroutine[Any, Any, CutoffOutcome]],
) -> CutoffOutcome:
    """Decide about a cutoff and make it; one of a bank at a time, since a handle that is good when
    it is asked for must still be good when it is made.

    Args:
        enabled: how the switch shall stand; None where that is no question.
    """
    epoch = _handle_epoch(call, request, request.handle)
    cutoffs = call.daemon.cutoffs
    whose = (request.owner, request.agent)
    async with cutoffs.one_at_a_time(whose, request.operation_id, call.deadline):
        decided = await _decide(call, request, epoch, enabled)
        if isinstance(decided, Cutoff):
            outcome = await to_the_end(cut(decided))
        elif isinstance(decided, Changed):
            outcome = _made_before(call, request, decided)
        else:
            outcome = decided
    return await projected(call, request, outcome)


def _made_before(
    call: Call, request: SetEnabled | DeleteAll, changed: Changed
) -> Changed | CutoffPending:
    """The answer to the exact repetition of a cutoff: how it stands now."""
    banks = call.daemon.banks
    record = banks.record(request.owner, request.agent)
    handle = new_handle(call, request, record)
    if isinstance(request, SetEnabled):
        return changed.model_copy(update={"handle": handle})
    if banks.is_wiping(record.bank_id):
        return CutoffPending(operation_id=request.operation_id, replayed=True, handle=handle)
    return changed.model_copy(update={"handle": handle, "erased": True})


async def _decide(
    call: Call, request: SetEnabled | DeleteAll, handle_epoch: str, enabled: bool | None
) -> CutoffOutcome | Cutoff:
    """What a cutoff has come to already, or why it is none; else the cutoff to be made.

    A bank that is damaged cannot tell, and can be wiped all the same: nothing else would rid its
    owner of it where there is no good copy.
    """
    cutoff = Cutoff(
        operation_id=request.operation_id,
        operation=call.method,
        digest=request_digest(call.method, call.params),
        authority=call.connection.credential_id,
        policy_fingerprint=request.policy_fingerprint,
    )
    try:
        return await _known(call, request, handle_epoch, enabled) or cutoff
    except DamagedError:
        if isinstance(request, SetEnabled):
            raise
        record = call.daemon.banks.record(request.owner, request.agent)
        check_epoch(handle_epoch, record.epoch)
        return cutoff


async def _known(
    call: Call, request: SetEnabled | DeleteAll, handle_epoch: str, enabled: bool | None
) -> CutoffOutcome | None:
    """What a cutoff has come to already, or why it is none, as its bank knows it."""
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        unchanged = enabled is not None and enabled == lease.record.enabled

        def apply(tx: Transaction) -> CutoffOutcome | None:
            reused = TargetsConflict(operation_id=order.operation_id, reason="operation_reused")
            known = met(tx, order, _CUTOFFS, reused)
            if known is not None:
                return known
            check_epoch(handle_epoch, order.epoch)
            if unchanged:
                same = Unaffected(operation_id=order.operation_id, reason="unchanged")
                return keep(tx, order, same)
            return None

        return await committed(lease.bank.submit(apply, deadline=call.deadline))


def _handle_epoch(call: Call, request: Addressed, handle: str) -> str:
    return call.connection.managers.epoch_of(handle, request.owner, request.agent)


HANDLERS: Final[dict[str, Handler]] = {
    "memory.correct": _correct,
    "memory.forget": _forget,
    "memory.forget_preview": _preview,
    "bank.set_enabled": _set_enabled,
    "bank.delete_all": _delete_all,
}
