"""`cognid doctor`: proofs about the daemon and one bank."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.status import say_status
from cognid.cli.terminal import Terminal, answering, one_line, when, whose
from cognid.cli.verify import say_ledger
from cognid.client import AsyncClient
from cognid.protocol.doctor import DoctorReply, ErasureProof
from cognid.protocol.errors import CognidError
from cognid.protocol.link import StatusReply

_COLUMN: Final = 12


def command(
    erasure: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Prove that nothing is left of this forgotten memory; what is owed is done first.",
        ),
    ] = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Say how the daemon is and whether a bank's ledger is whole; or prove an erasure.

    The exit status is 1 where something is not as it should be.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        status, proofs = asyncio.run(_examine(client, erasure, deadline_ms))
        terminal.status = 0 if _is_well(status, proofs) else 1
        if as_json:
            daemon = {} if status is None else {"daemon": status.model_dump(mode="json")}
            proved = {"erasure": None, "ledger": None}
            if proofs is not None:
                proved = proofs.model_dump(mode="json")
            terminal.object({**daemon, **proved})
            return
        if status is not None:
            say_status(terminal, status)
            terminal.line()
        if proofs is None:
            terminal.note(
                f"There is no bank of {whose(owner, agent)}, so no ledger was looked at; "
                "`cognid bank list` lists those that there are."
            )
            return
        if proofs.ledger is not None:
            say_ledger(terminal, proofs.ledger)
        if proofs.erasure is not None:
            _say_erasure(terminal, proofs.erasure)


async def _examine(
    client: AsyncClient, erasure: str | None, deadline_ms: int | None
) -> tuple[StatusReply | None, DoctorReply | None]:
    """The daemon's state where no erasure is asked for, and what was proved of the bank; None where
    there is no such bank."""
    async with client:
        if erasure is not None:
            return None, await client.doctor(erasure=erasure, deadline_ms=deadline_ms)
        status = await client.status()
        try:
            return status, await client.doctor(ledger=True, deadline_ms=deadline_ms)
        except CognidError as error:
            if error.code != "unknown_bank":
                raise
            return status, None


def _is_well(status: StatusReply | None, proofs: DoctorReply | None) -> bool:
    ledger, erasure = (None, None) if proofs is None else (proofs.ledger, proofs.erasure)
    return (
        (status is None or status.health != "red")
        and (ledger is None or (ledger.whole and not ledger.rolled_back))
        and (erasure is None or erasure.erased)
    )


def _say_erasure(terminal: Terminal, proof: ErasureProof) -> None:
    if proof.forgotten_at is None:
        terminal.line("That memory was never forgotten in this bank, so nothing is proved.")
        return
    for name, value in (
        ("memory", proof.memory_id),
        ("forgotten", when(proof.forgotten_at)),
        ("erased", "yes" if proof.erased else "pending"),
    ):
        terminal.line(f"{name:<{_COLUMN}}{value}")
    for place, one in enumerate(proof.pending):
        terminal.line(f"{'' if place else 'because of':<{_COLUMN}}{one_line(one)}")
