"""What the reranker reads, and what its word does to the order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.recall_room import RecallRoom, recall_room
from support.reranker import WordReranker

from cognid.protocol.values import Kind, Pipeline
from cognid_daemon.recall.answer import OFF, READY, Answer, Query, State
from cognid_daemon.recall.ranking import Ranked, Ranking
from cognid_daemon.recall.reranker import FOLDER, RerankerHost
from cognid_daemon.recall.reranking import Candidate, reranked, shares_of
from cognid_daemon.recall.weights import RERANKING
from cognid_models import load

NOW = 10.0
"""Seconds that a recall of these tests has."""


async def ask(
    room: RecallRoom, host: RerankerHost | None, text: str, limit: int = 8, seconds: float = NOW
) -> Answer:
    """Recall with a reranker."""
    deadline = asyncio.get_running_loop().time() + seconds
    return await room.recaller.answer(Query(text, limit), frozenset(Pipeline), deadline, host)


def installed(data: Path, reranker: WordReranker) -> RerankerHost:
    """A host of a reranker that is there."""
    folder = data / FOLDER
    folder.mkdir()
    (folder / "ms-marco-MiniLM-L-12-v2.int8.onnx").write_bytes(b"weights")
    return RerankerHost(data, lambda _: reranker)


def ranking(*ones: tuple[int, float, bool]) -> Ranking:
    """An order of rowids with their scores, and whether they are literal."""
    return Ranking(
        [Ranked(rowid, score, None, None, literal) for rowid, score, literal in ones], True
    )


def rowids(of: Ranking) -> list[int]:
    """The order."""
    return [one.revision_rowid for one in of.best]


def test_its_word_changes_the_order_of_near_ones() -> None:
    """Between two that are near each other it decides; what is far behind stays so."""
    found = ranking((1, 0.60, False), (2, 0.58, False), (3, 0.10, False))
    assert rowids(reranked(found, {1: 0.1, 2: 0.9, 3: 1.0})) == [2, 1, 3]


def test_scores_stay_between_0_and_1() -> None:
    """It is a share of the score, and a part of it that is told."""
    found = ranking((1, 1.0, False), (2, 0.0, False))
    best, last = reranked(found, {1: 1.0, 2: 0.0}).best
    assert (best.score, best.reranker, last.score, last.reranker) == (1.0, 1.0, 0.0, 0.0)


def test_what_is_literal_stays_first_in_an_order() -> None:
    """Whatever its word about them: below 0.5 lies what is not literal, above what is."""
    found = ranking((1, 0.6, True), (2, 0.5, False), (3, 0.4, False))
    after = reranked(found, {1: 0.0, 2: 1.0, 3: 1.0})
    assert rowids(after) == [1, 3, 2]
    assert [one.score for one in after.best[1:]] == [0.5, 0.5]
    assert after.best[0].score >= 0.5


def test_what_it_did_not_read_stays_as_it_stood() -> None:
    """Where time ran out, the others keep their order, below those that it found good."""
    found = ranking((1, 0.5, False), (2, 0.48, False), (3, 0.47, False), (4, 0.46, False))
    after = reranked(found, {1: 0.0, 2: 0.9})
    assert rowids(after) == [2, 1, 3, 4]
    assert after.best[-1].reranker is None


def test_only_what_was_read_has_a_share() -> None:
    """Logits of the first candidates; a turn's speaks for its facts too."""
    read = [Candidate((7, 8), "a turn"), Candidate((9,), "another")]
    shares = shares_of(read, (RERANKING.middle,))
    assert shares == {7: 0.5, 8: 0.5}


@pytest.mark.parametrize("logit", [-1000.0, 1000.0])
def test_any_logit_is_a_share(logit: float) -> None:
    """However far from the middle."""
    assert shares_of([Candidate((1,), "x")], (logit,))[1] in (pytest.approx(0.0), 1.0)


async def test_the_best_are_read_with_their_speakers(tmp_path: Path) -> None:
    """Best first, no more than the table says, each with who says it."""
    made = WordReranker()
    async with recall_room(tmp_path) as room:
        for number in range(RERANKING.candidates + 15):
            await room.add(f"the lamp number {number}", speaker="Ines", session="s")
        await room.settle()
        host = installed(tmp_path, made)
        answer = await ask(room, host, "which lamp is number 12")
        await host.close()
    assert answer.reranker == READY
    assert len(made.read) == RERANKING.candidates
    assert all(text.startswith("Ines: the lamp number") for text in made.read)
    assert answer.hits[0].reranker is not None


