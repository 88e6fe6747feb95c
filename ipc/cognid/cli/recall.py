"""`cognid recall`: ask what is remembered."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, assert_never

import typer

from cognid.cli import options
from cognid.cli.memories import INDENT, print_memory
from cognid.cli.terminal import Terminal, answering
from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.index import PipelineState
from cognid.protocol.recall import (
    Disabled,
    Effort,
    Hit,
    Hits,
    NoHits,
    Pipelines,
    RecallOutcome,
    Unavailable,
)
from cognid.protocol.values import Pipeline

UNAVAILABLE: Final = 75
"""EX_TEMPFAIL: nobody could answer in time; asking again may help."""
WHY_UNAVAILABLE: Final = {
    "deadline": "no pipeline answered before the deadline",
    "pipelines_failed": "every pipeline failed",
    "pending_mutation": "an earlier change of this connection is not done yet",
    "epoch_ended": "the bank began a new epoch meanwhile",
}


def command(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="The question; - reads it from standard input.")
    ],
    limit: Annotated[
        int,
        typer.Option(min=1, max=bounds.RECALL_LIMIT_MAX, metavar="N", help="How many hits."),
    ] = bounds.RECALL_LIMIT_DEFAULT,
    pipeline: Annotated[
        Pipeline | None, typer.Option(help="Ask this pipeline alone, without the router.")
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Have the reranker read what is found: better, slower."),
    ] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Ask what is remembered. The exit status is 1 where there are no hits."""
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent, session_id=session)
        effort: Effort = "thorough" if thorough else "fast"
        asked = _recall(client, options.text_of(query), limit, pipeline, effort, deadline_ms)
        outcome = asyncio.run(asked)
        terminal.status = _status(outcome)
        if as_json:
            terminal.object(outcome.model_dump(mode="json"))
        else:
            _say(terminal, outcome)


async def _recall(
    client: AsyncClient,
    query: str,
    limit: int,
    pipeline: Pipeline | None,
    effort: Effort,
    deadline_ms: int | None,
) -> RecallOutcome:
    async with client:
        # Apart from the recall's deadline: a daemon that its socket starts has to load first.
        await client.connect()
        if pipeline is not None:
            return await client.search(
                query, pipeline, limit=limit, effort=effort, deadline_ms=deadline_ms
            )
        return await client.recall(query, limit=limit, effort=effort, deadline_ms=deadline_ms)


def _status(outcome: RecallOutcome) -> int:
    match outcome:
        case Hits():
            return 0
        case NoHits() | Disabled():
            return 1
        case Unavailable():
            return UNAVAILABLE
        case _:
            assert_never(outcome)


def _say(terminal: Terminal, outcome: RecallOutcome) -> None:
    match outcome:
        case Hits():
            for place, hit in enumerate(outcome.hits):
                if place:
                    terminal.line()
                _print_hit(terminal, hit)
        case NoHits():
            terminal.note("Nothing is remembered about that.")
        case Disabled():
            terminal.note("Memory is switched off for this agent.")
        case Unavailable():
            terminal.note(f"Recall is unavailable: {WHY_UNAVAILABLE[outcome.reason]}.")
        case _:
            assert_never(outcome)
    if isinstance(outcome, Hits | NoHits):
        if outcome.query_trimmed:
            terminal.note(f"Only the last {bounds.QUERY_BYTES} bytes of the query were used.")
        if not outcome.partial:
            return
    if not isinstance(outcome, Disabled):
        say_missing(terminal, outcome.pipelines)


def _print_hit(terminal: Terminal, hit: Hit) -> None:
    print_memory(terminal, hit, hit.text, head=f"{hit.score:.2f}")
    if not hit.complete:
        first, end = hit.span
        terminal.paragraph(
            f"characters {first:,} to {end:,} of a longer memory; whole: "
            f"cognid show {hit.memory_id}",
            indent=INDENT,
            style="dim",
        )


def say_missing(terminal: Terminal, pipelines: Pipelines) -> None:
    """Name the parts that are missing from an answer."""
    for name, state in (
        ("lexical index", pipelines.lexical),
        ("vector index", pipelines.vector),
        ("reranker", pipelines.reranker),
    ):
        reason = _why_missing(state)
        if reason:
            terminal.note(f"Partial: the {name} {reason}.")


def _why_missing(state: PipelineState) -> str:
    match state.state:
        case "ready" | "off":
            return ""
        case "building":
            share = "" if state.percent is None else f" ({state.percent:.0f} % done)"
            return f"is being built{share}"
        case "late" if state.percent:
            return f"read {state.percent:.0f} % of what it should before the deadline"
        case "late":
            return "did not answer before the deadline"
        case "failed" if state.code == "reranker_missing":
            return "is not installed: cognid reranker install FILE"
        case "failed":
            return f"failed ({state.code or 'no code'})"
        case _:
            assert_never(state.state)
