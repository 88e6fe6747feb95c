"""The plain dicts that `Cognis` answers with, and how they are made of what the daemon answers.

Owns: their keys. A memory's dict has the keys of the scoping SDK, and `provenance`, `revision`,
`kind` and `source` besides. May not ask the daemon anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NotRequired, TypedDict, assert_never

from cognid.protocol.configure import HistoryEntry, Shown
from cognid.protocol.recall import Hit, MemoryView
from cognid.protocol.sessions import MessageView
from cognid.protocol.values import Kind, Lifecycle

Status = Literal["current", "historical", "deleted"]

_SECTORS: Final = {Kind.PROCEDURAL: "procedural", Kind.EPISODIC: "episodic"}


class Metadata(TypedDict):
    """What else is said of a memory. Without categories of its own, `category` is its kind."""

    category: str | None
    categories: list[str]
    sector: str
    scope: str
    source_role: str


class MemoryDict(TypedDict):
    """A memory; with a `score` where a search found it. Instants are ISO 8601 in UTC.

    `type` is "raw_evidence" for a message of the session, whose id begins with `msg_`.
    """

    id: str
    memory_id: str
    type: Literal["memory", "raw_evidence"]
    content: str
    owner_id: str
    agent_id: str | None
    session_id: str | None
    version: int
    created_at: str
    updated_at: str
    event_time: str | None
    valid_from: str
    valid_until: str | None
    metadata: Metadata
    status: Status
    replaces_id: str | None
    conflicts_with: list[str]
    provenance: str | None
    revision: int
    kind: str
    source: dict[str, Any]
    score: NotRequired[float]


class Withheld(TypedDict):
    """A message that became no memory: its place in the list, and by which rules."""

    index: int
    rules: list[str]


class Added(TypedDict):
    """What `add` stored. `withheld` is there only where something was."""

    success: bool
    message: str
    session_message_count: int
    memories: list[MemoryDict]
    withheld: NotRequired[list[Withheld]]


class Found(TypedDict):
    """What `search` found. `message` is there only where something is missing, and says what."""

    success: bool
    results: list[MemoryDict]
    count: int
    query: str
    message: NotRequired[str]


class Got(TypedDict):
    """The memory of `get`, None where there is none."""

    success: bool
    memory: MemoryDict | None


class Listed(TypedDict):
    """A page of `get_all`, newest first."""

    success: bool
    memories: list[MemoryDict]
    total: int
    limit: int
    offset: int


class Done(TypedDict):
    """Whether it was done, and a sentence."""

    success: bool
    message: str


class Updated(Done):
    """The memory as `update` left it, None where there is none."""

    memory: MemoryDict | None


class Change(TypedDict):
    """One entry of a memory's history; `content` stands where its revision is first told of."""

    version: int | None
    content: str | None
    status: Status | None
    operation: str
    created_at: str
    ended_at: str | None


class HistoryDict(TypedDict):
    """What happened to one memory, oldest first."""

    success: bool
    memory_id: str
    history: list[Change]


class Turn(TypedDict):
    """A message of the session."""

    role: str
    content: str


class Context(TypedDict):
    """What `get_context` gives. `message` is there only where something is missing."""

    short_term: list[Turn]
    long_term: list[MemoryDict]
    short_term_count: int
    long_term_count: int
    context_string: str
    message: NotRequired[str]


def memory_dict(
    memory: MemoryView, owner: str, agent: str | None, *, updated_at: datetime | None = None
) -> MemoryDict:
    """A memory as its dict; `updated_at` is when its revision was made, if not with the memory."""
    made: MemoryDict = {
        "id": memory.memory_id,
        "memory_id": memory.memory_id,
        "type": "memory",
        "content": memory.text,
        "owner_id": owner,
        "agent_id": agent,
        "session_id": memory.session_id,
        "version": memory.revision,
        "created_at": _iso(memory.created_at),
        "updated_at": _iso(updated_at or memory.created_at),
        "event_time": _iso_or_none(memory.event_time),
        "valid_from": _iso(memory.valid_from or memory.created_at),
        "valid_until": _iso_or_none(memory.valid_until),
        "metadata": {
            "category": memory.categories[0] if memory.categories else memory.kind.value,
            "categories": list(memory.categories),
            "sector": _SECTORS.get(memory.kind, "semantic"),
            "scope": "user",
            "source_role": memory.role.value,
        },
        "status": status_of(memory.lifecycle),
        "replaces_id": None,
        "conflicts_with": [],
        "provenance": memory.provenance.value,
        "revision": memory.revision,
        "kind": memory.kind.value,
        "source": memory.source.model_dump(mode="json"),
    }
    if isinstance(memory, Hit):
        made["score"] = memory.score
    return made


