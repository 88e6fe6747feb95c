"""A switch that the catalog made and the disk of the bank did not take: what is told of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from support.authority_room import AuthorityRoom, RefusedError, authority_room, operation

from cognid_daemon import wipe
from cognid_daemon.bank.errors import StorageFailedError


@pytest.fixture
async def room() -> AsyncIterator[AuthorityRoom]:
    """A daemon's parts."""
    async with authority_room() as room:
        yield room


@pytest.mark.parametrize("times", [1, 3])
async def test_a_switch_without_its_receipt_is_settled_as_made(
    room: AuthorityRoom, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Its answer is that its fate is not known; asked again, it is committed and not sealed, as
    soon as the disk takes a write, and what it switched stays switched."""
    left = [True] * times
    real = wipe.note_cutoff

    def failing(*arguments: object, **named: object) -> None:
        if left:
            left.pop()
            raise StorageFailedError("a fault of this test")
        real(*arguments, **named)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(wipe, "note_cutoff", failing)
    asked = operation()
    switch = {"handle": await room.handle(), "enabled": False, **asked}
    with pytest.raises(RefusedError, match="storage_failed"):
        await room.ask("bank.set_enabled", **switch)
    assert len(left) == times - 1
    while left:
        if times > 1:
            pending = await room.ask("operation.resolve", **asked)
            assert pending["outcome"] == ("pending" if len(left) else "committed")
        assert (await room.ask("memory.recall", query="lamp"))["outcome"] == "disabled"
    settled = await room.ask("operation.resolve", **asked)
    assert settled["outcome"] == "committed"
    assert not settled["stored"]["enabled"]
    assert not (await room.ask("bank.status"))["enabled"]


async def test_a_switch_of_which_only_the_catalog_s_copy_failed_is_settled_as_made(
    room: AuthorityRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bank is switched off, so its operation is not sealed as one that never arrived."""

    async def fail() -> None:
        raise StorageFailedError("a fault of this test", effect="unknown")

    asked = operation()
    with monkeypatch.context() as patched:
        patched.setattr(room.parts.catalog, "_write_copy", fail)
        with pytest.raises(RefusedError, match="storage_failed"):
            await room.ask("bank.set_enabled", handle=await room.handle(), enabled=False, **asked)
    assert not (await room.ask("bank.status"))["enabled"]
    assert (await room.ask("operation.resolve", **asked))["outcome"] == "committed"
