"""The writer: groups, isolation of their members, cancels, deadlines and bounds."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher
from support.bank_room import opened, remark, remembering

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import (
    CancelledWriteError,
    ClosedError,
    DeadlineError,
    InternalError,
    OverloadedError,
)
from cognid_daemon.bank.rows import Committed, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.upkeep import Upkeep
from cognid_daemon.bank.view import View
from cognid_daemon.bank.writer import BACKGROUND_LIMIT, QUEUE_LIMIT


class Gate:
    """A write that keeps the writer's thread inside a group until it is opened."""

    def __init__(self, bank: Bank) -> None:
        self._open = threading.Event()
        self.entered = asyncio.Event()
        loop = asyncio.get_running_loop()

        def apply(tx: Transaction) -> None:
            loop.call_soon_threadsafe(self.entered.set)
            assert self._open.wait(10)

        self.write = bank.submit(apply)

    def open(self) -> None:
        """Let the group go on."""
        self._open.set()


async def _texts(bank: Bank) -> list[str]:
    rows = await bank.read(
        lambda c: c.execute("SELECT text FROM texts ORDER BY revision_rowid").fetchall()
    )
    return [row[0] for row in rows]


def _adding(text: str) -> Callable[[Transaction], StoredMemory]:
    return lambda tx: tx.add_memory(remark(text))


async def test_writes_that_queue_share_a_commit(tmp_path: Path) -> None:
    """Writes that wait behind an open group are committed by one COMMIT, in their order."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        writes = [bank.submit(_adding(f"text {n}")) for n in range(20)]
        gate.open()
        await asyncio.gather(*(write.outcome() for write in writes))
        assert bank.group_commits() == {21: 1}
        assert await _texts(bank) == [f"text {n}" for n in range(20)]


async def test_32_clients_settle_in_groups_of_32(tmp_path: Path) -> None:
    """Clients that send again as soon as they are answered stay together in full groups."""
    async with opened(tmp_path / "b") as bank:

        async def client() -> None:
            for n in range(8):
                await bank.submit(_adding(f"text {n}")).outcome()

        await asyncio.gather(*(client() for _ in range(32)))
        groups = bank.group_commits()
        in_full = sum(size * count for size, count in groups.items() if size >= 28)
        assert in_full >= 128


async def test_a_client_alone_does_not_wait(tmp_path: Path) -> None:
    """One client is committed at once, in groups of one."""
    async with opened(tmp_path / "b") as bank:
        for n in range(10):
            await bank.submit(_adding(f"text {n}")).outcome()
        assert bank.group_commits() == {1: 10}


@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
async def test_a_write_that_raises_leaves_the_others(tmp_path: Path, first: bool) -> None:
    """What a raising write had written is gone, and the rest of its group is committed."""

    def raising(tx: Transaction) -> None:
        tx.add_memory(remark("must not stay"))
        raise ValueError(7)

    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        order = [raising, _adding("one")] if first else [_adding("one"), raising]
        writes = [bank.submit(apply) for apply in (*order, _adding("two"))]
        gate.open()
        results = await asyncio.gather(
            *(write.outcome() for write in writes), return_exceptions=True
        )
        assert sorted(type(result).__name__ for result in results) == [
            "StoredMemory",
            "StoredMemory",
            "ValueError",
        ]
        assert await _texts(bank) == ["one", "two"]


async def test_a_write_that_raises_only_the_second_time_leaves_the_others(tmp_path: Path) -> None:
    """When a group is applied again, a write that raises then is undone alone."""
    calls: list[int] = []

    def fickle(tx: Transaction) -> None:
        calls.append(1)
        tx.add_memory(remark("must not stay"))
        if len(calls) > 1:
            raise ValueError(7)

    def raising(tx: Transaction) -> None:
        tx.add_memory(remark("must not stay either"))
        raise KeyError(8)

    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        writes = [bank.submit(apply) for apply in (_adding("one"), fickle, _adding("two"), raising)]
        gate.open()
        results = await asyncio.gather(
            *(write.outcome() for write in writes), return_exceptions=True
        )
        assert [type(result) for result in results] == [
            StoredMemory,
            ValueError,
            StoredMemory,
            KeyError,
        ]
        assert await _texts(bank) == ["one", "two"]


async def test_a_group_waits_for_those_who_were_in_flight(tmp_path: Path) -> None:
    """A group stays open for as many writes as the last one had, and a group of one does not."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        pair = [bank.submit(_adding(f"pair {n}")) for n in range(2)]
        gate.open()
        await asyncio.gather(*(write.outcome() for write in pair))
        bank._writer._commit_seconds = 4.0  # as of a very slow disk: the group may wait for 2 s
        early = bank.submit(_adding("early"))
        await asyncio.sleep(0.02)
        late = [bank.submit(_adding(f"late {n}")) for n in range(2)]
        await asyncio.gather(early.outcome(), *(write.outcome() for write in late))
        assert bank.group_commits() == {3: 2}
        bank._writer._expected = 1
        before = time.monotonic()
        await bank.submit(_adding("alone")).outcome()
        assert time.monotonic() - before < 1


