"""Faults to be planted: what a checker must find, or it proves nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import pytest

from cognid_daemon.bank.rows import NewEmbedding
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall.backlog import Backlog


def plant_unfenced_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a fault: a forget no longer stops the embedding that is under way."""

    def unfenced(
        tx: Transaction, revision_rowid: int, generation: int, embeddings: Iterable[NewEmbedding]
    ) -> bool:
        is_there = tx.connection.execute(
            "SELECT 1 FROM revisions WHERE revision_rowid = ?", (revision_rowid,)
        ).fetchone()
        if is_there:  # else the reference would not hold, and the database itself would refuse
            for one in embeddings:
                tx.connection.execute(
                    "INSERT INTO embeddings(revision_rowid, window, span_start, span_end,"
                    " generation, vector) VALUES (?, ?, ?, ?, ?, ?)",
                    (revision_rowid, one.window, *one.span, generation, one.vector),
                )
        return True

    class Unaware(set[int]):
        def difference_update(self, *others: Iterable[Any]) -> None:
            """Hear of no removal."""

    def in_flight(self: Backlog) -> set[int]:
        return cast(set[int], self.__dict__["_planted"])

    def set_in_flight(self: Backlog, revisions: Iterable[int]) -> None:
        self.__dict__["_planted"] = Unaware(revisions)

    monkeypatch.setattr(Transaction, "add_embeddings", unfenced)
    monkeypatch.setattr(Backlog, "_in_flight", property(in_flight, set_in_flight), raising=False)
