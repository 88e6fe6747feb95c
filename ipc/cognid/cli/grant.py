"""`cognid grant`: which programs are paired, and ending one's grant. `cognid pair` makes them."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cognid.cli import options
from cognid.cli.terminal import answering, counted, one_line, when
from cognid.client import AsyncClient
from cognid.protocol.grants import GrantRecord, GrantRevoked

app = typer.Typer(help="List the grants of paired programs, and end them.")


@app.command(name="list")
def list_(deadline_ms: options.DeadlineMs = None, as_json: options.Json = False) -> None:
    """List all grants, oldest first: the name, what it reaches, its rights, its credential."""
    with answering(as_json) as terminal:
        grants = asyncio.run(_list(deadline_ms))
        if as_json:
            terminal.object({"grants": [grant.model_dump(mode="json") for grant in grants]})
            return
        for grant in grants:
            terminal.line(f"{one_line(grant.name)}  made {when(grant.created_at)}", style="bold")
            terminal.paragraph(
                f"owners {_names(grant.owners)}; agents {_names(grant.agents)}", indent=2
            )
            terminal.paragraph(", ".join(right.value for right in grant.rights), indent=2)
            terminal.paragraph(grant.credential_id, indent=2, style="dim")


@app.command()
def revoke(
    credential_id: Annotated[
        str, typer.Argument(metavar="ID", help="Of its credential, as `grant list` shows it.")
    ],
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """End a grant at once. Its open connections are closed, and its credential is good no more."""
    with answering(as_json) as terminal:
        revoked = asyncio.run(_revoke(credential_id, deadline_ms))
        if as_json:
            terminal.object(revoked.model_dump(mode="json"))
        else:
            closed = counted(revoked.connections_closed, "connection")
            terminal.line(f"Revoked: {one_line(revoked.credential_id)}, {closed} closed.")


async def _list(deadline_ms: int | None) -> list[GrantRecord]:
    async with AsyncClient() as client:
        return await client.grants(deadline_ms=deadline_ms)


async def _revoke(credential_id: str, deadline_ms: int | None) -> GrantRevoked:
    async with AsyncClient() as client:
        return await client.revoke_grant(credential_id, deadline_ms=deadline_ms)


def _names(names: str | list[str] | list[str | None]) -> str:
    if isinstance(names, str):
        return "all"
    return ", ".join("(none)" if name is None else one_line(name) for name in names)
