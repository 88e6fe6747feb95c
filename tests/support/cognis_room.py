"""A home in which `Cognis` finds its daemon as a script does: by the environment alone; and the few
things that nearly every test of it says and reads."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from support.daemon import STOP_SECONDS, DaemonProcess

from cognid import Cognis

TEA = "I love green tea."
PORTO = "I live in Porto."
_owners = (f"owner-{number}" for number in itertools.count(1))


def new_owner() -> str:
    """An owner of whom nothing is known yet."""
    return next(_owners)


@contextmanager
def environment_of(daemon: DaemonProcess) -> Iterator[None]:
    """Let this process have the environment of a daemon's home."""
    with mock.patch.dict(os.environ, daemon.environment, clear=True):
        yield


def holder_of(data: Path) -> int:
    """The process that holds a data folder, by the hint in its lock."""
    return int((data / "lock").read_text("ascii"))


def end_holder(data: Path) -> None:
    """Stop the daemon that holds a data folder, if one ever did, and wait until it is gone."""
    if not (data / "lock").exists():
        return
    pid = holder_of(data)
    until = time.monotonic() + STOP_SECONDS
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        while time.monotonic() < until:
            time.sleep(0.01)
            os.kill(pid, 0)
    assert time.monotonic() < until, "the daemon did not end"


def user(content: str, **more: Any) -> dict[str, Any]:
    """What a user says."""
    return {"role": "user", "content": content, **more}


def assistant(content: str) -> dict[str, Any]:
    """What an assistant says."""
    return {"role": "assistant", "content": content}


def contents(found: Any) -> list[str]:
    """The texts of the memories of an answer."""
    listed = found["memories"] if "memories" in found else found["results"]
    return [one["content"] for one in listed if one["type"] == "memory"]


def raw(found: Any) -> list[str]:
    """The messages among the results of a search."""
    return [one["content"] for one in found["results"] if one["type"] == "raw_evidence"]


def said(m: Cognis, **scope: Any) -> list[str]:
    """What stands in the session."""
    return [one["content"] for one in m.get_context(**scope)["short_term"]]
