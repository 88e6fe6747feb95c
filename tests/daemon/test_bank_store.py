"""What a bank keeps: rows in and out, receipts, the ledger, and the check of them all."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.bank_room import opened, remark, remembering

from cognid.protocol.ids import new_operation_id, operation_milliseconds
from cognid.protocol.values import Kind, Lifecycle, Provenance, Role
from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import Fault, Finding, check
from cognid_daemon.bank.errors import DamagedError
from cognid_daemon.bank.rows import NewEmbedding, NewMemory, Receipt, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.upkeep import Upkeep, prune_receipts
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _remember(bank: Bank, text: str, sequence: int = 1) -> StoredMemory:
    return await bank.submit(remembering(text, sequence=sequence)).outcome()


async def test_a_memory_comes_back_as_it_went_in(tmp_path: Path) -> None:
    """Every field of a memory survives, and its text is found by the index at once."""
    new = NewMemory(
        kind=Kind.PREFERENCE,
        role=Role.ASSISTANT,
        provenance=Provenance.INFERRED,
        text="naïve – “quoted” ✓ 東京",
        speaker="Ines",
        confidence=0.25,
        importance=0.5,
        pinned=True,
        categories=("food", "“tea”"),
        labels=("α",),
        session_id="ses",
        span=(3, 9),
        extractor="turn",
        policy_fingerprint="f" * 64,
        event_time=-5,
        valid_from=1,
        valid_until=2**60,
    )
    async with opened(tmp_path / "b") as bank:
        stored = await bank.submit(lambda tx: tx.add_memory(new)).outcome()
    async with opened(tmp_path / "b", create=False) as bank:
        memory = await bank.read(lambda c: View(c).memory(stored.memory_id))
        assert memory is not None
        for field in NewMemory.__slots__:
            assert getattr(memory, field) == getattr(new, field), field
        assert (memory.revision, memory.lifecycle) == (1, Lifecycle.CURRENT)
        assert memory.created_at == memory.revised_at
        at = stored.revision_rowid
        assert await bank.read(lambda c: View(c).memories_at([at, at + 1])) == {at: memory}
        found = await bank.read(
            lambda c: c.execute("SELECT rowid FROM lexical WHERE lexical MATCH 'quoted'").fetchall()
        )
        assert found == [(at,)]
        work = await bank.read(lambda c: c.execute("SELECT revision_rowid FROM work").fetchall())
        assert work == [(at,)]


async def test_an_event_leads_to_its_memories(tmp_path: Path) -> None:
    """An event is found by its identity, its memories by the event, and the frontier is its end."""
    async with opened(tmp_path / "b") as bank:
        first = await _remember(bank, "one", 7)
        await _remember(bank, "two", 9)

        def read(tx: Transaction) -> None:
            event = tx.event("s", 7)
            assert event is not None
            assert event.hash is not None
            assert tx.events_at([event.event_rowid]) == {event.event_rowid: event}
            made = tx.memories_of_event(event.event_rowid)
            assert [memory.memory_id for memory in made] == [first.memory_id]
            assert tx.event("s", 8) is None
            assert (tx.frontier("s"), tx.frontier("other")) == (9, None)

        await bank.submit(read).outcome()


async def test_reprs_hold_no_content() -> None:
    """A row's repr names neither text nor speaker, labels or vector."""
    row = NewMemory(
        kind=Kind.FACT,
        role=Role.USER,
        provenance=Provenance.EXPLICIT,
        text="canary",
        speaker="canary",
        labels=("canary",),
        categories=("canary",),
    )
    assert "canary" not in repr(row)
    assert "canary" not in repr(NewEmbedding(window=0, span=(0, 1), vector=b"canary"))


async def test_only_a_current_revision_gets_vectors(tmp_path: Path) -> None:
    """Vectors that come after their revision ended are dropped."""
    async with opened(tmp_path / "b") as bank:
        stored = await _remember(bank, "one")
        vector = NewEmbedding(window=0, span=(0, 3), vector=b"\x00\x3c" * 4)

        def embed(tx: Transaction) -> bool:
            space = tx.ensure_space("space-1", 4)
            assert tx.ensure_space("space-1", 4) == space
            return tx.add_embeddings(stored.revision_rowid, space, [vector])

        def end(tx: Transaction) -> None:
            tx.connection.execute("DELETE FROM embeddings")
            tx.connection.execute("UPDATE revisions SET lifecycle = 'superseded'")

        assert await bank.submit(embed, background=True).outcome()
        await bank.submit(end).outcome()
        assert not await bank.submit(embed, background=True).outcome()
        count = await bank.read(lambda c: c.execute("SELECT count(*) FROM embeddings").fetchone())
        assert count == (0,)


