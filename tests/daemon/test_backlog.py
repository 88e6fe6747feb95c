"""The backlog: from the durable work list to vectors, whatever happens on the way."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened, remembering
from support.embedder import WordEmbedder
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.bank import generations
from cognid_daemon.bank.errors import StorageFailedError, StorageFullError
from cognid_daemon.bank.writer import Writer
from cognid_daemon.recall import backlog, worklist
from cognid_daemon.recall.loading import load_chunk
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.recaller import Recaller
from cognid_daemon.recall.worklist import ATTEMPTS
from cognid_models import Embedder, ModelFailedError, Vector, Window, load


class GatedEmbedder(WordEmbedder):
    """Embeds windows only once it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.release = threading.Event()

    def embed_window(self, window: Window) -> Vector:
        """Wait, then embed."""
        self.begun.set()
        self.release.wait(10)
        return super().embed_window(window)


class FailingEmbedder(WordEmbedder):
    """Fails on one text for ever."""

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Fail on that text."""
        if "poison" in text:
            raise ModelFailedError("embed", "on purpose")
        return super().windows(text, statement=statement)


class RaisingCutter(WordEmbedder):
    """Meets what no model foresees as it cuts one text, for ever."""

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Raise at the first window of that text."""
        if "poison" in text:
            raise MemoryError(text)
        yield from super().windows(text, statement=statement)


class RaisingWindows(WordEmbedder):
    """The same as it embeds it."""

    def embed_window(self, window: Window) -> Vector:
        """Raise on that text, which alone has three words."""
        if len(window.token_ids) == 3:
            raise MemoryError(window.token_ids)
        return super().embed_window(window)


async def stored(room: RecallRoom) -> list[tuple[int, str]]:
    """Which revisions have vectors, and of which space."""
    return await room.bank.read(
        lambda connection: connection.execute(
            "SELECT DISTINCT e.revision_rowid, g.space_id FROM embeddings AS e"
            " JOIN generations AS g USING (generation) ORDER BY 1, 2"
        ).fetchall()
    )


async def test_a_memory_gets_its_vectors_behind_the_commit(tmp_path: Path) -> None:
    """After a while the work list is empty, and the counts say so."""
    async with recall_room(tmp_path) as room:
        one = await room.add("The spare key hangs in the hall")
        two = await room.add("The bins go out on Monday")
        await room.settle()
        rows = [one.revision_rowid, two.revision_rowid]
        assert await stored(room) == [(row, "test-words-384") for row in rows]
        status = room.recaller.index_status()
        assert (status.indexed, status.backlog, status.skipped) == (2, 0, 0)
        assert status.vector.state == "ready"
        assert status.space_id == "test-words-384"


async def test_it_is_found_lexically_before_it_is_embedded(tmp_path: Path) -> None:
    """While the embedder is busy the memory is found by its words, and the answer says partial."""
    embedder = GatedEmbedder()
    async with recall_room(tmp_path, lambda: embedder) as room:
        await room.add("The lamp code is amber-sky")
        await asyncio.to_thread(embedder.begun.wait, 10)
        answer = await room.ask("lamp code")
        assert [hit.text for hit in answer.hits] == ["The lamp code is amber-sky"]
        assert answer.partial
        assert (answer.vector.state, answer.vector.code) == ("building", "embedding")
        embedder.release.set()


async def test_embedding_gives_way_to_writes_that_follow_one_another(tmp_path: Path) -> None:
    """While writes come without a pause few texts are embedded, but some; then all of them."""
    async with recall_room(tmp_path) as room:
        end = asyncio.get_running_loop().time() + 0.7
        count = 0
        while asyncio.get_running_loop().time() < end:
            count += 1
            await room.add(f"The lamp number {count} is amber")
        done = room.recaller.index_status().indexed
        assert done <= 10
        assert count > 50
        await room.settle()
        assert room.recaller.index_status().indexed == count


