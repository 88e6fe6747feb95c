"""Calls of a bank that is not open yet: none waits for its file beyond its own deadline."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from support.authority_room import AuthorityRoom, RefusedError, operation, scratch

from cognid_daemon.agreement import agree


@asynccontextmanager
async def _being_opened(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AuthorityRoom]:
    """A daemon's parts with one memory, on a disk that does not let the bank be opened until this
    ends."""
    home = scratch()
    room = await AuthorityRoom(home).open()
    opens = asyncio.Event()

    async def slowly(*arguments: Any) -> tuple[bool, bool]:
        await opens.wait()
        return await agree(*arguments)

    try:
        await room.ask("memory.add", text="The lamp is amber.", **operation())
        await room.close()
        monkeypatch.setattr("cognid_daemon.banks.agree", slowly)
        await room.open()
        yield room
        opens.set()
        found = await room.ask("memory.recall", query="lamp")
        assert [hit["text"] for hit in found["hits"]] == ["The lamp is amber."]
    finally:
        opens.set()
        await room.close()
        shutil.rmtree(home)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.recall", {"query": "lamp"}),
        ("memory.search", {"query": "lamp", "pipeline": "lexical"}),
        ("context.assemble", {"query": "lamp", "budget_tokens": 500}),
    ],
)
async def test_a_turn_does_not_wait_for_a_bank_that_is_being_opened(
    monkeypatch: pytest.MonkeyPatch, method: str, params: dict[str, Any]
) -> None:
    """A recall within its 200 ms: unavailable, by its deadline, and the pipelines are late."""
    async with _being_opened(monkeypatch) as room:
        async with asyncio.timeout(5):
            answer = await room.ask(method, deadline_ms=200, **params)
        assert (answer["outcome"], answer["reason"]) == ("unavailable", "deadline")
        assert answer["pipelines"]["lexical"]["state"] == "late"
        assert answer["took_ms"] < 2_000


async def test_a_write_does_not_wait_beyond_its_deadline_for_a_bank_that_is_being_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """deadline_exceeded, and nothing of it happened: the same id is new afterwards."""
    same = operation()
    async with _being_opened(monkeypatch) as room:
        async with asyncio.timeout(5):
            with pytest.raises(RefusedError, match="deadline_exceeded"):
                await room.ask("memory.add", text="A second lamp.", deadline_ms=200, **same)
