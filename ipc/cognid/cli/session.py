"""`cognid session`: the raw messages of one conversation, beside the memories made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.making import in_its_bank, say_made
from cognid.cli.reasons import WHY_NO_EFFECT
from cognid.cli.terminal import Terminal, answering, counted, one_line, when
from cognid.client import AsyncClient
from cognid.client.arguments import make
from cognid.json_lines import Broken, read_as, read_lines
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.recall import Disabled
from cognid.protocol.sessions import (
    Appended,
    AppendOutcome,
    Cleared,
    ClearOutcome,
    MessageView,
    NewMessage,
    SessionPage,
)
from cognid.protocol.values import Role

app = typer.Typer(help="Keep, read and clear the messages of one conversation.")

SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The conversation.")]
_WHY_NOT: Final = {
    "operation_reused": "the operation id stands for something else",
    **WHY_NO_EFFECT,
}


@app.command()
def append(
    session: SessionId,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The message; - reads it from standard input."),
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Messages as JSON lines instead, each as the protocol has it; - reads them "
            "from standard input.",
        ),
    ] = None,
    role: Annotated[Role, typer.Option(help="Who says it.")] = Role.USER,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The speaker's name.")] = None,
    at: options.SaidAt = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Put a message, or a file of them, behind those that the session has.

    The exit status is 1 where the text of any was withheld.
    """
    with answering(as_json) as terminal:
        if (text is None) == (lines is None):
            raise CognidError("invalid_argument", "give a TEXT, or else --lines")
        if lines is not None:
            with options.opened(lines) as source:
                messages = [_message(line.number, line.value) for line in read_lines(source)]
        else:
            said = options.text_of(text or "")
            occurred_at = options.instant_of(at, "at")
            messages = [
                make(NewMessage, role=role, name=name, content=said, occurred_at=occurred_at)
            ]
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        outcomes, bank_made = asyncio.run(_append(client, messages, terminal, deadline_ms))
        if bank_made and not as_json:
            say_made(terminal, owner, agent)
        _say_appended(terminal, outcomes, len(messages), bank_made=bank_made)


@app.command()
def messages(
    session: SessionId,
    query: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Only what shares words with it; - reads it."),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(min=1, max=bounds.MESSAGE_PAGE_MAX, metavar="N", help="Messages on a page."),
    ] = bounds.MESSAGE_PAGE_DEFAULT,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Where the page after this one began.")
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Show a session's last messages, oldest first; with --query those that it finds, best first.

    The exit status is 1 where there are none.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        asked = None if query is None else options.text_of(query)
        page = asyncio.run(_messages(client, asked, limit, cursor, deadline_ms))
        terminal.status = 0 if isinstance(page, SessionPage) and page.messages else 1
        if as_json:
            terminal.object(page.model_dump(mode="json"))
        elif isinstance(page, Disabled):
            terminal.note("Memory is switched off for this agent.")
        else:
            _say_page(terminal, page)


