"""What a person says about remembering: who asks that something be not kept, and who does not.

`withholding_lines.tsv` holds a line a row: what it asks (an intent, for no_store with a scope
where only one is right, or `lift`) and the text.
"""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest

from cognid_daemon.intake.phrases import TONGUES
from cognid_daemon.intake.withholding import (
    DOUBT,
    FORGET,
    Intent,
    Reading,
    Scope,
    _normal,
    note_for,
    read_request,
)

_LINES = [
    tuple(line.split("\t"))
    for line in Path(__file__)
    .with_name("withholding_lines.tsv")
    .read_text(encoding="utf-8")
    .splitlines()
]
_LONGEST = 400_000
_FILLER = "The committee met on Tuesday and looked at the plans for the new bridge. "


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """Compile the phrases before anything is measured."""
    for tongue in TONGUES:
        for phrases in tongue.phrases():
            phrases.compiled()


def _asked(reading: Reading) -> set[str]:
    """The labels that a reading answers to."""
    if reading.intent is Intent.NO_STORE:
        return {"no_store", f"no_store:{reading.scope}"}
    return {"lift"} if reading.lifts else {str(reading.intent)}


def _seconds(text: str) -> float:
    began = time.process_time()
    read_request(text)
    return time.process_time() - began


def test_each_line_of_the_table_is_read_as_what_it_asks() -> None:
    """Every line has the intent, and where it names one the scope, that its row says."""
    wrong = [text for label, text in _LINES if label not in _asked(read_request(text))]
    assert wrong == []


def test_the_table_is_long_and_holds_every_kind() -> None:
    """More than a thousand lines, at least ten of each label."""
    labels = [label for label, _ in _LINES]
    assert len(labels) > 1000
    for label in ("none", "remember", "forget", "lift", "no_store"):
        assert labels.count(label) >= 10, label
    for scope in Scope:
        assert labels.count(f"no_store:{scope}") >= 10, scope


def test_withheld_is_what_asks_for_it_and_nothing_else() -> None:
    """no_store and forget are withheld under a rule; remember, none and lift never are."""
    for label, text in _LINES:
        reading = read_request(text)
        asks = label.split(":")[0] in ("no_store", "forget")
        assert reading.withholds is asks, text
        assert (reading.rule is not None) is asks, text
        assert (note_for(reading) is not None) is asks, text


