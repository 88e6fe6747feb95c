"""Vectors made beforehand, looked up by their text: embedding kept apart from what is measured.

Owns: the file's form. Standard library only, for it is also read under the Pythons of the peers.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from pathlib import Path


class Table:
    """The vectors of one file: those of texts that are told, and those of questions.

    All have length 1. `lengths` has what a question's vector had before.
    """

    def __init__(self, folder: Path) -> None:
        named = json.loads((folder / "table.json").read_bytes())
        self.dimension: int = named["dimension"]
        self.lengths: dict[str, float] = dict(zip(named["asked"], named["lengths"], strict=True))
        self._told = {text: place for place, text in enumerate(named["told"])}
        self._asked = {text: place for place, text in enumerate(named["asked"], len(self._told))}
        self._values = array("f", (folder / "table.f32").read_bytes())

    def told(self, text: str) -> list[float]:
        """The vector of a text. KeyError where it is none of the file's."""
        return self.row(self._told[text])

    def asked(self, text: str) -> list[float]:
        """The vector of a question. KeyError where it is none of the file's."""
        return self.row(self._asked[text])

    def either(self, text: str) -> list[float]:
        """The vector of a question or else of a text, for who embeds both by one call."""
        return self.asked(text) if text in self._asked else self.told(text)

    def place(self, text: str) -> int | None:
        """The row of a text that is told, or None."""
        return self._told.get(text)

    def row(self, place: int) -> list[float]:
        """The vector of a row."""
        return self._values[place * self.dimension : (place + 1) * self.dimension].tolist()


def write_table(
    folder: Path,
    told: Sequence[str],
    asked: Sequence[str],
    lengths: Sequence[float],
    vectors: Sequence[bytes],
) -> None:
    """Write a file of vectors: float32 in native order, those of `told` first. No text twice."""
    named = {
        "dimension": len(vectors[0]) // 4,
        "told": list(told),
        "asked": list(asked),
        "lengths": list(lengths),
    }
    (folder / "table.json").write_text(json.dumps(named))
    (folder / "table.f32").write_bytes(b"".join(vectors))