async def test_what_a_stop_interrupts_is_taken_up_again(tmp_path: Path) -> None:
    """Work written without any model is done at the next opening with one."""
    async with opened(tmp_path) as bank:
        await bank.submit(remembering("The spare key hangs in the hall", sequence=1)).outcome()
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        texts = await room.texts("hall key", pipeline=Pipeline.VECTOR)
        assert texts == ["The spare key hangs in the hall"]


async def test_the_stored_vectors_are_loaded_at_opening(tmp_path: Path) -> None:
    """A bank that was embedded before answers with vectors and embeds nothing again."""
    async with recall_room(tmp_path) as room:
        await room.add("The spare key hangs in the hall")
        await room.settle()
    embedder = GatedEmbedder()
    async with recall_room(tmp_path, lambda: embedder, create=False) as room:
        await room.settle()
        assert await room.texts("hall key", pipeline=Pipeline.VECTOR)
        assert not embedder.begun.is_set()
        embedder.release.set()


async def test_removed_while_it_is_embedded(tmp_path: Path) -> None:
    """A job whose memory was removed meanwhile leaves no vector in the bank or the index."""
    embedder = GatedEmbedder()
    async with recall_room(tmp_path, lambda: embedder) as room:
        memory = await room.add("The lamp code is amber-sky")
        await asyncio.to_thread(embedder.begun.wait, 10)
        await room.remove(memory)
        embedder.release.set()
        await room.add("Something else")
        await room.settle()
        assert memory.revision_rowid not in [row for row, _ in await stored(room)]
        found = await room.texts("lamp code amber sky", pipeline=Pipeline.VECTOR)
        assert found == ["Something else"]
        status = room.recaller.index_status()
        assert (status.indexed, status.backlog) == (1, 0)
        assert room.recaller.serving.service is not None
        assert len(room.recaller.serving.service.index) == 1


async def test_removed_while_the_index_is_loaded(tmp_path: Path) -> None:
    """A vector that was read before its memory was removed does not stay in the index."""
    async with recall_room(tmp_path) as room:
        lamp = await room.add("The lamp code is amber-sky")
        await room.add("Something else")
        await room.settle()
    async with opened(tmp_path, create=False) as bank:
        host = EmbedderHost(WordEmbedder)
        recaller = Recaller(bank, host)
        room = RecallRoom(bank, host, recaller)
        read = bank.read

        async def remove_behind(work: Any, **options: Any) -> Any:
            result = await read(work, **options)
            if getattr(work, "func", None) is load_chunk:
                await room.remove(lamp)
            return result

        bank.read = remove_behind  # type: ignore[method-assign]  # chance, made certain
        host.start()
        await recaller.open()
        await room.settle()
        assert recaller.serving.service is not None
        recaller.serving.service.index.settle()
        assert len(recaller.serving.service.index) == 1
        await recaller.close()
        await host.close()


@pytest.mark.parametrize("failing", [FailingEmbedder, RaisingCutter, RaisingWindows])
async def test_one_bad_row_stops_no_other(tmp_path: Path, failing: type[WordEmbedder]) -> None:
    """A text that fails every time is counted and passed over; the rest is embedded."""
    async with recall_room(tmp_path, failing) as room:
        await room.add("before")
        bad = await room.add("a poison text")
        await room.add("after")
        await room.settle()
        status = room.recaller.index_status()
        assert (status.indexed, status.backlog, status.skipped) == (2, 0, 1)
        assert (await room.texts("poison", pipeline=Pipeline.LEXICAL))[0] == "a poison text"
        attempts = await room.bank.read(
            lambda c: c.execute("SELECT revision_rowid, attempts FROM work").fetchall()
        )
        assert attempts == [(bad.revision_rowid, ATTEMPTS)]


