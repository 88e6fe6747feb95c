"""index.status: where the indexes of a bank stand."""

from __future__ import annotations

from typing import Final

from cognid.protocol.index import IndexStatus, IndexView
from cognid_daemon.dispatch import Call, Handler


async def _status(call: Call, request: IndexStatus) -> IndexView:
    async with call.daemon.banks.lease(request.owner, request.agent) as lease:
        return lease.recaller.index_status()


HANDLERS: Final[dict[str, Handler]] = {"index.status": _status}
