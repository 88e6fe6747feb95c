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

    All have length 1. White space about a text does not count, for some stores take it off.
    """

    def __init__(self, folder: Path) -> None:
        named = json.loads((folder / "table.json").read_bytes())
        self.dimension: int = named["dimension"]
        told, asked = named["told"], named["asked"]
        self._told = {text.strip(): place for place, text in enumerate(told)}
        self._asked = {text.strip(): place for place, text in enumerate(asked, len(told))}
        self._lengths = {
            text.strip(): length for text, length in zip(asked, named["lengths"], strict=True)
        }
        self._values = array("f", (folder / "table.f32").read_bytes())

    def told(self, text: str) -> list[float]:
        """The vector of a text. LookupError where it is none of the file's."""
        return self.row(self.place(text))

    def asked(self, text: str) -> list[float]:
        """The vector of a question. LookupError where it is none of the file's."""
        return self.row(self._asked.get(text.strip()))

    def either(self, text: str) -> list[float]:
        """The vector of a question or else of a text, for who embeds both by one call."""
        return self.asked(text) if text.strip() in self._asked else self.told(text)

    def length(self, text: str) -> float | None:
        """The length that a question's vector had from its model; None where it is not here."""
        return self._lengths.get(text.strip())

    def place(self, text: str) -> int | None:
        """The row of a text that is told, or None."""
        return self._told.get(text.strip())

    def row(self, place: int | None) -> list[float]:
        """The vector of a row."""
        if place is None:
            raise LookupError("a text without a vector")  # never which: it ends up in a report
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
