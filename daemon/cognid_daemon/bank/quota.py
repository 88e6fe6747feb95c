"""Quotas: how much a bank holds, and the refusal of what would be more.

Owns: the two counts and the comparison. Nothing is ever evicted to make room: what a person wants
to keep less of is theirs to forget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cognid_daemon.bank.errors import QuotaError
from cognid_daemon.bank.keeping import Keeping

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


@dataclass(frozen=True, slots=True)
class Held:
    """What a bank holds: memories of every lifecycle, and bytes of its file that are in use."""

    memories: int
    file_bytes: int


def held(connection: Connection) -> Held:
    """Count what the quotas are about; reads a handful of rows, whatever the size of the bank."""
    return Held(_memories(connection), _file_bytes(connection))


def check_room(connection: Connection, keeping: Keeping) -> None:
    """Let one more memory come, unless the bank holds as much as it may.

    Raises:
        QuotaError: naming the quota, what is held and what may be.
    """
    if keeping.memories is not None:
        memories = _memories(connection)
        if memories >= keeping.memories:
            raise QuotaError(f"quota.memories: {memories:,} held, {keeping.memories:,} allowed")
    check_bytes(connection, keeping)


def check_bytes(connection: Connection, keeping: Keeping) -> None:
    """Let something come that is no memory, unless the file is as large as it may be.

    Raises:
        QuotaError: naming the quota, what is in use and what may be.
    """
    if keeping.file_bytes is not None:
        used = _file_bytes(connection)
        if used >= keeping.file_bytes:
            raise QuotaError(f"quota.bytes: {used:,} in use, {keeping.file_bytes:,} allowed")


def _memories(connection: Connection) -> int:
    count: int = connection.execute("SELECT coalesce(sum(held), 0) FROM tallies").fetchone()[0]
    return count


def _file_bytes(connection: Connection) -> int:
    """Free pages are not counted: the next memory goes there, before the file grows."""

    def number(pragma: str) -> int:
        return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])  # SQLCipher gives text

    return (number("page_count") - number("freelist_count")) * number("page_size")
