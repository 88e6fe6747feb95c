"""Generations: an index made anew beside the live one, published in one step, resumed anywhere."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.bank_room import opened, remark
from support.clock import Clock, keeping
from support.embedder import WordEmbedder
from support.recall_room import RecallRoom, hold_first_reading, recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.bank import generations, retention
from cognid_daemon.bank.check import check
from cognid_daemon.bank.errors import StorageFullError
from cognid_daemon.bank.generations import Generation
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall import lexical_build, worklist
from cognid_daemon.recall.lexical import LexicalIndex

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

TEXTS = [f"memory number {number} about apples and w{number}" for number in range(90)]


class OtherModel(WordEmbedder):
    """Makes vectors of another space and another dimension."""

    def __init__(self) -> None:
        super().__init__(dimension=256)
        self.space_id = "other-256"


async def fill(room: RecallRoom) -> None:
    """Remember the texts and wait for their vectors."""
    for text in TEXTS:
        await room.add(text)
    await room.settle()


async def rebuild(room: RecallRoom, *pipelines: Pipeline) -> None:
    """Begin generations as index.rebuild does."""
    space_id, dimension = await room.recaller.model()

    def apply(tx: Transaction) -> None:
        if Pipeline.LEXICAL in pipelines:
            generations.begin(tx, "lexical", epoch="e")
        if Pipeline.VECTOR in pipelines:
            generations.begin(tx, "vector", epoch="e", space_id=space_id, dimension=dimension)

    await room.bank.submit(apply).outcome()
    room.recaller.wake()


async def rows(room: RecallRoom) -> list[Generation]:
    """The bank's generations."""
    return await room.bank.read(generations.generations)


async def until_alone(room: RecallRoom, kind: str) -> list[Generation]:
    """Wait until nothing of a kind is being built or removed."""
    async with asyncio.timeout(20):
        while True:
            found = [one for one in await rows(room) if one.kind == kind]
            old = await scalar(room, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%_old'")
            if all(one.state == "live" for one in found) and not old:
                return found
            await asyncio.sleep(0.01)


async def until_other(room: RecallRoom) -> None:
    """Wait until the vectors of the other model are live."""
    async with asyncio.timeout(20):
        while True:
            if any(g.space_id == "other-256" and g.state == "live" for g in await rows(room)):
                return
            await asyncio.sleep(0.01)


async def scalar(room: RecallRoom, query: str) -> Any:
    """One value of the bank."""
    (value,) = await room.bank.read(lambda connection: connection.execute(query).fetchone())
    return value


def memory_in(tx: Transaction, memory_id: str) -> Memory:
    """A memory that is there."""
    memory = tx.memory(memory_id)
    assert memory is not None
    return memory


async def test_another_model_takes_over_in_one_step(tmp_path: Path) -> None:
    """Old vectors stay whole while new ones are made; then they go, and no space is ever mixed."""
    async with recall_room(tmp_path) as room:
        await fill(room)
    async with recall_room(tmp_path, OtherModel, create=False) as room:
        both = "SELECT group_concat(count(*)) OVER () FROM embeddings GROUP BY generation"
        seen: set[int] = set()
        async with asyncio.timeout(20):
            while (building := [g for g in await rows(room) if g.state == "building"]) or not seen:
                if building:
                    counts, anew = await scalar(room, both), room.recaller.serving.embedding_anew
                    # What was looked at between two states of the build is of neither.
                    if building == [g for g in await rows(room) if g.state == "building"]:
                        assert str(counts).split(",")[0] == str(len(TEXTS))
                        assert anew is not None
                        seen.add(building[0].done)
                await asyncio.sleep(0.002)
        (live,) = await until_alone(room, "vector")
        assert (live.space_id, live.done, live.total) == ("other-256", 90, 90)
        assert await scalar(room, "SELECT count(DISTINCT length(vector)) FROM embeddings") == 1
        assert await scalar(room, "SELECT count(*) FROM embeddings") == 90
        assert room.recaller.serving.embedding_anew is None
        assert not (await room.ask("number 7 apples w7")).partial


async def test_the_model_before_comes_back(tmp_path: Path) -> None:
    """What came while another model was in use is looked for and made up; nothing is made twice."""

    class Slow(OtherModel):
        def __init__(self) -> None:
            super().__init__()
            self.delay = 0.2

    async with recall_room(tmp_path) as room:
        await fill(room)
    async with recall_room(tmp_path, Slow, create=False) as room:
        await room.add("said under the other model about pears", stream="later")
        async with asyncio.timeout(10):
            while room.recaller.index_status().backlog > 90:  # noqa: ASYNC110 # tells states only
                await asyncio.sleep(0.01)
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        (live,) = await until_alone(room, "vector")
        assert live.space_id == "test-words-384"
        assert await scalar(room, "SELECT count(*) FROM embeddings") == 91
        found = await room.texts("under the other model pears", pipeline=Pipeline.VECTOR, limit=1)
        assert found == ["said under the other model about pears"]
        assert room.recaller.serving.service is not None
        assert len(room.recaller.serving.service.index) == 91


async def test_vectors_are_made_anew_beside_the_live_ones(tmp_path: Path) -> None:
    """While a rebuild runs every answer is whole; what is said meanwhile is in both."""
    async with recall_room(tmp_path) as room:
        await fill(room)
        await room.bank.submit(
            lambda tx: (
                tx.connection.execute("UPDATE embeddings SET vector = zeroblob(768)").rowcount
            )
        ).outcome()
        await rebuild(room, Pipeline.VECTOR)
        await room.add("said while it is built about plums")
        answer = await room.ask("number 7 w7", pipeline=Pipeline.VECTOR)
        assert answer.hits
        (live,) = await until_alone(room, "vector")
        await room.settle()
        assert live.number == 2
        assert await scalar(room, "SELECT count(*) FROM embeddings") == 91
        # The index too is of the vectors that were made anew.
        assert await room.texts("while it is built plums", pipeline=Pipeline.VECTOR, limit=1) == [
            "said while it is built about plums"
        ]
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        assert room.recaller.serving.service is not None
        assert len(room.recaller.serving.service.index) == 91


@pytest.mark.parametrize("reads", range(3))
async def test_what_comes_as_vectors_begin_to_be_made_anew_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: int
) -> None:
    """A rebuild is begun and a memory comes between any two reads of the backlog."""
    async with recall_room(tmp_path) as room:
        await room.add(TEXTS[0])
        await room.calm()
        space_id, dimension = await room.recaller.model()
        read, before, come = room.bank.read, iter([*[False] * reads, True]), asyncio.Event()

        async def behind(*work: Any, **options: Any) -> Any:
            if next(before, False):
                await room.bank.submit(
                    lambda tx: generations.begin(
                        tx, "vector", epoch="e", space_id=space_id, dimension=dimension
                    )
                ).outcome()
                await room.add("something new about pears")
                come.set()
            return await read(*work, **options)

        monkeypatch.setattr(room.bank, "read", behind)
        room.recaller.serving.backlog.wake()
        await asyncio.wait_for(come.wait(), 10)
        assert [one.number for one in await until_alone(room, "vector")] == [2]
        await room.settle()
        assert await scalar(room, "SELECT count(*) FROM embeddings") == 2
        found = await room.texts("something new pears", pipeline=Pipeline.VECTOR, limit=1)
        assert found == ["something new about pears"]


