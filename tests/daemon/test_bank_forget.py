"""Forget in the bank: what goes, what stays, and the mark that keeps it from coming back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.bank_room import opened, remark, remembering

from cognid.protocol.ids import new_memory_id, new_operation_id
from cognid.protocol.values import Kind, Lifecycle
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.portable import (
    Fate,
    Portable,
    Rule,
    import_memory,
    portables,
)
from cognid_daemon.bank.rows import Barrier, Decision, NewEmbedding, NewEvent, NewMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View

# Every table that may hold something of a memory's own.
_TABLES = ("memories", "revisions", "texts", "embeddings", "work", "lexical_docsize")


def _fact(text: str, event_rowid: int | None, span: tuple[int, int] | None) -> NewMemory:
    return replace(remark(text, event_rowid=event_rowid), kind=Kind.FACT, span=span)


async def _turn(bank: Bank, sequence: int = 1) -> dict[str, str]:
    """A turn of two sentences with a fact of each: ids by name."""

    def apply(tx: Transaction) -> dict[str, str]:
        event = tx.add_event(NewEvent("s", sequence, "user_message", b"h" * 32, Decision.COMMITTED))
        said = replace(remark("I moved to Lyon. My cat is Tao.", event_rowid=event), span=(0, 31))
        made = {
            "remark": tx.add_memory(said),
            "lyon": tx.add_memory(_fact("I moved to Lyon.", event, (0, 16))),
            "tao": tx.add_memory(_fact("My cat is Tao.", event, (17, 31))),
        }
        return {name: stored.memory_id for name, stored in made.items()}

    return await bank.submit(apply).outcome()


async def _forget(bank: Bank, *memory_ids: str) -> tuple[Barrier, ...]:
    def apply(tx: Transaction) -> tuple[Barrier, ...]:
        return tx.forget(tx.group_of(memory_ids).memories, new_operation_id())

    return await bank.submit(apply).outcome()


async def _ids(bank: Bank) -> set[str]:
    rows = await bank.read(
        lambda connection: connection.execute("SELECT memory_id FROM memories").fetchall()
    )
    return {row[0] for row in rows}


async def test_a_fact_takes_its_remark_along_and_no_sibling(tmp_path: Path) -> None:
    """Forgetting one fact of a turn forgets the turn too, and leaves the other fact."""
    async with opened(tmp_path / "b") as bank:
        ids = await _turn(bank)
        barriers = await _forget(bank, ids["lyon"])
        assert [one.memory_id for one in barriers] == [ids["lyon"], ids["remark"]]
        assert await _ids(bank) == {ids["tao"]}
        assert (await check(bank)).sound


async def test_a_remark_takes_the_facts_inside_its_span(tmp_path: Path) -> None:
    """Forgetting a turn forgets everything that was promoted from it."""
    async with opened(tmp_path / "b") as bank:
        ids = await _turn(bank)
        other = await _turn(bank, 2)
        await _forget(bank, ids["remark"])
        assert await _ids(bank) == set(other.values())


async def test_a_group_tells_what_was_forgotten_and_what_never_was(tmp_path: Path) -> None:
    """An id of a forgotten memory is absent, any other id unknown."""
    async with opened(tmp_path / "b") as bank:
        ids = await _turn(bank)
        await _forget(bank, ids["tao"])
        never = new_memory_id()
        group = await bank.read(lambda c: View(c).group_of([ids["tao"], never, ids["lyon"]]))
        assert group.absent == (ids["tao"],)
        assert group.unknown == (never,)
        assert [one.memory_id for one in group.memories] == [ids["lyon"]]


async def test_no_row_and_no_digest_of_it_stays(tmp_path: Path) -> None:
    """Nothing in any table says what a forgotten memory was; its event keeps its place only."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("The lamp code is amber-sky.", sequence=1)).outcome()
        vector = NewEmbedding(0, (0, 5), b"\1\2" * 8)

        def embed(tx: Transaction) -> bool:
            return tx.add_embeddings(stored.revision_rowid, tx.ensure_space("sp", 8), [vector])

        assert await bank.submit(embed).outcome()
        await _forget(bank, stored.memory_id)

        def left(tx: Transaction) -> tuple[list[int], object, object]:
            execute = tx.connection.execute
            counts = [execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in _TABLES]  # noqa: S608 # fixed
            event = execute("SELECT stream, sequence, hash FROM events").fetchone()
            return counts, event, execute("SELECT digest FROM receipts").fetchone()

        counts, event, digest = await bank.submit(left).outcome()
        assert counts == [0] * len(_TABLES)
        assert event == ("s", 1, None)
        assert digest == (None,)
        barrier = await bank.read(lambda c: View(c).barrier(stored.memory_id))
        assert barrier is not None
        assert (barrier.stream, barrier.sequence, barrier.erased_at) == ("s", 1, None)


