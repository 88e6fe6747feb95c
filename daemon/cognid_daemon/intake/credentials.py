"""Credentials: where in a text a password stands, a key, or a code that opens something.

Owns: finding them, and nothing else. What is found is named by rule and place; the text itself is
kept nowhere, and whether it may be stored is decided by the caller. Pure, and linear in the length.

Rules are matched on a copy: zero-width characters and combining marks taken out (they hide a token,
"gh\\u200bp_…"), and each character that NFKC turns into one ASCII character turned into it (full
width letters, mathematical letters, typographic quotes and dashes). So every place in the copy has
one place in the text, and findings point into the text as it was said.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from cognid_daemon.intake.credential_rules import RULES

__all__ = ["RULES", "Finding", "find_credentials", "worth_running"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One credential: the rule that found it and its place, in characters; never the text."""

    rule: str
    start: int
    end: int


def find_credentials(text: str) -> list[Finding]:
    """Find what must not be stored, in order of place; empty when nothing was found.

    Of findings that overlap, the one of the earlier rule stays.
    """
    copy, places = _legible(text)
    folded = copy.lower()
    found = sorted(
        (start, order, end)
        for order in worth_running(folded)
        for start, end in RULES[order].find(copy, folded)
    )
    kept: list[tuple[int, int, int]] = []
    for start, order, end in found:
        if not kept or start >= kept[-1][2]:
            kept.append((start, order, end))
        elif order < kept[-1][1]:
            kept[-1] = (start, order, end)
    if places is None:
        return [Finding(RULES[order].id, start, end) for start, order, end in kept]
    return [
        Finding(RULES[order].id, places[start], places[end - 1] + 1) for start, order, end in kept
    ]


_Piece = tuple[str, ...]
"""The first three characters of a word, apart: to make them from a text costs half as much as to
make strings of three."""
_PIECE: Final = 3


def _by_piece() -> tuple[frozenset[int], dict[_Piece, list[tuple[str, int]]]]:
    """The rules that run on every text, and by the first piece of the words that the others need
    those words and their rules; what is shorter than a piece stands under what it is."""
    always: set[int] = set()
    needed: dict[_Piece, list[tuple[str, int]]] = {}
    for order, rule in enumerate(RULES):
        words = rule.anchors or rule.needs
        if not words:
            always.add(order)
        for word in map(str.lower, words):
            needed.setdefault(tuple(word[:_PIECE]), []).append((word, order))
    return frozenset(always), needed


_ALWAYS, _NEEDED = _by_piece()
_PIECES: Final = frozenset(piece for piece in _NEEDED if len(piece) == _PIECE)
_SHORT: Final = tuple(piece for piece in _NEEDED if len(piece) < _PIECE)


def worth_running(folded: str) -> set[int]:
    """The rules of which an anchor, or a word they need, stands in the text.

    To look for each of four hundred words cost 80 us a turn of a hundred characters; this costs a
    fifth of that (measured) and leaves out no rule that would find something.
    """
    orders = set(_ALWAYS)
    for piece in (
        *_SHORT,
        *_PIECES.intersection(zip(folded, folded[1:], folded[2:], strict=False)),
    ):
        for word, order in _NEEDED[piece]:
            if order not in orders and word in folded:
                orders.add(order)
    return orders


_DROPPED: Final = frozenset(
    chr(point)
    for first, last in (
        (0x00AD, 0x00AD),  # soft hyphen
        (0x0300, 0x036F),  # combining marks
        (0x180E, 0x180E),
        (0x200B, 0x200F),  # zero width, direction
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0x2066, 0x2069),
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFEFF, 0xFEFF),
        (0xE0000, 0xE007F),  # tags
    )
    for point in range(first, last + 1)
)
"""Characters that cannot be seen, and marks that stand on the letter before them."""


def _one_to_one() -> dict[int, str]:
    """Every character of the compatibility blocks that stands for a single character of ASCII."""
    table = {
        0x0130: "i",  # the only letter whose lower case is two characters
        **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x2032, 0x02BC), "'"),
        **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x2033), '"'),
        **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212), "-"),
    }
    blocks = ((0xA0, 0x250), (0x2000, 0x2500), (0x3000, 0x3001), (0xFE50, 0xFFF0))
    for first, last in (*blocks, (0x1D400, 0x1D800), (0x1F100, 0x1F150)):
        for point in range(first, last):
            plain = unicodedata.normalize("NFKC", chr(point))
            if point not in table and len(plain) == 1 and plain.isascii():
                table[point] = plain
    return table


_LEGIBLE: Final = _one_to_one()


def _legible(text: str) -> tuple[str, list[int] | None]:
    """The copy that is matched, and for each of its characters its place in the text.

    No places where none moved.
    """
    if text.isascii():
        return text, None
    copy = text.translate(_LEGIBLE)
    if _DROPPED.isdisjoint(copy):
        return copy, None
    places = [place for place, character in enumerate(copy) if character not in _DROPPED]
    return "".join([copy[place] for place in places]), places
