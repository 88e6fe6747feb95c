"""`cognid list`: the memories of a bank, newest first, a page at a time."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.memories import print_memory
from cognid.cli.terminal import Terminal, answering, counted
from cognid.client.arguments import FilterWords
from cognid.configure import AsyncAgentConfigure
from cognid.protocol import bounds
from cognid.protocol.configure import Page
from cognid.protocol.values import Lifecycle

_SHOWN_CHARACTERS: Final = 400
"""A list is for finding one's way; `cognid show` shows a memory whole."""


def command(
    limit: Annotated[
        int,
        typer.Option(min=1, max=bounds.INSPECT_PAGE_MAX, metavar="N", help="Memories on a page."),
    ] = bounds.INSPECT_PAGE_DEFAULT,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Where the page before this one ended.")
    ] = None,
    kind: options.Kinds = None,
    lifecycle: Annotated[
        list[Lifecycle] | None,
        typer.Option(help="Only in this state, current without it; repeatable."),
    ] = None,
    provenance: options.Provenances = None,
    label: options.WithLabels = None,
    since: options.Since = None,
    until: options.Until = None,
    text: options.Containing = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """List memories, newest first, a page at a time; without --lifecycle those that are current."""
    with answering(as_json) as terminal:
        filters = FilterWords(
            kinds=kind or None,
            lifecycles=lifecycle or None,
            provenances=provenance or None,
            session_id=session,
            labels=label or [],
            since=options.instant_of(since, "since"),
            until=options.instant_of(until, "until"),
            text=None if text is None else options.text_of(text),
        )
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        page = asyncio.run(_list(configure, limit, cursor, deadline_ms, filters))
        if as_json:
            terminal.object(page.model_dump(mode="json"))
        else:
            _say(terminal, page)


async def _list(
    configure: AsyncAgentConfigure,
    limit: int,
    cursor: str | None,
    deadline_ms: int | None,
    filters: FilterWords,
) -> Page:
    async with configure:
        return await configure.memory.inspect(
            limit=limit, cursor=cursor, deadline_ms=deadline_ms, **filters
        )


def _say(terminal: Terminal, page: Page) -> None:
    for place, memory in enumerate(page.memories):
        if place:
            terminal.line()
        text = memory.text
        if len(text) > _SHOWN_CHARACTERS:
            text = f"{text[:_SHOWN_CHARACTERS]}… ({len(text):,} characters in all)"
        print_memory(terminal, memory, text)
    here = counted(len(page.memories), "memory", "memories")
    terminal.note(f"\n{here} here, {page.total:,} in all." if page.memories else "No memories.")
    if page.cursor is not None:
        terminal.note(f"The next page: --cursor {page.cursor}")
