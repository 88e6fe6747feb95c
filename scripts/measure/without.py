"""`cognid serve` with parts of the recall switched off, to measure what each is worth.

Owns: the table of parts, and what switching one off means. The daemon itself has no such switch:
this runs it in a process whose weights are others. Started by scripts/evaluate --ablate.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from cognid_daemon.recall import terms, weights
from cognid_daemon.recall.weights import Mixture


def _weight(**changes: float | Mixture) -> Callable[[], None]:
    def switch() -> None:
        weights.WEIGHTS = replace(weights.WEIGHTS, **changes)  # type: ignore[misc, arg-type]  # that is the point

    return switch


def _words() -> None:
    remark, statement = weights.WEIGHTS.remark, weights.WEIGHTS.statement
    _weight(remark=replace(remark, lexical=0.0), statement=replace(statement, lexical=0.0))()


def _meaning() -> None:
    remark, statement = weights.WEIGHTS.remark, weights.WEIGHTS.statement
    _weight(remark=replace(remark, vector=0.0), statement=replace(statement, vector=0.0))()


def _asking() -> None:
    terms.ASKING = 1.0  # type: ignore[misc]  # as above, and below


def _lending() -> None:
    from cognid_daemon.recall import postings

    postings._BORROWED = 0.0  # type: ignore[misc]


def _variety() -> None:
    from cognid_daemon.recall import selection

    selection._ALIKE_ON_A_PAGE = 1_000_000  # type: ignore[misc]
    selection._OVERTAKES = 2.0  # type: ignore[misc]


def _evidence() -> None:
    weights.EVIDENCE = replace(weights.EVIDENCE, remark=-1.0, statement=-1.0)  # type: ignore[misc]


def _manifest(**changes: float | str) -> Callable[[], None]:
    def switch() -> None:
        from cognid_models import Manifest, loader, read_manifest

        def read(folder: Path) -> Manifest:
            return replace(read_manifest(folder), **changes)  # type: ignore[arg-type]  # by name

        loader.__dict__["read_manifest"] = read

    return switch


PARTS: Final[dict[str, Callable[[], None]]] = {
    "words": _words,
    "meaning": _meaning,
    "statement mixture": _weight(statement=weights.WEIGHTS.remark),
    "statement form": _manifest(statement_prefix="passage: "),
    "request share": _manifest(request_share=0.0),
    "asking words": _asking,
    "borrowed words": _lending,
    "speaker": _weight(speaker=0.0),
    "session": _weight(session=0.0),
    "question": _weight(question=0.0),
    "moment": _weight(moment=0.0),
    "variety": _variety,
    "evidence": _evidence,
}
"""Each part of a recall by its name, and what takes it out."""


def main() -> int:
    """Run the daemon without the parts that the arguments name."""
    for part in sys.argv[1:]:
        PARTS[part]()
    # Only now: the rooms take the weights as they find them when they are imported.
    from cognid_daemon.lifecycle import main as serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
