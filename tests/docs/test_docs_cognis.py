"""The page of the scoping facade: its examples run, its calls and keys are those of the code."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

from support.daemon import WITHOUT_MODEL, running
from support.pages import fences, page

from cognid import Cognis
from cognid.cognis.shapes import MemoryDict, Metadata

_PAGE = "docs/cognis.md"


def test_the_examples_run() -> None:
    """Each example succeeds against a real daemon, without a warning."""
    examples = [fence for fence in fences(_PAGE) if fence.runs]
    assert len(examples) == 2
    with running(settings=WITHOUT_MODEL) as daemon:
        for fence in examples:
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", fence.body],
                env=daemon.environment,
                capture_output=True,
                text=True,
                timeout=50,
                check=False,
            )
            assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
            assert done.stderr == ""


def test_each_call_stands_on_the_page_as_it_is() -> None:
    """The table names every call, with its parameters and their defaults."""
    rows = re.findall(r"^\| `(\w+)\(([^)]*)\)` \|", page(_PAGE), re.MULTILINE)
    written = dict(rows)
    calls = {"add", "search", "get", "get_all", "update", "history", "delete", "get_context"}
    assert written.keys() == calls | {"clear", "count"}
    for name, parameters in written.items():
        there = list(inspect.signature(getattr(Cognis, name)).parameters.values())[1:]
        shown = [
            one.name if one.default in (None, one.empty) else f"{one.name}={one.default}"
            for one in there
        ]
        assert parameters.split(", ") == shown


def test_each_key_of_a_memory_stands_on_the_page() -> None:
    """The page names every key that a memory's dict has."""
    text = page(_PAGE)
    for key in (*MemoryDict.__annotations__, *Metadata.__annotations__):
        assert f"`{key}`" in text
