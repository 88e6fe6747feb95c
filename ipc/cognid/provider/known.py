"""Known: what a session was given already, so that a later turn need not carry it again.

A memory is known by its revision: once it is corrected it is new again. What was given is forgotten
here after the host's `ttl`, or when the host has gone on to many other sessions or memories.

Owns: that account. In this process alone; a host that starts anew is given everything anew.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

SESSIONS: Final = 256
MEMORIES: Final = 92
"""Of a session. A recall asks for so many more hits than it gives, and a hundred are the most."""


class Known:
    """The memories that each session was given, by revision.

    Args:
        clock: seconds, for tests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, OrderedDict[str, tuple[int, float]]] = OrderedDict()

    def of(self, session_id: str, ttl: int | None = None) -> dict[str, int]:
        """The revision of each memory that a session was given in the last `ttl` seconds."""
        given = self._sessions.get(session_id, OrderedDict())
        since = None if ttl is None else self._clock() - ttl
        return {
            memory_id: revision
            for memory_id, (revision, at) in given.items()
            if since is None or at > since
        }

    def give(self, session_id: str, revisions: Iterable[tuple[str, int]]) -> None:
        """Note what a session was given."""
        given = self._sessions.setdefault(session_id, OrderedDict())
        self._sessions.move_to_end(session_id)
        now = self._clock()
        for memory_id, revision in revisions:
            given[memory_id] = revision, now
            given.move_to_end(memory_id)
        while len(given) > MEMORIES:
            given.popitem(last=False)
        while len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)