async def test_what_was_given_up_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while, and at the next opening, a text that failed gets its chance anew."""
    embedder = FailingEmbedder()
    async with recall_room(tmp_path, lambda: embedder) as room:
        monkeypatch.setattr(backlog, "_PATIENCE_SECONDS", 0.05)
        await room.add("a poison text")
        await room.settle()
        monkeypatch.setattr(FailingEmbedder, "windows", WordEmbedder.windows)
        async with asyncio.timeout(5):
            while room.recaller.index_status().indexed != 1:  # noqa: ASYNC110  # tells states only
                await asyncio.sleep(0.01)


async def test_what_was_given_up_is_tried_at_the_next_opening(tmp_path: Path) -> None:
    """The list still holds it."""
    async with recall_room(tmp_path, FailingEmbedder) as room:
        await room.add("a poison text")
        await room.settle()
        assert room.recaller.index_status().skipped == 1
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        assert room.recaller.index_status().indexed == 1


async def test_a_text_without_valid_bytes_is_passed_over(tmp_path: Path) -> None:
    """A row whose bytes are no UTF-8 is counted as given up; the others are embedded."""
    async with opened(tmp_path) as bank:
        bad = await bank.submit(remembering("bad", sequence=1)).outcome()
        await bank.submit(remembering("good", sequence=2)).outcome()
        await bank.submit(
            lambda tx: (
                tx.connection.execute(
                    "UPDATE texts SET text = CAST(x'62ff64' AS TEXT) WHERE revision_rowid = ?",
                    (bad.revision_rowid,),
                ).rowcount
            )
        ).outcome()
    async with recall_room(tmp_path, create=False) as room:
        await room.settle()
        status = room.recaller.index_status()
        assert (status.indexed, status.skipped) == (1, 1)


async def test_another_model_embeds_the_bank_anew(tmp_path: Path) -> None:
    """With a model of another space every memory is embedded again; the spaces never mix."""
    async with recall_room(tmp_path) as room:
        for number in range(40):
            await room.add(f"memory number {number} about apples")
        await room.settle()

    class Other(GatedEmbedder):
        def __init__(self) -> None:
            super().__init__()
            self.dimension = 256
            self.space_id = "other-256"

    other = Other()
    async with recall_room(tmp_path, lambda: other, create=False) as room:
        await asyncio.to_thread(other.begun.wait, 10)
        answer = await room.ask("number 7 apples")
        assert answer.hits
        assert answer.partial
        assert (answer.vector.state, answer.vector.percent) == ("building", 0.0)
        assert room.recaller.index_status().backlog == 40
        other.release.set()
        await room.settle()
        answer = await room.ask("number 7 apples")
        assert not answer.partial
        spaces = await stored(room)
        assert len([row for row, space in spaces if space == "other-256"]) == 40


async def test_a_model_that_comes_and_goes_between_two_steps_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors that are stored just as another model comes are found once the first is back."""

    class Other(WordEmbedder):
        def __init__(self) -> None:
            super().__init__(dimension=256)

    store, stored_by, go = worklist.store, threading.Event(), threading.Event()

    def slow(*arguments: Any, **named: Any) -> Any:
        done = store(*arguments, **named)
        stored_by.set()
        go.wait(10)
        return done

    async with recall_room(tmp_path) as room:
        await room.add("Something else")
        await room.settle()
        monkeypatch.setattr(worklist, "store", slow)
        await room.add("The spare key hangs in the hall")
        await asyncio.to_thread(stored_by.wait, 10)
        for load_model in (Other, WordEmbedder):
            assert await room.host.reload(load_model) is None
            await asyncio.sleep(0.01)
        go.set()
        await room.settle()
        found = await room.texts("spare key hall", pipeline=Pipeline.VECTOR, limit=1)
        assert found == ["The spare key hangs in the hall"]


