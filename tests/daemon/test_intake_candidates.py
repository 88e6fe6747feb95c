"""Candidates: what a runtime's own model found in a turn, and what forgetting one of a turn's
memories leaves.

Several memories of one operation are what these tests are about: whichever is forgotten, the
operation and its event must not bring it back, and no digest of the request may stay.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, id_of, operation

from cognid_daemon.bank.connection import Database
from cognid_daemon.catalog import Catalog
from cognid_daemon.master_key import find_master_key

SAID = "Lea eats no meat. We ship on Friday, and Jonas called: the boat is sold."
MEAT, SHIP, BOAT = "Lea eats no meat.", "We ship on Friday", "the boat is sold."


@pytest.fixture
def own_daemon() -> Iterator[DaemonProcess]:
    """A daemon that a test stops and starts."""
    with running(settings=WITHOUT_MODEL) as started:
        yield started


def _candidate(text: str, said: str = SAID, **fields: Any) -> dict[str, Any]:
    start = said.find(text)
    span = [start, start + len(text)] if start >= 0 else None
    return {"text": text, "span": span, "provenance": "explicit", **fields}


def _turn(
    *candidates: dict[str, Any], said: str = SAID, role: str = "user", sequence: int = 1
) -> dict[str, Any]:
    data = {"role": role, "content": said}
    event = {"stream": "chat", "sequence": sequence, "data": data}
    return {"event": event, "candidates": list(candidates), **operation()}


THREE = (_candidate(MEAT), _candidate(SHIP), _candidate(BOAT))


def _by_text(bank: Agent, **fields: Any) -> dict[str, dict[str, Any]]:
    return {memory["text"]: memory for memory in bank.listed(**fields)}


def test_a_turn_becomes_its_remark_and_the_facts_of_its_candidates(bank: Agent) -> None:
    """The remark comes first, the facts follow in their order, each with its span and source."""
    dated = _candidate(
        BOAT,
        kind="episodic",
        confidence=0.75,
        importance=0.5,
        categories=["sea"],
        event_time="2026-05-01T10:00:00.000000Z",
    )
    made = bank.result("memory.remember", _turn(_candidate(MEAT, kind="preference"), dated))
    assert made["outcome"] == "committed"
    assert [one["kind"] for one in made["memories"]] == ["remark", "preference", "episodic"]
    assert (made["folded"], made["rejected"], made["adjusted"]) == ([], [], [])
    by_text = _by_text(bank)
    assert set(by_text) == {SAID, MEAT, BOAT}
    boat = by_text[BOAT]
    start = SAID.index(BOAT)
    expected = {
        "provenance": "explicit",
        "confidence": 0.75,
        "importance": 0.5,
        "categories": ["sea"],
        "event_time": "2026-05-01T10:00:00.000000Z",
        "role": "user",
    }
    assert {name: boat[name] for name in expected} == expected
    assert boat["source"]["span"] == [start, start + len(BOAT)]
    assert boat["source"]["extractor"] == "candidate"
    assert boat["source"]["event"]["sequence"] == 1
    assert SAID[slice(*boat["source"]["span"])] == BOAT
    group = bank.shown(boat["memory_id"])["group"]
    assert set(group) == {by_text[SAID]["memory_id"], by_text[MEAT]["memory_id"]}


def test_the_ledger_names_every_memory_of_the_turn_by_a_keyed_digest(bank: Agent) -> None:
    """One entry; each memory has a digest of its own in it, and the text is nowhere."""
    made = bank.result("memory.remember", _turn(*THREE))
    digests = set()
    for one in made["memories"]:
        (entry,) = bank.history(one["memory_id"])["entries"]
        assert entry["operation"] == "memory.remember"
        digests.add(entry["details"]["digest"])
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("text", "span", "provenance", "reason"),
    [
        (MEAT, [0, 17], "explicit", None),
        ("LEA  eats no meat", [0, 17], "explicit", None),
        (MEAT, [0, len(SAID)], "explicit", None),
        (MEAT, None, "inferred", "span_missing"),
        ("Lea is a vegetarian", [0, 17], "inferred", "not_in_span"),
        (MEAT, [18, 35], "inferred", "not_in_span"),
        ("eat", [0, 17], "inferred", "not_in_span"),
    ],
)
def test_explicit_is_believed_only_of_words_that_stand_in_the_span(
    bank: Agent, text: str, span: list[int] | None, provenance: str, reason: str | None
) -> None:
    """The words, whole and in their order; else it is kept as inferred and the outcome says so."""
    claimed = {"text": text, "span": span, "provenance": "explicit"}
    made = bank.result("memory.remember", _turn(claimed))
    assert _by_text(bank)[text]["provenance"] == provenance
    assert [(one["index"], one["reason"]) for one in made["adjusted"]] == (
        [] if reason is None else [(0, reason)]
    )
    if reason is not None:
        assert made["adjusted"][0]["memory_id"] == made["memories"][1]["memory_id"]


def test_only_the_user_can_be_quoted(bank: Agent) -> None:
    """An assistant's turn with an explicit candidate is refused whole; inferred ones are taken."""
    error = bank.error("memory.remember", _turn(_candidate(MEAT), role="assistant"))
    assert (error["code"], error["effect"]) == ("invalid_argument", "none")
    assert bank.listed() == []
    inferred = _candidate(MEAT, provenance="inferred")
    assert bank.result("memory.remember", _turn(inferred, role="assistant"))["memories"][1:]


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "x" * 4001},
        {"text": " "},
        {"text": "It is so", "kind": "remark"},
        {"text": "It is so", "provenance": "synthesized"},
        {"text": "It is so", "sources": ["mem_" + "a" * 32]},
        {"text": "It is so", "span": [0]},
        {"text": "It is so", "pinned": True},
        {"text": "It is so", "confidence": 1.5},
        {
            "text": "It is so",
            "valid_from": "2026-05-02T00:00:00Z",
            "valid_until": "2026-05-01T00:00:00Z",
        },
    ],
)
def test_a_candidate_of_another_form_is_refused_with_its_turn(
    bank: Agent, wrong: dict[str, Any]
) -> None:
    """What is outside the form or a bound is an invalid argument, and nothing is taken."""
    assert bank.error("memory.remember", _turn(wrong))["code"] == "invalid_argument"
    assert bank.listed() == []


