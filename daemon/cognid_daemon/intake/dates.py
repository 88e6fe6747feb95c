"""Dates: which instants the words of a sentence give, seen from when it was said.

Every instant is the beginning of what is named, at midnight in the zone of `said_at`: a day its
midnight, a week its Monday, a weekend its Saturday, a month or year its first day, a season the
first of March, June, September or December. A clock time beside a day is added to it.

- `event_time`: when it happened or will happen ("yesterday", "on 3 May", "by Friday").
- `valid_from`: since when it holds ("since March", "for three years").
- `valid_until`: from when on it no longer holds ("until June": the first of June; "until Friday"
  and other days: the midnight after it; "through June": the first of July).

Without a year a date is the nearest that fits: behind where the sentence tells of the past, else
ahead. "Last Friday" is the latest before today, "this Friday" that of this week (Monday to
Sunday), "next Friday" that of the week after it. Owns nothing but this reading; a date that does
not exist gives nothing.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice
from typing import Final, Literal, assert_never

from cognid_daemon.intake.date_words import (
    CHINESE_WEEKDAYS,
    CLOCK,
    HINT,
    MONTHS,
    NUMBERS,
    SEASONS,
    SINCE,
    UNITS,
    UNTIL,
    WEEKDAYS,
    WHEN,
    Unit,
)

_EARLIEST: Final = 1900
_LATEST: Final = 2199
_AT_MOST: Final = 6
"""Expressions of time that are read in one sentence."""

Role = Literal["event", "since", "until", "through", "habit"]
Side = Literal["past", "future"]


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


@dataclass(frozen=True, slots=True)
class _Span:
    """What an expression names: its first day, and how long that is."""

    first: date
    unit: Unit


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

    `past`: it tells of something behind, so a date without a year lies behind as well.
    """
    if not HINT.search(lowered):
        return NOTHING
    today = said_at.date()
    event: _Span | None = None
    begins: date | None = None
    ends: date | None = None
    for found in islice(WHEN.finditer(lowered), _AT_MOST):
        role = _role(found, lowered, begins is not None)
        if role == "habit":
            continue
        behind = past if role == "event" else role == "since" and not _is_ahead(found[0])
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
            ends = ends or (_after(span) if role == "through" or span.unit == "day" else span.first)
    if begins and ends and begins >= ends:
        ends = None
    zone = said_at.tzinfo
    return When(
        None if event is None else _with_clock(event, lowered, zone),
        None if begins is None else _midnight(begins, zone),
        None if ends is None else _midnight(ends, zone),
        None if event is None else _midnight(_after(event), zone),
    )


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


def _read(found: re.Match[str], today: date, side: Side) -> _Span | None:
    """The first day and the length of what one expression names; lastgroup is its form."""
    get = found.group
    match found.lastgroup:
        case "iso":
            return _Span(date(int(get("iso_y")), int(get("iso_m")), int(get("iso_d"))), "day")
        case "dotted":
            return _dated(get("dot_y"), int(get("dot_m")), int(get("dot_d")), today, side)
        case "day_month":
            return _dated(get("dm_y"), MONTHS[get("dm_m")], int(get("dm_d")), today, side)
        case "month_day":
            return _dated(get("md_y"), MONTHS[get("md_m")], int(get("md_d")), today, side)
        case "month_year":
            return _Span(date(int(get("my_y")), MONTHS[get("my_m")], 1), "month")
        case "zh_date":
            year = _chinese_year(get("zh_y"), today)
            month = _number(get("zh_m"))
            if get("zh_d"):
                return _dated(year, month, int(get("zh_d")), today, side)
            return (
                _Span(date(int(year), month, 1), "month")
                if year
                else _month(month, "", today, side)
            )
        case "zh_year":
            whole = _Span(date(int(_chinese_year(get("zhy"), today)), 1, 1), "year")
            return _Span(whole.first.replace(month=12), "month") if get("zhy_end") else whole
        case "today":
            return _Span(today + timedelta(_DAYS_OFF[get("now") or get("zh_now")]), "day")
        case "ago" | "vor" | "lasting" | "zh_lasting" as form:
            name = {"lasting": "dur", "zh_lasting": "zhd"}.get(form, form)
            return _moved(today, -_number(get(f"{name}_n")), UNITS[get(f"{name}_u")])
        case "in":
            return _moved(today, _number(get("in_n")), UNITS[get("in_u")])
        case "zh_ago":
            sign = -1 if get("zha_w").endswith("前") else 1
            return _moved(today, sign * _number(get("zha_n")), UNITS[get("zha_u")])
        case "end_of":
            return _end_of(get("end_u"), get("end_y"), bool(get("end_w")), today)
        case "weekday":
            steps = _steps(get("wd_w"), get("wd_after"))
            if steps == -1 and not get("wd_after"):
                return _weekday(WEEKDAYS[get("wd")], None, today - timedelta(1), "past")
            return _weekday(WEEKDAYS[get("wd")], steps, today, side)
        case "zh_weekday":
            return _weekday(
                CHINESE_WEEKDAYS[get("zhw")], _CHINESE_STEPS.get(get("zhw_w")), today, side
            )
        case "zh_unit":
            return _shifted(today, _CHINESE_STEPS[get("zhu_w")], UNITS[get("zhu")])
        case "season":
            return _season(SEASONS[get("se")], get("se_w"), get("se_y"), today, side)
        case "zh_season":
            return _Span(
                date(int(_chinese_year(get("zhs_w")[0], today)), SEASONS[get("zhs")], 1), "season"
            )
        case "unit":
            return _shifted(today, _steps(get("un_w")) or 0, UNITS[get("un")])
        case "month":
            if get("mo_y"):
                return _Span(date(int(get("mo_y")), MONTHS[get("mo")], 1), "month")
            return _month(MONTHS[get("mo")], get("mo_w"), today, side)
        case "year":
            return _Span(date(int(get("yr")), 1, 1), "year")
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