async def test_a_disk_that_was_full_at_the_opening_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers say why there are no vectors as long as there is no room; then there are."""
    settle_vectors = generations.settle_vectors

    def full(*_: object) -> None:
        raise StorageFullError("SQLITE_FULL")

    monkeypatch.setattr("cognid_daemon.recall.serving._AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(generations, "settle_vectors", full)
    async with recall_room(tmp_path) as room:
        await room.add("The spare key hangs in the hall")
        answer = await room.ask("hall key")
        assert (answer.vector.state, answer.vector.code) == ("failed", "storage_full")
        monkeypatch.setattr(generations, "settle_vectors", settle_vectors)
        async with asyncio.timeout(5):
            while room.recaller.index_status().vector.state != "ready":  # noqa: ASYNC110 # tells states only
                await asyncio.sleep(0.01)
        answer = await room.ask("hall key", pipeline=Pipeline.VECTOR)
        assert (len(answer.hits), answer.partial) == (1, False)


async def test_vectors_of_a_commit_that_only_seemed_to_fail_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk fails as vectors are stored and they are there all the same, they answer."""
    commit, failed = Writer._commit, threading.Event()

    def failing(writer: Writer, applied: list[Any]) -> None:
        commit(writer, applied)
        if isinstance(applied[0].apply, partial) and not failed.is_set():
            failed.set()
            raise StorageFailedError("SQLITE_IOERR", effect="unknown")

    monkeypatch.setattr(backlog, "_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(Writer, "_commit", failing)
    async with recall_room(tmp_path) as room:
        await room.add("The spare key hangs in the hall")
        await asyncio.to_thread(failed.wait, 10)
        async with asyncio.timeout(5):
            while not await room.texts("key", pipeline=Pipeline.VECTOR):  # noqa: ASYNC110 # as above
                await asyncio.sleep(0.01)
        status = room.recaller.index_status()
        assert (status.vector.state, status.indexed, status.backlog) == ("ready", 1, 0)


async def test_without_a_model_the_work_stays(tmp_path: Path) -> None:
    """Vectors are owed, not dropped, while the model is missing."""

    def missing() -> Embedder:
        return load(tmp_path / "nowhere")

    async with recall_room(tmp_path / "bank", missing) as room:
        await room.add("The spare key hangs in the hall")
        answer = await room.ask("hall key")
        assert [hit.text for hit in answer.hits] == ["The spare key hangs in the hall"]
        assert answer.partial
        assert (answer.vector.state, answer.vector.code) == ("failed", "model_missing")
        assert room.recaller.index_status().backlog == 1
    async with recall_room(tmp_path / "bank", create=False) as room:
        await room.settle()
        assert len(await stored(room)) == 1


async def test_without_a_model_what_was_forgotten_waits_no_more(tmp_path: Path) -> None:
    """The counts are those of what is there, though nothing is embedded that would mend them."""

    def missing() -> Embedder:
        return load(tmp_path / "nowhere")

    async with recall_room(tmp_path / "bank") as room:
        await room.add("The spare key hangs in the hall")
        await room.settle()
    async with recall_room(tmp_path / "bank", missing, create=False) as room:
        await room.ask("key")
        await room.remove(await room.add("The lamp code is amber-sky", stream="later"))
        async with asyncio.timeout(5):
            while room.recaller.index_status().backlog:  # noqa: ASYNC110 # tells states only
                await asyncio.sleep(0.01)
        assert room.recaller.index_status().indexed == 1


async def test_a_text_that_the_model_does_not_know_is_done(tmp_path: Path) -> None:
    """A memory without a single window has no vectors and is not waited for."""
    async with recall_room(tmp_path) as room:
        await room.add("🎉🎉🎉")
        await room.settle()
        assert room.recaller.index_status().indexed == 1
        assert await room.texts("🎉") == ["🎉🎉🎉"]


async def test_idle_is_idle(tmp_path: Path) -> None:
    """With nothing to do it uses no CPU: it waits for commits and polls for nothing."""
    async with recall_room(tmp_path) as room:
        await room.add("The spare key hangs in the hall")
        await room.settle()
        await asyncio.sleep(0.1)
        begun = time.process_time()
        await asyncio.sleep(0.5)
        assert time.process_time() - begun < 0.02


async def test_every_window_of_a_long_text_is_stored(tmp_path: Path) -> None:
    """A long text has vectors from its first character to its last."""
    text = " ".join(f"w{number}" for number in range(9_000))
    async with recall_room(tmp_path) as room:
        memory = await room.add(text, speaker="Zoë")
        await room.settle()
        spans = await room.bank.read(
            lambda c: c.execute(
                "SELECT span_start, span_end FROM embeddings WHERE revision_rowid = ?"
                " ORDER BY window",
                (memory.revision_rowid,),
            ).fetchall()
        )
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        assert all(later[0] <= earlier[1] for earlier, later in pairwise(spans))
