"""Links between pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.pages import anchors, pages

_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_internal_links_resolve(path: Path) -> None:
    """Each relative link names a file that is there, and each anchor a heading of that file."""
    broken = []
    for link in _LINK.finditer(path.read_text("utf-8")):
        name, _, anchor = link["target"].partition("#")
        if "://" in name:
            continue
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link["target"])
    assert broken == []
