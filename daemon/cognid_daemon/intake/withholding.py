"""Withholding: what a person says about remembering, and whether their message may be kept.

Owns: the reading of a text as a request (`read_request`) and the sentence that tells a person what
came of it (`note_for`). May not store, forget or lift anything, and keeps no text: the phrases are
in `phrases`.

A request stands where a clause begins and is addressed to the assistant. Quoted speech, code, what
somebody else asked ("she told me not to remember it") and what people say of their own memory ("I
do not remember my PIN") are none. Whoever asks that something be forgotten gets that message
withheld as well: it repeats what shall go, nothing said in chat ever calls forget, and the note
says how it is done. In doubt the message is withheld too.

A text of more than 8,000 characters is most often a document. Its first and last 4,000 are read as
any message; between them only a sentence that is nothing but a plain request counts. Everything
is linear: patterns are bounded, and so are the sentences that are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Final, assert_never

from cognid_daemon.intake.phrases import TONGUES
from cognid_daemon.intake.phrases.tongue import Tongue


class Intent(StrEnum):
    """What a message asks of the memory."""

    NONE = "none"
    REMEMBER = "remember"
    NO_STORE = "no_store"
    FORGET = "forget"


class Scope(StrEnum):
    """What shall not be stored: this message, the next one too, the session's rest, a topic."""

    MESSAGE = "message"
    NEXT = "next"
    SESSION = "session"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message asks; it holds none of its words.

    `withholds`: this very message is not stored. `rule` names why, and is None where it is stored.
    `lifts`: a request that held for the session ends before this message ("you may save again").
    """

    intent: Intent
    scope: Scope | None = None
    rule: str | None = None
    withholds: bool = False
    lifts: bool = False


USUAL: Final = Reading(Intent.NONE)
FORGET: Final = "withheld.forget"
DOUBT: Final = "withheld.doubt"

_EDGE: Final = 4_000
"""Characters at each end of a long text that are read as any message."""
_LONG: Final = 2 * _EDGE
_SENTENCE: Final = 600
"""Characters of one sentence that are read; of a longer one also as many at its end."""
_STARTS: Final = 24
"""Places in one sentence at which a request may begin."""
_MIDDLE: Final = 200
"""Sentences between the ends of a long text that are read."""

_FENCED: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_INLINE: Final = re.compile(r"`[^`\n]{1,300}`")
_CITED: Final = re.compile(r"^[ \t]*(?:>|//|/\*|\*/|#!|# |<!--|--+ |\d\d:\d\d).*$", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|「[^「」\n]{1,400}」"
    r"|『[^『』\n]{1,400}』|‘[^‘’\n]{1,400}’(?!\w)|(?<![^\s(])'[^'\n]{1,200}'(?!\w)"
)
_SCARE: Final = re.compile(
    r"\b(?:this|that|it|everything|what i say)(?: is|'s|’s)(?: strictly)? ?$"
    r"|\b(?:go|keep (?:this|it)|as) ?$",
    re.IGNORECASE,
)
_SENTENCES: Final = re.compile(r"[^.!?…。！？\n;]+[.!?…。！？;]*")
_BREAKS: Final = re.compile(r"[,:()、]+ ?| [-–—]+ ?|[–—]+ ?")
_PLEASE: Final = re.compile(r"\b(?=(?:please|pls|plz|kindly|bitte|por favor|per favore|prosze) )")
_RUN_ON: Final = re.compile(
    r"(?<= )(?=(?:don'?t|do not|never) (?:save|store|log|record|write|note|keep|remember|memorize)"
    r" (?:this|that|it|any of)\b)|(?<= )(?=off the record$)"
)
_CONJOINED: Final = re.compile(r"[a-zа-я]+ $")
_SUBJECT: Final = re.compile(r"(?:i|we|he|she|they|it|you|who|people|my \w+|the \w+)\b(?!')")
_OWN_STATE: Final = re.compile(r"(?:i'?m|i am|my|i've been|this|that|it) ")
_NOT_BEFORE_RUN_ON: Final = re.compile(
    r"(?:s|\b(?:i|we|you|they|he|she|it|who|that|which|to|people|men|women|children|kids|and|or"
    r"|but|why|would|will|should|could|must|can|might|have|had|has|was|were"
    r"|[a-z]+'(?:d|ll|ve|re|m)|really|just|still|also|even|u|what|where|how|if|then)) $"
    r"(?<!\bthis )(?<!\bus )"
)
_OF_THIS: Final = re.compile(
    r"\b(?:this|that|it|anything|what i|i (?:say|tell)|record|memory|chat|conversation|messages?)\b"
)
_COURTESY: Final = re.compile(
    r"[ ,.!?…。！？]*(?:please|pls|thanks|thank you|ok|okay|anywhere|at all)?\W*$"
)


def _folded_letters() -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(range(0x300, 0x370))
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", chr(code))
            if not unicodedata.combining(letter)
        )
        table[code] = base
    table |= {
        ord(a): b for a, b in zip("łøđıæœё", ("l", "o", "d", "i", "ae", "oe", "е"), strict=True)
    }
    table |= dict.fromkeys(map(ord, "’‘ʼ´`＇′"), "'")
    table |= dict.fromkeys(map(ord, "‐‑‒"), "-")
    table |= dict.fromkeys(map(ord, "*~\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f"))
    table |= {ord("_"): " ", ord("，"): ",", ord("："): ":"}
    return table


_LETTERS: Final = _folded_letters()
_SPACES: Final = re.compile(r"[^\S\n]+")


def read_request(text: str) -> Reading:
    """Read what a message asks of the memory. Pure, linear time."""
    if "`" in text or "~~~" in text:
        text = _INLINE.sub(" qq ", _FENCED.sub("\n", text))
    found = USUAL
    lifted = False
    for part, whole in _parts(text):
        spoken = _normal(_without_quotations(part))
        heard = [
            (tongue, cues)
            for tongue in TONGUES
            if (cues := [cue for cue in tongue.cues if cue in spoken])
        ]
        if not heard:
            continue
        previous = ""
        for sentence in _sentences(spoken):
            reading = _read_sentence(sentence, previous, heard, whole=whole)
            previous = sentence
            if reading is None:
                continue
            if reading.lifts:
                lifted = True
                if found.scope is Scope.SESSION:
                    found = _withheld(Scope.MESSAGE, doubtful=False)
            elif reading.scope is Scope.SESSION:
                lifted = False
            if _weight(reading) > _weight(found):
                found = reading
    if lifted and not found.lifts:
        return Reading(found.intent, found.scope, found.rule, found.withholds, lifts=True)
    return found


def note_for(reading: Reading) -> str | None:
    """The sentence that tells a person what came of their request; None: nothing to say."""
    if not reading.withholds:
        return None
    if reading.rule == DOUBT:
        return (
            "This message was not stored: it may have asked not to be. If it did not, say it again"
            " in other words."
        )
    if reading.intent is Intent.FORGET:
        return (
            "Nothing was forgotten and this message was not stored: what is said in chat never"
            " erases a memory. To forget one, use `cognid forget`."
        )
    match reading.scope:
        case Scope.NEXT:
            return "Neither this message nor your next one is stored."
        case Scope.SESSION:
            return "Nothing is stored from this message on until you say that it may be again."
        case Scope.TOPIC:
            return (
                "This message was not stored. Topics are not tracked: say so again whenever"
                " something about this one shall not be kept."
            )
        case Scope.MESSAGE | None:
            return "This message was not stored, as you asked."
        case never:
            assert_never(never)


def _weight(reading: Reading) -> int:
    """How much a reading counts beside the others of one message."""
    match reading.intent:
        case Intent.NONE:
            return 1 if reading.lifts else 0
        case Intent.REMEMBER:
            return 3 if reading.lifts else 2
        case Intent.FORGET:
            return 5
        case Intent.NO_STORE:
            if reading.rule == DOUBT:
                return 4
            match reading.scope:
                case Scope.MESSAGE | None:
                    return 6
                case Scope.TOPIC:
                    return 7
                case Scope.NEXT:
                    return 8
                case Scope.SESSION:
                    return 9
                case never_scope:
                    assert_never(never_scope)
        case never:
            assert_never(never)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text that are read, and whether a request must be a whole sentence there."""
    if len(text) <= _LONG:
        yield _CITED.sub("", text), False
        return
    yield _CITED.sub("", text[:_EDGE]), False
    middle = text[_EDGE:-_EDGE]
    for count, hint in enumerate(_HINTS.finditer(middle)):
        if count == _MIDDLE:
            break
        yield hint[1], True
    yield _CITED.sub("", text[-_EDGE:]), False


