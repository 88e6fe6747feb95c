"""Facts out of turns: they help to find, and take nothing from the other turns or from each other.

Over a real bank. The word model gives texts that share words near vectors.
"""

from __future__ import annotations

from pathlib import Path

from sqlcipher3.dbapi2 import Connection
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Kind, Pipeline
from cognid_daemon.recall.lexical import CANDIDATES, LexicalMatches
from cognid_daemon.recall.places import Places
from cognid_daemon.recall.postings import Postings

MANY = 30
THINGS = ("crane", "pier", "rope", "lamp", "tug", "ferry", "chain", "gull", "net", "mast")


def long_message(number: int = 0, facts: int = MANY) -> list[str]:
    """A message of many sentences about the harbour, and each of those as a fact."""
    sentences = [f"The harbour gate {number} has the number {n}." for n in range(facts)]
    return [" ".join(sentences), *sentences]


async def lexical(room: RecallRoom, *terms: str) -> dict[str, float]:
    """The lexical scores of what was found, by text."""

    def read(connection: Connection) -> tuple[LexicalMatches, dict[int, str]]:
        rows = connection.execute("SELECT revision_rowid, text FROM texts").fetchall()
        return Postings(Places()).search(connection, list(terms), None), dict(rows)

    matches, texts = await room.bank.read(read)
    return {texts[rowid]: score for rowid, score in matches.by_rowid().items()}


async def test_a_message_of_many_facts_pushes_no_other_turn_out(tmp_path: Path) -> None:
    """Thirty facts of one message fit as well as ten other turns: these are on the page."""
    async with recall_room(tmp_path) as room:
        for number, thing in enumerate(THINGS):
            await room.turn(f"Near the harbour gate stands a {thing}", sequence=2 * number)
        await room.turn(*long_message(), sequence=100)
        await room.settle()
        found = await room.texts("harbour gate", limit=12)
        assert len([text for text in found if "Near the" in text]) == len(THINGS)


async def test_facts_take_no_place_among_the_candidates(tmp_path: Path) -> None:
    """Where more facts than there are candidates fit better, other turns are found all the same."""
    async with recall_room(tmp_path) as room:
        messages = 2 + CANDIDATES // MANY
        for number in range(messages):
            await room.turn(*long_message(number), sequence=2 * number)
        far = "When the wind is up nobody of us likes to walk as far as the old harbour at night"
        await room.turn(far, sequence=1000)
        await room.settle()
        for pipeline in (None, *Pipeline):
            assert far in await room.texts("harbour gate", limit=20, pipeline=pipeline)


async def test_a_word_is_as_rare_with_facts_as_without(tmp_path: Path) -> None:
    """Turns have the same lexical scores whether facts were found in them or not."""
    said = ["The badge of the gate is amber. I moved to Porto.", "Porto is warm, they say."]
    async with recall_room(tmp_path / "a") as room:
        await room.turn(said[0], "The badge of the gate is amber.", "I moved to Porto.", sequence=1)
        await room.turn(said[1], "Porto is warm", sequence=5)
        with_facts = await lexical(room, "porto", "badge")
    async with recall_room(tmp_path / "b") as room:
        await room.turn(said[0], sequence=1)
        await room.turn(said[1], sequence=5)
        without = await lexical(room, "porto", "badge")
    assert {text: with_facts[text] for text in said} == without


async def test_a_fact_whose_turn_is_gone_is_found_by_itself(tmp_path: Path) -> None:
    """Forgetting a fact takes its turn along; the other fact of that turn stays the best answer."""
    async with recall_room(tmp_path) as room:
        said = "My badge is amber, my locker is the ninth, and the rest of the day was as usual."
        await room.turn("Where do you keep a locker and a badge?", sequence=1)
        _, badge, _ = await room.turn(
            said, "My badge is amber", "my locker is the ninth", sequence=2
        )
        await room.turn("The locker and the badge of others", sequence=3)
        await room.settle()
        assert (await room.texts("which number has my locker?"))[0] != said  # the places are known
        await room.remove(badge)
        found = await room.texts("which number has my locker?")
        assert found[0] == "my locker is the ninth"
        assert said not in found


async def test_facts_alone_have_words_that_are_rare_and_common(tmp_path: Path) -> None:
    """Where the turns are gone, what they left is counted, and found by words after a start."""
    async with recall_room(tmp_path) as room:
        for number, thing in enumerate(THINGS):
            fact = f"There is a {thing} in the harbour"
            stored = await room.turn(
                f"{fact}, I was told.", fact, "I was told", sequence=2 * number
            )
            await room.remove(stored[2])
        scores = await lexical(room, "harbour", "ferry")
        assert len(scores) == len(THINGS)
        assert max(scores, key=scores.__getitem__) == "There is a ferry in the harbour"
        assert scores["There is a ferry in the harbour"] > 3 * min(scores.values())


async def test_asked_for_facts_alone_all_of_a_turn_are_found(tmp_path: Path) -> None:
    """Where turns may not answer, their facts speak for themselves, however many they are."""
    async with recall_room(tmp_path) as room:
        await room.turn(*long_message(facts=6), sequence=1)
        await room.settle()
        answer = await room.ask("harbour gate", kinds=frozenset({Kind.FACT}))
        assert len(answer.hits) == 6
