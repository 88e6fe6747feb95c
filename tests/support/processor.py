"""The processor time of a process, and when a daemon has made all that it makes after its start."""

from __future__ import annotations

import os
import time
from pathlib import Path

from cognid_daemon.lifecycle import WARM_SECONDS


def cpu_seconds(pid: int) -> float:
    """The processor time of a process so far. Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_made(pid: int) -> None:
    """Wait, after the model has come or failed, until nothing that was begun by itself still runs.

    Raises AssertionError after 20 s of that.
    """
    time.sleep(WARM_SECONDS + 5.0)  # what is made then takes a second of CPU, or two
    until = time.monotonic() + 20
    spent = -1.0
    while spent < (spent := cpu_seconds(pid)):
        assert time.monotonic() < until
        time.sleep(1.0)
