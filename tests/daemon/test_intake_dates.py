"""Dates: which instants an expression of time gives, seen from when it was said."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from cognid_daemon.intake.date_words import CHINESE_DAYS, DAYS, ENGLISH_DAYS
from cognid_daemon.intake.dates import find_when

BERLIN = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 11, 25, 15, 30, tzinfo=BERLIN)
"""A Wednesday."""


def day(text: str) -> datetime:
    """Midnight of a day, or the clock time on it, in the zone of what was said."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i went yesterday", "2026-11-24"),
        ("the day before yesterday", "2026-11-23"),
        ("last night", "2026-11-24"),
        ("two weeks ago", "2026-11-11"),
        ("a month ago", "2026-10-25"),
        ("a couple of years ago", "2024-11-25"),
        ("last week", "2026-11-16"),
        ("last weekend", "2026-11-21"),
        ("last month", "2026-10-01"),
        ("last friday", "2026-11-20"),
        ("on friday", "2026-11-20"),
        ("last spring", "2026-03-01"),
        ("last winter", "2025-12-01"),
        ("in march", "2026-03-01"),
        ("last december", "2025-12-01"),
        ("in 2019", "2019-01-01"),
        ("on 3 may", "2026-05-03"),
        ("on may 3rd, 2021", "2021-05-03"),
        ("in may 2021", "2021-05-01"),
        ("on 2021-05-03", "2021-05-03"),
        ("on 29 february", "2024-02-29"),
        ("am 3. mai", "2026-05-03"),
        ("am 3.5.2021", "2021-05-03"),
        ("gestern", "2026-11-24"),
        ("vor drei tagen", "2026-11-22"),
        ("letzte woche", "2026-11-16"),
        ("letzten sommer", "2026-06-01"),
        ("昨天", "2026-11-24"),
        ("上周五", "2026-11-20"),
        ("三年前", "2023-11-25"),
        ("去年夏天", "2025-06-01"),
        ("2021年5月3日", "2021-05-03"),
    ],
)
def test_what_is_behind(text: str, expected: str) -> None:
    """In a sentence that tells of the past, an expression gives the latest instant that fits."""
    assert find_when(text, SAID, past=True).event_time == day(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow at 3 pm", "2026-11-26T15:00"),
        ("tomorrow at 15:30", "2026-11-26T15:30"),
        ("on friday", "2026-11-27"),
        ("this friday", "2026-11-27"),
        ("next friday", "2026-12-04"),
        ("next week", "2026-11-30"),
        ("next month", "2026-12-01"),
        ("in two weeks", "2026-12-09"),
        ("in three years' time", "2029-11-25"),
        ("on 3 may", "2027-05-03"),
        ("on 25 november", "2026-11-25"),
        ("on 29 february", "2028-02-29"),
        ("in march", "2027-03-01"),
        ("next summer", "2027-06-01"),
        ("by friday", "2026-11-27"),
        ("by the end of the month", "2026-11-30"),
        ("by the end of february", "2027-02-28"),
        ("am 3. mai", "2027-05-03"),
        ("übermorgen um 8 uhr", "2026-11-27T08:00"),
        ("nächste woche", "2026-11-30"),
        ("明天下午3点", "2026-11-26T15:00"),
        ("下个月", "2026-12-01"),
        ("下周二", "2026-12-01"),
    ],
)
def test_what_is_ahead(text: str, expected: str) -> None:
    """Elsewhere it gives the next one, and a clock time beside a day is added to it."""
    assert find_when(text, SAID).event_time == day(expected)


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("since march", "2026-03-01", None),
        ("since 2019", "2019-01-01", None),
        ("i have lived here for three years", "2023-11-25", None),
        ("seit 2018", "2018-01-01", None),
        ("seit zwei jahren", "2024-11-25", None),
        ("从三月起", "2026-03-01", None),
        ("until june", None, "2027-06-01"),
        ("through june", None, "2027-07-01"),
        ("until friday", None, "2026-11-28"),
        ("until the end of the month", None, "2026-12-01"),
        ("bis ende februar", None, "2027-03-01"),
        ("到六月", None, "2027-06-01"),
        ("from 2019 to 2021", "2019-01-01", "2021-01-01"),
        ("from june until august", "2027-06-01", "2027-08-01"),
        ("ab mai", "2027-05-01", None),
    ],
)
def test_since_and_until(text: str, begins: str | None, ends: str | None) -> None:
    """A beginning and an end are told apart from the time of an event."""
    when = find_when(text, SAID)
    assert when.event_time is None
    assert when.valid_from == (day(begins) if begins else None)
    assert when.valid_until == (day(ends) if ends else None)


