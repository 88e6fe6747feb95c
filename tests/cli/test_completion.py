"""The completions and the man page: what they ask `cognid`, it answers, in each shell."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support.command import COMMAND, call_command, run_command

_PLAIN = {"PATH": "/usr/bin:/bin"}
_WITH_COMMAND = {"PATH": f"{Path(COMMAND).parent}:/usr/bin:/bin", "TERM": "xterm"}


def _asked(words: str) -> list[str]:
    place = str(len(words.split(" ")) - 1)
    ran = run_command(_PLAIN, _COGNID_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
    return ran.text.split()


def _script(shell: str) -> str:
    ran = call_command(_PLAIN, "completions", shell)
    assert ran.status == 0
    return ran.text


def _shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


def test_verbs_and_options_are_completed() -> None:
    """Verbs, the verbs of groups, options and their words are offered, and nothing is done."""
    assert _asked("cognid se") == ["serve", "session", "service"]
    assert _asked("cognid session ap") == ["append"]
    assert "--budget" in _asked("cognid context --")
    assert _asked("cognid remember --kind pr") == ["preference", "procedural"]


def test_bash_completes_through_its_script(tmp_path: Path) -> None:
    """Sourced by bash, the script's function fills in what it was asked."""
    file = tmp_path / "cognid.bash"
    file.write_text(_script("bash"))
    program = (
        f"source {file}; COMP_WORDS=(cognid why); COMP_CWORD=1;"
        f" _cognid_completion {COMMAND}; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(
        [_shell("bash"), "-c", program],
        env=_PLAIN,
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    assert done.stdout == "why\n"


def test_fish_completes_through_its_script(tmp_path: Path) -> None:
    """Sourced by fish, the script offers the words of an option."""
    file = tmp_path / "cognid.fish"
    file.write_text(_script("fish"))
    done = subprocess.run(
        [
            *(_shell("fish"), "--no-config", "-c"),
            f"source {file}; complete --do-complete 'cognid remember --kind pr'",
        ],
        env={**_WITH_COMMAND, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    assert done.stdout.split() == ["preference", "procedural"]


def test_zsh_completes_at_the_first_tab(tmp_path: Path) -> None:
    """In a folder of zsh's fpath, the script completes already when its first use loads it."""
    zsh = _shell("zsh")
    (tmp_path / "_cognid").write_text(_script("zsh"))
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [zsh, "-f", "-i"],
        env={**_WITH_COMMAND, "HOME": str(tmp_path)},
        stdin=end,
        stdout=end,
        stderr=end,
        start_new_session=True,
    )
    os.close(end)
    try:
        begin = f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n"
        os.write(terminal, begin.encode())
        _read_until(terminal, b"ready")
        os.write(terminal, b"cognid sess\t")
        assert b"cognid session" in _read_until(terminal, b"cognid session")
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def _read_until(terminal: int, wanted: bytes) -> bytes:
    """What a terminal shows until something stands there, for at most 20 seconds."""
    shown = b""
    end = time.monotonic() + 20
    while wanted not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65_536)
    return shown


def test_the_man_page_is_one() -> None:
    """`cognid man` is roff that names each verb, and formats without a warning."""
    ran = call_command(_PLAIN, "man")
    assert ran.text.startswith(".TH COGNID 1")
    for verb in ("recall", "session append", "completions", "man"):
        assert f".SS cognid {verb} " in ran.text
    groff = _shell("groff")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-"],
        input=ran.output,
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == b""
    assert b"Ask what is remembered." in done.stdout
