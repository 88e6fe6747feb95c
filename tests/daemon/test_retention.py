"""Retention in the bank: what is past its term is gone from every read at once, is marked, can be
revived, and is erased in the end; and a clock that is wrong for a while takes nothing away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened, remark, remembering
from support.clock import Clock, keeping
from support.recall_room import hold_first_reading, recall_room

from cognid.protocol.values import Kind, Lifecycle, Pipeline
from cognid_daemon.bank import retention, sweeper
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.errors import StorageFullError
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.keeping import DAY, Keeping
from cognid_daemon.bank.listing import count_of, counts, facts_like, ids_of, kinds_of
from cognid_daemon.bank.retention import Swept, due, pin, sweep
from cognid_daemon.bank.rows import Decision, Memory, NewEvent, NewMemory, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View

NEVER_EXPIRES = (Kind.PREFERENCE, Kind.FACT)
EXPIRED = Filters(lifecycles=(Lifecycle.EXPIRED,))


@asynccontextmanager
async def _bank(
    folder: Path, clock: Clock, *, create: bool = True, **terms: int
) -> AsyncIterator[Bank]:
    """A bank by this clock, which is sound in the end."""
    async with opened(folder, create=create, keeping=keeping(clock, **terms)) as bank:
        yield bank
        assert (await check(bank)).sound


def _memory(kind: Kind, text: str = "The ferry leaves at nine.", **more: Any) -> NewMemory:
    return replace(remark(text), kind=kind, **more)


async def _add(bank: Bank, memory: NewMemory) -> str:
    stored: StoredMemory = await bank.submit(lambda tx: tx.add_memory(memory)).outcome()
    return stored.memory_id


async def _get(bank: Bank, memory_id: str) -> Memory:
    memory = await bank.read(lambda connection: View(connection).memory(memory_id))
    assert memory is not None
    return memory


async def _stands(bank: Bank, memory_id: str) -> tuple[Lifecycle, Lifecycle]:
    """Where a memory stands now, and what its row says."""
    memory = await _get(bank, memory_id)
    return memory.lifecycle, memory.written


async def _sweep(bank: Bank) -> list[Swept]:
    """Sweep until nothing more is due at once."""
    done = [await bank.submit(sweep).outcome()]
    while done[-1].more:
        done.append(await bank.submit(sweep).outcome())
    return done


async def _pin(bank: Bank, memory_id: str, *, pinned: bool) -> None:
    memory = await _get(bank, memory_id)
    await bank.submit(lambda tx: pin(tx, memory, pinned=pinned)).outcome()


async def _ids(bank: Bank, filters: Filters) -> set[str]:
    return set(await bank.read(lambda connection: ids_of(connection, filters, 100)))


async def _listed(bank: Bank, *lifecycles: Lifecycle) -> tuple[int, list[str]]:
    """How many memories of these lifecycles there are, and which."""
    filters = Filters(lifecycles=lifecycles)
    return await bank.read(lambda c: (count_of(c, filters), ids_of(c, filters, 100)))


async def _rows(bank: Bank, *tables: str) -> list[int]:
    """How many rows there are of each."""

    def count(connection: Any) -> list[int]:
        counts = [connection.execute(f"SELECT count(*) FROM {table}") for table in tables]  # noqa: S608 # fixed
        return [one.fetchone()[0] for one in counts]

    return await bank.read(count)


async def _ledger(bank: Bank) -> list[tuple[str, str, dict[str, Any]]]:
    rows = await bank.read(
        lambda c: c.execute("SELECT operation, authority, body FROM ledger").fetchall()
    )
    return [(operation, authority, json.loads(body)) for operation, authority, body in rows]


# The term.


@pytest.mark.parametrize(
    ("kind", "days"),
    [(Kind.EPISODIC, 90), (Kind.PROCEDURAL, 60), (Kind.CONTEXT, 7), (Kind.REMARK, 180)],
)
async def test_a_memory_expires_at_the_instant_its_term_ends(
    tmp_path: Path, kind: Kind, days: int
) -> None:
    """A microsecond before it is current, then it is not, and nothing was written meanwhile."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(kind))
        assert (await _get(bank, memory_id)).expires_at == clock.now + days * DAY
        clock.now += days * DAY - 1
        assert await _ids(bank, Filters()) == {memory_id}
        clock.now += 1
        assert await _stands(bank, memory_id) == (Lifecycle.EXPIRED, Lifecycle.CURRENT)
        assert await _ids(bank, Filters()) == set()
        assert await _ids(bank, EXPIRED) == {memory_id}
        assert await bank.read(kinds_of) == {}
        assert (await bank.read(counts)).expired == 1
        assert await bank.read(lambda c: count_of(c, EXPIRED)) == 1


