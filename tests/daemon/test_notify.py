from __future__ import annotations

import asyncio
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cognid_daemon.notify import Notifier


@pytest.fixture
def manager(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """A service manager's notification socket, by path or abstract."""
    with (
        tempfile.TemporaryDirectory(prefix="cg-", dir="/tmp") as name,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver,
    ):
        if getattr(request, "param", "path") == "path":
            address = os.fspath(Path(name) / "notify")
            receiver.bind(address)
        else:
            address = f"@cognid-test-{secrets.token_hex(8)}"
            receiver.bind("\0" + address[1:])
        receiver.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        yield receiver


@pytest.mark.parametrize("manager", ["path", "abstract"], indirect=True)
def test_states_arrive_as_one_datagram(manager: socket.socket) -> None:
    """States reach the manager, a line each, at a path or an abstract address."""
    Notifier().send("READY=1", "STATUS=Ready")
    assert manager.recv(1024) == b"READY=1\nSTATUS=Ready"


def test_variables_are_taken_away(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    """No child of ours could speak to the manager in our name."""
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    Notifier()
    assert not {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} & os.environ.keys()


async def test_watchdog_ticks_from_the_loop(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WATCHDOG=1 comes at half the period while the loop runs, and no more once it is stopped."""
    monkeypatch.setenv("WATCHDOG_USEC", "40000")
    notifier = Notifier()
    ticks: list[int] = []
    notifier.start_watchdog(lambda: ticks.append(1))
    await asyncio.sleep(0.15)
    notifier.stop_watchdog()
    count = len(ticks)
    assert 4 <= count <= 8
    await asyncio.sleep(0.06)
    assert len(ticks) == count
    assert {manager.recv(1024) for _ in ticks} == {b"WATCHDOG=1"}


async def test_watchdog_of_another_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A WATCHDOG_PID that is not ours means no watchdog, and so no timer at all."""
    monkeypatch.setenv("WATCHDOG_USEC", "1000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    ticks: list[int] = []
    Notifier().start_watchdog(lambda: ticks.append(1))
    await asyncio.sleep(0.01)
    assert ticks == []


def test_without_a_manager_nothing_is_sent() -> None:
    """Without NOTIFY_SOCKET, or with one where nobody listens, sending is no fault."""
    Notifier().send("READY=1")


def test_gone_manager_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manager that went away does not stop the daemon."""
    monkeypatch.setenv("NOTIFY_SOCKET", "/nonexistent/notify")
    Notifier().send("READY=1")
