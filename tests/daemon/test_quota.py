"""Quotas: a bank that is full says so, loses nothing, and takes more once there is room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened, remark, remembering
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.talk import Agent, id_of, operation

from cognid.protocol.values import Kind
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.errors import QuotaError
from cognid_daemon.bank.keeping import Keeping
from cognid_daemon.bank.quota import held
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View

ALLOWED = 3
SETTINGS = f"{WITHOUT_MODEL}[quota]\nmemories = {ALLOWED}\n"


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon whose banks hold three memories each."""
    with running(settings=SETTINGS) as started:
        yield started


@pytest.fixture
def full(connection: RawConnection) -> Agent:
    """A bank that holds as much as it may."""
    bank = Agent(connection)
    for number in range(ALLOWED):
        bank.add(f"The lamp of room {number} is green")
    return bank


def _turn(**fields: Any) -> dict[str, Any]:
    data = {"role": "user", "content": "The kettle is blue"}
    return {"event": {"stream": "chat", "data": data, **fields}, **operation()}


def _record() -> dict[str, Any]:
    made = "2026-05-01T10:00:00Z"
    memory_id = f"mem_{'c' * 32}"
    return {
        **{"memory_id": memory_id, "origin_id": memory_id, "kind": "fact", "role": "user"},
        **{"provenance": "explicit", "confidence": 1.0, "created_at": made},
        "revisions": [
            {"revision": 1, "lifecycle": "current", "text": "The mat is red", "created_at": made}
        ],
    }


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.add", {"text": "The kettle is blue"}),
        ("memory.remember", _turn()),
        ("import", {"records": [_record()]}),
    ],
)
def test_a_full_bank_refuses_in_one_clear_word(
    full: Agent, method: str, params: dict[str, Any]
) -> None:
    """quota_exceeded: nothing happened, repeating it is no use, and what helps is named."""
    before = full.result("bank.status")
    error = full.error(method, {**params, **operation()})
    assert (error["code"], error["retryable"], error["effect"]) == ("quota_exceeded", False, "none")
    assert error["detail"] == "quota.memories: 3 held, 3 allowed"
    assert "Forget" in error["remedy"]
    assert "retention" in error["remedy"]
    after = full.result("bank.status")
    for count in ("memories", "events", "receipts", "ledger_entries"):
        assert after[count] == before[count], count


def test_nothing_is_evicted(full: Agent) -> None:
    """Everything that was there before the refusal is there after it, and is found."""
    full.error("memory.add", {"text": "The kettle is blue", **operation()})
    assert len(full.listed()) == ALLOWED
    assert len(full.lexical("lamp")) == ALLOWED


def test_the_same_event_is_taken_once_there_is_room(full: Agent) -> None:
    """A refusal takes no custody: the operation and the sequence are as new afterwards."""
    turn = _turn(sequence=7)
    assert full.error("memory.remember", turn)["code"] == "quota_exceeded"
    full.forget(full.listed()[0]["memory_id"])
    answer = full.result("memory.remember", turn)
    assert (answer["outcome"], answer["event"]["sequence"]) == ("committed", 7)


def test_all_else_goes_on_working(full: Agent) -> None:
    """Correct, pin, inspect, replay, duplicates and forget do not ask for room."""
    memory_id = full.listed()[0]["memory_id"]
    assert full.correct(memory_id, 1, "The lamp of room 9 is red")["outcome"] == "committed"
    assert full.shown(memory_id)["memory"]["revision"] == 2
    pin = {"memory_id": memory_id, "pinned": True}
    assert full.manage("memory.pin", **pin)["outcome"] == "committed"
    again = {"text": "The lamp of room 1 is green", **operation()}
    assert full.result("memory.add", again)["outcome"] == "duplicate"
    assert full.result("memory.add", again)["replayed"] is True
    assert full.forget(memory_id)["outcome"] == "committed"


def test_status_shows_what_is_held_and_allowed(full: Agent) -> None:
    """Counts beside their bounds; null where there is none."""
    quota = full.result("bank.status")["quota"]
    assert (quota["memories"], quota["memories_allowed"]) == (ALLOWED, ALLOWED)
    assert quota["bytes"] > 0
    assert quota["bytes_allowed"] is None


