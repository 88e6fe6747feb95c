"""`cognid remember`: assert one memory."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, assert_never

import typer

from cognid.cli import options
from cognid.cli.making import in_its_bank, say_made
from cognid.cli.terminal import Terminal, answering, one_line
from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
)
from cognid.protocol.values import Kind

_WHY_NO_EFFECT: Final = {
    "disabled": "memory is switched off for this agent",
    "before_cutoff": "it came before a cutoff",
    "epoch_ended": "the bank began a new epoch meanwhile",
}


def command(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The text; - reads it from standard input.")
    ],
    kind: Annotated[
        Kind | None,
        typer.Option(help="Its kind; fact, or remark where it has more than 4,000 characters."),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="A label; may be repeated.")
    ] = None,
    allow_credentials: options.AllowCredentials = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Remember a text. It is on disk when the command ends."""
    with answering(as_json) as terminal:
        said = options.text_of(text)
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        is_long = len(said) > bounds.FACT_CHARACTERS
        chosen = kind or (Kind.REMARK if is_long else Kind.FACT)
        work = _remember(client, said, chosen, label or [], allow_credentials, deadline_ms)
        outcome, bank_made = asyncio.run(work)
        terminal.status = 0 if isinstance(outcome, Committed | Duplicate) else 1
        if as_json:
            answer = outcome.model_dump(mode="json")
            terminal.object({**answer, "kind": chosen.value, "bank_made": bank_made})
            return
        if bank_made:
            say_made(terminal, owner, agent)
        if kind is None and is_long:
            terminal.note(
                f"It has more than {bounds.FACT_CHARACTERS:,} characters, so it became a remark."
            )
        _say(terminal, outcome, chosen)


async def _remember(
    client: AsyncClient,
    text: str,
    kind: Kind,
    labels: list[str],
    allow_credentials: bool,
    deadline_ms: int | None,
) -> tuple[IntakeOutcome, bool]:
    async with client:
        operation_id = new_operation_id()

        async def add() -> IntakeOutcome:
            return await client.add(
                text,
                kind=kind,
                labels=labels,
                allow_credentials=allow_credentials,
                operation_id=operation_id,
                deadline_ms=deadline_ms,
            )

        return await in_its_bank(client, add)


def _say(terminal: Terminal, outcome: IntakeOutcome, kind: Kind) -> None:
    match outcome:
        case Committed():
            terminal.line(f"Remembered ({kind.value}): {_ids(outcome)}")
        case Duplicate():
            terminal.line(f"Remembered already ({kind.value}): {_ids(outcome)}")
        case Rejected():
            rules = ", ".join(map(one_line, outcome.rules))
            terminal.note(f"Not stored: filters kept it out ({rules}).")
            if outcome.note is not None:
                terminal.note(outcome.note)
        case Forgotten():
            terminal.note("Not stored: it was forgotten, and that holds.")
        case Conflict():
            terminal.note("Not stored: its operation id stands for something else.")
        case DeliveryGap():
            terminal.note("Not stored: what should have come before it has not.")
        case NoEffect():
            terminal.note(f"Not stored: {_WHY_NO_EFFECT[outcome.reason]}.")
        case _:
            assert_never(outcome)


def _ids(outcome: Committed | Duplicate) -> str:
    return ", ".join(memory.memory_id for memory in outcome.memories)