@pytest.mark.parametrize("kind", NEVER_EXPIRES)
async def test_preferences_and_facts_are_kept_for_good(tmp_path: Path, kind: Kind) -> None:
    """After a hundred years they are what they were."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(kind))
        clock.turn(36_500)
        await _sweep(bank)
        assert await _stands(bank, memory_id) == (Lifecycle.CURRENT, Lifecycle.CURRENT)
        assert (await _get(bank, memory_id)).expires_at is None


async def test_the_settings_terms_hold(tmp_path: Path) -> None:
    """A kind that is given a term has it, and one whose term is longer is there longer."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock, fact=2, context=30) as bank:
        fact = await _add(bank, _memory(Kind.FACT))
        context = await _add(bank, _memory(Kind.CONTEXT))
        clock.turn(29)
        assert (await _stands(bank, fact))[0] is Lifecycle.EXPIRED
        assert (await _stands(bank, context))[0] is Lifecycle.CURRENT


async def test_a_pinned_memory_does_not_expire(tmp_path: Path) -> None:
    """The pin exempts it; without the pin the term holds, and counts from the commit."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT, pinned=True))
        clock.turn(1_000)
        await _sweep(bank)
        assert await _stands(bank, memory_id) == (Lifecycle.CURRENT, Lifecycle.CURRENT)
        await _pin(bank, memory_id, pinned=False)
        assert (await _stands(bank, memory_id))[0] is Lifecycle.EXPIRED


async def test_a_correction_begins_a_new_term(tmp_path: Path) -> None:
    """What a memory says since its correction was said then."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        clock.turn(6)
        memory = await _get(bank, memory_id)
        await bank.submit(lambda tx: tx.correct(memory, "The ferry leaves at ten.")).outcome()
        clock.turn(6)
        await _sweep(bank)
        assert (await _stands(bank, memory_id))[0] is Lifecycle.CURRENT
        clock.turn(1)
        assert (await _stands(bank, memory_id))[0] is Lifecycle.EXPIRED


async def test_a_fact_that_is_said_again_after_its_term_is_a_new_one(tmp_path: Path) -> None:
    """Nothing folds into what has expired, swept or not."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock, fact=5) as bank:
        await _add(bank, _memory(Kind.FACT, "Tea is at four."))
        assert len(await bank.read(lambda c: facts_like(c, "tea is at FOUR."))) == 1
        clock.turn(5)
        for _ in range(2):
            assert await bank.read(lambda c: facts_like(c, "tea is at FOUR.")) == ()
            await _sweep(bank)


# Recall.


@pytest.mark.parametrize("pipeline", [None, *Pipeline])
@pytest.mark.parametrize("swept", [False, True])
async def test_no_recall_shows_what_is_past_its_term(
    tmp_path: Path, pipeline: Pipeline | None, swept: bool
) -> None:
    """Router and pipelines alike, filtered or not, before a sweep and after it."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        await room.add("The ferry is called Ilsa", kind=Kind.FACT)
        await room.settle()
        await room.bank.sweeper.look()
        assert len(await room.texts("ferry", pipeline=pipeline)) == 2
        clock.turn(7)
        if swept:
            await _sweep(room.bank)
        assert await room.texts("ferry", pipeline=pipeline) == ["The ferry is called Ilsa"]
        filtered = await room.ask("ferry", pipeline=pipeline, kinds=frozenset({Kind.CONTEXT}))
        assert filtered.hits == ()


