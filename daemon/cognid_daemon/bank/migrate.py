"""Forward migrations: a list of steps, each one transaction that also sets `user_version`.

Owns: how a file gets from the schema it has to the one this build knows. A kill between two steps
is resumed at the next open; a kill inside one leaves the file as before it. There is no way back:
an older build refuses a newer file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cognid_daemon.bank.errors import NewerSchemaError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


@dataclass(frozen=True, slots=True)
class Step:
    """What leads to schema `version` from the one before it."""

    version: int
    statements: tuple[str, ...]


def version(connection: Connection) -> int:
    """The schema version of the open file; 0 for a new one."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def check_age(found: int, steps: Sequence[Step]) -> None:
    """Refuse a file of a newer build.

    Raises:
        NewerSchemaError: `found` is beyond the last step.
    """
    known = steps[-1].version
    if found > known:
        raise NewerSchemaError(
            f"The file has schema version {found}, and this Cognid knows versions up to {known}:"
            " upgrade Cognid."
        )


def migrate(connection: Connection, steps: Sequence[Step]) -> None:
    """Apply the steps that the open file has not seen yet.

    Raises:
        NewerSchemaError: the file is beyond the last step; nothing was changed.
    """
    found = version(connection)
    check_age(found, steps)
    for step in steps:
        if step.version <= found:
            continue
        connection.execute("BEGIN IMMEDIATE")
        for statement in step.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")
