"""Starting the daemon where none runs: one winner, nothing of the caller's, and clear refusals."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest
from support.cognis_room import end_holder, environment_of, holder_of
from support.daemon import WITHOUT_MODEL, DaemonProcess

from cognid import Client, CognidError, Cognis, starting
from cognid.credentials import VARIABLE
from cognid.starting import find_home, have_daemon

CLIENTS = 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def cold(clean_environment: None) -> Iterator[DaemonProcess]:
    """A home in which no daemon runs, found by the environment; what is started there ends."""
    home = DaemonProcess(settings=WITHOUT_MODEL)
    with environment_of(home):
        yield home
        end_holder(home.places.data)
    home.close()


def log_of(home: DaemonProcess) -> str:
    """What the daemon that was started said."""
    return (home.places.data / "started.log").read_text("utf-8")


def call_many(clients: int) -> list[int]:
    """As many clients, each with a connection of its own, all at once; gives what they counted."""

    def call(number: int) -> int:
        with Cognis(owner_id=f"owner-{number}") as m:
            m.add([{"role": "user", "content": f"I own {number} boats."}])
            return m.count()

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(call, range(clients)))


def test_twenty_clients_on_a_cold_start(cold: DaemonProcess) -> None:
    """Where none runs, twenty clients at once start one daemon, and each gets its answer."""
    started: list[list[str]] = []
    spawn = subprocess.Popen

    def counted(command: list[str], **options: object) -> object:
        started.append(command)
        return spawn(command, **options)  # type: ignore[call-overload]

    with mock.patch("cognid.starting.subprocess.Popen", counted):
        assert call_many(CLIENTS) == [1] * CLIENTS
    assert len(started) == 1
    assert log_of(cold).count(" ready ") == 1
    with Client() as client:
        status = client.status()
    assert status.pid == holder_of(cold.places.data)
    assert status.banks == CLIENTS


def test_clients_of_several_processes_start_one(cold: DaemonProcess) -> None:
    """Who loses the race to start goes on with the daemon of who won it."""
    program = """
from cognid import Cognis
with Cognis(agent_id="a") as m:
    m.add([{"role": "user", "content": "I love green tea."}])
    print(m.count())
"""
    running = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate(timeout=50)[0] for process in running] == ["1\n"] * 3
    assert log_of(cold).count(" ready ") == 1


@linux
def test_what_is_started_is_apart_from_its_caller(cold: DaemonProcess) -> None:
    """A session of its own, at /, with no secret and no manager's socket of the caller's."""
    theirs = {"OPENAI_API_KEY": "sk-secret", "NOTIFY_SOCKET": "@manager", "LISTEN_FDS": "1"}
    with mock.patch.dict(os.environ, theirs), Cognis(owner_id="o") as m:
        assert m.count() == 0
    process = Path(f"/proc/{holder_of(cold.places.data)}")
    variables = dict(
        line.split(b"=", 1) for line in (process / "environ").read_bytes().split(b"\0") if line
    )
    assert not variables.keys() & {os.fsencode(name) for name in theirs}
    assert variables[b"XDG_DATA_HOME"] == os.fsencode(cold.environment["XDG_DATA_HOME"])
    assert (process / "cwd").readlink() == Path("/")
    assert os.getsid(int(process.name)) == int(process.name)
    assert stat.S_IMODE((cold.places.data / "started.log").stat().st_mode) == 0o600


def test_a_data_dir_has_a_daemon_of_its_own(cold: DaemonProcess) -> None:
    """With `data_dir` everything lies below that folder, and the person's own stays untouched."""
    folder = cold.home / "own"
    try:
        with Cognis(owner_id="o", data_dir=folder) as m:
            m.add([{"role": "user", "content": "I love green tea."}])
            with Cognis(owner_id="o", data_dir=str(folder)) as second:
                assert second.count() == 1
        assert (folder / "data/cognid/catalog.db").exists()
        assert not cold.places.data.exists()
    finally:
        end_holder(folder / "data/cognid")


def test_a_daemon_that_was_stopped_is_started_again(cold: DaemonProcess) -> None:
    """An object outlives its daemon: the next call starts another, and finds what was there."""
    with Cognis(owner_id="o") as m:
        m.add([{"role": "user", "content": "I love green tea."}])
        end_holder(cold.places.data)
        assert m.count() == 1


def test_a_leftover_socket_is_no_daemon(cold: DaemonProcess) -> None:
    """A socket file that nobody listens at does not keep one from being started."""
    cold.places.socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(cold.places.socket))
    cold.places.socket.chmod(0o600)
    with Cognis(owner_id="o") as m:
        assert m.count() == 0


async def test_a_socket_that_someone_holds_is_used_as_it_is(cold: DaemonProcess) -> None:
    """Where a service manager listens nothing is started; its daemon may take its time."""
    cold.places.socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        socket.socket(socket.AF_UNIX) as manager,
        mock.patch.object(starting, "_spawn", side_effect=AssertionError),
    ):
        manager.bind(str(cold.places.socket))
        manager.listen()
        with pytest.raises(CognidError, match="deadline_exceeded"):
            await have_daemon(find_home(), seconds=0.1)  # there is no credential yet
        find_home().credential.parent.mkdir(mode=0o700, parents=True)
        find_home().credential.touch()
        await have_daemon(find_home(), seconds=0.1)
    assert not cold.places.data.exists()


def test_who_names_a_socket_or_a_credential_starts_nothing(cold: DaemonProcess) -> None:
    """A caller that means a certain daemon is told that it does not run."""
    for path in (cold.home / "run/other.sock", None):
        named = {} if path else {VARIABLE: str(cold.home / "other.json")}
        with mock.patch.dict(os.environ, named), Cognis(owner_id="o", socket=path) as m:
            with pytest.raises(CognidError, match="no daemon listens") as raised:
                m.count()
            assert "cognid serve" in raised.value.remedy
    assert not cold.places.data.exists()


def test_without_the_daemons_parts_it_says_how(cold: DaemonProcess) -> None:
    """Where only the client is installed nothing is started, and the error says what to do."""
    with (
        mock.patch.object(starting, "_PARTS", ("cognid_daemon", "a_part_that_is_not_here")),
        Cognis(owner_id="o") as m,
        pytest.raises(CognidError, match="a_part_that_is_not_here is missing") as raised,
    ):
        m.count()
    assert "pip install 'cognid[daemon]'" in raised.value.remedy
    assert not cold.places.data.exists()


def test_a_daemon_that_does_not_start_says_why(cold: DaemonProcess) -> None:
    """What the daemon gave as its reason is the caller's error, without waiting for the end."""
    (cold.places.configuration / "config.toml").write_text("[nonsense]\nx = 1\n", "utf-8")
    began = time.monotonic()
    with Cognis(owner_id="o") as m, pytest.raises(CognidError, match="configuration_invalid"):
        m.count()
    assert time.monotonic() - began < starting.START_SECONDS


@pytest.mark.parametrize("name", ["starting", "started.log"])
def test_a_start_that_the_disk_refuses_says_so(cold: DaemonProcess, name: str) -> None:
    """Where a file of the start cannot be made it is named, as an error with a remedy."""
    cold.places.data.mkdir(mode=0o700, parents=True)
    (cold.places.data / name).mkdir()
    with Cognis(owner_id="o") as m, pytest.raises(CognidError, match=name) as caught:
        m.count()
    assert caught.value.code == "unreachable"
    assert caught.value.remedy
