"""The real model for a module of field cases; each case has its own bank."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.daemon import DaemonProcess, running


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon that the cases of a module share."""
    with running() as started:
        yield started
