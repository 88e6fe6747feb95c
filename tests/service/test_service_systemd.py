"""Cognid as a real systemd user service: activation, restarts, limits, sandbox, install and out."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import pytest
from support.installed import DROP_INS, ENVIRONMENT, SOCKET, UNITS, Installed
from support.servicemanager import HOME

pytestmark = [pytest.mark.service, pytest.mark.root]

DATA: Final = HOME / ".local/share/cognid"
SERVICE: Final = "cognid.service"
# Tries what the sandbox must refuse, and what it must leave possible, and writes down how it went.
PROBE: Final = """
import json, mmap, os, pathlib, socket, sys
def tried(action):
    try:
        action()
    except OSError as error:
        return error.errno
    return 0
W, X, R = mmap.PROT_WRITE, mmap.PROT_EXEC, mmap.PROT_READ
home = pathlib.Path.home()
found = {
    "inet": tried(lambda: socket.socket(socket.AF_INET)),
    "inet6": tried(lambda: socket.socket(socket.AF_INET6)),
    "netlink": tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
    "unix": tried(lambda: socket.socket(socket.AF_UNIX)),
    "write_and_execute": tried(lambda: mmap.mmap(-1, 4096, prot=W | X | R)),
    "write_home": tried(lambda: (home / "stray").write_text("x")),
    "write_data": tried(lambda: (home / ".local/share/cognid/probe").write_text("x")),
    "temporary_files": len(os.listdir("/tmp")),
}
(home / ".local/share/cognid/probe").write_text(json.dumps(found))
"""
EAFNOSUPPORT, EACCES, EPERM, EROFS = 97, 13, 1, 30


def number(service: Installed, name: str) -> int:
    """Give a number that the manager keeps of the service."""
    return int(service.manager.show(SERVICE, name))


def wait_for(service: Installed, state: str, seconds: float = 10) -> float:
    """Wait until the service is in a state."""
    manager = service.manager
    return manager.wait_until(
        lambda: manager.show(SERVICE, "ActiveState") == state, seconds, f"{SERVICE} {state}"
    )


def probe(service: Installed) -> dict[str, Any]:
    """Run the probe under exactly the options of the installed service."""
    dropped = ("Type=", "NotifyAccess=", "ExecStart=", "Restart", "Watchdog", "Requires=", "After=")
    unit = service.manager.systemctl("cat", SERVICE)
    kept = [line for line in unit.splitlines() if not line.startswith(dropped)]
    script = HOME / "probe.py"
    service.manager.write(script, PROBE)
    run = f"[Service]\nType=oneshot\nExecStart={ENVIRONMENT}/bin/python {script}"
    service.manager.write(UNITS / "probe.service", "\n".join([*kept, run, ""]))
    service.manager.systemctl("daemon-reload")
    service.manager.systemctl("start", "probe.service")
    found: dict[str, Any] = json.loads(service.manager.read(DATA / "probe"))
    return found


def test_the_first_caller_starts_the_daemon(service: Installed) -> None:
    """systemd holds the socket; a connection starts the daemon, which answers it when ready."""
    assert service.manager.show(SERVICE, "ActiveState") == "inactive"
    assert service.call("ping") == {"outcome": "pong"}
    assert service.manager.show(SERVICE, "ActiveState") == "active"
    assert service.manager.show(SERVICE, "StatusText") == "Ready"


def test_the_socket_is_the_users_alone(service: Installed) -> None:
    """The socket is 0600 in a 0700 folder before any daemon runs."""
    shown = service.manager.run(["stat", "--format=%a %U", SOCKET, SOCKET.parent]).stdout
    assert shown.splitlines() == ["600 tester", "700 tester"]


def test_what_was_acknowledged_survives_kill_9(service: Installed) -> None:
    """After kill -9 systemd starts the daemon again and it still knows what it acknowledged."""
    outcome = service.call("add", "The spare keys hang behind the blue door")["outcome"]
    assert outcome in {"committed", "duplicate"}
    first = service.manager.main_process(SERVICE)
    service.manager.run(["kill", "-9", str(first)])
    service.manager.wait_until(
        lambda: service.manager.show(SERVICE, "MainPID") not in {"0", str(first)}, 10, "a restart"
    )
    answer = service.call("recall", "Where are the spare keys?")
    assert answer["hits"][0]["text"] == "The spare keys hang behind the blue door"
    assert number(service, "NRestarts") == 1


def test_the_model_answers_inside_the_sandbox(service: Installed) -> None:
    """Nothing that the model, the scan or the cipher needs is refused: both pipelines answer."""
    service.call("add", "The spare keys hang behind the blue door")
    service.manager.wait_until(
        lambda: (
            {"lexical", "vector"}
            == {
                name
                for name, state in service.call("recall", "the blue door")["pipelines"].items()
                if state["state"] == "ready"
            }
        ),
        15,
        "both pipelines",
    )


def test_the_process_has_no_privileges_left(service: Installed) -> None:
    """No new privileges, a filter of system calls, no capability, no core."""
    assert service.answers()
    assert service.manager.status(SERVICE, "NoNewPrivs") == "1"
    assert service.manager.status(SERVICE, "Seccomp") == "2"
    assert int(service.manager.status(SERVICE, "CapBnd"), 16) == 0
    assert number(service, "LimitCORE") == 0


def test_the_sandbox_refuses_the_network_and_the_home(service: Installed) -> None:
    """Under the service's options no internet socket can be made, and only our folders written."""
    found = probe(service)
    assert found["inet"] == found["inet6"] == found["netlink"] == EAFNOSUPPORT
    assert found["unix"] == found["write_data"] == 0
    assert found["write_and_execute"] in {EACCES, EPERM}
    assert found["write_home"] == EROFS
    assert found["temporary_files"] == 0


