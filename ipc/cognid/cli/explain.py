"""`cognid explain`: what would become of a text that somebody says, and why. Nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, counted, one_line, when
from cognid.client import AsyncClient
from cognid.protocol.explain import ExplainedDrop, ExplainedFact, ExplainReply
from cognid.protocol.values import Role

_INDENT: Final = 2
_UNDER: Final = 6
_WHAT_WAS_ASKED: Final = {
    "remember": "a request to remember",
    "no_store": "a request not to remember",
    "forget": "a request to forget",
}
_HOW_FAR: Final = {
    "message": "this message",
    "next": "the next message",
    "session": "the rest of the session",
    "topic": "a topic",
}


def command(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What is said; - reads it from standard input.")
    ],
    role: Annotated[Role, typer.Option(help="Who says it.")] = Role.USER,
    at: options.SaidAt = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Say what would become of a text, and why; nothing is stored.

    The exit status is 1 where it would be kept out.
    """
    with answering(as_json) as terminal:
        said_at = options.instant_of(at, "at") or datetime.now().astimezone()
        said = options.text_of(text)
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        reply = asyncio.run(_explain(client, said, role, said_at, deadline_ms))
        terminal.status = 0 if reply.would == "store" else 1
        if as_json:
            terminal.object(reply.model_dump(mode="json"))
        else:
            _say(terminal, said, reply)


async def _explain(
    client: AsyncClient, text: str, role: Role, said_at: datetime, deadline_ms: int | None
) -> ExplainReply:
    async with client:
        return await client.explain(text, role=role, occurred_at=said_at, deadline_ms=deadline_ms)


def _say(terminal: Terminal, said: str, reply: ExplainReply) -> None:
    if reply.would == "store":
        facts = counted(len(reply.facts), "fact") if reply.facts else "no facts"
        terminal.line(f"Would be stored: a remark of the whole, and {facts}.", style="bold")
    else:
        rules = ", ".join(map(one_line, reply.rules))
        terminal.line(f"Would not be stored ({rules}).", style="bold")
    if reply.intent != "none":
        asked = _WHAT_WAS_ASKED.get(reply.intent, one_line(reply.intent))
        scope = "" if reply.scope is None else f": {_HOW_FAR.get(reply.scope, reply.scope)}"
        terminal.paragraph(f"Read as {asked}{scope}.")
    if reply.note is not None:
        terminal.paragraph(reply.note)
    for part in _in_order(reply):
        first, end = part.span
        terminal.line()
        terminal.paragraph(said[first:end].strip(), indent=_INDENT)
        for why in _reasons(part):
            terminal.paragraph(why, indent=_UNDER, style="dim")


def _in_order(reply: ExplainReply) -> list[ExplainedFact | ExplainedDrop]:
    """The parts of the text as they follow each other in it."""
    return sorted([*reply.facts, *reply.dropped], key=lambda part: part.span)


def _reasons(part: ExplainedFact | ExplainedDrop) -> Iterator[str]:
    if isinstance(part, ExplainedDrop):
        yield f"no fact: {one_line(part.reason).replace('_', ' ')}"
        return
    yield f"{part.kind.value}, confidence {part.confidence:.2f} ({one_line(part.rule)})"
    for name, instant in (
        ("dated", part.event_time),
        ("valid from", part.valid_from),
        ("valid until", part.valid_until),
    ):
        if instant is not None:
            yield f"{name} {when(instant)}"
