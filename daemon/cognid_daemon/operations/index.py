"""index.status: where the indexes of a bank stand."""

from __future__ import annotations

from typing import Final

from cognid.protocol.index import IndexStatus, IndexView, PipelineState
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.recall.answer import IndexState, State


async def _status(call: Call, request: IndexStatus) -> IndexView:
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        return index_view(lease.recaller.index_status())


def index_view(index: IndexState) -> IndexView:
    """Where a bank's indexes stand, as a caller sees it."""
    return IndexView(
        lexical=pipeline_state(index.lexical),
        vector=pipeline_state(index.vector),
        space_id=index.space_id,
        indexed=index.indexed,
        backlog=index.backlog,
        skipped=index.skipped,
    )


def pipeline_state(state: State) -> PipelineState:
    """Where one pipeline stands, as a caller sees it."""
    return PipelineState(state=state.state, code=state.code, percent=state.percent)


HANDLERS: Final[dict[str, Handler]] = {"index.status": _status}
