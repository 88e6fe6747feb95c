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
    doctor,
    grants,
    index,
    intake,
    knowledge,
    link,
    recall,
    resolving,
    tools,
    transfer,
)

HANDLERS: Final[dict[str, Handler]] = {
    **link.HANDLERS,
    **banks.HANDLERS,
    **intake.HANDLERS,
    **recall.HANDLERS,
    **configure.HANDLERS,
    **authority.HANDLERS,
    **tools.HANDLERS,
    **transfer.HANDLERS,
    **doctor.HANDLERS,
    **resolving.HANDLERS,
    **index.HANDLERS,
    **grants.HANDLERS,
    **knowledge.HANDLERS,
}
