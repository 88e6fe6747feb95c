"""`cognid serve` whose embedding is looked up, as it is for the peers beside it.

What the table has not (facts that the daemon itself finds in a text) the real model embeds, and the
CPU that takes is noted down, so that it can be taken off.

Owns: the look-up and that note. The daemon itself knows of neither.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_models import Embedder, Window, load
from measure.peers.table import Table

if TYPE_CHECKING:
    from cognid_models import Vector

TABLE_VARIABLE: Final = "COGNID_BENCH_TABLE"
NOTE_VARIABLE: Final = "COGNID_BENCH_EMBEDDING"
"""A file of 8 bytes: the CPU seconds of the model, as a double."""

_Made = TypeVar("_Made")


class _Note:
    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 8)
        self._lock = Lock()
        self._seconds = 0.0

    def timed(self, make: Callable[[], _Made]) -> _Made:
        began = time.thread_time()  # the model runs on the calling thread alone
        made = make()
        with self._lock:
            self._seconds += time.thread_time() - began
            self._shared[:8] = struct.pack("d", self._seconds)
        return made


def read_note(path: Path) -> float:
    """The CPU seconds of the model so far."""
    seconds: float = struct.unpack("d", path.read_bytes())[0]
    return seconds


class _Tabled:
    """An Embedder that knows some texts by heart."""

    def __init__(self, model: Embedder, table: Table, note: _Note) -> None:
        self._model, self._table, self._note = model, table, note
        self.space_id, self.dimension = model.space_id, model.dimension
        self.calibration, self.max_query_tokens = model.calibration, model.max_query_tokens

    def embed_query(self, text: str) -> Vector | None:
        import numpy as np

        length = self._table.length(text)
        if length is None:
            return self._note.timed(lambda: self._model.embed_query(text))
        return np.array(self._table.asked(text), dtype=np.float32) * np.float32(length)

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        place = None if statement else self._table.place(text)
        if place is not None:
            return iter([Window(0, len(text), (-1 - place,))])
        return iter(self._note.timed(lambda: list(self._model.windows(text, statement=statement))))

    def embed_window(self, window: Window) -> Vector:
        import numpy as np

        if window.token_ids[0] < 0:
            return np.array(self._table.row(-1 - window.token_ids[0]), dtype=np.float32)
        return self._note.timed(lambda: self._model.embed_window(window))

    def count_tokens(self, text: str) -> int:
        return self._note.timed(lambda: self._model.count_tokens(text))


def _load(folder: Path | None = None) -> Embedder:
    note = _Note(Path(os.environ[NOTE_VARIABLE]))
    return _Tabled(load(folder), Table(Path(os.environ[TABLE_VARIABLE])), note)


def main() -> int:
    """Run the daemon over the table that the environment names."""
    from cognid_daemon import lifecycle

    lifecycle.load = _load  # type: ignore[attr-defined]  # that is the point
    return lifecycle.main()


if __name__ == "__main__":
    sys.exit(main())
