"""Switching a bank on or off: what `cognid enable` and `cognid disable` share."""

from __future__ import annotations

import asyncio

from cognid.cli.outcomes import say_refusal
from cognid.cli.terminal import answering, whose
from cognid.configure import AsyncAgentConfigure
from cognid.protocol.authority import Changed, CutoffOutcome, CutoffPending, Unaffected


def switch(
    enabled: bool, owner: str, agent: str | None, deadline_ms: int | None, as_json: bool
) -> None:
    """Switch, and say how the bank stands. Status 0 where it stands as was asked."""
    with answering(as_json) as terminal:
        outcome = asyncio.run(_switch(enabled, owner, agent, deadline_ms))
        was_so = isinstance(outcome, Unaffected) and outcome.reason == "unchanged"
        terminal.status = 0 if was_so or isinstance(outcome, Changed | CutoffPending) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json", exclude={"projection", "handle"}))
        elif terminal.status:
            assert not isinstance(outcome, Changed | CutoffPending)  # noqa: S101 (narrows)
            say_refusal(terminal, outcome)
        else:
            word = "on" if enabled else "off"
            already = " already" if was_so else ""
            terminal.line(f"Memory is {word}{already}: {whose(owner, agent)}.")


async def _switch(
    enabled: bool, owner: str, agent: str | None, deadline_ms: int | None
) -> CutoffOutcome:
    async with AsyncAgentConfigure(owner=owner, agent=agent) as configure:
        return await configure.memory.set_enabled(enabled, deadline_ms=deadline_ms)
