"""The credential filter: what it catches and what it passes, and that its cost is linear."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import data_folder
from hypothesis import given, settings
from hypothesis import strategies as st
from support import (
    credential_lines,
    credential_lines_kinds,
    credential_lines_more,
    credential_lines_traps,
    credential_lines_ways,
)
from support.credential_lines import made

from cognid_daemon.intake.credential_rule import Rule
from cognid_daemon.intake.credentials import RULES, Finding, find_credentials, worth_running

_CAUGHT = (
    *credential_lines.CAUGHT,
    *credential_lines_more.CAUGHT,
    *credential_lines_kinds.CAUGHT,
    *credential_lines_ways.CAUGHT,
)
_PASSED = (
    *credential_lines.PASSED,
    *credential_lines_more.PASSED,
    *credential_lines_traps.PASSED,
    *credential_lines_ways.PASSED,
)
_TOKEN = "gh" + "p_" + made(36)


_DATA = data_folder()


def _data(name: str) -> Path:
    if _DATA is None:
        pytest.skip("no public data sets here")
    return _DATA / name


def _named(findings: list[Finding], text: str) -> list[tuple[str, str]]:
    return [(finding.rule, text[finding.start : finding.end]) for finding in findings]


def test_every_line_with_a_credential_is_caught() -> None:
    """Every made-up line that holds a credential has findings, and they lie inside it."""
    assert [line for line in _CAUGHT if not find_credentials(line)] == []
    for line in _CAUGHT:
        for finding in find_credentials(line):
            assert 0 <= finding.start < finding.end <= len(line)


def test_every_line_without_one_passes() -> None:
    """Talk about secrets, placeholders, code and identifiers have no finding."""
    assert [line for line in _PASSED if find_credentials(line)] == []


def test_each_rule_catches_its_examples() -> None:
    """The rule that an example belongs to finds it by itself."""
    missed = [
        (rule.id, example)
        for rule in RULES
        for example in rule.caught
        if not list(rule.find(example, example.lower()))
    ]
    assert missed == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_is_left_out_where_it_would_find_something(rule: Rule) -> None:
    """A rule runs on every text in which it finds one of its examples, wherever that stands."""
    order = RULES.index(rule)
    for example in rule.caught:
        for text in (example, f"so: {example}", example.upper(), f"x{example}x"):
            if list(rule.find(text, text.lower())):
                assert order in worth_running(text.lower())


def test_no_rule_catches_what_another_lets_pass() -> None:
    """What a rule's counter-example shows is harmless passes the whole table."""
    passed = [example for rule in RULES for example in rule.passed]
    assert [example for example in passed if find_credentials(example)] == []


def test_the_table_has_one_row_an_id() -> None:
    """Ids are unique, begin with "credential.", and each rule says in words what it finds."""
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    for rule in RULES:
        assert rule.id.startswith("credential.")
        assert rule.what.startswith(("a ", "an ", "the "))
        assert rule.caught
        assert rule.passed


def test_a_finding_never_holds_the_text() -> None:
    """A finding is a rule and two numbers, so that no log and no repr can show a secret."""
    assert [field.name for field in fields(Finding)] == ["rule", "start", "end"]
    assert _TOKEN not in repr(find_credentials(f"the deploy token is {_TOKEN}"))
    assert all(example not in repr(rule) for rule in RULES for example in rule.caught)


def test_a_pasted_token_is_found_where_it_stands() -> None:
    """The span of a token is exactly the token."""
    text = f"the deploy token is {_TOKEN}, use it"
    assert _named(find_credentials(text), text) == [("credential.github_token", _TOKEN)]


@pytest.mark.parametrize(
    "text", ["There is no API key in this build", "apiKey: import.meta.env.KEY"]
)
def test_harmless_text_that_names_a_key_is_untouched(text: str) -> None:
    """Saying that there is no key, or where one comes from, is no credential."""
    assert find_credentials(text) == []


def test_findings_come_in_order_and_do_not_overlap() -> None:
    """Several credentials of one text are listed by place, each stretch of it once."""
    text = f"my pin is 4821, the wifi password is BlueKelp77, and {_TOKEN}"
    findings = find_credentials(text)
    assert [finding.rule for finding in findings] == [
        "credential.pin",
        "credential.password_en",
        "credential.github_token",
    ]
    assert all(before.end <= after.start for before, after in pairwise(findings))


@pytest.mark.parametrize(
    "hide",
    [
        pytest.param(lambda text: "\u200b".join(text), id="zero width spaces"),
        pytest.param(lambda text: "\u2060".join(text), id="word joiners"),
        pytest.param(
            lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
            id="full width",
        ),
        pytest.param(lambda text: text.replace(" ", "\u00a0"), id="no-break spaces"),
        pytest.param(
            lambda text: "".join(
                chr(ord(c) + 0x1D5BA - 97) if "a" <= c <= "z" else c for c in text
            ),
            id="mathematical letters",
        ),
        pytest.param(lambda text: "\u202e" + text, id="direction override"),
    ],
)
def test_a_secret_is_found_behind_unseen_or_wide_characters(hide: Callable[[str], str]) -> None:
    """Characters that are not seen, or look like others, hide nothing; spans are the text's."""
    for secret in (_TOKEN, "my password is hunter2"):
        hidden = hide(secret)
        text = f"é {hidden} é"
        (finding,) = find_credentials(text)
        assert text[:2] == "é "
        assert 2 <= finding.start < finding.end <= len(text) - 2
        seen = unicodedata.normalize("NFKC", text[finding.start : finding.end])
        kept = "".join(c for c in seen if unicodedata.category(c) != "Cf")
        assert kept in (_TOKEN, "hunter2")