def test_a_hung_daemon_is_replaced(service: Installed) -> None:
    """A daemon that no longer ticks is killed and started again within the period and 2 s."""
    service.drop_in("WatchdogSec=1")
    assert service.answers()
    hung = service.manager.main_process(SERVICE)
    service.manager.run(["kill", "-STOP", str(hung)])
    took = service.manager.wait_until(
        lambda: service.manager.show(SERVICE, "MainPID") not in {"0", str(hung)}, 10, "a restart"
    )
    assert took < 3
    assert service.answers()


def test_a_wrong_configuration_is_not_tried_again(service: Installed) -> None:
    """Status 78 ends it: no restart, and a caller that keeps knocking is not answered for ever."""
    service.manager.write(HOME / ".config/cognid/config.toml", "no_such_setting = 1\n")
    service.manager.systemctl("start", SERVICE, check=False)
    wait_for(service, "failed")
    time.sleep(1)  # twice RestartSec: a restart would show by now
    assert number(service, "ExecMainStatus") == 78
    assert number(service, "NRestarts") == 0


def test_a_caller_cannot_make_it_start_for_ever(service: Installed) -> None:
    """Each connection starts it anew, five times; then the socket closes and says so."""
    service.manager.write(HOME / ".config/cognid/config.toml", "no_such_setting = 1\n")
    knock = (
        "import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(9); "
        f"s.connect('{SOCKET}'); s.recv(1)"
    )
    service.manager.run([ENVIRONMENT / "bin/python", "-c", knock], check=False)
    service.manager.wait_until(
        lambda: service.manager.show("cognid.socket", "ActiveState") == "failed", 10, "the socket"
    )
    state = service.cognid("service", "status", "--json", check=False)
    assert state.returncode == 1
    assert "stopped after failing" in json.loads(state.stdout)["notes"][-1]


def test_a_second_daemon_is_not_tried_again(service: Installed) -> None:
    """Where another daemon holds the data the service ends with 73 and is not started again."""
    service.drop_in(
        # The lock outlives the process that took it: its child keeps the file open.
        f"ExecStartPre=/bin/sh -c 'exec 9>>{DATA}/lock; flock 9; sleep 3 9>&9 &'"
    )
    service.manager.systemctl("start", SERVICE, check=False)
    wait_for(service, "failed")
    assert number(service, "ExecMainStatus") == 73
    assert number(service, "NRestarts") == 0


def test_the_master_key_can_come_as_a_credential(service: Installed) -> None:
    """With LoadCredential= no key file is needed, and the daemon opens what the key sealed."""
    service.call("add", "The spare keys hang behind the blue door")
    service.manager.systemctl("stop", SERVICE)
    kept, given = HOME / ".config/cognid/master.key", HOME / "given.key"
    service.manager.run(["mv", kept, given])
    try:
        service.drop_in(f"LoadCredential=cognid-master-key:{given}")
        answer = service.call("recall", "Where are the spare keys?")
        assert answer["outcome"] == "hits"
        assert service.manager.run(["ls", kept], check=False).returncode != 0
    finally:
        service.manager.run(["mv", given, kept])


