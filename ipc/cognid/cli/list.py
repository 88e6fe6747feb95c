"""`cognid list`: the current memories of a bank, newest first, a page at a time."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.memories import print_memory
from cognid.cli.terminal import Terminal, answering, counted
from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.configure import Page
from cognid.protocol.values import Kind

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
    kind: Annotated[
        list[Kind] | None, typer.Option(help="Only this kind; may be repeated.")
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """List current memories, newest first, a page at a time."""
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        page = asyncio.run(_list(client, limit, cursor, kind, session, deadline_ms))
        if as_json:
            terminal.object(page.model_dump(mode="json"))
        else:
            _say(terminal, page)


async def _list(
    client: AsyncClient,
    limit: int,
    cursor: str | None,
    kinds: list[Kind] | None,
    session_id: str | None,
    deadline_ms: int | None,
) -> Page:
    async with client:
        manager = await client.open_configure()
        return await client.inspect_list(
            manager.handle,
            limit=limit,
            cursor=cursor,
            kinds=kinds or None,
            session_id=session_id,
            deadline_ms=deadline_ms,
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