def _chinese_year(word: str | None, today: date) -> str:
    """The year as digits; empty: none was said."""
    if not word:
        return ""
    return str(today.year + _CHINESE_YEARS[word]) if word in _CHINESE_YEARS else word


def _dated(year: str | None, month: int, day: int, today: date, side: Side) -> _Span:
    """A day and month, in the year said or the nearest on that side."""
    if year:
        return _Span(date(int(year), month, day), "day")
    # Eight years hold a 29 February, whatever the century does.
    for off in range(9):
        wanted = today.year + (off if side == "future" else -off)
        if day == 29 and month == 2 and not isleap(wanted):
            continue
        there = date(wanted, month, day)
        if there >= today if side == "future" else there <= today:
            return _Span(there, "day")
    raise ValueError


def _moved(today: date, count: int, unit: Unit) -> _Span:
    """So many units away; a month that is too short gives its last day."""
    match unit:
        case "day":
            return _Span(today + timedelta(count), "day")
        case "week" | "weekend":
            return _Span(today + timedelta(weeks=count), "day")
        case "month" | "season" | "year":
            months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
            year, month = divmod(months, 12)
            return _Span(
                date(year, month + 1, min(today.day, monthrange(year, month + 1)[1])), "day"
            )
        case _:
            assert_never(unit)


def _shifted(today: date, steps: int, unit: Unit) -> _Span | None:
    """The unit that is so many steps from the present one."""
    monday = today - timedelta(today.weekday())
    match unit:
        case "week":
            return _Span(monday + timedelta(weeks=steps), "week")
        case "weekend":
            return _Span(monday + timedelta(5, weeks=steps), "weekend")
        case "month":
            return _Span(_moved(today.replace(day=1), steps, "month").first, "month")
        case "year":
            return _Span(date(today.year + steps, 1, 1), "year")
        case "day" | "season":
            return None
        case _:
            assert_never(unit)


def _weekday(number: int, steps: int | None, today: date, side: Side) -> _Span:
    """A day of the week: of the week that was said, else the nearest on that side."""
    ahead = (number - today.isoweekday()) % 7
    if steps is None:
        off = ahead if side == "future" or ahead == 0 else ahead - 7
        return _Span(today + timedelta(off), "day")
    return _Span(today + timedelta(number - today.isoweekday(), weeks=steps), "day")


def _month(number: int, word: str, today: date, side: Side) -> _Span:
    steps = _steps(word)
    if steps == 0:
        return _Span(date(today.year, number, 1), "month")
    year = today.year
    if steps == -1:
        year -= number >= today.month
    elif steps == 1:
        year += number <= today.month
    elif side == "past":
        year -= number > today.month
    else:
        year += number < today.month
    return _Span(date(year, number, 1), "month")


def _season(month: int, word: str, year: str | None, today: date, side: Side) -> _Span:
    if year:
        return _Span(date(int(year), month, 1), "season")
    steps = _steps(word)
    starts = [_Span(date(today.year + off, month, 1), "season") for off in (-2, -1, 0, 1)]
    if steps == -1:
        return next(span for span in reversed(starts) if _after(span) <= today)
    if steps == 1:
        return next(span for span in starts if span.first > today)
    if steps == 0:
        return next(span for span in starts if span.first.year == today.year)
    if side == "past":
        return next(span for span in reversed(starts) if span.first <= today)
    return next(span for span in starts if _after(span) > today)


def _end_of(unit: str, year: str | None, is_next: bool, today: date) -> _Span:
    """The last day of a week, month, quarter or year."""
    steps = 1 if is_next else 0
    if unit in MONTHS:
        first = (
            date(int(year), MONTHS[unit], 1)
            if year
            else _month(MONTHS[unit], "", today, "future").first
        )
        return _Span(_after(_Span(first, "month")) - timedelta(1), "day")
    if unit == "quarter":
        first = date(today.year, today.month - (today.month - 1) % 3, 1)
        return _Span(_moved(first, 3 + 3 * steps, "month").first - timedelta(1), "day")
    named: Unit = "week" if "w" in unit else "month" if unit.startswith("mon") else "year"
    whole = _shifted(today, steps, named)
    assert whole is not None  # noqa: S101 — a week, month or year always has one
    return _Span(_after(whole) - timedelta(1), "day")


def _after(span: _Span) -> date:
    """The first day after what an expression names."""
    match span.unit:
        case "day":
            return span.first + timedelta(1)
        case "weekend":
            return span.first + timedelta(2)
        case "week":
            return span.first + timedelta(7)
        case "month":
            return _moved(span.first, 1, "month").first
        case "season":
            return _moved(span.first, 3, "month").first
        case "year":
            return date(span.first.year + 1, 1, 1)
        case _:
            assert_never(span.unit)


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(0), tzinfo=zone)


def _with_clock(event: _Span, lowered: str, zone: tzinfo | None) -> datetime:
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
