"""Recall over one bank: two pipelines, one deadline, and an answer that says what it is made of."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
from support.bank_room import remark
from support.embedder import WordEmbedder
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.bounds import HIT_CHARACTERS, QUERY_BYTES
from cognid.protocol.values import Kind, Pipeline, Role
from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall import recaller
from cognid_daemon.recall.answer import READY, State
from cognid_daemon.recall.at_once import AtOnce
from cognid_models import Embedder, ModelFailedError, Vector


class SlowQueries(WordEmbedder):
    """Takes half a second for a query."""

    def embed_query(self, text: str) -> Vector | None:
        """Sleep, then embed."""
        time.sleep(0.5)
        return super().embed_query(text)


class BrokenQueries(WordEmbedder):
    """Embeds memories but fails on each query."""

    def embed_query(self, text: str) -> Vector | None:
        """Fail."""
        raise ModelFailedError("embed", "on purpose")


class RaisingQueries(WordEmbedder):
    """Meets what no model foresees, on each query."""

    def embed_query(self, text: str) -> Vector | None:
        """Raise."""
        raise MemoryError(text)


KEY = "The spare key hangs in the hall"


async def test_both_pipelines_make_one_answer(tmp_path: Path) -> None:
    """A hit carries its memory, its event, its score and the parts of it."""
    async with recall_room(tmp_path) as room:
        stored = await room.add(KEY, session="a")
        await room.add("The bins go out on Monday", session="b")
        await room.settle()
        answer = await room.ask("where is the spare key?")
        assert (answer.lexical, answer.vector, answer.partial) == (READY, READY, False)
        hit = answer.hits[0]
        assert hit.memory.memory_id == stored.memory_id
        assert hit.event is not None
        assert (hit.event.stream, hit.event.sequence) == ("a", 1)
        assert (hit.text, hit.span, hit.complete) == (KEY, (0, len(KEY)), True)
        for part in (hit.lexical, hit.vector, hit.score):
            assert part is not None
            assert 0.3 < part <= 1.0


@pytest.mark.parametrize("pipeline", list(Pipeline))
async def test_one_named_pipeline(tmp_path: Path, pipeline: Pipeline) -> None:
    """Search uses the pipeline that it names, and says off of the other."""
    async with recall_room(tmp_path) as room:
        await room.add(KEY)
        await room.settle()
        answer = await room.ask("spare key", pipeline=pipeline)
        states = {Pipeline.LEXICAL: answer.lexical, Pipeline.VECTOR: answer.vector}
        assert states.pop(pipeline) == READY
        assert [state.state for state in states.values()] == ["off"]
        assert not answer.partial
        assert [hit.text for hit in answer.hits] == [KEY]
        parts = {Pipeline.LEXICAL: answer.hits[0].lexical, Pipeline.VECTOR: answer.hits[0].vector}
        assert parts.pop(pipeline) == pytest.approx(1.0)
        assert list(parts.values()) == [None]


async def test_a_slow_embedder_is_late_and_hides_nothing(tmp_path: Path) -> None:
    """At the deadline the lexical answer goes out, partial, and says that vectors are late."""
    async with recall_room(tmp_path, SlowQueries) as room:
        await room.add(KEY)
        await room.settle()
        begun = time.monotonic()
        answer = await room.ask("spare key", seconds=0.1)
        assert time.monotonic() - begun < 0.2
        assert [hit.text for hit in answer.hits] == [KEY]
        assert answer.partial
        assert answer.vector == State("late")


async def test_a_slow_start_is_late_too(tmp_path: Path) -> None:
    """While the model loads, a recall is answered lexically within its deadline."""
    release = threading.Event()

    def slow() -> Embedder:
        release.wait(10)
        return WordEmbedder()

    async with recall_room(tmp_path, slow) as room:
        await room.add(KEY)
        answer = await room.ask("spare key", seconds=0.1)
        assert [hit.text for hit in answer.hits] == [KEY]
        assert answer.vector == State("late", "model_loading")
        answer = await room.ask("spare key", seconds=0.05, pipeline=Pipeline.VECTOR)
        assert not answer.answered
        release.set()
        await room.settle()
        assert not (await room.ask("spare key")).partial


@pytest.mark.parametrize("is_alone", [True, False])
@pytest.mark.parametrize("broken", [BrokenQueries, RaisingQueries])
async def test_a_broken_embedder_hides_nothing(
    tmp_path: Path, broken: type[WordEmbedder], is_alone: bool
) -> None:
    """Where the model fails on a query the lexical answer stands beside the code."""
    async with recall_room(tmp_path, broken) as room:
        await room.add(KEY)
        await room.settle()
        with nullcontext() if is_alone else room.host.recall():
            answer = await room.ask("spare key")
        assert [hit.text for hit in answer.hits] == [KEY]
        assert answer.vector == State("failed", "model_failed")
        assert answer.partial


async def test_a_failed_lexical_pipeline_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the full-text index is damaged the vector answer stands beside the code."""
    async with recall_room(tmp_path) as room:
        await room.add(KEY)
        await room.settle()

        def damaged(*_: object, **__: object) -> None:
            raise DamagedError

        monkeypatch.setattr(type(room.recaller._words), "search", damaged)
        answer = await room.ask("spare key")
        assert [hit.text for hit in answer.hits] == [KEY]
        assert answer.lexical == State("failed", "bank_damaged")
        assert answer.answered


