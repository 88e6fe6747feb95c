"""Correct in the bank, and the listing's filters that show what it left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.bank_room import opened, remark

from cognid.protocol.values import Kind, Lifecycle, Provenance
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import count_of, facts_like, ids_of, page_of
from cognid_daemon.bank.rows import Corrected, Decision, NewEmbedding, NewEvent
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View


async def _fact_of_a_turn(bank: Bank) -> tuple[str, str]:
    def apply(tx: Transaction) -> tuple[str, str]:
        event = tx.add_event(NewEvent("s", 1, "user_message", b"h" * 32, Decision.COMMITTED))
        said = replace(remark("I live in Lyon.", event_rowid=event), span=(0, 15))
        fact = replace(said, kind=Kind.FACT, text="Lives in Lyon.")
        return tx.add_memory(said).memory_id, tx.add_memory(fact).memory_id

    return await bank.submit(apply).outcome()


async def _correct(bank: Bank, memory_id: str, text: str) -> Corrected:
    def apply(tx: Transaction) -> Corrected:
        memory = tx.memory(memory_id)
        assert memory is not None
        return tx.correct(memory, text)

    return await bank.submit(apply).outcome()


async def _found(bank: Bank, word: str) -> list[int]:
    rows = await bank.read(
        lambda c: c.execute("SELECT rowid FROM lexical WHERE lexical MATCH ?", (word,)).fetchall()
    )
    return [row[0] for row in rows]


async def test_a_new_revision_becomes_current_and_the_old_one_history(tmp_path: Path) -> None:
    """The id stays; only the new text is found; the old one can be read in the revisions."""
    async with opened(tmp_path / "b") as bank:
        _, fact = await _fact_of_a_turn(bank)
        made = await _correct(bank, fact, "Lives in Paris.")
        assert made.revision == 2
        memory = await bank.read(lambda c: View(c).memory(fact))
        assert memory is not None
        assert (memory.text, memory.revision) == ("Lives in Paris.", 2)
        history = await bank.read(lambda c: View(c).revisions_of(fact))
        assert [(one.lifecycle, one.text) for one in history] == [
            (Lifecycle.SUPERSEDED, "Lives in Lyon."),
            (Lifecycle.CURRENT, "Lives in Paris."),
        ]
        assert history[0].ended_at == history[1].created_at
        assert await _found(bank, "lyon") == []
        assert await _found(bank, "pari") == [made.revision_rowid]
        assert (await check(bank)).sound


async def test_correcting_a_fact_supersedes_its_remark(tmp_path: Path) -> None:
    """The turn that says the old text is no longer current; correcting a turn leaves its facts."""
    async with opened(tmp_path / "b") as bank:
        said, fact = await _fact_of_a_turn(bank)
        made = await _correct(bank, fact, "Lives in Paris.")
        assert made.superseded == (said,)
        again = await _correct(bank, said, "I live in Paris.")
        assert again.superseded == ()
        assert await bank.read(lambda c: count_of(c, Filters())) == 2


async def test_vectors_and_work_of_the_old_text_go(tmp_path: Path) -> None:
    """Only the new revision waits for vectors, and late ones of the old text are dropped."""
    async with opened(tmp_path / "b") as bank:
        _, fact = await _fact_of_a_turn(bank)
        old = await bank.read(lambda c: View(c).memory(fact))
        assert old is not None
        made = await _correct(bank, fact, "Lives in Paris.")

        def late(tx: Transaction) -> bool:
            space = tx.ensure_space("sp", 8)
            return tx.add_embeddings(
                old.revision_rowid, space, [NewEmbedding(0, (0, 5), b"\1\2" * 8)]
            )

        assert not await bank.submit(late).outcome()
        waiting = await bank.read(lambda c: c.execute("SELECT revision_rowid FROM work").fetchall())
        assert waiting == [(made.revision_rowid,)]


async def test_a_corrected_fact_folds_by_its_new_text_only(tmp_path: Path) -> None:
    """What it said before is a new fact when it is stated again."""
    async with opened(tmp_path / "b") as bank:
        _, fact = await _fact_of_a_turn(bank)
        await _correct(bank, fact, "Lives in Paris.")
        assert list(await bank.read(lambda c: facts_like(c, "Lives in Lyon."))) == []
        twins = await bank.read(lambda c: facts_like(c, "lives in  PARIS."))
        assert [one.memory_id for one in twins] == [fact]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {"fact", "tea"}),
        (Filters(kinds=(Kind.FACT,)), {"fact"}),
        (Filters(kinds=(Kind.EPISODIC,)), set()),
        (Filters(lifecycles=(Lifecycle.SUPERSEDED,)), {"said"}),
        (Filters(lifecycles=(Lifecycle.CURRENT, Lifecycle.SUPERSEDED)), {"said", "fact", "tea"}),
        (Filters(provenances=(Provenance.INFERRED,)), {"tea"}),
        (Filters(session_id="one"), {"tea"}),
        (Filters(labels=("hot",)), {"tea"}),
        (Filters(labels=("hot", "cold")), set()),
        (Filters(text="STRASSE"), {"tea"}),
        (Filters(text="lyon"), set()),
        (Filters(since=0, until=1), set()),
        (Filters(since=1), {"fact", "tea"}),
    ],
)
async def test_filters_agree_with_totals(
    tmp_path: Path, filters: Filters, expected: set[str]
) -> None:
    """A page shows what the filters let through, and the total and the ids say the same."""
    async with opened(tmp_path / "b") as bank:
        said, fact = await _fact_of_a_turn(bank)
        await _correct(bank, fact, "Lives in Paris.")
        new = replace(
            remark("Tea in Hauptstraße.", session_id="one"),
            provenance=Provenance.INFERRED,
            labels=("hot", "green"),
        )
        tea = (await bank.submit(lambda tx: tx.add_memory(new)).outcome()).memory_id
        names = {said: "said", fact: "fact", tea: "tea"}
        page = await bank.read(
            lambda c: page_of(c, filters, before=None, limit=10, text_bytes=1000)
        )
        assert {names[one.memory_id] for one in page.memories} == expected
        assert await bank.read(lambda c: count_of(c, filters)) == len(expected)
        assert len(await bank.read(lambda c: ids_of(c, filters, 10))) == len(expected)