def test_accents_written_apart_change_nothing() -> None:
    """A word with a combining mark is the word."""
    text = unicodedata.normalize("NFD", "mi contraseña es NutriaAzul77")
    (finding,) = find_credentials(text)
    assert text[finding.start : finding.end] == "NutriaAzul77"


_LINES_OF_OTHERS = "credentials_dev.jsonl"


@pytest.mark.parametrize("label", [1, 0])
def test_the_public_lines_are_right_to_the_last(label: int) -> None:
    """Lines labelled 1 are caught, lines labelled 0 pass: all of them."""
    lines = [json.loads(line) for line in _data(_LINES_OF_OTHERS).read_text().splitlines()]
    wrong = [
        line["id"]
        for line in lines
        if line["label"] == label and bool(find_credentials(line["text"])) != bool(label)
    ]
    assert wrong == []


def test_conversations_and_commands_are_hardly_ever_flagged() -> None:
    """At most one flag in 10,000 over the turns of LoCoMo and the CLINC commands together."""
    turns = [
        turn["text"]
        for sample in json.loads(_data("locomo_dev.json").read_text())
        for name, session in sample["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ]
    texts = turns + json.loads(_data("clinc_commands.json").read_text())
    flagged = sum(bool(find_credentials(text)) for text in texts)
    assert flagged <= len(texts) / 10_000


# Cost

_LONG = 400_000
_PIECES = (
    *("a", "A=", "sk-", "1", " ", "1 ", "\n", "é", "\u200b", "-----BEGIN", "eyJ", "://", "M-"),
    *("@", '"', "**", "a1-", "x@a.b:", "-p ", "seed ", "lantern "),
)
_STATEMENTS = (
    *(
        "password is ",
        "password='",
        "4539 1488 ",
        "password for ",
        "password for the ",
        "token=",
        "my pin is ",
        "key is ",
    ),
    *("пароль для ", "密码", "enter 1234 ", "combo of ", "pin one two ", "is my x ", "4444 "),
    *(
        "the keypad wants ",
        "password, as you know, ",
        "gate 2086# ",
        "2fa abcd ",
        "wifi is a, key ",
    ),
    *("use it when ", "he cambiado la clave ", "ssn 219-45-", "passphrase: one two three "),
    *("changed my password ", "-----BEGIN RSA PRIVATE KEY-----\n", "bearer ", "login is a / "),
)


def _seconds(piece: str, length: int) -> float:
    """CPU seconds for a text of one piece, over and over."""
    text = (piece * (length // len(piece) + 1))[:length]
    before = time.process_time()
    find_credentials(text)
    return time.process_time() - before


@pytest.mark.parametrize("piece", _PIECES)
def test_a_long_text_takes_little(piece: str) -> None:
    """Anything that starts a form, 400,000 characters of it: four times what 100,000 take."""
    assert _seconds(piece, _LONG) < 8 * _seconds(piece, _LONG // 4) + 0.05


@pytest.mark.parametrize("piece", _STATEMENTS)
def test_a_text_of_nothing_but_announcements_takes_its_length(piece: str) -> None:
    """A word that announces a secret, over and over: four times the length, four times the time.

    Quadratic work would take sixteen times.
    """
    short, long = _seconds(piece, _LONG // 16), _seconds(piece, _LONG // 4)
    assert long < 8 * short + 0.02


@settings(max_examples=15, deadline=None)
@given(pieces=st.lists(st.sampled_from(_PIECES + _STATEMENTS), min_size=1, max_size=6))
def test_mixed_pieces_take_their_length(pieces: list[str]) -> None:
    """No mix of the pieces makes the time grow faster than the text."""
    piece = "".join(pieces)
    assert _seconds(piece, 60_000) < 8 * _seconds(piece, 15_000) + 0.02


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_without_fault(text: str) -> None:
    """Whatever Unicode it is, the spans lie inside it, in order."""
    last = 0
    for finding in find_credentials(text):
        assert last <= finding.start < finding.end <= len(text)
        last = finding.end


def test_a_usual_turn_takes_little() -> None:
    """A turn of a hundred characters takes under 0.3 ms."""
    turn = (
        "I had dinner with Ana last night and we talked about the flat in Lisbon she wants to rent."
    )
    best = float("inf")
    for _ in range(50):
        before = time.perf_counter()
        find_credentials(turn)
        best = min(best, time.perf_counter() - before)
    assert best < 0.0003
