"""`cognid ingest`: every line once, however often; what is broken is named and left out."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.command import COMMAND, INTERRUPTIBLE, Ran, call_command
from support.daemon import DaemonProcess, running


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has an agent of its own."""
    with running() as daemon:
        yield daemon


def ingest(daemon: DaemonProcess, file: Path, agent: str, *more: str) -> Ran:
    """Take a file in."""
    return call_command(daemon.environment, "ingest", str(file), "--agent", agent, "--json", *more)


def turns(count: int) -> bytes:
    """A transcript of so many turns."""
    return b"".join(
        json.dumps(
            {
                "role": "assistant" if number % 2 else "user",
                "content": f"turn {number}: naïve – ✓",
                "time": f"2026-05-08T{number // 60 % 24:02}:{number % 60:02}:00Z",
            }
        ).encode()
        + b"\n"
        for number in range(count)
    )


def memories(daemon: DaemonProcess, agent: str) -> list[dict[str, object]]:
    """The agent's memories, newest first."""
    ran = call_command(daemon.environment, "list", "--agent", agent, "--limit", "100", "--json")
    found = ran.json["memories"]
    assert isinstance(found, list)
    return found


def test_ingest_then_again_adds_nothing(shared: DaemonProcess, tmp_path: Path) -> None:
    """300 turns are committed in their order; a rerun counts 300 duplicates and adds nothing."""
    file = tmp_path / "chat.jsonl"
    file.write_bytes(turns(300))
    ran = ingest(shared, file, "again")
    assert ran.status == 0
    first = ran.json
    assert (first["lines"], first["committed"], first["bank_made"]) == (300, 300, True)
    second = ingest(shared, file, "again").json
    assert (second["committed"], second["duplicate"]) == (0, 300)
    assert second["stream"] == first["stream"]
    newest = memories(shared, "again")[0]
    assert newest["text"] == "turn 299: naïve – ✓"
    source = newest["source"]
    assert isinstance(source, dict)
    assert source["event"]["stream"] == first["stream"]
    assert source["event"]["sequence"] == 300
    assert newest["session_id"] == f"file:{first['stream'][5:17]}"
    assert newest["event_time"] == "2026-05-08T04:59:00.000000Z"


def test_broken_lines_are_named_and_left_out(shared: DaemonProcess, tmp_path: Path) -> None:
    """Broken lines are reported by number and reason without their text; the rest goes in."""
    file = tmp_path / "chat.jsonl"
    file.write_bytes(
        b'{"role":"user","content":"one"}\ncanary\n\n{"role":"canary","content":"canary"}\n'
        b'{"role":"user","content":"five","session":"own","speaker":"Ann"}\n'
    )
    ran = ingest(shared, file, "broken", "--session", "mine")
    assert ran.status == 1
    counts = ran.json
    assert (counts["lines"], counts["committed"], counts["broken"]) == (4, 2, 2)
    assert ran.errors.startswith("line 2: not JSON in UTF-8\nline 4: role: ")
    assert "canary" not in ran.errors
    found = {memory["text"]: memory for memory in memories(shared, "broken")}
    assert found["one"]["session_id"] == "mine"
    assert (found["five"]["session_id"], found["five"]["speaker"]) == ("own", "Ann")


def test_lines_without_effect_are_told_with_the_reason(
    shared: DaemonProcess, tmp_path: Path
) -> None:
    """A bank that is off takes nothing in, and the command says that this is why."""
    file = tmp_path / "chat.jsonl"
    file.write_bytes(turns(2))
    call_command(shared.environment, "bank", "make", "--off", "--agent", "off")
    ran = call_command(shared.environment, "ingest", str(file), "--agent", "off")
    assert ran.status == 1
    assert "No effect, memory is switched off for this agent: 2 lines." in ran.text
    assert ingest(shared, file, "off").json["reasons"] == {"disabled": 2}


