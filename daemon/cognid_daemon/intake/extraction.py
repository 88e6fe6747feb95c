"""Extraction: the facts that a user's turn states, as spans of it.

Sentence by sentence: questions, commands, greetings and suppositions are dropped; what is left is
read by rules, and by the scored model where no rule speaks. A fact is never rewritten: its text is
the slice of the turn, one sentence, or two where the second leans on the first ("He is …"), or
the statement before a request in one sentence ("I'm vegan, can you …").

May not touch a bank or know who spoke; pure, and linear in the turn's length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from cognid.protocol.values import Kind
from cognid_daemon.intake.dates import NOTHING, When, find_when
from cognid_daemon.intake.fact_rule import Rule
from cognid_daemon.intake.fact_rules import SPACED, UNSPACED
from cognid_daemon.intake.fact_score import score
from cognid_daemon.intake.sentences import Sentence, sentences
from cognid_daemon.intake.speech_acts import LEAD, Act, act_of, statement_before

EXTRACTOR: Final = "rules-1"
"""Name and version of the rules, kept with each memory that they made."""
FACTS: Final = 16
"""Facts of one turn at most: the first ones."""
SENTENCE: Final = 1_000
"""Characters of a sentence at most: what is longer is no sentence. Two may make one fact."""
READ: Final = 100_000
"""Characters of prose that are read at most: a pasted book costs no more than its first chapter."""
EACH: Final = 80
"""Characters that a sentence counts for beyond its own, so that many short ones cost no more."""
LIKELY: Final = 0.5
"""The score from which a rule that needs one may speak."""
ALONE: Final = 0.75
"""The score from which a sentence is a fact without any rule."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """One fact as a span in characters of the turn; `rule`: what recognised it."""

    kind: Kind
    start: int
    end: int
    confidence: float
    rule: str
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """One sentence that gave no fact, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a turn states, and what of it was passed over, each in order."""

    facts: tuple[Extracted, ...]
    dropped: tuple[Dropped, ...]


def extract(content: str, said_at: datetime) -> Extraction:
    """Find the facts in what a user said.

    `said_at` has a zone, in which "yesterday" and the like are resolved.
    """
    facts: list[Extracted] = []
    dropped: list[Dropped] = []
    before: Sentence | None = None
    left = READ
    for sentence in sentences(content):
        left -= sentence.end - sentence.start + EACH
        if left < 0 or len(facts) == FACTS:
            reason = "too_many" if left >= 0 else "too_far"
            dropped.append(Dropped(sentence.start, len(content), reason))
            break
        found = _read(content, sentence, before, said_at)
        if isinstance(found, Extracted):
            facts.append(found)
        else:
            dropped.append(found)
        before = sentence
    return Extraction(tuple(facts), tuple(dropped))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is recognised in a sentence, before it has a span."""

    kind: Kind
    confidence: float
    rule: str
    when: When


def _read(
    content: str, sentence: Sentence, before: Sentence | None, said_at: datetime
) -> Extracted | Dropped:
    """The fact in one sentence, or why there is none."""
    start, end = sentence.start, sentence.end
    if end - start > SENTENCE:
        return Dropped(start, end, "too_long")
    text = content[start:end]
    plain = plain_form(text)
    act = act_of(plain)
    if act is Act.QUESTION or act is Act.COMMAND:
        text = text[: statement_before(text)].rstrip()
        plain = plain_form(text)
        if not text or act_of(plain) is not Act.STATEMENT:
            return Dropped(start, end, act.value)
        end = start + len(text)
    elif act is not Act.STATEMENT and act is not Act.STANDING:
        return Dropped(start, end, act.value)
    reading = _judge(text, plain, said_at, alone=act is Act.STATEMENT)
    if reading is None:
        return Dropped(start, sentence.end, "low_score" if end == sentence.end else act.value)
    if _POINTING.search(plain):
        return Dropped(start, end, "leans_on_nothing")
    if _LEANING.match(plain):
        if before is None or not sentence.follows or not _bears(content, before):
            return Dropped(start, end, "leans_on_nothing")
        start = before.start
    when = reading.when
    return Extracted(
        reading.kind,
        start,
        end,
        round(reading.confidence, 2),
        reading.rule,
        when.event_time,
        when.valid_from,
        when.valid_until,
    )


