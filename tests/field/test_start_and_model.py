"""Field cases: the first answers after a start, what they need, and a model that is not there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, operation

from cognid_daemon.bank.errors import BankError

OUTCOMES = {"hits", "no_hits", "unavailable"}


def test_the_first_recall_after_a_start_keeps_a_short_deadline(daemon: DaemonProcess) -> None:
    """96: asked before the model is loaded: a lexical answer within 100 ms, and it says partial."""
    with daemon.connect() as connection:
        bank = Agent(connection, "first")
        bank.add("The spare laptop is in locker nine")
    for _ in range(4):  # on a busy machine a start may take longer than that to give its first word
        daemon.restart()
        with daemon.connect() as connection:
            asked = {"owner": "local", "agent": "first", "query": "spare laptop"}
            answer = connection.result("memory.recall", {**asked, "deadline_ms": 100})
            if answer["outcome"] == "hits":
                break
    assert (answer["outcome"], answer["took_ms"] < 150) == ("hits", True)
    assert answer["hits"][0]["text"] == "The spare laptop is in locker nine"
    assert answer["partial"] is True
    assert answer["pipelines"]["lexical"]["state"] == "ready"
    vector = answer["pipelines"]["vector"]
    assert (vector["state"], vector["code"]) == ("late", "model_loading")
    with daemon.connect() as connection:
        bank = Agent(connection, "first")
        bank.wait_indexed()  # the warm-up went on behind it
        assert bank.recall("spare laptop")["partial"] is False


def test_a_late_recall_under_load_is_a_result_and_no_error(daemon: DaemonProcess) -> None:
    """97: with 50 ms beside writers and embedding: whatever is late is named, nothing is raised."""
    with daemon.connect() as connection:
        bank = Agent(connection, "load")
        bank.add("The spare laptop is in locker nine")
        done = threading.Event()

        def write(number: int) -> None:
            with daemon.connect() as writing:
                while not done.is_set():
                    text = f"Writer {number} talks of the harbour and the ladder. " * 100
                    event = {"stream": f"w{number}", "data": {"role": "user", "content": text}}
                    params = {**bank.whose, "event": event, "deadline_ms": 60_000}
                    writing.result("memory.remember", {**params, **operation()})

        writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for writer in writers:
            writer.start()
        try:
            answers: list[tuple[dict[str, Any], float]] = []
            for _ in range(20):
                began = time.monotonic()
                params = {**bank.whose, "query": "where is the spare laptop", "deadline_ms": 50}
                answers.append(
                    (connection.result("memory.recall", params), time.monotonic() - began)
                )
        finally:
            done.set()
            for writer in writers:
                writer.join()
    for answer, seconds in answers:
        assert answer["outcome"] in OUTCOMES
        assert seconds < 2.0  # the bar is the deadline; the rest is for a busy machine
        if answer["outcome"] == "unavailable":
            assert answer["reason"] == "deadline"
        else:
            states = {answer["pipelines"][name]["state"] for name in ("lexical", "vector")}
            assert answer["partial"] is (states != {"ready"})


def test_a_missing_model_is_said_in_every_answer() -> None:
    """118: no vectors are made up: health is red, answers are flagged, and the vectors are owed."""
    with running(settings=WITHOUT_MODEL) as daemon, daemon.connect() as connection:
        bank = Agent(connection)
        assert bank.add("The spare laptop is in locker nine")["outcome"] == "committed"
        until = time.monotonic() + 10
        while connection.result("status")["health"] != "red":
            assert time.monotonic() < until
            time.sleep(0.02)
        answer = bank.recall("spare laptop")
        assert [hit["text"] for hit in answer["hits"]] == ["The spare laptop is in locker nine"]
        assert answer["partial"] is True
        assert answer["hits"][0]["parts"]["vector"] is None
        vector = answer["pipelines"]["vector"]
        assert (vector["state"], vector["code"]) == ("failed", "model_missing")
        alone = {"query": "laptop", "pipeline": "vector"}
        assert bank.result("memory.search", alone)["outcome"] == "unavailable"
        index = bank.result("index.status")
        assert (index["vector"]["state"], index["indexed"], index["backlog"]) == ("failed", 0, 1)


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_nothing_calls_home() -> None:
    """89: from the start over remember, embedding and recall to the end: Unix sockets only."""
    daemon = DaemonProcess()
    trace = daemon.home / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=socket,connect", "-o", str(trace)]
    try:
        with daemon.log_path.open("ab") as log:
            daemon.process = subprocess.Popen(
                [*command, sys.executable, "-m", "cognid_daemon"],
                env=daemon.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=daemon.home,
            )
        until = time.monotonic() + 20
        while True:
            try:
                connection = daemon.connect()
                break
            except OSError:
                if daemon.process.poll() is not None:
                    pytest.skip("strace may not trace here")
                assert time.monotonic() < until
                time.sleep(0.05)
        with connection:
            bank = Agent(connection)
            bank.add("The spare laptop is in locker nine")
            bank.remember("I prefer mint tea in the morning")
            bank.wait_indexed()
            assert bank.recall("where is the extra notebook computer")["partial"] is False
            connection.result("shutdown")
        assert daemon.process.wait(20) == 0
        calls = trace.read_text()
    finally:
        daemon.close()
    assert "AF_UNIX" in calls  # it was traced
    assert [line for line in calls.splitlines() if "AF_INET" in line] == []


def test_pythons_own_sqlite_opens_nothing(tmp_path: Path) -> None:
    """95: whatever Python's sqlite3 can or cannot load is no matter: the daemon does without it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sqlite3, sqlite3.dbapi2\n"
        "def refuse(*_, **__): raise SystemExit('sqlite3 was used')\n"
        "sqlite3.connect = sqlite3.dbapi2.connect = refuse\n"
    )
    with (
        running(settings=WITHOUT_MODEL, env={"PYTHONPATH": str(tmp_path)}) as daemon,
        daemon.connect() as connection,
    ):
        bank = Agent(connection)
        bank.add("The spare laptop is in locker nine")
        assert bank.lexical("laptop") == ["The spare laptop is in locker nine"]


async def test_no_extension_can_be_loaded(tmp_path: Path) -> None:
    """95: a bank's connection refuses to load one, so nothing of it can rest on one."""
    async with opened(tmp_path / "b") as bank:
        with pytest.raises(BankError):
            await bank.read(lambda c: c.execute("SELECT load_extension('fts5')").fetchall())
        assert await bank.read(lambda c: c.execute("SELECT 1").fetchone()) == (1,)
