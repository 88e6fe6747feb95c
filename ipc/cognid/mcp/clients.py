"""Clients: where MCP clients keep their list of servers, and how ours is put into it.

They are JSON files with one object of servers by name, and one is TOML (`toml_file.py`). Nothing
but our own entry is changed; what cannot be read as plain JSON (comments, a name twice) is left
alone. The file is written anew beside itself and renamed, its mode kept, and what it was is kept
as `NAME.before-cognid-TIME`.

Owns: the clients' files and the entry. Asks nobody; prints nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from cognid.credentials import VARIABLE
from cognid.mcp import toml_file
from cognid.paths import SOCKET_VARIABLE
from cognid.protocol.errors import CognidError

ENTRY: Final = "cognid"
"""The name of our entry."""
_RUNTIME: Final = "XDG_RUNTIME_DIR"
_CARRIED: Final = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", _RUNTIME, SOCKET_VARIABLE, VARIABLE)
"""What moves our files: clients start servers with an environment of their own."""


class McpClient(StrEnum):
    """The clients whose files are known."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


@dataclass(frozen=True, slots=True)
class _Form:
    """Where a client's file lies, what its object of servers is called, whether an entry says its
    transport, and whether it is TOML."""

    path: Callable[[], Path]
    servers: str = "mcpServers"
    typed: bool = False
    toml: bool = False


def _claude_desktop() -> Path:
    if sys.platform == "darwin":
        folder = Path.home() / "Library/Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "Claude/claude_desktop_config.json"


def _codex() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


_FORMS: Final = {
    McpClient.CLAUDE_DESKTOP: _Form(_claude_desktop),
    # The project's file, of the folder that one is in.
    McpClient.CLAUDE_CODE: _Form(lambda: Path.cwd() / ".mcp.json", typed=True),
    McpClient.CURSOR: _Form(lambda: Path.home() / ".cursor/mcp.json"),
    McpClient.VSCODE: _Form(lambda: Path.cwd() / ".vscode/mcp.json", "servers", typed=True),
    McpClient.CODEX: _Form(_codex, "mcp_servers", toml=True),
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a client's file is to become. `before`, `after`: our entry; `content`: the file."""

    path: Path
    before: dict[str, Any] | None = field(repr=False)
    after: dict[str, Any] = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def needed(self) -> bool:
        """Whether the entry is not there as it should be."""
        return self.before != self.after


def path_of(client: McpClient) -> Path:
    """Where a client's file lies, or would."""
    return _FORMS[client].path()


def shown(client: McpClient, entry: dict[str, Any]) -> str:
    """An entry as it stands in a client's file."""
    form = _FORMS[client]
    if form.toml:
        return toml_file.written(form.servers, ENTRY, entry)
    return _written({form.servers: {ENTRY: entry}})


def entry_of(client: McpClient, arguments: list[str]) -> dict[str, Any]:
    """Make our entry for a client.

    Args:
        client: whose form it has.
        arguments: of `cognid mcp serve`.

    Raises:
        CognidError: `service_failed` where the installed program is not found.
    """
    entry: dict[str, Any] = {"type": "stdio"} if _FORMS[client].typed else {}
    entry |= {"command": str(_command()), "args": ["mcp", "serve", *arguments]}
    carried = {name: os.environ[name] for name in _CARRIED if os.environ.get(name)}
    if carried.get(_RUNTIME) == f"/run/user/{os.getuid()}":
        del carried[_RUNTIME]  # where it is looked for anyway
    return entry | ({"env": carried} if carried else {})


def plan_change(client: McpClient, entry: dict[str, Any]) -> Change:
    """Work out what a client's file is to become; nothing is written.

    Raises:
        CognidError: `configuration_invalid` where it cannot be read without losing something.
    """
    form = _FORMS[client]
    path = path_of(client)
    text = _text(path)
    if form.toml:
        try:
            before, content = toml_file.with_entry(text, form.servers, ENTRY, entry)
        except toml_file.UnfitError:
            raise _unreadable(path, "there is no place in it for the entry") from None
        return Change(path, before, entry, content.encode())
    whole = _read(path, text)
    servers = whole.setdefault(form.servers, {})
    if not isinstance(servers, dict):
        raise _unreadable(path, f"{form.servers} is not an object")
    before = servers.get(ENTRY)
    servers[ENTRY] = entry
    return Change(path, before, entry, _written(whole).encode())


def write_change(change: Change) -> Path | None:
    """Write the file; gives where what it was is kept, None where there was none.

    Raises:
        CognidError: `configuration_invalid` where that fails, and then the file is as it was.
    """
    path = change.path.resolve()  # a link to a file elsewhere stays one
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = _keep(path)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(change.content)
            file.flush()
            os.fsync(file.fileno())
        if kept is not None:
            shutil.copymode(kept, temporary)
        Path(temporary).replace(path)
    except OSError as error:
        raise CognidError("configuration_invalid", f"{path}: {error.strerror}") from None
    return kept


def _keep(path: Path) -> Path | None:
    if not path.exists():
        return None
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    kept = path.with_name(f"{path.name}.before-cognid-{time}")
    shutil.copy2(path, kept)
    return kept


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, type(error).__name__) from None


def _read(path: Path, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        whole = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise _unreadable(path, "it is not plain JSON") from None
    if not isinstance(whole, dict):
        raise _unreadable(path, "it is not an object")
    return whole


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a name twice: one of the two would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _unreadable(path: Path, why: str) -> CognidError:
    return CognidError(
        "configuration_invalid",
        f"{path}: {why}",
        remedy="Nothing was changed. Put the entry in by hand: cognid mcp install CLIENT --print",
    )


def _written(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _command() -> Path:
    """The installed `cognid`, by a path that does not depend on the client's PATH."""
    beside = Path(sysconfig.get_path("scripts")) / "cognid"
    found = beside if os.access(beside, os.X_OK) else shutil.which("cognid")
    if found is None:
        raise CognidError("service_failed", "the installed program `cognid` was not found")
    return Path(found).absolute()
