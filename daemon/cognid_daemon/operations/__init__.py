"""The operations, one module a family; each maps its operations to their handlers.

Owns: nothing but the sum. A test checks that it is exactly the table of `cognid.protocol.table`.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.dispatch import Handler
from cognid_daemon.operations import (
    authority,
    banks,
    configure,
    context,
    doctor,
    explain,
    grants,
    index,
    intake,
    knowledge,
    lanes,
    link,
    recall,
    resolving,
    retention,
    sessions,
    tools,
    transfer,
)

HANDLERS: Final[dict[str, Handler]] = {
    **link.HANDLERS,
    **banks.HANDLERS,
    **intake.HANDLERS,
    **explain.HANDLERS,
    **recall.HANDLERS,
    **context.HANDLERS,
    **sessions.HANDLERS,
    **lanes.HANDLERS,
    **configure.HANDLERS,
    **authority.HANDLERS,
    **retention.HANDLERS,
    **tools.HANDLERS,
    **transfer.HANDLERS,
    **doctor.HANDLERS,
    **resolving.HANDLERS,
    **index.HANDLERS,
    **grants.HANDLERS,
    **knowledge.HANDLERS,
}
