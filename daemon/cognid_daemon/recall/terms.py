"""What the terms of a query are: names of one thing, words that only ask, or words like others.

Owns: those two lists of a term's uses. May not know the index.
"""

from __future__ import annotations

from typing import Final

ASKING: Final = 0.2
"""Of a term that only asks, against any other. With 1, BEAM's any@5 is .778 instead of .795."""

_ASKING_WORDS: Final = (
    "mention mentioned say said talk talked talking discuss discussed discussing discussion"
    " discussions conversation conversations chat chats bring brought ask asked remember remind"
    " recall list summary summarize summarise comprehensive explain describe give show help"
    " recommend recommended recommendation recommendations suggest suggested suggestion suggestions"
    " advice advise idea ideas tip tips option options consider considering want need looking look"
    " like know good best better find make get go going different throughout across way ways thing"
    " things something anything"
)
ASKING_WORDS: Final = frozenset(_ASKING_WORDS.split())
"""What a request is made of rather than about. English, as the stop words are."""

_LONG_NUMBER: Final = 5
_COUNTED: Final = frozenset({"st", "nd", "rd", "th", "am", "pm", "s"})
"""What makes a day, an hour or a decade of a number."""


def share(term: str) -> float:
    """Give what a term counts, 1 for most."""
    return ASKING if term in ASKING_WORDS else 1.0


def is_identifier(term: str) -> bool:
    """Whether a term names one thing (klm204, 12·7, 48213), as a word, a year or 9am does not."""
    letters = term.lstrip("0123456789")
    if not letters:
        return len(term) >= _LONG_NUMBER
    if letters in _COUNTED and letters != term:
        return False
    return any(character.isdigit() for character in term)
