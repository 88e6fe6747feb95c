"""Recall and forget at the same time: no answer that comes after a forget shows what it took."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.recall_room import recall_room

from cognid.protocol.values import Pipeline
from cognid_daemon.recall import at_once
from cognid_daemon.recall import recaller as recaller_module
from cognid_daemon.recall.hydration import hydrate


@pytest.mark.parametrize("is_alone", [True, False])
async def test_a_recall_begun_before_the_forget_answers_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_alone: bool
) -> None:
    """A hit that was read before the forget is left out of the answer that follows it."""
    async with recall_room(tmp_path / "b") as room:
        gone = await room.add("The lamp code is amber-sky.")
        await room.add("The lamp is blue.")
        await room.calm()
        loop = asyncio.get_running_loop()

        def late(*arguments: Any, **named: Any) -> Any:
            hydrated = hydrate(*arguments, **named)
            assert len(hydrated.hits) == 2  # both were there when they were read
            forgetting = asyncio.run_coroutine_threadsafe(room.remove(gone), loop)
            forgetting.result(5)
            return hydrated

        monkeypatch.setattr(at_once if is_alone else recaller_module, "hydrate", late)
        if not is_alone:
            monkeypatch.setattr(recaller_module, "at_hand", lambda *_: None)
        assert await room.texts("lamp code") == ["The lamp is blue."]


@pytest.mark.parametrize("pipeline", list(Pipeline))
async def test_what_is_forgotten_is_in_neither_pipeline(tmp_path: Path, pipeline: Pipeline) -> None:
    """Of 200 memories close to each other 190 are forgotten: k=5 gives five live ones."""
    async with recall_room(tmp_path / "b") as room:
        stored = [await room.add(f"The lamp code number {n} is amber") for n in range(200)]
        await room.settle()
        for one in stored[5:195]:
            await room.remove(one)
        found = await room.texts("lamp code amber", limit=5, pipeline=pipeline)
        assert len(found) == 5
        alive = {*range(5), *range(195, 200)}
        assert {int(text.split()[4]) for text in found} <= alive


async def test_forgotten_vectors_are_overwritten_in_memory(tmp_path: Path) -> None:
    """Without any search after it, a forgotten memory's vector is no longer in the index."""
    async with recall_room(tmp_path / "b") as room:
        gone = await room.add("The lamp code is amber-sky.")
        await room.settle()
        assert room.recaller.serving.service is not None
        index = room.recaller.serving.service.index
        index.settle()
        block = index._matrix._blocks[0]
        assert block.any()
        await room.remove(gone)
        async with asyncio.timeout(5):
            while len(index):  # noqa: ASYNC110 # the background thread tells nobody
                await asyncio.sleep(0.005)
        assert not block.any()


async def test_vectors_of_a_forgotten_memory_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An embedding that was in flight when its memory was forgotten leaves no row and no vector."""
    async with recall_room(tmp_path / "b") as room:
        await room.add("Settled.")
        await room.settle()
        real = room.host.background
        held = asyncio.Event()
        go = asyncio.Event()

        async def slow(work: Any) -> Any:
            result = await real(work)
            held.set()
            await go.wait()
            return result

        monkeypatch.setattr(room.host, "background", slow)
        gone = await room.add("The lamp code is amber-sky.")
        await held.wait()
        await room.remove(gone)
        monkeypatch.undo()
        go.set()
        await room.settle()
        rows = await room.bank.read(
            lambda c: c.execute("SELECT count(*) FROM embeddings").fetchone()
        )
        assert rows == (1,)
        assert await room.texts("lamp amber", pipeline=Pipeline.VECTOR) == ["Settled."]
