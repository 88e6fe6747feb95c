"""Likeness: when two facts say the same, letter for letter, after normalization.

Owns: the normal form and its digest, which stands in the text's own row and ends with it. Nothing
is ever folded by similarity: one digit of difference makes another fact.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final

_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_POWERS: Final = {
    ord(raised): f"^{digit}"
    for digit, raised in enumerate("\u2070\xb9\xb2\xb3\u2074\u2075\u2076\u2077\u2078\u2079")
}
"""NFKC would make 102 of ten to the second."""
_DIGEST_BYTES: Final = 16


def likeness(text: str) -> bytes:
    """The digest of a text's normal form."""
    return hashlib.sha256(normal_form(text).encode("utf-8")).digest()[:_DIGEST_BYTES]


def normal_form(text: str) -> str:
    """A text as it is compared: NFKC but for powers, case folded, one apostrophe, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())  # the same, for it stands on every write's path
    folded = (
        unicodedata.normalize("NFKC", text.translate(_POWERS)).casefold().translate(_APOSTROPHES)
    )
    # Case folding can leave NFKC (for example U+0390), so it is applied once more.
    return unicodedata.normalize("NFKC", " ".join(folded.split()))
