"""Measure recall on public data through a real daemon; run by scripts/evaluate.

Owns: the command line and the form of the report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from measure.datasets import READERS, DataError, DataSet, read_data
from measure.evaluation import LIMIT, StuckError, evaluate
from measure.report import file_hash, git_state, machine, today
from measure.scratch import DaemonError, ScratchDaemon, scratch_home

_FIGURES: Final = (
    "any@5", "any@10", "frac@5", "frac@10", "all@5", "all@10", "ndcg@10", "mrr",
)  # fmt: skip


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/evaluate",
        description="Tell a data set to a real daemon, ask its questions, and score the first "
        f"{LIMIT} hits against the evidence.",
    )
    parser.add_argument("set", choices=sorted(READERS))
    parser.add_argument("path", type=Path, help="the data set's JSON file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N questions a conversation")
    parser.add_argument("--conversations", type=int, metavar="N", help="the first N only")
    parser.add_argument(
        "--roles",
        choices=("user", "both"),
        default="user",
        help="whose messages of BEAM are told (default: user; LoCoMo: always both)",
    )
    return parser.parse_args()


async def _run(data: DataSet, questions: int | None) -> dict[str, Any]:
    with scratch_home() as home:
        async with ScratchDaemon(home).running() as client:
            result = await evaluate(client, data, questions)
            status = await client.status()
    return {**result.summary(data.headline), "model": status.model.space_id}


def _print(report: dict[str, Any], headline: frozenset[str]) -> None:
    print(f"{report['set']}: {report['data']} (sha256 {report['data_sha256'][:16]})")
    print(f"git {report['git']}, {report['date']}, {report['machine']}, model {report['model']}")
    print(f"\n{'category':28} {'asked':>5} " + " ".join(f"{name:>7}" for name in _FIGURES))
    named = ", ".join(sorted(headline)) if len(headline) < len(report["categories"]) else "all"
    rows = {**report["categories"], f"= {named}": report, "= all": report["all"]}
    if named == "all":
        del rows["= all"]
        rows["= all"] = report
    for name, row in rows.items():
        figures = " ".join(f"{row[figure]:7.3f}" for figure in _FIGURES if figure in row)
        print(f"{name:28} {row['questions']:5} {figures}")
    print(
        f"\nstored {report['stored']} of {report['told']} ({report['share_stored']:.1%}); "
        f"{report['skipped']} questions have no evidence here and were not asked; "
        f"{report['partial']} answers partial, {report['unanswered']} unavailable"
    )
    if report["ms_query"]:
        took = report["ms_query"]
        print(f"a query took {took['median']:.1f} ms (median), {took['p95']:.1f} ms (p95)")


def main() -> int:
    """Run it; 2 where the data set cannot be read, 1 where the daemon fails."""
    arguments = _arguments()
    try:
        data = read_data(arguments.set, arguments.path, arguments.roles)
    except DataError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    data = replace(data, conversations=data.conversations[: arguments.conversations])
    try:
        measured = asyncio.run(_run(data, arguments.limit))
    except (DaemonError, StuckError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 1
    report = {
        "set": data.name,
        "roles": arguments.roles if data.name == "beam" else None,
        **measured,
        "questions_a_conversation": arguments.limit,
        "conversations": len(data.conversations),
        "data": arguments.path.name,
        "data_sha256": file_hash(arguments.path),
        "git": git_state(),
        "date": today(),
        "machine": machine(),
    }
    if arguments.json:
        print(json.dumps(report))
    else:
        _print(report, data.headline)
    return 0


if __name__ == "__main__":
    sys.exit(main())
