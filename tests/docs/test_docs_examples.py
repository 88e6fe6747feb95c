"""The examples of the docs are real: Python compiles everywhere, the README's run as they stand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.daemon import DaemonProcess, running
from support.pages import ROOT, Fence, fences, pages

_PYTHON = [
    fence
    for path in pages()
    for fence in fences(str(path.relative_to(ROOT)))
    if fence.language == "python"
]
_README = [fence for fence in fences("README.md") if fence.runs]


def _place(fence: Fence) -> str:
    return f"{fence.page}:{fence.line}"


@pytest.mark.parametrize("fence", _PYTHON, ids=_place)
def test_python_in_the_docs_compiles(fence: Fence) -> None:
    """Each Python block is Python."""
    compile(fence.body, _place(fence), "exec")


def _run(daemon: DaemonProcess, fence: Fence, folder: Path) -> None:
    if fence.language == "python":
        command = [sys.executable, "-W", "error", "-c", fence.body]
    else:
        command = ["bash", "-euo", "pipefail", "-c", fence.body]
    path = f"{Path(sys.executable).parent}:{daemon.environment['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**daemon.environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, f"{_place(fence)}\n{done.stdout}\n{done.stderr}"


def test_the_examples_of_the_readme_run(tmp_path: Path) -> None:
    """Read from top to bottom, each example of the README succeeds against a real daemon.

    Takes seconds: it runs a dozen commands, each a process of its own.
    """
    assert {fence.language for fence in _README} == {"sh", "python"}
    with running() as daemon:
        for fence in _README:
            _run(daemon, fence, tmp_path)


def test_the_scripts_that_the_readme_names_are_there() -> None:
    """What the README tells to run in a checkout is there and can be run."""
    for name in ("demo", "test"):
        script = ROOT / "scripts" / name
        assert f"scripts/{name}" in (ROOT / "README.md").read_text("utf-8")
        assert script.stat().st_mode & 0o111
