"""The driver's side: one store behind JSON lines on standard input and output.

A line is `{"do": "open"|"prepare"|"add"|"search"|"close", ...}`; each is answered by one line. What
is measured is the store's calls alone: CPU of this process (all threads) and wall time, around the
loop over a whole line's texts, so that reading and writing lines is not in it.

Owns: those lines and the measuring. Standard library only, for it runs under the Pythons of the
peers. A peer may print what it likes: its standard output is our standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

SYNCS_VARIABLE = "COGNID_BENCH_SYNCS"
"""The file in which the preloaded shim counts the syncs of this process and of those it starts; its
second number tells the shim to leave the real ones out."""


@dataclass(frozen=True)
class Said:
    """One text to be stored, and what a store may know beside it."""

    text: str = field(repr=False)
    stream: str
    sequence: int
    role: str
    speaker: str | None = field(default=None, repr=False)
    session: str | None = None
    at: str | None = None


class Store(Protocol):
    """What a driver makes of its peer."""

    version: str
    how: str
    """What a reader of the table has to know: which search, whose vectors, how durable."""

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Embed with a model of its own what will be told and asked; nothing where vectors are
        given."""

    def add(self, said: Said) -> str:
        """Store one text durably; gives its id."""

    def settle(self) -> None:
        """Wait until everything stored is indexed."""

    def search(self, text: str, count: int) -> list[str]:
        """The ids of the best so many, best first."""

    def close(self) -> None:
        """Close it, so that everything is in its files."""

    def cpu_seconds(self) -> float:
        """CPU time so far of everything that this store runs, embedding apart."""


def serve(opening: Callable[[Path, Path], Store]) -> int:
    """Serve the store that `opening` makes of a folder of its own and the vectors' folder.

    Where the peer is not installed the answer to `open` is `{"absent": ...}`, and it ends.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    store: Store | None = None
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            answer: dict[str, Any] = {}
            if asked["do"] == "open":
                try:
                    store = opening(Path(asked["folder"]), Path(asked["vectors"]))
                except ModuleNotFoundError as error:
                    print(json.dumps({"absent": f"{error.name} is not installed"}), file=answers)
                    break
                answer = {"version": store.version, "how": store.how}
            elif asked["do"] == "close":
                break
            else:
                assert store is not None  # noqa: S101 - `open` comes first
                answer = _answer(store, asked)
            print(json.dumps(answer), file=answers, flush=True)
    finally:
        if store is not None:
            store.close()  # also where the bench is gone, or the store failed
    print(json.dumps({}), file=answers, flush=True)
    return 0


def _answer(store: Store, asked: dict[str, Any]) -> dict[str, Any]:
    match asked["do"]:
        case "prepare":
            store.prepare(asked["told"], asked["asked"])
            return {}
        case "add":
            said = [Said(**one) for one in asked["said"]]
            _leave_syncs_out(not asked["durable"])
            with _measured(store) as answer:
                answer["ids"] = _each(answer, lambda: map(store.add, said))
                store.settle()
            return answer
        case "search":
            count = asked["count"]
            with _measured(store) as answer:
                answer["ids"] = _each(
                    answer, lambda: (store.search(text, count) for text in asked["texts"])
                )
            return answer
        case other:
            raise ValueError(other)


@contextmanager
def _measured(store: Store) -> Iterator[dict[str, Any]]:
    answer: dict[str, Any] = {}
    syncs, cpu = _syncs(), store.cpu_seconds()
    yield answer
    answer["cpu_seconds"] = store.cpu_seconds() - cpu
    answer["syncs"] = None if syncs is None else (_syncs() or 0) - syncs


def _each(answer: dict[str, Any], calls: Callable[[], Iterator[Any]]) -> list[Any]:
    """Make the calls one after another; notes how many seconds each took."""
    given, took = [], []
    began = time.perf_counter()
    for one in calls():
        ended = time.perf_counter()
        given.append(one)
        took.append(ended - began)
        began = ended
    answer["seconds"] = took
    return given


def _syncs() -> int | None:
    name = os.environ.get(SYNCS_VARIABLE)
    return None if name is None else int.from_bytes(Path(name).read_bytes()[:8], sys.byteorder)


def _leave_syncs_out(leave_out: bool) -> None:
    name = os.environ.get(SYNCS_VARIABLE)
    if name is not None:
        with Path(name).open("r+b", buffering=0) as file:
            file.seek(8)
            file.write(int(leave_out).to_bytes(8, sys.byteorder))
