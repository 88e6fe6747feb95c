"""Dates: which instants the words of a sentence give, seen from when it was said.

Every instant is the beginning of what is named, at midnight in the zone of `said_at`: a day its
midnight, a week its Monday, a weekend its Saturday, a month or year its first day, a season the
first of March, June, September or December. A clock time beside a day is added to it.

- `event_time`: when it happened or will happen ("yesterday", "on 3 May", "by Friday").
- `valid_from`: since when it holds ("since March", "for three years").
- `valid_until`: from when on it no longer holds ("until June": the first of June; "until Friday"
  and other days: the midnight after it; "through June": the first of July).

Without a year a date is the nearest that fits: behind where its verb tells of the past, else ahead.
Where a day or a year was said in words that are not read, nothing is given in its place. "Last
Friday" is the latest before today, "this Friday" that of this week (Monday to Sunday), "next
Friday" that of the week after it. Owns nothing but this reading; a date that does not exist gives
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice, pairwise
from typing import Final, Literal

from cognid_daemon.intake.date_words import (
    CHINESE_DAYS,
    CHINESE_WEEKDAYS,
    CLOCK,
    DATE_ENDS,
    DATE_FOLLOWS,
    DAYS,
    ENGLISH_DAYS,
    HINT,
    MONTHS,
    NUMBERS,
    ORDINAL_ENDS,
    OTHER_YEAR,
    SEASONS,
    SINCE,
    UNITS,
    UNTIL,
    WEEKDAY_SEAM,
    WEEKDAYS,
    WHEN,
)
from cognid_daemon.intake.tenses import is_behind
from cognid_daemon.intake.time_spans import (
    Side,
    Span,
    after,
    dated,
    day_of,
    end_of,
    month_of,
    moved,
    season,
    shifted,
    weekday,
)

_EARLIEST: Final = 1900
_LATEST: Final = 2199
_AT_MOST: Final = 6
"""Expressions of time that are read in one sentence."""

Role = Literal["event", "since", "until", "through", "habit"]


@dataclass(frozen=True, slots=True)
class When:
    """The instants of a sentence; `over` is when what `event_time` begins is over."""

    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    over: datetime | None = None

    @property
    def is_named(self) -> bool:
        """Whether the sentence names an instant at all."""
        return bool(self.event_time or self.valid_from or self.valid_until)


NOTHING: Final = When()

_HABIT: Final = re.compile(r"(?:\bevery|\beach|\bjede[nrs]?|每个?) ?$")
_PERFECT: Final = re.compile(r"\b(?:have|has|been|i've|we've)\b")
_FIRST_ROLE: Final[dict[str, Role]] = {
    **dict.fromkeys(("every", "each", "jeden", "jeder", "jedes", "jede"), "habit"),
    **dict.fromkeys(("since", "from", "seit", "ab", "depuis", "desde", "starting"), "since"),
    **dict.fromkeys(("until", "till", "bis"), "until"),
    "through": "through",
}


def find_when(lowered: str, said_at: datetime, *, past: bool = False) -> When:
    """Read the expressions of time in a lowered sentence.

    `past`: it tells of something behind as a whole, so a date without a year lies behind as well
    where no verb beside it says otherwise.
    """
    if not HINT.search(lowered):
        return NOTHING
    today = said_at.date()
    event: Span | None = None
    begins: date | None = None
    ends: date | None = None
    for found, opening in _expressions(lowered):
        role = _role(opening, lowered, begins is not None)
        if role == "habit" or _is_half_read(found, lowered):
            continue
        if role == "event":
            behind = is_behind(lowered, opening.start(), found.end(), past=past)
        else:
            behind = role == "since" and not _is_ahead(opening[0])
        try:
            span = _read(found, today, "past" if behind else "future")
        except (ValueError, OverflowError):
            continue  # no such day, or none that a calendar holds
        if span is None or not _EARLIEST <= span.first.year <= _LATEST:
            continue
        if role == "since":
            begins = begins or span.first
        elif role == "event":
            event = event or span
        else:
            ends = ends or (after(span) if role == "through" or span.unit == "day" else span.first)
    if begins and ends and begins >= ends:
        ends = None
    zone = said_at.tzinfo
    return When(
        None if event is None else _with_clock(event, lowered, zone),
        None if begins is None else _midnight(begins, zone),
        None if ends is None else _midnight(ends, zone),
        None if event is None else _midnight(after(event), zone),
    )


_DATES: Final = ("day_month", "month_day", "iso", "dotted")


def _expressions(lowered: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each expression, and the one it opens with: a weekday and the date of that day are one."""
    opening: re.Match[str] | None = None
    all_found = list(islice(WHEN.finditer(lowered), _AT_MOST))
    for found, following in pairwise([*all_found, None]):
        assert found is not None  # noqa: S101 — only the last one has none behind it
        if (
            following is not None
            and found.lastgroup == "weekday"
            and following.lastgroup in _DATES
            and WEEKDAY_SEAM.fullmatch(lowered, found.end(), following.start())
        ):
            opening = found
            continue
        yield found, opening or found
        opening = None


