"""An older bank file that knows nothing of a forgotten memory: no operation makes it anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from support.authority_room import AuthorityRoom, authority_room, operation


@pytest.fixture
async def room() -> AsyncIterator[AuthorityRoom]:
    """An open room on a folder of its own."""
    async with authority_room() as room:
        yield room


async def _forget(room: AuthorityRoom, memory_id: str) -> None:
    answer = await room.ask(
        "memory.forget",
        handle=await room.handle(),
        targets=[{"memory_id": memory_id}],
        confirmed=True,
        **operation(),
    )
    assert answer["outcome"] == "committed"


@pytest.mark.parametrize("sequence", [None, 7])
async def test_a_turn_is_not_taken_again(room: AuthorityRoom, sequence: int | None) -> None:
    """Its operation sent again answers forgotten, also where the daemon gave the sequence."""
    older = await room.copy_bank()
    event: dict[str, Any] = {
        "stream": "s",
        "data": {"role": "user", "content": "The kettle is blue"},
    }
    if sequence is not None:
        event["sequence"] = sequence
    same = {"event": event, **operation()}
    answer = await room.ask("memory.remember", **same)
    await _forget(room, answer["memories"][0]["memory_id"])
    await room.put_back(older)
    assert (await room.ask("memory.remember", **same))["outcome"] == "forgotten"
    assert await room.listed() == []


async def test_no_operation_that_stated_a_fact_states_it_again(room: AuthorityRoom) -> None:
    """Neither the one that made it nor the one that met it there."""
    older = await room.copy_bank()
    made, met = (
        {"text": "The kettle is blue", **operation()},
        {"text": "The kettle is blue", **operation()},
    )
    answer = await room.ask("memory.add", **made)
    assert (await room.ask("memory.add", **met))["outcome"] == "duplicate"
    await _forget(room, answer["memories"][0]["memory_id"])
    await room.put_back(older)
    for same in (made, met):
        assert (await room.ask("memory.add", **same))["outcome"] == "forgotten"
    assert await room.listed() == []
