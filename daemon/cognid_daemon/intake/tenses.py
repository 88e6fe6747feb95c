"""Tenses: whether the words round an expression of time tell of what lies behind.

A date without a year, or a weekday, is read backwards beside a verb in the past ("was born on 3
May") and forwards beside another ("turns seven on 3 May", "is booked for 3 May"). The nearest verb
of the same clause decides, one before the date rather than one behind it.

Owns: the verbs. Knows no date and no rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_REACH: Final = 160
"""Characters to each side that are looked at."""
_WORD: Final = re.compile(r"[^\W_]+")
_SEAM: Final = re.compile(r"[,;:()–—]|\b(?:and|but|because|while|who|which|when|und|aber|weil)\b")
_TARGET: Final = re.compile(
    r"\b(?:for|to|due|until|due on|due by|scheduled on|für|auf|para|pour)(?: the| den| el| le)? $"
)
"""What stands before a date that was set for something: "booked for 3 May", "moved to Friday"."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PAST: Final = _words(
    "was were had did went came got gave took made met saw left lost won began broke brought "
    "bought built caught chose drove fell felt flew found forgot grew heard held kept knew led "
    "paid ran said sent sold spent spoke stood taught told thought wrote became died born quit "
    "wed shot sang swam tore threw woke wore been done gone fought hid laid rang rode rose sat "
    "slept stole stuck "
    "wurde wurden war waren hatte hatten ging gingen kam kamen zog zogen starb flog fuhr begann "
    "traf fand bekam kaufte heiratete gab "
    "fue nació murió estuvo tuvo compré fui llegó empezó né née était avait "
)
_NO_PAST: Final = _words(
    "need needs indeed hundred embed proceed succeed exceed speed breed seed feed bleed weed united"
)
"""Words in -ed that are no past; a participle behind a form of "be" is none either."""
_AHEAD: Final = _words(
    "is are am will shall has have be being gets get turns turn becomes starts start begins begin "
    "leaves leave comes come goes go takes take happens ends closes opens arrives arrive lands "
    "departs graduates visits visit marries marry moves move flies fly returns return retires "
    "celebrates celebrate launches ships expires falls going wants plans hopes needs must should "
    "can wird werden werde wollen möchte soll fliegt fährt "
    "kommt heiratet feiert beginnt startet zieht cumple tiene tengo es será va voy a aura est va"
)
_SET: Final = _words("is are am be being get gets getting will s re m wird werden werde")
"""What makes a participle behind it no past: "is scheduled", "gets married"."""
_PASSED_OVER: Final = _words("not just also already currently now still officially being all both")
_AUXILIARY: Final = _words("habe haben hab hat bin ist sind")
_PARTICIPLE: Final = re.compile(
    r"(?:\w{0,5}ge\w{2,}(?:t|en)|(?:ver|be|er|ent|zer)\w{3,}(?:t|en)|\w{3,}iert)$"
)
_PLANNED: Final = _words("geplant angesetzt vorgesehen terminiert gebucht verschoben vereinbart")
_MEANT: Final = _words(
    "decided planned hoped wanted agreed promised expected supposed needed had booked used"
)
"""Verbs in the past whose infinitive with "to" lies ahead of them."""
_CHINESE_PAST: Final = re.compile(r"了(?!解)|过(?!生日|年|节|敏|来|去|程|度)|出生|去世|毕业")
_CHINESE_AHEAD: Final = re.compile(r"[要会将]|打算|准备|计划")


def is_behind(lowered: str, start: int, end: int, *, past: bool) -> bool:
    """Whether the expression of time at `start` to `end` of a lowered sentence lies behind.

    Args:
        past: what the sentence tells of as a whole, where its verbs do not say otherwise.
    """
    before = lowered[max(start - _REACH, 0) : start]
    after = lowered[end : end + _REACH]
    if _TARGET.search(before):
        return False
    told = _told(before, after, past=past)
    if told is not None:
        return told
    if _CHINESE_PAST.search(lowered):
        return not _CHINESE_AHEAD.search(before)
    return past


def _told(before: str, after: str, *, past: bool) -> bool | None:
    """What the nearest verb tells; None: there is none."""
    clause = _SEAM.split(before)[-1]
    rest = _SEAM.split(after, 1)[0]
    for left, right in ((clause, rest), (before, after)):
        behind = _WORD.findall(right)
        for found in (_last_verb(_WORD.findall(left), behind, past), _first_verb(behind)):
            if found is not None:
                return found
    return None


def _last_verb(words: Sequence[str], behind: Sequence[str], past: bool) -> bool | None:
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if word in _AUXILIARY:
            return _ends_in_participle(behind) or _ends_in_participle(words[place:])
        if _is_past(word):
            if word in _MEANT and not past and words[place + 1 : place + 2] == ["to"]:
                return word == "used"
            return not _is_set(words[:place])
        if word == "am" and words[place - 1 : place] != ["i"]:
            continue  # the German preposition
        if word in _AHEAD:
            # A sentence that tells of the past as a whole has its verb elsewhere.
            return past and any(map(_is_past, (*words, *behind)))
    return None


def _first_verb(words: Sequence[str]) -> bool | None:
    for place, word in enumerate(words):
        if word in _AUXILIARY:
            return _ends_in_participle(words)
        if _is_past(word):
            return not _is_set(words[:place])
        if word in _AHEAD and not _participle_follows(words[place + 1 : place + 3]):
            return False
    return None


def _is_past(word: str) -> bool:
    return word in _PAST or (word.endswith("ed") and len(word) > 4 and word not in _NO_PAST)


def _is_set(before: Sequence[str]) -> bool:
    """Whether a participle is one of a state or a plan, by the word before it."""
    for word in reversed(before[-4:]):
        if word in _SET:
            return True
        if word not in _PASSED_OVER and not word.endswith("ly"):
            return False
    return False


def _participle_follows(words: Sequence[str]) -> bool:
    return any(map(_is_past, words))


def _ends_in_participle(words: Sequence[str]) -> bool:
    """Whether a German perfect ends here: with its participle, which no plan is said in."""
    return bool(words) and words[-1] not in _PLANNED and bool(_PARTICIPLE.match(words[-1]))
