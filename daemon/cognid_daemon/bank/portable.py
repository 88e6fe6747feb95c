"""Portable memories: what export gives away and import takes back, with every revision.

Owns: the form of a memory outside its bank, and the rules for one that is there already. What was
forgotten here is never taken back, under no rule and under no id: `origin_id` goes with a memory
through all of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from cognid.protocol import bounds
from cognid.protocol.ids import new_memory_id
from cognid.protocol.values import Lifecycle
from cognid_daemon.bank.retention import expire
from cognid_daemon.bank.rows import Event, Memory, NewEvent, NewMemory, Revision
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


RECORD_BYTES: Final = bounds.LINE_BYTES // 2
"""Of the revisions of one memory in their JSON, so that it can cross the bridge and come back."""
_BESIDE_A_TEXT: Final = 256
"""Bytes of JSON that a revision has beside its text, at most."""


class Rule(StrEnum):
    """What becomes of a memory whose id is here already."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    NEW_ID = "new_id"


class Fate(StrEnum):
    """What became of one memory."""

    IMPORTED = "imported"
    SKIPPED = "skipped"
    BLOCKED = "blocked"  # it was forgotten here


@dataclass(frozen=True, slots=True)
class Portable:
    """A memory outside its bank. `memory_rowid` is where it stood, for the next page.

    `revisions` are oldest first; the last one is the newest. `event` is None where it was stated.
    """

    memory_id: str
    origin_id: str
    created_at: int
    memory: NewMemory = field(repr=False)
    revisions: tuple[Revision, ...]
    event: Event | NewEvent | None
    memory_rowid: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one memory; if it was imported, as what. `digest` is for the ledger."""

    fate: Fate
    memory_id: str | None = None
    revision: int | None = None
    digest: str | None = None
    overwritten: bool = False


def portables(connection: Connection, after: int, *, limit: int, text_bytes: int) -> list[Portable]:
    """A page of everything that a bank remembers, in the order of its making.

    Args:
        after: only memories whose memory_rowid is greater.
        text_bytes: the page ends before its texts exceed this, but has one memory at least.
    """
    view = View(connection)
    rows = connection.execute(
        "SELECT memory_id FROM memories WHERE memory_rowid > ? ORDER BY memory_rowid LIMIT ?",
        (after, limit),
    ).fetchall()
    page: list[Portable] = []
    size = 0
    for (memory_id,) in rows:
        memory = view.memory(memory_id)
        if memory is None:
            continue
        revisions = _carried(view.revisions_of(memory_id))
        size += sum(len((one.text or "").encode()) for one in revisions)
        if page and size > text_bytes:
            break
        event = None
        if memory.event_rowid is not None:
            event = view.events_at([memory.event_rowid])[memory.event_rowid]
        page.append(
            Portable(
                memory.memory_id,
                memory.origin_id,
                memory.created_at,
                _new(memory),
                revisions,
                event,
                memory.memory_rowid,
            )
        )
    return page


def _carried(revisions: Sequence[Revision]) -> tuple[Revision, ...]:
    """The revisions that one line can carry, the newest always; of a long text that was corrected
    often the oldest stay behind, and the numbers of the others tell so."""
    kept: list[Revision] = []
    size = 0
    most = sum(6 * len(one.text or "") + _BESIDE_A_TEXT for one in revisions)
    if most <= RECORD_BYTES and len(revisions) <= bounds.RECORD_REVISIONS:
        return tuple(revisions)  # nearly always; no character takes more than six bytes
    for one in reversed(revisions):
        size += len(json.dumps(one.text, ensure_ascii=False).encode("utf-8")) + _BESIDE_A_TEXT
        if kept and (size > RECORD_BYTES or len(kept) == bounds.RECORD_REVISIONS):
            break
        kept.append(one)
    return tuple(reversed(kept))


def import_memory(tx: Transaction, portable: Portable, rule: Rule) -> Taken:
    """Take one memory into the bank, unless it was forgotten here or the rule says otherwise.

    An overwritten memory keeps its id and takes over the other's text as its next revision. An
    event that is here already is not taken again; the memory then hangs on the one that is here.
    """
    if tx.is_barred(portable.memory_id, portable.origin_id):
        return Taken(Fate.BLOCKED)
    there = tx.memory(portable.memory_id)
    newest = portable.revisions[-1]
    if newest.text is None or (there is not None and rule is Rule.SKIP):
        return Taken(Fate.SKIPPED)
    if there is not None and rule is Rule.OVERWRITE:
        if there.text == newest.text and there.lifecycle is newest.lifecycle:
            return Taken(Fate.SKIPPED)
        made = tx.correct(there, newest.text)
        return Taken(Fate.IMPORTED, made.memory_id, made.revision, made.digest, overwritten=True)
    stored = tx.add_memory(
        replace(portable.memory, text=newest.text, event_rowid=_event_rowid(tx, portable)),
        memory_id=portable.memory_id if there is None else new_memory_id(),
        origin_id=portable.origin_id,
        made_at=portable.created_at,
        revised_at=newest.created_at,
        revision=newest.revision,
        # What had expired there has expired here: by the term of its old commit, not of this one.
        term_from=_term_of(newest, tx.now) if newest.lifecycle is Lifecycle.EXPIRED else None,
    )
    for one in portable.revisions[:-1]:
        if one.text is not None:
            tx.add_past_revision(
                stored.memory_rowid, one.revision, one.text, one.created_at, one.ended_at
            )
    if newest.lifecycle is not Lifecycle.CURRENT:
        made_now = tx.memory(stored.memory_id)
        if made_now is not None and newest.lifecycle is Lifecycle.SUPERSEDED:
            tx.supersede(made_now)
        elif made_now is not None and not made_now.pinned:
            expire(tx, made_now)
    return Taken(Fate.IMPORTED, stored.memory_id, stored.revision, stored.digest)


def _term_of(expired: Revision, now: int) -> int:
    """Since when the term of what had expired elsewhere counts. A commit that is still to come, by
    a clock that went ahead, would make it current again, until then: its term is long over."""
    return expired.created_at if expired.created_at <= now else 1


def _event_rowid(tx: Transaction, portable: Portable) -> int | None:
    event = portable.event
    if event is None:
        return None
    there = tx.event(event.stream, event.sequence)
    if there is not None:
        return there.event_rowid
    return tx.add_event(
        NewEvent(
            stream=event.stream,
            sequence=event.sequence,
            type=event.type,
            hash=None if tx.bars_event(event.stream, event.sequence) else event.hash,
            decision=event.decision,
            session_id=event.session_id,
            occurred_at=event.occurred_at,
        )
    )


def _new(memory: Memory) -> NewMemory:
    return NewMemory(
        kind=memory.kind,
        role=memory.role,
        provenance=memory.provenance,
        text=memory.text or "",
        speaker=memory.speaker,
        confidence=memory.confidence,
        importance=memory.importance,
        pinned=memory.pinned,
        categories=memory.categories,
        labels=memory.labels,
        session_id=memory.session_id,
        event_rowid=None,
        span=memory.span,
        sources=memory.sources,
        extractor=memory.extractor,
        policy_fingerprint=memory.policy_fingerprint,
        event_time=memory.event_time,
        valid_from=memory.valid_from,
        valid_until=memory.valid_until,
    )