def test_stop_ends_it_and_the_next_caller_starts_it(service: Installed) -> None:
    """A requested end is no failure: it stays down until somebody asks again."""
    assert service.answers()
    service.manager.systemctl("stop", SERVICE)
    assert service.manager.show(SERVICE, "Result") == "success"
    assert service.manager.show("cognid.socket", "ActiveState") == "active"
    assert service.answers()


def test_where_namespaces_are_refused_it_runs_and_says_so(service: Installed) -> None:
    """Without namespaces install gives up the mounts, keeps the filters, and says both."""
    service.manager.run(["rmdir", "/run/systemd/unit-root"], as_root=True)  # services pivot into it
    try:
        report = json.loads(service.cognid("service", "install", "--json").stdout)
        assert any("smaller sandbox" in note for note in report["notes"])
        assert str(DROP_INS / "no-namespaces.conf") in report["files"]
        assert service.answers()
        found = probe(service)
        assert found["inet"] == found["inet6"] == EAFNOSUPPORT
        assert service.manager.status(SERVICE, "NoNewPrivs") == "1"
    finally:
        service.manager.run(["mkdir", "/run/systemd/unit-root"], as_root=True)
    again = json.loads(service.cognid("service", "install", "--json").stdout)
    assert str(DROP_INS / "no-namespaces.conf") not in again["files"]
    assert probe(service)["write_home"] == EROFS


def test_install_says_what_it_did_and_offers_linger(service: Installed) -> None:
    """Installing prints files, undo and the command that keeps it over logouts; twice is fine."""
    shown = service.cognid("service", "install").stdout
    assert f"file     {UNITS}/cognid.socket" in shown
    assert "undo     cognid service uninstall" in shown
    assert "loginctl enable-linger tester" in shown
    assert "sudo" not in shown
    modes = service.manager.run(
        ["stat", "--format=%a", UNITS / "cognid.socket", UNITS / "cognid.service"]
    )
    assert modes.stdout.split() == ["644", "644"]


def test_status_shows_the_units(service: Installed) -> None:
    """Status names both units, their state, their files and linger; JSON says the same."""
    state = json.loads(service.cognid("service", "status", "--json").stdout)
    assert state["listening"] is True
    assert [unit["name"] for unit in state["units"]] == ["cognid.socket", SERVICE]
    assert state["units"][0]["enabled"] == "enabled"
    assert state["units"][1]["path"] == str(UNITS / SERVICE)
    assert state["linger"] is None  # there is no logind in the namespaces
    assert "cognid.socket    active, enabled" in service.cognid("service", "status").stdout


def test_uninstall_leaves_the_memories(service: Installed) -> None:
    """Uninstalling removes the units and says where the memories lie; they are still there."""
    service.call("add", "The boiler was serviced in May")
    shown = service.cognid("service", "uninstall").stdout
    try:
        assert str(DATA) in shown
        assert service.manager.show("cognid.socket", "LoadState") == "not-found"
        assert service.manager.run(["ls", UNITS / SERVICE], check=False).returncode != 0
        assert service.manager.run(["ls", DATA / "catalog.db"]).returncode == 0
        assert service.cognid("service", "status", check=False).returncode == 1
    finally:
        service.cognid("service", "install")
    assert service.call("recall", "When was the boiler serviced?")["hits"]


def test_a_daemon_started_by_hand_is_not_robbed_of_its_socket(service: Installed) -> None:
    """Install refuses while another daemon listens: systemd would take its socket's path."""
    service.manager.systemctl("stop", "cognid.socket")
    by_hand = f"{ENVIRONMENT}/bin/cognid serve >/dev/null 2>&1 </dev/null & echo $!"
    process = service.manager.run(["sh", "-c", by_hand]).stdout.strip()
    assert int(process) > 1
    try:
        service.manager.wait_until(service.answers, 20, "the daemon")
        done = service.cognid("service", "install", check=False)
        assert done.returncode == 73
        assert "started by hand" in done.stderr
        assert service.answers()
    finally:
        service.manager.run(["kill", process])
        service.manager.wait_until(lambda: not service.answers(), 10, "its end")


def test_without_a_manager_it_says_so(service: Installed) -> None:
    """Where no user manager answers, install changes nothing, says why, and ends with 69."""
    environment = {"XDG_RUNTIME_DIR": str(HOME / "nothing"), "XDG_CONFIG_HOME": str(HOME / "other")}
    done = service.cognid("service", "install", check=False, environment=environment)
    assert done.returncode == 69
    assert "no systemd user manager answers" in done.stderr
    assert "Traceback" not in done.stderr
    assert service.manager.run(["ls", HOME / "other"], check=False).returncode != 0
