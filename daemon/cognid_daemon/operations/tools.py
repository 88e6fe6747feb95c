"""memory.tool_forget and memory.tool_correct with their previews: what an agent itself may call.

They need rights of their own, which no grant has unless by name, and the token of a preview; the
ledger has them under their own names. A tool gets no listing of the bank back.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cognid.protocol.authority import (
    CorrectOutcome,
    CorrectPreview,
    CorrectPreviewReply,
    ForgetOutcome,
    Preview,
    PreviewForgotten,
    PreviewNotFound,
    ToolCorrect,
    ToolCorrectPreview,
    ToolForget,
    ToolForgetPreview,
)
from cognid_daemon.authority.forget import preview_targets
from cognid_daemon.authority.receipts import Warrant
from cognid_daemon.bank.rows import Barrier, Event, Memory
from cognid_daemon.bank.view import View
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.operations.authority import correct, forget, preview_view
from cognid_daemon.operations.projections import events_of, shown
from cognid_daemon.operations.reading import read_kept

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_FORGET: Final = "memory.tool_forget"
_CORRECT: Final = "memory.tool_correct"


async def _forget(call: Call, request: ToolForget) -> ForgetOutcome:
    warrant = _warrant(call, request)
    return await forget(
        call, request, request.targets, warrant, keep_messages=request.keep_messages
    )


async def _preview_forget(call: Call, request: ToolForgetPreview) -> Preview:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        previewed, _ = await read_kept(
            lease, lambda connection: preview_targets(connection, request.targets), call.deadline
        )
        return preview_view(call, request, lease, previewed, _FORGET)


async def _correct(call: Call, request: ToolCorrect) -> CorrectOutcome:
    warrant = _warrant(call, request)
    # An agent cannot say for its person that a credential may be stored.
    return await correct(call, request, None, warrant, allowed=False)


async def _preview_correct(call: Call, request: ToolCorrectPreview) -> CorrectPreviewReply:
    memory_id = request.memory_id
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:

        def read(connection: Connection) -> tuple[Memory, dict[int, Event]] | Barrier | None:
            view = View(connection)
            memory = view.memory(memory_id)
            if memory is None:
                return view.barrier(memory_id)
            return memory, events_of(connection, [memory])

        found, removed = await read_kept(lease, read, call.deadline)
        if isinstance(found, tuple) and found[0].revision_rowid in removed:
            found, _ = await read_kept(lease, read, call.deadline)
        if found is None:
            return PreviewNotFound(memory_id=memory_id)
        if isinstance(found, Barrier):
            return PreviewForgotten(memory_id=memory_id)
        memory, events = found
        epoch = lease.record.epoch
        token, seconds = call.connection.previews.open(
            _CORRECT, request.owner, request.agent, epoch, [memory_id], {memory_id: memory.revision}
        )
        return CorrectPreview(
            memory=shown(memory, events),
            preview_token=token,
            expires_at=datetime.now(UTC) + timedelta(seconds=seconds),
            epoch=epoch,
        )


def _warrant(call: Call, request: ToolForget | ToolCorrect) -> Warrant:
    """What the request's token stands for."""
    listed = call.connection.previews.find(
        request.preview_token, call.method, request.owner, request.agent
    )
    return Warrant(None, listed, needs_preview=True)


HANDLERS: Final[dict[str, Handler]] = {
    _FORGET: _forget,
    "memory.tool_forget_preview": _preview_forget,
    _CORRECT: _correct,
    "memory.tool_correct_preview": _preview_correct,
}