def test_at_most_32_candidates(bank: Agent) -> None:
    """The bound of the contract: 32 are taken, one more is refused."""
    many = [{"text": f"Fact number {number}"} for number in range(33)]
    assert bank.error("memory.remember", _turn(*many))["code"] == "invalid_argument"
    assert len(bank.result("memory.remember", _turn(*many[:32]))["memories"]) == 33


def test_a_candidate_that_does_not_hold_leaves_the_others_and_the_remark(bank: Agent) -> None:
    """A span beyond the content, a source that is not there: each is rejected by its rule."""
    made = bank.result(
        "memory.remember",
        _turn(
            _candidate(MEAT),
            {"text": "Out of range", "span": [0, len(SAID) + 1]},
            {"text": "Empty", "span": [4, 4]},
            {"text": "Made of air", "provenance": "synthesized", "sources": ["mem_" + "a" * 32]},
        ),
    )
    assert made["rejected"] == [
        {"index": 1, "rules": ["candidate.span"]},
        {"index": 2, "rules": ["candidate.span"]},
        {"index": 3, "rules": ["candidate.sources"]},
    ]
    assert set(_by_text(bank)) == {SAID, MEAT}


def test_a_synthesized_fact_names_its_sources(bank: Agent, shared_daemon: DaemonProcess) -> None:
    """Current memories of the same bank, and they go through export and import with it; one of
    another bank, or a forgotten one, is no source."""
    first = bank.result("memory.remember", _turn(_candidate(MEAT)))
    sources = [one["memory_id"] for one in first["memories"]]
    made_of = {"text": "Lea is a vegetarian", "provenance": "synthesized", "sources": sources}
    made = bank.result("memory.remember", _turn(made_of, said="So it seems.", sequence=2))
    fact = bank.shown(made["memories"][1]["memory_id"])["memory"]
    assert (fact["provenance"], fact["source"]["sources"]) == ("synthesized", sources)
    with shared_daemon.connect() as connection:
        other = Agent(connection)
        refused = other.result("memory.remember", _turn(made_of))
        assert refused["rejected"] == [{"index": 0, "rules": ["candidate.sources"]}]
        other.result("import", {"records": bank.exported(), **operation()})
        assert _by_text(other)["Lea is a vegetarian"]["source"]["sources"] == sources
    bank.forget(sources[0])
    late = bank.result(
        "memory.remember", _turn({**made_of, "text": "No meat"}, said="Well.", sequence=3)
    )
    assert late["rejected"] == [{"index": 0, "rules": ["candidate.sources"]}]


def test_an_empty_list_means_that_there_are_no_facts(bank: Agent) -> None:
    """The runtime has looked: the device does not look again."""
    made = bank.result("memory.remember", _turn(said="My name is Ines and I live in Porto."))
    assert [one["kind"] for one in made["memories"]] == ["remark"]