async def test_a_failing_statement_is_typed_and_says_nothing_of_its_values(tmp_path: Path) -> None:
    """SQLite's own words do not come out, not even as the context of the error."""
    async with opened(tmp_path / "b") as bank:

        def twice(tx: Transaction) -> None:
            for _ in range(2):
                tx.connection.execute("INSERT INTO meta(key, value) VALUES ('canary', 1)")

        with pytest.raises(InternalError) as caught:
            await bank.submit(twice).outcome()
        assert str(caught.value) == "internal: SQLITE_CONSTRAINT"
        assert caught.value.__context__ is None
        await bank.submit(_adding("after")).outcome()


async def test_cancel_before_the_commit(tmp_path: Path) -> None:
    """A queued write and an applied one can be cancelled; the others of the group are committed."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        applied = threading.Event()

        def marking(tx: Transaction) -> None:
            tx.add_memory(remark("cancelled once applied"))
            applied.set()

        early, late = bank.submit(marking), bank.submit(_adding("cancelled in the queue"))
        second = Gate(bank)
        kept = bank.submit(_adding("kept"))
        assert late.cancel()
        gate.open()
        await second.entered.wait()
        assert applied.is_set()
        assert early.cancel()
        second.open()
        await kept.outcome()
        for write in (early, late):
            with pytest.raises(CancelledWriteError):
                await write.outcome()
        assert await _texts(bank) == ["kept"]


async def test_cancel_after_the_commit_is_too_late(tmp_path: Path) -> None:
    """Once its COMMIT has begun a write cannot be withdrawn, and its true outcome is told."""
    async with opened(tmp_path / "b") as bank:
        write = bank.submit(_adding("there"))
        await write.outcome()
        assert not write.cancel()
        assert (await write.outcome()).revision == 1
        assert await _texts(bank) == ["there"]


async def test_cancelling_the_wait_leaves_the_write(tmp_path: Path) -> None:
    """A caller that stops waiting withdraws nothing and can ask again."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        write = bank.submit(_adding("there"))
        waiting = asyncio.ensure_future(write.outcome())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.open()
        assert (await write.outcome()).revision == 1


