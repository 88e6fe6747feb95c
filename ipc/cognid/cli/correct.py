"""`cognid correct`: replace a memory's text."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cognid.cli import options
from cognid.cli.outcomes import say_refusal
from cognid.cli.terminal import answering
from cognid.configure import AsyncAgentConfigure
from cognid.protocol.authority import (
    Changed,
    CorrectOutcome,
    TargetForgotten,
    TargetsNotFound,
)
from cognid.protocol.configure import ForgottenMemory, NotFound
from cognid.protocol.ids import new_operation_id


def command(
    memory_id: options.MemoryId,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="What it says now; - reads it from standard input."),
    ],
    revision: options.Revision = None,
    allow_credentials: options.AllowCredentials = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Replace a memory's text. `cognid history` shows the old one until it is forgotten."""
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        said = options.text_of(text)
        work = _correct(configure, memory_id, said, revision, deadline_ms, allow_credentials)
        outcome = asyncio.run(work)
        terminal.status = 0 if isinstance(outcome, Changed) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json", exclude={"projection"}))
        elif not isinstance(outcome, Changed):
            say_refusal(terminal, outcome)
        else:
            terminal.line(f"Corrected: {memory_id}, now revision {outcome.revision}")
            for other in outcome.affected:
                if other != memory_id:
                    terminal.line(f"Superseded with it: {other}")


async def _correct(
    configure: AsyncAgentConfigure,
    memory_id: str,
    text: str,
    revision: int | None,
    deadline_ms: int | None,
    allow_credentials: bool,
) -> CorrectOutcome:
    operation_id = new_operation_id()
    async with configure:
        if revision is None:
            # What is corrected is what stands there when the command runs.
            shown = await configure.memory.get(memory_id, deadline_ms=deadline_ms)
            if isinstance(shown, NotFound):
                return TargetsNotFound(operation_id=operation_id, unknown=[memory_id])
            if isinstance(shown, ForgottenMemory):
                return TargetForgotten(operation_id=operation_id, memory_id=memory_id)
            revision = shown.memory.revision
        return await configure.memory.correct(
            memory_id,
            text,
            expected_revision=revision,
            allow_credentials=allow_credentials,
            operation_id=operation_id,
            deadline_ms=deadline_ms,
        )