async def test_what_is_past_its_term_takes_no_place_from_what_is_not(tmp_path: Path) -> None:
    """200 better matches that have just expired do not crowd out the one that stands."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.bank.sweeper.look()
        await room.add("There was a ferry once, many years ago, in another town", kind=Kind.FACT)

        def fill(tx: Transaction) -> None:
            for number in range(200):
                tx.add_memory(_memory(Kind.CONTEXT, f"ferry ferry {number}"))

        await room.bank.submit(fill).outcome()
        await room.settle()
        assert len(await room.texts("ferry")) == 8
        clock.turn(3)
        await room.bank.sweeper.look()
        clock.turn(4)
        for pipeline in (None, *Pipeline):
            assert len(await room.texts("ferry", pipeline=pipeline)) == 1


async def test_a_recall_extends_nothing(tmp_path: Path) -> None:
    """Being found is no reason to be kept."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        for _ in range(7):
            assert await room.texts("ferry", pipeline=Pipeline.LEXICAL) != []
            clock.turn(1)
        assert await room.texts("ferry", pipeline=Pipeline.LEXICAL) == []


# The mark.


async def test_a_sweep_takes_it_out_of_every_index_and_keeps_its_text(tmp_path: Path) -> None:
    """Lexical index, vectors, work list and tally have nothing of it; the ledger no text of it."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        clock.turn(7)
        await _sweep(bank)
        assert await _stands(bank, memory_id) == (Lifecycle.EXPIRED, Lifecycle.EXPIRED)
        assert (await _get(bank, memory_id)).text == "The ferry leaves at nine."
        assert await _rows(bank, "lexical_docsize", "embeddings", "work") == [0, 0, 0]
        assert await bank.read(kinds_of) == {}
        (revision,) = await bank.read(lambda c: View(c).revisions_of(memory_id))
        assert (revision.lifecycle, revision.ended_at) == (Lifecycle.EXPIRED, clock.now)
        mention = {"id": memory_id, "revision": 1, "lifecycle": "expired"}
        assert await _ledger(bank) == [
            ("retention.expire", "retention", {"memories": [mention]}),
        ]


async def test_a_sweep_goes_in_bounded_steps(tmp_path: Path) -> None:
    """Many memories take many transactions; each is an entry in the ledger."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:

        def fill(tx: Transaction) -> None:
            for number in range(5 * retention.STEP):
                tx.add_memory(_memory(Kind.CONTEXT, f"note {number}"))

        await bank.submit(fill).outcome()
        clock.turn(7)
        await bank.submit(sweep).outcome()
        assert (await bank.read(counts)).expired == 5 * retention.STEP
        assert len(await _ids(bank, EXPIRED)) == 5 * retention.STEP
        assert len(await _ledger(bank)) == 1
        await _sweep(bank)
        assert len(await _ledger(bank)) == 5


