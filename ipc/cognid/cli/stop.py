"""`cognid stop`: stop the daemon and wait until it has ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Final

from cognid.cli import options
from cognid.cli.terminal import answering
from cognid.client import AsyncClient
from cognid.paths import find_places
from cognid.protocol.errors import CognidError

_WAIT_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.02


def command(as_json: options.Json = False) -> None:
    """Stop the daemon; it finishes what is in flight. Waits until it has ended."""
    with answering(as_json) as terminal:
        try:
            pid = asyncio.run(_stop())
        except CognidError as error:
            if error.code != "unreachable":
                raise
            pid = None
        if as_json:
            terminal.object({"stopped": pid is not None, "pid": pid})
        elif pid is None:
            terminal.note("No daemon is running.")
        else:
            terminal.line(f"Stopped (process {pid}).")


async def _stop() -> int:
    async with AsyncClient() as client:
        try:
            pid = (await client.status()).pid
            await client.shutdown()
        except CognidError as error:
            if error.code != "version_unsupported":
                raise
            pid = _terminate_holder(error)
        await _wait_ended(pid)
        return pid


def _terminate_holder(reason: CognidError) -> int:
    """Stop a daemon that speaks no version of ours: it holds the lock, where its id stands."""
    try:
        pid = int((find_places().data / "lock").read_text("ascii"))
    except (OSError, ValueError):
        raise reason from None
    if pid <= 1:
        raise reason
    os.kill(pid, signal.SIGTERM)
    return pid


async def _wait_ended(pid: int) -> None:
    until = asyncio.get_running_loop().time() + _WAIT_SECONDS
    while _runs(pid):
        if asyncio.get_running_loop().time() > until:
            raise CognidError("deadline_exceeded", f"process {pid} has not ended yet")
        await asyncio.sleep(_LOOK_SECONDS)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if sys.platform == "linux":
        try:
            with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123 (a kernel file)
                # The state follows the name, which stands in brackets and may hold anything.
                return stat.read().rpartition(b")")[2].split()[0] != b"Z"
        except OSError:
            return False
    return True