@pytest.mark.parametrize(
    "text",
    [
        "every friday",
        "on mondays",
        "jeden montag",
        "version 3.5.1",
        "31 february",
        "31.2.2026",
        "i may march on",
        "for two weeks",
        "since i was twelve",
        "port 8080",
        "the second one",
    ],
)
def test_no_date_is_made_up(text: str) -> None:
    """Habits, versions, days that do not exist and words that only look like dates give nothing."""
    assert not find_when(text, SAID).is_named


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my daughter juno turns seven on the ninth of may", "2027-05-09"),
        ("my birthday is may ninth", "2027-05-09"),
        ("my birthday is on may the ninth", "2027-05-09"),
        ("the wedding is on the twenty-first of june", "2027-06-21"),
        ("the wedding is on the twenty first of june", "2027-06-21"),
        ("meine tochter wird am neunten mai sieben", "2027-05-09"),
        ("am einunddreißigsten mai haben wir termin", "2027-05-31"),
        ("meine tochter wurde am neunten mai geboren", "2026-05-09"),
        ("meine tochter ist am neunten mai geboren", "2026-05-09"),
        ("meine tochter hat am neunten mai geburtstag", "2027-05-09"),
        ("mi cumpleaños es el nueve de mayo", "2027-05-09"),
        ("el treinta y uno de mayo es mi boda", "2027-05-31"),
        ("c'est le neuf mai", "2027-05-09"),
        ("mon anniversaire est le vingt et un mai", "2027-05-21"),
        ("我女儿五月九日生日", "2027-05-09"),
        ("我女儿五月二十九号生日", "2027-05-29"),
        ("她五月九号要考试", "2027-05-09"),
        ("下个月九号我要出差", "2026-12-09"),
        ("下个月9号我要出差", "2026-12-09"),
        ("the rent is due on the ninth of next month", "2026-12-09"),
        ("the rent is due on the 9th of next month", "2026-12-09"),
        ("miete ist am 9. nächsten monats fällig", "2026-12-09"),
        ("in may the first draft is due", "2027-05-01"),
        ("my son was born on the ninth of may", "2026-05-09"),
        ("my son graduates on the ninth of may", "2027-05-09"),
        ("my sister got married on 9 may", "2026-05-09"),
        ("my sister gets married on 9 may", "2027-05-09"),
        ("on 9 may my sister is getting married", "2027-05-09"),
        ("the exam was on friday", "2026-11-20"),
        ("i decided to fly on friday", "2026-11-27"),
        ("my dad was diagnosed in may", "2026-05-01"),
        ("my brother moves to oslo in may", "2027-05-01"),
        ("my brother moved to oslo in may", "2026-05-01"),
        ("in may my brother moved to oslo", "2026-05-01"),
        ("the launch is on friday, the ninth of may", "2027-05-09"),
        ("the launch is on sunday, 9 may", "2027-05-09"),
        ("it was on friday, may 9th, 2025", "2025-05-09"),
        ("we are flying to oslo on the ninth of may", "2027-05-09"),
        ("am 9. mai heiratet meine schwester", "2027-05-09"),
        ("am 9. mai hat meine schwester geheiratet", "2026-05-09"),
        ("der termin ist für den 9. mai angesetzt", "2027-05-09"),
        ("letzten freitag war ich in rom", "2026-11-20"),
        ("我女儿五月九日出生了", "2026-05-09"),
    ],
)
def test_days_in_words_and_the_tense_of_their_verb(text: str, expected: str) -> None:
    """A day is read in words as in digits; beside a verb in the past it lies behind, else ahead."""
    assert find_when(text, SAID).event_time == day(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("meine tochter hat am neunten mai geburtstag", "2027-05-09"),
        ("my flight is booked for 9 may", "2027-05-09"),
        ("the meeting was moved to 9 may", "2027-05-09"),
        ("i booked a table for friday", "2026-11-27"),
        ("the thing is, on friday i met bob", "2026-11-20"),
        ("we decided on friday to use postgres", "2026-11-20"),
        ("i visited her on the ninth of may", "2026-05-09"),
    ],
)
def test_the_verb_beside_a_date_weighs_more_than_the_sentence(text: str, expected: str) -> None:
    """In a sentence that tells of the past, what is booked or set for a day still lies ahead."""
    assert find_when(text, SAID, past=True).event_time == day(expected)