# A short sentence that begins as a request does, in the middle of a long text.
_HINTS: Final = re.compile(
    r"[.!?\n。！？]\s?(?=[pdnohkfbms请請不别не])((?:please |pls |hey,? )?(?:don['’]?t|do not|never"
    r"|off the record|no need to|keep this|bitte|merk|speicher|ne |no |n[ãa]o |non |не |请"
    r"|請|不要|别)[^.!?\n。！？]{2,120})",
    re.IGNORECASE,
)


def _without_quotations(text: str) -> str:
    """The text without what it quotes, unless it is one quotation as a whole."""

    def replaced(match: re.Match[str]) -> str:
        if _SCARE.search(text, max(0, match.start() - 24), match.start()):
            return match.group()[1:-1]
        return " qq "

    spoken = _QUOTED.sub(replaced, text)
    return spoken if any(map(str.isalpha, spoken.replace(" qq ", ""))) else text


def _normal(text: str) -> str:
    """The form in which the phrases are written."""
    if text.isascii():
        text = text.casefold().translate(_ASCII)
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        if len(folded) > 2 * _LONG:  # a few letters are compositions of eighteen
            folded = f"{folded[:_LONG]}\n{folded[-_LONG:]}"
        text = unicodedata.normalize("NFKC", folded).translate(_LETTERS)
    return _TITLES.sub(r"\1", _SPACES.sub(" ", text))


