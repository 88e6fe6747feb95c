"""The page: groups, variety, dates and small weights, over a real bank."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Kind
from cognid_daemon.recall.answer import Hit
from cognid_models import load

PARAPHRASES = (
    "Ines prefers mint tea in the morning.",
    "In the morning Ines likes to drink mint tea.",
    "Mint tea is what Ines has every morning.",
    "Ines starts her day with a cup of mint tea.",
    "Every morning Ines drinks tea with mint.",
)
OTHERS = (
    "Ines takes the early tram to the harbour office.",
    "The kettle that Ines uses was repaired in May.",
    "Ines does not like coffee at all.",
)


async def hits(room: RecallRoom, query: str, limit: int = 8) -> tuple[Hit, ...]:
    """Ask as soon as everything is indexed."""
    await room.settle()
    return (await room.ask(query, limit=limit)).hits


async def test_a_turn_and_its_fact_take_one_place(tmp_path: Path) -> None:
    """The better of a turn and its fact is shown, and names the other."""
    async with recall_room(tmp_path) as room:
        long = "Well the weather is odd. My badge number is amber. And what else, who knows really."
        remark, fact = await room.turn(long, "My badge number is amber.", sequence=1)
        await room.add("The bins go out on Monday", session="b")
        found = await hits(room, "what is my badge number")
        assert [(hit.memory.memory_id, hit.folded) for hit in found[:1]] == [
            (fact.memory_id, (remark.memory_id,))
        ]
        assert remark.memory_id not in {hit.memory.memory_id for hit in found}


async def test_two_facts_of_a_turn_stay_two_hits(tmp_path: Path) -> None:
    """Where one fact is the best of its group, the other one has its own place."""
    async with recall_room(tmp_path) as room:
        said = "My badge is amber and so on and on. My locker is nine, as far as I can tell today."
        await room.turn(said, "My badge is amber", "My locker is nine", sequence=1)
        found = await hits(room, "badge locker")
        texts = [hit.text for hit in found]
        if texts[0] == said:
            assert len(found[0].folded) == 2
        else:
            assert {"My badge is amber", "My locker is nine"} <= set(texts)
            assert said not in texts


@pytest.mark.parametrize("kind", [Kind.REMARK, Kind.FACT])
async def test_paraphrases_do_not_fill_the_page(tmp_path: Path, kind: Kind) -> None:
    """Of one fact said five ways and three others, five hits hold at least three distinct facts."""
    async with recall_room(tmp_path, load) as room:
        for number, text in enumerate((*PARAPHRASES, *OTHERS)):
            await room.add(text, session=f"s{number}", kind=kind)
        found = await hits(room, "What does Ines drink in the morning?", 5)
        assert len(found) == 5
        assert len({hit.text for hit in found} - set(PARAPHRASES)) >= 2


@pytest.mark.parametrize("model", [None, load])
async def test_the_newer_of_two_that_disagree_is_first(tmp_path: Path, model: object) -> None:
    """Both are shown, and the later one comes before the one that it overtakes."""
    async with recall_room(tmp_path, *([] if model is None else [load])) as room:
        await room.add("Pavel eats meat", session="a")
        await room.add("Pavel no longer eats meat since March", session="b")
        found = await hits(room, "does Pavel eat meat")
        assert [hit.text for hit in found] == [
            "Pavel no longer eats meat since March",
            "Pavel eats meat",
        ]
        assert found[0].score >= found[1].score


async def test_a_time_in_the_question_weighs(tmp_path: Path) -> None:
    """Of equal memories the one of the time that is asked for is first."""
    async with recall_room(tmp_path) as room:
        may = datetime(2023, 5, 8, tzinfo=UTC)
        for number, days in enumerate((0, 200, 400), 1):
            await room.turn(
                f"We went sailing {number}",
                at=may + timedelta(days=days),
                sequence=2 * number,
            )
        found = await hits(room, "when did we go sailing in May 2023?")
        assert found[0].text == "We went sailing 1"
        assert (await hits(room, "when did we go sailing?"))[0].text != "We went sailing 1"


async def test_a_time_in_the_question_reaches_far(tmp_path: Path) -> None:
    """The one of the time that is asked for comes before thirty others that fit a little better."""
    async with recall_room(tmp_path) as room:
        may = datetime(2023, 5, 8, tzinfo=UTC)
        await room.turn("We went sailing with neighbours", at=may, sequence=1)
        for day in range(100, 130):
            at = may + timedelta(days=day)
            await room.turn(f"We went sailing {day}", at=at, sequence=2 * day)
        found = await hits(room, "when did we go sailing in May 2023?")
        assert found[0].text == "We went sailing with neighbours"


async def test_a_pinned_memory_is_first_of_equals(tmp_path: Path) -> None:
    """Between equals a pin decides, and the newest without one."""
    async with recall_room(tmp_path) as room:
        await room.turn("We went sailing once", pinned=True, sequence=2)
        await room.turn("We went sailing twice", sequence=4)
        assert (await hits(room, "sailing"))[0].text == "We went sailing once"


async def test_a_turn_that_tells_is_before_one_that_asks(tmp_path: Path) -> None:
    """A question is rarely the answer."""
    async with recall_room(tmp_path) as room:
        await room.add("The shed is dark green", session="a")
        await room.add("Is the shed dark green?", session="b")
        assert (await hits(room, "dark green shed"))[0].text == "The shed is dark green"


COMMANDS = (
    "set a timer for ten minutes",
    "how much is five hundred dollars in pesos",
    "turn up the volume please",
    "what is the weather in Lisbon tomorrow",
    "roll a six sided dice",
    "call me a taxi to the airport",
)
TURNS = (
    ("Nora", "My sister keeps seven goats on a farm in Wales, they eat everything."),
    ("Tom", "I burned the lasagne again, the oven is far too hot."),
    ("Nora", "The violin lesson was moved to Thursday afternoon."),
    ("Tom", "My new racket has a softer grip, it helps my elbow a lot."),
    ("Nora", "We painted the garden shed dark green over the long weekend."),
    ("Tom", "The deploy failed because certificate 48213 had run out."),
)
SMALL_TALK = tuple(
    f"{who} {did} near the {place} with the others."
    for who in ("My aunt", "The neighbour", "Our old teacher")
    for did in ("sold her bicycle", "fed the ducks", "lost a glove", "sang a song")
    for place in ("bridge", "bakery", "church", "playground", "mill")
)


async def test_what_the_bank_knows_nothing_of_has_no_hits(tmp_path: Path) -> None:
    """Commands find nothing in a bank of small talk; its own questions find their turns."""
    async with recall_room(tmp_path, load) as room:
        for number, (speaker, text) in enumerate(TURNS):
            await room.add(text, session=f"s{number}", speaker=speaker)
        for text in SMALL_TALK:
            await room.add(text, session="talk")
        await room.settle()
        nothing = [not (await room.ask(command)).hits for command in COMMANDS]
        assert sum(nothing) >= 5
        for question, place in (
            ("Where does Nora's sister keep her goats?", 0),
            ("what did we paint?", 4),
            ("goats", 0),
            ("48213", 5),
        ):
            assert (await room.ask(question)).hits[0].text == TURNS[place][1]


async def test_scores_mean_the_same_from_query_to_query(tmp_path: Path) -> None:
    """The best hit of a poor query is worth less than that of a good one."""
    async with recall_room(tmp_path, load) as room:
        for number, (speaker, text) in enumerate(TURNS):
            await room.add(text, session=f"s{number}", speaker=speaker)
        await room.settle()
        good = (await room.ask("When is the violin lesson of Nora?")).hits[0].score
        poor = [hit.score for hit in (await room.ask("the long hot summer afternoon")).hits]
        assert good > 1.3 * max(poor, default=0.0)
