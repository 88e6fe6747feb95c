"""knowledge.*: `unsupported`. There is no read or write path, and none may grow here."""

from __future__ import annotations

from typing import Final

from cognid.protocol.knowledge import Knowledge, Unsupported
from cognid.protocol.table import KNOWLEDGE
from cognid_daemon.dispatch import Call, Handler


def _unsupported(call: Call, request: Knowledge) -> Unsupported:
    return Unsupported()


HANDLERS: Final[dict[str, Handler]] = {KNOWLEDGE.name: _unsupported}