async def test_a_deadline_in_the_past_is_late_everywhere(tmp_path: Path) -> None:
    """No pipeline answered: that is not the same as no hits."""
    async with recall_room(tmp_path) as room:
        await room.add(KEY)
        await room.settle()
        answer = await room.ask("spare key", seconds=-0.001)
        assert (answer.lexical.state, answer.vector.state) == ("late", "late")
        assert not answer.answered
        assert not answer.hits


async def test_nothing_found_is_an_answer(tmp_path: Path) -> None:
    """An empty bank answers with no hits, complete."""
    async with recall_room(tmp_path) as room:
        await room.settle()
        answer = await room.ask("anything")
        assert answer.answered
        assert not answer.partial
        assert answer.hits == ()


async def test_what_is_removed_is_gone_at_once(tmp_path: Path) -> None:
    """The very next recall finds it through no pipeline, and it takes no other hit's place."""
    async with recall_room(tmp_path) as room:
        lamps = [await room.add(f"The lamp code is amber-sky {n}") for n in range(20)]
        await room.settle()
        for lamp in lamps[:15]:
            await room.remove(lamp)
        for pipeline in (None, *Pipeline):
            texts = await room.texts("lamp code amber-sky", limit=5, pipeline=pipeline)
            assert sorted(texts) == sorted(f"The lamp code is amber-sky {n}" for n in range(15, 20))


async def test_what_is_gone_makes_no_word_rare(tmp_path: Path) -> None:
    """What is left is answered with as it is after the next start, whatever went meanwhile."""
    question = "where is the blue umbrella of my grandmother"

    async def scores(room: RecallRoom) -> list[float]:
        return [hit.score for hit in (await room.ask(question)).hits]

    async with recall_room(tmp_path) as room:
        await room.add("The key hangs beside the blue umbrella")
        others = [remark(f"note {number} about the garden") for number in range(400)]
        stored = await room.bank.submit(lambda tx: list(map(tx.add_memory, others))).outcome()
        await room.settle()
        assert len(await scores(room)) == 8

        def forget(tx: Transaction) -> None:
            tx.forget(tx.group_of([one.memory_id for one in stored]).memories, None)

        await room.bank.submit(forget).outcome()
        left = await scores(room)
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        assert left == await scores(room)