@pytest.mark.parametrize(
    "text",
    [
        "农历五月初九",
        "on the umpteenth of may",
        "on the umpteenth of next month",
        "we may first look at it",
        "the first june release is out",
        "may the fourth be with you",
        "my dad was born on the ninth of may nineteen fifty-four",
        "he was born on 9 may 1854",
        "he was born on 9 may '94",
        "the ninth floor",
        "the 31st of next june",
    ],
)
def test_what_is_half_understood_gives_no_date(text: str) -> None:
    """A day or a year that was said in other words is not replaced by a guess."""
    assert not find_when(text, SAID).is_named


def test_a_beginning_and_an_end_are_read_in_words() -> None:
    """Days in words tell since when and until when, a weekday before them notwithstanding."""
    assert find_when("off since the ninth of may", SAID).valid_from == day("2026-05-09")
    until = find_when("away until sunday, the ninth of may", SAID).valid_until
    assert until == day("2027-05-10")


def test_every_day_of_a_month_is_read_in_words() -> None:
    """First to thirty-first, in English, German, Spanish, French and Chinese."""
    assert sorted(set(DAYS.values())) == list(range(1, 32))
    assert sorted(CHINESE_DAYS.values()) == sorted([*range(1, 32), *range(20, 30)])
    for word, number in ENGLISH_DAYS.items():
        expected = day(f"2027-01-{number:02}")
        assert find_when(f"it is on the {word} of january", SAID).event_time == expected
    for word, number in CHINESE_DAYS.items():
        assert find_when(f"一月{word}日", SAID).event_time == day(f"2027-01-{number:02}")


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("2026-03-31", "a month ago", "2026-02-28"),
        ("2024-03-31", "a month ago", "2024-02-29"),
        ("2024-02-29", "in a year", "2025-02-28"),
        ("2026-01-31", "in a month", "2026-02-28"),
        ("2026-12-31", "next month", "2027-01-01"),
        ("2026-01-01", "yesterday", "2025-12-31"),
        ("2026-12-31", "by the end of the quarter", "2026-12-31"),
    ],
)
def test_month_ends(said: str, text: str, expected: str) -> None:
    """A month that is too short gives its last day, and years roll over."""
    assert find_when(text, day(said)).event_time == day(expected)


def test_the_day_is_that_of_the_speakers_zone() -> None:
    """Half past midnight in Tokyo is still yesterday in UTC, but not for the one who speaks."""
    tokyo = ZoneInfo("Asia/Tokyo")
    said = datetime(2026, 11, 24, 15, 30, tzinfo=UTC).astimezone(tokyo)
    assert find_when("yesterday", said).event_time == datetime(2026, 11, 24, tzinfo=tokyo)


def test_midnight_follows_the_zones_clock() -> None:
    """A day in summer begins at summer time, though the sentence was said in winter."""
    when = find_when("on 3 july", SAID)
    assert when.event_time is not None
    assert when.event_time.utcoffset() == timedelta(hours=2)


def test_any_words_of_time_give_dates_or_nothing() -> None:
    """No mix of words raises, and a beginning never lies behind its end."""
    draw = random.Random(8)
    words = (
        "last next this in since until by on from to 31 30 3 99 2019 9999 feb may monday week year"
    )
    words += " month ago 月 年 上 下 周五 3.5. 29.2. end of the days for have spring . ,"
    words += " tomorrow bis am vor every each seit ab 三月 到"
    pieces = words.split()
    zones = [UTC, BERLIN, timezone(timedelta(hours=-12))]
    for _ in range(3_000):
        said = datetime(
            draw.choice([1, 1900, 2024, 9999]), draw.randrange(1, 13), 28, tzinfo=draw.choice(zones)
        )
        when = find_when(" ".join(draw.choices(pieces, k=8)), said, past=draw.random() < 0.5)
        if when.valid_from and when.valid_until:
            assert when.valid_from < when.valid_until
