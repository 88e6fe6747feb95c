"""Session messages of a bank: raw turns, by session, and how their text goes away again.

Owns: every statement on `session_messages` and `message_texts`. A message past its term
(`Keeping.messages`, from its commit) is in no read from that instant on; its rows go later, in
`sweep`, after two looks a day apart that both find it so (as `retention` erases memories, and for
the same two reasons: a clock that is wrong for a while erases nothing, and a batch has one VACUUM).

With a text goes every digest of it: that of the request which brought it, in its receipt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.ids import new_message_id
from cognid.protocol.sessions import FORGOTTEN
from cognid.protocol.values import Role
from cognid_daemon.bank.keeping import DAY, Keeping
from cognid_daemon.bank.quota import check_bytes
from cognid_daemon.bank.rows import LedgerEntry, Memory

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.bank.transaction import Transaction

WATCHED: Final = DAY
_STEP: Final = 16
"""Messages that one step of the sweep takes: writes of callers wait for no more than one."""
_SEEN: Final = "old_messages_seen"
"""In `meta`: since when messages are known to be past their term."""
_AUTHORITY: Final = "retention"
_MESSAGE: Final = (
    "SELECT m.message_rowid, m.message_id, m.role, t.name, t.text, m.rules, m.stream, m.sequence,"
    " m.occurred_at, m.created_at FROM session_messages AS m"
    " LEFT JOIN message_texts AS t USING (message_rowid)"
)
# CROSS: by the session's index, which has the order, and never by that of the age.
_IN_SESSION: Final = (
    " FROM session_messages AS m INDEXED BY session_messages_by_session"
    " WHERE m.session_id = ? AND m.created_at > ?"
)


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored. With `rules` it is withheld: its text and name are not stored."""

    role: Role
    text: str = field(repr=False)
    name: str | None = field(default=None, repr=False)
    rules: tuple[str, ...] = ()
    event: tuple[str, int] | None = None
    occurred_at: int | None = None


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message as it stands; `text` is None where `rules` say why."""

    message_rowid: int
    message_id: str
    role: Role
    name: str | None = field(repr=False)
    text: str | None = field(repr=False)
    rules: tuple[str, ...] | None
    event: tuple[str, int] | None
    occurred_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages of one session, oldest first, of `total`. `more`: there are older ones."""

    messages: list[SessionMessage]
    total: int
    more: bool


def add(
    tx: Transaction, session_id: str, messages: Sequence[NewMessage], operation_id: str
) -> list[str]:
    """Put messages behind those of a session, in this order. Gives their ids.

    Raises:
        QuotaError: the bank's file is as large as it may be.
    """
    check_bytes(tx.connection, tx.keeping)
    execute = tx.connection.execute
    ids: list[str] = []
    for message in messages:
        message_id = new_message_id()
        stream, sequence = message.event or (None, None)
        rowid: int = execute(
            "INSERT INTO session_messages(message_id, session_id, role, rules, stream, sequence,"
            " occurred_at, created_at, operation_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                message_id,
                session_id,
                message.role.value,
                json.dumps(message.rules) if message.rules else None,
                stream,
                sequence,
                message.occurred_at,
                tx.now,
                operation_id,
            ),
        ).lastrowid
        if not message.rules:
            execute(
                "INSERT INTO message_texts(message_rowid, text, name) VALUES (?, ?, ?)",
                (rowid, message.text, message.name),
            )
        ids.append(message_id)
    return ids


def page(
    connection: Connection,
    session_id: str,
    *,
    before: int | None,
    limit: int,
    text_bytes: int,
    keeping: Keeping,
) -> MessagePage:
    """The last messages of a session, or the last before a message_rowid.

    Args:
        text_bytes: the page begins where its texts would exceed this, but has one message at least.
    """
    execute = connection.execute
    whose = (session_id, keeping.message_cut())
    (total,) = execute(f"SELECT count(*){_IN_SESSION}", whose).fetchone()
    rows = execute(
        "SELECT m.message_rowid, (SELECT octet_length(t.text) FROM message_texts AS t"  # noqa: S608 # fixed words only
        f" WHERE t.message_rowid = m.message_rowid){_IN_SESSION}"
        " AND m.message_rowid < ? ORDER BY m.message_rowid DESC LIMIT ?",
        (*whose, before or 2**63 - 1, limit + 1),
    ).fetchall()
    shown: list[int] = []
    size = 0
    for rowid, length in rows[:limit]:
        size += length or 0
        if shown and size > text_bytes:
            break
        shown.append(rowid)
    return MessagePage(_at(connection, shown), total, more=len(shown) < len(rows))


