"""`cognid import`: bring memories in that `cognid export` wrote. (The word itself is Python's.)"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated, BinaryIO, Final

import typer

from cognid.cli import options
from cognid.cli.making import say_made
from cognid.cli.progress import Advance, progress
from cognid.cli.terminal import Terminal, answering, counted, one_line
from cognid.client import AsyncClient
from cognid.json_lines import Broken, read_as, read_lines
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.transfer import Imported, ImportOutcome, Record

_BATCH_BYTES: Final = bounds.LINE_BYTES // 4
"""Of a file's lines in one request; a longer line goes alone. The same record on the wire may be
somewhat longer than its line."""
_WHY: Final = {
    "operation_reused": "their operation id stands for something else",
    "disabled": "memory is switched off for this agent",
    "before_cutoff": "they came before a cutoff",
    "epoch_ended": "the bank began a new epoch meanwhile",
}


class Rule(StrEnum):
    """What becomes of a record that is in the bank already."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    NEW_ID = "new-id"


@dataclass(slots=True)
class Summary:
    """What became of the lines. `imported`: new, or in the place of what was there; `blocked`: ids
    that were forgotten in this bank; `rejected`: rules of the filters, by the id of what they kept
    out; `stopped`: why no more of them were taken."""

    lines: int = 0
    imported: int = 0
    skipped: int = 0
    blocked: list[str] = field(default_factory=list)
    rejected: dict[str, list[str]] = field(default_factory=dict)
    broken: int = 0
    bank_made: bool = False
    stopped: str | None = None


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="As export writes it; - reads standard input.")
    ],
    rule: Annotated[
        Rule, typer.Option(help="What becomes of a memory that is there already.")
    ] = Rule.SKIP,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Bring in memories that `cognid export` wrote. What was forgotten in this bank stays out.

    The exit status is 1 where a line was left out, or a memory was blocked or rejected.
    """
    with answering(as_json) as terminal, options.opened(file) as source:
        client = AsyncClient(owner=owner, agent=agent)
        with progress(_size(source)) as advance:
            summary = asyncio.run(_import(client, source, rule, terminal, advance, deadline_ms))
        left_out = summary.blocked or summary.rejected or summary.broken or summary.stopped
        terminal.status = 1 if left_out else 0
        if as_json:
            terminal.object(asdict(summary))
        else:
            if summary.bank_made:
                say_made(terminal, owner, agent)
            _say(terminal, summary)


async def _import(
    client: AsyncClient,
    source: BinaryIO,
    rule: Rule,
    terminal: Terminal,
    advance: Advance,
    deadline_ms: int | None,
) -> Summary:
    summary = Summary()
    word = "new_id" if rule is Rule.NEW_ID else rule.value
    async with client:
        summary.bank_made = (await client.ensure_bank(enabled=True)).created
        try:
            for batch, end in _batches(source, summary, terminal):
                outcome = await client.import_records(
                    batch,
                    rule=word,  # type: ignore[arg-type] # the literals are the enumeration's words
                    deadline_ms=deadline_ms,
                )
                _count(summary, outcome)
                advance(end)
                if summary.stopped:
                    break
        except (CognidError, asyncio.CancelledError):
            taken = summary.imported + summary.skipped
            terminal.note(f"Stopped after {counted(taken, 'record')} that are in.")
            raise
    return summary


def _batches(
    source: BinaryIO, summary: Summary, terminal: Terminal
) -> Iterator[tuple[list[Record], int]]:
    """Read the records that go in one step each: as many, and as long, as a request takes; with
    the place in the file where they end."""
    batch: list[Record] = []
    size = end = 0
    for line in read_lines(source):
        summary.lines += 1
        length, end = line.end - end, line.end
        record = read_as(Record, line.value)
        if isinstance(record, Broken):
            summary.broken += 1
            terminal.note(f"line {line.number}: {record.reason}")
            continue
        if batch and (len(batch) == bounds.RECORDS or size + length > _BATCH_BYTES):
            yield batch, end - length
            batch, size = [], 0
        batch.append(record)
        size += length
    if batch:
        yield batch, end


def _size(source: BinaryIO) -> int | None:
    """The bytes of a file; None of a pipe."""
    return source.seek(0, os.SEEK_END) - source.seek(0) if source.seekable() else None


def _count(summary: Summary, outcome: ImportOutcome) -> None:
    if isinstance(outcome, Imported):
        summary.imported += outcome.imported
        summary.skipped += outcome.skipped
        summary.blocked += outcome.blocked
        summary.rejected.update({one.memory_id: one.rules for one in outcome.rejected})
    else:
        summary.stopped = outcome.reason


def _say(terminal: Terminal, summary: Summary) -> None:
    for memory_id in summary.blocked:
        terminal.note(f"{one_line(memory_id)} was forgotten in this bank, and that holds.")
    for memory_id, rules in summary.rejected.items():
        terminal.note(f"{one_line(memory_id)} was kept out ({', '.join(map(one_line, rules))}).")
    parts = [
        f"{summary.imported:,} imported",
        f"{summary.skipped:,} skipped",
        f"{len(summary.blocked):,} blocked",
        f"{len(summary.rejected):,} rejected",
        f"{summary.broken:,} broken",
    ]
    terminal.line(f"{counted(summary.lines, 'line')}: {', '.join(parts)}.")
    if summary.stopped:
        any_in = summary.imported or summary.skipped
        which = "The others are not in" if any_in else "Nothing was imported"
        terminal.note(f"{which}: {_WHY[summary.stopped]}.")