async def test_an_embedding_in_flight_writes_nothing(tmp_path: Path) -> None:
    """Vectors that arrive after the forget are dropped in the commit."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("Late vectors.", sequence=1)).outcome()
        await _forget(bank, stored.memory_id)
        vector = NewEmbedding(0, (0, 5), b"\1\2" * 8)

        def embed(tx: Transaction) -> bool:
            return tx.add_embeddings(stored.revision_rowid, tx.ensure_space("sp", 8), [vector])

        assert not await bank.submit(embed).outcome()


async def test_the_ledger_names_a_forgotten_memory_by_its_id_only(tmp_path: Path) -> None:
    """History survives the forget without a word of the text."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("Amber and sky.", sequence=1)).outcome()
        await _forget(bank, stored.memory_id)
        entries = await bank.read(lambda c: View(c).ledger_of(stored.memory_id))
        assert [one.operation for one in entries] == ["memory.remember"]
        assert "Amber" not in entries[0].body
        assert await bank.read(lambda c: View(c).revisions_of(stored.memory_id)) == []


async def test_a_watch_sees_what_was_forgotten_meanwhile(tmp_path: Path) -> None:
    """An answer that was begun before a forget can leave out what it removed."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("Seen too late.", sequence=1)).outcome()
        with bank.watch() as watch:
            await _forget(bank, stored.memory_id)
            assert watch.removed == {stored.revision_rowid}


@pytest.mark.parametrize("rule", list(Rule))
async def test_an_older_export_does_not_bring_it_back(tmp_path: Path, rule: Rule) -> None:
    """Import is blocked by the barrier under every rule, also under the id of an earlier import."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("Export me.", sequence=1)).outcome()
        page = await bank.read(lambda c: portables(c, 0, limit=10, text_bytes=1 << 20))
        await _forget(bank, stored.memory_id)
        renamed = replace(page[0], memory_id=new_memory_id())

        def take(tx: Transaction) -> set[Fate]:
            return {import_memory(tx, one, rule).fate for one in (page[0], renamed)}

        assert await bank.submit(take).outcome() == {Fate.BLOCKED}
        assert await _ids(bank) == set()


async def test_an_export_comes_back_whole(tmp_path: Path) -> None:
    """Export and import carry every revision, the dates, the event and the first id."""
    async with opened(tmp_path / "a") as bank:
        ids = await _turn(bank)

        def correct(tx: Transaction) -> None:
            memory = tx.memory(ids["lyon"])
            assert memory is not None
            tx.correct(memory, "I moved to Paris.")

        await bank.submit(correct).outcome()
        page = await bank.read(lambda c: portables(c, 0, limit=10, text_bytes=1 << 20))
    async with opened(tmp_path / "b") as bank:

        def take(tx: Transaction) -> list[Fate]:
            return [import_memory(tx, portable, Rule.SKIP).fate for portable in page]

        assert await bank.submit(take).outcome() == [Fate.IMPORTED] * 3
        again = await bank.submit(take).outcome()
        assert again == [Fate.SKIPPED] * 3
        back = await bank.read(lambda c: portables(c, 0, limit=10, text_bytes=1 << 20))
        assert [_essence(one) for one in back] == [_essence(one) for one in page]
        assert (await check(bank)).sound


def _essence(portable: Portable) -> object:
    texts = [(one.revision, one.lifecycle, one.text, one.created_at) for one in portable.revisions]
    event = portable.event
    assert event is not None
    return (
        portable.memory_id,
        portable.origin_id,
        portable.created_at,
        portable.memory,
        texts,
        (event.stream, event.sequence, event.hash),
    )


async def test_a_barrier_of_the_catalog_is_obeyed_by_an_older_file(tmp_path: Path) -> None:
    """A file that still has the memory loses it; one that never had it refuses its event."""
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(remembering("Old file.", sequence=1)).outcome()
        barrier = Barrier(stored.memory_id, stored.memory_id, "s", 1, None, 1, None)
        unknown = Barrier(new_memory_id(), new_memory_id(), "s", 9, None, 1, None)

        def obey(tx: Transaction) -> list[bool]:
            return [tx.obey(barrier), tx.obey(unknown), tx.obey(barrier)]

        assert await bank.submit(obey).outcome() == [True, True, False]
        assert await _ids(bank) == set()
        events = await bank.read(lambda c: [View(c).event("s", 1), View(c).event("s", 9)])
        assert all(one is not None and one.hash is None for one in events)
        assert (await check(bank)).sound


async def test_lifecycle_of_what_is_imported_superseded_stays(tmp_path: Path) -> None:
    """A remark that a correction superseded is not current after an import."""
    async with opened(tmp_path / "a") as bank:
        ids = await _turn(bank)

        def correct(tx: Transaction) -> None:
            memory = tx.memory(ids["tao"])
            assert memory is not None
            tx.correct(memory, "My cat is Mao.")

        await bank.submit(correct).outcome()
        page = await bank.read(lambda c: portables(c, 0, limit=10, text_bytes=1 << 20))
    async with opened(tmp_path / "b") as bank:
        await bank.submit(
            lambda tx: [import_memory(tx, portable, Rule.SKIP) for portable in page]
        ).outcome()
        found = await bank.read(lambda c: View(c).memory(ids["remark"]))
        assert found is not None
        assert found.lifecycle is Lifecycle.SUPERSEDED
