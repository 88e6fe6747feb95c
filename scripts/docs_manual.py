"""The files of packaging/ that the verbs write themselves: man page and completions.

Owns: where they lie. What stands in them is `cognid man`'s and `cognid completions`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from cognid.cli.completions import Shell, script
from cognid.cli.man import manual

FILES: Final[dict[str, Callable[[], str]]] = {
    "packaging/man/cognid.1": manual,
    "packaging/completions/cognid.bash": partial(script, Shell.BASH),
    "packaging/completions/_cognid": partial(script, Shell.ZSH),
    "packaging/completions/cognid.fish": partial(script, Shell.FISH),
}
"""Whole files that are generated, by their path from the top folder."""
