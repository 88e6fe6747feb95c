"""Rowids that are kept between searches: the same answers as without, and no more than agreed."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlcipher3.dbapi2 import Connection
from support.bank_room import remark
from support.recall_room import RecallRoom, recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.bank.fold import fold_query
from cognid_daemon.recall import kept_rows
from cognid_daemon.recall.kept_rows import KeptRows, Rows

WORDS = ["lamp", "key", "garden", "shed", "green", "amber", "mat", "hall"]


@pytest.fixture(autouse=True)
def every(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms of any number of memories are kept."""
    monkeypatch.setattr(kept_rows, "_LEAST", 1)


def kept_of(room: RecallRoom) -> KeptRows:
    """What the room keeps."""
    postings = room.recaller._words._postings
    assert postings is not None
    return postings.kept


async def searched(room: RecallRoom, query: str) -> dict[int, float]:
    """What a search finds."""
    words = room.recaller._words
    found = await room.bank.read(lambda c: words.search(c, fold_query(query), None))
    return found.by_rowid()


async def test_the_same_is_found_as_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever comes and goes between them, searches find what one finds that reads everything."""
    source = random.Random(7)
    async with recall_room(tmp_path) as room:
        stored = [await room.add(" ".join(source.choices(WORDS, k=4))) for _ in range(30)]
        await room.settle()
        for step in range(40):
            if step % 5 == 4:
                await room.remove(stored.pop(source.randrange(len(stored))))
            else:
                stored.append(await room.add(" ".join(source.choices(WORDS, k=4))))
            query = " ".join(source.choices(WORDS, k=2))
            with_them = await searched(room, query)
            kept = kept_of(room)
            assert kept._kept
            with monkeypatch.context() as without:
                without.setattr(kept, "_kept", OrderedDict())
                assert await searched(room, query) == with_them


async def test_nothing_is_read_where_nothing_came(tmp_path: Path) -> None:
    """A term that is kept is asked of the file again only once something was written."""
    async with recall_room(tmp_path) as room:
        await room.add("The lamp code is amber-sky")
        await room.settle()
        asked: list[str] = []
        for _ in range(2):
            asked.clear()
            await searched_traced(room, "lamp", asked)
        assert not any("MATCH" in statement for statement in asked)
        await room.add("The lamp is broken")
        assert len(await searched_traced(room, "lamp", asked)) == 2
        assert any("MATCH" in statement for statement in asked)


async def searched_traced(room: RecallRoom, query: str, statements: list[str]) -> dict[int, float]:
    """What a search finds, and which statements it makes."""
    words = room.recaller._words

    def search(connection: Connection) -> dict[int, float]:
        connection.set_trace_callback(statements.append)
        try:
            return words.search(connection, fold_query(query), None).by_rowid()
        finally:
            connection.set_trace_callback(None)

    return await room.bank.read(search)


async def test_a_search_that_is_overtaken_by_another_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many memories come at once while it is between its counts and its first word: of that there
    are more than it knows of memories."""
    held, go = threading.Event(), threading.Event()
    of = KeptRows.of

    def slow(kept: KeptRows, *arguments: Any) -> Any:
        if not held.is_set():
            held.set()
            go.wait(10)
        return of(kept, *arguments)

    async with recall_room(tmp_path) as room:
        await room.add("the green lamp")
        await room.settle()
        monkeypatch.setattr(KeptRows, "of", slow)
        overtaken = asyncio.create_task(searched(room, "lamp"))
        assert await asyncio.to_thread(held.wait, 10)
        many = [remark(f"lamp {number}") for number in range(200)]
        await room.bank.submit(lambda tx: list(map(tx.add_memory, many))).outcome()
        assert await searched(room, "lamp")
        go.set()
        assert await overtaken


async def test_a_removal_drops_them(tmp_path: Path) -> None:
    """Once a memory is forgotten no list in memory has it, nor does one from before come back."""
    async with recall_room(tmp_path) as room:
        lamp = await room.add("The lamp code is amber-sky")
        await room.add("The lamp is broken")
        await room.settle()
        assert len(await room.texts("lamp", pipeline=Pipeline.LEXICAL)) == 2
        kept = kept_of(room)
        assert len(kept._kept) == 1
        drops = kept.drops
        await room.remove(lamp)
        assert not kept._kept
        rows = Rows(np.array([1, 2], np.int32), 2)
        kept._keep(b"late", rows, drops, 2)  # by a search of before
        assert not kept._kept
        assert await room.texts("lamp", pipeline=Pipeline.LEXICAL) == ["The lamp is broken"]


async def test_one_that_is_current_again_drops_them(tmp_path: Path) -> None:
    """A rowid that is not after all others is not missed."""
    async with recall_room(tmp_path) as room:
        for number in range(3):
            await room.add(f"lamp number {number}")
        await room.settle()
        await room.texts("lamp", pipeline=Pipeline.LEXICAL)
        kept = kept_of(room)
        assert kept._kept
        kept.follow([kept._newest + 1], [])
        assert kept._kept
        kept.follow([2], [])
        assert not kept._kept


@asynccontextmanager
async def small_keeping(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RecallRoom]:
    """A room of 15 memories with every word, that keeps 40 rowids at most."""
    monkeypatch.setattr(kept_rows, "_MOST", 40)
    monkeypatch.setattr(kept_rows, "_SHARE", 0)
    async with recall_room(folder) as room:
        for _ in range(15):
            await room.add(" ".join(WORDS))
        await room.settle()
        yield room


async def test_they_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the agreed number the oldest go, and no word stands among what is kept."""
    async with small_keeping(tmp_path, monkeypatch) as room:
        for word in WORDS:
            assert await room.texts(word, pipeline=Pipeline.LEXICAL)
        kept = kept_of(room)
        assert kept._count == sum(one.size for one in kept._kept.values()) == 32
        assert not any(word.encode() in name for word in WORDS for name in kept._kept)


async def test_the_one_that_was_used_last_goes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A term that is asked for again and again stays, though nothing was written meanwhile."""
    async with small_keeping(tmp_path, monkeypatch) as room:
        kept = kept_of(room)
        await searched(room, "lamp")
        (lamp,) = kept._kept
        for word in ("key", "lamp", "garden"):
            await searched(room, word)
        assert lamp in kept._kept
