"""The MCP server as a process: what it writes, what it loads, and a daemon that goes away."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import pytest
from mcp import Client
from support.command import COMMAND, run_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.mcp_room import frames_of, in_process, over_stdio, refusal, use

_TEXT = "The lamp of Ana is amber."
_HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class _Pipe:
    """A server process, spoken to line by line with nothing but JSON."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.output = b""
        self._id = 0

    def line(self, content: bytes) -> None:
        """Send a line as it is."""
        assert self.process.stdin
        self.process.stdin.write(content + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._id += 1
        frame = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.line(json.dumps(frame).encode())
        assert self.process.stdout
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            self.output += line
            (answer,) = frames_of(line)
            if answer.get("id") == self._id:
                return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; gives its result."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert isinstance(result, dict)
        return result


@contextmanager
def _piped(daemon: DaemonProcess, *arguments: str, **environment: str) -> Iterator[_Pipe]:
    process = subprocess.Popen(
        [COMMAND, "mcp", "serve", *arguments],
        env={**daemon.environment, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield _Pipe(process)
        finally:
            process.kill()


def test_standard_output_is_protocol_alone() -> None:
    """With -v, with every warning on, after lines that are none, with a daemon that dies in between
    and comes back: each line is a frame, the call meanwhile fails in words, and the next works.
    Standard error names calls and never a text."""
    with (
        running(settings=WITHOUT_MODEL) as daemon,
        _piped(daemon, "-v", "--agent", "a", PYTHONWARNINGS="always") as server,
    ):
        assert "result" in server.ask("initialize", **_HANDSHAKE)
        server.line(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        assert not server.call("memory_remember", text=_TEXT)["isError"]
        for broken in (b"hello", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 1e999}', b'["\\ud800"]'):
            server.line(broken)
        assert "error" in server.ask("tools/call", name="memory_everything", arguments={})
        assert server.call("memory_recall", query=_TEXT, of="Ana")["isError"]

        daemon.kill9()
        lost = server.call("memory_recall", query="lamp")
        assert lost["isError"]
        assert lost["structuredContent"]["error"]["code"] == "unreachable"
        daemon.start()
        found = server.call("memory_recall", query="lamp")["structuredContent"]
        assert found["memories"][0]["text"] == _TEXT

        output, errors = server.process.communicate(timeout=20)
        assert server.process.returncode == 0
    frames_of(server.output + output)
    said = errors.decode()
    assert "cognid mcp: memory_recall error unreachable" in said
    assert "Ana" not in said and "amber" not in said and "Traceback" not in said


def _only_server() -> int:
    """The process id of the one server that this process has started."""
    mine = ["pgrep", "-P", str(os.getpid()), "-f", "mcp serve"]
    (found,) = subprocess.run(mine, capture_output=True, check=True).stdout.split()
    return int(found)


async def lost_write(daemon: DaemonProcess, client: Client) -> dict[str, Any]:
    """The error of a write whose daemon is killed before it answers."""
    os.kill(daemon.pid, signal.SIGSTOP)
    write = asyncio.create_task(refusal(client, "memory_remember", text=_TEXT))
    await asyncio.sleep(0.2)
    daemon.kill9()
    error = await write
    assert error["code"] == "outcome_unknown"
    return error


async def test_the_fate_of_a_write_is_settled() -> None:
    """A write whose answer is lost is not repeated; memory_status tells what became of it, once."""
    with running(settings=WITHOUT_MODEL) as daemon:
        async with in_process(daemon, "a") as client:
            await use(client, "memory_remember", text="Ana sails.")
            error = await lost_write(daemon, client)
            assert "memory_status" in error["remedy"]
            daemon.start()
            status = await use(client, "memory_status")
            assert status["writes"] in (
                {error["operation_id"]: "sealed"},
                {error["operation_id"]: "committed"},
            )
            assert (await use(client, "memory_status"))["writes"] == {}


async def test_the_fate_of_the_very_first_write_is_settled() -> None:
    """Where the answer to the first write of all is lost there is no bank to ask; memory_status
    says so, once, and goes on telling how memory stands."""
    with running(settings=WITHOUT_MODEL) as daemon:
        async with in_process(daemon, "a") as client:
            await use(client, "memory_status")
            error = await lost_write(daemon, client)
            daemon.start()
            status = await use(client, "memory_status")
            assert status["writes"] == {error["operation_id"]: "no_bank"}
            assert (await use(client, "memory_status"))["writes"] == {}


async def test_the_first_call_starts_a_daemon_and_no_later_one_does() -> None:
    """Where none runs the first call starts one; whoever stops it then finds it stopped."""
    nobody = DaemonProcess(settings=WITHOUT_MODEL)
    try:
        async with over_stdio(nobody, "--agent", "a") as client:
            assert (await use(client, "memory_status"))["health"] == "red"
            assert run_command(nobody.environment, "stop").status == 0
            error = await refusal(client, "memory_status")
            assert (error["code"], "cognid serve" in error["remedy"]) == ("unreachable", True)
    finally:
        run_command(nobody.environment, "stop")
        nobody.close()


@pytest.mark.parametrize("processes", [2, pytest.param(10, marks=pytest.mark.slow)])
async def test_a_stopped_session_stops_no_other(processes: int) -> None:
    """Ten sessions over one daemon, one of them stopped in the middle of its writes: the others
    remember and recall as before; once it goes on, its own writes are answered too."""
    with running(settings=WITHOUT_MODEL) as daemon:
        async with AsyncExitStack() as stack:
            held = await stack.enter_async_context(over_stdio(daemon, "--agent", "shared"))
            stopped = _only_server()
            others: list[Client] = []
            for number in range(1, 10):
                over = over_stdio(daemon, "--agent", "shared") if number < processes else None
                session = over or in_process(daemon, "shared")
                others.append(await stack.enter_async_context(session))
            await use(held, "memory_remember", text="Number 0 is here.")

            writes = [
                asyncio.create_task(
                    use(held, "memory_remember", text=f"{number} " * 50_000, kind="remark")
                )
                for number in range(20)
            ]
            await asyncio.wait(writes, return_when=asyncio.FIRST_COMPLETED)
            os.kill(stopped, signal.SIGSTOP)
            try:
                assert not all(write.done() for write in writes)

                async def go_on(client: Client, number: int) -> None:
                    await use(client, "memory_remember", text=f"Number {number} is here.")
                    found = await use(client, "memory_recall", query=f"number {number} here")
                    texts = [memory["text"] for memory in found["memories"]]
                    assert f"Number {number} is here." in texts

                async with asyncio.timeout(20):
                    await asyncio.gather(*(go_on(c, n) for n, c in enumerate(others, 1)))
                assert not all(write.done() for write in writes)
            finally:
                os.kill(stopped, signal.SIGCONT)
            outcomes = {answer["outcome"] for answer in await asyncio.gather(*writes)}
            assert outcomes == {"committed"}


def _python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True
    )


def test_nothing_else_loads_the_sdk() -> None:
    """Neither the package nor any verb of the command line loads it until memory is served."""
    program = (
        "import cognid, cognid.cli.app, sys; cognid.cli.app.build(); cognid.AsyncClient;"
        " print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types')])"
    )
    assert _python(program).stdout == "[]\n"


def test_without_the_extra_it_says_what_is_missing() -> None:
    """One sentence on standard error, nothing on standard output, a status of its own."""
    program = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None;"
        " sys.argv = ['cognid', 'mcp', 'serve']; from cognid.cli import main; main()"
    )
    ran = _python(program)
    assert (ran.returncode, ran.stdout) == (78, "")
    assert ran.stderr.splitlines() == [
        "cognid: the MCP server's parts are not installed: pip install 'cognid[mcp]'"
    ]