async def test_removed_between_ranking_and_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that is behind the bank gives no hit of what the bank no longer has."""
    async with recall_room(tmp_path) as room:
        lamp = await room.add("The lamp code is amber-sky")
        await room.add("The lamp is broken")
        await room.settle()
        monkeypatch.setattr(recaller, "at_hand", lambda *_: None)  # as if another recall were open
        read = room.recaller._read

        async def remove_first(*arguments: object) -> object:
            await room.remove(lamp)
            return await read(*arguments)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(room.recaller, "_read", remove_first)
        assert await room.texts("lamp code") == ["The lamp is broken"]


async def test_removed_between_scan_and_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where one thread does both; and the removal does not wait for it."""
    async with recall_room(tmp_path) as room:
        lamp = await room.add("The lamp code is amber-sky")
        await room.add("The lamp is broken")
        await room.calm()
        loop, ask = asyncio.get_running_loop(), AtOnce._ask_model
        found: list[int] = []

        def then_remove(made: AtOnce) -> None:
            ask(made)
            assert made.likeness is not None
            assert made.likeness.matches is not None
            found.append(len(made.likeness.matches))
            asyncio.run_coroutine_threadsafe(room.remove(lamp), loop).result(5)
            asyncio.run_coroutine_threadsafe(room.bank.refresh_readers(), loop).result(5)

        monkeypatch.setattr(AtOnce, "_ask_model", then_remove)
        assert await room.texts("lamp code") == ["The lamp is broken"]
        assert found == [2]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kinds": frozenset({Kind.FACT})}, {"tea fact"}),
        ({"roles": frozenset({Role.ASSISTANT})}, {"tea answer"}),
        ({"labels": frozenset({"x"})}, {"tea label", "tea labels"}),
        ({"labels": frozenset({"x", "y"})}, {"tea labels"}),
        ({"labels": frozenset({"z"})}, set()),
        ({"kinds": frozenset({Kind.REMARK}), "roles": frozenset({Role.ASSISTANT})}, {"tea answer"}),
    ],
)
@pytest.mark.parametrize("pipeline", [None, *Pipeline])
async def test_filters(
    tmp_path: Path,
    filters: dict[str, frozenset[str]],
    expected: set[str],
    pipeline: Pipeline | None,
) -> None:
    """Only what the filters allow answers, however much else is nearer."""
    async with recall_room(tmp_path) as room:
        await room.add("tea fact", kind=Kind.FACT)
        await room.add("tea answer", role=Role.ASSISTANT)
        await room.add("tea label", labels=("x",))
        await room.add("tea labels", labels=("y", "x"))
        for _ in range(10):
            await room.add("tea")
        await room.settle()
        answer = await room.ask("tea", pipeline=pipeline, **filters)  # type: ignore[arg-type]  # one dict of three types
        assert {hit.text for hit in answer.hits} == expected


async def test_a_short_reply_is_found_by_its_neighbour(tmp_path: Path) -> None:
    """A turn of three words answers the question that the turn before it repeats."""
    async with recall_room(tmp_path) as room:
        await room.add("Which colour did you paint the garden shed?", session="a", speaker="Ann")
        reply = "Dark green, finally."
        await room.add(reply, session="a", speaker="Ben")
        await room.add("Dark chocolate is on sale.", session="b")
        for number in range(5):
            await room.add(f"Something else entirely, number {number}", session="c")
        await room.settle()
        answer = await room.ask("colour of the garden shed", pipeline=Pipeline.LEXICAL)
        turn, found = answer.hits
        assert found.text == reply
        assert turn.lexical is not None
        assert found.lexical == pytest.approx(turn.lexical / 2)


async def test_neighbours_end_with_the_session(tmp_path: Path) -> None:
    """What stands next to it in the stream but in another session lends nothing."""
    async with recall_room(tmp_path) as room:
        shed = "Which colour did you paint the garden shed?"
        await room.add(shed, session="a", stream="s")
        await room.add("Dark green, finally.", session="b", stream="s")
        await room.settle()
        assert len(await room.texts("colour garden shed", pipeline=Pipeline.LEXICAL)) == 1


async def _long(room: RecallRoom) -> str:
    filler = " ".join(f"filler{number}" for number in range(1_500))
    text = f"{filler} the end mark is CORAL-5. {filler}"
    await room.add(text)
    await room.settle()
    return text