async def test_words_are_indexed_anew_beside_the_live_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is said, corrected or forgotten while it is built, both indexes hold the same."""
    monkeypatch.setattr(lexical_build, "_STEP", 4)
    async with recall_room(tmp_path) as room:
        stored = [await room.add(text) for text in TEXTS]
        await room.settle()
        await rebuild(room, Pipeline.LEXICAL)
        for number in (0, 1, 50, 89):
            await room.remove(stored[number])
        late = await room.add("said while it is built about plums")
        gone = await room.add("said and forgotten about quinces")
        await room.remove(gone)
        assert await room.texts("w7", pipeline=Pipeline.LEXICAL, limit=1) == [TEXTS[7]]
        (live,) = await until_alone(room, "lexical")
        assert live.state == "live"
        assert await scalar(room, "SELECT count(*) FROM lexical_docsize") == 87
        sound = "INSERT INTO lexical(lexical, rank) VALUES ('integrity-check', 1)"
        await room.bank.alone(lambda connection: connection.execute(sound).fetchall())
        assert (await room.texts("plums", pipeline=Pipeline.LEXICAL)) == [
            "said while it is built about plums"
        ]
        await room.remove(late)
        assert await room.texts("plums", pipeline=Pipeline.LEXICAL) == []
        assert await room.texts("w50", pipeline=Pipeline.LEXICAL) == []
        await room.bank.alone(lambda connection: connection.execute(sound).fetchall())


async def test_words_that_are_replaced_while_they_are_first_read_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that lost most of its words is made anew as a daemon begins with reading them."""
    async with recall_room(tmp_path) as room:
        await fill(room)
        lost = "DELETE FROM lexical WHERE rowid < 90"
        await room.bank.alone(lambda connection: connection.execute(lost).fetchall())
    read, go = hold_first_reading(monkeypatch)
    async with recall_room(tmp_path, create=False) as room:
        assert await asyncio.to_thread(read.wait, 10)
        await room.bank.submit(lambda tx: generations.begin(tx, "lexical", epoch="e")).outcome()
        room.recaller.wake()
        assert await until_alone(room, "lexical")
        go.set()
        await room.settle()
        assert await room.texts("apples w7", pipeline=Pipeline.LEXICAL, limit=1) == [TEXTS[7]]
        postings = room.recaller._words._postings
        assert postings is not None
        assert (postings._rows, (postings._lengths > 0).sum()) == (90, 90)


