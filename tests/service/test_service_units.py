"""The service managers' files as they are filled in, without a manager."""

from __future__ import annotations

import os
import plistlib
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from support.wheel import ROOT

from cognid.paths import Places
from cognid.protocol.errors import ERRORS, CognidError
from cognid.service import units

COMMAND: Final = Path("/opt/cognid/bin/cognid")
PLACES: Final = Places(
    Path("/home/ann/.local/share/cognid"),
    Path("/home/ann/.config/cognid"),
    Path("/run/user/1000/cognid/bridge.sock"),
)
# What ends a start in the same way each time, and what may pass.
FINAL: Final = (
    "already_running",
    "configuration_invalid",
    "credential_unsafe",
    "folder_unsafe",
    "grants_damaged",
    "key_missing",
    "key_wrong",
    "schema_newer",
    "socket_path_too_long",
)
PASSING: Final = ("internal", "storage_failed", "storage_full")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of this machine's person moves a folder."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "COGNID_SOCKET"):
        monkeypatch.delenv(name, raising=False)


def values(unit: str, key: str) -> list[str]:
    """Give the values of a key in a unit's text."""
    return [line.partition("=")[2] for line in unit.splitlines() if line.startswith(f"{key}=")]


def analyze(*words: str | Path, runtime: Path) -> subprocess.CompletedProcess[str]:
    """Run systemd-analyze, or skip where there is none."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run(
        ["systemd-analyze", *words],
        capture_output=True,
        text=True,
        timeout=20,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
    )


def written(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write units into a folder; the program they name must exist for systemd-analyze."""
    for name, text in texts.items():
        (folder / name).write_text(text.replace(str(COMMAND), "/bin/true"))
    return [folder / name for name in texts]


def test_units_name_the_command_the_socket_and_our_folders() -> None:
    """Each placeholder is filled with the place that client and daemon agree on."""
    filled = units.user_units(COMMAND, PLACES)
    service, socket = filled["cognid.service"], filled["cognid.socket"]
    assert values(service, "ExecStart") == ["/opt/cognid/bin/cognid serve"]
    assert values(socket, "ListenStream") == [str(PLACES.socket)]
    assert values(service, "ReadWritePaths") == [f"-{PLACES.data} -{PLACES.configuration}"]
    assert values(service, "Environment") == []


def test_only_variables_that_are_set_are_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The person's own places go into the unit, quoted; nothing else of the environment does."""
    monkeypatch.setenv("XDG_DATA_HOME", '/data/50% "mine"')
    monkeypatch.setenv("SECRET_TOKEN", "not yours")
    service = units.user_units(COMMAND, PLACES)["cognid.service"]
    assert values(service, "Environment") == [r'"XDG_DATA_HOME=/data/50%% \"mine\""']
    assert "SECRET_TOKEN" not in service


def test_odd_paths_are_quoted_for_systemd() -> None:
    """Spaces, specifiers and dollar signs in a path mean themselves; a line feed is refused."""
    odd = Places(Path("/a b/100%"), Path("/c"), Path("/s"))
    service = units.user_units(Path("/x $y/cognid"), odd)["cognid.service"]
    assert values(service, "ExecStart") == ['"/x $y/cognid" serve']
    assert values(service, "ReadWritePaths") == ['"-/a b/100%%" -/c']
    with pytest.raises(CognidError):
        units.user_units(Path("/x\nExecStartPre=/bin/sh"), odd)


def test_statuses_that_are_not_tried_again_are_those_of_lasting_causes() -> None:
    """RestartPreventExitStatus covers every lasting cause of a failed start and no passing one."""
    for text in (
        units.user_units(COMMAND, PLACES)["cognid.service"],
        units.system_unit(COMMAND),
    ):
        (line,) = values(text, "RestartPreventExitStatus")
        prevented = {int(word) for word in line.split()}
        assert {ERRORS[code].exit for code in FINAL} <= prevented
        assert not {ERRORS[code].exit for code in PASSING} & prevented


def test_no_unit_can_reach_a_network() -> None:
    """Only Unix sockets, with and without namespaces."""
    for text in (
        units.user_units(COMMAND, PLACES)["cognid.service"],
        units.system_unit(COMMAND),
    ):
        assert values(text, "RestrictAddressFamilies") == ["AF_UNIX"]
        assert values(text, "PrivateNetwork") == ["yes"]
    assert "RestrictAddressFamilies" not in units.no_namespaces()


