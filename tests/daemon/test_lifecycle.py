from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, ClosedError, DaemonProcess, running

from cognid.credentials import credential_path
from cognid.protocol.errors import ERRORS
from cognid.protocol.ids import new_operation_id

ALREADY_RUNNING = ERRORS["already_running"].exit
CONFIGURATION = ERRORS["configuration_invalid"].exit

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def daemon() -> Iterator[DaemonProcess]:
    """A started daemon that does not load its model."""
    with running(settings=WITHOUT_MODEL) as started:
        yield started


@pytest.fixture
def cold() -> Iterator[DaemonProcess]:
    """A daemon that is not started, and will not load its model."""
    made = DaemonProcess(settings=WITHOUT_MODEL)
    yield made
    made.close()


def test_second_daemon_says_who_runs_and_ends(daemon: DaemonProcess) -> None:
    """A second daemon on the same data ends with status 73, names the first, harms nothing."""
    assert daemon.run_to_end() == ALREADY_RUNNING
    assert f'code=already_running detail="process {daemon.pid} ' in daemon.log_text()
    with daemon.connect() as connection:
        assert connection.result("status")["pid"] == daemon.pid


def test_daemon_of_other_data_takes_no_socket_away(daemon: DaemonProcess) -> None:
    """A daemon of other data at the same socket ends with status 73: callers of the first one would
    write into its banks, and find nobody once it has ended."""
    run = os.fspath(daemon.home / "run")
    other = DaemonProcess(settings=WITHOUT_MODEL, env={"XDG_RUNTIME_DIR": run})
    try:
        assert other.places.socket == daemon.places.socket
        assert other.run_to_end() == ALREADY_RUNNING
        assert f"a daemon of other data listens at {daemon.places.socket}" in other.log_text()
    finally:
        other.close()
    with daemon.connect() as connection:
        assert connection.result("status")["pid"] == daemon.pid


def test_start_after_kill_needs_no_hand(daemon: DaemonProcess) -> None:
    """After kill -9 the lock is free, the leftover socket is replaced, the start works."""
    daemon.kill9()
    assert daemon.places.socket.exists()
    daemon.start()
    with daemon.connect() as connection:
        assert connection.result("status")["pid"] == daemon.pid


def test_callers_at_once_after_a_kill_all_reach_one_daemon(daemon: DaemonProcess) -> None:
    """Five daemons started at once over a leftover socket: one runs and answers five callers."""
    daemon.kill9()
    others = [daemon.spawn() for _ in range(4)]
    ended: list[int] = []
    try:
        until = time.monotonic() + 15
        while len(ended) < 3 and time.monotonic() < until:
            ended = [status for other in others if (status := other.poll()) is not None]
            time.sleep(0.02)
        assert ended == [ALREADY_RUNNING] * 3
        (winner,) = [other for other in others if other.poll() is None]
        daemon.process = winner
        connections = [daemon.connect() for _ in range(5)]
        assert {one.result("status")["pid"] for one in connections} == {winner.pid}
        for connection in connections:
            connection.close()
    finally:
        for other in others:
            if other.poll() is None and other is not daemon.process:
                other.kill()
            if other is not daemon.process:
                other.wait()


@pytest.mark.parametrize("content", ["1\n", "rubbish"])
def test_stale_process_id_is_no_daemon(cold: DaemonProcess, content: str) -> None:
    """A process id left in the lock file, even of a living process, does not stop the start."""
    cold.places.data.mkdir(parents=True, mode=0o700)
    (cold.places.data / "lock").write_text(content)
    cold.start()
    assert (cold.places.data / "lock").read_text() == f"{cold.pid}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_stops_in_order(daemon: DaemonProcess, number: signal.Signals) -> None:
    """A signal ends the daemon with status 0, in time; the socket's file is gone, the lock free."""
    with daemon.connect() as connection:
        began = time.monotonic()
        os.kill(daemon.pid, number)
        ended = connection.closed_with()
        assert ended is not None
        assert ended["code"] == "shutting_down"
    assert daemon.process is not None
    assert daemon.process.wait(10) == 0
    assert time.monotonic() - began < 5
    assert not daemon.places.socket.exists()
    assert "stopped" in daemon.log_text()
    daemon.start()


def test_shutdown_stops_in_order(daemon: DaemonProcess) -> None:
    """The shutdown operation answers, then the daemon ends with status 0."""
    with daemon.connect() as connection:
        assert connection.result("shutdown") == {"stopping": True}
        with pytest.raises(ClosedError):
            while True:
                connection.read()
    assert daemon.process is not None
    assert daemon.process.wait(10) == 0


