"""`cognid wipe`: delete everything that an agent remembers."""

from __future__ import annotations

import asyncio
from shlex import quote
from typing import Annotated

import typer

from cognid.cli import options
from cognid.cli.outcomes import erasure, memories, say_refusal
from cognid.cli.terminal import Terminal, answering, options_of, whose
from cognid.client import AsyncClient
from cognid.configure import AsyncAgentConfigure
from cognid.protocol.authority import Changed, CutoffOutcome, CutoffPending
from cognid.protocol.banks import BankStatusReply


def command(
    confirm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The agent's name, or the owner's where there is no agent."
        ),
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Delete all that an agent remembers, and the key that it was sealed with.

    Without --confirm nothing is deleted: it says what would go, and the exit status is 1.
    """
    with answering(as_json) as terminal:
        name = options.confirmed_name(confirm, owner, agent)
        if confirm is None:
            status = asyncio.run(_look(owner, agent, deadline_ms))
            terminal.status = 1
            if as_json:
                terminal.object({"outcome": "preview", **status.model_dump(mode="json")})
            else:
                _say_preview(terminal, status, name)
            return
        outcome = asyncio.run(_wipe(owner, agent, deadline_ms))
        terminal.status = 0 if isinstance(outcome, Changed | CutoffPending) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json", exclude={"projection", "handle"}))
        elif isinstance(outcome, Changed):
            terminal.line(f"Wiped: {whose(owner, agent)}. {erasure(outcome.erased, owner, agent)}")
        elif isinstance(outcome, CutoffPending):
            terminal.line(f"Wiped: {whose(owner, agent)}. The old file is still being destroyed:")
            terminal.line(f"  cognid resolve {outcome.operation_id}{options_of(owner, agent)}")
        else:
            say_refusal(terminal, outcome)


async def _look(owner: str, agent: str | None, deadline_ms: int | None) -> BankStatusReply:
    async with AsyncClient(owner=owner, agent=agent) as client:
        return await client.bank_status(deadline_ms=deadline_ms)


async def _wipe(owner: str, agent: str | None, deadline_ms: int | None) -> CutoffOutcome:
    async with AsyncAgentConfigure(owner=owner, agent=agent) as configure:
        return await configure.memory.delete_all(confirmed=True, deadline_ms=deadline_ms)


def _say_preview(terminal: Terminal, status: BankStatusReply, name: str) -> None:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(status.by_kind.items()))
    terminal.line(f"{memories(status.memories)}{f' ({kinds})' if kinds else ''}")
    terminal.line(f"{status.events:,} events, {status.file_bytes:,} bytes of files")
    terminal.note(f"Nothing is wiped yet. To delete all of it for good: --confirm {quote(name)}")