def test_a_fact_that_is_there_already_is_folded(bank: Agent) -> None:
    """Equal after normalization and in all else: the outcome names the one that is there, and the
    second turn's remark stands by itself."""
    first = bank.result("memory.remember", _turn(_candidate(MEAT)))
    fact = first["memories"][1]
    again = "lea  eats NO meat."
    second = bank.result("memory.remember", _turn(_candidate(again, again), said=again, sequence=2))
    assert [one["kind"] for one in second["memories"]] == ["remark"]
    assert second["folded"] == [fact]
    other_date = _candidate(MEAT, valid_from="2026-05-01T00:00:00Z")
    third = bank.result("memory.remember", _turn(other_date, sequence=3))
    assert (len(third["memories"]), third["folded"]) == (2, [])


def test_the_same_fact_twice_in_one_turn_is_made_once(bank: Agent) -> None:
    """The second candidate says nothing more, and what was just made is not called folded."""
    made = bank.result("memory.remember", _turn(_candidate(MEAT), _candidate(MEAT)))
    assert (len(made["memories"]), made["folded"]) == (2, [])


def test_the_same_operation_again_replays_all_of_it(bank: Agent) -> None:
    """Facts, rejected and adjusted parts stand in the receipt; another list is another request."""
    turn = _turn(_candidate(MEAT), _candidate("Not said"), {"text": "Far", "span": [0, 999]})
    first = bank.result("memory.remember", turn)
    assert bank.result("memory.remember", turn) == {**first, "replayed": True}
    clash = bank.result("memory.remember", {**turn, "candidates": []})
    assert (clash["outcome"], clash["reason"]) == ("conflict", "operation_reused")
    known = bank.result("memory.remember", {**turn, **operation()})
    assert (known["outcome"], known["memories"]) == ("duplicate", first["memories"])


# Forgetting one of several.


def _digests(daemon: DaemonProcess, agent: str) -> dict[str, list[Any]]:
    """What of the requests, events and links stands in the bank's file. The daemon is stopped."""

    async def read() -> dict[str, list[Any]]:
        master = find_master_key(daemon.places.configuration, {}, data_exists=True)
        catalog = await Catalog.open(daemon.places.data, master.key)
        record = catalog.find("local", agent)
        assert record is not None
        path = catalog.folder(record.bank_id) / "bank.db"
        key = catalog.bank_key(record.bank_id)
        await catalog.close()
        database = await Database.open(path, key, query_only=True, name="test")
        try:
            return await database.run(
                lambda connection: {
                    "digests": connection.execute(
                        "SELECT digest FROM receipts WHERE operation = 'memory.remember'"
                    ).fetchall(),
                    "hashes": connection.execute("SELECT hash FROM events").fetchall(),
                    "links": connection.execute(
                        "SELECT memory_rowid FROM receipt_memories"
                        " WHERE memory_rowid NOT IN (SELECT memory_rowid FROM memories)"
                    ).fetchall(),
                }
            )
        finally:
            await database.close()

    return asyncio.run(read())


def test_forgetting_any_memory_of_a_turn_bars_its_operation_and_its_event(
    own_daemon: DaemonProcess,
) -> None:
    """The remark or any of three facts: the same operation, the event under another one, a
    restart and an older bank file bring nothing back, and no digest of the request stays."""
    turns = {number: _turn(*THREE) for number in range(4)}  # by which memory is forgotten
    known = {number: {**turn, **operation()} for number, turn in turns.items()}
    folders: dict[int, Path] = {}
    made: dict[int, list[str]] = {}

    def agents() -> Iterator[tuple[int, Agent]]:
        with own_daemon.connect() as connection:
            for number in turns:
                yield number, Agent(connection, f"person-{number}")

    def check() -> None:
        for number, agent in agents():
            for again in (turns[number], known[number], {**turns[number], **operation()}):
                assert agent.result("memory.remember", again)["outcome"] == "forgotten"
            left = set() if number == 0 else set(made[number][1:]) - {made[number][number]}
            assert {memory["memory_id"] for memory in agent.listed()} == left

    for number, bank in agents():
        answer = bank.result("memory.remember", turns[number])
        made[number] = [one["memory_id"] for one in answer["memories"]]
        assert bank.result("memory.remember", known[number])["outcome"] == "duplicate"
        folder = own_daemon.places.data / "banks" / bank.result("bank.status")["bank_id"]
        folders[number] = folder
    assert own_daemon.stop() == 0
    older = own_daemon.home / "older"
    for folder in folders.values():
        shutil.copytree(folder, older / folder.name)
    own_daemon.start()
    for number, bank in agents():
        affected = bank.forget(made[number][number])["affected"]
        taken = made[number] if number == 0 else [made[number][number], made[number][0]]
        assert set(affected) == set(taken)
        assert bank.resolve(turns[number]["operation_id"])["outcome"] == "committed"
    check()
    assert own_daemon.stop() == 0
    for number in turns:
        kept = _digests(own_daemon, f"person-{number}")
        assert {row[0] for row in kept["digests"]} == {None}
        assert {row[0] for row in kept["hashes"]} == {None}
        assert kept["links"] == []
    own_daemon.start()
    check()
    assert own_daemon.stop() == 0
    for folder in folders.values():
        shutil.rmtree(folder)
        shutil.copytree(older / folder.name, folder)
    own_daemon.start()
    check()
    assert all(bank.result("bank.status")["rolled_back"] for _, bank in agents())


