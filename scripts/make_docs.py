"""Write what is generated from the code: blocks of the docs, man page, completions.

Run by scripts/make-docs.

A block stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->` in README.md or a file
of docs/. What stands between them is replaced; nothing else in the file is touched.

Owns: which blocks there are, and where they stand. The tests hold every file to `render`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from docs_handshake import handshake_block
from docs_manual import FILES
from docs_wire import common_block, operations_block, shapes_block, table, words_block

from cognid.protocol.bounds import BOUNDS
from cognid.protocol.errors import ERRORS
from cognid_daemon.settings import settings_table

ROOT: Final = Path(__file__).resolve().parent.parent
_BLOCK: Final = re.compile(
    r"(?P<begin><!-- generated: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end of (?P=name) -->)",
    re.DOTALL,
)


def documents() -> Iterator[Path]:
    """Every page that people read: the top folder's and those of docs/."""
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted((ROOT / "docs").glob("*.md"))


def render(page: str) -> str:
    """A page with its generated blocks as the code has them now.

    Raises:
        KeyError: a block that nothing generates.
    """
    return _BLOCK.sub(lambda m: m["begin"] + BLOCKS[m["name"]]() + "\n" + m["end"], page)


def _errors() -> str:
    return table(
        ("code", "number", "exit", "retry", "effect", "what it means", "what to do"),
        (
            (
                f"`{kind.code}`",
                str(kind.number),
                str(kind.exit),
                "yes" if kind.retryable else "no",
                kind.effect,
                kind.meaning,
                kind.remedy,
            )
            for kind in ERRORS.values()
        ),
    )


def _bounds() -> str:
    rows = ((f"`{name}`", f"{bound:,}", what) for name, (bound, what) in BOUNDS.items())
    return table(("name", "bound", "of what"), rows)


def _settings() -> str:
    def shown(default: object) -> str:
        return "none" if default is None else f"`{json.dumps(default)}`"

    rows = ((f"`{row.name}`", shown(row.default), row.help) for row in settings_table())
    return table(("setting", "default", "what it does"), rows)


BLOCKS: Final[dict[str, Callable[[], str]]] = {
    "bounds": _bounds,
    "common": common_block,
    "errors": _errors,
    "handshake": handshake_block,
    "operations": operations_block,
    "settings": _settings,
    "shapes": shapes_block,
    "words": words_block,
}


def _generated() -> Iterator[tuple[Path, str]]:
    """Every file that something is generated in, and what should stand in it."""
    for path in documents():
        yield path, render(path.read_text("utf-8"))
    for name, make in FILES.items():
        yield ROOT / name, make()


def main() -> int:
    """Write what is stale, or with --check only name it."""
    parser = argparse.ArgumentParser(
        prog="scripts/make-docs", description="Generate docs, man page and completions."
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    only_check = parser.parse_args().check
    stale = 0
    for path, fresh in _generated():
        page = path.read_text("utf-8") if path.exists() else None
        if fresh != page:
            stale += 1
            print(f"{path.relative_to(ROOT)}: {'stale' if only_check else 'written'}")
            if not only_check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fresh, "utf-8")
    return 1 if stale and only_check else 0


if __name__ == "__main__":
    sys.exit(main())