def _is_half_read(found: re.Match[str], lowered: str) -> bool:
    """Whether more was said than is read: a day before a month, a year behind a date; or whether
    what looks like a date counts something else ("in May the first draft")."""
    match found.lastgroup:
        case "month" | "unit":
            of = found.start() + (3 if found[0].startswith("of ") else 0)
            return bool(ORDINAL_ENDS.search(lowered[max(of - 24, 0) : of]))
        case "day_month":
            if found["dm_y"] is None and OTHER_YEAR.match(lowered, found.end()):
                return True
            is_bare = found["dm_w"] in ENGLISH_DAYS and not found["dm_of"]
            return is_bare and not _stands_as_date(found, lowered)
        case "month_day":
            if found["md_y"] is None and OTHER_YEAR.match(lowered, found.end()):
                return True
            return found["md_w"] is not None and not _stands_as_date(found, lowered)
        case _:
            return False


def _stands_as_date(found: re.Match[str], lowered: str) -> bool:
    before = lowered[max(found.start() - 16, 0) : found.start()]
    return bool(DATE_FOLLOWS.search(before) and DATE_ENDS.match(lowered, found.end()))


def _role(found: re.Match[str], lowered: str, has_begun: bool) -> Role:
    """What an expression says: when it was, since when, until when, or how often."""
    before = lowered[max(found.start() - 16, 0) : found.start()]
    first = found[0].split(" ", 1)[0]
    if found.lastgroup in ("lasting", "zh_lasting"):
        # "for two weeks" tells a beginning only of what has gone on until now.
        has_gone_on = first != "for" or _PERFECT.search(lowered, 0, found.start())
        return "since" if has_gone_on else "habit"
    if _HABIT.search(before) or (found["wd"] and found[0].endswith("days")):
        return "habit"
    if first in _FIRST_ROLE:
        return _FIRST_ROLE[first]
    if first == "to" or before.endswith((" to ", "-", "–", "到", "至")):
        return "until" if has_begun or before.endswith(("到", "至")) else "event"
    if before.endswith(("through ", "through the ", "einschließlich ")):
        return "through"
    if UNTIL.search(before):
        return "until"
    if SINCE.search(before) or lowered.startswith(("以来", "起"), found.end()):
        return "since"
    return "event"


def _is_ahead(expression: str) -> bool:
    """Whether a beginning may lie ahead: "from May on" and not "since May"."""
    return expression.startswith(("from", "ab", "starting"))


