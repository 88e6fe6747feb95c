"""What a command costs a person: the wall time of a verb against a running daemon.

Owns: which verbs stand for all of them, and that a verb is a process of its own, in a pipe and on
a terminal.
"""

from __future__ import annotations

import asyncio
import os
import pty
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from measure.figures import Figure
from measure.scratch import ScratchDaemon, scratch_home

_COMMAND: Final = str(Path(sys.executable).with_name("cognid"))
_BAR_MS: Final = 250
_IMPORT_BAR_MS: Final = 150
_AGENT: Final = ("--agent", "bench")
_VERBS: Final = {
    "status": ("status",),
    "recall": ("recall", "coffee", "--deadline-ms", "5000", *_AGENT),
    "remember": ("remember", "-", *_AGENT),
    "list": ("list", *_AGENT),
    "tail": ("tail", *_AGENT),
    "context": ("context", "coffee", "--deadline-ms", "5000", *_AGENT),
}


async def measure_verbs(*, quick: bool) -> list[Figure]:
    """Import the package, run verbs in a pipe, and one on a terminal."""
    rounds = 5 if quick else 15
    with scratch_home() as home:
        daemon = ScratchDaemon(home)
        async with daemon.running():
            return await asyncio.to_thread(_all, daemon.environment, rounds)


def _all(environment: Mapping[str, str], rounds: int) -> list[Figure]:
    _run([_COMMAND, *_VERBS["remember"]], environment, b"Ana prefers tea to coffee.")
    bare = _median([sys.executable, "-c", "pass"], environment, rounds)
    imported = _median([sys.executable, "-c", "import cognid"], environment, rounds)
    figures = [
        Figure("python that does nothing, median", bare, "ms"),
        Figure("import cognid, median, without that", imported - bare, "ms", _IMPORT_BAR_MS),
    ]
    for name, arguments in _VERBS.items():
        took = _median([_COMMAND, *arguments], environment, rounds)
        figures.append(Figure(f"cognid {name} in a pipe, median", took, "ms", _BAR_MS))
    took = _median([_COMMAND, *_VERBS["recall"]], environment, rounds, terminal=True)
    return [*figures, Figure("cognid recall on a terminal, median", took, "ms", _BAR_MS)]


def _median(
    command: list[str], environment: Mapping[str, str], rounds: int, *, terminal: bool = False
) -> float:
    took = []
    for number in range(rounds + 1):
        began = time.perf_counter()
        if terminal:
            _run_on_terminal(command, environment)
        else:
            _run(command, environment, f"Fact number {number}.".encode())
        if number:  # the first may still compile
            took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def _run(command: list[str], environment: Mapping[str, str], said: bytes) -> None:
    subprocess.run(command, env=environment, input=said, capture_output=True, check=True)


def _run_on_terminal(command: list[str], environment: Mapping[str, str]) -> None:
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            command,
            env={**environment, "TERM": "xterm-256color"},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    finally:
        os.close(theirs)
        os.close(ours)
