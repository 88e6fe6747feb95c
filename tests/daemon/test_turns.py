"""Turns: what of one connection waits for what, bank by bank."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import Add
from cognid.protocol.table import OPERATIONS
from cognid.protocol.values import Kind
from cognid_daemon.turns import FREE, Turn, Turns


def _take(turns: Turns, name: str, agent: str | None = "a") -> Turn:
    return turns.take(OPERATIONS[name], SimpleNamespace(owner="local", agent=agent))


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        ("memory.forget", "memory.recall", True),
        ("memory.tool_forget", "memory.search", True),
        ("memory.correct", "memory.inspect", True),
        ("import", "export", True),
        ("bank.set_enabled", "bank.status", True),
        ("bank.delete_all", "memory.recall", True),
        ("memory.add", "memory.recall", False),
        ("memory.recall", "memory.forget", False),
        ("memory.add", "memory.forget", False),
        ("memory.forget", "memory.forget", False),
        ("memory.forget", "memory.add", True),
        ("bank.set_enabled", "memory.add", True),
        ("bank.delete_all", "memory.forget", True),
        ("bank.ensure", "memory.remember", True),
        ("memory.remember", "bank.set_enabled", True),
        ("memory.forget", "bank.delete_all", True),
        ("bank.set_enabled", "operation.resolve", True),
        ("memory.recall", "bank.delete_all", False),
        ("bank.delete_all", "ping", False),
    ],
)
def test_what_waits_for_what(first: str, second: str, waits: bool) -> None:
    """Reads and changes wait for mends and cutoffs, cutoffs for every change."""
    turns = Turns()
    ahead = _take(turns, first)
    behind = _take(turns, second)
    assert (ahead in behind.before) == waits


def test_another_bank_waits_for_nothing() -> None:
    """A turn is a bank's own; a null agent is a bank like any other."""
    turns = Turns()
    _take(turns, "memory.forget", "a")
    assert _take(turns, "memory.recall", "b") is FREE
    assert _take(turns, "memory.recall", None) is FREE


def test_banks_that_were_named_once_are_not_kept() -> None:
    """However many banks a connection writes to, it keeps those in which a turn has not ended, and
    what waits there waits on."""
    turns = Turns()
    mend = _take(turns, "memory.forget", "waited for")
    for number in range(1_000):
        _take(turns, "memory.add", f"agent {number}").end()
    assert len(turns._open) <= 128
    assert _take(turns, "memory.recall", "waited for").before == (mend,)


async def test_a_turn_comes_when_those_before_have_ended() -> None:
    """Two forgets are waited for, in whatever order they end; ended ones are not waited for."""
    turns = Turns()
    one, two = _take(turns, "memory.forget"), _take(turns, "memory.forget")
    read = _take(turns, "memory.recall")
    loop = asyncio.get_running_loop()
    coming = asyncio.ensure_future(read.comes(loop.time() + 5))
    await asyncio.sleep(0)
    two.end()
    await asyncio.sleep(0)
    assert not coming.done()
    one.end()
    assert await coming
    assert _take(turns, "memory.recall") is FREE


async def test_a_turn_that_does_not_come_ends_at_the_deadline() -> None:
    """Waiting ends with the deadline, and says so."""
    turns = Turns()
    _take(turns, "bank.delete_all")
    read = _take(turns, "memory.recall")
    assert not await read.comes(asyncio.get_running_loop().time() + 0.01)


def test_an_ended_turn_keeps_no_other_alive() -> None:
    """A long life of a connection does not pile up its past."""
    turns = Turns()
    first = _take(turns, "bank.set_enabled")
    second = _take(turns, "bank.set_enabled")
    assert len(second.before) == 1
    assert first in second.before
    second.end()
    assert len(second.before) == 0


def _long(turns: Turns) -> Turn:
    asked = Add(text="door " * 1_000, kind=Kind.REMARK, agent="a", operation_id=new_operation_id())
    return turns.take(OPERATIONS["memory.add"], asked)


async def test_what_changes_something_behind_a_long_text_waits_for_it() -> None:
    """A long text is not in the bank's queue yet when the next line is read; reads do not mind."""
    turns = Turns()
    long = _long(turns)
    for name in ("memory.add", "memory.forget", "import", "bank.set_enabled"):
        assert long in _take(turns, name).before, name
    assert long in _long(turns).before
    assert long not in _take(turns, "memory.inspect").before
    assert _take(turns, "memory.add", "b").before == ()


async def test_a_change_does_not_overtake_one_that_still_waits() -> None:
    """The long text is answered, but what waited for it has not begun yet when the next line is
    read; once its turn has come it holds nobody up."""
    turns = Turns()
    loop = asyncio.get_running_loop()
    long = _long(turns)
    waiting = _take(turns, "memory.add")
    coming = asyncio.ensure_future(waiting.comes(loop.time() + 5))
    await asyncio.sleep(0)
    long.end()
    assert waiting in _take(turns, "memory.add").before
    assert await coming
    assert waiting not in _take(turns, "memory.forget").before
