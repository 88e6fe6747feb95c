"""The command `cognid`: its verbs, and which file each stands in.

Owns: the table of verbs. Only the file of the verb that is called is loaded, so that `cognid
serve` does not pay for the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

import cognid
from cognid.cli.terminal import use_utf8

VERBS: Final = (
    "serve",
    "stop",
    "status",
    "remember",
    "explain",
    "recall",
    "context",
    "list",
    "show",
    "history",
    "why",
    "tail",
    "correct",
    "pin",
    "unpin",
    "forget",
    "enable",
    "disable",
    "wipe",
    "resolve",
    "verify",
    "doctor",
    "reindex",
    "ingest",
    "export",
    "import",
    "pair",
    "completions",
    "man",
)
"""In the order of `cognid --help`. Each is a function `command` in the module of its name, with
an underscore where Python has the word for itself."""
_WHOLE: Final = 1_000
"""Characters of a first sentence, which none has."""
GROUPS: Final = ("session", "lane", "bank", "grant", "reranker", "service", "mcp")
"""Verbs that have verbs of their own. Each is a Typer `app` in the module of its name."""


COMPLETION: Final = "_COGNID_COMPLETE"
"""The variable by which a shell's completion asks."""


class Verbs(TyperGroup):
    """Verbs whose first sentence stands in the list whole, on as many lines as it takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs."""
        verbs = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, verb.get_short_help_str(_WHOLE)) for name, verb in verbs if verb]
            )


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"cognid {cognid.__version__}\n")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A local-first memory daemon for agents, and the commands to use it."""


def build(verbs: Sequence[str] = (*VERBS, *GROUPS)) -> typer.Typer:
    """Make the command with these verbs."""
    app = typer.Typer(
        name="cognid",
        cls=Verbs,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        # Its tracebacks show local variables, and those hold memory text.
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for verb in verbs:
        module = import_module(f"cognid.cli.{verb}{'_' if iskeyword(verb) else ''}")
        if verb in GROUPS:
            app.add_typer(module.app, name=verb, cls=Verbs, no_args_is_help=True)
        else:
            app.command(verb)(module.command)
    return app


def run(*, loaded: Callable[[], None] = lambda: None) -> None:
    """Run `cognid` with the arguments of this process, and exit.

    Args:
        loaded: called when the verb's modules are there, before it begins.
    """
    use_utf8()
    if COMPLETION in os.environ:
        from typer.completion import (  # type: ignore[attr-defined] # not listed, and there
            completion_init,
        )

        completion_init()
    called = sys.argv[1:2]
    if called and called[0] in (*VERBS, *GROUPS):
        app = build(called)
    else:
        app = build(() if called == ["--version"] else (*VERBS, *GROUPS))
    loaded()
    app(prog_name="cognid")
