"""`cognid export`: a bank's memories as JSON lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from cognid.cli import options
from cognid.cli.outcomes import memories
from cognid.cli.progress import Advance, progress
from cognid.cli.terminal import answering, json_line, one_line
from cognid.client import AsyncClient
from cognid.protocol.errors import CognidError


def command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A new file; - or none writes to standard output."),
    ] = "-",
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Write a bank's memories as JSON lines, one memory whole a line; `cognid import` reads them.

    The file can be read by you alone, but it is not encrypted.
    """
    with answering(as_json) as terminal:
        if as_json and file == "-":
            raise CognidError(
                "invalid_argument",
                "--json needs a FILE: the records themselves go to standard output",
            )
        client = AsyncClient(owner=owner, agent=agent)
        with _written(file) as target, progress() as advance:
            exported, shortened = asyncio.run(_export(client, target, advance, deadline_ms))
        for memory_id, first in shortened.items():
            terminal.note(
                f"{one_line(memory_id)}: its revisions before {first:,} are not in the file."
            )
        if as_json:
            terminal.object({"exported": exported, "path": file})
        else:
            terminal.note(f"{memories(exported)} exported.")


async def _export(
    client: AsyncClient, target: TextIO, advance: Advance, deadline_ms: int | None
) -> tuple[int, dict[str, int]]:
    """Write every page.

    Returns:
        How many memories there were, and of those whose history is not whole the first revision
        that the file has: a line takes only so much.
    """
    exported = 0
    shortened: dict[str, int] = {}
    cursor: str | None = None
    async with client:
        while True:
            page = await client.export(cursor=cursor, deadline_ms=deadline_ms)
            target.writelines(json_line(one.model_dump(mode="json")) for one in page.records)
            exported += len(page.records)
            first = {one.memory_id: one.revisions[0].revision for one in page.records}
            shortened |= {memory_id: number for memory_id, number in first.items() if number > 1}
            advance(exported, page.total)
            cursor = page.cursor
            if cursor is None:
                return exported, shortened


def _end_by_exception(*signals: signal.Signals) -> None:
    """Let signals end this process the way Ctrl-C does: a session that is closed or a service that
    is stopped leaves no half a file of memories behind."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for one in signals:
        if signal.getsignal(one) is signal.SIG_DFL:  # nohup has it ignored, and that stays
            signal.signal(one, end)


@contextmanager
def _written(file: str) -> Iterator[TextIO]:
    """Standard output, or a new file that is there only when all of it is.

    Raises:
        CognidError: `invalid_argument` where it exists or cannot be written.
    """
    if file == "-":
        yield sys.stdout
        return
    path = Path(file)
    part = path.with_name(f"{path.name}.part")
    try:
        if path.exists():
            raise CognidError("invalid_argument", f"{file} exists")
        # A leftover of an interrupted export is not written over either: it may be another's.
        made = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        _end_by_exception(signal.SIGTERM, signal.SIGHUP)
        try:
            with open(made, "w", encoding="utf-8", newline="\n") as target:  # noqa: PTH123 (a descriptor)
                yield target
                target.flush()
                os.fsync(made)
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        # A leftover by its own name, or nobody would look for it, and it holds memories.
        where = error.filename or file
        raise CognidError("invalid_argument", f"{where}: {error.strerror}") from None