def newest(
    connection: Connection, session_id: str, *, limit: int, text_bytes: int, keeping: Keeping
) -> list[SessionMessage]:
    """The newest messages of a session that have a text, newest first: as many as may be looked
    through.

    Args:
        text_bytes: of all their texts together; the first is given whatever its size.
    """
    rows = connection.execute(
        "SELECT m.message_rowid, (SELECT octet_length(t.text) FROM message_texts AS t"  # noqa: S608 # fixed words only
        f" WHERE t.message_rowid = m.message_rowid){_IN_SESSION}"
        " AND m.rules IS NULL ORDER BY m.message_rowid DESC LIMIT ?",
        (session_id, keeping.message_cut(), limit),
    ).fetchall()
    # By their sizes first: five thousand of the longest would be gigabytes.
    found: list[int] = []
    size = 0
    for rowid, length in rows:
        size += length or 0
        if found and size > text_bytes:
            break
        found.append(rowid)
    return _at(connection, found)[::-1]


def count_with_text(connection: Connection, session_id: str, keeping: Keeping) -> int:
    """How many messages of a session have a text."""
    (count,) = connection.execute(
        f"SELECT count(*){_IN_SESSION} AND m.rules IS NULL", (session_id, keeping.message_cut())
    ).fetchone()
    return int(count)


def saying(tx: Transaction, memories: Iterable[Memory]) -> list[int]:
    """The messages that say what these memories say, while those are still there.

    Those are the messages that name the event of one of them; and, of the messages of its session
    that name none, those whose words are exactly those of a revision of it.
    """
    execute = tx.connection.execute
    memories = list(memories)
    events = tx.events_at([m.event_rowid for m in memories if m.event_rowid is not None])
    named = json.dumps([[one.stream, one.sequence] for one in events.values()])
    found = execute(
        "SELECT m.message_rowid FROM json_each(?) AS e CROSS JOIN session_messages AS m"
        " ON m.stream = e.value ->> 0 AND m.sequence = e.value ->> 1 WHERE m.rules IS NULL",
        (named,),
    ).fetchall()
    said: dict[str, list[str]] = {}
    for memory in memories:
        if memory.session_id is not None:
            texts = [one.text for one in tx.revisions_of(memory.memory_id) if one.text is not None]
            said.setdefault(memory.session_id, []).extend(texts)
    for session_id, texts in said.items():
        found += execute(
            "SELECT m.message_rowid FROM session_messages AS m JOIN message_texts AS t"
            " USING (message_rowid) WHERE m.session_id = ? AND m.stream IS NULL"
            " AND t.text IN (SELECT value FROM json_each(?))",
            (session_id, json.dumps(texts)),
        ).fetchall()
    return sorted({rowid for (rowid,) in found})


def scrub(tx: Transaction, message_rowids: Sequence[int]) -> None:
    """Take the text from messages; they keep role, time and place."""
    rowids = json.dumps(message_rowids)
    _take_texts(tx, rowids)
    tx.connection.execute(
        "UPDATE session_messages SET rules = ?"
        " WHERE message_rowid IN (SELECT value FROM json_each(?))",
        (json.dumps([FORGOTTEN]), rowids),
    )


def scrub_event(tx: Transaction, stream: str, sequence: int) -> None:
    """Take the text from the messages of an event of which a memory was forgotten elsewhere."""
    rows = tx.connection.execute(
        "SELECT message_rowid FROM session_messages WHERE stream = ? AND sequence = ?"
        " AND rules IS NULL",
        (stream, sequence),
    ).fetchall()
    scrub(tx, [rowid for (rowid,) in rows])


