"""`cognid explain`, and what the verbs that store say of what they kept out: rules, no guess."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from support.command import Ran, call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid.cli.explain import _say
from cognid.cli.terminal import Terminal
from cognid.protocol.explain import ExplainedDrop, ExplainedFact, ExplainReply
from cognid.protocol.values import Kind

SAID = "I work at the port of Porto. Is it raining? I never drink coffee."
SECRET = "My password is hunter2-Correct!9"
"""Not anybody's: the rules have to find it all the same."""


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


def explain(daemon: DaemonProcess, text: str, *more: str) -> Ran:
    """Explain a text from standard input, on a terminal of 80 columns."""
    return call_command(
        daemon.environment, "explain", "-", *more, stdin=f"{text}\n".encode(), COLUMNS="80"
    )


def reply(**changed: object) -> ExplainReply:
    """What the daemon might answer."""
    return ExplainReply.model_validate(
        {
            "would": "store",
            "rules": [],
            "note": None,
            "intent": "none",
            "scope": None,
            "facts": [],
            "dropped": [],
            **changed,
        }
    )


def said_of(
    answer: ExplainReply, text: str, capsys: pytest.CaptureFixture[str], columns: int = 80
) -> list[str]:
    """The lines that a person reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        _say(Terminal(as_json=False), text, answer)
    return capsys.readouterr().out.splitlines()


def test_parts_are_shown_in_their_order_with_their_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Facts and what is none follow each other as in the text, wrapped to the terminal."""
    text = "Hm. I moved to Porto in May 2025, " + "which I like a lot, " * 5 + "truly."
    moved = ExplainedFact(
        span=(4, len(text)),
        kind=Kind.EPISODIC,
        confidence=0.875,
        rule="extract.moved",
        event_time=datetime(2025, 5, 1).astimezone(),
        valid_from=None,
        valid_until=None,
    )
    drop = ExplainedDrop(span=(0, 3), reason="too_short")
    lines = said_of(reply(facts=[moved], dropped=[drop]), text, capsys)
    assert lines[:4] == [
        "Would be stored: a remark of the whole, and 1 fact.",
        "",
        "  Hm.",
        "      no fact: too short",
    ]
    assert lines[5].startswith("  I moved to Porto in May 2025, which")
    assert lines[-2:] == [
        "      episodic, confidence 0.88 (extract.moved)",
        "      dated 2025-05-01 00:00",
    ]
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines[5:-2]) == text[4:]


def test_rejection_says_rules_reading_and_note(capsys: pytest.CaptureFixture[str]) -> None:
    """What keeps it out comes first, then what was read, then the sentence for a person."""
    answer = reply(
        would="reject",
        rules=["withheld.topic"],
        intent="no_store",
        scope="topic",
        note="Topics are not tracked: this message alone is not stored.",
    )
    assert said_of(answer, "x", capsys) == [
        "Would not be stored (withheld.topic).",
        "Read as a request not to remember: a topic.",
        "Topics are not tracked: this message alone is not stored.",
    ]


def test_words_of_a_newer_daemon_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """An intent or a scope that this build does not know is no failure, and drives no terminal."""
    lines = said_of(reply(intent="muse", scope="week\x1b[2J"), "x", capsys)
    assert lines[1] == "Read as muse: week\\x1b[2J."


def test_text_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in what is said are shown as escapes."""
    drop = ExplainedDrop(span=(0, 8), reason="low_score")
    lines = said_of(reply(dropped=[drop]), "a\x1b[31mb.", capsys)
    assert lines[2] == "  a\\x1b[31mb."


def test_facts_and_questions_are_told_apart(shared: DaemonProcess) -> None:
    """A real text: its facts with kind and rule, its question as none, and nothing stored."""
    ran = explain(shared, SAID, "--agent", "apart")
    assert ran.status == 0
    lines = ran.text.splitlines()
    assert lines[0].startswith("Would be stored: a remark of the whole, and ")
    question = lines.index("  Is it raining?")
    assert lines[question + 1] == "      no fact: question"
    fact = lines.index("  I never drink coffee.")
    assert "confidence" in lines[fact + 1]
    assert "(extract." in lines[fact + 1]
    assert all(len(line) <= 80 for line in lines)
    assert call_command(shared.environment, "list", "--agent", "apart").status == 66


def test_the_documented_example_is_what_is_told(shared: DaemonProcess) -> None:
    """`docs/cli.md` shows each line as the verb prints it, its numbers too."""
    documented = (Path(__file__).parents[2] / "docs/cli.md").read_text("utf-8").splitlines()
    for line in explain(shared, SAID).text.splitlines():
        assert not line or f"    {line}" in documented


def test_json_names_spans_not_words(shared: DaemonProcess) -> None:
    """With --json the daemon's answer stands as it is: spans into the text, and none of it."""
    ran = explain(shared, SAID, "--agent", "json", "--json")
    assert ran.status == 0
    assert ran.json["outcome"] == "explained"
    assert ran.json["would"] == "store"
    spans = [SAID[slice(*fact["span"])] for fact in ran.json["facts"]]
    assert "I never drink coffee." in spans
    assert "coffee" not in ran.text


