"""`cognid serve`: the daemon itself, in the foreground."""

from __future__ import annotations

import sys
from importlib import import_module

import typer


def command() -> None:
    """Run the daemon in the foreground."""
    # By name: the caller's side may not import the daemon, and its parts may not be installed.
    try:
        lifecycle = import_module("cognid_daemon.lifecycle")
    except ModuleNotFoundError as missing:
        sys.stderr.write(
            f"cognid: the daemon's parts are not installed ({missing.name} is missing):"
            " pip install 'cognid[daemon]'\n"
        )
        raise typer.Exit(78) from None
    raise typer.Exit(lifecycle.main())