def test_second_signal_ends_at_once(daemon: DaemonProcess) -> None:
    """Who signals twice does not wait for the drain."""
    assert daemon.process is not None
    with daemon.connect() as connection:
        # A caller that does not read keeps the drain busy for a moment.
        connection.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"status","params":{}}\n' * 20_000)
        os.kill(daemon.pid, signal.SIGTERM)
        os.kill(daemon.pid, signal.SIGINT)
        status = daemon.process.wait(10)
    # Either may be seen first, and the drain may be over before the second comes.
    assert status in (0, 128 + signal.SIGINT, 128 + signal.SIGTERM)


@pytest.mark.parametrize(
    ("settings", "named"), [('[log]\nlevle="x"\n', "log.levle"), ("[", "not TOML")]
)
def test_wrong_settings_end_with_78(settings: str, named: str) -> None:
    """A wrong config.toml ends the start with a status that means: do not try again."""
    daemon = DaemonProcess(settings=settings)
    assert daemon.run_to_end() == CONFIGURATION
    assert named in daemon.log_text()
    daemon.close()


def test_damaged_grants_end_with_78(daemon: DaemonProcess) -> None:
    """A verifiers.json that is no JSON ends the start; nothing is made in its place."""
    daemon.stop()
    path = daemon.places.data / "verifiers.json"
    path.write_text("{")
    assert daemon.run_to_end() == CONFIGURATION
    assert path.read_text() == "{"
    assert "code=grants_damaged" in daemon.log_text()


def test_lost_master_key_is_not_replaced(daemon: DaemonProcess) -> None:
    """With data there and no key the start ends with 78 and no key is made."""
    daemon.stop()
    key = daemon.places.configuration / "master.key"
    key.unlink()
    assert daemon.run_to_end() == CONFIGURATION
    assert not key.exists()
    assert "code=key_missing" in daemon.log_text()


def test_too_long_socket_path_gets_a_short_one(cold: DaemonProcess) -> None:
    """With a home of 120 bytes and no runtime folder both ends find the same short path."""
    long = cold.home / ("h" * 120)
    long.mkdir(mode=0o700)
    with running(home=long, env={"XDG_RUNTIME_DIR": os.fspath(long / "run")}) as daemon:
        path = daemon.places.socket
        assert path.is_relative_to("/tmp")  # noqa: S108 - the fixed name that both ends agree on
        assert len(os.fsencode(path)) < 104
    path.parent.rmdir()


@linux
@pytest.mark.root
def test_read_only_data_ends_with_78(daemon: DaemonProcess) -> None:
    """A data folder on a read-only file system ends the start with a status that says: a person
    must act, so that a service manager stops trying."""
    daemon.stop()
    script = 'mount --bind -o ro "$1" "$1" && exec "$2" -m cognid_daemon'
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", str(daemon.places.data), sys.executable],
        env=daemon.environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == CONFIGURATION, ended.stderr
    assert "Read-only" in ended.stderr