async def test_a_short_turn_is_read_with_what_it_answers(tmp_path: Path) -> None:
    """What another said just before in the session stands before it; what the same one said, what
    came after, and what was said elsewhere does not."""
    made = WordReranker()
    async with recall_room(tmp_path) as room:
        await room.add("How long have you had the lamp?", speaker="Bo", session="s")
        await room.add("Since the lamp shop closed.", speaker="Ines", session="s")
        await room.add("A lamp for two euros.", speaker="Ines", session="s")
        await room.add("That lamp is cheap.", speaker="Bo", session="t")
        await room.settle()
        host = installed(tmp_path, made)
        await ask(room, host, "lamp")
        await host.close()
    assert sorted(made.read) == [
        "Bo: How long have you had the lamp?",
        "Bo: How long have you had the lamp? Ines: Since the lamp shop closed.",
        "Bo: That lamp is cheap.",
        "Ines: A lamp for two euros.",
    ]


async def test_a_long_text_is_read_where_it_is_nearest(tmp_path: Path) -> None:
    """Not from its beginning: at the window that the vector pipeline found."""
    made = WordReranker()
    filler = " ".join(f"word{number}" for number in range(2_000))
    async with recall_room(tmp_path) as room:
        await room.add(f"{filler} the brass telescope stands in the attic {filler}", session="s")
        await room.settle()
        host = installed(tmp_path, made)
        await ask(room, host, "where does the brass telescope stand")
        await host.close()
    (read,) = made.read
    assert "brass telescope" in read
    assert len(read) < 2_000


async def test_it_needs_no_vectors(tmp_path: Path) -> None:
    """What the words alone find is read too."""
    made = WordReranker()

    def no_model() -> None:
        raise OSError

    async with recall_room(tmp_path, no_model) as room:  # type: ignore[arg-type]  # it fails
        await room.add("the lamp is green")
        await room.add("the lamp is not green but the lamp shade is")
        host = installed(tmp_path, made)
        answer = await ask(room, host, "is the lamp green")
        await host.close()
    assert (answer.vector.state, answer.reranker) == ("failed", READY)
    assert len(made.read) == len(answer.hits) == 2


async def test_no_evidence_is_no_hit_in_a_thorough_recall_either(tmp_path: Path) -> None:
    """Whether anything is known is not its business; nothing has to be read for that."""
    made = WordReranker()
    async with recall_room(tmp_path, load) as room:
        for number in range(40):
            await room.add(f"My aunt fed the ducks near mill number {number}.", session="s")
        await room.settle()
        host = installed(tmp_path, made)
        answer = await ask(room, host, "set an alarm for six")
        await host.close()
    assert (answer.hits, answer.partial, made.read) == ((), False, [])


async def test_one_that_fails_leaves_the_fast_answer(tmp_path: Path) -> None:
    """Hits and scores are those without it; partial, with its code."""
    async with recall_room(tmp_path) as room:
        for text in ("the lamp is green", "a green lamp", "the shade"):
            await room.add(text, kind=Kind.FACT)
        await room.settle()
        host = installed(tmp_path, WordReranker(fault=True))
        fast = await ask(room, None, "the green lamp")
        answer = await ask(room, host, "the green lamp")
        await host.close()
    assert (fast.reranker, fast.partial) == (OFF, False)
    assert (answer.reranker, answer.partial) == (State("failed", "reranker_failed"), True)
    assert answer.hits == fast.hits


async def test_it_stops_so_that_the_answer_is_in_time(tmp_path: Path) -> None:
    """A slow one takes what is left of the deadline and no more; what it read counts."""
    async with recall_room(tmp_path) as room:
        for number in range(30):
            await room.add(f"the lamp number {number}", session="s")
        await room.settle()
        host = installed(tmp_path, WordReranker(delay=0.03))
        await ask(room, host, "the lamp")  # loaded
        began = asyncio.get_running_loop().time()
        answer = await ask(room, host, "the lamp", seconds=0.4)
        took = asyncio.get_running_loop().time() - began
        await host.close()
    assert answer.reranker.state == "late"
    assert answer.reranker.percent
    assert answer.partial
    assert answer.hits
    assert took < 0.4
