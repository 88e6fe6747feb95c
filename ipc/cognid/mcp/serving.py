"""Serving: the process that a client starts, from its first line on standard input to the last.

Standard output carries the protocol and nothing else. The SDK keeps it for itself while it serves
(whatever writes to descriptor 1 meets standard error); its log records and Python's warnings are
off, since they may quote what was said. `--verbose` names on standard error each call, what came of
it and how long it took.

Owns: the process's life. Knows no tool.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import Final

from mcp.server.stdio import stdio_server

from cognid.mcp.memory import Memory, Serving
from cognid.mcp.server import MemoryServer

_FAULT: Final = 70
"""As a fault of our own ends other commands too (sysexits.h: EX_SOFTWARE)."""


def serve(serving: Serving, *, verbose: bool) -> int:
    """Serve until standard input ends; gives the exit status."""
    logging.disable()
    logging.captureWarnings(True)
    # The SDK waits for a line in a thread of its own, which an interrupt would have to wait for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = 0
    try:
        asyncio.run(_serve(serving, verbose))
    except* OSError:
        pass  # the client went away
    except* Exception as faults:
        # By its name alone: its words could quote a memory.
        _say(f"fault {_first(faults)}")
        status = _FAULT
    return status


def _first(fault: BaseException) -> str:
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return type(fault).__name__


async def _serve(serving: Serving, verbose: bool) -> None:
    memory = Memory(serving)
    server = MemoryServer(memory, _say if verbose else _keep_quiet).build()
    try:
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())
    finally:
        await memory.close()


def _say(line: str) -> None:
    sys.stderr.write(f"cognid mcp: {line}\n")
    sys.stderr.flush()


def _keep_quiet(_: str) -> None:
    return None