async def test_an_expired_memory_is_revived_by_pinning(tmp_path: Path) -> None:
    """It is current and found again, and stays."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        stored = await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        await room.settle()
        clock.turn(7)
        await _sweep(room.bank)
        clock.turn(29)
        await _pin(room.bank, stored.memory_id, pinned=True)
        await room.settle()
        await _sweep(room.bank)
        for pipeline in (None, *Pipeline):
            assert await room.texts("ferry", pipeline=pipeline) == ["The ferry leaves at nine"]
        assert (await check(room.bank)).sound
        clock.turn(1_000)
        assert await room.texts("ferry") == ["The ferry leaves at nine"]


async def test_a_remark_that_expires_leaves_its_facts(tmp_path: Path) -> None:
    """Neither the end of its term nor its erasure takes a group along, in either direction."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:

        def apply(tx: Transaction) -> tuple[str, str, str]:
            event = tx.add_event(NewEvent("s", 1, "user_message", b"h" * 32, Decision.COMMITTED))
            of_event: dict[str, Any] = {"event_rowid": event, "span": (0, 25)}
            said, fact, episode = (
                tx.add_memory(_memory(kind, **of_event)).memory_id
                for kind in (Kind.REMARK, Kind.FACT, Kind.EPISODIC)
            )
            return said, fact, episode

        said, fact, episode = await bank.submit(apply).outcome()
        clock.turn(90)
        await _sweep(bank)
        assert await _ids(bank, Filters()) == {said, fact}
        for days in (30, 1, 60, 30, 1):
            clock.turn(days)
            await _sweep(bank)
        assert await _ids(bank, Filters()) == {fact}
        barriers = await bank.read(lambda c: View(c).barriers())
        assert {one.memory_id for one in barriers} == {said, episode}


async def test_a_superseded_remark_expires_and_cannot_come_back(tmp_path: Path) -> None:
    """What a correction has overtaken is erased in its time, and never current again."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        stored = await bank.submit(remembering("SSH is on port 22", sequence=1)).outcome()
        memory = await _get(bank, stored.memory_id)
        await bank.submit(lambda tx: tx.supersede(memory)).outcome()
        clock.turn(180)
        await _sweep(bank)
        assert await _stands(bank, stored.memory_id) == (Lifecycle.EXPIRED, Lifecycle.SUPERSEDED)
        assert await _listed(bank, Lifecycle.EXPIRED) == (1, [stored.memory_id])
        assert await _listed(bank, Lifecycle.SUPERSEDED) == (0, [])
        assert await _listed(bank, *Lifecycle) == (1, [stored.memory_id])
        clock.turn(-30)
        await _sweep(bank)
        assert (await _stands(bank, stored.memory_id))[0] is Lifecycle.SUPERSEDED
        for days in (30, 30, 1):
            clock.turn(days)
            await _sweep(bank)
        assert await _ids(bank, EXPIRED) == set()


async def test_a_correction_overtakes_a_remark_that_has_expired(tmp_path: Path) -> None:
    """The remark says the old text, so it can no longer be revived."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:

        def apply(tx: Transaction) -> tuple[str, str]:
            event = tx.add_event(NewEvent("s", 1, "user_message", b"h" * 32, Decision.COMMITTED))
            said, fact = (
                tx.add_memory(_memory(kind, event_rowid=event, span=(0, 25))).memory_id
                for kind in (Kind.REMARK, Kind.FACT)
            )
            return said, fact

        said, fact = await bank.submit(apply).outcome()
        clock.turn(180)
        await _sweep(bank)
        memory = await _get(bank, fact)
        corrected = await bank.submit(lambda tx: tx.correct(memory, "It leaves at ten.")).outcome()
        assert corrected.superseded == (said,)
        assert await _stands(bank, said) == (Lifecycle.EXPIRED, Lifecycle.SUPERSEDED)


# Erasure.