def test_socket_activation_takes_the_passed_socket(cold: DaemonProcess) -> None:
    """A socket passed by the system is used, and its file is neither bound again nor removed."""
    path = cold.places.socket
    path.parent.mkdir(mode=0o755)
    script = (
        "import os, sys\n"
        "os.dup2(int(sys.argv[1]), 3); os.set_inheritable(3, True)\n"
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'cognid_daemon'])\n"
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as passed:
        passed.bind(os.fspath(path))
        passed.listen()
        inode = path.stat().st_ino
        with cold.log_path.open("ab") as log:
            cold.process = subprocess.Popen(
                [sys.executable, "-c", script, str(passed.fileno())],
                env=cold.environment,
                pass_fds=[passed.fileno()],
                stdout=log,
                stderr=log,
            )
        # The very first start: the caller waits in the backlog while the credential is made.
        until = time.monotonic() + 20
        while not credential_path(cold.places).exists() and time.monotonic() < until:
            time.sleep(0.01)
        with cold.connect() as connection:
            assert connection.result("ping")
        environment = Path(f"/proc/{cold.pid}/environ")
        assert environment.exists() or sys.platform != "linux"
        assert cold.stop() == 0
        assert path.stat().st_ino == inode
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_passed_socket_of_another_kind_is_refused(cold: DaemonProcess) -> None:
    """A passed socket that is no Unix stream listener ends the start with 78."""
    script = (
        "import os, socket, sys\n"
        "one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)\n"
        "os.dup2(one.fileno(), 3); os.set_inheritable(3, True)\n"
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'cognid_daemon'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env=cold.environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == CONFIGURATION
    assert "no Unix stream listener" in ended.stderr


def test_manager_is_told_when_it_is_ready_and_when_it_stops() -> None:
    """READY=1 comes once callers are served, WATCHDOG=1 beside it, STOPPING=1 at the end."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        manager.bind(f"\0cognid-test-{os.getpid()}-{time.monotonic_ns()}")
        manager.settimeout(10)
        address = "@" + manager.getsockname()[1:].decode()
        with running(env={"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"}) as daemon:
            assert manager.recv(1024).startswith(b"READY=1")
            assert manager.recv(1024) == b"WATCHDOG=1"
            assert manager.recv(1024) == b"WATCHDOG=1"
            daemon.stop()
            states = manager.recv(1024)
            while states == b"WATCHDOG=1":
                states = manager.recv(1024)
            assert states.startswith(b"STOPPING=1")


def test_state_survives_a_restart(daemon: DaemonProcess) -> None:
    """The owner's credential stays good over a restart; the instance is a new one."""
    credential = daemon.credential()
    with daemon.connect() as connection:
        first = connection.result("ping")["instance"]
    daemon.restart()
    assert daemon.credential() == credential
    with daemon.connect(credential) as connection:
        assert connection.result("ping")["instance"] != first


@pytest.mark.parametrize("content", [b"CANARYKEY-31-" * 5, b"", b"CANARYKEY" + b"0" * 55])
def test_broken_key_is_refused_and_never_printed(daemon: DaemonProcess, content: bytes) -> None:
    """A key file that holds no key ends the start with 78; nothing of it is printed and nothing
    is written in the clear instead."""
    daemon.stop()
    key = daemon.places.configuration / "master.key"
    whole = key.read_bytes()
    key.write_bytes(content)
    assert daemon.run_to_end() == CONFIGURATION
    assert key.read_bytes() == content
    log = daemon.log_text()
    assert "code=key_wrong" in log
    assert "CANARYKEY" not in log
    key.write_bytes(whole)
    daemon.start()
    assert whole.decode().strip() not in daemon.log_text()


def test_wrong_key_is_refused_and_never_printed(daemon: DaemonProcess) -> None:
    """Another key of the right form ends the start with 78, and neither key is printed."""
    daemon.stop()
    key = daemon.places.configuration / "master.key"
    whole, other = key.read_text(), "5a" * 32
    key.write_text(other)
    assert daemon.run_to_end() == CONFIGURATION
    log = daemon.log_text()
    assert "code=key_wrong" in log
    assert other not in log
    key.write_text(whole)
    daemon.start()


def test_stop_in_the_middle_of_writing_keeps_what_was_acknowledged(
    daemon: DaemonProcess,
) -> None:
    """SIGTERM during a stream of writes: the daemon ends in less than five seconds with status 0,
    each write gets a typed answer, and every acknowledged one is there afterwards."""
    bank = {"owner": "local", "agent": "writer"}
    before, window = 150, 60  # writes sent before the signal; in flight at once
    answers: list[dict[str, Any]] = []
    with daemon.connect() as connection:
        connection.result(
            "bank.ensure", {**bank, "operation_id": new_operation_id(), "enabled": True}
        )
        sent = 0
        began = 0.0
        with contextlib.suppress(ClosedError, BrokenPipeError, ConnectionResetError):
            while True:
                connection.send(
                    "memory.add",
                    {
                        **bank,
                        "operation_id": new_operation_id(),
                        "kind": "fact",
                        "text": f"Shelf number {sent} holds the jar of nails.",
                    },
                    id=f"w{sent}",
                )
                sent += 1
                if sent == before:
                    began = time.monotonic()
                    os.kill(daemon.pid, signal.SIGTERM)
                if sent > window:
                    answers.append(connection.read())
        with contextlib.suppress(ClosedError):
            while True:
                answers.append(connection.read())
    refused = {one["error"]["data"]["code"] for one in answers if "error" in one}
    assert refused <= {"shutting_down"}
    assert {f"w{number}" for number in range(before)} <= {one["id"] for one in answers}
    acknowledged = {one["result"]["memories"][0]["memory_id"] for one in answers if "result" in one}
    assert daemon.process is not None
    assert daemon.process.wait(10) == 0
    assert time.monotonic() - began < 5
    assert len(acknowledged) > 80
    daemon.start()
    with daemon.connect() as connection:
        handle = connection.result("configure.open", bank)["handle"]
        found = {
            identity
            for identity in acknowledged
            if connection.result(
                "memory.inspect",
                {**bank, "view": "get", "handle": handle, "memory_id": identity},
            )["view"]
            == "get"
        }
    assert found == acknowledged