_TITLES: Final = re.compile(r"\b(dr|mrs?|ms|prof|sra?)\.(?= [^\W\d_])")
"""A point that ends no sentence: "Dr. Hale"."""
_ASCII: Final = {ord("*"): None, ord("~"): None, ord("_"): " ", ord("`"): "'"}


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCES.finditer(text):
        sentence = match.group().lstrip(" -•>[\"'“„«‘「¿¡").rstrip()
        if len(sentence) > _SENTENCE:
            yield sentence[:_SENTENCE]
            sentence = sentence[-_SENTENCE:]
        if sentence:
            yield sentence


def _read_sentence(
    sentence: str, previous: str, heard: list[tuple[Tongue, list[str]]], *, whole: bool
) -> Reading | None:
    found: Reading | None = None
    for tongue, cues in heard:
        for cue in cues:
            if cue in sentence:
                break
        else:
            continue
        if tongue.anywhere:
            reading = _read_anywhere(sentence, tongue, whole=whole)
        else:
            reading = _read_starts(sentence, previous, tongue, whole=whole)
        if reading is not None and (found is None or _weight(reading) > _weight(found)):
            found = reading
    return found


def _read_starts(sentence: str, previous: str, tongue: Tongue, *, whole: bool) -> Reading | None:
    bare = sentence.rstrip(".!?…;\"'”“»’」 )")
    if tongue.echo is not None and tongue.echo.search(bare, max(0, len(bare) - 40)):
        return None
    found: Reading | None = None
    noted = None if tongue.noted is None else tongue.noted.match(bare)
    for start in _starts(bare, tongue):
        reported = tongue.reported
        if reported is not None:
            before = bare[max(0, start - 60) : start] if start else previous[-60:]
            if before.rstrip().endswith((":", ",")) and reported.search(before.rstrip(" :,")):
                if not start:
                    return None
                continue
        reading = _read_at(bare, start, tongue, question=sentence.endswith("?"), whole=whole)
        if reading is None:
            continue
        doubted = reading.rule == DOUBT
        if noted and reading.withholds and (doubted or not _OF_THIS.search(bare, noted.end())):
            reading = Reading(Intent.REMEMBER)  # "Remember: do not store the bike outside"
        if found is None or _weight(reading) > _weight(found):
            found = reading
    return found


def _read_at(
    sentence: str, start: int, tongue: Tongue, *, question: bool, whole: bool
) -> Reading | None:
    if tongue.spare is not None and tongue.spare.match(sentence, start):
        return Reading(Intent.REMEMBER)
    asked = tongue.ask.match(sentence, start)
    doubtful = asked is None
    if doubtful and tongue.doubt is not None:
        asked = tongue.doubt.match(sentence, start)
    if asked is not None and not _is_elliptic(sentence, start, tongue, question=question):
        if whole and not _COURTESY.match(sentence, asked.end()):
            return None
        return _withheld(_scope(sentence, start, asked.end(), tongue), doubtful=doubtful)
    if whole:
        return None
    if tongue.erase.match(sentence, start) and (
        tongue.told is None
        or not _is_joined(sentence, start, tongue)
        or tongue.told.search(sentence, start)
    ):
        return Reading(Intent.FORGET, None, FORGET, withholds=True)
    if tongue.lift is not None and tongue.lift.match(sentence, start):
        return Reading(Intent.REMEMBER, None, lifts=True)
    if tongue.keep.match(sentence, start) and not (question and sentence.startswith("remember")):
        return Reading(Intent.REMEMBER)
    return None