async def test_it_is_erased_when_its_mark_is_thirty_days_old(tmp_path: Path) -> None:
    """Not a row of it is left but the barrier, and the ledger names the cause."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        stored = await bank.submit(remembering("The ferry leaves at nine", sequence=7)).outcome()
        clock.turn(180)
        await _sweep(bank)
        clock.turn(30 - 1e-9)
        await _sweep(bank)
        clock.turn(1e-9)
        await _sweep(bank)
        assert await _ids(bank, EXPIRED) == {stored.memory_id}
        clock.turn(1)
        (swept,) = await _sweep(bank)
        (barrier,) = swept.barriers
        assert (barrier.memory_id, barrier.stream, barrier.sequence) == (stored.memory_id, "s", 7)
        assert await _rows(bank, "memories", "revisions", "texts") == [0, 0, 0]
        event = await bank.read(lambda c: View(c).event("s", 7))
        assert event is not None
        assert event.hash is None
        mention = {"id": stored.memory_id, "revision": 1, "lifecycle": "forgotten"}
        body = {"memories": [mention], "cause": "expired"}
        assert (await _ledger(bank))[-1] == ("retention.erase", "retention", body)
        assert await bank.erase_now()
        erasure = await bank.erasure_of(stored.memory_id)
        assert erasure is not None
        assert erasure.erased


async def test_an_erasure_is_worked_off_in_steps(tmp_path: Path) -> None:
    """Many that are due together all go, and what is younger stays."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:

        def fill(tx: Transaction) -> None:
            for number in range(retention.ERASED + 1):
                tx.add_memory(_memory(Kind.CONTEXT, f"note {number}"))

        await bank.submit(fill).outcome()
        clock.turn(7)
        await _sweep(bank)
        clock.turn(20)
        younger = await _add(bank, _memory(Kind.CONTEXT))
        for days in (10, 1):
            clock.turn(days)
            swept = await _sweep(bank)
        assert [len(one.barriers) for one in swept] == [retention.ERASED, 1]
        assert await _ids(bank, EXPIRED) == {younger}


# The clock.


async def test_a_clock_that_jumps_and_returns_takes_nothing(tmp_path: Path) -> None:
    """What a wrong future marked is current again, in every index, once the clock is right."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        clock.turn(1_000)
        await _sweep(room.bank)
        assert await room.texts("ferry") == []
        clock.turn(-1_000)
        await _sweep(room.bank)
        await room.settle()
        for pipeline in (None, *Pipeline):
            assert await room.texts("ferry", pipeline=pipeline) == ["The ferry leaves at nine"]
        assert (await check(room.bank)).sound


async def test_a_daemon_that_started_with_a_wrong_clock_finds_all_by_its_words(
    tmp_path: Path,
) -> None:
    """What was expired when the words were first read is scored as ever once the clock is right,
    whether or not there is anything else."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        await room.settle()
    clock.turn(1_000)
    async with recall_room(tmp_path, create=False, keeping=keeping(clock)) as room:
        await _sweep(room.bank)
        await room.settle()
        assert await room.texts("ferry", pipeline=Pipeline.LEXICAL) == []
        clock.turn(-1_000)
        await _sweep(room.bank)
        assert await room.texts("ferry", pipeline=Pipeline.LEXICAL) == ["The ferry leaves at nine"]
        await room.add("The ferry is late")
        postings = room.recaller._words._postings
        assert postings is not None
        assert len(await room.texts("ferry", pipeline=Pipeline.LEXICAL)) == 2
        assert (postings._rows, postings._tokens) == (2, int(postings._lengths.sum()))
        assert (postings._lengths > 0).sum() == 2


async def test_what_is_current_again_while_the_words_are_read_is_found_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is set right between the snapshot and the end of it: no length is missed."""
    clock = Clock()
    async with recall_room(tmp_path, keeping=keeping(clock)) as room:
        await room.add("The ferry leaves at nine", kind=Kind.CONTEXT)
        await room.add("The ferry is white", kind=Kind.FACT)
        await room.settle()
        clock.turn(1_000)
        await _sweep(room.bank)
    read, go = hold_first_reading(monkeypatch)
    async with recall_room(tmp_path, create=False, keeping=keeping(clock)) as room:
        assert await asyncio.to_thread(read.wait, 5)
        clock.turn(-1_000)
        await _sweep(room.bank)
        go.set()
        await room.settle()
        assert len(await room.texts("ferry", pipeline=Pipeline.LEXICAL)) == 2
        postings = room.recaller._words._postings
        assert postings is not None
        assert (postings._rows, (postings._lengths > 0).sum()) == (2, 2)


async def test_a_jump_erases_nothing_that_was_marked_before(tmp_path: Path) -> None:
    """A mark that only a wrong clock calls old enough is not acted on, nor counted later."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        clock.turn(8)
        await _sweep(bank)
        clock.turn(300)
        await _sweep(bank)
        await _sweep(bank)
        clock.turn(-300)
        await _sweep(bank)
        clock.turn(29)
        await _sweep(bank)
        assert await _ids(bank, EXPIRED) == {memory_id}
        clock.turn(1)
        await _sweep(bank)
        assert await _ids(bank, EXPIRED) == {memory_id}
        clock.turn(1)
        await _sweep(bank)
        assert await _ids(bank, EXPIRED) == set()


