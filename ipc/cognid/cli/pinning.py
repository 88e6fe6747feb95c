"""Pinning a memory or taking the pin away: what `cognid pin` and `cognid unpin` share."""

from __future__ import annotations

import asyncio

from cognid.cli.outcomes import say_refusal
from cognid.cli.terminal import Terminal, answering, when
from cognid.configure import AsyncAgentConfigure
from cognid.protocol.authority import Unaffected
from cognid.protocol.retention import Pinned, PinOutcome
from cognid.protocol.values import Lifecycle


def pin(
    memory_id: str,
    pinned: bool,
    revision: int | None,
    owner: str,
    agent: str | None,
    deadline_ms: int | None,
    as_json: bool,
) -> None:
    """Pin or unpin, and say how the memory stands. Status 0 where it stands as was asked."""
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        outcome = asyncio.run(_pin(configure, memory_id, pinned, revision, deadline_ms))
        was_so = isinstance(outcome, Unaffected) and outcome.reason == "unchanged"
        terminal.status = 0 if was_so or isinstance(outcome, Pinned) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json", exclude={"projection", "handle"}))
        elif isinstance(outcome, Pinned):
            _say(terminal, memory_id, outcome)
        else:
            say_refusal(terminal, outcome)


async def _pin(
    configure: AsyncAgentConfigure,
    memory_id: str,
    pinned: bool,
    revision: int | None,
    deadline_ms: int | None,
) -> PinOutcome:
    async with configure:
        return await configure.memory.pin(
            memory_id, pinned=pinned, expected_revision=revision, deadline_ms=deadline_ms
        )


def _say(terminal: Terminal, memory_id: str, outcome: Pinned) -> None:
    if outcome.pinned:
        again = " and current again" if outcome.revived else ""
        terminal.line(f"Pinned{again}: {memory_id}")
    elif outcome.lifecycle is Lifecycle.EXPIRED:
        terminal.line(f"Unpinned: {memory_id}")
        terminal.note("It is past its term, so it has expired; for 30 days a pin revives it.")
    else:
        until = "" if outcome.expires_at is None else f", expires {when(outcome.expires_at)}"
        terminal.line(f"Unpinned: {memory_id}{until}")
