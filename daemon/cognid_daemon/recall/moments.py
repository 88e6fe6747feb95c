"""The time that a question names: "in May 2023", "last spring", "three weeks ago".

Owns: English words and ISO dates for a stretch of time. May not know memories. A stretch only
weighs a little in a ranking, so what is not understood is passed over: "before I moved" needs the
memory of the move, and the words of the question find that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_DAYS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}

_MONTH: Final = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_ISO: Final = re.compile(r"\b((?:19|20)\d\d)-([01]\d)(?:-([0-3]\d))?\b")
_NAMED: Final = re.compile(
    rf"\b(?:([0-3]?\d)(?:st|nd|rd|th)? (?:of )?)?({_MONTH})\b\.?"
    rf"(?: ([0-3]?\d)(?:st|nd|rd|th)?\b(?!\d))?,?(?: ((?:19|20)\d\d)\b)?"
)
_SEASON: Final = re.compile(
    r"\b(last|this|the|in) (spring|summer|autumn|fall|winter)(?: (?:of )?((?:19|20)\d\d))?\b"
)
_AGO: Final = re.compile(r"\b(\d{1,2}|[a-z]{1,5}) (day|week|month|year)s? ago\b")
_LAST: Final = re.compile(r"\b(last|this) (week|month|year)\b")
_YEAR: Final = re.compile(r"\b(?:in|of|during|since) ((?:19|20)\d\d)\b")


@dataclass(frozen=True, slots=True)
class Stretch:
    """From a moment up to another."""

    start: datetime
    end: datetime

    def share(self, moment: datetime) -> float:
        """Give 1 inside, ½ within its own length (at least a day) of it, and 0 elsewhere."""
        if self.start <= moment < self.end:
            return 1.0
        margin = max(timedelta(days=1), self.end - self.start)
        return 0.5 if self.start - margin <= moment < self.end + margin else 0.0


def stretch_of(question: str, now: datetime) -> Stretch | None:
    """Find the stretch of time that a question names, if it names one.

    Args:
        now: what "last week" is counted from. A time in the future of it is never meant by "last".
    """
    text = question[-1_000:].lower()
    try:
        return _dated(text, now) or _relative(text, now)
    except (ValueError, OverflowError):  # the 31st of February
        return None


def _dated(text: str, now: datetime) -> Stretch | None:
    if found := _ISO.search(text):
        year, month, day = found.groups()
        return _stretch(int(year), int(month), None if day is None else int(day))
    for found in _NAMED.finditer(text):
        before, name, after, year = found.groups()
        if name == "may" and not (before or after or year or _is_month(text, found.start())):
            continue  # "what may I eat"
        month = next(n for n, known in enumerate(_MONTHS, 1) if known.startswith(name[:3]))
        day = before or after
        return _stretch(
            int(year) if year else _latest(now, month), month, None if day is None else int(day)
        )
    if found := _SEASON.search(text):
        which, season, year = found.groups()
        month = _SEASONS[season]
        if year is None and which == "the":
            return None
        start = _stretch(int(year) if year else _latest(now, month), month, None).start
        if which == "last" and year is None and start + timedelta(days=91) > now:
            start = start.replace(year=start.year - 1)
        return Stretch(start, start + timedelta(days=91))
    if found := _YEAR.search(text):
        return _stretch(int(found[1]), None, None)
    return None


def _relative(text: str, now: datetime) -> Stretch | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if re.search(r"\byesterday\b", text):
        return Stretch(today - day, today)
    if re.search(r"\b(?:today|this morning|tonight)\b", text):
        return Stretch(today, today + day)
    if found := _AGO.search(text):
        number = int(found[1]) if found[1].isdigit() else _NUMBERS.get(found[1], 0)
        if number:
            length = timedelta(days=_DAYS[found[2]])
            middle = today - number * length
            return Stretch(middle - length / 2, middle + max(day, length / 2))
    if found := _LAST.search(text):
        length = timedelta(days=_DAYS[found[2]])
        back = length if found[1] == "last" else timedelta()
        return Stretch(today - length - back, today + day - back)
    return None


def _stretch(year: int, month: int | None, day: int | None) -> Stretch:
    start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if month is None:
        return Stretch(start, start.replace(year=year + 1))
    if day is None:
        return Stretch(start, (start + timedelta(days=31)).replace(day=1))
    return Stretch(start, start + timedelta(days=1))


def _latest(now: datetime, month: int) -> int:
    """The year of the last such month that has begun."""
    return now.year if month <= now.month else now.year - 1


def _is_month(text: str, start: int) -> bool:
    """Whether what stands before says that "may" is the month."""
    return text[:start].rstrip().endswith(("in", "since", "last", "of", "until", "by", "this"))
