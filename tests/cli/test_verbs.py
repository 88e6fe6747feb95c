"""Every verb end to end: the real command against a real daemon."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol
from unittest import mock

import pytest
import typer
from support.command import COMMAND, INTERRUPTIBLE, Ran, call_command, run_command
from support.daemon import DaemonProcess, running

import cognid
from cognid.cli.app import GROUPS, VERBS, build
from cognid.credentials import load_credential, new_credential, save_credential
from cognid.paths import find_places
from cognid.protocol.frames import error_line, parse_request

TEXT = "naïve – “quoted” ✓ 東京"


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running() as daemon:
        yield daemon


class Run(Protocol):
    """The type of the fixture `run`."""

    def __call__(self, *arguments: str, stdin: bytes = b"", **more: str) -> Ran:
        """Run a verb."""


@pytest.fixture
def run(shared: DaemonProcess) -> Run:
    """Run a verb against the shared daemon, in this process."""

    def run(*arguments: str, stdin: bytes = b"", **more: str) -> Ran:
        return call_command(shared.environment, *arguments, stdin=stdin, **more)

    return run


def test_version_needs_no_daemon() -> None:
    """`cognid --version` prints the version alone."""
    ran = run_command({"PATH": "/usr/bin"}, "--version")
    assert (ran.status, ran.text) == (0, f"cognid {cognid.__version__}\n")


def test_help_names_every_verb() -> None:
    """`cognid --help` and `cognid` list the verbs."""
    ran = call_command({"PATH": "/usr/bin"}, "--help")
    assert ran.status == 0
    for verb in (*VERBS, *GROUPS):
        assert f"\n  {verb} " in ran.text


def test_every_verb_and_option_is_documented() -> None:
    """`docs/cli.md` has a section for each verb and names each of its options."""
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "cli.md").read_text("utf-8")
    operations = (docs / "operations.md").read_text("utf-8")  # `service` has its options there
    command = typer.main.get_command(build(VERBS))
    for verb, found in command.commands.items():  # type: ignore[attr-defined] # a group has them
        assert f"\n## {verb}\n" in text
        for parameter in found.params:
            for name in parameter.opts if parameter.param_type_name == "option" else ():
                assert f"{name}" in text, f"{verb} {name}"
    grouped = typer.main.get_command(build(GROUPS))
    for verb, group in grouped.commands.items():  # type: ignore[attr-defined] # as above
        section = text.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
        for inner, found in group.commands.items():
            assert inner in section, f"{verb} {inner}"
            for parameter in found.params:
                for name in parameter.opts if parameter.param_type_name == "option" else ():
                    assert name in text + operations, f"{verb} {inner} {name}"


def test_long_home_has_a_short_socket() -> None:
    """With a home too long for a socket's path, command and daemon meet at the same short one."""
    daemon = DaemonProcess(env={"XDG_RUNTIME_DIR": None, "XDG_DATA_HOME": None})
    home = daemon.home / ("h" * 120)
    home.mkdir(mode=0o700)
    environment = {**daemon.environment, "HOME": str(home)}
    with mock.patch.dict(os.environ, environment, clear=True):
        socket_path = find_places().socket
    if not socket_path.parent.name.startswith(f"cognid-{os.getuid()}-"):
        daemon.close()
        pytest.skip("this machine has a runtime folder in any case")
    with (
        daemon.log_path.open("wb") as log,
        subprocess.Popen([COMMAND, "serve"], env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            while call_command(environment, "status").status == 69:
                assert process.poll() is None, daemon.log_text()
            assert call_command(environment, "stop", "--json").json["pid"] == process.pid
        finally:
            process.kill()
    socket_path.parent.rmdir()
    daemon.close()


def test_wrong_command_line_is_status_2() -> None:
    """A verb or option that is not there, and a number out of its bound, is status 2."""
    for arguments in (["dream"], ["recall", "x", "--dream"], ["recall", "x", "--limit", "0"]):
        ran = call_command({"PATH": "/usr/bin"}, *arguments)
        assert (ran.status, ran.output) == (2, b"")
        assert "Traceback" not in ran.errors


def test_without_a_daemon_the_remedy_is_said(tmp_path: Path) -> None:
    """No daemon: code, path and remedy in two lines, status 69; JSON says the same."""
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    ran = call_command(environment, "recall", "x")
    assert (ran.status, ran.output) == (69, b"")
    first, second = ran.errors.splitlines()
    assert first == f"cognid: unreachable: no socket at {tmp_path}/cognid/bridge.sock"
    assert "cognid serve" in second
    ran = call_command(environment, "status", "--json")
    assert ran.status == 69
    error = ran.json["error"]
    assert (error["code"], error["retryable"], error["effect"]) == ("unreachable", True, "none")


def test_remember_then_recall(run: Run) -> None:
    """What was remembered is recalled, with score, who, where from and id; the bank is made."""
    ran = run("remember", TEXT, "--agent", "a", "--label", "x")
    assert ran.status == 0
    assert ran.text.startswith("Remembered (fact): mem_")
    assert "Made the bank of owner local, agent a" in ran.errors
    memory_id = ran.text.split()[-1]
    ran = run("recall", "quoted", "--agent", "a", "--deadline-ms", "5000", COLUMNS="60")
    assert ran.status == 0
    head, text, source = ran.text.splitlines()
    assert head.endswith("user  fact")
    assert text.strip() == TEXT
    assert source.split() == ["asserted", memory_id]
    assert max(map(len, ran.text.splitlines())) <= 60
    assert b"\x1b" not in ran.output


def test_remember_and_recall_as_json(run: Run) -> None:
    """`--json` prints the answer of the bridge as one object and nothing else."""
    stored = run("remember", TEXT, "--agent", "j", "--json").json
    assert (stored["outcome"], stored["kind"], stored["bank_made"]) == ("committed", "fact", True)
    again = run("remember", "another thing", "--agent", "j", "--json")
    assert (again.json["bank_made"], again.errors) == (False, "")
    ran = run("recall", "quoted", "--agent", "j", "--json", "--limit", "1")
    assert ran.json["outcome"] == "hits"
    assert ran.json["hits"][0]["text"] == TEXT
    assert ran.json["hits"][0]["untrusted"] is True


def test_no_hits_is_status_1(run: Run) -> None:
    """A question without an answer is status 1, and standard output stays empty."""
    run("remember", "x1", "--agent", "n")
    ran = run("recall", "zebra", "--agent", "n", "--json")
    if ran.json["outcome"] == "no_hits":  # the model may find anything like anything
        assert ran.status == 1
    ran = run("recall", "zebra", "--agent", "nobody")
    assert (ran.status, ran.output) == (66, b"")
    assert ran.errors.startswith("cognid: unknown_bank: ")


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}]
)
def test_output_is_utf8_whatever_the_locale(shared: DaemonProcess, locale: dict[str, str]) -> None:
    """Text in and out is UTF-8 under LC_ALL=C and an ASCII encoding, piped, plain and as JSON.

    It takes some seconds: only processes of their own have a locale.
    """
    agent = ("--agent", f"locale {locale['LC_ALL']} ✓")

    def run(*arguments: str, stdin: bytes = b"") -> Ran:
        return run_command(shared.environment, *arguments, *agent, stdin=stdin, **locale)

    assert run("remember", "-", stdin=TEXT.encode()).status == 0
    assert TEXT in run("recall", TEXT, "--deadline-ms", "5000").text
    assert run("list", "--json").json["memories"][0]["text"] == TEXT


