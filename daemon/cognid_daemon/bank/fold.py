"""One normalization for text and query: the tokens under which a memory is found lexically.

Owns: which tokens a text has, the tokens a query asks for, and the only place where a term becomes
FTS5 query syntax. May not know the index, and writes nothing.

The index tokenizes with `porter ascii`, which takes ASCII letters and digits and every non-ASCII
character as part of a token and stems English. So the fold emits tokens of exactly those
characters with single spaces between them, and SQLite never finds another boundary in them.

The rules, the same for text and query:

- NFKD, case folded, accents and Arabic and Hebrew marks removed, NFC again; hamza carriers, alef
  maqsura, teh marbuta and the Persian forms go to one letter; digits of other scripts to ASCII.
- Apostrophes (U+0027, 2018, 2019, 02BC …) are one: `'s` is dropped, a contraction is joined
  (`dont`), anything else is a compound (`o brien obrien`).
- A compound (`KLM-204`, `Docs/2024/paid`, `snake_case`, `camelCase`) gives its parts, each
  neighbouring pair and the whole, so that the exact identifier weighs most. Digits keep a joint
  (`12·7`): 12.7 is neither 127 nor 1.27.
- Scripts without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar) give single characters
  and bigrams; a query asks for bigrams, or for the character where it stands alone.
- Emoji and symbols are tokens; skin tones, variation selectors and joiners are not.
- A token is cut into pieces of 64 characters: nothing is lost, whatever the text.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

FOLD_VERSION: Final = 1
"""Changes whenever the same text gives other tokens; a bank with another one is indexed anew."""

QUERY_TERMS: Final = 64
"""Terms a query asks for at most; of a longer one the tail decides."""

_PIECE: Final = 64
_JOINT: Final = "\u00b7"  # not ASCII, so that the tokenizer keeps it inside a token
_HUMP: Final = "\x01"  # marks the place where camelCase changes its case

_ASCII_WORD: Final = re.compile(
    rf"[a-z0-9]{{1,{_PIECE}}}(?:['\-_./:@\\~&={_HUMP}][a-z0-9]{{1,{_PIECE}}}){{0,15}}"
    r"(?:\+\+|\#(?![a-z0-9]))?"
)
_HUMPS: Final = re.compile(r"[a-z](?=[A-Z])")
# Everything in ASCII that neither belongs to a word nor joins two of them becomes a space.
_SPACED: Final = {
    code: " "
    for code in range(128)
    if not chr(code).isalnum() and chr(code) not in "'-_./:@\\~&=+#" + _HUMP
}
_JOINERS: Final = re.compile(rf"['\-_./:@\\~&={_HUMP}]")
_CONTRACTIONS: Final = frozenset({"t", "d", "m", "re", "ve", "ll", "em", "all", "clock"})

# Characters without spaces between words. Marks of Thai, Lao, Khmer and Myanmar stay in the run.
_RUN: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uaa60-\uaa7f\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003fffd"
)
# Scripts whose vowel signs are combining marks, which `\w` does not count as part of a word.
_INDIC: Final = "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
_LETTER: Final = rf"(?:(?![{_RUN}])[^\W_]|[{_INDIC}])"
_ANY_WORD: Final = re.compile(
    rf"(?P<run>[{_RUN}]+)"
    rf"|(?P<word>{_LETTER}{{1,{_PIECE}}}(?:['\-_./:@\\~&={_HUMP}]{_LETTER}{{1,{_PIECE}}}){{0,15}}"
    r"(?:\+\+|\#(?!\w))?)"
    r"|(?P<flag>[\U0001f1e6-\U0001f1ff]{2})"
    r"|(?P<symbol>[^\w\s\x00-\x7f])"
)
_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def _table() -> dict[int, str | None]:
    """The characters that NFKD leaves alone, and the marks that are removed after it."""
    table: dict[int, str | None] = {}
    for first, last in (
        (0x0300, 0x036F),  # accents
        (0x0483, 0x0489),
        (0x0591, 0x05BD),  # Hebrew points
        (0x05BF, 0x05BF),
        (0x05C1, 0x05C2),
        (0x05C4, 0x05C5),
        (0x05C7, 0x05C7),
        (0x0610, 0x061A),  # Arabic marks, among them the hamza above and below
        (0x0640, 0x0640),
        (0x064B, 0x065F),
        (0x0670, 0x0670),
        (0x06D6, 0x06DC),
        (0x06DF, 0x06E4),
        (0x06E7, 0x06E8),
        (0x06EA, 0x06ED),
        (0x1AB0, 0x1AFF),
        (0x1DC0, 0x1DFF),
        (0x20D0, 0x20FF),
        (0xFE00, 0xFE0F),
        (0xFE20, 0xFE2F),
        (0xE0100, 0xE01EF),
        (0x00AD, 0x00AD),  # what is invisible
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0xFEFF, 0xFEFF),
    ):
        table.update(dict.fromkeys(range(first, last + 1)))
    for code in (0x2018, 0x2019, 0x201B, 0x02BC, 0x02B9, 0x05F3, 0xA78C, 0x055A):
        table[code] = "'"
    for code in (0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0x05BE):
        table[code] = "-"
    table[0x2044] = "/"
    for source, target in zip(
        "øđłıŧħðþæœ" + "ٱىةکیےھہۀۂ",
        [*"odlithd", "th", "ae", "oe", *"اي", "ه", *"كييهههه"],
        strict=True,
    ):
        table[ord(source)] = target
    for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0BE6, 0x0E50, 0x0ED0, 0x1040):
        table.update({zero + digit: str(digit) for digit in range(10)})
    return table


_TABLE: Final = _table()
# NFKD would append "tm" and "sm" to a word, and make 18 characters of one (the longest there is).
_UNNAMED: Final = str.maketrans(
    {"\u2122": " ", "\u2120": " ", "\ufdfa": "\u0635\u0644\u0639\u0645"}
)

_STOP_WORDS: Final = (
    "a about after all also am an and any are arent as at be because been before being but by can"
    " cant could couldnt did didnt do does doesnt doing don dont down during each few for from had"
    " has hasnt have havent having he her here hers him his how i id if ill im in into is isnt it"
    " its ive just me might more most my no nor not of off on once only or other our ours out over"
    " own same she should so some such than that the their theirs them then there these they"
    " theyre this those through to too under until up us very was wasnt we were werent what when"
    " where which while who whom whose why will with would wouldnt you your youre yours"
    " tell please"
)
_TYPOGRAPHY: Final = (
    ("\u2019", "'"),
    ("\u201c", " "),
    ("\u201d", " "),
    ("\u2013", "-"),
    ("\u2014", " "),
    ("\u2026", " "),
)
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""English words a query does without, if anything else is left of it."""