def test_secret_would_be_kept_out(shared: DaemonProcess) -> None:
    """The rule is named, the secret is not; the status is 1, and remember does as was said."""
    ran = explain(shared, SECRET, "--agent", "secret")
    assert ran.status == 1
    assert ran.text.startswith("Would not be stored (credential.")
    assert "hunter2" not in ran.text + ran.errors
    ran = call_command(
        shared.environment, "remember", "-", "--agent", "secret", stdin=SECRET.encode()
    )
    assert (ran.status, ran.output) == (1, b"")
    assert "Not stored: filters kept it out (credential." in ran.errors
    assert "hunter2" not in ran.errors
    allowed = call_command(
        shared.environment,
        *("remember", "-", "--agent", "secret", "--allow-credentials"),
        stdin=SECRET.encode(),
    )
    assert allowed.text.startswith("Remembered (fact): mem_")


def test_what_is_there_already_is_said(shared: DaemonProcess) -> None:
    """The same fact twice is one memory, and the second time says so."""
    first = call_command(shared.environment, "remember", "Ana likes tea.", "--agent", "twice")
    again = call_command(shared.environment, "remember", "Ana likes tea.", "--agent", "twice")
    assert again.status == 0
    assert again.text == first.text.replace("Remembered (", "Remembered already (")


def test_roles_and_times_are_taken(shared: DaemonProcess) -> None:
    """An assistant's words make no facts; a wrong time is a wrong argument."""
    ran = explain(shared, SAID, "--agent", "roles", "--role", "assistant")
    assert ran.status == 0
    assert ran.text.startswith("Would be stored: a remark of the whole, and no facts.")
    ran = explain(shared, SAID, "--agent", "roles", "--at", "yesterday")
    assert ran.status == 64
    ran = explain(
        shared, "I will move to Lyon tomorrow.", "--at", "2026-05-08T12:00:00+02:00", "--json"
    )
    assert any("2026-05-09" in json.dumps(fact) for fact in ran.json["facts"])


def test_ingest_says_what_was_kept_out_and_found(shared: DaemonProcess, tmp_path: Path) -> None:
    """Lines that a rule kept out are named by number and rule, facts are counted, and a second
    time nothing is added."""
    file = tmp_path / "chat.jsonl"
    turns = [SAID, SECRET, "I never drink coffee.", "Do not remember this: I like Brno."]
    file.write_text("".join(json.dumps({"role": "user", "content": t}) + "\n" for t in turns))
    ran = call_command(shared.environment, "ingest", str(file), "--agent", "ingest")
    assert ran.status == 1
    first, *more = ran.text.splitlines()
    assert first == "4 lines: 2 committed, 0 duplicate, 2 rejected, 0 broken."
    assert more[0].startswith("Facts found in them: ")
    assert more[0].endswith(" 1 more there already.")
    assert any(line.startswith("Kept out by credential.") for line in more)
    assert any(line.startswith("Kept out by withheld.") for line in more)
    assert "line 2: kept out (credential." in ran.errors
    assert "line 4: kept out (withheld." in ran.errors
    assert "hunter2" not in ran.text + ran.errors
    again = call_command(
        shared.environment, "ingest", str(file), "--agent", "ingest", "--json"
    ).json
    assert (again["duplicate"], again["rejected"], again["facts"]) == (2, 2, 0)
    assert sum(again["rules"].values()) == 2
