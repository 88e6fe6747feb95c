"""Spans of time: the first day of what a calendar names, and how long that is.

Owns: the arithmetic of days, weeks, months, seasons and years. Knows no word for them but the
months' names. A day that does not exist raises ValueError.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, assert_never

from cognid_daemon.intake.date_words import MONTHS, Unit

Side = Literal["past", "future"]
"""Where the nearest day that fits is looked for."""


@dataclass(frozen=True, slots=True)
class Span:
    """What an expression names: its first day, and how long that is."""

    first: date
    unit: Unit


def dated(year: str | None, month: int, day: int, today: date, side: Side) -> Span:
    """A day and month, in the year said or the nearest on that side."""
    if year:
        return Span(date(int(year), month, day), "day")
    # Eight years hold a 29 February, whatever the century does.
    for off in range(9):
        wanted = today.year + (off if side == "future" else -off)
        if day == 29 and month == 2 and not isleap(wanted):
            continue
        there = date(wanted, month, day)
        if there >= today if side == "future" else there <= today:
            return Span(there, "day")
    raise ValueError


def moved(today: date, count: int, unit: Unit) -> Span:
    """So many units away; a month that is too short gives its last day."""
    match unit:
        case "day":
            return Span(today + timedelta(count), "day")
        case "week" | "weekend":
            return Span(today + timedelta(weeks=count), "day")
        case "month" | "season" | "year":
            months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
            year, month = divmod(months, 12)
            return Span(
                date(year, month + 1, min(today.day, monthrange(year, month + 1)[1])), "day"
            )
        case _:
            assert_never(unit)


def shifted(today: date, steps: int, unit: Unit) -> Span | None:
    """The unit that is so many steps from the present one."""
    monday = today - timedelta(today.weekday())
    match unit:
        case "week":
            return Span(monday + timedelta(weeks=steps), "week")
        case "weekend":
            return Span(monday + timedelta(5, weeks=steps), "weekend")
        case "month":
            return Span(moved(today.replace(day=1), steps, "month").first, "month")
        case "year":
            return Span(date(today.year + steps, 1, 1), "year")
        case "day" | "season":
            return None
        case _:
            assert_never(unit)


def weekday(number: int, steps: int | None, today: date, side: Side) -> Span:
    """A day of the week: of the week that was said, else the nearest on that side."""
    ahead = (number - today.isoweekday()) % 7
    if steps is None:
        off = ahead if side == "future" or ahead == 0 else ahead - 7
        return Span(today + timedelta(off), "day")
    return Span(today + timedelta(number - today.isoweekday(), weeks=steps), "day")


def month_of(number: int, steps: int | None, today: date, side: Side) -> Span:
    """A month: last, this, next, or the nearest on that side."""
    if steps == 0:
        return Span(date(today.year, number, 1), "month")
    year = today.year
    if steps == -1:
        year -= number >= today.month
    elif steps == 1:
        year += number <= today.month
    elif side == "past":
        year -= number > today.month
    else:
        year += number < today.month
    return Span(date(year, number, 1), "month")


def season(month: int, steps: int | None, year: str | None, today: date, side: Side) -> Span:
    """A season: of a year, last, this, next, or the nearest on that side."""
    if year:
        return Span(date(int(year), month, 1), "season")
    starts = [Span(date(today.year + off, month, 1), "season") for off in (-2, -1, 0, 1)]
    if steps == -1:
        return next(span for span in reversed(starts) if after(span) <= today)
    if steps == 1:
        return next(span for span in starts if span.first > today)
    if steps == 0:
        return next(span for span in starts if span.first.year == today.year)
    if side == "past":
        return next(span for span in reversed(starts) if span.first <= today)
    return next(span for span in starts if after(span) > today)


def end_of(unit: str, year: str | None, is_next: bool, today: date) -> Span:
    """The last day of a week, month, quarter or year."""
    steps = 1 if is_next else 0
    if unit in MONTHS:
        first = (
            date(int(year), MONTHS[unit], 1)
            if year
            else month_of(MONTHS[unit], None, today, "future").first
        )
        return Span(after(Span(first, "month")) - timedelta(1), "day")
    if unit == "quarter":
        first = date(today.year, today.month - (today.month - 1) % 3, 1)
        return Span(moved(first, 3 + 3 * steps, "month").first - timedelta(1), "day")
    named: Unit = "week" if "w" in unit else "month" if unit.startswith("mon") else "year"
    whole = shifted(today, steps, named)
    assert whole is not None  # noqa: S101 — a week, month or year always has one
    return Span(after(whole) - timedelta(1), "day")


def after(span: Span) -> date:
    """The first day after what an expression names."""
    match span.unit:
        case "day":
            return span.first + timedelta(1)
        case "weekend":
            return span.first + timedelta(2)
        case "week":
            return span.first + timedelta(7)
        case "month":
            return moved(span.first, 1, "month").first
        case "season":
            return moved(span.first, 3, "month").first
        case "year":
            return date(span.first.year + 1, 1, 1)
        case _:
            assert_never(span.unit)


def day_of(month: Span | None, day: int) -> Span | None:
    """A day of a month that is named by itself."""
    return None if month is None else Span(month.first.replace(day=day), "day")