@pytest.mark.parametrize("fault", [StorageFullError("SQLITE_FULL"), RuntimeError()])
async def test_words_that_were_replaced_are_taken_up_though_it_fails_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """It is tried again, and neither the words nor what builds them the next time is lost."""
    monkeypatch.setattr(lexical_build, "_PAUSE_SECONDS", 0.05)
    async with recall_room(tmp_path) as room:
        await fill(room)
        warm, faults = LexicalIndex.warm, [fault]
        before = room.recaller._words._postings

        def failing(words: LexicalIndex, connection: Connection) -> None:
            if faults:
                raise faults.pop()
            warm(words, connection)

        monkeypatch.setattr(LexicalIndex, "warm", failing)
        for _ in range(2):
            await rebuild(room, Pipeline.LEXICAL)
            await until_alone(room, "lexical")
            async with asyncio.timeout(5):
                while room.recaller._words._postings is before:  # noqa: ASYNC110 # tells nobody
                    await asyncio.sleep(0.01)
            before = room.recaller._words._postings
        assert not faults
        assert await room.texts("apples w7", pipeline=Pipeline.LEXICAL, limit=1) == [TEXTS[7]]


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_is_current_again_while_words_are_built_stands_there_once(
    tmp_path: Path, at_once: bool
) -> None:
    """An expired memory is pinned before the build comes to it, and forgotten before that or after:
    in either case none of its words stays in the index."""
    async with recall_room(tmp_path, keeping=keeping(Clock())) as room:
        stored = await room.add("said long ago about quinces")
        await room.add(TEXTS[0])
        await room.bank.submit(
            lambda tx: retention.expire(tx, memory_in(tx, stored.memory_id))
        ).outcome()

        def apply(tx: Transaction) -> None:
            generations.begin(tx, "lexical", epoch="e")
            retention.pin(tx, memory_in(tx, stored.memory_id), pinned=True)
            if at_once:
                tx.forget([memory_in(tx, stored.memory_id)], None)

        await room.bank.submit(apply).outcome()
        room.recaller.wake()
        await until_alone(room, "lexical")
        if not at_once:
            assert (await check(room.bank)).sound
            assert await room.texts("quinces", pipeline=Pipeline.LEXICAL)
            await room.remove(stored)
        holding = "SELECT count(*) FROM lexical WHERE lexical MATCH 'quinc*'"
        assert await scalar(room, holding) == 0
        assert (await check(room.bank)).sound


