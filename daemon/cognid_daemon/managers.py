"""Manager handles: the short-lived right to inspect and change one agent's memories.

Owns: making and checking them. A handle lives on one connection, for one bank, in one epoch, for a
bounded time; it is never written down.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Final

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError

MOST_HANDLES: Final = 64
"""Live handles on one connection; the oldest goes when another is asked for."""


@dataclass(frozen=True, slots=True)
class _Bound:
    bank_id: str
    epoch: str
    until: float


class Managers:
    """The handles of one connection."""

    def __init__(self) -> None:
        self._handles: dict[str, _Bound] = {}

    def open(self, bank_id: str, epoch: str) -> tuple[str, float]:
        """Make a handle; gives it and the seconds it is good for."""
        while len(self._handles) >= MOST_HANDLES:
            del self._handles[next(iter(self._handles))]
        handle = f"mgr_{secrets.token_hex(32)}"
        until = time.monotonic() + bounds.MANAGER_HANDLE_SECONDS
        self._handles[handle] = _Bound(bank_id, epoch, until)
        return handle, bounds.MANAGER_HANDLE_SECONDS

    def check(self, handle: str, bank_id: str, epoch: str) -> None:
        """Let a handle pass, or refuse it.

        Raises:
            CognidError: `handle_invalid`.
        """
        bound = self._handles.get(handle)
        if bound is None:
            raise CognidError("handle_invalid", "not a handle of this connection")
        if bound.bank_id != bank_id:
            raise CognidError("handle_invalid", "made for another bank")
        if bound.epoch != epoch:
            raise CognidError("handle_invalid", "the bank has begun a new epoch")
        if time.monotonic() > bound.until:
            del self._handles[handle]
            raise CognidError("handle_invalid", "expired")
