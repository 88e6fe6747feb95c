"""The verbs about what stands beside the memories, end to end: sessions, lanes, contexts, banks,
grants."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import subprocess
from collections.abc import Iterator

import pytest
from support.command import COMMAND, Ran, call_command, run_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid.cli.terminal import Terminal

TEXT = "naïve – “quoted” ✓ 東京"
_LANE = {
    "snapshot": {"id": "notes@1", "hash": hashlib.sha256(b"notes").hexdigest()},
    "units": [{"unit_id": "u1", "type": "note", "text": "The gate is green.", "source": "a.md:4"}],
    "omissions": [{"unit_id": "u2", "reason": "too long"}],
    "covers": 2,
}


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module, without a model; each test has an agent of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


class Agent:
    """The verbs against one agent's bank."""

    def __init__(self, daemon: DaemonProcess, name: str) -> None:
        self.environment = daemon.environment
        self.name = name
        assert self("bank", "make").status == 0

    def __call__(self, *arguments: str, stdin: bytes = b"", **more: str) -> Ran:
        """Run a verb."""
        whose = ("--agent", self.name)
        return call_command(self.environment, *arguments, *whose, stdin=stdin, **more)


def test_messages_go_in_and_come_out(shared: DaemonProcess) -> None:
    """A message comes from standard input whole, with its name; lines come from a file."""
    agent = Agent(shared, "messages")
    ran = agent("session", "append", "monday", "-", "--name", "Ines", stdin=TEXT.encode())
    assert (ran.status, ran.text) == (0, "1 message appended.\n")
    lines = [{"role": "assistant", "content": "It is on the hook."}] * 101
    ran = agent(
        "session",
        "append",
        "monday",
        "--lines",
        "-",
        stdin="\n".join(map(json.dumps, lines)).encode(),
    )
    assert ran.text == "101 messages appended.\n"  # in two requests
    page = agent("session", "messages", "monday", "--limit", "2", "--json").json
    assert page["total"] == 102
    assert len(page["messages"]) == 2
    found = agent("session", "messages", "monday", "--query", "quoted", COLUMNS="60")
    head, text, _ = found.text.splitlines()
    assert head.endswith("Ines (user)")
    assert text == f"  {TEXT}"


def test_a_withheld_message_is_named_by_its_place(shared: DaemonProcess) -> None:
    """What the filters withhold is told with its rule and not with its text; the status is 1."""
    agent = Agent(shared, "withheld")
    ran = agent("session", "append", "s", "-", stdin=b"My password is hunter2-Xy99!")
    assert ran.status == 1
    assert "message 1: its text was withheld (credential." in ran.errors
    assert "hunter2" not in ran.errors + ran.text + agent("session", "messages", "s").text


def test_a_broken_line_of_messages_is_named_by_its_number(shared: DaemonProcess) -> None:
    """Nothing of a file with a broken line goes in, and its text is not repeated."""
    agent = Agent(shared, "broken")
    lines = b'{"role": "user", "content": "first"}\n{"role": "user", "text": "secret words"}'
    ran = agent("session", "append", "s", "--lines", "-", stdin=lines)
    assert ran.status == 64
    assert "line 2: " in ran.errors
    assert "secret words" not in ran.errors
    assert agent("session", "messages", "s").status == 1


def test_a_file_of_long_messages_goes_in_whole(shared: DaemonProcess) -> None:
    """Thirty-two messages that no one request could hold stand in the session, in their order."""
    agent = Agent(shared, "long-messages")
    said = [f"{number} " + "lift the gate " * 20_000 for number in range(32)]
    lines = "".join(json.dumps({"role": "tool", "content": one}) + "\n" for one in said)
    ran = agent("session", "append", "s", "--lines", "-", stdin=lines.encode())
    assert (ran.status, ran.text) == (0, "32 messages appended.\n"), ran.errors
    page = agent("session", "messages", "s", "--limit", "2", "--json").json
    assert page["total"] == 32
    assert [one["content"] for one in page["messages"]] == said[-2:]


def test_an_append_that_breaks_off_says_how_much_is_in() -> None:
    """The bank is full after the first messages: who tells the file again would tell them twice."""
    line = json.dumps({"role": "tool", "content": "lift the gate " * 20_000}) + "\n"
    with running(settings=WITHOUT_MODEL + "[quota]\nbytes = 1000000\n") as daemon:
        agent = Agent(daemon, "full")
        ran = agent("session", "append", "s", "--lines", "-", stdin=line.encode() * 40)
        page = agent("session", "messages", "s", "--limit", "1", "--json").json
    assert ran.status == 74
    assert page["total"] in range(1, 40)
    assert f"Stopped after {page['total']} messages that are in." in ran.errors


def test_a_session_is_cleared_only_with_yes(shared: DaemonProcess) -> None:
    """Without --yes it is counted, with it gone."""
    agent = Agent(shared, "clear")
    agent("session", "append", "s", "hello there")
    ran = agent("session", "clear", "s")
    assert ran.status == 1
    assert "1 message would go" in ran.errors
    assert agent("session", "clear", "s", "--yes", "--json").json["count"] == 1
    assert agent("session", "messages", "s", "--json").json["total"] == 0


