"""`cognid completions`: the script by which a shell completes `cognid`.

Owns: the shells and their scripts, which are typer's own but for zsh's last line. What they offer
they ask `cognid` for when they are used.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

from cognid.cli.terminal import answering

_OF_ZSH: Final = "compdef _cognid_completion cognid"
# zsh loads the file at the first Tab, as the function `_cognid`: then it has to complete too, and
# not only say what will complete from now on.
_ONCE_LOADED: Final = f"""\
if [ "$funcstack[1]" = _cognid ]; then
  _cognid_completion "$@"
else
  {_OF_ZSH}
fi"""


class Shell(StrEnum):
    """The shells that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def command(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="Which shell.")]) -> None:
    """Print the script by which a shell completes this command.

    Each shell has its folder for such scripts: the man page names them (`cognid man`).
    """
    with answering(False):
        sys.stdout.write(script(shell))


def script(shell: Shell) -> str:
    """The script of a shell."""
    from typer.completion import (  # type: ignore[attr-defined] # not listed, and there
        get_completion_script,
    )

    from cognid.cli.app import COMPLETION  # which knows this module by its name

    made = get_completion_script(prog_name="cognid", complete_var=COMPLETION, shell=shell.value)
    if shell is Shell.ZSH:
        made = made.replace(_OF_ZSH, _ONCE_LOADED)
    return f"{made}\n"
