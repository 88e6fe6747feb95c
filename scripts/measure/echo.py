"""The floor under a ping: lines sent back between two bare asyncio processes over a Unix socket.

What is left of a ping above it is the daemon's and the client's own; the rest is this machine's:
two system calls and two wake-ups a trip. Runs as a process of its own
(`python -m measure.echo SOCKET`).
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from measure.report import ROOT

_LINE: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}\n'
_START_SECONDS: Final = 10.0


class _Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101 - a stream's transport
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


class _Asker(asyncio.Protocol):
    def __init__(self) -> None:
        self.answer: asyncio.Future[None] | None = None

    def data_received(self, data: bytes) -> None:
        assert self.answer is not None  # noqa: S101 - nothing comes unasked
        self.answer.set_result(None)


async def echo_microseconds(folder: Path, trips: int) -> float:
    """The median round trip in microseconds; the first 200 trips warm up."""
    path = folder / "echo.sock"
    process = _start(path)
    try:
        loop = asyncio.get_running_loop()
        until = loop.time() + _START_SECONDS
        while not path.exists() and loop.time() < until:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        transport, asker = await loop.create_unix_connection(_Asker, str(path))
        took = []
        for _ in range(200 + trips):
            asker.answer = loop.create_future()
            began = time.perf_counter()
            transport.write(_LINE)
            await asker.answer
            took.append((time.perf_counter() - began) * 1e6)
        transport.close()
    finally:
        process.terminate()
        process.wait()
    return statistics.median(took[200:])


def _start(path: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "measure.echo", str(path)]
    return subprocess.Popen(words, cwd=ROOT / "scripts")


async def _serve(path: str) -> None:
    server = await asyncio.get_running_loop().create_unix_server(_Echo, path)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
