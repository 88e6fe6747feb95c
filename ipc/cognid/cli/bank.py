"""`cognid bank`: which banks there are, how one is, and making one."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, one_line, when, whose
from cognid.client import AsyncClient
from cognid.protocol.banks import BankEnsured, BankStatusReply, BankView
from cognid.protocol.index import PipelineState

app = typer.Typer(help="List banks, say how one is, make one.")

_COLUMN: Final = 10


@app.command(name="list")
def list_(
    owner: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this owner's; all without it.")
    ] = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """List the banks that the credential reaches, in the order they were made.

    The exit status is 1 where there are none.
    """
    with answering(as_json) as terminal:
        banks = asyncio.run(_list(owner, deadline_ms))
        terminal.status = 0 if banks else 1
        if as_json:
            terminal.object({"banks": [bank.model_dump(mode="json") for bank in banks]})
            return
        terminal.table(
            ("owner", "agent", "switch", "made"),
            [
                (
                    one_line(bank.owner),
                    "(none)" if bank.agent is None else one_line(bank.agent),
                    "on" if bank.enabled else "off",
                    when(bank.created_at),
                )
                for bank in banks
            ],
        )
        if not banks:
            terminal.note("No banks.")


@app.command()
def status(
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Say how a bank is: what it holds, and where its indexes stand."""
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        bank = asyncio.run(_status(client, deadline_ms))
        if as_json:
            terminal.object(bank.model_dump(mode="json"))
        else:
            _say(terminal, bank)


@app.command()
def make(
    off: Annotated[bool, typer.Option("--off", help="Switched off; else it is on.")] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Make a bank. One that is there stays as it is, its switch too."""
    with answering(as_json) as terminal:
        client = AsyncClient(owner=owner, agent=agent)
        bank = asyncio.run(_make(client, not off, deadline_ms))
        if as_json:
            terminal.object(bank.model_dump(mode="json"))
            return
        word = "Made" if bank.created else "There already"
        terminal.line(f"{word}: {whose(owner, agent)}, switched {'on' if bank.enabled else 'off'}.")


async def _list(owner: str | None, deadline_ms: int | None) -> list[BankView]:
    async with AsyncClient() as client:
        return await client.banks(owner=owner, deadline_ms=deadline_ms)


async def _status(client: AsyncClient, deadline_ms: int | None) -> BankStatusReply:
    async with client:
        return await client.bank_status(deadline_ms=deadline_ms)


async def _make(client: AsyncClient, enabled: bool, deadline_ms: int | None) -> BankEnsured:
    async with client:
        return await client.ensure_bank(enabled=enabled, deadline_ms=deadline_ms)


def _say(terminal: Terminal, bank: BankStatusReply) -> None:
    index = bank.index
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(bank.by_kind.items()))
    for name, value in (
        ("switch", "on" if bank.enabled else "off"),
        ("made", when(bank.created_at)),
        ("memories", f"{bank.memories:,}{f' ({kinds})' if kinds else ''}"),
        ("expired", f"{bank.expired:,}"),
        ("events", f"{bank.events:,}"),
        ("ledger", f"{bank.ledger_entries:,} entries"),
        ("files", f"{bank.file_bytes:,} bytes"),
        ("lexical", _state(index.lexical)),
        ("vector", f"{_state(index.vector)}, {index.indexed:,} indexed, {index.backlog:,} waiting"),
    ):
        terminal.line(f"{name:<{_COLUMN}}{value}")
    if bank.rolled_back:
        terminal.note("An older file of this bank was put back: later entries are missing.")


def _state(state: PipelineState) -> str:
    share = "" if state.percent is None else f" ({state.percent:.0f} % done)"
    return f"{state.state}{share}" if state.code is None else f"{state.state} ({state.code})"