def clear(tx: Transaction, session_id: str) -> int:
    """Take every message of a session away. Gives how many there were."""
    rows = tx.connection.execute(
        "SELECT message_rowid FROM session_messages WHERE session_id = ?", (session_id,)
    ).fetchall()
    _remove(tx, [rowid for (rowid,) in rows])
    return len(rows)


def due(connection: Connection, keeping: Keeping) -> int | None:
    """When `sweep` has something to do next; None: never."""
    if keeping.messages is None:
        return None
    (oldest,) = connection.execute("SELECT min(created_at) FROM session_messages").fetchone()
    if oldest is None:
        return None
    seen = _seen(connection)
    if seen is None:
        return int(oldest) + keeping.messages
    return 0 if seen > keeping.clock() else seen + WATCHED


def sweep(tx: Transaction) -> bool:
    """Do one bounded step of taking away what is past its term. Gives whether there is more."""
    execute = tx.connection.execute
    seen = _seen(tx.connection)
    term = tx.keeping.messages
    if seen is not None and (term is None or seen > tx.now):  # kept for good now; clock set back
        execute("DELETE FROM meta WHERE key = ?", (_SEEN,))
        seen = None
    if term is None:
        return False
    if seen is None:
        execute(
            "INSERT INTO meta(key, value) SELECT ?, ? WHERE EXISTS"
            " (SELECT 1 FROM session_messages WHERE created_at <= ?)",
            (_SEEN, tx.now, tx.now - term),
        )
        return False
    if seen > tx.now - WATCHED:
        return False
    rows = execute(
        "SELECT message_rowid FROM session_messages WHERE created_at <= ?"
        " ORDER BY created_at LIMIT ?",
        (seen - term, _STEP),
    ).fetchall()
    if len(rows) < _STEP:
        execute("DELETE FROM meta WHERE key = ?", (_SEEN,))
    _remove(tx, [rowid for (rowid,) in rows])
    if rows:
        body = json.dumps({"messages": len(rows)}, separators=(",", ":"))
        tx.note(LedgerEntry("retention.messages", None, _AUTHORITY, body))
    return len(rows) == _STEP


def _remove(tx: Transaction, message_rowids: Sequence[int]) -> None:
    if not message_rowids:
        return
    rowids = json.dumps(message_rowids)
    _take_texts(tx, rowids)
    tx.connection.execute(
        "DELETE FROM session_messages WHERE message_rowid IN (SELECT value FROM json_each(?))",
        (rowids,),
    )


def _take_texts(tx: Transaction, rowids: str) -> None:
    """Delete texts, and the digests of the requests that brought them."""
    execute = tx.connection.execute
    execute(
        "UPDATE receipts SET digest = NULL WHERE operation_id IN (SELECT operation_id"
        " FROM session_messages WHERE message_rowid IN (SELECT value FROM json_each(?)))",
        (rowids,),
    )
    taken = execute(
        "DELETE FROM message_texts WHERE message_rowid IN (SELECT value FROM json_each(?))",
        (rowids,),
    ).rowcount
    if taken:
        tx.owe_erasure()


def _seen(connection: Connection) -> int | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_SEEN,)).fetchone()
    return None if row is None else int(row[0])


def _at(connection: Connection, message_rowids: Sequence[int]) -> list[SessionMessage]:
    rows = connection.execute(
        f"{_MESSAGE} WHERE m.message_rowid IN (SELECT value FROM json_each(?))"  # noqa: S608 # fixed
        " ORDER BY m.message_rowid",
        (json.dumps(message_rowids),),
    ).fetchall()
    return [_message(row) for row in rows]


def _message(row: tuple[Any, ...]) -> SessionMessage:
    return SessionMessage(
        message_rowid=row[0],
        message_id=row[1],
        role=Role(row[2]),
        name=row[3],
        text=row[4],
        rules=None if row[5] is None else tuple(json.loads(row[5])),
        event=None if row[6] is None else (row[6], row[7]),
        occurred_at=row[8],
        created_at=row[9],
    )
