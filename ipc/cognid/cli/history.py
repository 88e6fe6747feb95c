"""`cognid history`: what happened to one memory, by whom and under which policy."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, one_line, when
from cognid.configure import AsyncAgentConfigure
from cognid.protocol import bounds
from cognid.protocol.configure import History, HistoryEntry, NotFound


def command(
    memory_id: options.MemoryId,
    limit: Annotated[
        int,
        typer.Option(min=1, max=bounds.INSPECT_PAGE_MAX, metavar="N", help="Entries on a page."),
    ] = bounds.INSPECT_PAGE_DEFAULT,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Where the page before this one ended.")
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Show what happened to one memory, oldest first, a page at a time; also to a forgotten one.

    The exit status is 1 where there never was one of that id.
    """
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        history = asyncio.run(_history(configure, memory_id, limit, cursor, deadline_ms))
        terminal.status = 1 if isinstance(history, NotFound) else 0
        if as_json:
            terminal.object(history.model_dump(mode="json"))
        elif isinstance(history, NotFound):
            terminal.note("There is no memory of that id in this bank.")
        else:
            _say(terminal, history)


async def _history(
    configure: AsyncAgentConfigure,
    memory_id: str,
    limit: int,
    cursor: str | None,
    deadline_ms: int | None,
) -> History | NotFound:
    async with configure:
        return await configure.memory.history(
            memory_id, limit=limit, cursor=cursor, deadline_ms=deadline_ms
        )


def _say(terminal: Terminal, history: History) -> None:
    for entry in history.entries:
        terminal.line(head_of(entry), style="bold")
        if entry.text is not None:
            terminal.paragraph(entry.text, indent=2)
        if entry.ended_at is not None:
            terminal.line(f"  until {when(entry.ended_at)}", style="dim")
        if entry.policy_fingerprint is not None:
            terminal.line(f"  policy {entry.policy_fingerprint}", style="dim")
    terminal.note(f"Now: {history.lifecycle.value}.")
    if history.cursor is not None:
        terminal.note(f"The next page: --cursor {history.cursor}")


def head_of(entry: HistoryEntry) -> str:
    """A ledger entry in one line: when, what, what it made of the memory, by whom."""
    by = one_line(entry.authority_name or entry.authority)
    became = ""
    if entry.lifecycle is not None:
        revision = f"revision {entry.revision} " if entry.revision is not None else ""
        became = f"  {revision}{entry.lifecycle.value}"
    if isinstance(pinned := entry.details.get("pinned"), bool):
        became += ", pinned" if pinned else ", unpinned"
    return f"{when(entry.at)}  {one_line(entry.operation)}{became}  by {by}"