async def test_a_longer_term_brings_back_what_is_still_there(tmp_path: Path) -> None:
    """Expired is what is past its term by the settings that hold now."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        clock.turn(7)
        await _sweep(bank)
    async with _bank(tmp_path / "b", clock, create=False, context=30) as bank:
        await _sweep(bank)
        assert await _stands(bank, memory_id) == (Lifecycle.CURRENT, Lifecycle.CURRENT)
    async with opened(tmp_path / "b", create=False, keeping=Keeping(clock=clock)) as bank:
        assert (await bank.read(lambda c: due(c, bank.keeping))).sweep is None


# The sweeper.


async def test_the_sweeper_knows_when_it_is_due(tmp_path: Path) -> None:
    """Nothing, then the end of a term, then the age of a mark, then the second look at it."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:

        async def next_due() -> tuple[int | None, int | None]:
            found = await bank.read(lambda c: due(c, bank.keeping))
            return found.term, found.sweep

        assert await next_due() == (None, None)
        await _add(bank, _memory(Kind.REMARK))
        await _add(bank, _memory(Kind.CONTEXT))
        assert await next_due() == (clock.now + 7 * DAY, clock.now + 7 * DAY)
        clock.turn(7)
        await _sweep(bank)
        mark = clock.now
        assert await next_due() == (mark + 173 * DAY, mark + retention.REVIVABLE)
        clock.turn(31)
        await _sweep(bank)
        assert await next_due() == (mark + 173 * DAY, clock.now + retention.WATCHED)
        clock.turn(-1)
        assert await next_due() == (mark + 173 * DAY, 0)


async def test_the_sweeper_sweeps_by_itself(tmp_path: Path) -> None:
    """What is due when it starts is done, and what it erases it tells."""
    clock = Clock()
    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        for days in (7, 30):
            clock.turn(days)
            await _sweep(bank)
        clock.turn(1)
        told = await _swept_by_itself(bank)
        assert told == [memory_id]


async def test_the_sweeper_outlives_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever went wrong in one look, the next one does what is due."""
    clock, faults, look = Clock(), [RuntimeError(), StorageFullError()], retention.sweep

    def failing(tx: Transaction) -> Swept:
        if faults:
            raise faults.pop()
        return look(tx)

    async with _bank(tmp_path / "b", clock) as bank:
        memory_id = await _add(bank, _memory(Kind.CONTEXT))
        for days in (7, 30):
            clock.turn(days)
            await _sweep(bank)
        clock.turn(1)
        monkeypatch.setattr(sweeper, "_AGAIN_SECONDS", 0.01)
        monkeypatch.setattr(retention, "sweep", failing)
        assert await _swept_by_itself(bank) == [memory_id]


async def _swept_by_itself(bank: Bank) -> list[str]:
    told: list[str] = []
    done = asyncio.Event()

    async def erased(barriers: Any) -> None:
        told.extend(one.memory_id for one in barriers)
        done.set()
        raise StorageFullError  # what follows an erasure may fail; the sweeper goes on

    bank.sweeper.start(erased)
    async with asyncio.timeout(10):
        await done.wait()
    return told
