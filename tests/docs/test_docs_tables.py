"""What stands in the code's tables stands in the docs."""

from __future__ import annotations

import re
from pathlib import Path

import make_docs
import pytest
from docs_manual import FILES
from support.pages import ROOT, page, pages

from cognid.cli.app import GROUPS, VERBS
from cognid.protocol.bounds import BOUNDS
from cognid.protocol.errors import ERRORS
from cognid.protocol.table import HANDSHAKE, OPERATIONS
from cognid_daemon.settings import settings_table
from cognid_models import ModelChangedError, ModelFailedError, ModelMissingError


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_generated_blocks_are_fresh(path: Path) -> None:
    """A page's generated blocks are what the code generates now (scripts/make-docs writes them)."""
    text = path.read_text("utf-8")
    assert make_docs.render(text) == text


@pytest.mark.parametrize("name", FILES)
def test_generated_files_are_fresh(name: str) -> None:
    """The man page and the completions are what the verbs generate now (scripts/make-docs)."""
    assert (ROOT / name).read_text("utf-8") == FILES[name]()


def test_every_block_stands_in_a_page() -> None:
    """Nothing is generated for no page."""
    everything = "".join(path.read_text("utf-8") for path in pages())
    missing = [name for name in make_docs.BLOCKS if f"<!-- generated: {name} -->" not in everything]
    assert missing == []


@pytest.mark.parametrize("code", ERRORS)
def test_every_error_is_documented(code: str) -> None:
    """Each error code has its row in docs/errors.md."""
    assert f"| `{code}` |" in page("docs/errors.md")


def test_every_exit_status_is_explained() -> None:
    """Each exit status that an error can have is named in docs/errors.md."""
    explained = page("docs/errors.md").partition("## Exit statuses")[2]
    missing = {kind.exit for kind in ERRORS.values()} - set(map(int, re.findall(r"\d+", explained)))
    assert missing == set()


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_is_documented(name: str) -> None:
    """Each bound has its row in docs/protocol.md."""
    assert f"| `{name}` |" in page("docs/protocol.md")


@pytest.mark.parametrize("name", [*HANDSHAKE, *OPERATIONS, "knowledge.*"])
def test_every_operation_is_documented(name: str) -> None:
    """Each operation has its section in docs/protocol.md."""
    assert f"\n### {name}\n" in page("docs/protocol.md")


@pytest.mark.parametrize("name", [row.name for row in settings_table()])
def test_every_setting_is_documented(name: str) -> None:
    """Each setting stands in docs/operations.md."""
    assert f"`{name}`" in page("docs/operations.md")


@pytest.mark.parametrize("verb", [*VERBS, *GROUPS])
def test_every_verb_is_documented(verb: str) -> None:
    """Each verb of the command line stands in docs/cli.md."""
    assert f"cognid {verb}" in page("docs/cli.md")


@pytest.mark.parametrize("error", [ModelMissingError, ModelChangedError, ModelFailedError])
def test_every_fault_of_the_model_is_documented(
    error: type[ModelMissingError | ModelChangedError | ModelFailedError],
) -> None:
    """Each code of the model stands in docs/models.md and docs/errors.md."""
    assert f"`{error.code}`" in page("docs/models.md")
    assert f"`{error.code}`" in page("docs/errors.md")
