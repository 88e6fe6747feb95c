"""`cognid verify`: whether a bank's ledger is whole."""

from __future__ import annotations

import asyncio

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, counted
from cognid.client import AsyncClient
from cognid.protocol.doctor import LedgerProof
from cognid.protocol.errors import CognidError


def command(
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Go through a bank's ledger and say whether an entry was removed, changed or moved.

    The exit status is 1 where it is not whole, or where an older bank file was put back.
    """
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        proof = asyncio.run(_verify(client, deadline_ms))
        terminal.status = 0 if proof.whole and not proof.rolled_back else 1
        if as_json:
            terminal.object(proof.model_dump(mode="json"))
        else:
            say_ledger(terminal, proof)


def say_ledger(terminal: Terminal, proof: LedgerProof) -> None:
    """Say how the ledger stands."""
    entries = counted(proof.entries, "entry", "entries")
    if proof.whole:
        terminal.line(f"The ledger is whole: {entries}, head {proof.head}")
    else:
        at = "" if proof.broken_at is None else f" at entry {proof.broken_at:,}"
        terminal.line(f"The ledger is broken{at} ({entries}).")
    if proof.rolled_back:
        terminal.line("An older file of this bank was put back: later entries are missing.")


async def _verify(client: AsyncClient, deadline_ms: int | None) -> LedgerProof:
    async with client:
        proof = (await client.doctor(ledger=True, deadline_ms=deadline_ms)).ledger
    if proof is None:
        raise CognidError("protocol_violation", "the ledger's proof is missing")
    return proof
