"""`cognid reindex`: have a bank's indexes made anew, and watch how far that is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, counted, one_line, options_of
from cognid.client import AsyncClient
from cognid.protocol.index import (
    GenerationView,
    IndexReport,
    RebuildBegun,
    RebuildConflict,
    RebuildWithoutEffect,
)
from cognid.protocol.values import Pipeline

_LOOK_SECONDS: Final = 0.5
_SAY_EVERY: Final = 10.0
"""Percent between two lines where the output is for another program."""

_WHY: Final = {
    "operation_reused": "the operation id stands for something else",
    "epoch_ended": "the bank began a new epoch meanwhile",
    "model_unavailable": "there is no model to make vectors with (cognid status says why)",
}
_Show = Callable[[list[GenerationView]], None]


def command(
    only: Annotated[
        Pipeline | None, typer.Option(help="Only this index; without it, all of them.")
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Wait until it is done, and show how far it is."),
    ] = True,
    status: Annotated[
        bool, typer.Option("--status", help="Begin nothing; show what is being built.")
    ] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    as_json: options.Json = False,
) -> None:
    """Have the indexes of a bank made anew beside the live ones, which answer meanwhile.

    It is done in the background whether anyone waits or not, and goes on after a restart. The exit
    status is 1 where nothing was begun, or where memories had to be passed over.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        asyncio.run(_reindex(client, terminal, only, wait=wait, status=status))


async def _reindex(
    client: AsyncClient, terminal: Terminal, only: Pipeline | None, *, wait: bool, status: bool
) -> None:
    async with client:
        wanted: frozenset[int] | None = None
        if not status:
            outcome = await client.rebuild_indexes([only] if only else list(Pipeline))
            if not isinstance(outcome, RebuildBegun):
                terminal.status = 1
                _say_refusal(terminal, outcome)
                return
            wanted = frozenset(outcome.generations.values())
            if not wait:
                if terminal.as_json:
                    terminal.object(outcome.model_dump(mode="json"))
                else:
                    bank = options_of(client.owner, client.agent)
                    terminal.line(f"Begun. See how far it is: cognid reindex --status{bank}")
                return
        report = await client.index_status()
        if wait:
            with _shown(terminal) as show:
                while pending := _pending(report, wanted):
                    show(pending)
                    await asyncio.sleep(_LOOK_SECONDS)
                    report = await client.index_status()
        terminal.status = 1 if report.skipped_rows else 0
        if terminal.as_json:
            terminal.object(report.model_dump(mode="json"))
        else:
            _say(terminal, report)


def _pending(report: IndexReport, wanted: frozenset[int] | None) -> list[GenerationView]:
    """The generations that are not live yet: those that are waited for, or any."""
    return [
        one
        for one in report.generations
        if one.state == "building" and (wanted is None or one.generation in wanted)
    ]


@contextmanager
def _shown(terminal: Terminal) -> Iterator[_Show]:
    """Show how far generations are: a bar on a terminal, now and then a line elsewhere."""
    if terminal.as_json:
        yield lambda _: None
    elif sys.stdout.isatty():
        with _bars() as show:
            yield show
    else:
        yield _lines(terminal)


def _lines(terminal: Terminal) -> _Show:
    said: dict[int, float] = {}

    def show(pending: list[GenerationView]) -> None:
        for one in pending:
            if one.percent >= said.get(one.generation, -_SAY_EVERY) + _SAY_EVERY:
                said[one.generation] = one.percent
                terminal.line(f"{one.kind.value}  {one.percent:.0f} %")
                sys.stdout.flush()

    return show


@contextmanager
def _bars() -> Iterator[_Show]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from cognid.cli.console import make_console

    columns = (
        TextColumn("{task.description:8}"),
        BarColumn(),
        TextColumn("{task.percentage:>5.1f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=make_console()) as progress:
        tasks = {}

        def show(pending: list[GenerationView]) -> None:
            for one in pending:
                if one.generation not in tasks:
                    tasks[one.generation] = progress.add_task(one.kind.value, total=100.0)
                progress.update(tasks[one.generation], completed=one.percent)
            for generation, task in tasks.items():
                if all(one.generation != generation for one in pending):
                    progress.update(task, completed=100.0)

        yield show


def _say_refusal(terminal: Terminal, outcome: RebuildConflict | RebuildWithoutEffect) -> None:
    if terminal.as_json:
        terminal.object(outcome.model_dump(mode="json"))
        return
    terminal.note(f"Nothing was begun: {_WHY[outcome.reason]}.")


def _say(terminal: Terminal, report: IndexReport) -> None:
    for one in report.generations:
        if one.state == "building":
            terminal.line(f"{one.kind.value:8}  being built, {one.percent:.1f} %")
    for name, pipeline in (("lexical", report.lexical), ("vector", report.vector)):
        code = f" ({one_line(pipeline.code)})" if pipeline.code else ""
        terminal.line(f"{name:8}  {pipeline.state}{code}")
    terminal.line(f"memories  {report.indexed:,} with vectors, {report.backlog:,} waiting")
    for row in report.skipped_rows:
        where = f"{one_line(row.memory_id)}, revision {row.revision}"
        terminal.note(f"passed over in {row.pipeline.value}: {where}: {one_line(row.code)}")
    if report.skipped_rows:
        terminal.note(f"{counted(len(report.skipped_rows), 'memory', 'memories')} passed over.")