def test_stdin_is_taken_whole(run: Run) -> None:
    """`-` reads the text from standard input, less the line feed that ends it."""
    run("remember", "-", "--agent", "s", stdin="first line\nsecond – line\n".encode())
    (memory,) = run("list", "--agent", "s", "--json").json["memories"]
    assert memory["text"] == "first line\nsecond – line"
    assert run("recall", "-", "--agent", "s", stdin=b"second\n").status == 0


def test_stdin_that_is_not_utf8_is_refused(run: Run) -> None:
    """Bytes that are not UTF-8 are refused with their place, never replaced."""
    ran = run("remember", "-", "--agent", "s2", stdin=b"canary \xff")
    assert (ran.status, ran.output) == (64, b"")
    assert "not UTF-8 (byte 7)" in ran.errors
    assert "canary" not in ran.errors
    ran = run("remember", "canary \udcff", "--agent", "s2")
    assert ran.status == 64
    assert "canary" not in ran.errors


def test_long_text_becomes_a_remark_and_says_so(run: Run) -> None:
    """Over 4,000 characters a text is a remark unless a kind is asked for, which is refused."""
    text = ("The tide tables say when. " * 200).strip().encode()
    ran = run("remember", "-", "--agent", "l", stdin=text)
    assert ran.text.startswith("Remembered (remark): ")
    assert "became a remark" in ran.errors
    ran = run("remember", "-", "--agent", "l", "--kind", "preference", stdin=text)
    assert ran.status == 64
    assert "4000 characters" in ran.errors