def test_clearing_a_session_of_a_bank_that_is_off_names_the_way(shared: DaemonProcess) -> None:
    """It cannot be counted, and is cleared all the same: so the preview says how."""
    agent = Agent(shared, "clear-off")
    agent("session", "append", "s", "hello there")
    agent("disable")
    ran = agent("session", "clear", "s")
    assert (ran.status, "--yes" in ran.errors) == (1, True)
    assert agent("session", "clear", "s", "--yes", "--json").json["count"] == 1


def test_clearing_an_empty_session_asks_for_no_confirmation(shared: DaemonProcess) -> None:
    """Where there is nothing to clear that is said, as `forget` says it."""
    ran = Agent(shared, "clear-empty")("session", "clear", "s")
    assert (ran.status, ran.errors) == (1, "Nothing to clear.\n")


def test_a_bank_that_is_off_takes_no_message_and_speaks_of_no_others(shared: DaemonProcess) -> None:
    """There are no "others" where none went in."""
    agent = Agent(shared, "append-off")
    agent("disable")
    ran = agent("session", "append", "s", "hello there")
    assert ran.status == 1
    assert ran.errors == "Nothing was appended: memory is switched off for this agent.\n"


def test_a_lane_is_replaced_queried_and_dropped(shared: DaemonProcess) -> None:
    """From standard input in, shown with its omissions, found by its words, dropped."""
    agent = Agent(shared, "lane")
    given = json.dumps(_LANE, indent=2).encode()
    ran = agent("lane", "replace", "notes", "-", stdin=given)
    assert (ran.status, ran.text) == (0, "Replaced: notes, 1 unit and 1 omission cover 2.\n")
    ran = agent("lane", "replace", "notes", "-", stdin=given)
    assert (ran.status, ran.text.split(":")[0]) == (0, "Unchanged")
    shown = agent("lane", "query", "notes").text
    assert "left out  u2: too long" in shown
    assert "  The gate is green.\n  at a.md:4\n" in shown
    assert agent("lane", "query", "--query", "gate", "--json").json["units"][0]["score"] == 1
    assert agent("lane", "query", "--type", "other").status == 1
    assert agent("lane", "drop", "notes").text.startswith("Dropped: notes, 1 unit")
    ran = agent("lane", "drop", "notes")
    assert (ran.status, ran.errors) == (0, "There is no lane of that name.\n")


def test_what_stores_makes_the_bank(shared: DaemonProcess) -> None:
    """The first message and the first lane of an agent make its bank, and that is said once; a
    look at one that is not there makes none, and says how to find those that are."""
    append = ("session", "append", "s", TEXT, "--agent")
    lane = ("lane", "replace", "notes", "-", "--agent")
    given = json.dumps(_LANE).encode()
    for verb, agent in ((append, "first-message"), (lane, "first-lane")):
        ran = call_command(shared.environment, *verb, agent, stdin=given)
        assert ran.status == 0
        assert ran.errors == f"Made the bank of owner local, agent {agent}, switched on.\n"
        assert call_command(shared.environment, *verb, agent, stdin=given).errors == ""
    ran = call_command(shared.environment, *append, "first-json", "--json")
    assert ran.json["bank_made"] is True
    ran = call_command(shared.environment, "session", "messages", "s", "--agent", "never")
    assert ran.status == 66
    assert "cognid bank list" in ran.errors
    assert "operation" not in ran.errors


def test_a_lane_file_that_is_none_is_refused(shared: DaemonProcess) -> None:
    """What is no JSON, no object or has a wrong field is `invalid_argument`, by field."""
    agent = Agent(shared, "lane-file")
    for given, said in ((b"{", "not JSON"), (b"[]", "not a JSON object"), (b"{}", "snapshot")):
        ran = agent("lane", "replace", "notes", "-", stdin=given)
        assert ran.status == 64
        assert said in ran.errors


def test_a_context_is_printed_as_it_is(shared: DaemonProcess) -> None:
    """The text goes to standard output, what was left out beside it; JSON has the same text."""
    agent = Agent(shared, "context")
    agent("remember", f"The gate is green. {TEXT}", "--kind", "preference")
    agent("session", "append", "s", "What colour is the gate?")
    arguments = ("context", "gate", "--session", "s", "--deadline-ms", "5000")
    ran = agent(*arguments)
    assert ran.status == 0
    assert f"> The gate is green. {TEXT}\n" in ran.text
    assert ran.text == agent(*arguments, "--json").json["text"] + "\n"
    ran = agent("context", "gate", "--include", "memories", "--budget", "5")
    assert (ran.status, ran.output) == (1, b"")
    assert "Left out of standing: 1 did not fit." in ran.errors


def test_a_context_cannot_drive_the_terminal(shared: DaemonProcess) -> None:
    """Control characters of a memory are escapes in the text too."""
    agent = Agent(shared, "escape")
    agent("remember", "red \x1b[31m alert", "--kind", "preference")
    ran = agent("context")
    assert b"\x1b" not in ran.output
    assert "red \\x1b[31m alert" in ran.text


