"""The phrases by which a person asks that something be kept, not kept, or taken back: the table.

Owns: the patterns of each language, and the form of the text they are written for: NFKC, case
folded, Latin letters without their marks, one apostrophe, single spaces. May not decide anything:
`withholding` does.

Every pattern is bounded: gaps count words, so that a match costs the same however long the text
is. `ask`, `doubt`, `erase`, `lift` and `keep` are matched where a clause begins, or, in a language
whose verb stands last or that has no spaces, anywhere in a sentence (`anywhere`). `coming`,
`session` and `topic` are looked for in a sentence that asks not to be kept, and tell its scope.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields


class Phrases:
    """The phrases of one meaning, compiled when a text first needs them, or ahead of that on the
    screening thread: all of them take a second, which a start cannot spare."""

    __slots__ = ("_alternatives", "_pattern")

    def __init__(self, *alternatives: str) -> None:
        self._alternatives = alternatives
        self._pattern: re.Pattern[str] | None = None

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The phrase that begins at `start`."""
        return self.compiled().match(text, start)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first phrase at or after `start`."""
        return self.compiled().search(text, start, end)

    def finditer(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        """Every phrase between `start` and `end`."""
        return self.compiled().finditer(text, start, end)

    def compiled(self) -> re.Pattern[str]:
        """The pattern; the first call takes up to 0.2 s."""
        if self._pattern is None:
            self._pattern = re.compile("|".join(f"(?:{one})" for one in self._alternatives))
        return self._pattern


@dataclass(frozen=True, slots=True)
class Tongue:
    """What one language says. One of `cues` stands in every sentence that its patterns match."""

    name: str
    cues: tuple[str, ...]
    joins: Phrases
    """Conjunctions after which a request may begin."""
    lead: Phrases | None
    """Words that may stand before a request, one at a time; each may be its beginning as well."""
    ask: Phrases
    """Asks that something be not kept."""
    doubt: Phrases | None
    """May ask it: another reading is as likely."""
    erase: Phrases
    """Asks that something be forgotten."""
    lift: Phrases | None
    """Ends an earlier request."""
    keep: Phrases
    """Asks that something be kept."""
    coming: Phrases
    """The request means what comes next."""
    session: Phrases
    """It means the whole conversation, or everything from now on."""
    topic: Phrases
    """It means whatever is said about a subject."""
    reported: Phrases | None = None
    """What stands before (after, where `anywhere`) a request that somebody else made."""
    told: Phrases | None = None
    """What an erasure names, if it has to: that which the assistant was told."""
    echo: Phrases | None = None
    """What ends a sentence in which a request is only told ("…, she said")."""
    elliptic: Phrases | None = None
    """Where a question or a subject stands before it: the person speaks of their own memory."""
    noted: Phrases | None = None
    """Announces what shall be kept, whatever that says ("Remember: …")."""
    spare: Phrases | None = None
    """Asks that something be not done away with: however it goes on, that is to be kept."""
    anywhere: bool = False

    def phrases(self) -> Iterator[Phrases]:
        """All of them."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Phrases):
                yield value


def words(listed: str) -> tuple[str, ...]:
    """The words of a list that is written with a bar between them."""
    return tuple(listed.split("|"))