def _compound(token: str) -> list[str]:
    """The tokens of a word with joints inside, or with `++` or `#` behind it."""
    found: list[str] = []
    if token.endswith(("++", "#")):
        bare = token.rstrip("+#")
        # `C++` and `C#` are names of their own; superscripts keep the signs inside the token.
        signed = bare + ("\u207a\u207a" if token.endswith("++") else "\u266f")
        found.append(signed.translate(_SIGNED))
        token = bare
    if "'" in token:
        head, _, tail = token.rpartition("'")
        if tail == "s":
            token = head
        elif tail in _CONTRACTIONS:
            token = head + tail
    parts = _JOINERS.split(token)
    found += parts
    if len(parts) > 1:
        pairs = [_joined(left, right) for left, right in pairwise(parts)]
        found += [pair for pair in pairs if len(pair) <= _PIECE]
        if len(parts) > 2:
            whole = parts[0]
            for part in parts[1:]:
                whole = _joined(whole, part)
            if len(whole) <= _PIECE:
                found.append(whole)
    return found


_SIGNED: Final = str.maketrans(dict.fromkeys("'-_./:@\\~&=" + _HUMP, _JOINT))


def _joined(left: str, right: str) -> str:
    """Two parts as one token; two digits keep a joint between them."""
    if left[-1:].isdigit() and right[:1].isdigit():
        return f"{left}{_JOINT}{right}"
    return left + right


def _ascii_tokens(text: str) -> list[str]:
    """The tokens of a text that is ASCII: the quick way, for it stands on every write's path."""
    found: list[str] = []
    for word in text.translate(_SPACED).split():
        if word.isalnum() and len(word) <= _PIECE:
            if word.islower() or word.isupper() or word.istitle() or word.isdigit():
                found.append(word.lower())
                continue
            word = _HUMPS.sub(rf"\g<0>{_HUMP}", word)
        elif not word.islower():
            word = _HUMPS.sub(rf"\g<0>{_HUMP}", word)
        for token in _ASCII_WORD.findall(word.lower()):
            if token.isalnum():
                found.append(token)
            else:
                found += _compound(token)
    return found


def _normal(text: str) -> str:
    """The normal form of a text; its tokens are cut out of this."""
    text = unicodedata.normalize("NFKD", text.translate(_UNNAMED))
    # Humps are looked for in the decomposed text, so that every form of it has the same.
    text = _HUMPS.sub(rf"\g<0>{_HUMP}", text).casefold()
    # Case folding can compose again (the dotted capital I), hence the second NFKD.
    text = unicodedata.normalize("NFKD", text).translate(_TABLE)
    return unicodedata.normalize("NFC", text)


def _run(run: str, *, query: bool) -> list[str]:
    """Bigrams of a run without spaces, and in a document its single characters too."""
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs if query else [*run, *pairs]


def _tokens(text: str, *, query: bool) -> list[str]:
    """All tokens of a text, in its order."""
    if text.isascii():
        return _ascii_tokens(text)
    # Most turns that are not ASCII only have typographic quotes and dashes: four times as quick.
    for sign, plain in _TYPOGRAPHY:
        text = text.replace(sign, plain)
    if text.isascii():
        return _ascii_tokens(text)
    text = _normal(text)
    if text.isascii():
        return _ascii_tokens(text)
    found: list[str] = []
    for match in _ANY_WORD.finditer(text):
        token = match.group()
        group = match.lastgroup
        if group == "word":
            if token.isalnum():
                found.append(token)
            else:
                found += _compound(token)
        elif group == "run":
            found += _run(token, query=query)
        elif group == "flag" or (token not in _TONES and _is_symbol(token)):
            found.append(token)
    return found


def _is_symbol(character: str) -> bool:
    """Whether a character stands for something (emoji, currency, mathematics) by itself."""
    return unicodedata.category(character) in ("So", "Sc", "Sm", "Co", "Cn")


def fold_document(text: str, speaker: str | None) -> str:
    """Give the tokens of a memory, separated by single spaces, as they enter the index.

    The speaker's name is part of it: a question about a person finds what that person said.
    Linear in the text; about 10 µs for a turn of 36 English words.
    """
    return " ".join(_tokens(f"{speaker} {text}" if speaker else text, query=False))


def fold_query(text: str) -> list[str]:
    """Give the distinct terms a query asks for, at most `QUERY_TERMS`, in the query's order.

    Stop words are left out unless there is nothing else. Empty when nothing can be searched.
    """
    terms = list(dict.fromkeys(reversed(_tokens(text, query=True))))
    telling = [term for term in terms if term not in STOP_WORDS]
    return (telling or terms)[:QUERY_TERMS][::-1]


def match_any(terms: list[str]) -> str:
    """Write the FTS5 expression that matches any of the terms; none of them can be syntax in it."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
