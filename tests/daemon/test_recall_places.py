"""Places: where memories stand, by rowid, and who stands beside whom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.clock import Clock, keeping
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Kind, Pipeline
from cognid_daemon.bank.retention import sweep
from cognid_daemon.recall import places as places_module
from cognid_daemon.recall.places import Places


async def rowids(room: RecallRoom) -> dict[str, int]:
    """The revision_rowid of each text."""
    rows = await room.bank.read(
        lambda connection: connection.execute("SELECT text, revision_rowid FROM texts").fetchall()
    )
    return dict(rows)


def beside(
    places: Places, some: list[int], steps: tuple[int, ...] = (1, -1)
) -> set[tuple[int, int]]:
    """The pairs of those and of what stands beside them."""
    mine, theirs = places.beside(np.array(some), steps)
    return set(zip(mine.tolist(), theirs.tolist(), strict=True))


async def test_neighbours_are_of_the_same_session_and_stream(tmp_path: Path) -> None:
    """The turn before and after, and nothing across a session or a stream, whenever it came."""
    async with recall_room(tmp_path) as room:
        places = Places()
        await room.add("one", session="a", stream="s")
        await room.add("two", session="a", stream="s")
        await room.bank.read(places.follow)
        await room.add("three", session="a", stream="s")
        await room.add("four", session="b", stream="s")
        await room.add("elsewhere", session="a", stream="t")
        await room.bank.read(places.follow)
        known = await rowids(room)
        texts = {rowid: text for text, rowid in known.items()}
        pairs = beside(places, sorted(known.values()))
        assert {(texts[a], texts[b]) for a, b in pairs} == {
            ("one", "two"),
            ("two", "one"),
            ("two", "three"),
            ("three", "two"),
        }


async def test_turns_of_late_are_put_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours are found across both, before the latest are put with the others and after."""
    monkeypatch.setattr(places_module, "_OF_LATE", 2)
    async with recall_room(tmp_path) as room:
        places = Places()
        texts = [f"turn {number}" for number in range(9)]
        for number, text in enumerate(texts):
            await room.add(text, session="a", stream="s")
            await room.bank.read(places.follow)
            known = await rowids(room)
            of_one = beside(places, [known[text]])
            assert of_one == ({(known[text], known[texts[number - 1]])} if number else set())
        assert len(places._ordered[0].turns) == 9
        middle = known[texts[4]]
        assert beside(places, [middle]) == {
            (middle, known[texts[3]]),
            (middle, known[texts[5]]),
        }


async def test_a_fact_stands_where_its_turn_stands(tmp_path: Path) -> None:
    """It has that turn's neighbours and is nobody's itself, and leads to its turn."""
    async with recall_room(tmp_path) as room:
        places = Places()
        await room.turn("one", sequence=1)
        await room.turn("two and a half", "two", sequence=2)
        await room.bank.read(places.follow)
        known = await rowids(room)
        fact, turn, before = known["two"], known["two and a half"], known["one"]
        everything = np.array([before, turn, fact])
        assert places.repeat(np.array([*everything, 9_999])).tolist() == [
            *(False, False, True),
            False,
        ]
        assert beside(places, [fact], (0,)) == {(fact, turn)}
        assert beside(places, everything.tolist()) == {
            (fact, before),
            (turn, before),
            (before, turn),
        }


async def test_a_place_tells_speaker_and_form(tmp_path: Path) -> None:
    """A speaker goes by the first name as a query would say it; a statement is told from a turn."""
    async with recall_room(tmp_path) as room:
        places = Places()
        await room.add("one", speaker="Zoë Adler", kind=Kind.FACT)
        await room.add("two")
        await room.bank.read(places.follow)
        known = await rowids(room)
        standing = places.of(np.array([known["one"], known["two"], 9_999]))
        assert standing.speakers.tolist() == [hash("zoe"), 0, 0]
        assert standing.statements.tolist() == [True, False, False]
        assert standing.sessions.tolist() == [0, 0, 0]


async def test_a_turn_that_came_back_lends_words_and_is_repeated(tmp_path: Path) -> None:
    """What was expired when the places were read stands, once the clock is right, where a daemon
    that starts then has it: beside its neighbours, and said again by its facts."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.turn("When does the white ferry leave?", sequence=1)
        await room.turn("At nine, from the far pier.", "from the far pier", sequence=2)
        await room.turn("The far pier it is", sequence=3)
        await room.settle()
    clock.turn(1_000)
    async with recall_room(tmp_path, create=False, keeping=keeping(clock)) as room:
        await _sweep(room)
        await room.settle()
        assert list(await _scores(room, "white ferry pier")) == ["from the far pier"]
        clock.turn(-1_000)
        await _sweep(room)
        after = await _scores(room, "white ferry pier")
    async with recall_room(tmp_path, create=False, keeping=keeping(clock)) as room:
        await room.settle()
        assert after == await _scores(room, "white ferry pier")


async def _sweep(room: RecallRoom) -> None:
    while (await room.bank.submit(sweep).outcome()).more:
        pass


async def _scores(room: RecallRoom, query: str) -> dict[str, float | None]:
    """What a search for words alone brings back, and what the words are worth in each."""
    answer = await room.ask(query, pipeline=Pipeline.LEXICAL)
    return {hit.text: hit.lexical for hit in answer.hits}
