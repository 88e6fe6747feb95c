"""Shelves: what a listing counts and shows by them is what a walk over every memory gives."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from support.bank_room import opened

from cognid.protocol.values import Kind, Lifecycle, Provenance, Role
from cognid_daemon.bank import listing
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import count_of, page_of
from cognid_daemon.bank.rows import NewMemory
from cognid_daemon.bank.shelves import SIZE
from cognid_daemon.bank.transaction import Transaction

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_KINDS = (Kind.REMARK, Kind.FACT, Kind.PREFERENCE)
_LABELS = ("home", "work", "garden")


async def _fill(bank: Bank, chance: random.Random, count: int) -> list[str]:
    """Memories of several sorts and instants, some of which are corrected, superseded or gone."""

    def apply(tx: Transaction) -> list[str]:
        made = []
        for number in range(count):
            stored = tx.add_memory(
                NewMemory(
                    kind=chance.choice(_KINDS),
                    role=Role.USER,
                    provenance=chance.choice((Provenance.EXPLICIT, Provenance.INFERRED)),
                    text=f"memory {number} {chance.choice(('sun', 'rain'))}",
                    labels=tuple(chance.sample(_LABELS, chance.randrange(3))),
                ),
                made_at=1_000_000 + number * 10 + chance.randrange(30),  # not quite in order
            )
            made.append(stored.memory_id)
        for memory_id in chance.sample(made, count // 10):
            memory = tx.memory(memory_id)
            assert memory is not None
            match chance.randrange(3):
                case 0:
                    tx.correct(memory, f"{memory.text} corrected")
                case 1:
                    tx.supersede(memory)
                case _:
                    tx.forget([memory], None)
        return made

    return await bank.submit(apply).outcome()


def _drawn(chance: random.Random, count: int) -> Filters:
    def some(values: tuple[Kind, ...]) -> tuple[Kind, ...] | None:
        return tuple(chance.sample(values, chance.randint(1, 2))) if chance.random() < 0.5 else None

    instant = 1_000_000 + 10 * chance.randrange(count)
    return Filters(
        kinds=some(_KINDS),
        lifecycles=chance.choice([None, (Lifecycle.SUPERSEDED,), tuple(Lifecycle)]),
        provenances=chance.choice([None, (Provenance.EXPLICIT,)]),
        labels=chance.choice([None, None, ("work",), ("home", "work")]),
        since=chance.choice([None, instant]),
        until=chance.choice([None, instant + 10 * chance.randrange(count)]),
        text=chance.choice([None, None, "sun"]),
    )


def _shown(connection: Connection, filters: Filters, before: int | None) -> list[str]:
    page = page_of(connection, filters, before=before, limit=20, text_bytes=1 << 20)
    return [*(memory.memory_id for memory in page.memories), str(page.more)]


@pytest.mark.parametrize("seed", range(3))
async def test_a_listing_by_shelves_is_that_of_a_walk(tmp_path: Path, seed: int) -> None:
    """200 drawn filters: the same total and the same page, from anywhere in the bank."""
    chance = random.Random(seed)
    count = 4 * SIZE
    async with opened(tmp_path / "b") as bank:
        await _fill(bank, chance, count)
        for _ in range(200):
            filters = _drawn(chance, count)
            before = chance.choice([None, 1 + chance.randrange(count)])

            def read(
                connection: Connection,
                filters: Filters = filters,
                before: int | None = before,
            ) -> tuple[int, list[str]]:
                return count_of(connection, filters), _shown(connection, filters, before)

            by_shelves = await bank.read(read)
            with patch.object(listing, "shelves_of", return_value=None):
                by_walk = await bank.read(read)
            assert by_shelves == by_walk, filters
        assert (await check(bank)).sound


async def test_nothing_of_a_label_stays_on_an_empty_shelf(tmp_path: Path) -> None:
    """A label is the last memory's own: forgetting that memory takes it from the shelf."""
    async with opened(tmp_path / "b") as bank:

        def apply(tx: Transaction) -> None:
            new = NewMemory(Kind.FACT, Role.USER, Provenance.EXPLICIT, "a", labels=("clinic",))
            stored = tx.add_memory(new)
            memory = tx.memory(stored.memory_id)
            assert memory is not None
            tx.forget([memory], None)

        await bank.submit(apply).outcome()
        assert await bank.read(lambda c: c.execute("SELECT * FROM shelves").fetchall()) == []
