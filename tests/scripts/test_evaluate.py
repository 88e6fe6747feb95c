"""scripts/evaluate and the bench's bare commits against a real daemon, on made-up data."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from measure.bare import Operation, committing
from measure.evaluation import gold_places, place_of
from measure.scratch import ScratchDaemon, scratch_home

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.upkeep import Upkeep
from cognid_daemon.catalog import Catalog
from cognid_daemon.master_key import find_master_key

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

SCRIPT = Path(__file__).parents[2] / "scripts" / "evaluate.py"
TURNS = [
    ("Ann", "My sister keeps seven goats on a farm in Wales."),
    ("Bo", "I burned the lasagne again, the oven is far too hot."),
    ("Ann", "The violin lesson was moved to Thursday afternoon."),
    ("Bo", "We flew to Lisbon and saw the old trams."),
]
LOCOMO = [
    {
        "sample_id": "made-up",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": speaker, "dia_id": f"D1:{place}", "text": text}
                for place, (speaker, text) in enumerate(TURNS, 1)
            ],
        },
        "qa": [
            {"question": "Which animals live in Wales?", "category": 4, "evidence": ["D1:1"]},
            {"question": "When is the violin lesson?", "category": 2, "evidence": ["D1:3"]},
            {"question": "Where are old trams?", "category": 5, "evidence": ["D1:4"]},
            {"question": "Who is tall?", "category": 3, "evidence": []},
        ],
    }
]
TABLES = ("events", "memories", "revisions", "texts", "receipts", "ledger")


@pytest.fixture
def home() -> Iterator[Path]:
    """A scratch home with a path short enough for a socket."""
    with scratch_home() as folder:
        yield folder


def _evaluate(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=50
    )


def test_without_a_part_the_same_bank_is_asked_again(tmp_path: Path) -> None:
    """Without words and without meaning the figures are others, and commands find nothing."""
    path, commands = tmp_path / "locomo.json", tmp_path / "commands.json"
    path.write_text(json.dumps(LOCOMO))
    commands.write_text(json.dumps(["set a timer", "turn it up"]))
    ran = _evaluate(
        "locomo", str(path), "--json", "--commands", str(commands), "--ablate", "meaning"
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert set(report["without"]) == {"meaning"}
    assert report["commands"] == report["without"]["meaning"]["commands"] == 2
    assert report["folds"]["made-up"]["questions"] == 2
    assert report["mean_of_folds"]["any@10"] == 1.0


def test_evaluate_prints_one_object_with_the_headline_on_top(tmp_path: Path) -> None:
    """Of four turns every question finds its own among ten: any@10 is 1 for categories 1-4."""
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO))
    ran = _evaluate("locomo", str(path), "--json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["questions"] == 2
    assert report["any@10"] == report["frac@10"] == report["all@10"] == 1.0
    assert set(report["categories"]) == {"2", "4", "5"}
    assert report["all"]["questions"] == 3
    assert report["share_stored"] == 1.0
    assert report["skipped"] == 1
    assert report["partial"] == report["unanswered"] == 0
    assert report["ms_query"]["median"] > 0
    assert len(report["data_sha256"]) == 64


def test_evaluate_says_what_is_missing() -> None:
    """A path that does not exist ends it at once with status 2 and one line."""
    ran = _evaluate("locomo", "/nowhere/locomo.json")
    assert ran.returncode == 2
    assert ran.stderr == "evaluate: /nowhere/locomo.json: No such file or directory\n"


def _hit(stream: str | None, sequence: int, memory_id: str = "mem_x") -> Any:
    event = None if stream is None else SimpleNamespace(stream=stream, sequence=sequence)
    return SimpleNamespace(memory_id=memory_id, source=SimpleNamespace(event=event))


def test_a_hit_is_placed_by_its_event_or_else_by_its_memory() -> None:
    """A turn is found by stream and sequence, an asserted preference by its memory id."""
    assert place_of(_hit("talk", 2)) == "talk#2"
    assert place_of(_hit(None, 0, "mem_a")) == "mem_a"


def test_gold_that_was_not_stored_stays_gold() -> None:
    """What intake refused is missed by every answer and not left out of the count."""
    gold = gold_places(frozenset({"D1:1", "D1:2"}), {"D1:1": "talk#1"})
    assert "talk#1" in gold
    assert len(gold) == 2


def _rows(connection: "Connection") -> dict[str, int]:
    counts = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - a constant
        for table in TABLES
    }
    shape = connection.execute(
        "SELECT sum(length(outcome)), sum(length(digest)), (SELECT sum(length(body)) FROM ledger),"
        " (SELECT count(*) FROM lexical_docsize) FROM receipts"
    ).fetchone()
    names = ("outcome bytes", "digest bytes", "ledger bytes", "lexical")
    return {**counts, **dict(zip(names, shape, strict=True))}


@pytest.mark.parametrize("operation", ["add", "remember"])
async def test_a_bare_commit_writes_the_rows_of_the_real_operation(
    home: Path, operation: Operation
) -> None:
    """What the bench compares with is no less than what memory.add and memory.remember write."""
    text = "The tide table hangs beside the door."
    daemon = ScratchDaemon(home)
    async with daemon.running() as client:
        await client.ensure_bank(agent="real", enabled=True)
        if operation == "add":
            await client.add(text, agent="real")
        else:
            await client.remember(role="user", content=text, stream="bench", agent="real")
    master = find_master_key(daemon.places.configuration, {}, data_exists=True)
    catalog = await Catalog.open(daemon.places.data, master.key)
    record = catalog.banks()[0]
    folder, key = catalog.folder(record.bank_id), catalog.bank_key(record.bank_id)
    await catalog.close()
    real = await Bank.open(folder, record.bank_id, key, create=False)
    bare = await Bank.open(home / "bare", "bnk_bare", bytes(32), create=True)
    try:
        await bare.alone(committing(operation, [text], 1, Upkeep()))
        wrote, wanted = await asyncio.gather(bare.read(_rows), real.read(_rows))
    finally:
        await bare.close()
        await real.close()
    for name in (*TABLES, "digest bytes", "lexical"):
        assert wrote[name] == wanted[name], name
    for name in ("outcome bytes", "ledger bytes"):
        assert wrote[name] == pytest.approx(wanted[name], rel=0.15), name