def test_the_new_verbs_speak_utf8_whatever_the_locale(shared: DaemonProcess) -> None:
    """With the C locale and an ASCII encoding what is printed is UTF-8 all the same."""
    agent = Agent(shared, "locale")
    agent("session", "append", "s", "-", stdin=TEXT.encode())
    ran = run_command(
        shared.environment,
        *("session", "messages", "s", "--agent", "locale"),
        LC_ALL="C",
        PYTHONIOENCODING="ascii",
    )
    assert (ran.status, TEXT in ran.text) == (0, True)


def test_colours_are_for_a_terminal_alone(shared: DaemonProcess) -> None:
    """On a terminal heads are bold; in a pipe there is no escape, and NO_COLOR is heard."""
    agent = Agent(shared, "colours")
    agent("session", "append", "s", "hello there")
    assert b"\x1b" not in agent("session", "messages", "s").output
    ours, theirs = pty.openpty()
    subprocess.run(
        [COMMAND, "session", "messages", "s", "--agent", "colours"],
        env={**shared.environment, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        timeout=50,
        check=True,
    )
    os.close(theirs)
    assert b"\x1b[1m" in os.read(ours, 4096)
    os.close(ours)


def test_banks_are_made_listed_and_told(shared: DaemonProcess) -> None:
    """A bank made switched off stays so, stands in the list, and says what it holds."""
    agent = Agent(shared, "told")
    agent("remember", "The gate is green.")
    status = agent("bank", "status").text
    assert "memories  1 (1 fact)" in status
    ran = call_command(shared.environment, "bank", "make", "--off", "--agent", "told-off")
    assert ran.text == "Made: owner local, agent told-off, switched off.\n"
    ran = call_command(shared.environment, "bank", "make", "--agent", "told-off")
    assert ran.text == "There already: owner local, agent told-off, switched off.\n"
    listed = call_command(shared.environment, "bank", "list").text.splitlines()
    (row,) = [line.split() for line in listed if " told-off " in line]
    assert row[:3] == ["local", "told-off", "off"]


def test_a_table_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it is wider, its widest column is cut, by the columns that its characters take."""
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("a" * 60, "short"), ("東" * 40, "also")]
    Terminal(as_json=False).table(("name", "word"), rows)
    head, first, second = capsys.readouterr().out.splitlines()
    assert len(first) == 40
    assert first.split() == ["a" * 32 + "…", "short"]
    assert second.split() == ["東" * 16 + "…", "also"]
    assert head.split() == ["name", "word"]


def test_a_grant_is_listed_and_ended(shared: DaemonProcess, tmp_path: object) -> None:
    """A paired program stands in the list, and a revoked one is let in no more."""
    path = f"{tmp_path}/editor.json"
    run = call_command(shared.environment, "pair", "editor", "--out", path, "--json")
    credential_id = run.json["grant"]["credential_id"]
    listed = call_command(shared.environment, "grant", "list").text
    assert f"  {credential_id}\n" in listed
    ran = call_command(shared.environment, "grant", "revoke", credential_id)
    assert ran.text == f"Revoked: {credential_id}, 0 connections closed.\n"
    ran = call_command(shared.environment, "status", COGNID_CREDENTIAL=path)
    assert ran.status == 77


def test_a_grant_is_ended_by_its_credential_alone(shared: DaemonProcess, tmp_path: object) -> None:
    """A name ends none, and the answer does not say that there is none of that name."""
    call_command(shared.environment, "pair", "named", "--out", f"{tmp_path}/named.json")
    ran = call_command(shared.environment, "grant", "revoke", "named")
    assert ran.status == 66
    assert "There is no grant of that credential's id." in ran.errors
    assert "named" in call_command(shared.environment, "grant", "list").text


def test_one_pipeline_can_be_asked_alone(shared: DaemonProcess) -> None:
    """`recall --pipeline` is memory.search: the other pipeline is off."""
    agent = Agent(shared, "pipeline")
    agent("remember", "The gate is green.")
    answer = agent(
        "recall", "gate", "--pipeline", "lexical", "--json", "--deadline-ms", "5000"
    ).json
    assert answer["pipelines"]["vector"]["state"] == "off"
    assert [hit["text"] for hit in answer["hits"]] == ["The gate is green."]


def test_forget_scrubs_messages_unless_told_to_keep_them(shared: DaemonProcess) -> None:
    """A forgotten turn's message goes along and is counted; --keep-messages keeps it."""
    agent = Agent(shared, "scrub")
    for keep, said in (((), "1 session message went along"), (("--keep-messages",), "Still told")):
        agent("remember", "The gate is green.", "--session", "s")
        agent("session", "append", "s", "The gate is green.")
        ran = agent("forget", "--session", "s", "--yes", *keep)
        assert said in ran.errors
    contents = [
        one["content"] for one in agent("session", "messages", "s", "--json").json["messages"]
    ]
    assert contents == [None, "The gate is green."]