def test_list_goes_through_the_pages(run: Run) -> None:
    """Pages of `list` follow one another by their cursor, newest first, each memory once."""
    for number in range(3):
        run("remember", f"note {number}", "--agent", "p")
    first = run("list", "--agent", "p", "--limit", "2", "--json").json
    second = run("list", "--agent", "p", "--limit", "2", "--cursor", first["cursor"], "--json").json
    texts = [memory["text"] for memory in first["memories"] + second["memories"]]
    assert texts == ["note 2", "note 1", "note 0"]
    assert (first["total"], second["cursor"]) == (3, None)
    ran = run("list", "--agent", "p", "--limit", "2")
    assert f"--cursor {first['cursor']}" in ran.errors
    assert run("list", "--agent", "p", "--cursor", "nonsense").status == 64


def test_show_gives_a_memory_whole(run: Run) -> None:
    """`show` prints all of the text and what is known about it; an unknown id is status 1."""
    text = "tide " * 900
    stored = run("remember", "-", "--agent", "w", "--json", stdin=text.encode()).json
    memory_id = stored["memories"][0]["memory_id"]
    ran = run("show", memory_id, "--agent", "w")
    assert ran.text.count("tide") == 900
    assert f"id           {memory_id}\n" in ran.text
    assert run("show", memory_id, "--agent", "w", "--json").json["memory"]["text"] == text
    ran = run("show", "mem_" + "0" * 32, "--agent", "w", "--json")
    assert (ran.status, ran.json["view"]) == (1, "not_found")


def test_memory_text_cannot_drive_the_terminal(run: Run, shared: DaemonProcess) -> None:
    """On a terminal, escapes and overrides in a memory are shown, not obeyed."""
    evil = "safe \x1b]0;canary\x07\x9b31m \u202e evil [bold]not markup[/bold]"
    run("remember", "-", "--agent", "t", stdin=evil.encode())
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "list", "--agent", "t"],
        env={**shared.environment, "TERM": "xterm-256color", "COLUMNS": "200"},
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:
            pass  # EIO: the other side has closed
        os.close(leader)
    assert process.returncode == 0
    assert b"\x1b[" in shown, "styles are used on a terminal"
    assert b"\x1b]" not in shown
    assert b"\x07" not in shown
    text = shown.decode()
    assert r"safe \x1b]0;canary\x07\x9b31m \u202e evil [bold]not markup[/bold]" in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    raw = run("list", "--agent", "t", "--json")
    assert not set(raw.text) & {"\x1b", "\x9b", "\u202e", "\x07"}
    assert raw.json["memories"][0]["text"] == evil


