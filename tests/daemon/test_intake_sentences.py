"""Sentences: where they begin and end in any script, and what is no prose."""

from __future__ import annotations

import random
import time

import pytest

from cognid_daemon.intake.sentences import sentences


def split(text: str) -> list[str]:
    """The sentences of a text, as slices of it."""
    return [text[one.start : one.end] for one in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like tea. I hate coffee.", ["I like tea.", "I hate coffee."]),
        ("i like tea. i hate coffee", ["i like tea.", "i hate coffee"]),
        ("Really?! Yes... and no.", ["Really?!", "Yes... and no."]),
        ("Dr. Ng is here at 3 p.m. today.", ["Dr. Ng is here at 3 p.m. today."]),
        ("Use nuts, e.g. almonds. Fine.", ["Use nuts, e.g. almonds.", "Fine."]),
        ("Das geht z. B. so. Gut.", ["Das geht z. B. so.", "Gut."]),
        ("Am 3. Mai ziehe ich um. Ja.", ["Am 3. Mai ziehe ich um.", "Ja."]),
        ("It costs 3.50 in v2.1.0 of a.b.c now.", ["It costs 3.50 in v2.1.0 of a.b.c now."]),
        ("See https://a.example/x.y?z=1. Then go.", ["See https://a.example/x.y?z=1.", "Then go."]),
        (
            "J. R. Smith wrote src/main.py. So did I.",
            ["J. R. Smith wrote src/main.py.", "So did I."],
        ),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Great!😀 More to come.", ["Great!", "😀 More to come."]),
        ("我叫王芳。我住在杭州！真的？", ["我叫王芳。", "我住在杭州！", "真的？"]),
        ("「元気です。」と言った。", ["「元気です。」", "と言った。"]),
        ("ผมชื่อสมชาย ผมอยู่เชียงใหม่", ["ผมชื่อสมชาย ผมอยู่เชียงใหม่"]),
        ("أنا من مصر؟ نعم.", ["أنا من مصر؟", "نعم."]),
        (
            "- I like tea\n- I hate coffee\n1. One\n* [x] Done",
            ["I like tea", "I hate coffee", "One", "Done"],
        ),
        ("one\n\ntwo", ["one", "two"]),
        ("  \n\t\n", []),
        ("12:30 -- 55%", []),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    """Stops end sentences in every script; abbreviations, ordinals, versions and paths do not."""
    assert split(text) == expected


def test_a_line_wrapped_by_hand_goes_on() -> None:
    """A long line without a stop goes on in the next, which begins in lower case."""
    text = "This is a rather long line that somebody wrapped by hand and it\ngoes on here. Next."
    assert split(text) == [text[: text.index(" Next")], "Next."]


@pytest.mark.parametrize(
    "other",
    [
        "```python\nI live in Rome.\n```",
        "~~~\nI live in Rome.\n~~~",
        "```\nI live in Rome.",
        "> I live in Rome.",
        "# I live in Rome",
        "| I live | in Rome |",
        "2024-05-01 12:00:03 ERROR I live in Rome.",
        "[INFO] I live in Rome.",
        'Traceback (most recent call last):\n  File "rome.py", line 3\nValueError: I live in Rome.',
        "$ echo I live in Rome.",
        "def live(rome): pass",
        "for city in rome: print(city)",
        "    city = rome()\n    live(city)",
        "SELECT city FROM rome;",
    ],
)
def test_what_is_no_prose_has_no_sentences(other: str) -> None:
    """Code, logs, quotes of others, tables and headings are passed over; prose before is not."""
    assert split(f"Before it.\n\n{other}") == ["Before it."]


def test_prose_after_a_closed_fence_is_read() -> None:
    """A fence ends where it is closed."""
    assert split("```\nx = 1\n```\nI live in Rome.") == ["I live in Rome."]


def test_long_thai_is_cut_at_its_spaces() -> None:
    """Thai has no stops, so a long run of it is cut where a space stands."""
    text = " ".join(["ผมอยู่ที่เชียงใหม่และทำงานที่ธนาคาร"] * 12)
    pieces = split(text)
    assert len(pieces) > 2
    assert " ".join(pieces) == text


def test_spans_are_in_order_and_never_overlap() -> None:
    """Whatever the text, spans ascend, hold a letter and are free of space at both ends."""
    draw = random.Random(4)
    pieces = [
        "I live",
        ". ",
        "。",
        "\n",
        "\n\n",
        "- ",
        "```\n",
        "e.g. ",
        "3.",
        " 😀",
        "ไทย ",
        "?!",
        '"',
        "\t",
    ]
    for _ in range(500):
        text = "".join(draw.choices(pieces, k=draw.randrange(30)))
        last = 0
        for one in sentences(text):
            assert last <= one.start < one.end <= len(text)
            assert text[one.start : one.end].strip() == text[one.start : one.end]
            last = one.end


@pytest.mark.parametrize(
    "unit", [".", "a. ", "a.", '."', "\n", "- ", "```\n", "(", "if x:", "I am. "]
)
def test_splitting_is_linear(unit: str) -> None:
    """Four hundred thousand characters of the worst kind are split in a fraction of a second."""
    text = unit * (400_000 // len(unit))
    began = time.process_time()
    for _ in sentences(text):
        pass
    assert time.process_time() - began < 1.5
