"""`cognid mcp install`: what it puts into a client's configuration, and what it leaves alone."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path

import pytest
from support.command import COMMAND, Ran, call_command

from cognid.mcp.clients import McpClient

_THEIRS = {"theme": "dark", "mcpServers": {"files": {"command": "files", "args": ["/é"]}}}


class _Home:
    """A person's home, with no daemon in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cursor = folder / ".cursor/mcp.json"

    def run(self, *arguments: str, **environment: str) -> Ran:
        """Run the verb."""
        home = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        return call_command({**home, **environment}, "mcp", "install", *arguments)

    def write(self, content: str) -> None:
        """Give the client a file."""
        self.cursor.parent.mkdir(exist_ok=True)
        self.cursor.write_text(content, "utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Home:
    """A home that is the current folder too."""
    monkeypatch.chdir(tmp_path)
    return _Home(tmp_path)


@pytest.mark.parametrize("client", McpClient)
def test_print_only_prints(home: _Home, client: McpClient) -> None:
    """For each client the entry as it stands in its file; nothing is made or changed."""
    ran = home.run(client, "--print", "--agent", "helper")
    servers = {McpClient.VSCODE: "servers", McpClient.CODEX: "mcp_servers"}
    read = tomllib.loads if client is McpClient.CODEX else json.loads
    entry = read(ran.text)[servers.get(client, "mcpServers")]["cognid"]
    assert (ran.status, entry["command"]) == (0, COMMAND)
    assert entry["args"] == ["mcp", "serve", "--agent", "helper"]
    assert list(home.folder.iterdir()) == []


def test_other_entries_stay_and_the_old_file_is_kept(home: _Home) -> None:
    """All else in the file is as it was, its mode too; what it was lies beside it; the second time
    there is nothing to do."""
    home.write(json.dumps(_THEIRS))
    home.cursor.chmod(0o600)
    assert home.run("cursor", "--yes").status == 0
    made = json.loads(home.cursor.read_text("utf-8"))
    ours = made["mcpServers"].pop("cognid")
    assert (made, ours["args"]) == (_THEIRS, ["mcp", "serve"])
    assert stat.S_IMODE(home.cursor.stat().st_mode) == 0o600
    (kept,) = home.cursor.parent.glob("mcp.json.before-cognid-*")
    assert json.loads(kept.read_text("utf-8")) == _THEIRS
    assert "stands already" in home.run("cursor", "--yes").errors
    assert len(list(home.cursor.parent.iterdir())) == 2


def test_where_nobody_can_be_asked_nothing_is_written(home: _Home) -> None:
    """Without a terminal and without --yes it shows the entry, refuses, and makes no file."""
    ran = home.run("cursor")
    assert (ran.status, ran.output) == (64, b"")
    assert '"command"' in ran.errors and "--yes" in ran.errors
    assert not home.cursor.exists()


@pytest.mark.parametrize(
    "content",
    [
        '{"mcpServers": {}} // mine',
        '{"mcpServers": {"a": {}, "a": {}}}',
        '{"mcpServers": []}',
        "[]",
        '{"mcpServers": ' + "[" * 100_000,
    ],
)
def test_a_file_that_would_lose_something_is_left_alone(home: _Home, content: str) -> None:
    """Comments, a name twice, another shape: refused, byte for byte as it was, no backup."""
    home.write(content)
    ran = home.run("cursor", "--yes")
    assert ran.status == 78
    assert "--print" in ran.errors
    assert home.cursor.read_text("utf-8") == content
    assert len(list(home.cursor.parent.iterdir())) == 1


def test_a_linked_file_stays_linked(home: _Home) -> None:
    """A configuration kept elsewhere is written there."""
    elsewhere = home.folder / "kept.json"
    elsewhere.write_text(json.dumps(_THEIRS), "utf-8")
    home.cursor.parent.mkdir()
    home.cursor.symlink_to(elsewhere)
    assert home.run("cursor", "--yes").status == 0
    assert home.cursor.is_symlink()
    assert "cognid" in json.loads(elsewhere.read_text("utf-8"))["mcpServers"]


def test_what_moves_our_files_goes_along(home: _Home) -> None:
    """Clients start servers with an environment of their own, so the entry brings ours."""
    moved = {"COGNID_CREDENTIAL": "/c.json", "XDG_DATA_HOME": "/d", "SECRET_TOKEN": "x"}
    ran = home.run("claude-code", "--yes", "--json", **moved)
    assert ran.json["written"] and ran.json["backup"] is None
    made = json.loads((home.folder / ".mcp.json").read_text("utf-8"))
    del moved["SECRET_TOKEN"]
    assert made["mcpServers"]["cognid"]["env"] == moved


_CODEX = """\
# mine
model = "gpt"  # the good one

[mcp_servers.files]
command = "files"

[mcp_servers.files.env]
A = '''
[not a table]
'''
"""


def test_a_toml_file_keeps_its_comments(home: _Home) -> None:
    """Codex's file gets the entry at its end and is otherwise byte for byte as it was; another
    entry of ours is replaced, the same is left."""
    file = home.folder / ".codex/config.toml"
    file.parent.mkdir()
    file.write_text(_CODEX, "utf-8")
    moved = {"XDG_DATA_HOME": "/d"}
    assert home.run("codex", "--yes", "--agent", "helper", **moved).status == 0
    made = file.read_text("utf-8")
    assert made.startswith(_CODEX)
    ours = tomllib.loads(made)["mcp_servers"]["cognid"]
    assert ours == {
        "command": COMMAND,
        "args": ["mcp", "serve", "--agent", "helper"],
        "env": moved,
    }
    assert "stands already" in home.run("codex", "--yes", "--agent", "helper", **moved).errors
    file.write_text(made + "\n[tools]\nweb = true\n", "utf-8")
    assert home.run("codex", "--yes", "--agent", "other").status == 0
    after = file.read_text("utf-8")
    assert after.startswith(_CODEX) and "[tools]\nweb = true\n" in after
    assert tomllib.loads(after)["mcp_servers"]["cognid"]["args"][-1] == "other"
    assert len(list(file.parent.glob("config.toml.before-cognid-*"))) == 2


@pytest.mark.parametrize(
    "content",
    [
        "mcp_servers = {a = {command = 'a'}}\n",
        "mcp_servers = 1\n",
        "[mcp_servers]\ncognid = {command = 'old'}\n",
        "[mcp_servers.cognid\n",
        "a = '''\n[mcp_servers.cognid]\n'''\n",
    ],
)
def test_a_toml_file_without_a_place_for_it_is_left_alone(home: _Home, content: str) -> None:
    """Servers in one inline table, a broken file, a text that looks like our table: refused."""
    moved = home.folder / "elsewhere"
    moved.mkdir()
    (moved / "config.toml").write_text(content, "utf-8")
    ran = home.run("codex", "--yes", CODEX_HOME=str(moved))
    assert (ran.status, "--print" in ran.errors) == (78, True)
    assert [(file.name, file.read_text("utf-8")) for file in moved.iterdir()] == [
        ("config.toml", content)
    ]


@pytest.mark.parametrize("verb", [("install", "cursor", "--yes"), ("serve",)])
@pytest.mark.parametrize("name", ["\udcff", "x" * 513, ""])
def test_a_name_that_no_call_would_take_is_refused_at_once(
    home: _Home, verb: tuple[str, ...], name: str
) -> None:
    """Nothing is written that would make a server of which each call fails."""
    environment = {"HOME": str(home.folder), "PATH": "/usr/bin:/bin"}
    for option in ("--owner", "--agent", "--session"):
        ran = call_command(environment, "mcp", *verb, option, name)
        assert (ran.status, ran.output) == (64, b"")
        assert "invalid_argument" in ran.errors
    assert not home.cursor.exists()
