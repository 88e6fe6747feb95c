"""Field cases: zones, clocks that jump, and facts that overtake each other. Numbers are theirs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from support.command import call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, id_of, operation

_AHEAD = timedelta(days=30)
_CLOCK = f"""
import time
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + {_AHEAD.total_seconds()}
time.time_ns = lambda: _time_ns() + {round(_AHEAD.total_seconds())} * 10**9
"""
"""What a Python reads before anything else, as `sitecustomize`: its clock is a month ahead."""


def test_an_instant_is_the_same_in_every_zone() -> None:
    """33: remembered in Kolkata and inspected in UTC: one instant, with its offset."""
    said_at = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    with running(settings=WITHOUT_MODEL, env={"TZ": "Asia/Kolkata"}) as daemon:
        before = datetime.now(UTC)
        with daemon.connect() as connection:
            bank = Agent(connection, "zones")
            added = id_of(bank.add("The lamp is in the attic"))
            event = {
                "stream": "chat",
                "occurred_at": "2026-03-02T05:00:00+05:30",
                "data": {"role": "user", "content": "The kettle is green"},
            }
            told = id_of(bank.result("memory.remember", {"event": event, **operation()}))
            first = [bank.shown(one)["memory"] for one in (added, told)]
        after = datetime.now(UTC)
        assert daemon.stop() == 0
        elsewhere = DaemonProcess(daemon.home, env={"TZ": "UTC"})
        try:
            elsewhere.start()
            with elsewhere.connect() as connection:
                bank = Agent(connection, "zones")
                assert [bank.shown(one)["memory"] for one in (added, told)] == first
            for zone in ("Asia/Kolkata", "America/St_Johns"):
                shown = call_command(
                    elsewhere.environment, "show", added, "--agent", "zones", "--json", TZ=zone
                )
                assert shown.json["memory"]["created_at"] == first[0]["created_at"]
        finally:
            elsewhere.close()
    created = datetime.fromisoformat(first[0]["created_at"])
    assert created.tzinfo is not None
    assert before <= created <= after
    assert datetime.fromisoformat(first[1]["event_time"]) == said_at


def test_a_memory_from_the_future_is_no_special_one(tmp_path: Path) -> None:
    """36: stored a month ahead of the clock, it is recalled, and what is newer comes before it."""
    (tmp_path / "sitecustomize.py").write_text(_CLOCK)
    with running(env={"PYTHONPATH": str(tmp_path)}) as daemon:
        with daemon.connect() as connection:
            bank = Agent(connection, "clock")
            ahead = id_of(bank.add("The lamp is in the attic"))
            bank.remember("The kettle is green")
            created = datetime.fromisoformat(bank.shown(ahead)["memory"]["created_at"])
            assert created > datetime.now(UTC) + _AHEAD - timedelta(minutes=5)  # the clock works
        assert daemon.stop() == 0
        (tmp_path / "sitecustomize.py").unlink()
        daemon.start()
        with daemon.connect() as connection:
            bank = Agent(connection, "clock")
            assert bank.texts("the lamp in the attic")[0] == "The lamp is in the attic"
            bank.add("The lamp is in the cellar")
            bank.wait_indexed()
            found = bank.recall("where is the lamp")["hits"]
            assert [hit["text"] for hit in found[:2]] == [
                "The lamp is in the cellar",
                "The lamp is in the attic",
            ]
            assert all(0 <= hit["score"] <= 1 for hit in found)
            newest_first = [memory["text"] for memory in bank.listed()]
            assert newest_first[0] == "The lamp is in the cellar"
            assert newest_first[-1] == "The lamp is in the attic"


def test_two_facts_that_disagree_are_both_shown_with_their_dates(bank: Agent) -> None:
    """40: nothing decides for the person: both stand there, the newer one first."""
    bank.add("Pavel eats meat", event_time="2025-01-05T12:00:00Z")
    bank.add("Pavel no longer eats meat since March")
    bank.wait_indexed()
    hits = bank.recall("does Pavel eat meat")["hits"]
    assert [hit["text"] for hit in hits] == [
        "Pavel no longer eats meat since March",
        "Pavel eats meat",
    ]
    assert hits[0]["created_at"] > hits[1]["created_at"]
    said_at = datetime.fromisoformat(hits[1]["event_time"])
    assert said_at == datetime(2025, 1, 5, 12, tzinfo=UTC)


def test_one_fact_in_many_words_leaves_room_for_others(bank: Agent) -> None:
    """32: of five paraphrases and three other facts, five hits hold at least three facts."""
    paraphrases = {
        "Ines drinks green tea in the morning",
        "In the morning Ines has green tea",
        "Green tea is what Ines drinks in the mornings",
        "Every morning Ines drinks a green tea",
        "Ines starts her morning with green tea",
    }
    for text in paraphrases:
        bank.add(text)
    bank.add("Ines cycles to work in the morning")
    bank.add("Ines takes her coffee black at the office")
    bank.add("Ines reads the paper before breakfast")
    bank.wait_indexed()
    found = bank.texts("What does Ines drink in the morning?", limit=5)
    assert len(found) == 5
    assert len(set(found) - paraphrases) >= 2
