"""MCP sessions against a real daemon, driven by the SDK's own client: over stdio with a server
process of its own, or, quicker, with the server in this process."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from support.command import COMMAND, call_command
from support.daemon import DaemonProcess

from cognid.mcp.memory import Memory, Serving
from cognid.mcp.server import MemoryServer
from cognid.starting import Home

ERAS = ("legacy", "auto")
"""With the handshake (2025-11-25), and without it (2026-07-28)."""


class Person:
    """Whoever sits before the client and answers its dialogues."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.asked: list[str] = []

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        """Answer one dialogue."""
        self.asked.append(params.message)
        return types.ElicitResult.model_validate({"action": self.action})


@asynccontextmanager
async def over_stdio(
    daemon: DaemonProcess,
    *arguments: str,
    mode: str = "auto",
    dialogue: ElicitationFnT | None = None,
    errors: Path | None = None,
    **environment: str,
) -> AsyncIterator[Client]:
    """A session with `cognid mcp serve`; its standard error goes to a file."""
    with (errors or Path(os.devnull)).open("w") as log:
        server = StdioServerParameters(
            command=COMMAND,
            args=["mcp", "serve", *arguments],
            env={**daemon.environment, **environment},
        )
        transport = stdio_client(server, errlog=log)
        async with Client(transport, mode=mode, elicitation_callback=dialogue) as client:
            yield client


@asynccontextmanager
async def in_process(
    daemon: DaemonProcess,
    agent: str,
    *,
    mode: str = "auto",
    dialogue: ElicitationFnT | None = None,
    credential: Path | None = None,
) -> AsyncIterator[Client]:
    """A session with a server that lives here, with a connection of its own to the daemon."""
    credential = credential or daemon.places.credentials / "owner.json"
    memory = Memory(Serving(Home(daemon.places, credential, named=True), agent=agent))
    server = MemoryServer(memory, lambda line: None).build()
    try:
        async with Client(server, mode=mode, elicitation_callback=dialogue) as client:
            yield client
    finally:
        await memory.close()


def pair(daemon: DaemonProcess, name: str, agent: str, *rights: str) -> Path:
    """Make a credential with these rights; gives its file."""
    given = [part for right in rights for part in ("--right", right)]
    ran = call_command(daemon.environment, "pair", name, "--agent", agent, *given)
    assert ran.status == 0, ran.errors
    return Path(ran.text.strip())


async def use(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed; gives the structured content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    data = result.structured_content
    assert isinstance(data, dict)
    return data


async def refusal(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must fail; gives the error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, text_of(result)
    error = result.structured_content["error"]
    assert isinstance(error, dict)
    return error


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool; gives what a model reads."""
    return text_of(await client.call_tool(tool, arguments))


def text_of(result: types.CallToolResult) -> str:
    """The text of a result."""
    (content,) = result.content
    return text_in(content)


def text_in(content: object) -> str:
    """The text of a piece of content, which must be text."""
    assert isinstance(content, types.TextContent | types.TextResourceContents)
    return content.text


def frames_of(output: bytes) -> list[dict[str, Any]]:
    """Standard output, each line of which is a frame or the test fails."""
    frames = [json.loads(line) for line in output.decode("utf-8").splitlines()]
    assert all(frame["jsonrpc"] == "2.0" for frame in frames)
    return frames