@app.command()
def clear(
    session: SessionId,
    yes: Annotated[bool, typer.Option("--yes", help="Clear it; without, only count.")] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Take every message of a session away for good. Memories made of it stay.

    Without --yes nothing is cleared: it says how many would go, and the exit status is 1.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        if not yes:
            page = asyncio.run(_messages(client, None, 1, None, deadline_ms))
            total = page.total if isinstance(page, SessionPage) else None
            terminal.status = 1
            if as_json:
                terminal.object({"outcome": "preview", "total": total})
            elif total == 0:
                terminal.note("Nothing to clear.")
            elif total is None:
                terminal.note(
                    "Nothing is cleared yet. Memory is switched off for this agent, so nothing "
                    "was counted; to clear all messages for good: --yes"
                )
            else:
                terminal.note(
                    f"Nothing is cleared yet. {counted(total, 'message')} would go; "
                    "to clear them for good: --yes"
                )
            return
        outcome = asyncio.run(_clear(client, deadline_ms))
        terminal.status = 0 if isinstance(outcome, Cleared) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json"))
        elif isinstance(outcome, Cleared):
            gone = ""
            if outcome.count:
                gone = ", erased from the files" if outcome.erased else ", erasure pending"
            terminal.line(f"{counted(outcome.count, 'message')} cleared{gone}.")
        else:
            terminal.note(f"Nothing was done: {_WHY_NOT[outcome.reason]}.")


def _message(number: int, value: dict[str, object] | Broken) -> NewMessage:
    message = read_as(NewMessage, value)
    if isinstance(message, Broken):
        raise CognidError("invalid_argument", f"line {number}: {message.reason}")
    return message


async def _append(
    client: AsyncClient, messages: list[NewMessage], terminal: Terminal, deadline_ms: int | None
) -> tuple[list[AppendOutcome], bool]:
    """Append as many at a time as one request takes; stop where they are not taken.

    Returns:
        What became of them, and whether the bank was made for them.
    """
    outcomes: list[AppendOutcome] = []
    bank_made = False
    taken = 0
    async with client:
        try:
            for batch in _batches(messages):
                append = partial(client.append_messages, batch, deadline_ms=deadline_ms)
                outcome, made = await in_its_bank(client, append)
                bank_made = bank_made or made
                outcomes.append(outcome)
                if not isinstance(outcome, Appended):
                    break
                taken += len(batch)
        except (CognidError, asyncio.CancelledError):
            if taken:  # told once more, they would stand there twice
                terminal.note(f"Stopped after {counted(taken, 'message')} that are in.")
            raise
    return outcomes, bank_made


def _batches(messages: list[NewMessage]) -> Iterator[list[NewMessage]]:
    """The messages of one request each: as many, and as much text, as a line takes."""
    batch: list[NewMessage] = []
    size = 0
    for message in messages:
        length = len(message.content.encode("utf-8"))
        if batch and (
            len(batch) == bounds.MESSAGES or size + length > bounds.REPLY_TEXT_BYTES
        ):  # up to 6 times that on the line
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    if batch:
        yield batch


async def _messages(
    client: AsyncClient,
    query: str | None,
    limit: int,
    before: str | None,
    deadline_ms: int | None,
) -> SessionPage | Disabled:
    async with client:
        return await client.session_messages(
            query=query, limit=limit, before=before, deadline_ms=deadline_ms
        )


async def _clear(client: AsyncClient, deadline_ms: int | None) -> ClearOutcome:
    async with client:
        return await client.clear_session(deadline_ms=deadline_ms)


def _say_appended(
    terminal: Terminal, outcomes: list[AppendOutcome], asked: int, *, bank_made: bool
) -> None:
    appended = [
        one for outcome in outcomes if isinstance(outcome, Appended) for one in outcome.messages
    ]
    stopped = [outcome for outcome in outcomes if not isinstance(outcome, Appended)]
    withheld = {place: one.withheld for place, one in enumerate(appended, 1) if one.withheld}
    terminal.status = 1 if stopped or withheld or not asked else 0
    if terminal.as_json:
        terminal.object(
            {
                "outcome": stopped[0].outcome if stopped else "appended",
                "reason": stopped[0].reason if stopped else None,
                "messages": [
                    {"message_id": one.message_id, "withheld": one.withheld} for one in appended
                ],
                "bank_made": bank_made,
            }
        )
        return
    if appended or not stopped:
        terminal.line(f"{counted(len(appended), 'message')} appended.")
    for place, rules in withheld.items():
        terminal.note(f"message {place}: its text was withheld ({', '.join(map(one_line, rules))})")
    for outcome in stopped:
        which = "The others are not in" if appended else "Nothing was appended"
        terminal.note(f"{which}: {_WHY_NOT[outcome.reason]}.")


def _say_page(terminal: Terminal, page: SessionPage) -> None:
    for place, message in enumerate(page.messages):
        if place:
            terminal.line()
        terminal.line(_head(message), style="bold")
        if message.content is not None:
            terminal.paragraph(message.content, indent=2)
        if message.withheld:
            rules = ", ".join(map(one_line, message.withheld))
            terminal.paragraph(f"its text is not kept ({rules})", indent=2, style="dim")
        terminal.paragraph(message.message_id, indent=2, style="dim")
    if not page.messages:
        terminal.note("No messages.")
        return
    here = counted(len(page.messages), "message")
    terminal.note(f"\n{here} here, {page.total:,} in all.")
    if page.cursor is not None:
        terminal.note(f"The page before: --cursor {page.cursor}")


def _head(message: MessageView) -> str:
    score = "" if message.score is None else f"{message.score:.2f}  "
    who = message.role.value
    if message.name is not None:
        who = f"{one_line(message.name)} ({who})"
    return f"{score}{when(message.occurred_at or message.created_at)}  {who}"