def test_closed_pipe_is_quiet(run: Run, shared: DaemonProcess) -> None:
    """`cognid list | head` ends quietly, as a command that SIGPIPE ended does."""
    run("remember", "-", "--agent", "b", stdin=("tide " * 50_000).encode())
    for option in ("--json", "--limit=1"):
        ran = subprocess.run(
            ["bash", "-c", f"{COMMAND} list --agent b {option} | true; echo ${{PIPESTATUS[0]}}"],
            env=dict(shared.environment),
            capture_output=True,
            timeout=50,
            check=True,
        )
        assert (ran.stdout, ran.stderr) == (b"141\n", b"")


def test_status_is_told(run: Run, shared: DaemonProcess) -> None:
    """`status` says health, build, process, model, keys; `--json` is the bridge's own answer."""
    ran = run("status")
    assert ran.status in (0, 1)
    assert f"cognid {cognid.__version__}" in ran.text
    assert f"process {shared.pid}" in ran.text
    assert "key-file" in ran.text
    answer = run("status", "--json").json
    assert answer["pid"] == shared.pid
    assert answer["health"] in ("green", "yellow", "red")


def test_pair_makes_a_bounded_credential(run: Run, shared: DaemonProcess) -> None:
    """`pair` writes a 0600 file, prints its path and never the secret; the grant bounds it."""
    ran = run("pair", "helper", "--agent", "pa", "--right", "remember", "--right", "recall")
    assert ran.status == 0
    path = Path(ran.text.strip())
    assert path == shared.places.credentials / "helper.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    credential = load_credential(path)
    for said in (ran.text, ran.errors, shared.log_text()):
        assert credential.secret.hex() not in said
    paired = str(path)
    assert run("remember", "x", "--agent", "pa", COGNID_CREDENTIAL=paired).status == 0
    assert run("recall", "x", "--agent", "other", COGNID_CREDENTIAL=paired).status == 77
    assert run("list", "--agent", "pa", COGNID_CREDENTIAL=paired).status == 77
    assert run("pair", "helper2", COGNID_CREDENTIAL=paired).status == 77
    assert not (shared.places.credentials / "helper2.json").exists()
    ran = run("pair", "helper")
    assert (ran.status, "grant_exists" in ran.errors) == (73, True)
    assert load_credential(path) == credential


def test_a_name_is_free_again_as_pair_says(run: Run) -> None:
    """The file outlives its grant, and `pair` says that it has to go too; then the name is free."""
    made = run("pair", "again", "--json").json
    assert run("grant", "revoke", made["grant"]["credential_id"]).status == 0
    ran = run("pair", "again")
    assert ran.status == 73
    assert f"{made['path']} exists; delete it where its grant was revoked" in ran.errors
    Path(made["path"]).unlink()
    assert run("pair", "again").status == 0


