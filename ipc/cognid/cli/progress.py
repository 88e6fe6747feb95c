"""Progress of long work: a bar on standard error, where a person looks at it.

Owns: its form. What is counted is the verb's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Says how far the work has come, and of how much where that was not known before."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """Move the bar."""


@contextmanager
def progress(total: int | None = None) -> Iterator[Advance]:
    """Show a bar while the work goes on, gone when it ends; nothing where no person looks."""
    if not sys.stderr.isatty():
        yield _unseen
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)

        def advance(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


def _unseen(done: int, total: int | None = None) -> None:
    """Tell nobody."""
