"""Seeded made-up texts and queries that weigh on an index as real ones do.

Words fall off by Zipf's law over common words and 20,000 made-up names and identifiers, so that
posting lists have the lengths that a real bank of that size has. Turns have 12–32 words (about 36
tokens of the default model, as LoCoMo's), queries 7–13.

Owns: the words and how they are drawn. One seed gives one sequence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

_SMALL: Final = (
    "the a to and of in my for with on it that is was we at from about but so have this be not "
    "they can when after just really"
)
_COMMON: Final = (
    "project meeting week work family coffee garden music travel server budget report design "
    "doctor school running recipe weekend morning evening garage bicycle guitar kitchen holiday "
    "flight ticket museum library painting camera river mountain winter summer birthday present "
    "dinner bread cheese tomato pepper onion basket window door table chair lamp carpet paper "
    "letter number umbrella backup laptop screen keyboard battery cable printer network database "
    "query index table schema release deploy branch review test ticket bug feature client invoice "
    "contract salary lawyer dentist nurse allergy medicine vitamin sleep exercise swimming tennis "
    "football chess puzzle novel poem author movie actor theatre concert violin piano drums dance "
    "painter sculptor gallery bridge street station train tram harbour boat sailing island beach "
    "forest meadow flower tulip rose apple cherry orange lemon honey sugar butter flour oven spoon "
    "plate bottle glass wine beer juice water milk breakfast lunch supper neighbour uncle cousin "
    "sister brother daughter son mother father friend colleague teacher student course lesson exam "
    "language spanish german french italian japanese history physics biology chemistry algebra"
)
_SYLLABLES: Final = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeio"]
_NAMES: Final = 20_000
_FLATTENING: Final = 2.7  # of Zipf's law at the front, after Mandelbrot


class Texts:
    """An endless supply of texts and queries from one seed."""

    def __init__(self, seed: int) -> None:
        # Not for secrets: the same seed must give the same texts.
        self._random = random.Random(seed)  # noqa: S311
        names = random.Random(0)  # noqa: S311 - the vocabulary is the same for every seed
        made = ("".join(names.choices(_SYLLABLES, k=names.randint(2, 4))) for _ in range(_NAMES))
        self._words = [*dict.fromkeys(_COMMON.split()), *made]
        self._small = _SMALL.split()
        self._weights = list(
            accumulate(1 / (rank + _FLATTENING) for rank in range(len(self._words)))
        )

    def turn(self) -> str:
        """One turn of a conversation."""
        return self._sentence(self._random.randint(12, 32)) + "."

    def query(self) -> str:
        """One question; as good as never the same twice."""
        return "What about " + self._sentence(self._random.randint(5, 11)) + "?"

    def about(self, turn: str) -> str:
        """A question about a turn, in half of its words: one that a bank with it can answer."""
        words = turn.rstrip(".").split()
        return "What about " + " ".join(words[: max(5, len(words) // 2)]) + "?"

    def turns(self, count: int) -> Iterator[str]:
        """That many turns."""
        return (self.turn() for _ in range(count))

    def long_text(self, characters: int) -> str:
        """A text of exactly that many characters."""
        parts, length = [], 0
        while length < characters:
            part = self.turn() + " "
            parts.append(part)
            length += len(part)
        return "".join(parts)[: characters - 1] + "."

    def _sentence(self, words: int) -> str:
        content = self._random.choices(self._words, cum_weights=self._weights, k=words)
        return " ".join(
            self._random.choice(self._small) if self._random.random() < 0.45 else word
            for word in content
        )
