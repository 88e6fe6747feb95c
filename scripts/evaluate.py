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
from typing import Any, Final, get_args

from measure import without
from measure.datasets import READERS, DataError, DataSet, read_commands, read_data
from measure.evaluation import LIMIT, StuckError, ask, tell
from measure.report import file_hash, git_state, machine, today
from measure.scratch import DaemonError, ScratchDaemon, scratch_home

from cognid.client import AsyncClient
from cognid.protocol.recall import Effort
from cognid.reranker import find_reranker, install_reranker

_FIGURES: Final = (
    "any@5", "any@10", "frac@5", "frac@10", "all@5", "all@10", "ndcg@10", "mrr",
)  # fmt: skip

_COMMANDS: Final = 500


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
    parser.add_argument(
        "--commands",
        type=Path,
        metavar="PATH",
        help=f"a JSON list of commands; {_COMMANDS} of them are asked too, to find nothing",
    )
    parser.add_argument(
        "--ablate",
        action="append",
        default=[],
        metavar="PART",
        choices=[*without.PARTS, "all"],
        help="ask again without a part of the recall, or without each: " + ", ".join(without.PARTS),
    )
    parser.add_argument(
        "--effort",
        choices=get_args(Effort),
        default="fast",
        help="of each recall (default: fast); thorough needs --reranker",
    )
    parser.add_argument(
        "--reranker",
        type=Path,
        metavar="PATH",
        help="what `cognid reranker install` takes, installed into the scratch home",
    )
    arguments = parser.parse_args()
    if arguments.effort == "thorough" and arguments.reranker is None:
        parser.error("--effort thorough needs --reranker")
    return arguments


async def _install(daemon: ScratchDaemon, client: AsyncClient, source: Path) -> None:
    view = (await client.status()).reranker
    if view is None:
        raise DaemonError("this daemon takes no reranker")
    install_reranker(daemon.places, view, find_reranker(source, view))


async def _run(
    data: DataSet,
    questions: int | None,
    commands: list[str],
    parts: list[str],
    effort: Effort,
    reranker: Path | None,
) -> dict[str, Any]:
    """Tell once, ask, and ask again without each of some parts."""
    with scratch_home() as home:
        daemon = ScratchDaemon(home)
        async with daemon.running() as client:
            if reranker is not None:
                await _install(daemon, client, reranker)
            told = await tell(client, data)
            result = await ask(client, data, told, questions, commands, effort)
            status = await client.status()
        report = {**result.summary(data.headline), "model": status.model.space_id, "without": {}}
        for part in parts:
            command = [sys.executable, without.__file__, part]
            async with ScratchDaemon(home, command=command).running() as client:
                result = await ask(client, data, told, questions, commands, effort)
                report["without"][part] = result.summary(data.headline)
    return report


def _print(report: dict[str, Any], headline: frozenset[str]) -> None:
    print(f"{report['set']}: {report['data']} (sha256 {report['data_sha256'][:16]})")
    print(f"git {report['git']}, {report['date']}, {report['machine']}, model {report['model']}")
    print(f"effort {report['effort']}")
    print(f"\n{'category':28} {'asked':>5} " + " ".join(f"{name:>7}" for name in _FIGURES))
    named = ", ".join(sorted(headline)) if len(headline) < len(report["categories"]) else "all"
    folds = {f"fold {name}": row for name, row in report["folds"].items()}
    rows = {**folds, **report["categories"], f"= {named}": report, "= all": report["all"]}
    if named == "all":
        del rows["= all"]
        rows["= all"] = report
    for name, row in rows.items():
        figures = " ".join(f"{row[figure]:7.3f}" for figure in _FIGURES if figure in row)
        print(f"{name:28} {row['questions']:5} {figures}")
    means = report["mean_of_folds"]
    figures = " ".join(f"{means[figure]:7.3f}" for figure in _FIGURES if figure in means)
    print(f"{'= mean of folds':28} {means['folds']:5} {figures}")
    if "session_any@5" in means:
        print(f"session any@5: {means['session_any@5']:.3f} (mean of folds)")
    print(
        f"\nstored {report['stored']} of {report['told']} ({report['share_stored']:.1%}); "
        f"{report['skipped']} questions have no evidence here and were not asked; "
        f"{report['partial']} answers partial, {report['unanswered']} unavailable"
    )
    if report["commands"]:
        print(f"{report['share_abstained']:.1%} of {report['commands']} commands found nothing")
    if report["without"]:
        _print_table(report)
    if report["ms_query"]:
        took = report["ms_query"]
        print(f"a query took {took['median']:.1f} ms (median), {took['p95']:.1f} ms (p95)")


def _print_table(report: dict[str, Any]) -> None:
    """The whole and what it is without each part, as docs/benchmarks.md has it: means of folds."""
    names = [n for n in ("any@5", "any@10", "session_any@5") if n in report["mean_of_folds"]]
    print(f"\n| {report['set']} | {' | '.join(names)} | commands that find nothing |")
    print(f"|---|{'---|' * len(names)}---|")
    for part, row in {"whole": report, **report["without"]}.items():
        figures = [f"{row['mean_of_folds'][name]:.3f}".lstrip("0") for name in names]
        share = row["share_abstained"]
        said = "" if share is None else f"{share:.0%}"
        label = part if part == "whole" else f"without {part}"
        print(f"| {label} | {' | '.join(figures)} | {said} |")
    print()


def main() -> int:
    """Run it; 2 where the data set cannot be read, 1 where the daemon fails."""
    arguments = _arguments()
    try:
        data = read_data(arguments.set, arguments.path, arguments.roles)
        commands = (
            read_commands(arguments.commands, _COMMANDS) if arguments.commands is not None else []
        )
    except DataError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    data = replace(data, conversations=data.conversations[: arguments.conversations])
    try:
        parts = list(without.PARTS) if "all" in arguments.ablate else arguments.ablate
        measured = asyncio.run(
            _run(data, arguments.limit, commands, parts, arguments.effort, arguments.reranker)
        )
    except (DaemonError, StuckError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 1
    report = {
        "set": data.name,
        "roles": arguments.roles if data.name == "beam" else None,
        "effort": arguments.effort,
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
