"""The streams and files of a command whose world is not as it should be: a full disk, closed
descriptors, a signal in the middle."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import COMMAND, INTERRUPTIBLE, call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid.credentials import new_credential, save_credential


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module, without a model."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_answer_that_a_full_disk_refuses_is_no_answer(
    shared: DaemonProcess, unbuffered: str
) -> None:
    """Status 74 and one line, not the 1 of "nothing was stored" with a traceback: it was stored."""
    environment = {**shared.environment, "PYTHONUNBUFFERED": unbuffered}
    whose = ("--agent", f"full{unbuffered}")
    stores, fails = ("remember", "-", *whose), ("show", "mem_no", *whose, "--json")
    for words in (stores, (*stores, "--json"), fails):
        with Path("/dev/full").open("wb") as full:
            ran = subprocess.run(
                [COMMAND, *words],
                env=environment,
                input=b"The tide table hangs beside the door.",
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        said = ran.stderr.decode()
        assert ran.returncode == (64 if words == fails else 74)
        assert "not all was read or written: No space left on device" in said
        assert "Traceback" not in said
        assert "tide" not in said
    assert "tide table" in call_command(environment, "list", *whose).text


def test_a_verb_whose_streams_are_closed_does_its_work(shared: DaemonProcess) -> None:
    """Without standard input, output and error it ends as it would with them."""
    script = f"{COMMAND} remember 'The tide is high.' --agent closed <&- >&- 2>&-; echo $?"
    ran = subprocess.run(
        ["bash", "-c", script],
        env=dict(shared.environment),
        capture_output=True,
        check=True,
    )
    assert ran.stdout == b"0\n"
    assert "The tide is high." in call_command(shared.environment, "list", "--agent", "closed").text


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_export_that_is_ended_leaves_no_file(tmp_path: Path, ending: signal.Signals) -> None:
    """A window that is closed, a kill, Ctrl-C: what was written so far holds memories, and goes."""
    out = tmp_path / "out"
    out.mkdir()
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    save_credential(new_credential("owner"), tmp_path / "secret/owner.json")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(folder / "bridge.sock"))
        (folder / "bridge.sock").chmod(0o600)
        silent.listen()
        environment = {
            "COGNID_SOCKET": str(folder / "bridge.sock"),
            "COGNID_CREDENTIAL": str(tmp_path / "secret/owner.json"),
        }
        with subprocess.Popen(
            [*INTERRUPTIBLE, COMMAND, "export", str(out / "bank.jsonl")],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            caller, _ = silent.accept()
            caller.recv(1)
            assert [one.name for one in out.iterdir()] == ["bank.jsonl.part"]
            process.send_signal(ending)
            _, errors = process.communicate(timeout=20)
            caller.close()
    assert process.returncode == 128 + ending
    assert b"Traceback" not in errors
    assert list(out.iterdir()) == []
