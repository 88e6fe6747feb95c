"""One real daemon with the real model for a module of field cases; each case has its own bank."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.daemon import DaemonProcess, RawConnection, running
from support.talk import Agent


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon that the cases of a module share."""
    with running() as started:
        yield started


@pytest.fixture
def connection(shared_daemon: DaemonProcess) -> Iterator[RawConnection]:
    """A connection of the owner."""
    with shared_daemon.connect() as connected:
        yield connected


@pytest.fixture
def bank(connection: RawConnection) -> Agent:
    """An empty bank of an agent that no other test knows."""
    return Agent(connection)
