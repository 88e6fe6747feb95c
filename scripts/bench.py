"""Measure the bars of docs/benchmarks.md in one run; run by scripts/bench.

Owns: the command line, the sections and the form of the report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from measure.datasets import DataError
from measure.evaluation import StuckError
from measure.exactness import measure_exactness
from measure.figures import Figure
from measure.forgets import measure_forgets
from measure.living import measure_growth, measure_idle, measure_ping, measure_start
from measure.loads import (
    measure_cached,
    measure_deadlines,
    measure_loaded_recalls,
    measure_passages,
    measure_snapshots,
)
from measure.peers.comparing import compare, table
from measure.recalls import measure_recalls
from measure.report import git_state, machine, today
from measure.scratch import DaemonError, scratch_home
from measure.verbs import measure_verbs
from measure.workbench import Workbench
from measure.writes import measure_slow_writes, measure_write_tail, measure_writes

Section = Callable[[], Awaitable[list[Figure]]]

SECTIONS: Final = {
    "ping": "round trips of ping",
    "write": "durable writes against bare commits",
    "slow-write": "the same where an fsync takes 5 ms",
    "write-tail": "the slowest of many writes to a large bank",
    "recall": "recall against embedding the query alone",
    "recall-load": "recall while writers, embedding and a rebuild go on",
    "deadline": "a deadline of 50 ms under that load",
    "cached": "recall of a query that was asked before",
    "exact": "the index's best against the true neighbours",
    "snapshot": "a page while the snapshot of the vectors is written",
    "passages": "embedding what is remembered",
    "forget": "forgetting one of many against bare commits",
    "start": "cold start",
    "verbs": "the command line against a running daemon",
    "idle": "idle CPU and memory",
    "growth": "memory after many remembers",
}
PEERS: Final = "peers"
"""A section that is measured only where it is named: its peers are no part of this project."""
_DATA_VARIABLE: Final = "COGNID_DATA"


def _arguments() -> argparse.Namespace:
    sections = "; ".join(f"{name}: {what}" for name, what in SECTIONS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=f"Measure ratios and bars in one run. Sections: {sections}. Only where it is "
        f"named: {PEERS}: public peers that are installed beside it, on the same texts.",
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="default: all but peers")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller banks")
    named = os.environ.get(_DATA_VARIABLE)
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        default=None if named is None else Path(named),
        help=f"for peers: holds locomo*.json, perhaps beam*.json (default: ${_DATA_VARIABLE})",
    )
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="FOLDER",
        help="for peers: a virtual environment, or one each in FOLDER/citadeldb, FOLDER/chromadb …",
    )
    arguments = parser.parse_args()
    unknown = set(arguments.sections) - SECTIONS.keys() - {PEERS}
    if unknown:
        there = ", ".join([*SECTIONS, PEERS])
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {there}")
    return arguments


async def _measure(wanted: list[str], *, quick: bool, show: bool) -> dict[str, list[Figure]]:
    measured = {}
    with scratch_home() as home:
        bench = Workbench(home)
        measures: dict[str, Section] = {
            "ping": partial(measure_ping, quick=quick),
            "write": partial(measure_writes, quick=quick),
            "slow-write": partial(measure_slow_writes, quick=quick),
            "write-tail": partial(measure_write_tail, bench, quick=quick),
            "recall": partial(measure_recalls, bench, quick=quick),
            "recall-load": partial(measure_loaded_recalls, bench, quick=quick),
            "deadline": partial(measure_deadlines, bench, quick=quick),
            "cached": partial(measure_cached, bench, quick=quick),
            "exact": partial(measure_exactness, quick=quick),
            "snapshot": partial(measure_snapshots, bench, quick=quick),
            "passages": partial(measure_passages, quick=quick),
            "forget": partial(measure_forgets, bench, quick=quick),
            "start": partial(measure_start, bench, quick=quick),
            "verbs": partial(measure_verbs, quick=quick),
            "idle": partial(measure_idle, bench, quick=quick),
            "growth": partial(measure_growth, bench, quick=quick),
        }
        for name in wanted:
            print(f"bench: {name}", file=sys.stderr)
            measured[name] = await measures[name]()
            if show:
                print(f"\n{name}: {SECTIONS[name]}")
                print("\n".join(figure.line() for figure in measured[name]), flush=True)
    return measured


def _compare(arguments: argparse.Namespace) -> tuple[list[Figure], dict[str, Any]]:
    """The section of peers: its bars, and what each showed."""
    print(f"bench: {PEERS}", file=sys.stderr)
    if arguments.data is None:
        reason = f"no --data FOLDER and no ${_DATA_VARIABLE}"
        return [Figure("public peers", None, "x", not_run=reason)], {}
    try:
        comparison = compare(arguments.data, arguments.peers, quick=arguments.quick)
    except DataError as error:
        return [Figure("public peers", None, "x", not_run=str(error))], {}
    if not arguments.json:
        print("\n".join(["", *table(comparison.rows), ""]))
    return comparison.figures, comparison.as_json()


def main() -> int:
    """Run the sections; 0 whatever the verdicts are, 1 where the daemon fails."""
    arguments = _arguments()
    wanted = [name for name in SECTIONS if not arguments.sections or name in arguments.sections]
    head: dict[str, Any] = {
        "git": git_state(),
        "date": today(),
        "machine": machine(),
        "quick": arguments.quick,
    }
    if not arguments.json:
        print(f"git {head['git']}, {head['date']}\n{head['machine']}")
    try:
        measured = asyncio.run(_measure(wanted, quick=arguments.quick, show=not arguments.json))
        if PEERS in arguments.sections:
            measured[PEERS], head["peers"] = _compare(arguments)
            if not arguments.json:
                print("\n".join(figure.line() for figure in measured[PEERS]))
    except (DaemonError, StuckError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    figures = {name: [figure.as_json() for figure in part] for name, part in measured.items()}
    missed = [
        figure.name
        for part in measured.values()
        for figure in part
        if figure.verdict in ("over", "under")
    ]
    if arguments.json:
        print(json.dumps({**head, "sections": figures, "missed": missed}))
    else:
        print(f"\n{len(missed)} bars missed" + "".join(f"\n  {name}" for name in missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
