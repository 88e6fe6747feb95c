"""`cognid mcp`: serve memory to a client of the Model Context Protocol, or tell a client how.

Owns: the options of the two verbs and what is asked before a file is written. The work is in
`cognid.mcp`, which is loaded only where it is called for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cognid.cli.options import Agent, Json, Owner, Session
from cognid.cli.terminal import Terminal, answering, safe
from cognid.client.arguments import make
from cognid.mcp.clients import (
    McpClient,
    entry_of,
    path_of,
    plan_change,
    shown,
    write_change,
)
from cognid.protocol.errors import CognidError
from cognid.protocol.sessions import SessionMessages

if TYPE_CHECKING:
    from cognid.mcp.memory import Serving

app = typer.Typer(help="Serve memory to MCP clients.")


@app.command()
def serve(
    owner: Owner = "local",
    agent: Agent = None,
    session: Session = None,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Name each call on standard error, without texts."),
    ] = False,
) -> None:
    """Serve over standard input and output. MCP clients run this; people rarely do."""
    with answering(False) as terminal:
        try:
            from cognid.mcp.serving import serve as run
        except ModuleNotFoundError as missing:
            if missing.name is None or missing.name.partition(".")[0] not in ("mcp", "mcp_types"):
                raise
            sys.stderr.write(
                "cognid: the MCP server's parts are not installed: pip install 'cognid[mcp]'\n"
            )
            raise typer.Exit(78) from None
        terminal.status = run(_serving(owner, agent, session), verbose=verbose)


@app.command()
def install(
    client: Annotated[
        McpClient, typer.Argument(metavar="CLIENT", help="Which client's configuration.")
    ],
    owner: Owner = "local",
    agent: Agent = None,
    session: Session = None,
    print_only: Annotated[
        bool, typer.Option("--print", help="Only print the entry; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Put this server into a client's configuration: show what, then write it."""
    with answering(as_json) as terminal:
        entry = entry_of(client, _arguments(owner, agent, session))
        if print_only:
            _say(terminal, client, entry, state="goes into")
            return
        change = plan_change(client, entry)
        if not change.needed:
            _say(terminal, client, entry, state="stands already in")
            return
        if not yes:
            _ask(terminal, client, entry, replaces=change.before is not None)
        kept = write_change(change)
        _say(terminal, client, entry, state="was written to", kept=kept)


def _serving(owner: str, agent: str | None, session: str | None) -> Serving:
    from cognid.mcp.memory import Serving
    from cognid.starting import find_home

    _check(owner, agent, session)
    return Serving(find_home(), owner, agent, session)


def _check(owner: str, agent: str | None, session: str | None) -> None:
    """Refuse at once what each of the server's calls would refuse.

    Raises:
        CognidError: `invalid_argument`.
    """
    make(SessionMessages, owner=owner, agent=agent, session_id="-" if session is None else session)


def _arguments(owner: str, agent: str | None, session: str | None) -> list[str]:
    _check(owner, agent, session)
    given = {"--owner": None if owner == "local" else owner, "--agent": agent, "--session": session}
    return [part for name, value in given.items() if value is not None for part in (name, value)]


def _ask(terminal: Terminal, client: McpClient, entry: dict[str, Any], *, replaces: bool) -> None:
    """Show what would be written and wait for a yes; where nobody can be asked, refuse."""
    terminal.note(f"{path_of(client)}:\n{shown(client, entry).rstrip()}")
    if replaces:
        terminal.note("It has an entry of that name already, which this replaces.")
    if terminal.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CognidError("invalid_argument", "nobody can be asked here: --yes writes it")
    if not typer.confirm("Write it?", err=True):
        raise typer.Exit(1)


def _say(
    terminal: Terminal,
    client: McpClient,
    entry: dict[str, Any],
    *,
    state: Literal["goes into", "stands already in", "was written to"],
    kept: Path | None = None,
) -> None:
    path = path_of(client)
    if terminal.as_json:
        written = state == "was written to"
        backup = None if kept is None else str(kept)
        terminal.object({"path": str(path), "entry": entry, "written": written, "backup": backup})
        return
    sys.stdout.write(safe(shown(client, entry)))
    terminal.note(f"This {state} {path}")
    if kept is not None:
        terminal.note(f"What it was is kept as {kept}")
