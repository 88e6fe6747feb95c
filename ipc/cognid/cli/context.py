"""`cognid context`: what belongs into one turn's prompt, fenced as data, within a budget."""

from __future__ import annotations

import asyncio
import sys
from enum import StrEnum
from typing import Annotated, Final, assert_never

import typer

from cognid.cli import options
from cognid.cli.recall import UNAVAILABLE, WHY_UNAVAILABLE, say_missing
from cognid.cli.terminal import Terminal, answering, counted, safe
from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.context import Assembled, ContextOutcome, Omitted
from cognid.protocol.recall import Disabled, Unavailable


class Part(StrEnum):
    """A part of a context."""

    MEMORIES = "memories"
    LANES = "lanes"
    MESSAGES = "messages"


_WHY_NOT: Final = {
    "budget": "did not fit",
    "excluded": "excluded",
    "in_messages": "told by a message already",
    "past_limit": "beyond what is looked at",
    "late": "not read before the deadline",
    "failed": "could not be read",
    "not_granted": "not in the grant",
    "no_session": "no --session was named",
}


def command(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="QUERY",
            help="What the turn is about; - reads it from standard input. Nothing is recalled "
            "without it.",
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            min=1, max=bounds.CONTEXT_TOKENS, metavar="N", help="Tokens of the whole text at most."
        ),
    ] = bounds.CONTEXT_TOKENS_DEFAULT,
    include: Annotated[
        list[Part] | None, typer.Option(help="Only this part; repeatable. All of them without it.")
    ] = None,
    lane: Annotated[
        list[str] | None,
        typer.Option(metavar="LANE", help="Only this lane; repeatable. All of them without it."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="A memory that was shown already; repeatable."),
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Print what belongs into one turn's prompt: memories, lanes, the session's last messages.

    The text goes to standard output as it is; what was left out is said beside it. The exit status
    is 1 where there is no text.
    """
    with answering(as_json) as terminal:
        asked = None if query is None else options.text_of(query)
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        work = _assemble(client, asked, budget, include, lane, exclude, deadline_ms)
        outcome = asyncio.run(work)
        terminal.status = _status(outcome)
        if as_json:
            terminal.object(outcome.model_dump(mode="json"))
        else:
            _say(terminal, outcome)


async def _assemble(
    client: AsyncClient,
    query: str | None,
    budget: int,
    include: list[Part] | None,
    lanes: list[str] | None,
    exclude: list[str] | None,
    deadline_ms: int | None,
) -> ContextOutcome:
    async with client:
        # Apart from the deadline: a daemon that its socket starts has to load first.
        await client.connect()
        return await client.assemble_context(
            query,
            budget_tokens=budget,
            include=[one.value for one in include or Part],
            lanes=lanes or None,
            exclude=exclude or (),
            deadline_ms=deadline_ms,
        )


def _status(outcome: ContextOutcome) -> int:
    match outcome:
        case Assembled():
            return 0 if outcome.text else 1
        case Disabled():
            return 1
        case Unavailable():
            return UNAVAILABLE
        case _:
            assert_never(outcome)


def _say(terminal: Terminal, outcome: ContextOutcome) -> None:
    match outcome:
        case Assembled():
            if outcome.text:
                sys.stdout.write(f"{safe(outcome.text)}\n")
            counted_by = "" if outcome.counted_by == "tokenizer" else " (counted as bytes)"
            terminal.note(f"{counted(outcome.tokens, 'token')}{counted_by}.")
            for one in outcome.omitted:
                terminal.note(_left_out(one))
            if outcome.query_trimmed:
                terminal.note(f"Only the last {bounds.QUERY_BYTES} bytes of the query were used.")
            if outcome.partial and outcome.pipelines is not None:
                say_missing(terminal, outcome.pipelines)
        case Disabled():
            terminal.note("Memory is switched off for this agent.")
        case Unavailable():
            terminal.note(f"The context is unavailable: {WHY_UNAVAILABLE[outcome.reason]}.")
            say_missing(terminal, outcome.pipelines)
        case _:
            assert_never(outcome)


def _left_out(one: Omitted) -> str:
    number = "" if one.count is None else f"{one.count:,} "
    return f"Left out of {one.section}: {number}{_WHY_NOT[one.reason]}."
