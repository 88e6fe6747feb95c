"""The console: rich, told to take text as text and to leave a closed pipe to us.

A module of its own because it loads rich, which output to another program need not pay for.
"""

from __future__ import annotations

from rich.console import Console


class _Console(Console):
    """A console that reports a closed pipe instead of exiting by itself."""

    def on_broken_pipe(self) -> None:
        """Let `terminal.answering` end the command."""
        raise  # rich calls this in its `except BrokenPipeError`


def make_console() -> Console:
    """Make a console on standard output that reads no markup in what it prints."""
    return _Console(markup=False, highlight=False, emoji=False)
