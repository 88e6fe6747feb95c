"""The page of the memory provider: its examples run, its tables are those of the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from support.daemon import WITHOUT_MODEL, running
from support.pages import Fence, fences, page

from cognid.provider import BRIDGE_OPERATIONS, MODES

_PAGE = "docs/provider.md"


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    path = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def _command(fence: Fence) -> list[str]:
    if fence.language == "python":
        return [sys.executable, "-W", "error", "-c", fence.body]
    return ["bash", "-euo", "pipefail", "-c", fence.body]


def test_the_examples_run() -> None:
    """Read from top to bottom, each example succeeds against a real daemon."""
    examples = [fence for fence in fences(_PAGE) if fence.runs]
    assert len(examples) == 4
    with running(settings=WITHOUT_MODEL) as daemon:
        for fence in examples:
            _run(_command(fence), daemon.home, daemon.environment)


def test_the_suite_runs_by_itself(tmp_path: Path) -> None:
    """The page's test of a provider passes in a folder of its own, with nothing but the plugin;
    a test that names no provider says what is missing."""
    [suite] = [fence for fence in fences(_PAGE) if "MemoryProviderConformance" in fence.body]
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["cognid.testing"]\n')
    (tmp_path / "test_mine.py").write_text(suite.body)
    (tmp_path / "test_unnamed.py").write_text("def test_unnamed(memory_provider): pass\n")
    alone = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", "."]
    done = subprocess.run(
        [*alone, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert re.search(r"^\d\d passed, 1 error in", done.stdout, re.MULTILINE), done.stdout
    assert "define a fixture `memory_provider`" in done.stdout


def test_each_method_stands_on_the_page_with_its_operations() -> None:
    """The page's table is the code's."""
    rows = [line for line in page(_PAGE).splitlines() if line.startswith("| `")]
    for method, operations in BRIDGE_OPERATIONS.items():
        [row] = [row for row in rows if f"`{method}`" in row.split("|")[1]]
        assert set(re.findall(r"`([a-z_.]+)`", row.split("|")[2])) == set(operations)


def test_each_mode_stands_on_the_page_with_its_behavior() -> None:
    """The page's table of modes is the code's."""
    rows = page(_PAGE).splitlines()
    for mode, descriptor in MODES.items():
        behavior = descriptor.to_dict()["behavior"].values()
        words = " | ".join("yes" if part else "no" for part in behavior)
        assert f"| `{mode}` | {words} |" in rows
