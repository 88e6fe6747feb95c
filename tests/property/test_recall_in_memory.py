"""What recall keeps in memory against what the bank holds: whatever is remembered, corrected,
forgotten, expired and brought back in whatever order, with a clock that jumps, rebuilds and new
starts in between, both pipelines find all that is current and nothing else, and score it as a
recaller does that has only just read the bank."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from support.clock import Clock, keeping
from support.embedder import WordEmbedder
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Kind, Lifecycle, Pipeline
from cognid_daemon.bank import generations
from cognid_daemon.bank.check import check
from cognid_daemon.bank.retention import pin, sweep
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall import keeper
from cognid_daemon.recall.recaller import Recaller

WORDS = ("kettle", "mat", "lamp", "door", "tram", "cousin", "oven", "harbour", "ferry")
STEPS = 40
ALL = 100
"""Hits of a search; there are fewer memories."""


@dataclass
class Story:
    """One bank, and what is done to it by one seed."""

    folder: Path
    random: Random
    clock: Clock = field(default_factory=Clock)
    room: RecallRoom | None = None
    sequence: int = 0
    done: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def opened(self, *, create: bool) -> AsyncIterator[RecallRoom]:
        """The bank, open until the next start."""
        async with recall_room(self.folder, create=create, keeping=keeping(self.clock)) as room:
            yield room

    def text(self) -> str:
        """Some words, in no order."""
        return " ".join(self.random.sample(WORDS, self.random.randint(1, 4)))


async def _turn(story: Story, room: RecallRoom) -> None:
    story.sequence += 1
    said = [story.text() for _ in range(story.random.randint(1, 2))]
    whole = ". ".join(said)
    facts = said if len(said) > 1 else ()
    await room.turn(whole, *dict.fromkeys(facts), sequence=story.sequence)


async def _state(story: Story, room: RecallRoom) -> None:
    kind = story.random.choice((Kind.FACT, Kind.CONTEXT, Kind.EPISODIC))
    await room.add(story.text(), kind=kind, stream="stated")


async def _correct(story: Story, room: RecallRoom) -> None:
    text = story.text()

    def correct(tx: Transaction, memory: Memory) -> None:
        if memory.lifecycle is Lifecycle.CURRENT:
            tx.correct(memory, text)

    await _change(story, room, correct)


async def _forget(story: Story, room: RecallRoom) -> None:
    await _change(
        story, room, lambda tx, one: tx.forget(tx.group_of([one.memory_id]).memories, None)
    )


async def _set_pin(story: Story, room: RecallRoom) -> None:
    await _change(story, room, lambda tx, one: pin(tx, one, pinned=not one.pinned))


async def _turn_clock(story: Story, room: RecallRoom) -> None:
    story.clock.turn(story.random.choice((3, 8, 95, 181, -3, -8, -95, -181)))
    if story.random.random() < 0.8:
        await _sweep_all(story, room)


async def _sweep_all(_: Story, room: RecallRoom) -> None:
    while (await room.bank.submit(sweep).outcome()).more:
        pass


async def _rebuild_words(_: Story, room: RecallRoom) -> None:
    def begin(tx: Transaction) -> None:
        if generations.find(tx.connection, "lexical", "building") is None:
            generations.begin(tx, "lexical", epoch="e")

    await room.bank.submit(begin).outcome()
    room.recaller.wake()


async def _rebuild_vectors(_: Story, room: RecallRoom) -> None:
    model = await room.host.ready()

    def begin(tx: Transaction) -> None:
        settled = generations.settle_vectors(tx, model.space_id, model.dimension, "e")
        if settled.building is None:
            generations.begin(
                tx, "vector", epoch="e", space_id=model.space_id, dimension=model.dimension
            )

    await room.bank.submit(begin).outcome()
    room.recaller.wake()


async def _ask(story: Story, room: RecallRoom) -> None:
    await room.texts(story.text())


async def _other_model(_: Story, room: RecallRoom) -> None:
    load = _small_model if room.host.space_id == WordEmbedder().space_id else WordEmbedder
    assert await room.host.reload(load) is None


async def _burst(story: Story, room: RecallRoom) -> None:
    """Several at once."""
    steps = story.random.choices((_turn, _state, _correct, _forget, _set_pin, _ask), k=5)
    async with asyncio.TaskGroup() as group:
        for step in steps:
            group.create_task(step(story, room))


def _small_model() -> WordEmbedder:
    return WordEmbedder(dimension=256)


STEPS_OF: dict[Callable[[Story, RecallRoom], Awaitable[None]], int] = {
    _turn: 8,
    _state: 6,
    _correct: 4,
    _forget: 4,
    _set_pin: 3,
    _turn_clock: 5,
    _sweep_all: 1,
    _rebuild_words: 1,
    _rebuild_vectors: 1,
    _ask: 4,
    _other_model: 1,
    _burst: 3,
}


async def _change(
    story: Story, room: RecallRoom, change: Callable[[Transaction, Memory], object]
) -> None:
    """Change one of the memories, if it is still there when the write has its turn."""
    ids = await room.bank.read(
        lambda c: [one for (one,) in c.execute("SELECT memory_id FROM memories ORDER BY 1")]
    )
    memory_id = story.random.choice(ids) if ids else ""

    def apply(tx: Transaction) -> None:
        memory = tx.memory(memory_id)
        if memory is not None:
            change(tx, memory)

    await room.bank.submit(apply).outcome()


async def _found(room: RecallRoom, query: str, pipeline: Pipeline) -> dict[str, float]:
    answer = await room.ask(query, limit=ALL, pipeline=pipeline)
    side = answer.lexical if pipeline is Pipeline.LEXICAL else answer.vector
    assert side.state == "ready"
    # A turn and the facts inside it are one hit, which names the others.
    return {
        memory_id: hit.score
        for hit in answer.hits
        for memory_id in (hit.memory.memory_id, *hit.folded)
    }


async def _agree(story: Story, room: RecallRoom) -> None:
    """See that both pipelines know the bank, and what a new recaller knows: soon, where an index
    that was made anew is still being taken up."""
    for left in reversed(range(40)):
        try:
            await _agree_now(story, room)
        except AssertionError:
            if not left:
                raise
            await asyncio.sleep(0.05)
        else:
            return


async def _agree_now(story: Story, room: RecallRoom) -> None:
    await room.settle()
    current: dict[str, str] = dict(
        await room.bank.read(
            lambda c: c.execute(
                "SELECT m.memory_id, t.text FROM memories AS m JOIN revisions AS r"
                " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
                " JOIN texts AS t USING (revision_rowid) WHERE r.lifecycle = 'current'"
            ).fetchall()
        )
    )
    status = room.recaller.index_status()
    assert (status.indexed, status.backlog, status.skipped) == (len(current), 0, 0)
    new = RecallRoom(room.bank, room.host, Recaller(room.bank, room.host))
    await new.recaller.open()
    try:
        await new.settle()
        assert new.recaller.index_status() == status
        for word in WORDS:
            holding = {one for one, text in current.items() if word in text}
            words = await _found(room, word, Pipeline.LEXICAL)
            assert holding <= words.keys() <= current.keys(), word
            near = await _found(room, word, Pipeline.VECTOR)
            assert near.keys() == current.keys()
            for known, pipeline in ((words, Pipeline.LEXICAL), (near, Pipeline.VECTOR)):
                assert known == pytest.approx(await _found(new, word, pipeline), abs=1e-4), word
        for _ in range(5):
            query = story.text()
            page = [(hit.memory.memory_id, hit.score) for hit in (await room.ask(query)).hits]
            other = [(hit.memory.memory_id, hit.score) for hit in (await new.ask(query)).hits]
            assert [one for one, _ in page] == [one for one, _ in other], query
            assert [score for _, score in page] == pytest.approx([score for _, score in other])
    finally:
        await new.recaller.close()


async def tell(folder: Path, seed: int) -> None:
    """Do what a seed says."""
    story = Story(folder, Random(seed))
    steps = [step for step, weight in STEPS_OF.items() for _ in range(weight)]
    left = STEPS
    create = True
    while left > 0:
        async with story.opened(create=create) as room:
            create = False
            await _sweep_all(story, room)
            for _ in range(story.random.randint(5, 20)):
                step = story.random.choice(steps)
                story.done.append(step.__name__)
                await step(story, room)
                left -= 1
                if story.random.random() < 0.1:
                    await _sweep_all(story, room)
                    await _agree(story, room)
            await _sweep_all(story, room)
            await _agree(story, room)
            assert (await check(room.bank)).sound


@pytest.mark.parametrize("seed", range(8))
async def test_recall_knows_what_the_bank_holds(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One story a seed."""
    monkeypatch.setattr(keeper, "LEAST", 1)
    async with asyncio.timeout(60):
        await tell(tmp_path / "bank", seed)