def test_without_namespaces_every_mount_is_given_up_and_no_filter() -> None:
    """The drop-in undoes what needs a namespace or a capability, and nothing else."""
    service = units.user_units(COMMAND, PLACES)["cognid.service"]
    given_up = {
        line.partition("=")[0] for line in units.no_namespaces().splitlines() if "=" in line
    }
    prefixes = ("Private", "Protect", "ProcSubset", "ReadWritePaths", "CapabilityBoundingSet")
    mounted = {
        line.partition("=")[0]
        for line in service.splitlines()
        if "=" in line and line.startswith(prefixes)
    }
    assert given_up == mounted


@pytest.mark.parametrize(("scope", "threshold"), [("user", 10), ("system", 6)])
def test_the_sandbox_scores_well(tmp_path: Path, scope: str, threshold: int) -> None:
    """systemd's own score: the user unit at most 1.0, the system unit at most 0.6 (of 10)."""
    texts = units.user_units(COMMAND, PLACES)
    if scope == "system":
        texts = {"cognid@ann.service": units.system_unit(COMMAND)}
    path = next(path for path in written(tmp_path, texts) if path.suffix == ".service")
    done = analyze("--offline=yes", f"--threshold={threshold}", "security", path, runtime=tmp_path)
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


@pytest.mark.parametrize("scope", ["user", "system"])
def test_systemd_understands_every_line(tmp_path: Path, scope: str) -> None:
    """`systemd-analyze verify` has nothing to say."""
    texts = units.user_units(COMMAND, PLACES)
    if scope == "system":
        texts = {"cognid@ann.service": units.system_unit(COMMAND).replace("User=%i", "User=root")}
    paths = written(tmp_path, texts)
    done = analyze(f"--{scope}", "verify", *paths, runtime=tmp_path)
    ours = [line for line in done.stderr.splitlines() if "cognid" in line]
    assert done.returncode == 0 and not ours, done.stderr


def agent(command: Path) -> dict[str, Any]:
    """Give the launchd agent for a command."""
    text = units.launchd_agent(command, Path("/Users/ann/Library/Logs/cognid.log"))
    parsed: dict[str, Any] = plistlib.loads(text.encode())
    return parsed


def test_the_launchd_agent_is_a_property_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any path fits into the XML; limits, throttle and variables are there."""
    monkeypatch.setenv("XDG_DATA_HOME", "/data/<&>")
    parsed = agent(Path("/A & B/<cognid>"))
    assert parsed["ProgramArguments"][-1] == "/A & B/<cognid>"
    assert parsed["EnvironmentVariables"] == {"XDG_DATA_HOME": "/data/<&>"}
    assert parsed["KeepAlive"] == {"SuccessfulExit": False}
    assert parsed["ThrottleInterval"] == 30
    assert parsed["Umask"] == 0o077


def launched(tmp_path: Path, script: str) -> Sequence[str]:
    """Give the agent's command line with a small program in the daemon's place."""
    stand_in = tmp_path / "cognid"
    stand_in.write_text(f"#!/bin/sh\n{script}\n")
    stand_in.chmod(0o755)
    words: list[str] = agent(stand_in)["ProgramArguments"]
    return words


@pytest.mark.parametrize(
    ("ended", "seen"), [(0, 0), (70, 70), (73, 0), (74, 74), (76, 0), (77, 0), (78, 0)]
)
def test_launchd_is_told_not_to_try_again(tmp_path: Path, ended: int, seen: int) -> None:
    """The shell between turns the lasting statuses into 0, which launchd leaves alone."""
    words = launched(tmp_path, f'test "$1" = serve || exit 99; exit {ended}')
    assert subprocess.run(words, timeout=10).returncode == seen


def test_a_request_to_stop_reaches_the_daemon_under_launchd(tmp_path: Path) -> None:
    """SIGTERM goes on to the daemon, and its own clean end is waited for."""
    done = tmp_path / "done"
    script = (
        f"trap 'sleep 0.2; echo clean >{done}; exit 0' TERM; echo up >{tmp_path}/up; "
        "while :; do sleep 0.05; done"
    )
    process = subprocess.Popen(launched(tmp_path, script))
    while not (tmp_path / "up").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 0
    assert done.read_text() == "clean\n"


def test_a_checkout_and_a_wheel_have_the_same_templates() -> None:
    """Each template that the code names lies in packaging/, which the wheel takes whole."""
    names = (
        "systemd/user/cognid.socket",
        "systemd/user/cognid.service",
        "systemd/user/cognid.service.d/no-namespaces.conf",
        "systemd/system/cognid@.service",
        "launchd/ai.cognid.daemon.plist",
    )
    found = sorted(
        str(path.relative_to(ROOT / "packaging"))
        for folder in ("systemd", "launchd")
        for path in (ROOT / "packaging" / folder).rglob("*")
        if path.is_file()
    )
    assert found == sorted(names)
