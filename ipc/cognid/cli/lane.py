"""`cognid lane`: the sources that a runtime puts beside an agent's memories."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Final

import typer
from pydantic import Field

from cognid.cli import options
from cognid.cli.making import in_its_bank, say_made
from cognid.cli.reasons import WHY_NO_EFFECT
from cognid.cli.terminal import Terminal, answering, counted, one_line, when
from cognid.client import AsyncClient
from cognid.json_lines import LINE_BYTES, Broken, read_as, read_object
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.lanes import (
    DropOutcome,
    LaneAbsent,
    LaneConflict,
    LaneDropped,
    LaneRejected,
    LaneReplaced,
    LaneUnaffected,
    LaneUnchanged,
    LaneUnit,
    LaneUnits,
    LaneView,
    Omission,
    QueryOutcome,
    ReplaceOutcome,
    Snapshot,
)
from cognid.protocol.values import Message

app = typer.Typer(help="Look at, replace and drop the sources beside an agent's memories.")

LaneName = Annotated[str, typer.Argument(metavar="LANE", help="Its name.")]
_WHY_NOT: Final = {
    "operation_reused": "the operation id stands for something else",
    "snapshot_differs": "it holds another hash or other units under this snapshot's name",
    **WHY_NO_EFFECT,
}


class _File(Message):
    """What `lane replace` reads: lane.replace of the protocol, but for the lane's name."""

    snapshot: Snapshot
    units: list[LaneUnit]
    omissions: list[Omission] = Field(default_factory=list)
    covers: int | None = None


@app.command()
def query(
    lane: Annotated[
        str | None, typer.Argument(metavar="LANE", help="Its name; all lanes without it.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--query", metavar="TEXT", help="Only what shares words with it; - reads it."),
    ] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only units of this type; repeatable."),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=bounds.LANE_UNITS, metavar="N", help="Units on a page.")
    ] = bounds.LANE_PAGE_DEFAULT,
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Where the page before this one ended.")
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Show lanes and their units; with --query the units that it finds, best first.

    The exit status is 1 where there are none.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        asked = None if text is None else options.text_of(text)
        outcome = asyncio.run(_query(client, lane, asked, type_, limit, cursor, deadline_ms))
        terminal.status = 0 if isinstance(outcome, LaneUnits) and outcome.units else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json"))
        elif isinstance(outcome, LaneUnits):
            _say_units(terminal, outcome)
        else:
            terminal.note("Memory is switched off for this agent.")


@app.command()
def replace(
    lane: LaneName,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A JSON object of snapshot, units, omissions; - reads standard input.",
        ),
    ],
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Put a lane in the place of what it was, whole or not at all."""
    with answering(as_json) as terminal:
        with options.opened(file) as source:
            given = read_as(_File, read_object(source, LINE_BYTES))
        if isinstance(given, Broken):
            raise CognidError("invalid_argument", f"{file}: {given.reason}")
        client = AsyncClient(owner=owner, agent=agent)
        outcome, bank_made = asyncio.run(_replace(client, lane, given, deadline_ms))
        terminal.status = 0 if isinstance(outcome, LaneReplaced | LaneUnchanged) else 1
        if as_json:
            terminal.object({**outcome.model_dump(mode="json"), "bank_made": bank_made})
            return
        if bank_made:
            say_made(terminal, owner, agent)
        _say_replaced(terminal, outcome)


@app.command()
def drop(
    lane: LaneName,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Take a lane away for good. The source that it was made from is not touched."""
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        outcome = asyncio.run(_drop(client, lane, deadline_ms))
        terminal.status = 0 if isinstance(outcome, LaneDropped | LaneAbsent) else 1
        if as_json:
            terminal.object(outcome.model_dump(mode="json"))
            return
        match outcome:
            case LaneDropped():
                gone = "erased from the files" if outcome.erased else "erasure pending"
                units = counted(outcome.units, "unit")
                terminal.line(f"Dropped: {one_line(outcome.lane)}, {units}, {gone}.")
            case LaneAbsent():
                terminal.note("There is no lane of that name.")
            case LaneConflict() | LaneUnaffected():
                terminal.note(f"Nothing was done: {_WHY_NOT[outcome.reason]}.")


async def _query(
    client: AsyncClient,
    lane: str | None,
    query: str | None,
    types: list[str] | None,
    limit: int,
    cursor: str | None,
    deadline_ms: int | None,
) -> QueryOutcome:
    async with client:
        return await client.query_lanes(
            query,
            lane=lane,
            types=types or None,
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
        )


async def _replace(
    client: AsyncClient, lane: str, given: _File, deadline_ms: int | None
) -> tuple[ReplaceOutcome, bool]:
    async with client:
        replacing = partial(
            client.replace_lane,
            lane,
            given.snapshot,
            given.units,
            omissions=given.omissions,
            covers=given.covers,
            deadline_ms=deadline_ms,
        )
        return await in_its_bank(client, replacing)


async def _drop(client: AsyncClient, lane: str, deadline_ms: int | None) -> DropOutcome:
    async with client:
        return await client.drop_lane(lane, deadline_ms=deadline_ms)


def _say_replaced(terminal: Terminal, outcome: ReplaceOutcome) -> None:
    match outcome:
        case LaneReplaced() | LaneUnchanged():
            word = "Replaced" if isinstance(outcome, LaneReplaced) else "Unchanged"
            covered = outcome.coverage
            terminal.line(
                f"{word}: {one_line(outcome.lane)}, {counted(covered.units, 'unit')} and "
                f"{counted(covered.omissions, 'omission')} cover {covered.covered:,}."
            )
        case LaneRejected():
            terminal.note("Nothing was stored: units look as if they held credentials.")
            for unit in outcome.units:
                rules = ", ".join(map(one_line, unit.rules))
                terminal.note(f"  {one_line(unit.unit_id)} ({rules})")
        case LaneConflict() | LaneUnaffected():
            terminal.note(f"Nothing was done: {_WHY_NOT[outcome.reason]}.")


def _say_units(terminal: Terminal, found: LaneUnits) -> None:
    for lane in found.lanes:
        _say_lane(terminal, lane)
    for unit in found.units:
        terminal.line()
        score = "" if unit.score is None else f"{unit.score:.2f}  "
        date = "" if unit.occurred_at is None else f"  {when(unit.occurred_at)}"
        name = f"{one_line(unit.lane)}/{one_line(unit.unit_id)}"
        terminal.line(f"{score}{name}  {one_line(unit.type)}{date}", style="bold")
        terminal.paragraph(unit.text, indent=2)
        if unit.source is not None:
            terminal.paragraph(f"at {one_line(unit.source)}", indent=2, style="dim")
    if not found.lanes:
        terminal.note("No lanes.")
        return
    terminal.note(f"\n{counted(len(found.units), 'unit')} here, {found.total:,} in all.")
    if found.cursor is not None:
        terminal.note(f"The next page: --cursor {found.cursor}")


def _say_lane(terminal: Terminal, lane: LaneView) -> None:
    covered = lane.coverage
    terminal.line(
        f"{one_line(lane.lane)}  {counted(covered.units, 'unit')}, "
        f"{counted(covered.omissions, 'omission')}, replaced {when(lane.replaced_at)}"
    )
    terminal.paragraph(
        f"snapshot {one_line(lane.snapshot.id)}  {lane.snapshot.hash[:12]}…",
        indent=2,
        style="dim",
    )
    for omission in lane.omissions or ():
        what = "" if omission.unit_id is None else f"{one_line(omission.unit_id)}: "
        terminal.paragraph(f"left out  {what}{one_line(omission.reason)}", indent=2, style="dim")
