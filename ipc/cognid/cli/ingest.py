"""`cognid ingest`: take a chat transcript in, line by line."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.making import say_made
from cognid.cli.progress import Advance, progress
from cognid.cli.reasons import WHY_NO_EFFECT
from cognid.cli.terminal import Terminal, answering, counted, one_line
from cognid.client import AsyncClient
from cognid.json_lines import Broken
from cognid.protocol.errors import CognidError
from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import Committed, IntakeOutcome, NoEffect, Rejected
from cognid.protocol.values import Kind
from cognid.transcript import Line, Transcript, Turn

_WINDOW: Final = 32
"""Requests in flight: half of what one connection may have, and a full group for a commit."""
_ATTEMPTS: Final = 6
_PAUSE_SECONDS: Final = 0.05
_OF_ONE_LINE: Final = frozenset({"invalid_argument", "identity_mismatch", "line_too_long"})
"""Errors that are a line's own fault; any other ends the run."""
_BY_ROLE: Final = ["role_not_kept"]
"""What the settings keep out can be every other line: such lines are counted, not named."""


@dataclass(slots=True)
class Summary:
    """What became of the lines. From `committed` to `broken` they add up to `lines`."""

    lines: int = 0
    committed: int = 0
    duplicate: int = 0
    rejected: int = 0
    forgotten: int = 0
    conflict: int = 0
    delivery_gap: int = 0
    no_effect: int = 0
    broken: int = 0
    facts: int = 0
    """Made of the committed lines, beside their remarks."""
    folded: int = 0
    """Facts of the committed lines that were there already."""
    rules: dict[str, int] = field(default_factory=dict)
    """How many lines each rule kept out."""
    reasons: dict[str, int] = field(default_factory=dict)
    """How many lines had no effect, by the reason."""
    bank_made: bool = False

    def count(self, outcome: IntakeOutcome) -> None:
        """Count one answered line under its outcome, whose words are the fields' names."""
        setattr(self, outcome.outcome, getattr(self, outcome.outcome) + 1)
        if isinstance(outcome, Committed):
            self.facts += sum(memory.kind is not Kind.REMARK for memory in outcome.memories)
            self.folded += len(outcome.folded)
        elif isinstance(outcome, Rejected):
            for rule in set(outcome.rules):
                self.rules[rule] = self.rules.get(rule, 0) + 1
        elif isinstance(outcome, NoEffect):
            self.reasons[outcome.reason] = self.reasons.get(outcome.reason, 0) + 1

    @property
    def all_in(self) -> bool:
        """Whether every line is remembered now."""
        return self.committed + self.duplicate == self.lines


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON lines; - reads standard input.")
    ],
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The session of lines that name none; else made of FILE."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Take in a chat transcript.

    JSON lines of role, content and, if known, time, speaker, session. Taking the same file in again
    adds nothing. The exit status is 1 where a line was left out.
    """
    with answering(as_json) as terminal, options.opened(file) as source:
        transcript = Transcript(source)
        client = AsyncClient(owner=owner, agent=agent, session_id=session or transcript.session_id)
        with progress(transcript.size) as advance:
            summary = asyncio.run(_ingest(client, transcript, terminal, advance))
        if transcript.changed:
            raise CognidError(
                "invalid_argument", "the file changed while it was read: take it in again"
            )
        terminal.status = 0 if summary.all_in else 1
        if as_json:
            terminal.object({**asdict(summary), "stream": transcript.stream})
        else:
            if summary.bank_made:
                say_made(terminal, owner, agent)
            _say(terminal, summary)


async def _ingest(
    client: AsyncClient,
    transcript: Transcript,
    terminal: Terminal,
    advance: Advance,
) -> Summary:
    summary = Summary()
    window = asyncio.Semaphore(_WINDOW)

    async def take(line: Line, turn: Turn) -> None:
        try:
            outcome = await _send(client, transcript.stream, line.number, turn)
            summary.count(outcome)
            if isinstance(outcome, Rejected) and outcome.rules != _BY_ROLE:
                terminal.note(f"line {line.number}: kept out ({', '.join(outcome.rules)})")
        except CognidError as error:
            if error.code not in _OF_ONE_LINE:
                raise
            summary.broken += 1
            terminal.note(f"line {line.number}: {error.detail}")
        finally:
            window.release()

    async with client:
        summary.bank_made = (await client.ensure_bank(enabled=True)).created
        try:
            async with asyncio.TaskGroup() as lines:
                for line in transcript.lines():
                    summary.lines += 1
                    if isinstance(line.turn, Broken):
                        summary.broken += 1
                        terminal.note(f"line {line.number}: {line.turn.reason}")
                        continue
                    # Tasks start in the order they are made, so lines are sent in theirs.
                    await window.acquire()
                    lines.create_task(take(line, line.turn))
                    advance(line.end)
        except* (CognidError, asyncio.CancelledError) as failures:
            terminal.note(
                f"Stopped after {counted(summary.committed, 'line')} taken in. "
                "Take the file in again: nothing is stored twice."
            )
            raise _first(failures) from None
    return summary


async def _send(client: AsyncClient, stream: str, number: int, turn: Turn) -> IntakeOutcome:
    """Send one line; under load, again under the same operation id after a pause."""
    operation_id = new_operation_id()
    session_id = turn.session or client.session_id
    for attempt in range(_ATTEMPTS):
        try:
            return await client.remember(
                role=turn.role,
                content=turn.content,
                stream=stream,
                sequence=number,
                speaker=turn.speaker,
                occurred_at=turn.time,
                session_id=session_id,
                operation_id=operation_id,
            )
        except CognidError as error:
            if error.code != "overloaded" or attempt == _ATTEMPTS - 1:
                raise
        await asyncio.sleep(_PAUSE_SECONDS * 2**attempt)
    raise AssertionError  # the last attempt answers or raises


def _first(failures: BaseExceptionGroup) -> BaseException:
    for failure in failures.exceptions:
        return _first(failure) if isinstance(failure, BaseExceptionGroup) else failure
    raise AssertionError  # a group is never empty


def _say(terminal: Terminal, summary: Summary) -> None:
    parts = [f"{summary.committed:,} committed", f"{summary.duplicate:,} duplicate"]
    parts += [f"{summary.rejected:,} rejected", f"{summary.broken:,} broken"]
    for name in ("forgotten", "conflict", "delivery_gap", "no_effect"):
        if number := getattr(summary, name):
            parts.append(f"{number:,} {name.replace('_', ' ')}")
    terminal.line(f"{counted(summary.lines, 'line')}: {', '.join(parts)}.")
    if summary.facts or summary.folded:
        there = f", {summary.folded:,} more there already" if summary.folded else ""
        terminal.line(f"Facts found in them: {summary.facts:,}{there}.")
    for rule, number in sorted(summary.rules.items()):
        terminal.line(f"Kept out by {one_line(rule)}: {counted(number, 'line')}.")
    for reason, number in sorted(summary.reasons.items()):
        terminal.line(f"No effect, {WHY_NO_EFFECT[reason]}: {counted(number, 'line')}.")