def test_the_public_lines_are_right_to_the_last(data: Path) -> None:
    """Intent of every public development line, and whether it is withheld."""
    for line in (data / "do_not_remember_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        reading = read_request(row["text"])
        assert reading.intent == row["intent"], row["id"]
        assert reading.withholds is bool(row["label"]), row["id"]
        if "scope" in row:
            assert reading.scope == row["scope"], row["id"]


def test_conversations_and_commands_are_hardly_ever_flagged(data: Path) -> None:
    """At most one flag in 10,000 over the LoCoMo turns and the CLINC commands."""
    turns = [
        turn["text"]
        for chat in json.loads((data / "locomo_dev.json").read_text(encoding="utf-8"))
        for name, session in chat["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ]
    commands = json.loads((data / "clinc_commands.json").read_text(encoding="utf-8"))
    flagged = [text for text in turns + commands if read_request(text).withholds]
    assert len(flagged) <= (len(turns) + len(commands)) / 10_000, flagged


@pytest.mark.parametrize(
    "text",
    [
        "Don’t save this",
        "Donʼt save this",
        "don´t save this",
        "dont save this",
        "do nt save this",
        "DON'T SAVE THIS",
        "ＤＯＮ＇Ｔ ＳＡＶＥ ＴＨＩＳ",
        "Don\u200b't save\u00a0this",
        "**Don't** save _this_!",
        "- don't save this",
        "hello\nplease don't save this\nbye",
        "hello 👋 don't save this",
    ],
)
def test_how_it_is_typed_makes_no_difference(text: str) -> None:
    """Apostrophes, case, width, markup, invisible characters and lists are seen through."""
    assert read_request(text).withholds


@pytest.mark.parametrize(
    "text",
    [
        "> Don't save this",
        "```\ndon't save this\n```",
        "Why does `don't save this` fail?",
        "// don't save this",
        'She wrote: "please don\'t save this" and left.',
        "He said: don't save this.",
        "The sign reads:\nDon't save this",
        "“Please don’t save this”, the banner says.",
        "Don't save this, she said.",
    ],
)
def test_quotation_code_and_report_are_no_requests(text: str) -> None:
    """Nobody is asked by what a message only quotes."""
    assert not read_request(text).withholds


def test_a_message_that_is_one_quotation_is_read_all_the_same() -> None:
    """Quotation marks round the whole message hide nothing."""
    assert read_request("“Don't save this.”").withholds


@pytest.mark.parametrize("request_", ["Please don't remember this.", "Bitte nicht speichern."])
@pytest.mark.parametrize("before", [0, 40, 400])
@pytest.mark.parametrize("after", [0, 40, 400])
def test_a_request_is_found_wherever_it_stands(request_: str, before: int, after: int) -> None:
    """At the beginning, in the middle and at the end, however long the text."""
    assert read_request(f"{_FILLER * before}{request_} {_FILLER * after}").withholds


def test_a_document_that_only_holds_such_words_is_kept() -> None:
    """What a long text says about storing things asks nothing of the memory."""
    policy = (
        "Do not store this information on shared drives. Never save customer data in plain text."
        " Records must not be kept for longer than a year. Delete everything in the temporary"
        " folder. Off the record briefings are not allowed. "
    )
    assert not read_request(_FILLER * 100 + policy + _FILLER * 100).withholds
    assert not read_request(policy).withholds


def test_the_widest_request_of_a_message_counts() -> None:
    """A request for the session outweighs one for the message, which outweighs a doubt."""
    both = "Don't save this. From now on don't store anything I say."
    assert read_request(both).scope is Scope.SESSION
    assert read_request("This is private. Don't save my next message.").scope is Scope.NEXT


def test_lifting_stands_beside_what_else_is_asked() -> None:
    """A message can end the session's request and withhold itself; the later of the two holds."""
    reading = read_request("You can save again. But please don't save this one.")
    assert reading.lifts
    assert reading.withholds
    both = read_request("From now on don't save anything. I was fired. You can save again.")
    assert both.lifts
    assert both.withholds
    assert both.scope is Scope.MESSAGE
    until = read_request("Don't save anything until I say you can save again.")
    assert not until.lifts
    assert until.scope is Scope.SESSION
    assert not read_request("You can save again. No wait, from now on don't save anything.").lifts


def test_a_doubt_says_so_and_holds_for_its_message_only() -> None:
    """What may be a request is not stored, and the note says that it may not have been one."""
    reading = read_request("This is private.")
    assert reading == Reading(Intent.NO_STORE, Scope.MESSAGE, DOUBT, withholds=True)
    assert "may have asked" in (note_for(reading) or "")


def test_a_person_is_told_how_to_forget_and_that_topics_are_not_tracked() -> None:
    """Forgetting names the command; a topic says that nothing watches for it."""
    reading = read_request("Forget what I told you about Anna.")
    assert reading == Reading(Intent.FORGET, None, FORGET, withholds=True)
    assert "`cognid forget`" in (note_for(reading) or "")
    topic = read_request("Never remember anything about my health.")
    assert topic.rule == "withheld.topic"
    assert "not tracked" in (note_for(topic) or "")
    assert note_for(read_request("I moved to Bern.")) is None


def test_each_scope_has_its_rule_and_its_note() -> None:
    """Rules are named after the scope, and no two notes are the same."""
    notes = {
        note_for(Reading(Intent.NO_STORE, scope, f"withheld.{scope}", withholds=True))
        for scope in Scope
    }
    assert len(notes) == len(Scope)


def test_cues_are_written_in_the_form_in_which_they_are_looked_for() -> None:
    """A capital or an accent in a cue would silence its language's phrases."""
    for tongue in TONGUES:
        for cue in tongue.cues:
            assert cue == _normal(cue), (tongue.name, cue)


@pytest.mark.parametrize(
    "unit",
    [
        "don't remember this ",
        "don't ",
        "please ",
        "keep the a b c d e f ",
        "everything i a b c d e ",
        "whenever i talk ",
        "you you you don't ",
        ". ",
        "\ndon't remember ",
        "a, ",
        "\n",
        '"',
        "“x ",
        "`a ",
        "```x",
        "\ufdfa",
        "a\u0301\u0323",
        "不要把这",
        "기억하지 ",
        "das nicht ",
        "not" * 50 + " ",
    ],
)
def test_the_longest_text_costs_little(unit: str) -> None:
    """400,000 characters that are made to be slow take less than 0.3 s of CPU."""
    text = (unit * (_LONGEST // len(unit) + 1))[:_LONGEST]
    assert min(_seconds(text) for _ in range(2)) < 0.3


def test_marks_in_the_wrong_order_cost_little() -> None:
    """Normalizing sorts a run of combining marks, which must not be done over the whole text."""
    assert _seconds("a" + "\u0301" * 200_000 + "\u0323" * 199_999) < 0.3


def test_a_usual_turn_costs_next_to_nothing() -> None:
    """The median line takes less than 0.3 ms."""
    took = sorted(_seconds(text) for _, text in _LINES)
    assert took[len(took) // 2] < 0.0003


def test_the_words_of_the_table_in_any_order_neither_fail_nor_stall() -> None:
    """No order of the phrases' own words makes a pattern backtrack: 8,000 characters < 0.2 s."""
    rng = random.Random(7)
    words = {
        tongue.name: sorted(
            {
                word
                for phrases in tongue.phrases()
                for word in re.findall(
                    r"[^\W\d_]+(?:'[a-z]+)?", re.sub(r"\\.", "", phrases.compiled().pattern)
                )
            }
        )
        for tongue in TONGUES
    }
    for _ in range(300):
        some = rng.choice(list(words.values()))
        few = rng.sample(some, min(len(some), rng.choice([3, 6, 12, 60])))
        text = "".join(
            rng.choice(few) + rng.choice(" " * 14 + ",.:")
            for _ in range(rng.choice([20, 200, 1500]))
        )
        assert _seconds(text[:8000]) < 0.2, text[:200]
