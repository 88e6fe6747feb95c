"""The completions of packaging/completions: what they ask `cognid`, it answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.command import COMMAND, run_command

_COMPLETIONS = Path(__file__).parents[2] / "packaging/completions"
_PLAIN = {"PATH": "/usr/bin:/bin"}


def _asked(words: str) -> list[str]:
    place = str(len(words.split(" ")) - 1)
    ran = run_command(_PLAIN, _COGNID_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
    return ran.text.split()


def test_verbs_and_options_are_completed() -> None:
    """Verbs, the verbs of groups, options and their words are offered, and nothing is done."""
    assert _asked("cognid se") == ["serve", "session", "service"]
    assert _asked("cognid session ap") == ["append"]
    assert "--budget" in _asked("cognid context --")
    assert _asked("cognid remember --kind pr") == ["preference", "procedural"]


def test_bash_completes_through_its_script() -> None:
    """Sourced by bash, the script's function fills in what it was asked."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    program = (
        f"source {_COMPLETIONS / 'cognid.bash'}; COMP_WORDS=(cognid why); COMP_CWORD=1;"
        f" _cognid_completion {COMMAND}; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(
        [bash, "-c", program], env=_PLAIN, capture_output=True, text=True, timeout=50, check=True
    )
    assert done.stdout == "why\n"