@pytest.mark.parametrize("pipeline", list(Pipeline))
async def test_one_bad_row_is_reported_and_stops_no_rebuild(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    """A text with a bad byte is passed over and named with its code; all others are done."""
    async with recall_room(tmp_path) as room:
        stored = [await room.add(text) for text in TEXTS[:40]]
        await room.settle()
        await room.bank.submit(
            lambda tx: (
                tx.connection.execute(
                    "UPDATE texts SET text = CAST(x'62ff64' AS TEXT) WHERE revision_rowid = ?",
                    (stored[20].revision_rowid,),
                ).rowcount
            )
        ).outcome()
        await rebuild(room, pipeline)
        await until_alone(room, pipeline.value)
        skipped = await room.bank.read(lambda connection: worklist.skipped(connection, 10))
        assert [(one.memory_id, one.pipeline, one.code) for one in skipped] == [
            (stored[20].memory_id, pipeline.value, "text_damaged")
        ]
        table = "embeddings" if pipeline is Pipeline.VECTOR else "lexical_docsize"
        assert await scalar(room, f"SELECT count(*) FROM {table}") == 39  # noqa: S608 # fixed names
        assert (await room.texts("w21", limit=1)) == [TEXTS[21]]
        # The spoiled one can be forgotten like any other.
        await room.remove(stored[20])
        assert await scalar(room, "SELECT count(*) FROM lexical_docsize") == 39


@pytest.mark.parametrize("case", ["lexical", "vector", "model"])
async def test_a_kill_anywhere_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """From the files as they were after each commit of a build, another process ends it."""
    monkeypatch.setattr(lexical_build, "_STEP", 16)
    monkeypatch.setattr(worklist, "_GROUP", 16)
    monkeypatch.setattr(generations, "_RETIRED_ROWS", 40)
    load: Callable[[], WordEmbedder] = OtherModel if case == "model" else WordEmbedder
    live, taken = tmp_path / "live", tmp_path / "taken"
    async with recall_room(live) as room:
        await fill(room)
    kind = "lexical" if case == "lexical" else "vector"
    async with recall_room(live, load, create=False) as room:
        submit = room.bank.submit

        def copying(apply: Callable[[Transaction], Any], **options: Any) -> Any:
            def copied(tx: Transaction) -> Any:
                # As a kill before this commit leaves it: the WAL ends with the one before.
                target = taken / f"{len(list(taken.glob('*'))):03}"
                shutil.copytree(live, target, ignore=shutil.ignore_patterns("*-shm"))
                return apply(tx)

            return submit(copied if options.get("background") else apply, **options)

        taken.mkdir()
        monkeypatch.setattr(room.bank, "submit", copying)
        if case != "model":
            await rebuild(room, Pipeline(kind))
        else:
            await until_other(room)
        await until_alone(room, kind)
    copies = sorted(taken.iterdir())
    assert len(copies) >= 8
    for copy in copies:
        async with recall_room(copy, load, create=False) as room:
            # A copy from before the build began has nothing to end.
            if case == "model":
                await until_other(room)
            await until_alone(room, kind)
            await room.settle()
            assert await scalar(room, "SELECT count(*) FROM embeddings") == 90
            assert await scalar(room, "SELECT count(*) FROM lexical_docsize") == 90
            for pipeline in Pipeline:
                assert await room.texts("number w33", pipeline=pipeline, limit=1) == [TEXTS[33]]
        shutil.rmtree(copy)


async def test_a_generation_is_published_only_as_it_was(tmp_path: Path) -> None:
    """Compare and swap: what is not complete, or was dropped meanwhile, takes nobody's place."""
    async with recall_room(tmp_path) as room:
        await fill(room)

        def apply(tx: Transaction) -> tuple[bool, bool]:
            built = generations.begin(
                tx, "vector", epoch="e", space_id="test-words-384", dimension=384
            )
            early = generations.publish(tx, built)
            generations.advance(tx, built.number, before=built.last, cursor=None, done=0)
            generations.retire(tx, built)
            return early, generations.publish(tx, built)

        assert await room.bank.submit(apply).outcome() == (False, False)


async def test_words_begun_inside_a_transaction_get_what_it_adds_after_that(
    tmp_path: Path,
) -> None:
    """Of one transaction, what is added before an index is begun beside is read by its build, and
    what is added after it goes into both; after it was published into the live one alone."""
    async with opened(tmp_path / "b") as bank:

        def words(tx: Transaction) -> list[int]:
            rows = tx.connection.execute("SELECT id FROM lexical_next_docsize").fetchall()
            return [rowid for (rowid,) in rows]

        def apply(tx: Transaction) -> tuple[list[int], list[int], Any]:
            rowids = [tx.add_memory(remark("one apple")).revision_rowid]
            built = generations.begin(tx, "lexical", epoch="e")
            rowids.append(tx.add_memory(remark("two pears")).revision_rowid)
            there = words(tx)
            assert generations.advance(tx, built.number, before=0, cursor=None, done=0)
            assert generations.publish(tx, replace(built, cursor=None))
            tx.add_memory(remark("three plums"))
            last = tx.connection.execute("SELECT count(*) FROM lexical_docsize").fetchone()[0]
            return rowids, there, last

        rowids, there, last = await bank.submit(apply).outcome()
        assert there == rowids[1:]
        assert last == 2


async def test_a_bank_is_sound_while_replaced_words_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are taken apart in steps, and between two of them are no damage."""
    async with recall_room(tmp_path) as room:
        await fill(room)
        remove = generations.remove_old_words
        monkeypatch.setattr(generations, "remove_old_words", lambda _: False)
        await room.bank.submit(lambda tx: generations.begin(tx, "lexical", epoch="e")).outcome()
        room.recaller.wake()
        async with asyncio.timeout(20):
            replaced = "SELECT count(*) FROM sqlite_schema WHERE name = 'lexical_old'"
            while not await scalar(room, replaced):  # noqa: ASYNC110 # a table tells nobody
                await asyncio.sleep(0.01)
        steps = 0
        while await room.bank.submit(remove).outcome():
            steps += 1
            assert (await check(room.bank)).sound
        assert steps > 1
