"""A query that was asked before: one read of the bank, and the same answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from support.recall_room import RecallRoom, recall_room

from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.recall import at_once, recaller
from cognid_daemon.recall.answer import LATE, READY, State
from cognid_models import Embedder, ModelFailedError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

QUERY = "where is the spare key?"
KEY = "The spare key hangs in the hall"
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[RecallRoom]:
    """A room in which the query was asked once."""
    async with recall_room(tmp_path) as made:
        await made.add(KEY)
        await made.add("The bins go out on Monday")
        await made.calm()
        await made.ask(QUERY)
        await made.calm()
        yield made


def counted(room: RecallRoom, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What recalls read of the bank from now on; what is done behind them has no deadline."""
    reads: list[object] = []
    read = room.bank.read

    async def noted(work: Callable[..., object], **more: Any) -> object:
        if more.get("deadline") is not None:
            reads.append(work)
        return await read(work, **more)

    monkeypatch.setattr(room.bank, "read", noted)
    return reads


async def test_it_is_one_read(room: RecallRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked again, a query is answered in one read, and as it was on the way of the first time."""
    reads = counted(room, monkeypatch)
    again = await room.ask(QUERY)
    assert len(reads) == 1
    monkeypatch.setattr(at_once, "MOST", 0)  # as if there were too many for it
    assert await room.ask(QUERY) == again
    assert len(reads) == 3
    assert (again.lexical, again.vector, again.hits[0].text) == (READY, READY, KEY)


async def test_what_changed_meanwhile_counts(room: RecallRoom) -> None:
    """Only the query's vector is kept: a memory that came since is found, one that went is not."""
    first = (await room.ask(QUERY)).hits[0].memory
    await room.add("The spare key is under the mat now")
    await room.settle()
    texts = await room.texts(QUERY)
    assert "The spare key is under the mat now" in texts
    await room.bank.submit(
        lambda tx: tx.forget(tx.group_of([first.memory_id]).memories, None)
    ).outcome()
    assert KEY not in await room.texts(QUERY)


async def test_words_that_fail_hide_no_likeness(
    room: RecallRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage under the lexical pipeline is named, and the vector pipeline's hits are there."""

    def damaged(*_: object, **__: object) -> NoReturn:
        raise DamagedError("on purpose")

    monkeypatch.setattr(room.recaller._words, "search", damaged)
    answer = await room.ask(QUERY)
    assert answer.lexical == State("failed", DamagedError.code)
    assert (answer.vector, answer.hits[0].text, answer.partial) == (READY, KEY, True)


async def test_words_that_take_too_long_hide_no_likeness(
    room: RecallRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are interrupted, and what is there goes out in time, by its likeness."""
    monkeypatch.setattr(
        room.recaller._words, "search", lambda connection, *_: connection.execute(_ENDLESS)
    )
    answer = await room.ask(QUERY, seconds=0.5)
    assert (answer.lexical, answer.vector) == (LATE, READY)
    assert answer.hits[0].text == KEY


async def test_an_index_that_is_held_hides_no_words(room: RecallRoom) -> None:
    """Where the index cannot be had in time, the words answer alone, and that they are alone."""
    service = room.recaller.serving.service
    assert service is not None
    with service.index._lock:
        answer = await room.ask(QUERY, seconds=0.5)
    assert (answer.lexical, answer.vector) == (READY, LATE)
    assert (answer.hits[0].text, answer.partial) == (KEY, True)


def test_it_is_for_small_indexes() -> None:
    """Above that number the two pipelines have a thread each."""
    assert 10_000 < at_once.MOST < 100_000


NEW = "where does the spare key hang?"


async def test_a_new_query_is_two_reads(room: RecallRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is embedded where its hits are read; the answer is the one of the other way, over the
    query thread."""
    asked: list[object] = []
    ask = room.host.ask

    async def noted(work: Callable[[Embedder], object]) -> object:
        asked.append(work)
        return await ask(work)

    monkeypatch.setattr(room.host, "ask", noted)
    reads = counted(room, monkeypatch)
    answer = await room.ask(NEW)
    assert (len(reads), len(asked)) == (2, 0)
    monkeypatch.setattr(recaller, "at_hand", lambda *_: None)
    assert await room.ask(NEW) == answer
    assert (len(reads), len(asked)) == (4, 1)


async def test_beside_another_read_it_waits_for_no_second_reader(room: RecallRoom) -> None:
    """Where one reader is taken for long, both pipelines answer all the same."""
    ending = threading.Event()
    holding = asyncio.ensure_future(room.bank.read(lambda _: ending.wait(5)))
    await asyncio.sleep(0.05)
    answer = await room.ask(NEW, seconds=2.0)
    ending.set()
    await holding
    assert (answer.lexical, answer.vector, answer.hits[0].text) == (READY, READY, KEY)


@pytest.mark.parametrize("is_late", [True, False])
async def test_words_beside_that_fail_hide_no_likeness(
    room: RecallRoom, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """Damage on the other thread, or words that never come: named, and the hits are there."""

    def search(connection: Connection, *_: object) -> NoReturn:
        if is_late:
            connection.execute(_ENDLESS).fetchall()
        raise DamagedError("on purpose")

    monkeypatch.setattr(room.recaller._words, "search", search)
    answer = await room.ask(NEW, seconds=0.5)
    assert answer.lexical == (LATE if is_late else State("failed", DamagedError.code))
    assert (answer.vector, answer.hits[0].text, answer.partial) == (READY, KEY, True)


async def test_a_model_that_fails_or_is_late_hides_no_words(
    room: RecallRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words answer alone; nobody waits for a model that does not come to its end."""
    embedder = room.host.embedder
    assert embedder is not None
    ending = threading.Event()

    def fail(_: str) -> NoReturn:
        raise ModelFailedError("embed", "on purpose")

    monkeypatch.setattr(embedder, "embed_query", fail)
    answer = await room.ask(NEW, seconds=0.5)
    assert (answer.lexical, answer.vector) == (READY, State("failed", ModelFailedError.code))
    assert answer.hits[0].text == KEY
    monkeypatch.setattr(embedder, "embed_query", lambda _: ending.wait(5))
    answer = await room.ask(NEW, seconds=0.5)
    ending.set()
    assert (answer.lexical, answer.vector, answer.hits[0].text) == (READY, LATE, KEY)