async def test_a_deadline_withdraws_a_write(tmp_path: Path) -> None:
    """At its deadline a queued or applied write is answered at once, and never happens."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        deadline = asyncio.get_running_loop().time() + 0.03
        write = bank.submit(_adding("too late"), deadline=deadline)
        with pytest.raises(DeadlineError):
            await write.outcome()
        gate.open()
        await gate.write.outcome()
        past = bank.submit(_adding("past"), deadline=deadline)
        with pytest.raises(DeadlineError):
            await past.outcome()
        assert await _texts(bank) == []


async def test_a_deadline_that_passes_inside_the_group(tmp_path: Path) -> None:
    """A write whose deadline passes after it was applied is taken out before the COMMIT."""
    async with opened(tmp_path / "b") as bank:
        deadline = asyncio.get_running_loop().time() + 0.02

        def slow(tx: Transaction) -> None:
            tx.add_memory(remark("too late"))
            time.sleep(0.03)

        write = bank.submit(slow, deadline=deadline)
        kept = bank.submit(_adding("kept"))
        time.sleep(0.05)  # noqa: ASYNC251 - the loop must not be what notices the deadline
        with pytest.raises(DeadlineError):
            await write.outcome()
        await kept.outcome()
        assert await _texts(bank) == ["kept"]


async def test_the_queues_have_a_bound(tmp_path: Path) -> None:
    """A full queue refuses, and takes writes again once it has been worked off."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        nothing: list[int] = []
        writes = [bank.submit(lambda tx: nothing.append(1)) for _ in range(QUEUE_LIMIT)]
        with pytest.raises(OverloadedError):
            bank.submit(lambda tx: None)
        gate.open()
        await asyncio.gather(*(write.outcome() for write in writes))
        assert len(nothing) == QUEUE_LIMIT
        assert await bank.submit(lambda tx: 5).outcome() == 5


async def test_background_writes_come_after_the_others(tmp_path: Path) -> None:
    """Background writes give way to every waiting write, and at most one joins an open group."""
    async with opened(tmp_path / "b") as bank:
        gate = Gate(bank)
        await gate.entered.wait()
        order: list[str] = []
        behind = [
            bank.submit(lambda tx: order.append("background"), background=True)
            for _ in range(BACKGROUND_LIMIT)
        ]
        with pytest.raises(OverloadedError):
            bank.submit(lambda tx: None, background=True)
        front = [bank.submit(lambda tx: order.append("front")) for _ in range(5)]
        gate.open()
        await asyncio.gather(*(write.outcome() for write in front))
        assert order[:7] == ["front"] * 5 + ["background"]
        await asyncio.gather(*(write.outcome() for write in behind))
        assert len(order) == BACKGROUND_LIMIT + 5