def _read(found: re.Match[str], today: date, side: Side) -> Span | None:
    """The first day and the length of what one expression names; lastgroup is its form."""
    get = found.group
    match found.lastgroup:
        case "iso":
            return Span(date(int(get("iso_y")), int(get("iso_m")), int(get("iso_d"))), "day")
        case "dotted":
            return dated(get("dot_y"), int(get("dot_m")), int(get("dot_d")), today, side)
        case "day_month":
            day = _day(get("dm_d"), get("dm_w"))
            return dated(get("dm_y"), MONTHS[get("dm_m")], day, today, side)
        case "month_day":
            day = _day(get("md_d"), get("md_w"))
            return dated(get("md_y"), MONTHS[get("md_m")], day, today, side)
        case "day_unit":
            month_on = shifted(today, _steps(get("du_u")) or 0, "month")
            return day_of(month_on, _day(get("du_d"), get("du_w")))
        case "month_year":
            return Span(date(int(get("my_y")), MONTHS[get("my_m")], 1), "month")
        case "zh_date":
            year = _chinese_year(get("zh_y"), today)
            month = _number(get("zh_m"))
            if get("zh_d"):
                return dated(year, month, _chinese_day(get("zh_d")), today, side)
            return (
                Span(date(int(year), month, 1), "month")
                if year
                else month_of(month, None, today, side)
            )
        case "zh_year":
            is_end = bool(get("zhy_end"))
            year = _chinese_year(get("zhy"), today)
            return Span(date(int(year), 12 if is_end else 1, 1), "month" if is_end else "year")
        case "today":
            return Span(today + timedelta(_DAYS_OFF[get("now") or get("zh_now")]), "day")
        case "ago" | "vor" | "lasting" | "zh_lasting" as form:
            name = {"lasting": "dur", "zh_lasting": "zhd"}.get(form, form)
            return moved(today, -_number(get(f"{name}_n")), UNITS[get(f"{name}_u")])
        case "in":
            return moved(today, _number(get("in_n")), UNITS[get("in_u")])
        case "zh_ago":
            sign = -1 if get("zha_w").endswith("前") else 1
            return moved(today, sign * _number(get("zha_n")), UNITS[get("zha_u")])
        case "end_of":
            return end_of(get("end_u"), get("end_y"), bool(get("end_w")), today)
        case "weekday":
            steps = _steps(get("wd_w"), get("wd_after"))
            if steps == -1 and not get("wd_after"):
                return weekday(WEEKDAYS[get("wd")], None, today - timedelta(1), "past")
            return weekday(WEEKDAYS[get("wd")], steps, today, side)
        case "zh_weekday":
            return weekday(
                CHINESE_WEEKDAYS[get("zhw")], _CHINESE_STEPS.get(get("zhw_w")), today, side
            )
        case "zh_unit":
            whole = shifted(today, _CHINESE_STEPS[get("zhu_w")], UNITS[get("zhu")])
            return day_of(whole, _chinese_day(get("zhu_d"))) if get("zhu_d") else whole
        case "season":
            return season(SEASONS[get("se")], _steps(get("se_w")), get("se_y"), today, side)
        case "zh_season":
            return Span(
                date(int(_chinese_year(get("zhs_w")[0], today)), SEASONS[get("zhs")], 1), "season"
            )
        case "unit":
            return shifted(today, _steps(get("un_w")) or 0, UNITS[get("un")])
        case "month":
            if get("mo_y"):
                return Span(date(int(get("mo_y")), MONTHS[get("mo")], 1), "month")
            return month_of(MONTHS[get("mo")], _steps(get("mo_w")), today, side)
        case "year":
            return Span(date(int(get("yr")), 1, 1), "year")
        case _:
            return None


_DAYS_OFF: Final = {
    **dict.fromkeys(("day before yesterday", "vorgestern", "前天"), -2),
    **dict.fromkeys(("yesterday", "last night", "gestern", "昨天", "昨晚"), -1),
    **dict.fromkeys(("today", "tonight", "heute", "今天", "今晚"), 0),
    **dict.fromkeys(("this morning", "this afternoon", "this evening"), 0),
    **dict.fromkeys(("tomorrow", "morgen", "明天"), 1),
    **dict.fromkeys(("day after tomorrow", "übermorgen", "后天"), 2),
    "大前天": -3,
    "大后天": 3,
}
_CHINESE_STEPS: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_CHINESE_YEARS: Final = {"前": -2, "去": -1, "今": 0, "明": 1}
_BACK: Final = ("last", "past", "previous", "letzt", "vorig", "vergang")
_AHEAD: Final = ("next", "coming", "upcoming", "nächst", "kommend")
_HERE: Final = ("this", "current", "diese")


def _steps(word: str | None, after: str | None = None) -> int | None:
    """How many units off a word points: last -1, this 0, next 1; None: it does not say."""
    said = (after or "").strip() or word or ""
    if said.startswith(_BACK):
        return -1
    if said.startswith(_AHEAD):
        return 1
    return 0 if said.startswith(_HERE) else None


def _number(word: str) -> int:
    return NUMBERS[word] if word in NUMBERS else int(word)


def _day(digits: str | None, word: str) -> int:
    return int(digits) if digits else DAYS[word]


def _chinese_day(word: str) -> int:
    """A day of the month; raises ValueError for what is none."""
    word = word.rstrip("日号")
    return CHINESE_DAYS.get(word) or int(word)


def _chinese_year(word: str | None, today: date) -> str:
    """The year as digits; empty: none was said."""
    if not word:
        return ""
    return str(today.year + _CHINESE_YEARS[word]) if word in _CHINESE_YEARS else word


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(0), tzinfo=zone)


def _with_clock(event: Span, lowered: str, zone: tzinfo | None) -> datetime:
    """A day's midnight, or the clock time that stands beside it."""
    clock = CLOCK.search(lowered) if event.unit == "day" else None
    if clock is None:
        return _midnight(event.first, zone)
    hour = int(clock["h"] or clock["h2"] or clock["zh_h"])
    minute = int(clock["m"] or clock["m2"] or clock["zh_m"] or 0)
    half = (clock["half"] or clock["half2"] or clock["zh_half"] or "")[:1]
    if half in ("p", "下", "晚") and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    if hour > 23:
        return _midnight(event.first, zone)
    return datetime.combine(event.first, time(hour, minute), tzinfo=zone)