async def test_the_ledger_is_a_chain_without_text(tmp_path: Path) -> None:
    """Entries are chained from the first on, and name a text by a digest keyed in its own row."""
    async with opened(tmp_path / "b") as bank:
        stored = [await _remember(bank, f"canary {n}", n) for n in range(5)]
        assert await bank.read(ledger.verify) is None
        rows = await bank.read(lambda c: c.execute("SELECT body FROM ledger").fetchall())
        assert len(rows) == 5
        assert not any("canary" in body for (body,) in rows)
        (key,) = await bank.read(
            lambda c: c.execute(
                "SELECT digest_key FROM memories WHERE memory_id = ?", (stored[0].memory_id,)
            ).fetchone()
        )
        digest = hmac.digest(key, b"canary 0", hashlib.sha256).hex()
        assert json.loads(rows[0][0])["digest"] == digest == stored[0].digest


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("UPDATE ledger SET body = '{}' WHERE sequence = 3", 3),
        ("UPDATE ledger SET at = at + 1 WHERE sequence = 5", 5),
        ("UPDATE ledger SET operation_id = NULL WHERE sequence = 2", 2),
        ("UPDATE ledger SET previous = zeroblob(32) WHERE sequence = 4", 4),
        ("DELETE FROM ledger WHERE sequence = 1", 1),
        ("DELETE FROM ledger WHERE sequence = 3", 3),
        ("UPDATE ledger SET sequence = -sequence WHERE sequence IN (2, 3)", 2),
    ],
)
async def test_a_changed_ledger_is_found(tmp_path: Path, statement: str, entry: int) -> None:
    """A changed, removed or reordered entry is named by the check, and the next open refuses it."""
    async with opened(tmp_path / "b") as bank:
        for n in range(5):
            await _remember(bank, f"text {n}", n)
        await bank.submit(lambda tx: tx.connection.execute(statement) and None).outcome()
        assert await bank.read(ledger.verify) == entry
        assert Finding(Fault.LEDGER, entry) in (await check(bank)).findings
    with pytest.raises(DamagedError, match=f"entry {entry}"):
        async with opened(tmp_path / "b", create=False):
            pass


async def test_a_sound_bank_passes_its_check(tmp_path: Path) -> None:
    """The check of a bank in use finds nothing and counts what is there."""
    async with opened(tmp_path / "b") as bank:
        for n in range(30):
            await _remember(bank, f"text {n}", n)
        report = await check(bank)
        assert report.sound
        assert (report.memories, report.revisions, report.ledger_entries) == (30, 30, 30)


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE memories SET revision = 2 WHERE memory_rowid = 1", Fault.CURRENT),
        ("DELETE FROM texts WHERE revision_rowid = 1", Fault.TEXTS),
        ("DELETE FROM lexical WHERE rowid = 1", Fault.LEXICAL),
        ("UPDATE texts SET text = 'another' WHERE revision_rowid = 1", Fault.LEXICAL),
    ],
)
async def test_a_bank_at_odds_with_itself_is_found(
    tmp_path: Path, statement: str, fault: Fault
) -> None:
    """Rows that disagree are found by the check."""
    async with opened(tmp_path / "b") as bank:
        for n in range(3):
            await _remember(bank, f"text {n}", n)
        await bank.submit(lambda tx: tx.connection.execute(statement) and None).outcome()
        assert fault in {finding.fault for finding in (await check(bank)).findings}


def _old_receipts(tx: Transaction, count: int, at: int) -> list[str]:
    ids = [new_operation_id(at + n) for n in range(count)]
    for operation_id in ids:
        tx.add_receipt(
            Receipt(operation_id, "memory.add", bytes(32), "{}", "crd_test", at=at * 1000)
        )
    return ids


async def test_old_receipts_are_dropped_and_the_horizon_rises(tmp_path: Path) -> None:
    """Receipts past 30 days go, but for the last ones; the horizon is the latest that went."""
    now = 1_800_000_000_000
    old, young = now - 31 * 86_400_000, now - 29 * 86_400_000
    async with opened(tmp_path / "b") as bank:

        def fill(tx: Transaction) -> tuple[list[str], list[str]]:
            return _old_receipts(tx, 8, old), _old_receipts(tx, 4, young)

        gone, kept = await bank.submit(fill).outcome()
        assert await bank.read(lambda c: View(c).purge_horizon()) == 0
        await bank.submit(lambda tx: prune_receipts(tx.connection, now, kept=6)).outcome()
        left = await bank.read(
            lambda c: c.execute("SELECT operation_id FROM receipts ORDER BY 1").fetchall()
        )
        assert [row[0] for row in left] == [*gone[6:], *kept]
        horizon = await bank.read(lambda c: View(c).purge_horizon())
        assert horizon == operation_milliseconds(gone[5]) == old + 5
        await bank.submit(lambda tx: prune_receipts(tx.connection, now, kept=0)).outcome()
        assert await bank.read(lambda c: c.execute("SELECT count(*) FROM receipts").fetchone()) == (
            4,
        )


async def test_upkeep_keeps_the_index_in_few_segments(tmp_path: Path) -> None:
    """Merging every 16 commits keeps segments few, and the index whole."""
    async with opened(tmp_path / "b") as bank:

        def busy(connection: object) -> int:
            upkeep = Upkeep()
            execute = connection.execute  # type: ignore[attr-defined] # sqlcipher3 has no types
            for n in range(160):
                execute("BEGIN IMMEDIATE")
                Transaction(connection, n).add_memory(remark(f"text number {n}"))
                execute("COMMIT")
                upkeep.committed()
                if n % 16 == 15:
                    assert upkeep.due
                    upkeep.step(connection)
            segments: int = execute("SELECT count(DISTINCT segid) FROM lexical_idx").fetchone()[0]
            return segments

        assert await bank.alone(busy) < 40
        assert (await check(bank)).sound


async def test_an_idle_bank_is_merged_to_the_end(tmp_path: Path) -> None:
    """What a load left in many segments is in few of them once nobody writes, and then it rests."""
    async with opened(tmp_path / "b") as bank:

        def fill(tx: Transaction) -> None:
            for n in range(60):
                tx.add_memory(remark(" ".join(f"word{n * k}" for k in range(40))))

        def segments(connection: Connection) -> int:
            count: int = connection.execute(
                "SELECT count(DISTINCT segid) FROM lexical_idx"
            ).fetchone()[0]
            return count

        def idle(connection: Connection) -> None:
            upkeep = Upkeep()
            while upkeep.due:
                upkeep.step(connection)

        for _ in range(30):
            await bank.submit(fill).outcome()
        assert await bank.read(segments) > 10
        await bank.alone(idle)
        assert await bank.read(segments) <= 4
        assert (await check(bank)).sound
