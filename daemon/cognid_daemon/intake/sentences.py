"""Sentences: where the sentences of a turn begin and end, in any script, in one pass.

Owns: what is prose at all (code, logs, quotes of others, tables and headings are not), list items,
hard-wrapped lines, and the dots that end nothing (abbreviations, ordinals, versions, paths).
Knows nothing of what a sentence says. Linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_LINE: Final = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_BULLET: Final = re.compile(
    r"[ \t\u3000]{0,80}+(?:(?:[-*+•‣◦▪·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))[ \t]{1,8}+"
    r"(?:\[[ xX]\][ \t]++)?)"
)
_INDENT: Final = re.compile(r"(?: {4}|\t)")
_STOP: Final = re.compile(r"[.!?…‽]++[\"'”’»)\]*_]*+|[。！？｡]++[”’」』）\"']*+|[।؟۔።]++")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NOT_PROSE: Final = re.compile(
    r"""\s*+(?:
      >|\||\#{1,6}\s|@@\s|\+\+\+\s|---|===     # the words of another, a table, a heading, a diff
    | \$\s|>>>\s|</?[a-zA-Z!]                 # a shell, markup
    | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d        # the instant of a log's line
    | \[?\d\d:\d\d:\d\d[\].,\s]
    | \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)[\]:\s]
    | [A-Z][a-z]{2}\s[\d\s]\d\s\d\d:\d\d:\d\d\s
    | Traceback\b|File\s"|at\s[\w.$<>]{1,200}\(
    | [\w.]{0,80}(?:Error|Exception|Warning):\s
    | (?:def|class|import|export|const|let|var|func|fn|public|private|static|async)
      \s\w{1,60}[\s(:={;.<]
    | from\s[\w.]{1,80}\simport\b|\#include\b|//|/\*|\*/|<!--
    | (?:for|while|if)\s.{1,120}:\s*+\w{1,40}[\s(]*+.{0,80}\)\s*+$
    | (?:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|CREATE\sTABLE|ALTER\sTABLE)\s
    )""",
    re.VERBOSE,
)
_CODE_TAIL: Final = (";", "{", "}", "};", "({", "});", "):", "=>", "->", "\\", "&&", "||", "</")
_FENCES: Final = ("```", "~~~")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that a dot follows without ending a sentence.
_ABBREVIATIONS: Final = _words(
    "dr mr mrs ms prof st sr jr mt gen col sgt capt rev hon e.g i.e eg ie cf vs viz approx ca"
    " dept est tel ext ph resp incl excl max min jan feb mar apr jun jul aug sep"
    " sept oct nov dec mon tue wed thu fri z.b z u.a d.h bzw evtl ggf inkl exkl vgl abs hr fr str"
    " bspw sog geb zzgl d.i i.d.r o.ä s.o s.u u.u mio mrd p.ex sra dra ud uds mme mlle av núm"
    " pág ed eds"
)
# The same before a number only.
_BEFORE_NUMBER: Final = _words("no nos nr vol fig figs p pp art sec")
# The same, but they may also stand last.
_MAYBE_LAST: Final = _words("etc usw a.m p.m am pm inc ltd co corp bros u.s u.k u.s.a jh al")
_ORDINAL_MONTH: Final = re.compile(
    r"\s{1,3}(?:jan|feb|mär|märz|apr|mai|jun|jul|aug|sep|okt|nov|dez|[a-zäöü])", re.IGNORECASE
)
WRAPPED: Final = 56
"""A line at least so long that ends without a stop may go on in the next one."""
_THAI_PIECE: Final = 80
_WORD_READ: Final = 20


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as a span; `follows`: the one before stands in the same paragraph."""

    start: int
    end: int
    follows: bool


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of the prose in a text, in order, without the space round them."""
    for start, end in _paragraphs(text):
        follows = False
        for first, last in _split(text, start, end):
            yield Sentence(first, last, follows)
            follows = True


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Runs of prose: hard-wrapped lines are joined, list items stand apart."""
    fence: str | None = None
    start = end = -1
    in_code = False
    for line in _LINE.finditer(text):
        first, last = line.span()
        body = line[0]
        head = body.lstrip()
        if head.startswith(_FENCES):
            if fence is None:
                fence = head[:3]
            elif head.startswith(fence):
                fence = None
        elif (
            fence is None
            and head
            and not _is_code(body, head, in_code or start < 0 or text.count("\n", end, first) > 1)
        ):
            in_code = False
            bullet = _BULLET.match(body)
            if bullet is None and start >= 0 and _goes_on(text, start, end, first, head):
                end = last
                continue
            if start >= 0:
                yield start, end
            start, end = first + (bullet.end() if bullet else 0), last
            continue
        else:
            in_code = bool(head)
        if start >= 0:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def _is_code(body: str, head: str, may_indent: bool) -> bool:
    if _NOT_PROSE.match(body):
        return True
    if body.rstrip().endswith(_CODE_TAIL):
        return True
    if may_indent and _INDENT.match(body) and not _BULLET.match(body):
        # An indented block is code; a person who indents a paragraph writes a sentence in it.
        return not (head[0].isupper() and head.rstrip()[-1] in ".!?。")
    return False


def _goes_on(text: str, start: int, end: int, first: int, head: str) -> bool:
    """Whether a line continues the one before: wrapped by hand, not by meaning."""
    gap = text[end:first]
    if gap.count("\n") > 1 or gap.count("\r") > 1 or "\u2029" in gap:
        return False
    last_line = max(text.rfind("\n", start, end), start)
    if end - last_line < WRAPPED or text[end - 1] in ".!?…。！？:;":
        return False
    return head[0].islower() or text[end - 1] == ","


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for stop in _STOP.finditer(text, start, end):
        if _ends(text, stop, end):
            yield from _trimmed(text, first, stop.end())
            first = stop.end()
    yield from _trimmed(text, first, end)


def _ends(text: str, stop: re.Match[str], end: int) -> bool:
    """Whether a run of stops ends a sentence."""
    after = stop.end()
    if after >= end or stop[0][0] in "。！？｡।؟۔።":
        return True
    following = text[after]
    if not following.isspace():
        # Glued: a decimal, a version, a path. Emoji and scripts without spaces may follow so.
        return stop[0][0] != "." and following >= "\u2190"
    mark = stop[0]
    ahead = _next_visible(text, after, end)
    if mark[0] == "…" or mark.startswith(".."):
        return not ahead.islower()
    if mark != ".":
        return True
    words = text[max(stop.start() - _WORD_READ, 0) : stop.start()].split()
    word = words[-1].lstrip("(\"'„“") if words else ""
    before = word.lower()
    if before in _ABBREVIATIONS:
        return False
    if before in _BEFORE_NUMBER:
        return not ahead.isdigit()
    if before in _MAYBE_LAST:
        return ahead.isupper()
    if len(before) == 1 and before.isalpha():
        return before == "i" or (not word.isupper() and ahead.isupper())
    if before.isdigit() and len(before) <= 2:
        return not _ORDINAL_MONTH.match(text, after, end) or (
            ahead.isupper() and not _is_month(text, after)
        )
    return True


def _is_month(text: str, after: int) -> bool:
    return text[after : after + 5].strip()[:3].lower() in _GERMAN_MONTHS


_GERMAN_MONTHS: Final = _words("jan feb mär apr mai jun jul aug sep okt nov dez")


def _next_visible(text: str, at: int, end: int) -> str:
    """The next character that is no space, looking a little way; empty at the end."""
    return text[at : min(at + 8, end)].lstrip()[:1]


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The span without space round it, if there is a letter in it; long Thai in pieces."""
    piece = text[first:last]
    if not _LETTER.search(piece):
        return
    first += len(piece) - len(piece.lstrip())
    last -= len(piece) - len(piece.rstrip())
    if last - first <= 2 * _THAI_PIECE or not "\u0e00" <= text[first] <= "\u0e7f":
        yield first, last
        return
    # Thai sets a space where a sentence or clause ends, and nothing else.
    while last - first > 2 * _THAI_PIECE:
        space = text.find(" ", first + _THAI_PIECE, last)
        if space < 0:
            break
        yield first, space
        first = space + 1
    if first < last:
        yield first, last
