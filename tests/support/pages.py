"""The project's pages as the tests of the docs read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(
    r"^(?P<runs><!-- runs -->\n)?```(?P<language>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} +(?P<title>.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. `runs`: the page promises that it runs as it stands."""

    page: str
    line: int
    language: str
    body: str
    runs: bool


def pages() -> list[Path]:
    """Every page: the top folder's and those of docs/."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def page(name: str) -> str:
    """A page's text, by its path from the top folder."""
    return (ROOT / name).read_text("utf-8")


def fences(name: str) -> Iterator[Fence]:
    """The fenced blocks of a page that name their language."""
    text = page(name)
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        runs = found["runs"] is not None
        yield Fence(name, line, found["language"], found["body"], runs)


def anchors(path: Path) -> set[str]:
    """The names under which links reach a page's headings, as code hosts make them."""
    text = _FENCE.sub("", path.read_text("utf-8"))
    found: set[str] = set()
    for heading in _HEADING.finditer(text):
        slug = re.sub(r"[^\w\- ]", "", heading["title"].lower()).replace(" ", "-")
        number = 1
        unique = slug
        while unique in found:
            unique, number = f"{slug}-{number}", number + 1
        found.add(unique)
    return found
