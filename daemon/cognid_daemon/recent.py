"""Recent: what was recalled just now, for a person who asks why an agent knows what it knows.

Owns: the last hundred answers of the recall family, in the memory of this process: when, in which
bank and epoch, by whose credential, in which session, what came back by id, and how it stood. May
not hold a query, a text or a score, and never reaches a file or the log; it ends with the process.
A switch or a wipe begins a new epoch, and what an older one recalled is not told any more.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cognid.protocol.bounds import RECENT_RECALLS
from cognid.protocol.recall import Pipelines


@dataclass(frozen=True, slots=True)
class Recalled:
    """One answer. `reason`: of one that is unavailable."""

    at: datetime
    owner: str
    agent: str | None
    epoch: str
    operation: str
    authority: str
    session_id: str | None
    outcome: str
    reason: str | None
    memory_ids: tuple[str, ...]
    pipelines: Pipelines | None
    partial: bool
    took_ms: float


class Recent:
    """The last answers of this daemon, of all banks together."""

    def __init__(self) -> None:
        self._kept: Final[deque[Recalled]] = deque(maxlen=RECENT_RECALLS)

    def note(self, recalled: Recalled) -> None:
        """Keep an answer; the oldest makes room."""
        self._kept.append(recalled)

    def of(self, owner: str, agent: str | None, epoch: str) -> list[Recalled]:
        """What one bank gave in its present epoch, newest first."""
        return [
            one
            for one in reversed(self._kept)
            if (one.owner, one.agent, one.epoch) == (owner, agent, epoch)
        ]