def shown_dict(shown: Shown, owner: str, agent: str | None) -> MemoryDict:
    """A memory that was looked at by its id."""
    times = {one.revision: one.created_at for one in shown.revisions}
    updated_at = times.get(shown.memory.revision)
    return memory_dict(shown.memory, owner, agent, updated_at=updated_at)


def message_dict(
    message: MessageView, owner: str, agent: str | None, session_id: str
) -> MemoryDict:
    """A message of the session that a search found."""
    created_at = _iso(message.created_at)
    event = None if message.event is None else message.event.model_dump(mode="json")
    return {
        "id": message.message_id,
        "memory_id": message.message_id,
        "type": "raw_evidence",
        "content": message.content or "",
        "owner_id": owner,
        "agent_id": agent,
        "session_id": session_id,
        "version": 1,
        "created_at": created_at,
        "updated_at": created_at,
        "event_time": _iso_or_none(message.occurred_at),
        "valid_from": created_at,
        "valid_until": None,
        "metadata": {
            "category": None,
            "categories": [],
            "sector": "episodic",
            "scope": "session",
            "source_role": message.role.value,
        },
        "status": "current",
        "replaces_id": None,
        "conflicts_with": [],
        "provenance": None,
        "revision": 1,
        "kind": "message",
        "source": {"event": event},
        "score": message.score or 0.0,
    }


def earlier_dicts(memory: MemoryDict, entries: Iterable[HistoryEntry]) -> list[MemoryDict]:
    """What a memory said before it was corrected, the newest first."""
    earlier: list[MemoryDict] = [
        {
            **memory,
            "content": entry.text,
            "version": entry.revision,
            "revision": entry.revision,
            "updated_at": _iso(entry.at),
            "valid_until": _iso_or_none(entry.ended_at),
            "status": "historical",
        }
        for entry in entries
        if entry.text is not None
        and entry.revision is not None
        and entry.revision < memory["revision"]
    ]
    return earlier[::-1]


def change(entry: HistoryEntry) -> Change:
    """One entry of a memory's history."""
    return {
        "version": entry.revision,
        "content": entry.text,
        "status": None if entry.lifecycle is None else status_of(entry.lifecycle),
        "operation": entry.operation,
        "created_at": _iso(entry.at),
        "ended_at": _iso_or_none(entry.ended_at),
    }


def status_of(lifecycle: Lifecycle) -> Status:
    """A lifecycle in the words of the scoping SDK."""
    match lifecycle:
        case Lifecycle.CURRENT:
            return "current"
        case Lifecycle.SUPERSEDED | Lifecycle.EXPIRED:
            return "historical"
        case Lifecycle.FORGOTTEN:
            return "deleted"
        case _:
            assert_never(lifecycle)


def without_covered(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out each remark whose turn made, or repeats, a fact that was found beside it."""
    facts = [hit for hit in hits if hit.kind is not Kind.REMARK]
    turns = {_turn_of(fact) for fact in facts} - {None}
    texts = [fact.text.casefold() for fact in facts]

    def covered(hit: Hit) -> bool:
        said = hit.text.casefold()
        return _turn_of(hit) in turns or any(text in said for text in texts)

    return [hit for hit in hits if hit.kind is not Kind.REMARK or not covered(hit)]


def _turn_of(hit: Hit) -> tuple[str, int] | None:
    event = hit.source.event
    return None if event is None else (event.stream, event.sequence)


def _iso(instant: datetime) -> str:
    return instant.isoformat()


def _iso_or_none(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
