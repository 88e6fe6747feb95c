"""One rule of the credential filter: its form, and how it is run.

Owns: that running a rule is linear. A rule with anchors is matched only where one of these literal
words stands, by a pattern whose every repeat is bounded or eats a class of its own; a rule without
is searched for, with a pattern of which each step is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

NAMED: Final = 64
"""Findings of one rule in one text, at most: the first is enough to withhold it."""

Span = tuple[int, int]
Check = Callable[[str, re.Match[str]], Span | None]
"""Judges one match: the text (its case kept) and the match; the secret's span, or None."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is looked for. `caught` and `passed` are examples; a test runs every one of them."""

    id: str
    """Stable; begins with "credential."."""
    what: str
    """In words for a person: what was found, when it was found."""
    pattern: re.Pattern[str]
    anchors: tuple[str, ...]
    """Where to match: literal words; empty means that the pattern itself is searched for."""
    check: Check | None
    """None: the match is the secret."""
    caught: tuple[str, ...] = field(repr=False)
    passed: tuple[str, ...] = field(repr=False)
    folded: bool = True
    """Whether anchors and pattern are written for the text in lower case."""
    whole: bool = False
    """Whether nothing is looked for inside a match that the check refused."""
    needs: tuple[str, ...] = ()
    """Words of which one must stand somewhere in the text, where the pattern is searched for."""

    def find(self, text: str, folded: str) -> Iterator[Span]:
        """Find the span of each secret; `folded` is the text in lower case, of equal length."""
        searched = folded if self.folded else text
        if self.anchors:
            return islice(self._anchored(text, searched), NAMED)
        if self.needs and not any(word in folded for word in self.needs):
            return iter(())
        return islice(self._searched(text, searched), NAMED)

    def _anchored(self, text: str, searched: str) -> Iterator[Span]:
        for anchor in self.anchors:
            at = searched.find(anchor)
            while at >= 0:
                match = self.pattern.match(searched, at)
                at += len(anchor)
                if match is not None:
                    span = match.span() if self.check is None else self.check(text, match)
                    if span is not None:
                        yield span
                        at = max(at, span[1])
                    elif self.whole:
                        at = max(at, match.end())
                at = searched.find(anchor, at)

    def _searched(self, text: str, searched: str) -> Iterator[Span]:
        for match in self.pattern.finditer(searched):
            span = match.span() if self.check is None else self.check(text, match)
            if span is not None:
                yield span


def listed(words: str) -> tuple[str, ...]:
    """The words of a table, written with bars between them."""
    return tuple(words.split("|"))