def test_pair_writes_where_it_is_told(run: Run, tmp_path: Path) -> None:
    """`--out` writes into a folder that is there and leaves the folder's mode alone."""
    folder = tmp_path / "box"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    out = folder / "cognid.json"
    answer = run("pair", "boxed", "--agent", "*", "--out", str(out), "--json").json
    assert answer["path"] == str(out)
    assert answer["grant"]["agents"] == "*"
    assert answer["grant"]["rights"] == ["remember", "recall", "session", "lane"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert run("pair", "lost", "--out", str(tmp_path / "none/x.json")).status == 78
    assert run("pair", "../evil").status == 64


def test_stop_waits_for_the_end(daemon: DaemonProcess) -> None:
    """`stop` returns when the daemon has ended; a second one says that none runs."""
    assert daemon.process is not None
    ran = run_command(daemon.environment, "stop", "--json")
    assert ran.json == {"stopped": True, "pid": daemon.pid}
    assert daemon.process.wait(1) == 0
    assert not daemon.places.socket.exists()
    ran = call_command(daemon.environment, "stop")
    assert (ran.status, ran.output) == (0, b"")
    assert "No daemon is running" in ran.errors


def test_serve_runs_the_daemon(tmp_path: Path) -> None:
    """`cognid serve` is the daemon: it answers, and ends on SIGTERM with status 0."""
    daemon = DaemonProcess()
    try:
        serve = [COMMAND, "serve"]
        with (
            daemon.log_path.open("wb") as log,
            subprocess.Popen(serve, env=daemon.environment, stdout=log, stderr=log) as process,
        ):
            while call_command(daemon.environment, "status").status == 69:
                assert process.poll() is None, daemon.log_text()
            process.terminate()
            assert process.wait(10) == 0
    finally:
        daemon.close()


def test_serve_says_how_to_install_its_parts() -> None:
    """Without the daemon's parts `serve` says in one line how to get them."""
    program = (
        "import sys; sys.modules['cognid_daemon.lifecycle'] = None; sys.argv[1:] = ['serve'];"
        "from cognid.cli import main; main()"
    )
    python = str(Path(COMMAND).with_name("python"))
    ran = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 78
    assert ran.stderr.count("\n") == 1
    assert "pip install 'cognid[daemon]'" in ran.stderr


class Listener:
    """A socket that a test answers by hand, with a home in which the command finds it."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o700)
        (folder / "cognid").mkdir(mode=0o700)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(folder / "cognid/bridge.sock"))
        (folder / "cognid/bridge.sock").chmod(0o600)
        self.socket.listen()
        save_credential(new_credential("owner"), folder / "secret/owner.json")
        self.environment = {
            "PATH": "/usr/bin",
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "COGNID_CREDENTIAL": str(folder / "secret/owner.json"),
        }


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    """Such a socket."""
    made = Listener(tmp_path)
    yield made
    made.socket.close()


def test_interrupt_is_status_130(listener: Listener) -> None:
    """Ctrl-C ends a command that waits with status 130 and without a word."""
    with subprocess.Popen(
        [*INTERRUPTIBLE, COMMAND, "status"],
        env=listener.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        caller, _ = listener.socket.accept()
        caller.recv(1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
        caller.close()
    assert (process.returncode, output, errors) == (130, b"", b"")


def test_daemon_of_another_version_is_named_and_stopped(listener: Listener) -> None:
    """A daemon that speaks another version is named with both, and `stop` ends it all the same."""

    def refuse() -> None:
        for _ in range(2):
            caller, _ = listener.socket.accept()
            with caller, caller.makefile("rwb") as stream:
                hello = parse_request(stream.readline().rstrip(b"\n"))
                stream.write(error_line(hello.id, "version_unsupported", "theirs [9], ours [1]"))

    data = Path(listener.environment["XDG_DATA_HOME"]) / "cognid"
    data.mkdir(parents=True)
    refusing = threading.Thread(target=refuse)
    refusing.start()
    with subprocess.Popen(["sleep", "60"]) as old_daemon:
        (data / "lock").write_text(f"{old_daemon.pid}\n")
        ran = call_command(listener.environment, "status")
        assert ran.status == 76
        assert "theirs [9], ours [1]" in ran.errors
        ran = call_command(listener.environment, "stop", "--json")
        refusing.join()
        assert ran.json == {"stopped": True, "pid": old_daemon.pid}
        assert old_daemon.wait(5) == -signal.SIGTERM


def test_errors_are_json_too(run: Run) -> None:
    """With `--json` an error is the one object on standard output, and said on standard error."""
    ran = run("show", "canary", "--agent", "nobody", "--json")
    assert ran.status in (64, 66)
    assert set(ran.json) == {"error"}
    assert set(ran.json["error"]) == {
        *("code", "detail", "retryable", "effect", "remedy", "operation_id"),
    }
    assert json.dumps(ran.json["error"]["code"]).strip('"') in ran.errors


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_verb_lists_its_verbs(run: Run, group: str) -> None:
    """Each group says which verbs it has, each with its first sentence whole."""
    ran = run(group)
    assert ran.status == 2
    assert "Commands:" in ran.errors
    assert "..." not in ran.errors.partition("Commands:")[2]