def _read_anywhere(sentence: str, tongue: Tongue, *, whole: bool) -> Reading | None:
    asked = tongue.ask.search(sentence)
    doubtful = asked is None
    if doubtful and tongue.doubt is not None:
        asked = tongue.doubt.search(sentence)
    if asked is not None and (tongue.reported is None or not tongue.reported.search(sentence)):
        if whole and len(sentence) > 40:
            return None
        return _withheld(_scope(sentence, 0, asked.end(), tongue), doubtful=doubtful)
    if whole or (tongue.reported is not None and tongue.reported.search(sentence)):
        return None
    if tongue.erase.search(sentence):
        return Reading(Intent.FORGET, None, FORGET, withholds=True)
    if tongue.lift is not None and tongue.lift.search(sentence):
        return Reading(Intent.REMEMBER, None, lifts=True)
    if tongue.keep.search(sentence):
        return Reading(Intent.REMEMBER)
    return None


def _starts(sentence: str, tongue: Tongue) -> list[int]:
    """Where a request may begin: at a clause, after a lead-in, at a "please"."""
    places = {0}
    for boundary in chain(_BREAKS.finditer(sentence), tongue.joins.finditer(sentence)):
        places.add(boundary.end())
        if len(places) >= _STARTS:
            break
    places.update(match.end() for match in _PLEASE.finditer(sentence))
    for match in _RUN_ON.finditer(sentence):
        if sentence.startswith("off", match.start()) and not _OWN_STATE.match(sentence):
            continue
        if not _NOT_BEFORE_RUN_ON.search(sentence, max(0, match.start() - 12), match.start()):
            places.add(match.start())
    if tongue.lead is not None:
        for place in tuple(places):
            for _ in range(4):
                lead = tongue.lead.match(sentence, place)
                if lead is None or lead.end() == place:
                    break
                place = lead.end()
                places.add(place)
    return sorted(places)


def _is_joined(sentence: str, start: int, tongue: Tongue) -> bool:
    """Whether only a conjunction stands before, so that another verb's subject may hold on."""
    return any(
        join.end() == start for join in tongue.joins.finditer(sentence, max(0, start - 12), start)
    )


def _is_elliptic(sentence: str, start: int, tongue: Tongue, *, question: bool) -> bool:
    """Whether "don't remember that" leaves out the I whose memory it speaks of."""
    if tongue.elliptic is None or not tongue.elliptic.match(sentence, start):
        return False
    before = sentence[:start]
    if before.rstrip().endswith(("please", "pls", "plz")):
        return False
    if question and ":" not in sentence[start:]:
        return True
    return bool(
        _CONJOINED.search(before) and _SUBJECT.match(before) and not _OWN_STATE.match(before)
    )


def _withheld(scope: Scope, *, doubtful: bool) -> Reading:
    """A request not to store; what is only doubtful never holds beyond its message."""
    if doubtful and scope is not Scope.TOPIC:
        return Reading(Intent.NO_STORE, Scope.MESSAGE, DOUBT, withholds=True)
    return Reading(Intent.NO_STORE, scope, f"withheld.{scope}", withholds=True)


def _scope(sentence: str, start: int, end: int, tongue: Tongue) -> Scope:
    """What a request means; its scope may also stand at the sentence's beginning."""
    coming = tongue.coming.search(sentence, start) or tongue.coming.search(sentence)
    if coming is not None:
        # "What I am about to say" most often stands in the same message.
        here = coming.groupdict().get("here") is not None
        if not here:
            return Scope.NEXT
        if coming.start() >= start or coming.start() == 0:
            return Scope.MESSAGE if len(sentence[end:].split()) > 3 else Scope.NEXT
    if tongue.topic.search(sentence, start) or tongue.topic.match(sentence):
        return Scope.TOPIC
    led = tongue.lead is not None and tongue.lead.match(sentence)
    if tongue.session.search(sentence, 0 if led else start):
        return Scope.SESSION
    return Scope.MESSAGE
