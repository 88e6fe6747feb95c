"""`cognid status`: how the daemon is."""

from __future__ import annotations

import asyncio

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, counted, one_line, when
from cognid.client import AsyncClient
from cognid.protocol.link import StatusReply

_STYLES = {"green": "green", "yellow": "yellow", "red": "bold red"}


def command(as_json: options.Json = False) -> None:
    """Say how the daemon is. The exit status is 1 where its health is red."""
    with answering(as_json) as terminal:
        status = asyncio.run(_status())
        terminal.status = 1 if status.health == "red" else 0
        if as_json:
            terminal.object(status.model_dump(mode="json"))
        else:
            say_status(terminal, status)


async def _status() -> StatusReply:
    async with AsyncClient() as client:
        return await client.status()


def say_status(terminal: Terminal, status: StatusReply) -> None:
    """Say how the daemon is, and what is not as it should be."""
    terminal.line(
        f"{status.health}   cognid {one_line(status.build)}, {status.state}, "
        f"process {status.pid}, up since {when(status.started_at)}",
        style=_STYLES[status.health],
    )
    model = status.model
    terminal.line(f"model   {model.state} {one_line(model.space_id or model.code or '')}".rstrip())
    if status.reranker is not None and status.reranker.state != "absent":
        terminal.line(
            f"rerank  {status.reranker.state} {one_line(status.reranker.code or '')}".rstrip()
        )
    terminal.line(f"keys    {one_line(status.key_backend)}")
    terminal.line(f"banks   {status.banks:,}, {status.banks_open:,} open")
    terminal.line(
        f"now     {counted(status.connections, 'connection')}, "
        f"{counted(status.requests_in_flight, 'request')} in flight"
    )
    for finding in status.findings:
        terminal.line()
        terminal.line(f"{finding.level}  {one_line(finding.code)}", style=_STYLES[finding.level])
        terminal.paragraph(finding.message, indent=2)
        terminal.paragraph(finding.remedy, indent=2)
