"""`cognid resolve`: what became of a write whose answer was lost."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.terminal import answering, one_line
from cognid.client import AsyncClient
from cognid.protocol.operations import Resolution, ResolvedCommitted, ResolvedRefused

_PENDING: Final = 75
"""EX_TEMPFAIL: asking again may help."""
_STATUS: Final = {"committed": 0, "pending": _PENDING}
_MEANING: Final = {
    "committed": "It is on disk.",
    "refused": "It arrived and changed nothing.",
    "sealed": "It never arrived, and now it never can: send it again under a new id.",
    "pending": "It is in flight: ask again.",
    "expired": "It is older than the receipts that are kept: look at the memories themselves.",
}


def command(
    operation_id: Annotated[
        str, typer.Argument(metavar="OPERATION_ID", help="As the error named it.")
    ],
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Settle what became of a write whose answer was lost.

    The exit status is 0 where it was done, 1 where it was not, 75 where it is still in flight.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        resolution = asyncio.run(_resolve(client, operation_id, deadline_ms))
        terminal.status = _STATUS.get(resolution.outcome, 1)
        if as_json:
            terminal.object(resolution.model_dump(mode="json"))
            return
        stored = (
            resolution.stored if isinstance(resolution, ResolvedCommitted | ResolvedRefused) else {}
        )
        meaning = _MEANING[resolution.outcome]
        if resolution.outcome == "committed" and "was" in stored:
            meaning = "It was done, and the bank was wiped since: nothing of it is left."
        terminal.line(f"{resolution.outcome}: {meaning}")
        if stored:
            # Receipts hold codes, ids and numbers, never text.
            answer = stored.get("was", stored.get("outcome", ""))
            terminal.line(f"  its answer: {one_line(str(answer))}")


async def _resolve(client: AsyncClient, operation_id: str, deadline_ms: int | None) -> Resolution:
    async with client:
        return await client.resolve(operation_id, deadline_ms=deadline_ms)