def test_an_older_file_from_before_the_turn_keeps_its_operation_barred(
    own_daemon: DaemonProcess,
) -> None:
    """Every operation that made or met a forgotten fact is known as forgotten in a file that never
    saw it; the event too."""
    turn = _turn(*THREE)
    with own_daemon.connect() as connection:
        bank = Agent(connection, "person")
        folder = own_daemon.places.data / "banks" / bank.result("bank.status")["bank_id"]
    assert own_daemon.stop() == 0
    older = own_daemon.home / "older"
    shutil.copytree(folder, older)
    own_daemon.start()
    with own_daemon.connect() as connection:
        bank = Agent(connection, "person")
        made = bank.result("memory.remember", turn)
        bank.forget(made["memories"][2]["memory_id"])
    assert own_daemon.stop() == 0
    shutil.rmtree(folder)
    shutil.copytree(older, folder)
    own_daemon.start()
    with own_daemon.connect() as connection:
        bank = Agent(connection, "person")
        for again in (turn, {**turn, **operation()}):
            assert bank.result("memory.remember", again)["outcome"] == "forgotten"
        assert bank.listed() == []


def test_forgetting_the_second_turn_leaves_the_fact_of_the_first(bank: Agent) -> None:
    """A folded fact belongs to the event that it came from: the group of the other event is its
    remark alone. Forgetting the fact takes its own remark, and not what was said later."""
    first = bank.result("memory.remember", _turn(_candidate(MEAT)))
    said = "As I told you: Lea eats no meat."
    turn = _turn(_candidate(MEAT, said), said=said, sequence=2)
    second = bank.result("memory.remember", turn)
    fact = first["memories"][1]["memory_id"]
    assert second["folded"][0]["memory_id"] == fact
    assert bank.forget(id_of(second))["affected"] == [id_of(second)]
    assert set(_by_text(bank)) == {SAID, MEAT}
    assert bank.result("memory.remember", turn)["outcome"] == "forgotten"

    turn = _turn(_candidate(MEAT, said), said=said, sequence=3)
    third = bank.result("memory.remember", turn)
    assert set(bank.forget(fact)["affected"]) == {fact, id_of(first)}
    assert set(_by_text(bank)) == {said}
    # What the third turn's own remark says was not forgotten; the folded fact does not return.
    replayed = bank.result("memory.remember", turn)
    assert (replayed["outcome"], replayed["memories"]) == ("committed", third["memories"])
    assert bank.result("memory.remember", {**turn, **operation()})["outcome"] == "duplicate"
    assert set(_by_text(bank)) == {said}


def test_a_fact_newly_said_after_its_forget_is_a_new_memory(bank: Agent) -> None:
    """Only what was forgotten stays away; nothing folds into a barrier."""
    first = bank.result("memory.remember", _turn(_candidate(MEAT)))
    bank.forget(first["memories"][1]["memory_id"])
    again = bank.result("memory.remember", _turn(_candidate(MEAT), sequence=2))
    assert (len(again["memories"]), again["folded"]) == (2, [])


def test_correcting_a_fact_supersedes_the_remark_and_leaves_the_others(bank: Agent) -> None:
    """The remark says the old text; the other facts of the turn stand by themselves."""
    made = bank.result("memory.remember", _turn(*THREE))
    ids = [one["memory_id"] for one in made["memories"]]
    answer = bank.correct(ids[1], 1, "Lea eats fish.")
    assert answer["affected"] == [ids[1], ids[0]]
    assert set(_by_text(bank)) == {"Lea eats fish.", SHIP, BOAT}


def test_the_stream_is_ready_once_all_memories_of_its_events_are(
    daemon: DaemonProcess, tmp_path: Path
) -> None:
    """The ready frontier waits for the vectors of facts as for those of remarks."""
    with daemon.connect() as connection:
        bank = Agent(connection)
        bank.result("memory.remember", _turn(*THREE))
        bank.wait_indexed()
        frontier = bank.result("bank.status", {"stream": "chat"})["frontier"]
        assert frontier == {"stream": "chat", "received": 1, "decided": 1, "ready": 1}
        assert bank.result("index.status")["indexed"] == 4
