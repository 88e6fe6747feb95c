"""Quotas: how much a bank holds, and the refusal of what would be more.

Owns: the two counts and the comparison. Nothing is ever evicted to make room: what a person wants
to keep less of is theirs to forget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank.common import Common
from cognid_daemon.bank.errors import QuotaError
from cognid_daemon.bank.keeping import Keeping

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


# What a memory adds to the file at most: a page or two in each of its tables and indexes, and for a
# character its four bytes of UTF-8, as often again its terms (a character and a pair of a script
# without spaces), and the pages' slack.
_GROWTH: Final = 40 * 2 * 4096
_GROWTH_OF_TEXT: Final = 32


@dataclass(frozen=True, slots=True)
class Held:
    """What a bank holds: memories of every lifecycle, and bytes of its file that are in use."""

    memories: int
    file_bytes: int


def held(connection: Connection) -> Held:
    """Count what the quotas are about; reads a handful of rows, whatever the size of the bank."""
    return Held(_memories(connection), _file_bytes(connection))


def check_room(connection: Connection, keeping: Keeping, common: Common, text: str) -> None:
    """Let one more memory come, unless the bank holds as much as it may.

    The file is asked once a transaction, and again when what was written since may have used up
    what was left: four statements a write were a fifth of its time in a group (measured).

    Raises:
        QuotaError: naming the quota, what is held and what may be.
    """
    if keeping.memories is not None:
        if common.held is None:
            common.held = _memories(connection)
        if common.held >= keeping.memories:
            raise QuotaError(f"quota.memories: {common.held:,} held, {keeping.memories:,} allowed")
    if keeping.file_bytes is not None:
        if common.spare <= 0:
            common.spare = keeping.file_bytes - check_bytes(connection, keeping)
        common.spare -= _GROWTH + _GROWTH_OF_TEXT * len(text)


def check_bytes(connection: Connection, keeping: Keeping) -> int:
    """Let something come that is no memory, unless the file is as large as it may be.

    Returns:
        The bytes in use; 0 where there is no such quota.

    Raises:
        QuotaError: naming the quota, what is in use and what may be.
    """
    if keeping.file_bytes is None:
        return 0
    used = _file_bytes(connection)
    if used >= keeping.file_bytes:
        raise QuotaError(f"quota.bytes: {used:,} in use, {keeping.file_bytes:,} allowed")
    return used


def _memories(connection: Connection) -> int:
    count: int = connection.execute("SELECT coalesce(sum(held), 0) FROM tallies").fetchone()[0]
    return count


def _file_bytes(connection: Connection) -> int:
    """Free pages are not counted: the next memory goes there, before the file grows."""

    def number(pragma: str) -> int:
        return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])  # SQLCipher gives text

    return (number("page_count") - number("freelist_count")) * number("page_size")