def test_pipe_is_the_same_as_the_file(shared: DaemonProcess, tmp_path: Path) -> None:
    """What comes from a pipe has the stream of the file with the same bytes."""
    file = tmp_path / "chat.jsonl"
    file.write_bytes(turns(3))
    stream = ingest(shared, file, "pipe").json["stream"]
    ran = call_command(shared.environment, "ingest", "-", "--agent", "pipe", stdin=turns(3))
    assert ran.status == 0
    assert ran.text == "3 lines: 0 committed, 3 duplicate, 0 rejected, 0 broken.\n"
    assert stream.startswith("file:")


def test_missing_file_is_named(shared: DaemonProcess, tmp_path: Path) -> None:
    """A file that is not there is named, and no bank is made."""
    ran = ingest(shared, tmp_path / "none.jsonl", "missing")
    assert ran.status == 64
    assert "none.jsonl: No such file" in ran.json["error"]["detail"]
    assert call_command(shared.environment, "list", "--agent", "missing").status == 66


def test_lost_daemon_ends_the_run_and_a_rerun_completes_it(
    daemon: DaemonProcess, tmp_path: Path
) -> None:
    """A daemon killed in the middle ends the run; taking the file in again completes it."""
    file = tmp_path / "chat.jsonl"
    count = 1_000
    file.write_bytes(turns(count))
    with subprocess.Popen(
        [COMMAND, "ingest", str(file)],
        env=daemon.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        with daemon.connect() as connection:
            until = time.monotonic() + 20
            while time.monotonic() < until:
                frame = connection.call("bank.status", {})
                if "result" in frame and frame["result"]["memories"] > 50:
                    break
        daemon.kill9()
        output, errors = process.communicate(timeout=30)
    assert output == b""
    assert process.returncode in (69, 75)
    assert b"nothing is stored twice" in errors
    assert b"Traceback" not in errors
    daemon.start()
    ran = call_command(daemon.environment, "ingest", str(file), "--json")
    assert ran.status == 0
    assert ran.json["committed"] + ran.json["duplicate"] == count
    assert ran.json["committed"] > 0
    assert ran.json["duplicate"] > 50
    with daemon.connect() as connection:
        assert connection.result("bank.status", {})["memories"] == count


def test_interrupt_says_how_far_it_came_and_a_rerun_completes_it(
    shared: DaemonProcess, tmp_path: Path
) -> None:
    """Ctrl-C in the middle ends the run with status 130 and a word; the file can be taken in
    again."""
    file = tmp_path / "chat.jsonl"
    count = 1_000
    file.write_bytes(turns(count))
    with subprocess.Popen(
        [*INTERRUPTIBLE, COMMAND, "ingest", str(file), "--agent", "interrupted"],
        env=shared.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        with shared.connect() as connection:
            until = time.monotonic() + 20
            while time.monotonic() < until:
                frame = connection.call("bank.status", {"agent": "interrupted"})
                if "result" in frame and frame["result"]["memories"] > 20:
                    break
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (130, b"")
    assert b"nothing is stored twice" in errors
    assert b"Traceback" not in errors
    again = ingest(shared, file, "interrupted").json
    assert again["committed"] + again["duplicate"] == count
    assert again["duplicate"] > 20


def test_long_work_shows_a_bar_to_a_person_alone(shared: DaemonProcess, tmp_path: Path) -> None:
    """With a terminal for its errors ingest, export and import draw a bar there; the answer on
    standard output is the same, and piped there is none."""
    chat, whole = tmp_path / "chat.jsonl", tmp_path / "whole.jsonl"
    chat.write_bytes(turns(5))
    for verb, file, agent in (
        ("ingest", chat, "bar"),
        ("export", whole, "bar"),
        ("import", whole, "bar-copy"),
    ):
        arguments = [COMMAND, verb, str(file), "--agent", agent, "--json"]
        terminal, end = pty.openpty()
        with subprocess.Popen(
            arguments,
            env={**shared.environment, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=end,
        ) as process:
            os.close(end)
            shown = b""
            with suppress(OSError):  # as a terminal says that nobody writes to it any more
                while part := os.read(terminal, 65_536):
                    shown += part
            os.close(terminal)
            output, _ = process.communicate(timeout=50)
        assert process.returncode == 0
        assert "━".encode() in shown
        assert json.loads(output)
    assert call_command(shared.environment, *arguments[1:]).errors == ""
