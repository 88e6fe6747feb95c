"""Memory authority under drawn schedules: whatever meets whatever, at any point of an embedding,
what was forgotten or wiped does not come back, and nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections.abc import Iterable
from typing import Any

import pytest
from support.authority_room import (
    DIMENSION,
    AuthorityRoom,
    Peek,
    RefusedError,
    operation,
    scratch,
)
from support.embedder import WordEmbedder
from support.planted import plant_unfenced_embedding
from support.seeded_loop import run_seeded

from cognid_models import Vector, Window

WRITERS = 3
CHANGES = 8
"""Of each writer, all writers at once."""
SLOWEST = 0.004
"""Seconds of one embedding at most: some commits long, so that forgets overtake it."""
_HANDLE_ENDED = {"handle_invalid"}


class UnevenEmbedder(WordEmbedder):
    """Takes a drawn time for each window."""

    def __init__(self, seed: int) -> None:
        super().__init__(DIMENSION)
        self._rng = random.Random(seed)

    def embed_window(self, window: Window) -> Vector:
        """Embed one window, some time later."""
        time.sleep(self._rng.random() * SLOWEST)
        return super().embed_window(window)


class Schedule:
    """Several writers on one bank, and what each of them was told."""

    def __init__(self, room: AuthorityRoom, rng: random.Random) -> None:
        self.room = room
        self.rng = rng
        self.live: dict[str, str] = {}
        """Acknowledged, neither forgotten nor begun to be forgotten or corrected since."""
        self.changing: set[str] = set()
        self.gone: dict[str, set[str]] = {}
        self.uncertain: dict[str, set[str]] = {}
        """Texts of memories that a wipe met on their way: they may be there or not."""
        self.wipes = 0
        self.back: list[str] = []
        self._numbers = iter(range(1, 10_000))

    async def write(self) -> None:
        """Do some changes, one after another; the other writers do theirs meanwhile."""
        for _ in range(CHANGES):
            change = self.rng.choices(
                (self.remember, self.forget, self.correct, self.switch, self.wipe, self.recall),
                (8, 6, 3, 1, 0.5, 3),
            )[0]
            try:
                await change()
            except RefusedError as refused:
                # Another writer's cutoff came between the handle and its use.
                assert refused.code in _HANDLE_ENDED, refused
            for _ in range(self.rng.randrange(3)):
                await asyncio.sleep(0)

    async def remember(self) -> None:
        """Say something new, at times in a second window, and perhaps while it is off."""
        number = next(self._numbers)
        more = " and more of it" * self.rng.choice((0, 0, 40))
        text = f"Note u{number}x says the kettle is new{more}"
        wipes = self.wipes
        event = {"stream": "s", "data": {"role": "user", "content": text}}
        answer = await self.room.ask("memory.remember", event=event, **operation())
        if answer["outcome"] == "committed":
            memory_id = answer["memories"][0]["memory_id"]
            if wipes != self.wipes:
                self.uncertain[memory_id] = {text}
            else:
                self.live[memory_id] = text

    def _pick(self) -> str | None:
        free = sorted(self.live.keys() - self.changing)
        return self.rng.choice(free) if free else None

    async def forget(self) -> None:
        """Forget one that is there; its answer says that it is over."""
        memory_id = self._pick()
        if memory_id is None:
            return
        text = self.live[memory_id]
        self.changing.add(memory_id)
        try:
            answer = await self.room.ask(
                "memory.forget",
                handle=await self.room.handle(),
                targets=[{"memory_id": memory_id}],
                confirmed=True,
                **operation(),
            )
        finally:
            self.changing.discard(memory_id)
        if answer["outcome"] == "committed":
            self.live.pop(memory_id, None)
            self.gone.setdefault(memory_id, set()).add(text)
        else:
            self._met_a_cutoff(memory_id, answer)

    async def correct(self) -> None:
        """Give one that is there another text."""
        memory_id = self._pick()
        if memory_id is None:
            return
        before = self.live[memory_id]
        text = f"Note u{next(self._numbers)}x corrects the kettle"
        self.changing.add(memory_id)
        wipes = self.wipes
        handle = await self.room.handle()
        listed = {m["memory_id"]: m["revision"] for m in await self.room.listed()}
        try:
            if memory_id not in listed:
                return
            answer = await self.room.ask(
                "memory.correct",
                handle=handle,
                memory_id=memory_id,
                expected_revision=listed[memory_id],
                text=text,
                **operation(),
            )
        finally:
            self.changing.discard(memory_id)
        if answer["outcome"] != "committed":
            self._met_a_cutoff(memory_id, answer)
        elif wipes == self.wipes:
            self.live[memory_id] = text
            self.gone.setdefault("corrected", set()).add(before)

    def _met_a_cutoff(self, memory_id: str, answer: dict[str, Any]) -> None:
        assert answer["outcome"] in {"no_effect", "not_found"}, answer
        if answer["outcome"] == "not_found":
            assert memory_id not in self.live, "an acknowledged memory is lost"

    async def switch(self) -> None:
        """Switch the bank off and on again."""
        for enabled in (False, True):
            await self.room.ask(
                "bank.set_enabled",
                handle=await self.room.handle(),
                enabled=enabled,
                **operation(),
            )
            await asyncio.sleep(0)

    async def wipe(self) -> None:
        """Wipe the bank: what was acknowledged before it was asked for is gone with its answer."""
        handle = await self.room.handle()
        before = dict(self.live)
        self.wipes += 1
        answer = await self.room.ask(
            "bank.delete_all", handle=handle, confirmed=True, **operation()
        )
        self.wipes += 1
        assert answer["outcome"] == "committed", answer
        for memory_id, text in before.items():
            self.live.pop(memory_id, None)
            self.gone.setdefault(memory_id, set()).add(text)
        # What was acknowledged while the wipe ran may be on either side of it.
        for memory_id in self.live.keys() - before.keys():
            self.uncertain[memory_id] = {self.live.pop(memory_id)}

    async def recall(self) -> None:
        """Nothing that was over when this was asked may be in its answer."""
        over = set().union(*self.gone.values()) if self.gone else set()
        answer = await self.room.ask("memory.recall", query="note kettle new", limit=100)
        self.back += [hit["text"] for hit in answer.get("hits", []) if hit["text"] in over]

    async def verdict(self) -> list[str]:
        """What is wrong, once everything has come to rest; nothing, if all is well."""
        await self.room.ask(
            "bank.set_enabled", handle=await self.room.handle(), enabled=True, **operation()
        )
        await self.room.wait_indexed()
        found = [f"recalled when it was over: {text!r}" for text in self.back]
        listed = {m["memory_id"]: m["text"] for m in await self.room.listed()}
        found += [
            f"{one} was acknowledged and is lost or changed"
            for one, text in self.live.items()
            if listed.get(one) != text
        ]
        peek = await self.room.peek()
        found += _strays(peek)
        over = set().union(*self.gone.values()) if self.gone else set()
        gone_ids = self.gone.keys()
        found += [f"{one} is listed again" for one in listed.keys() & gone_ids]
        wiped_or_forgotten = set().union(
            *(texts for one, texts in self.gone.items() if one != "corrected")
        )
        found += [f"{text!r} is in the tables" for text in wiped_or_forgotten & set(peek.texts)]
        for pipeline in ("lexical", "vector"):
            answer = await self.room.ask(
                "memory.search", query="note kettle new", pipeline=pipeline, limit=100
            )
            hits = {hit["memory_id"]: hit["text"] for hit in answer.get("hits", [])}
            found += [f"{text!r} is found by {pipeline}" for text in over & set(hits.values())]
            found += [f"{one} is not found by {pipeline}" for one in self.live.keys() - hits.keys()]
        return found


def _strays(peek: Peek) -> list[str]:
    found: list[str] = []
    kinds: Iterable[tuple[str, set[int]]] = (
        ("lexical rows", peek.words),
        ("stored vectors", peek.embedded),
        ("vectors in memory", peek.indexed),
    )
    for what, have in kinds:
        if have != peek.current:
            found.append(
                f"{what} of {sorted(have ^ peek.current)} are not those of what is current"
            )
    return found


async def _schedule(rng: random.Random) -> list[str]:
    home = scratch()
    room = AuthorityRoom(home, lambda: UnevenEmbedder(rng.randrange(2**32)))
    try:
        await room.open()
        try:
            schedule = Schedule(room, random.Random(rng.random()))
            async with asyncio.TaskGroup() as group:
                for _ in range(WRITERS):
                    group.create_task(schedule.write())
            return await schedule.verdict()
        finally:
            await room.close()
    finally:
        shutil.rmtree(home)


def _faults(seeds: Iterable[int]) -> dict[int, list[str]]:
    found = {seed: run_seeded(seed, _schedule) for seed in seeds}
    return {seed: faults for seed, faults in found.items() if faults}


@pytest.mark.timeout(180)
def test_no_schedule_brings_back_what_is_over() -> None:
    """60 schedules: nothing comes back, nothing acknowledged is lost, no vector is left over."""
    assert _faults(range(60)) == {}


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_schedule_of_many_brings_back_what_is_over() -> None:
    """2,000 schedules."""
    assert _faults(range(1_000, 3_000)) == {}


@pytest.mark.timeout(120)
def test_a_forget_that_does_not_fence_embedding_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With that fault planted one of the first 40 schedules ends in vectors that nobody owns."""
    plant_unfenced_embedding(monkeypatch)
    verdicts = (run_seeded(seed, _schedule) for seed in range(40))
    assert any("vectors" in fault for verdict in verdicts for fault in verdict)
