"""A changed model or setting is taken over while the daemon runs; what cannot be used is said."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import DaemonProcess, RawConnection, running
from support.talk import Agent

from cognid_models import PACKAGE_FOLDER, read_manifest


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the package's model."""
    folder = tmp_path / "model"
    folder.mkdir()
    manifest = read_manifest()
    for name in ("manifest.toml", manifest.model.file, manifest.tokenizer.file):
        shutil.copy(PACKAGE_FOLDER / name, folder / name)
    return folder


@pytest.fixture
def daemon(model: Path) -> Iterator[DaemonProcess]:
    """A daemon with that model."""
    with running(settings=f'[model]\nfolder = "{model}"\n') as started:
        yield started


def settings_file(daemon: DaemonProcess) -> Path:
    """Its config.toml."""
    return daemon.places.configuration / "config.toml"


def status_when(
    connection: RawConnection, wanted: Callable[[dict[str, Any]], bool], seconds: float = 15
) -> dict[str, Any]:
    """The first status that is as wanted."""
    until = time.monotonic() + seconds
    while True:
        status = connection.result("status")
        if wanted(status):
            return status
        assert time.monotonic() < until, status
        time.sleep(0.05)


def codes(status: dict[str, Any]) -> set[str]:
    """The codes of what is not as it should be."""
    return {finding["code"] for finding in status["findings"]}


def test_another_model_is_taken_over(daemon: DaemonProcess, model: Path) -> None:
    """A manifest of another space is loaded in the background, and every memory embedded anew."""
    with daemon.connect() as connection:
        agent = Agent(connection)
        agent.add("The spare key hangs in the hall")
        agent.wait_indexed()
        before = connection.result("status")["model"]["space_id"]
        text = (model / "manifest.toml").read_text()
        (model / "manifest.toml").write_text(
            text.replace("overlap_tokens = ", "overlap_tokens = 1")
        )
        after = status_when(connection, lambda s: s["model"]["space_id"] != before)
        assert after["model"]["state"] == "ready"
        agent.wait_indexed()
        status_when(connection, lambda s: s["health"] == "green")
        report = agent.result("index.status")
        assert report["space_id"] == after["model"]["space_id"]
        live = [one for one in report["generations"] if one["state"] == "live"]
        assert [one["space_id"] for one in live] == [report["space_id"]]
        assert agent.vector("where is the key?") == ["The spare key hangs in the hall"]


def test_a_spoiled_model_file_stays_out(daemon: DaemonProcess, model: Path) -> None:
    """What does not fit its hash is not used: the loaded model goes on, and health says so."""
    with daemon.connect() as connection:
        agent = Agent(connection)
        agent.add("The spare key hangs in the hall")
        agent.wait_indexed()
        tokenizer = model / read_manifest().tokenizer.file
        whole = tokenizer.read_bytes()
        tokenizer.write_bytes(whole[:-1] + b" ")
        status = status_when(connection, lambda s: "model_kept" in codes(s))
        assert status["model"]["state"] == "ready"
        assert agent.vector("where is the key?") == ["The spare key hangs in the hall"]
        tokenizer.write_bytes(whole)
        status_when(connection, lambda s: s["health"] == "green")


def test_a_model_that_comes_later_is_used(model: Path, tmp_path: Path) -> None:
    """Started without its model, the daemon takes it up once it is there; nothing is lost."""
    hidden = model.rename(tmp_path / "hidden")
    model.mkdir()
    settings = f'[model]\nfolder = "{model}"\n'
    with running(settings=settings) as daemon, daemon.connect() as connection:
        agent = Agent(connection)
        agent.add("The spare key hangs in the hall")
        status_when(connection, lambda s: "model_missing" in codes(s))
        for name in hidden.iterdir():
            shutil.copy(name, model / name.name)
        status_when(connection, lambda s: s["model"]["state"] == "ready")
        agent.wait_indexed()
        assert agent.vector("where is the key?") == ["The spare key hangs in the hall"]


def wait_for_the_users_turns_alone(agent: Agent) -> None:
    """Wait until the setting holds that keeps no other turns."""
    until = time.monotonic() + 15
    number = 0
    while agent.remember(f"And so on {number}", "assistant")["outcome"] == "committed":
        assert time.monotonic() < until
        number += 1
        time.sleep(0.05)


def test_what_changes_while_a_model_loads_is_taken_over(daemon: DaemonProcess, model: Path) -> None:
    """Settings, and files of the model, that are changed while a model is being loaded hold too."""
    tokenizer = model / read_manifest().tokenizer.file
    whole = tokenizer.read_bytes()
    with daemon.connect() as connection:
        status_when(connection, lambda s: s["model"]["state"] == "ready")
        agent = Agent(connection)
        assert agent.remember("The bins go out on Monday", "assistant")["outcome"] == "committed"
        time.sleep(0.5)  # until it watches
        os.mkfifo(model / "pipe")
        (model / "pipe").replace(tokenizer)
        with tokenizer.open("wb"):  # once the daemon reads it, and until it may go on
            (model / "spare").write_bytes(whole)
            (model / "spare").replace(tokenizer)
            file = settings_file(daemon)
            file.write_text(file.read_text() + '[intake]\nroles = ["user"]\n')
        wait_for_the_users_turns_alone(agent)
        status_when(connection, lambda s: s["health"] == "green")


def test_settings_are_taken_over(daemon: DaemonProcess) -> None:
    """A changed setting holds without a restart; a typing error changes nothing and is said."""
    file = settings_file(daemon)
    good = file.read_text()
    with daemon.connect() as connection:
        status_when(connection, lambda s: s["model"]["state"] == "ready")
        agent = Agent(connection)
        assert agent.remember("The bins go out on Monday", "assistant")["outcome"] == "committed"
        time.sleep(0.5)  # until it watches
        file.write_text(good + '[intake]\nroles = ["user"]\n')
        wait_for_the_users_turns_alone(agent)
        file.write_text("[intake\n")
        status_when(connection, lambda s: "configuration_invalid" in codes(s))
        assert agent.remember("Still so", "assistant")["outcome"] == "rejected"
        file.write_text(good)
        status_when(connection, lambda s: s["health"] == "green")
        assert agent.remember("Again", "assistant")["outcome"] == "committed"


def test_settings_nested_too_deeply_end_no_reloading(daemon: DaemonProcess) -> None:
    """What the parser cannot get to the bottom of is said like a typing error, and what comes after
    it is taken over."""
    file = settings_file(daemon)
    good = file.read_text()
    with daemon.connect() as connection:
        status_when(connection, lambda s: s["model"]["state"] == "ready")
        file.write_text(f"deep = {'[' * 5_000}\n")
        status_when(connection, lambda s: "configuration_invalid" in codes(s))
        file.write_text(good)
        status_when(connection, lambda s: s["health"] == "green")