async def test_upkeep_that_fails_is_not_tried_at_once_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing step of upkeep is seen in `fault`, does not end the writer, and does not spin."""
    steps: list[int] = []

    def failing(self: Upkeep, connection: object) -> None:
        steps.append(1)
        raise sqlcipher.OperationalError("disk I/O error")

    monkeypatch.setattr(Upkeep, "step", failing)
    async with opened(tmp_path / "b") as bank:
        await asyncio.sleep(0.1)
        assert steps == [1]
        assert bank.fault == "internal"
        await bank.submit(_adding("one")).outcome()
        assert bank.fault is None


async def test_listeners_hear_of_a_commit_before_its_callers(tmp_path: Path) -> None:
    """A listener has the new revisions when the write is answered, and none of a failed write."""
    async with opened(tmp_path / "b") as bank:
        heard: list[Committed] = []
        bank.subscribe(heard.append)

        def failing(tx: Transaction) -> None:
            tx.add_memory(remark("no"))
            raise ValueError(7)

        with pytest.raises(ValueError, match="7"):
            await bank.submit(failing).outcome()
        assert heard == []
        stored = await bank.submit(_adding("yes")).outcome()
        assert heard == [Committed(added=(stored.revision_rowid,), removed=())]


async def test_close_commits_what_is_queued(tmp_path: Path) -> None:
    """Closing answers every queued write, background ones too, and then refuses more."""
    bank_folder = tmp_path / "b"
    async with opened(bank_folder) as bank:
        gate = Gate(bank)
        writes = [bank.submit(_adding(f"text {n}"), background=n > 5) for n in range(10)]
        closing = asyncio.ensure_future(bank.close())
        await asyncio.sleep(0)
        with pytest.raises(ClosedError):
            bank.submit(_adding("late"))
        gate.open()
        await closing
        await asyncio.gather(*(write.outcome() for write in writes))
        with pytest.raises(ClosedError):
            await bank.read(lambda c: None)
    async with opened(bank_folder, create=False) as bank:
        assert sorted(await _texts(bank)) == [f"text {n}" for n in range(10)]


async def test_alone_runs_between_groups(tmp_path: Path) -> None:
    """Work alone sees every write before it and no transaction around it."""
    async with opened(tmp_path / "b") as bank:
        write = bank.submit(_adding("before"))
        seen = await bank.alone(
            lambda c: (c.in_transaction, c.execute("SELECT count(*) FROM texts").fetchone()[0])
        )
        assert seen == (False, 1)
        await write.outcome()


async def test_a_read_sees_a_snapshot_while_writes_go_on(tmp_path: Path) -> None:
    """A read keeps the state it began with, and does not hold up the writer."""
    async with opened(tmp_path / "b") as bank:
        loop = asyncio.get_running_loop()
        begun, go_on = asyncio.Event(), threading.Event()

        def reading(connection: object) -> tuple[int | None, int | None]:
            before = View(connection).frontier("s")
            loop.call_soon_threadsafe(begun.set)
            assert go_on.wait(10)
            return before, View(connection).frontier("s")

        await bank.submit(remembering("one", sequence=1)).outcome()
        reader = asyncio.ensure_future(bank.read(reading))
        await begun.wait()
        await bank.submit(remembering("two", sequence=2)).outcome()
        go_on.set()
        assert await reader == (1, 1)
        assert await bank.read(lambda c: View(c).frontier("s")) == 2


_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


async def test_a_read_is_interrupted_at_its_deadline(tmp_path: Path) -> None:
    """A read that runs too long ends within a few milliseconds, and its reader is good again."""
    async with opened(tmp_path / "b") as bank:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        reads = [
            bank.read(lambda c: c.execute(_ENDLESS).fetchall(), deadline=begun + 0.03)
            for _ in range(3)  # one more than there are readers: it ends waiting
        ]
        results = await asyncio.gather(*reads, return_exceptions=True)
        assert [type(result) for result in results] == [DeadlineError] * 3
        assert loop.time() - begun < 0.5
        assert await bank.read(lambda c: c.execute("SELECT 1").fetchone()) == (1,)


async def test_a_read_with_a_deadline_goes_first(tmp_path: Path) -> None:
    """Where all readers are busy, who has a deadline is next, before who waits for longer."""
    async with opened(tmp_path / "b") as bank:
        release = threading.Event()
        order: list[str] = []
        busy = [asyncio.ensure_future(bank.read(lambda _: release.wait(10))) for _ in range(2)]
        await asyncio.sleep(0)
        patient = asyncio.ensure_future(bank.read(lambda _: order.append("patient")))
        await asyncio.sleep(0)
        deadline = asyncio.get_running_loop().time() + 10
        hurried = [
            asyncio.ensure_future(bank.read(lambda _: order.append("hurried"), deadline=deadline))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*busy, patient, *hurried)
        assert order[0] == "hurried"
        assert sorted(order) == ["hurried", "hurried", "patient"]


async def test_a_cancelled_read_frees_its_reader(tmp_path: Path) -> None:
    """Cancelling a reading task stops the query and waits for it."""
    async with opened(tmp_path / "b") as bank:
        for _ in range(4):
            task = asyncio.ensure_future(bank.read(lambda c: c.execute(_ENDLESS).fetchall()))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert await bank.read(lambda c: c.execute("SELECT 1").fetchone()) == (1,)


async def test_readers_cannot_write(tmp_path: Path) -> None:
    """A statement that writes fails on a reader."""
    async with opened(tmp_path / "b") as bank:
        with pytest.raises(Exception, match="SQLITE_READONLY"):
            await bank.read(lambda c: c.execute("DELETE FROM meta").fetchall())
