from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.processor import cpu_seconds, wait_until_made
from support.talk import Agent, id_of

from cognid.protocol.errors import ERRORS
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.erase import owed
from cognid_daemon.bank.keys import Use, derive, unseal
from cognid_daemon.master_key import find_master_key

UNSAFE = ERRORS["folder_unsafe"].exit

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


def modes(folder: Path) -> dict[str, int]:
    """The mode of everything in a folder, by its name."""
    return {
        os.fspath(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in sorted(folder.rglob("*"))
    }


def fds(pid: int) -> int:
    """How many descriptors a process has."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def watches(pid: int) -> bool:
    """Whether a process waits for files to change: the last that a start opens."""
    links = []
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            links.append(str(one.readlink()))
    return "anon_inode:inotify" in links


def printed(script: str) -> list[str]:
    """The words that a Python of its own prints when it runs a script."""
    ran = subprocess.run(
        [sys.executable, "-c", script], check=True, timeout=30, capture_output=True, text=True
    )
    return ran.stdout.split()


@pytest.mark.parametrize("umask", [0o022, 0])
def test_files_are_ours_alone_whatever_the_umask(umask: int) -> None:
    """Folders are 0700, files and socket 0600, under a umask of 022 and of 0."""
    before = os.umask(umask)
    try:
        with running() as daemon, daemon.connect() as connection:
            assert connection.result("ping")
            found = {
                **modes(daemon.places.data),
                **modes(daemon.places.configuration),
                **modes(daemon.places.socket.parent),
            }
            for folder in (daemon.places.data, daemon.places.configuration):
                found[folder.parent.name] = stat.S_IMODE(folder.stat().st_mode)
    finally:
        os.umask(before)
    assert {name: mode for name, mode in found.items() if mode not in (0o600, 0o700)} == {}
    assert found["bridge.sock"] == 0o600
    assert found["verifiers.json"] == 0o600


def test_loose_folders_are_tightened(daemon: DaemonProcess) -> None:
    """Folders of ours that were opened to others are closed again at the next start."""
    daemon.stop()
    folders = (
        daemon.places.data,
        daemon.places.configuration,
        daemon.places.credentials,
        daemon.places.socket.parent,
    )
    for folder in folders:
        folder.chmod(0o755)
    daemon.start()
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


def test_symlinked_data_folder_is_refused(cold: DaemonProcess) -> None:
    """A link in the place of the data folder ends the start with 78."""
    real = cold.home / "elsewhere"
    real.mkdir(mode=0o700)
    cold.places.data.parent.mkdir(mode=0o700, exist_ok=True)
    cold.places.data.symlink_to(real)
    assert cold.run_to_end() == UNSAFE
    assert list(real.iterdir()) == []


@linux
def test_process_is_hardened(daemon: DaemonProcess) -> None:
    """No core dump, and a umask that gives nothing to others."""
    limits = Path(f"/proc/{daemon.pid}/limits").read_text()
    core = next(row for row in limits.splitlines() if row.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    assert "Umask:\t0077" in Path(f"/proc/{daemon.pid}/status").read_text()


@linux
def test_process_cannot_be_dumped_or_traced() -> None:
    """harden() takes dumpable away, which also closes /proc/PID/mem to the same user."""
    script = (
        "import ctypes; from cognid_daemon.process import harden; harden();"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    assert printed(script) == ["0"]


def test_what_is_loaded_is_not_looked_through_again() -> None:
    """Once the daemon stands, Python looks for garbage among what came since, not in all of it."""
    script = (
        "import gc; from cognid_daemon import lifecycle;"
        "from cognid_daemon.process import keep_what_is_loaded, look_for_no_garbage;"
        "look_for_no_garbage(); print(gc.isenabled()); keep_what_is_loaded();"
        "print(gc.isenabled(), len(gc.get_objects()) < 1_000 < gc.get_freeze_count())"
    )
    assert printed(script) == ["False", "True", "True"]


@linux
def test_numpy_multiplies_on_the_thread_that_asks() -> None:
    """Nothing imports numpy before it is told so, and then it has no thread of its own, which would
    spin for 10 ms after each recall."""
    script = (
        "import os, sys; from cognid_daemon import lifecycle; print('numpy' in sys.modules);"
        "lifecycle.multiply_on_one_thread(); before = len(os.listdir('/proc/self/task'));"
        "import numpy; rows = numpy.ones((200, 384), numpy.float32); rows @ rows.T;"
        "print(len(os.listdir('/proc/self/task')) - before)"
    )
    assert printed(script) == ["False", "0"]


def test_harden_raises_the_limit_of_open_files() -> None:
    """Where the system allows more open files, the daemon asks for them."""
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096));"
        "from cognid_daemon.process import harden; harden();"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    assert printed(script) == [str(min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))]


@linux
def test_starts_and_kills_leave_nothing_behind() -> None:
    """Rounds of stop and kill leave no process, no file and no descriptor more than the first."""
    with running() as daemon:
        counts = []
        for turn in range(4):
            if turn % 2:
                daemon.kill9()
                daemon.start()
            else:
                daemon.restart()
            files = sorted(modes(daemon.home))
            with daemon.connect() as connection:
                until = time.monotonic() + 10
                while not watches(daemon.pid):
                    assert time.monotonic() < until
                    connection.result("ping")
                    time.sleep(0.02)
            counts.append((files, fds(daemon.pid)))
        assert all(files == counts[0][0] for files, _ in counts), counts
        assert max(count for _, count in counts) - min(count for _, count in counts) <= 2


@linux
def test_connections_leave_no_descriptor_behind(daemon: DaemonProcess) -> None:
    """A hundred callers come and go, proven or not, and the daemon holds no descriptor more."""
    with daemon.connect() as connection:
        loaded = time.monotonic() + 20
        while not watches(daemon.pid):
            assert time.monotonic() < loaded  # loading and watching open files of their own
            time.sleep(0.02)
        before = fds(daemon.pid)
        for turn in range(100):
            with daemon.connect(prove=turn % 2 == 0) as other:
                if turn % 2 == 0:
                    other.result("ping")
        until = time.monotonic() + 5
        while fds(daemon.pid) > before and time.monotonic() < until:
            time.sleep(0.02)
        assert fds(daemon.pid) <= before
        while connection.result("status")["connections"] > 1:
            assert time.monotonic() < until
            time.sleep(0.02)


@linux
def test_idle_daemon_uses_no_processor() -> None:
    """Once all is loaded, an idle daemon does not wake up: 2 seconds cost at most one tick of the
    clock (the bound of 0.1 % over a minute is scripts/bench's to measure)."""
    with running() as daemon:
        with daemon.connect() as connection:
            until = time.monotonic() + 20
            while connection.result("status")["model"]["state"] == "loading":
                assert time.monotonic() < until
                time.sleep(0.05)
        wait_until_made(daemon.pid)
        before = cpu_seconds(daemon.pid)
        time.sleep(2)
        # Rounded: as floats one tick more can be 0.01 and a bit.
        assert round(cpu_seconds(daemon.pid) - before, 3) <= 0.01


@linux
def test_no_network_socket_is_opened(daemon: DaemonProcess) -> None:
    """Every socket of the running daemon is a Unix socket."""
    with daemon.connect() as connection:
        assert connection.result("ping")
        inodes = {
            target.removeprefix("socket:[").removesuffix("]")
            for fd in Path(f"/proc/{daemon.pid}/fd").iterdir()
            if (target := os.fspath(fd.readlink())).startswith("socket:")
        }
        assert len(inodes) >= 2
        unix = Path("/proc/net/unix").read_text().split()
        assert inodes <= set(unix)


def test_heavy_parts_are_not_on_the_way_to_ready() -> None:
    """Importing the daemon brings in none of the packages that cost a tenth of a second each."""
    script = (
        "import sys, cognid_daemon.lifecycle;"
        "print(sorted({'numpy', 'onnxruntime', 'usearch', 'tokenizers', 'watchfiles', 'rich',"
        " 'typer', 'structlog', 'keyring', 'numkong'} & sys.modules.keys()))"
    )
    assert printed(script) == ["[]"]


def test_status_tells_how_the_daemon_stands(daemon: DaemonProcess) -> None:
    """status gives process, state, key backend, model and counts."""
    with daemon.connect() as connection:
        status = connection.result("status")
    assert status["pid"] == daemon.pid
    assert status["state"] == "ready"
    assert status["key_backend"] == "key-file"
    assert status["connections"] == 1
    assert status["requests_in_flight"] == 0
    assert status["model"]["state"] in ("loading", "failed")


def test_missing_model_is_red_and_loud() -> None:
    """Without the model's files the daemon runs, status is red and says what to do."""
    with running(settings=WITHOUT_MODEL) as daemon, daemon.connect() as connection:
        until = time.monotonic() + 10
        while connection.result("status")["model"]["state"] == "loading":
            assert time.monotonic() < until
            time.sleep(0.02)
        status = connection.result("status")
    assert status["health"] == "red"
    assert status["model"]["state"] == "failed"
    assert status["findings"][0]["code"] == "model_missing"
    assert status["findings"][0]["remedy"]


def test_asking_for_help_starts_nothing() -> None:
    """`python -m cognid_daemon --help` prints a line and ends; any other word is refused."""
    for word, status in (("--help", 0), ("stop", 2)):
        asked = subprocess.run(
            [sys.executable, "-m", "cognid_daemon", word],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert asked.returncode == status
        assert "usage:" in asked.stdout + asked.stderr


def _owes(daemon: DaemonProcess, bank_id: str) -> int:
    """How many forgets a bank's file owes a VACUUM for, read by the side of the daemon."""

    async def read() -> int:
        places = daemon.places
        master = find_master_key(places.configuration, {}, data_exists=True)
        file = await Database.open(
            places.data / "catalog.db", derive(master.key, Use.CATALOG), query_only=True
        )
        wrapped, version = await file.run(
            lambda c: c.execute(
                "SELECT wrapped_key, key_version FROM banks WHERE bank_id = ?", (bank_id,)
            ).fetchone()
        )
        await file.close()
        key = unseal(derive(master.key, Use.BANK_KEYS), wrapped, f"{bank_id}/{version}".encode())
        file = await Database.open(
            places.data / "banks" / bank_id / "bank.db", key, query_only=True
        )
        try:
            return await file.run(owed)
        finally:
            await file.close()

    return asyncio.run(read())


@pytest.mark.parametrize("kill", [False, True])
def test_what_was_forgotten_before_a_stop_is_erased_after_the_start(
    daemon: DaemonProcess, kill: bool
) -> None:
    """The daemon is stopped or killed before its VACUUM, and nobody asks for the bank again: the
    bytes in free places of its file go all the same."""
    with daemon.connect() as connection:
        bank = Agent(connection, "left")
        memory_id = id_of(bank.add("The lamp code is amber-sky"))
        bank_id = bank.result("bank.status")["bank_id"]
        assert not bank.forget(memory_id)["erased"]
    if kill:
        daemon.kill9()
    else:
        assert daemon.stop() == 0
    assert _owes(daemon, bank_id) == 1
    marker = daemon.places.data / "banks" / bank_id / "erasure-owed"
    daemon.start()
    until = time.monotonic() + 30
    while marker.exists():
        assert time.monotonic() < until
        time.sleep(0.1)
    assert _owes(daemon, bank_id) == 0
