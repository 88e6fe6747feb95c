"""SIGNATURES ONLY (being filled in): one open bank."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cognid_daemon.bank.rows import Committed
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.writer import Write

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")


class Bank:
    """One open bank."""

    bank_id: str

    @classmethod
    async def open(cls, folder: Path, bank_id: str, key: bytes, *, create: bool) -> Bank:
        """folder is banks/<id>; raises BankError."""
        raise NotImplementedError

    def submit(
        self,
        apply: Callable[[Transaction], T],
        *,
        deadline: float | None = None,
        background: bool = False,
        operation_id: str | None = None,
    ) -> Write[T]:
        """Queue a write. `apply` may run more than once: it must touch nothing but its transaction."""
        raise NotImplementedError

    async def alone(self, work: Callable[[Connection], T]) -> T:
        """Run on the writer's connection outside any transaction, between two groups."""
        raise NotImplementedError

    async def read(self, work: Callable[[Connection], T], *, deadline: float | None = None) -> T:
        """Run in one read transaction (a snapshot) on a reader. View(connection) gives typed reads."""
        raise NotImplementedError

    def subscribe(self, listener: Callable[[Committed], None]) -> None:
        """Called on the loop after each COMMIT that changed revisions, before its futures resolve."""
        raise NotImplementedError

    async def close(self) -> None:
        """Drain, checkpoint, close."""
        raise NotImplementedError
