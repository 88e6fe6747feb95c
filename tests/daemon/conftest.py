"""One real daemon for a module of tests; each test has a bank of its own.

A module that needs other settings has a `shared_daemon` of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.talk import Agent


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon that the tests of a module share."""
    with running(settings=WITHOUT_MODEL) as started:
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
