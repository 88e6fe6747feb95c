"""Preview tokens: what somebody was shown before they confirm it.

Owns: making and finding them. A token lives on one connection, for one operation, bank and epoch,
for a bounded time, and stands for exactly the revisions that were listed; it is never written down.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError

MOST_PREVIEWS: Final = 64
"""Live tokens on one connection; the oldest goes when another is asked for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a token stands for; `operation` is the one it is good for.

    `named` are the memories that were asked for, `revisions` those that were listed, by memory id.
    """

    operation: str
    owner: str
    agent: str | None
    epoch: str
    named: tuple[str, ...]
    revisions: Mapping[str, int]
    until: float = 0.0


class Previews:
    """The preview tokens of one connection."""

    def __init__(self) -> None:
        self._tokens: dict[str, Listed] = {}

    def open(
        self,
        operation: str,
        owner: str,
        agent: str | None,
        epoch: str,
        named: Iterable[str],
        revisions: Mapping[str, int],
    ) -> tuple[str, float]:
        """Make a token; gives it and the seconds it is good for."""
        while len(self._tokens) >= MOST_PREVIEWS:
            del self._tokens[next(iter(self._tokens))]
        token = f"prv_{secrets.token_hex(32)}"
        until = time.monotonic() + bounds.PREVIEW_SECONDS
        self._tokens[token] = Listed(
            operation, owner, agent, epoch, tuple(named), dict(revisions), until
        )
        return token, bounds.PREVIEW_SECONDS

    def find(self, token: str, operation: str, owner: str, agent: str | None) -> Listed | None:
        """What a token stands for; None where it is unknown here, has expired or is for something
        else. A change looks at its receipt before it minds."""
        listed = self._tokens.get(token)
        if listed is None or time.monotonic() > listed.until:
            return None
        if (listed.operation, listed.owner, listed.agent) != (operation, owner, agent):
            return None
        return listed


def required(listed: Listed | None, epoch: str) -> Listed:
    """A preview that is good in this epoch.

    Raises:
        CognidError: `preview_invalid`.
    """
    if listed is None:
        raise CognidError("preview_invalid", "not a token of this connection for this operation")
    if listed.epoch != epoch:
        raise CognidError("preview_invalid", "the bank has begun a new epoch")
    return listed
