"""docs/mcp.md: its examples run, its entry and its tables are what the server has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.daemon import DaemonProcess
from support.pages import fences, page

from cognid.mcp.clients import McpClient
from cognid.mcp.table import TOOLS

_PAGE = "docs/mcp.md"


def _run(daemon: DaemonProcess, *command: str) -> str:
    path = f"{Path(sys.executable).parent}:{daemon.environment['PATH']}"
    done = subprocess.run(
        command,
        env={**daemon.environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_examples_run(daemon: DaemonProcess) -> None:
    """From top to bottom; the entry that is printed is the one shown, and what the program
    remembers it recalls."""
    printed = []
    for fence in fences(_PAGE):
        if fence.runs:
            shell = ("bash", "-euo", "pipefail", "-c")
            run = (sys.executable, "-W", "error", "-c") if fence.language == "python" else shell
            printed.append(_run(daemon, *run, fence.body))
    (shown,) = [json.loads(fence.body) for fence in fences(_PAGE) if fence.language == "json"]
    entry = json.loads(printed[0])
    assert _without_path(entry) == _without_path(shown)
    assert printed[1].strip().endswith("editor.json")
    assert "> The boat is called Alma." in printed[2]


def _without_path(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without what differs from one machine to the next."""
    ours = entry["mcpServers"]["cognid"]
    return {name: value for name, value in ours.items() if name not in ("command", "env")}


def test_the_table_of_tools_is_the_servers() -> None:
    """Each tool stands there with its arguments and its right."""
    rows = re.findall(r"^\| `(memory_\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", page(_PAGE), re.M)
    assert [name for name, *_ in rows] == list(TOOLS)
    for name, arguments, right, hint in rows:
        row = TOOLS[name]
        assert set(re.findall(r"`(\w+)`", arguments)) == row.arguments.model_fields.keys()
        assert right == ("none" if row.right is None else f"`{row.right}`")
        told = "read-only" if row.read_only else "destructive" if row.destructive else "writes"
        assert hint == told


def test_every_client_stands_in_the_table() -> None:
    """Each client whose file is known is named."""
    assert set(re.findall(r"^\| `([\w-]+)` \| .*(?:json|toml)", page(_PAGE), re.M)) == set(
        McpClient
    )
