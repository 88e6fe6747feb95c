"""Where the value stands that a statement announces, and the signs that announce it.

Owns: reading one value at one place of a text: quoted, bare, or the clause that follows. Whether it
is a secret is judged by credential_words.
"""

from __future__ import annotations

import re
from typing import Final

from cognid_daemon.intake.credential_words import UNIT

SIGN: Final = r"(?:\s{0,3}(?:=>|->|:=|→|[:=])\s{0,4}|\s{1,3}-{1,2}\s{1,3})"
"""A sign between the name and its value, with the space around it."""

FILL: Final = (
    r"(?:(?:now|still|just|simply|actually|currently|literally|always|also|probably|called|"
    r"the word|the following|this one|this|set to|jetzt|immer|ahora|maintenant|adesso|agora|nu)"
    r"\b:?\s{1,2}){0,2}"
)
"""Words that may stand between "is" and the value."""

_QUOTED: Final = re.compile(
    r"""\*{0,2}(?:"([^"\n]{1,128})"|'([^'\n]{1,128})'|`([^`\n]{1,128})`|«\s?([^»\n]{1,128}?)\s?»"""
    r"|「([^」\n]{1,128})」|『([^』\n]{1,128})』|„([^\"\n]{1,128})\")"
)
_OPENING: Final = frozenset("*\"'`«「『„")
_BARE: Final = re.compile(r"\S{1,256}")
_ASCII_RUN: Final = re.compile(r"[!-~]{4,128}")
_CLAUSE_END: Final = re.compile(
    r"[,.;:!?()\n\"]|\s-\s|\s(?:and|but|so|if|in case|please|for|don't|dont|do not|now|btw|ok|okay|"
    r"thanks|because|on|at|until|und|aber|für|falls|bitte|y|pero|para|et|mais|pour|e|ma|per|en|"
    r"maar|"
    r"remember|just|i|we|you|when|which|to|with|from|too|everywhere|lol|write|keep|save)(?:\s|$)"
)
TRAILING: Final = ".,;:!?)]}*\"'`>。、，！？"
"""Marks that end a sentence or close what holds the value; they are not counted to it."""


def value_at(text: str, at: int, *, ascii_only: bool = False) -> tuple[int, int, bool] | None:
    """Where the value stands that begins at `at`: its start, its end, whether it is quoted."""
    quoted = _QUOTED.match(text, at) if text[at : at + 1] in _OPENING else None
    if quoted is not None and quoted.lastindex is not None:
        return (*quoted.span(quoted.lastindex), True)
    bare = (_ASCII_RUN if ascii_only else _BARE).match(text, at)
    if bare is None:
        return None
    start = at + len(bare[0]) - len(bare[0].lstrip("*_\"'`(" if bare[0][0] in "*_\"'`" else "*"))
    end = at + len(bare[0].rstrip(TRAILING))
    if end <= start:
        # Nothing but marks: a mask, or a password of marks; either way the whole of it is judged.
        return (at, bare.end(), False)
    return (start, end, False)


def clause(text: str, at: int) -> list[str]:
    """The words from `at` to the end of their clause, within 100 characters."""
    window = text[at : at + 100]
    end = _CLAUSE_END.search(window.lower())
    return (window if end is None else window[: end.start()]).split()


_SENTENCE_END: Final = re.compile(
    r"[,.;:!?()\n\"]|\s-\s|\s(?:but|so|if|please|because|btw|don't|dont|thanks|remember"
    r"|and (?:i|we|it|that|please|keep|save|don't|dont|do))(?:\s|$)"
)


def told(text: str, at: int) -> list[str]:
    """The words from `at` to the end of what is told there, within 100 characters."""
    window = text[at : at + 100]
    end = _SENTENCE_END.search(window.lower())
    return (window if end is None else window[: end.start()]).split()


def is_number(text: str, start: int, end: int, least: int = 4) -> bool:
    """Whether it is digits, perhaps in groups, and no amount of something."""
    value = text[start:end]
    digits = sum(c.isdigit() for c in value)
    return (
        digits >= least
        and all(c.isdigit() or c in "-# *" for c in value)
        and UNIT.match(text[end : end + 24].lower()) is None
    )
