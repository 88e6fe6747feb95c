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
    whose: tuple[str, str | None]
    epoch: str
    until: float


class Managers:
    """The handles of one connection."""

    def __init__(self) -> None:
        self._handles: dict[str, _Bound] = {}

    def open(self, owner: str, agent: str | None, epoch: str) -> tuple[str, float]:
        """Make a handle; gives it and the seconds it is good for."""
        while len(self._handles) >= MOST_HANDLES:
            del self._handles[next(iter(self._handles))]
        handle = f"mgr_{secrets.token_hex(32)}"
        until = time.monotonic() + bounds.MANAGER_HANDLE_SECONDS
        self._handles[handle] = _Bound((owner, agent), epoch, until)
        return handle, bounds.MANAGER_HANDLE_SECONDS

    def epoch_of(self, handle: str, owner: str, agent: str | None) -> str:
        """The epoch that a handle was made for, which may be over by now.

        A change looks at its receipt before it looks at this, so that its exact repetition is
        answered after a cutoff too.

        Raises:
            CognidError: `handle_invalid`.
        """
        bound = self._handles.get(handle)
        if bound is None:
            raise CognidError("handle_invalid", "not a handle of this connection")
        if bound.whose != (owner, agent):
            raise CognidError("handle_invalid", "made for another bank")
        if time.monotonic() > bound.until:
            del self._handles[handle]
            raise CognidError("handle_invalid", "expired")
        return bound.epoch

    def check(self, handle: str, owner: str, agent: str | None, epoch: str) -> None:
        """Let a handle pass, or refuse it.

        Raises:
            CognidError: `handle_invalid`.
        """
        check_epoch(self.epoch_of(handle, owner, agent), epoch)


def check_epoch(made_for: str, epoch: str) -> None:
    """Refuse a handle of an epoch that is over.

    Raises:
        CognidError: `handle_invalid`.
    """
    if made_for != epoch:
        raise CognidError("handle_invalid", "the bank has begun a new epoch")
