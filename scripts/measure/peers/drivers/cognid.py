"""Cognid itself, driven as its peers are: a real daemon over its socket, the client here.

What it costs is this process and the daemon's. Its embedding is looked up too (`tabled`).
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import cognid
from cognid.protocol.intake import Committed, Duplicate, IntakeOutcome
from cognid.protocol.recall import Hits
from cognid.protocol.values import Kind
from measure.evaluation import place_of, wait_indexed
from measure.peers import tabled
from measure.peers.serving import Said, serve
from measure.scratch import ScratchDaemon

_AGENT: Final = "bench"
_DEADLINE_MS: Final = 10_000
_WRITE_DEADLINE_MS: Final = 60_000

_Made = TypeVar("_Made")


class Cognid:
    """A bank in a scratch home.

    Args:
        events: tell each text as an event of its conversation, with speaker, session and time;
            else as a bare remark.
    """

    def __init__(self, folder: Path, vectors: Path, *, events: bool) -> None:
        self._events = events
        self.version = cognid.__version__
        told = "speaker, session and time beside the text" if events else "text alone"
        self.how = f"hybrid, over its socket; {told}; vectors given; encrypted"
        self._note = folder / "embedding"
        self._note.write_bytes(bytes(8))
        extra = {tabled.TABLE_VARIABLE: str(vectors), tabled.NOTE_VARIABLE: str(self._note)}
        command = [sys.executable, "-m", tabled.__name__]
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._daemon = ScratchDaemon(folder, extra, command)
        self._client = self._run(self._stack.enter_async_context(self._daemon.running()))
        self._run(self._client.ensure_bank(agent=_AGENT, enabled=True))

    def _run(self, work: Coroutine[Any, Any, _Made]) -> _Made:
        return self._loop.run_until_complete(work)

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Nothing: vectors are given."""

    def add(self, said: Said) -> str:
        """Store one text; its id is its event's place, so that a fact found in it counts as it."""
        return _place(self._run(self._event(said) if self._events else self._remark(said)))

    async def _event(self, said: Said) -> IntakeOutcome:
        return await self._client.remember(
            role=said.role,
            content=said.text,
            speaker=said.speaker,
            stream=said.stream,
            sequence=said.sequence,
            occurred_at=None if said.at is None else datetime.fromisoformat(said.at),
            session_id=said.session,
            agent=_AGENT,
            deadline_ms=_WRITE_DEADLINE_MS,
        )

    async def _remark(self, said: Said) -> IntakeOutcome:
        return await self._client.add(
            said.text, kind=Kind.REMARK, agent=_AGENT, deadline_ms=_WRITE_DEADLINE_MS
        )

    def settle(self) -> None:
        """Wait until every text has its vector."""
        self._run(wait_indexed(self._client, _AGENT))

    def search(self, text: str, count: int) -> list[str]:
        """Recall."""
        answer = self._run(
            self._client.recall(text, agent=_AGENT, limit=count, deadline_ms=_DEADLINE_MS)
        )
        return [place_of(hit) for hit in answer.hits] if isinstance(answer, Hits) else []

    def close(self) -> None:
        """Stop the daemon."""
        self._run(self._stack.aclose())
        self._loop.close()

    def cpu_seconds(self) -> float:
        """This process's and the daemon's, less what the model took for what no table has."""
        clock = (~self._daemon.pid << 3) | 2  # clock_getcpuclockid(3), as Linux makes it
        return time.process_time() + time.clock_gettime(clock) - tabled.read_note(self._note)


def _place(outcome: IntakeOutcome) -> str:
    if not isinstance(outcome, Committed | Duplicate):
        return f"not stored: {outcome.outcome}"
    event = outcome.event
    return outcome.memories[0].memory_id if event is None else f"{event.stream}#{event.sequence}"


if __name__ == "__main__":
    sys.exit(serve(lambda home, vectors: Cognid(home, vectors, events="events" in sys.argv)))