def test_one_full_bank_is_no_matter_to_another(full: Agent, connection: RawConnection) -> None:
    """A quota is a bank's own."""
    assert full.error("memory.add", {"text": "x y", **operation()})["code"] == "quota_exceeded"
    assert id_of(Agent(connection).add("The kettle is blue"))


# In the bank.


async def test_every_lifecycle_counts(tmp_path: Path) -> None:
    """Superseded and expired memories are held too; revisions are not memories."""
    async with opened(tmp_path / "b", keeping=Keeping({Kind.CONTEXT: 1}, memories=3)) as bank:
        ids = [
            (await bank.submit(remembering(text, sequence=number)).outcome()).memory_id
            for number, text in enumerate(("one", "two"))
        ]

        def change(tx: Transaction) -> None:
            one, two = (tx.memory(memory_id) for memory_id in ids)
            assert one is not None
            assert two is not None
            tx.supersede(one)
            tx.correct(two, "two and a half")

        await bank.submit(change).outcome()
        assert (await bank.read(held)).memories == 2
        await bank.submit(remembering("three", sequence=3)).outcome()
        with pytest.raises(QuotaError):
            await bank.submit(remembering("four", sequence=4)).outcome()
        assert (await bank.read(held)).memories == 3
        assert (await check(bank)).sound


async def test_a_refusal_undoes_its_own_write_alone(tmp_path: Path) -> None:
    """Of many writes in one group those that fit are committed, the others refused, whole."""
    async with opened(tmp_path / "b", keeping=Keeping(memories=5)) as bank:
        writes = [bank.submit(remembering(f"note {n}", sequence=n)) for n in range(9)]
        refused = 0
        for write in writes:
            try:
                await write.outcome()
            except QuotaError:
                refused += 1
        assert refused == 4
        rows = await bank.read(
            lambda c: [
                c.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 # fixed
                for table in ("memories", "events", "receipts", "ledger")
            ]
        )
        assert rows == [5, 5, 5, 5]
        assert (await check(bank)).sound
        assert bank.fault is None


async def test_a_bound_of_bytes_holds_until_something_is_forgotten(tmp_path: Path) -> None:
    """Bytes in use count, so what a forget sets free is room, be it vacuumed or not."""
    most = 600_000
    async with opened(tmp_path / "b", keeping=Keeping(file_bytes=most)) as bank:
        ids = await _fill(bank)
        assert most <= (await bank.read(held)).file_bytes < most + 200_000

        def forget(tx: Transaction) -> None:
            group = View(tx.connection).group_of(ids[: len(ids) // 2])
            tx.forget(group.memories, None)

        await bank.submit(forget).outcome()
        assert (await bank.read(held)).file_bytes < most
        assert await _fill(bank) != []
        assert (await check(bank)).sound


async def test_bounds_hold_inside_one_transaction(tmp_path: Path) -> None:
    """Of many long texts in one transaction those are refused that come when the bank is full."""
    most, length = 3_000_000, 300_000
    async with opened(tmp_path / "b", keeping=Keeping(file_bytes=most)) as bank:

        def fill(tx: Transaction) -> int:
            for kept in range(30):
                try:
                    tx.add_memory(remark(f"{kept} " + "x" * length))
                except QuotaError:
                    return kept
            return 30

        kept = await bank.submit(fill).outcome()
        assert most <= (await bank.read(held)).file_bytes < most + 3 * length
        assert most // (3 * length) < kept < 30
    async with opened(tmp_path / "c", keeping=Keeping(memories=4)) as bank:
        assert await bank.submit(fill).outcome() == 4


async def _fill(bank: Bank) -> list[str]:
    """Add long remarks until no more fit; gives their ids."""
    ids: list[str] = []
    last: int | None = await bank.read(lambda c: View(c).frontier("s"))
    first = 1 + (last or 0)
    for number in range(100):
        text = json.dumps([f"word{number}x{place}" for place in range(1_500)])
        try:
            stored = await bank.submit(remembering(text, sequence=first + number)).outcome()
        except QuotaError:
            return ids
        ids.append(stored.memory_id)
    raise AssertionError("the quota never held")