_CONTRACTED: Final = {
    "i'm": "i am",
    **{f"{who}'re": f"{who} are" for who in ("we", "you", "they")},
    **{f"{who}'ve": f"{who} have" for who in ("i", "we", "you", "they")},
    **{f"{who}'ll": f"{who} will" for who in ("i", "we", "you", "they", "he", "she", "it")},
    **{f"{who}'d": f"{who} would" for who in ("i", "we", "you", "they", "he", "she")},
    **{f"{who}'s": f"{who} is" for who in ("he", "she", "it", "that", "there", "here")},
    **{f"{verb}n't": f"{verb} not" for verb in (
        "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "would",
        "should", "must", "need",
    )},
    **{f"{verb}nt": f"{verb} not" for verb in ("do", "does", "did", "is", "was", "have")},
    "can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not",
    "im": "i am", "ive": "i have", "gonna": "going to", "wanna": "want to", "gotta": "have to",
}  # fmt: skip
_CONTRACTION: Final = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _CONTRACTED), key=len, reverse=True)) + r")\b"
)
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2018": "'", "\u00b4": "'"})
_WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKS: Final = "\"'“”«»„*_~`([ \t"


def _by_word() -> dict[str, list[tuple[int, Rule]]]:
    table: dict[str, list[tuple[int, Rule]]] = {}
    for place, rule in enumerate(SPACED):
        for word in rule.words:
            table.setdefault(word, []).append((place, rule))
    return table


_RULES_OF: Final = _by_word()

_LEANING: Final = re.compile(
    r"(?:he|she|it(?! is (?:my|our)\b)|they|his|her|hers|their|its|them|these|those|both"
    r"|neither|which)\b|(?:this|that)\b(?! (?:week|weekend|month|year|quarter|morning"
    r"|afternoon|evening|spring|summer|autumn|fall|winter|project|repo|repository"
    r"|codebase|team|company)\b)|(?:that is|this is|it is) why\b|(?:because of|due to"
    r"|for) (?:that|this)\b|(?:therefore|hence|instead)\b|(?:er|sie|es|das|deshalb"
    r"|deswegen|darum|daher|dort|seine?|ihre?)\b|[他她它]|(?:所以|因此|这|那)"
)
_POINTING: Final = re.compile(
    r"\b(?:prefer|like|love|hate|want|choose|chose|pick|picked|take|favou?r)\b(?: \w+)? the"
    r" (?:first"
    r"|second|third|fourth|last|other|latter|former|previous)(?: (?:one|option|version|approach"
    r"|idea"
    r"|suggestion|answer|design|draft|variant|choice|two|three)s?)?\b(?! \w+ing\b)(?=[.!]?$|[,;]"
    r"| (?:better|more|best|one|most|too|as)\b)"
    r"|^(?:i|we) (?:live|work|study|stay|am|are) (?:here|there)[.!]?$"
)
"""What means something that was shown or said elsewhere: "I prefer the second option"."""
_PASSING: Final = re.compile(
    r"(?:i am|we are) (?:just |only |still |almost |nearly )*(?:testing|kidding|joking|asking"
    r"|saying"
    r"|checking|curious|wondering|here|back|ready|done|late|early|\d+ min|\d+ hours? (?:late|early)"
    r"|on my way)"
)
"""What is over before it could be of use."""
_SHORT_LIVED: Final = re.compile(
    r"\b(?:right now|at the moment|currently|this (?:week|afternoon|morning|evening"
    r"|weekend)|today|tonight|for now|these days|at present|as of now|temporarily|until "
    r"(?:tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next week)"
    r"|diese woche|heute|gerade|momentan|im moment|zurzeit|zur zeit|derzeit|dieses "
    r"wochenende)\b|这周|本周|今天|今晚|现在|目前|此刻|这几天|暂时"
)
_LASTING: Final = re.compile(r"\b(?:live|work|study|use|wohne|arbeite|studiere)\b|[住是]")
_HAPPENED: Final = re.compile(
    r"\b(?:went|passed away|died|got|moved|adopted|bought|visited|came|married|graduated"
    r"|started|lost|won|gave|broke|had|told|celebrated|called|left|flew|was born|hat|ist"
    r"|habe|haben|starb)\b|了"
)
_ASKED: Final = re.compile(
    r"(?:please |also |and |(?:can|could|would|will) you )*+(?:remember|note|keep in mind"
    r"|do not forget|bear in mind|know|be aware)(?: that |: ?|, ?| (?=(?:i|my|we|our|the|he|she"
    r"|they|all|every|it"
    r"|this|in|on|for)\b))|(?:merk dir|denk daran|vergiss nicht|beachte),? |"
    r"(?:请)?记住[，,:：]?"
)
_QUOTATION: Final = re.compile(r"\"[^\"]{1,400}\"|[“„][^“”„]{1,400}[“”]|«[^«»]{1,400}»")
_FOR_GOOD: Final = re.compile(
    r"\b(?:died|passed away|(?:was|were) born|geboren|gestorben|starb)\b|出生|去世"
)
"""What has happened and holds for ever: no episode, which would be kept for a while only."""
_STATES: Final = re.compile(
    r"\b(?:have|has|is|are|am) (?:a|an|the|my|our|one|two|three|four|five|six|no|\d+|called|named"
    r"|from|in|at)\b|\bi am \d"
)
_SPEAKS_OF: Final = re.compile(
    r"\b(?:i|my|we|our|us|me|mine|ich|wir|mein\w{0,2}|unser\w{0,2})\b|我"
)


