"""The ledger: an append-only, hash-chained record of what changed, by whom, under which policy.

An entry's hash is SHA-256 over its fields in the order of `_WALK` and the hash before it, each as
a one-byte tag (0 null, 1 integer, 2 text, 3 bytes), an 8-byte big-endian length and the bytes
(integers in decimal). The first entry's `previous` is 32 zero bytes. No entry holds memory text; a
text is named by HMAC-SHA256 under a random key in its memory's own row, which ends with the memory.

Owns: the form of the chain, appending to it and walking it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank.rows import LedgerEntry

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

Field = int | str | bytes | None
_GENESIS: Final = bytes(32)
_INSERT: Final = (
    "INSERT INTO ledger(sequence, at, operation, operation_id, authority, policy_fingerprint,"
    " body, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_WALK: Final = (
    "SELECT sequence, at, operation, operation_id, authority, policy_fingerprint, body, previous,"
    " hash FROM ledger WHERE sequence >= ? ORDER BY sequence LIMIT 1000"
)


def _digest(fields: tuple[Field, ...], previous: bytes) -> bytes:
    parts = bytearray()
    for field in (*fields, previous):
        if field is None:
            tag, body = 0, b""
        elif isinstance(field, int):
            tag, body = 1, str(field).encode()
        elif isinstance(field, str):
            tag, body = 2, field.encode()
        else:
            tag, body = 3, field
        parts.append(tag)
        parts += len(body).to_bytes(8, "big")
        parts += body
    return hashlib.sha256(parts).digest()


def head(connection: Connection) -> tuple[int, bytes]:
    """The last entry's sequence and hash; (0, zeros) where there is none."""
    row = connection.execute(
        "SELECT sequence, hash FROM ledger ORDER BY sequence DESC LIMIT 1"
    ).fetchone()
    return (0, _GENESIS) if row is None else (row[0], row[1])


def hash_at(connection: Connection, sequence: int) -> bytes | None:
    """The hash of an entry; zeros before the first, None where there is no such entry."""
    if sequence == 0:
        return _GENESIS
    row = connection.execute("SELECT hash FROM ledger WHERE sequence = ?", (sequence,)).fetchone()
    return None if row is None else row[0]


def append(
    connection: Connection, entry: LedgerEntry, at: int, after: tuple[int, bytes]
) -> tuple[int, bytes]:
    """Add an entry at the end of the chain, inside the caller's transaction.

    Args:
        after: the chain's `head`.

    Returns:
        Its head from now on.
    """
    last, previous = after
    fields: tuple[Field, ...] = (
        last + 1,
        at,
        entry.operation,
        entry.operation_id,
        entry.authority,
        entry.policy_fingerprint,
        entry.body,
    )
    digest = _digest(fields, previous)
    connection.execute(_INSERT, (*fields, previous, digest))
    return last + 1, digest


def verify(connection: Connection, *, last: int | None = None) -> int | None:
    """Walk the chain and give the sequence of the first entry that does not fit, or None.

    Args:
        last: look at the end of the chain only, this many entries; None walks all of it. An entry
            that is missing at the very end shows only against a head kept elsewhere.
    """
    highest, _ = head(connection)
    start = 0 if last is None else max(highest - last, 0)
    previous = _GENESIS
    if start:
        row = connection.execute("SELECT hash FROM ledger WHERE sequence = ?", (start,)).fetchone()
        if row is None:
            return start
        previous = row[0]
    expected = start + 1
    while expected <= highest:
        rows = connection.execute(_WALK, (expected,)).fetchall()
        for row in rows:
            if row[0] != expected or row[7] != previous or row[8] != _digest(row[:7], previous):
                return expected
            previous = row[8]
            expected += 1
    return None
