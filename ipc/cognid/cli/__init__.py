"""The command line: one file a verb, each an ordinary client of the bridge.

Owns: the command `cognid`. Standard output carries the answer and nothing else; what is said
beside it goes to standard error. Exit statuses: 0 done; 1 answered, but not what was asked for (no
hits, not stored, no such memory, health red); 2 a wrong command line; 64 and above an error, as
`protocol/errors.py` numbers them; 130 interrupted.
"""

from __future__ import annotations

import gc

__all__ = ["main"]


def main() -> None:
    """Run `cognid` as a process of its own, and exit.

    Nothing of what is loaded becomes garbage: looking through it, while it is loaded and once more
    at the end, took a fifth of a verb's quarter second.
    """
    gc.disable()
    from cognid.cli.app import run

    try:
        run(loaded=_look_again)
    finally:
        gc.freeze()


def _look_again() -> None:
    gc.freeze()
    gc.enable()  # some verbs live long