@pytest.mark.parametrize("pipeline", [None, *Pipeline])
async def test_a_long_memory_gives_its_best_window(
    tmp_path: Path, pipeline: Pipeline | None
) -> None:
    """Over 4,000 characters a hit is the place that answers, and says which it is."""
    async with recall_room(tmp_path) as room:
        text = await _long(room)
        answer = await room.ask("what is the end mark CORAL-5", pipeline=pipeline)
        hit = answer.hits[0]
        assert "CORAL-5" in hit.text
        assert not hit.complete
        assert len(hit.text) <= HIT_CHARACTERS
        assert text[hit.span[0] : hit.span[1]] == hit.text
        assert hit.memory.text == text


async def test_a_giant_word_hides_nothing(tmp_path: Path) -> None:
    """A sentence behind 300,000 characters without a space is found and shown."""
    async with recall_room(tmp_path) as room:
        await room.add("A" * 300_000 + " the end mark is CORAL-5")
        await room.settle()
        hit = (await room.ask("what is the end mark?")).hits[0]
        assert "CORAL-5" in hit.text
        assert len(hit.text) <= HIT_CHARACTERS


async def test_a_long_query_is_trimmed_from_the_front(tmp_path: Path) -> None:
    """Of 200 kB the end decides, and the answer says that there was more."""
    async with recall_room(tmp_path) as room:
        await room.add(KEY)
        await room.add("The bins go out on Monday")
        await room.settle()
        noise = "bins Monday 猫 " * 15_000
        answer = await room.ask(f"{noise} {'x ' * QUERY_BYTES} where is the spare key")
        assert answer.query_trimmed
        assert answer.hits[0].text == KEY
        assert not (await room.ask("spare key")).query_trimmed


async def test_many_at_once(tmp_path: Path) -> None:
    """A hundred recalls in flight over two readers and one query thread all answer."""
    async with recall_room(tmp_path) as room:
        for number in range(100):
            await room.add(f"note {number} about topic{number}")
        await room.settle()
        answers = await asyncio.gather(*[room.ask(f"topic{n}", limit=1) for n in range(100)])
        for number, answer in enumerate(answers):
            assert answer.hits[0].text == f"note {number} about topic{number}"


async def test_nothing_of_a_query_or_memory_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Queries and memories appear in no log record and in no repr of the types around them."""
    with caplog.at_level(logging.DEBUG):
        async with recall_room(tmp_path) as room:
            await room.add("The lamp code is amber-sky")
            await room.settle()
            answer = await room.ask("amber lamp")
    assert "amber" not in caplog.text
    assert "amber" not in repr(answer)


def test_the_start_imports_no_numpy() -> None:
    """What a first lexical answer needs is imported without numpy, onnxruntime or numkong."""
    script = (
        "import sys; import cognid_daemon.recall.recaller;"
        "sys.exit(bool({'numpy', 'onnxruntime', 'numkong', 'tokenizers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=30).returncode == 0


async def test_a_long_query_over_long_texts_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Where the best place of the longest texts is looked for, other requests go on meanwhile."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = [f"{a}{b}{c}ing" for a in letters for b in letters for c in "aeiou"]
    text = " ".join(words[(place * 7919) % len(words)] for place in range(56_000))
    query = " ".join(f"{word[:3]}ers{word}" for word in words[::55][:63])
    async with recall_room(tmp_path) as room:
        await room.add(f"{text} the end mark is CORAL")
        await room.add(f"{text} another mark is AMBER")
        longest, last = 0.0, time.monotonic()

        async def tick() -> None:
            nonlocal longest, last
            while True:
                await asyncio.sleep(0.001)
                now = time.monotonic()
                longest, last = max(longest, now - last), now

        ticking = asyncio.create_task(tick())
        answer = await room.ask(f"{query} mark", seconds=20.0, pipeline=Pipeline.LEXICAL)
        ticking.cancel()
        assert len(answer.hits) == 2
        assert longest < 0.25