def _bears(content: str, before: Sentence) -> bool:
    """Whether a sentence may tell whom or what a pronoun in the next one means."""
    if before.end - before.start > SENTENCE:
        return False
    plain = plain_form(content[before.start : before.end])
    return act_of(plain) in (Act.STATEMENT, Act.STANDING) and not _LEANING.match(plain)


def plain_form(text: str) -> str:
    """A sentence as rules read it: lower case, one apostrophe, contractions written out."""
    lowered = " ".join(text.lower().translate(_APOSTROPHES).split()).lstrip(_MARKS)
    lead = LEAD.match(lowered)
    if lead and lead.end() < len(lowered):
        lowered = lowered[lead.end() :]
    return _CONTRACTION.sub(lambda found: _CONTRACTED[found[0]], lowered)


def _judge(text: str, plain: str, said_at: datetime, *, alone: bool) -> _Reading | None:
    """What a statement says; `alone`: the score may speak where no rule does."""
    asked = _ASKED.match(plain)
    if asked:
        plain = plain[asked.end() :]
    likely = score(plain)
    best: tuple[int, Rule, When] | None = None
    for rule in _tried(plain):
        if rule.needs_score and likely < LIKELY and not asked:
            continue
        place = rule.found_in(text if rule.is_cased else plain)
        if (
            place is None
            or (not rule.is_cased and _is_quoted(plain, place))
            or (best is not None and place >= best[0])
        ):
            continue
        when = NOTHING
        if rule.needs_when:
            when = _when(rule, plain, said_at)
            if not when.is_named or (rule.tells == "past" and when.event_time is None):
                continue
        if rule.tells == "now" and not _SHORT_LIVED.search(plain):
            continue
        best = place, rule, when
    if best is not None:
        _, rule, when = best
        return _told(rule, plain, when if rule.needs_when else _when(rule, plain, said_at), likely)
    if asked:
        return _timed(Kind.FACT, 0.9, "extract.asked", plain, find_when(plain, said_at))
    if (
        alone
        and likely >= ALONE
        and not _PASSING.match(plain)
        and plain.count(" ") >= 3
        and _SPEAKS_OF.search(plain)
    ):
        return _timed(Kind.FACT, likely * 0.7, "extract.scored", plain, find_when(plain, said_at))
    return None


def _is_quoted(plain: str, place: int) -> bool:
    """Whether a place stands inside words that are quoted: another's, or no statement at all."""
    return any(
        found.start() < place < found.end() for found in _QUOTATION.finditer(plain, 0, SENTENCE)
    )


def _tried(plain: str) -> list[Rule]:
    """The rules of which a word stands in the sentence, in the order of their tables."""
    places: dict[int, Rule] = {}
    for word in set(_WORD.findall(plain)):
        places.update(_RULES_OF.get(word, ()))
    tried = [places[place] for place in sorted(places)]
    return [*tried, *UNSPACED] if _UNSPACED.search(plain) else tried


def _when(rule: Rule, plain: str, said_at: datetime) -> When:
    return find_when(plain, said_at, past=rule.tells in ("past", "decision"))


def _told(rule: Rule, plain: str, when: When, likely: float) -> _Reading:
    """A rule's finding; a low score takes up to a quarter of its confidence."""
    sure = rule.sure * (0.75 + 0.25 * min(likely * 2, 1.0))
    if rule.tells == "past" or rule.kind not in (Kind.FACT, Kind.EPISODIC, Kind.CONTEXT):
        return _Reading(rule.kind, sure, rule.id, when)
    happened = _HAPPENED.search(plain) if rule.tells == "past_state" and when.event_time else None
    if happened and not (_FOR_GOOD.search(plain) or _STATES.search(plain, 0, happened.start())):
        return _Reading(Kind.EPISODIC, sure, rule.id, when)
    return _timed(rule.kind, sure, rule.id, plain, when)


def _timed(kind: Kind, sure: float, rule: str, plain: str, when: When) -> _Reading:
    """A finding that is context where it is true for a while only, and ends with that while."""
    if _SHORT_LIVED.search(plain) and not _LASTING.search(plain):
        kind = Kind.CONTEXT
    ends = when.over
    if kind is Kind.CONTEXT and when.valid_until is None and ends is not None:
        begins = when.valid_from
        when = replace(when, valid_until=ends if begins is None or begins < ends else None)
    return _Reading(kind, sure, rule, when)
