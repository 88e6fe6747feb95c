"""Lanes of a bank: typed units of one snapshot each, replaced whole.

Owns: every statement on `lanes` and `lane_units`. With a lane goes the digest of the request that
brought it. A replacement owes no VACUUM, as `drop` does: a lane is a copy of what stands elsewhere,
a runtime may replace it each turn, and the deleted rows are overwritten at once (`secure_delete`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from cognid_daemon.bank.quota import check_bytes

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.bank.transaction import Transaction

_WHERE: Final = (
    " FROM lanes AS l CROSS JOIN lane_units AS u ON u.lane_rowid = l.lane_rowid"
    " WHERE (:lanes IS NULL OR l.lane IN (SELECT value FROM json_each(:lanes)))"
    " AND (:types IS NULL OR u.type IN (SELECT value FROM json_each(:types)))"
)
_ORDER: Final = " ORDER BY l.lane, u.unit_rowid"


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a snapshot."""

    unit_id: str
    type: str
    text: str = field(repr=False)
    source: str | None
    occurred_at: int | None


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane without its units, which are `units` many. `omissions` are (unit_id, reason)."""

    lane_rowid: int
    lane: str
    snapshot_id: str
    snapshot_hash: str
    omissions: tuple[tuple[str | None, str], ...]
    replaced_at: int
    units: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit in its lane."""

    unit_rowid: int
    lane: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which units a read means; None means all lanes, all types."""

    lanes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None


def lane_named(connection: Connection, name: str) -> Lane | None:
    """A lane by its name."""
    found = lanes_of(connection, Wanted((name,)))
    return found[0] if found else None


def lanes_of(connection: Connection, wanted: Wanted) -> list[Lane]:
    """The lanes that are meant, by name."""
    rows = connection.execute(
        "SELECT l.lane_rowid, l.lane, l.snapshot_id, lower(hex(l.snapshot_hash)), l.omissions,"
        " l.replaced_at,"
        " (SELECT count(*) FROM lane_units AS u WHERE u.lane_rowid = l.lane_rowid)"
        " FROM lanes AS l WHERE :lanes IS NULL OR l.lane IN (SELECT value FROM json_each(:lanes))"
        " ORDER BY l.lane",
        _parameters(wanted),
    ).fetchall()
    return [
        Lane(
            lane_rowid=row[0],
            lane=row[1],
            snapshot_id=row[2],
            snapshot_hash=row[3],
            omissions=tuple((unit_id, reason) for unit_id, reason in json.loads(row[4])),
            replaced_at=row[5],
            units=row[6],
        )
        for row in rows
    ]


def is_same(
    connection: Connection,
    lane: Lane,
    units: Sequence[Unit],
    omissions: Sequence[tuple[str | None, str]],
) -> bool:
    """Whether a lane holds exactly these units and omissions, in this order."""
    if lane.omissions != tuple(omissions) or lane.units != len(units):
        return False
    return [one.unit for one in _placed(connection, Wanted((lane.lane,)))] == list(units)


def replace(
    tx: Transaction,
    name: str,
    snapshot: tuple[str, str],
    units: Sequence[Unit],
    omissions: Sequence[tuple[str | None, str]],
    operation_id: str,
) -> None:
    """Put a lane in the place of what it was.

    Args:
        snapshot: its name and hash (hex).

    Raises:
        QuotaError: the bank's file is as large as it may be.
    """
    check_bytes(tx.connection, tx.keeping)
    _remove(tx, name)
    execute = tx.connection.execute
    rowid: int = execute(
        "INSERT INTO lanes(lane, snapshot_id, snapshot_hash, omissions, replaced_at, operation_id)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            name,
            snapshot[0],
            bytes.fromhex(snapshot[1]),
            json.dumps(list(omissions), ensure_ascii=False),
            tx.now,
            operation_id,
        ),
    ).lastrowid
    tx.connection.executemany(
        "INSERT INTO lane_units(lane_rowid, unit_id, type, text, source, occurred_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(rowid, u.unit_id, u.type, u.text, u.source, u.occurred_at) for u in units],
    )


def drop(tx: Transaction, name: str) -> int | None:
    """Take a lane away. Gives how many units it had, None where there was no such lane."""
    lane = lane_named(tx.connection, name)
    if lane is None:
        return None
    _remove(tx, name)
    tx.owe_erasure()
    return lane.units


def count(connection: Connection) -> int:
    """How many lanes there are."""
    number: int = connection.execute("SELECT count(*) FROM lanes").fetchone()[0]
    return number


def count_units(connection: Connection, wanted: Wanted) -> int:
    """How many units are meant."""
    number: int = connection.execute(
        f"SELECT count(*){_WHERE}",
        _parameters(wanted),
    ).fetchone()[0]
    return number


def units(
    connection: Connection, wanted: Wanted, *, after: int, limit: int, text_bytes: int
) -> list[Placed]:
    """Units in their order: by lane, and in it as they were given.

    Args:
        after: how many of them to pass over.
        text_bytes: it ends before the texts exceed this, but gives one unit at least.
    """
    sizes = connection.execute(
        f"SELECT octet_length(u.text){_WHERE}{_ORDER} LIMIT :limit OFFSET :after",
        {**_parameters(wanted), "limit": limit, "after": after},
    ).fetchall()
    size = number = 0
    for (length,) in sizes:
        size += length
        if number and size > text_bytes:
            break
        number += 1
    return _placed(connection, wanted, after=after, limit=number)


def _placed(
    connection: Connection, wanted: Wanted, *, after: int = 0, limit: int = -1
) -> list[Placed]:
    rows = connection.execute(
        "SELECT u.unit_rowid, l.lane, u.unit_id, u.type, u.text, u.source, u.occurred_at"
        f"{_WHERE}{_ORDER} LIMIT :limit OFFSET :after",
        {**_parameters(wanted), "limit": limit, "after": after},
    ).fetchall()
    return [Placed(row[0], row[1], Unit(*row[2:])) for row in rows]


def _parameters(wanted: Wanted) -> dict[str, Any]:
    return {
        "lanes": None if wanted.lanes is None else json.dumps(wanted.lanes),
        "types": None if wanted.types is None else json.dumps(wanted.types),
    }


def _remove(tx: Transaction, name: str) -> None:
    execute = tx.connection.execute
    execute(
        "UPDATE receipts SET digest = NULL"
        " WHERE operation_id = (SELECT operation_id FROM lanes WHERE lane = ?)",
        (name,),
    )
    execute(
        "DELETE FROM lane_units WHERE lane_rowid = (SELECT lane_rowid FROM lanes WHERE lane = ?)",
        (name,),
    )
    execute("DELETE FROM lanes WHERE lane = ?", (name,))
