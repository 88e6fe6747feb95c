"""The template unit of the system manager, run by a real one, for a user who never logs in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from support.installed import CALLER
from support.servicemanager import ServiceManager, missing, service_manager
from support.wheel import ROOT

pytestmark = [pytest.mark.service, pytest.mark.root]

UNIT: Final = "cognid@tester.service"
ENVIRONMENT: Final = Path("/opt/cognid")
STATE: Final = Path("/var/lib/cognid-tester")
CALLERS_VARIABLES: Final = {
    "COGNID_SOCKET": "/run/cognid-tester/bridge.sock",
    "COGNID_CREDENTIAL": f"{STATE}/config/cognid/credentials/owner.json",
}


def python_outside_homes() -> str | None:
    """Give a Python of this version that the unit does not hide, or None."""
    own = Path(sys.base_prefix)
    if not any(own.is_relative_to(home) for home in ("/root", "/home")):
        return sys.executable
    named = [
        Path(folder, f"python3.{sys.version_info.minor}")
        for folder in ("/usr/local/bin", "/usr/bin")
    ]
    return next((str(path) for path in named if path.exists()), None)


@pytest.fixture(scope="module")
def system(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceManager]:
    """A system manager in which root ran `cognid service install --system`."""
    reason = missing()
    base = python_outside_homes()
    if reason or base is None:
        pytest.skip(f"no system manager: {reason or 'this Python lies in a home'}")
    visible = [Path(sys.base_prefix), ROOT, wheel.parent]
    log = tmp_path_factory.mktemp("manager") / "log"
    with service_manager("system", visible, log) as manager:
        program = ROOT / "tests/support/wheel.py"
        manager.run(
            [sys.executable, program, ENVIRONMENT, wheel, base, "daemon"], as_root=True, timeout=60
        )
        install(manager)
        yield manager


def install(system: ServiceManager) -> None:
    """Do what docs/operations.md says for a box without a login."""
    cognid = ENVIRONMENT / "bin/cognid"
    shown = system.run([cognid, "service", "install", "--system"], as_root=True).stdout
    assert "systemctl enable --now cognid@NAME.service" in shown
    system.systemctl("enable", "--now", UNIT)


def test_the_user_reaches_the_daemon_of_the_system_unit(system: ServiceManager) -> None:
    """With the two variables of the docs the user's programs reach it, sandboxed as it is."""
    python = ENVIRONMENT / "bin/python"
    for verb, text in (("add", "The pump runs at night"), ("recall", "when does the pump run")):
        done = system.run([python, "-c", CALLER, verb, text], environment=CALLERS_VARIABLES)
        assert "pump" in done.stdout or "committed" in done.stdout
    assert system.status(UNIT, "NoNewPrivs") == "1"
    assert system.status(UNIT, "Seccomp") == "2"
    assert int(system.status(UNIT, "CapBnd"), 16) == 0


def test_the_master_key_can_come_as_an_encrypted_credential(system: ServiceManager) -> None:
    """`systemd-creds encrypt` seals the key to this machine; the key file can then go."""
    key = STATE / "config/cognid/master.key"
    drop_in = Path("/etc/systemd/system/cognid@.service.d/key.conf")
    system.run(["mkdir", "-p", "/etc/systemd/credstore"], as_root=True)
    sealed = Path("/etc/systemd/credstore/cognid-master-key")
    words = ["systemd-creds", "encrypt", "--with-key=host", "--name=cognid-master-key"]
    system.run(["mkdir", "-p", "/var/lib/systemd"], as_root=True)  # where the host's secret lies
    system.run([*words, key, sealed], as_root=True)
    system.write(
        drop_in, f"[Service]\nLoadCredentialEncrypted=cognid-master-key:{sealed}\n", as_root=True
    )
    system.run(["mv", key, f"{key}.kept"], as_root=True)
    try:
        system.systemctl("daemon-reload")
        system.systemctl("restart", UNIT)
        done = system.run(
            [ENVIRONMENT / "bin/python", "-c", CALLER, "ping", ""], environment=CALLERS_VARIABLES
        )
        assert "pong" in done.stdout
    finally:
        system.run(["mv", f"{key}.kept", key], as_root=True)
        system.run(["rm", drop_in], as_root=True)
        system.systemctl("daemon-reload")


def test_its_folders_are_the_users_alone(system: ServiceManager) -> None:
    """The runtime and the state folder belong to the user, 0700."""
    shown = system.run(["stat", "--format=%a %U", "/run/cognid-tester", STATE]).stdout
    assert shown.splitlines() == ["700 tester", "700 tester"]


def test_it_comes_back_after_kill_9(system: ServiceManager) -> None:
    """The system's manager starts it again after kill -9."""
    first = system.main_process(UNIT)
    system.run(["kill", "-9", str(first)])
    system.wait_until(
        lambda: (
            system.show(UNIT, "ActiveState") == "active"
            and system.show(UNIT, "MainPID") not in {"0", str(first)}
        ),
        10,
        "a restart",
    )
    done = system.run(
        [ENVIRONMENT / "bin/python", "-c", CALLER, "ping", ""], environment=CALLERS_VARIABLES
    )
    assert "pong" in done.stdout


def test_uninstalling_stops_every_instance_and_leaves_the_memories(system: ServiceManager) -> None:
    """The unit, its links and its processes go; what lies in /var/lib stays and is named."""
    cognid = ENVIRONMENT / "bin/cognid"
    shown = system.run([cognid, "service", "uninstall", "--system"], as_root=True).stdout
    try:
        assert "/var/lib/cognid-NAME" in shown
        assert system.show(UNIT, "LoadState") == "not-found"
        assert system.show(UNIT, "ActiveState") == "inactive"
        left = system.run(
            ["find", "/etc/systemd/system", "-name", "cognid@*", "-not", "-type", "d"]
        )
        assert left.stdout == ""
        system.run(["ls", STATE / "data/cognid/catalog.db"])
    finally:
        install(system)


def test_an_ordinary_user_cannot_install_it(system: ServiceManager) -> None:
    """Without root it refuses, and calls no sudo."""
    done = system.run([ENVIRONMENT / "bin/cognid", "service", "install", "--system"], check=False)
    assert done.returncode == 70
    assert "by root only" in done.stderr
