"""A clock for tests, which goes only where it is told to."""

from __future__ import annotations

import time

from cognid.protocol.values import Kind
from cognid_daemon.bank.keeping import DAY, Keeping

TERMS = {Kind.EPISODIC: 90, Kind.PROCEDURAL: 60, Kind.CONTEXT: 7, Kind.REMARK: 180}
"""Days, as the settings have them by default."""


class Clock:
    """Unix microseconds; begins now, and stands still."""

    def __init__(self) -> None:
        self.now = time.time_ns() // 1000

    def __call__(self) -> int:
        """What it shows."""
        return self.now

    def turn(self, days: float) -> None:
        """Set it forward, or back."""
        self.now += round(days * DAY)


def keeping(clock: Clock, **terms: int) -> Keeping:
    """The default terms by this clock; `terms` are days by kind."""
    days = TERMS | {Kind(kind): length for kind, length in terms.items()}
    return Keeping({kind: length * DAY for kind, length in days.items()}, clock=clock)
