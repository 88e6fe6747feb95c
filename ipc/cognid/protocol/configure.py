"""The configure family's reading half: configure.open and memory.inspect (list, get, history,
recent).

A manager handle is the short-lived right to inspect and change one agent's memories: bound to the
connection, the agent, the epoch and time, and given only to grants with `configure`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed
from cognid.protocol.recall import MemoryView, Pipelines
from cognid.protocol.values import (
    Instant,
    Kind,
    Labels,
    Lifecycle,
    MemoryId,
    Message,
    Provenance,
    Reference,
    Reply,
    Said,
    Sound,
    Word,
)

Handle = Annotated[str, StringConstraints(pattern=r"^mgr_[0-9a-f]{64}$")]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=512)]
FilterText = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.FILTER_CHARACTERS), Sound, Said
]
PageLimit = Annotated[int, Field(ge=1, le=bounds.INSPECT_PAGE_MAX)]


class MemoryFilters(Message):
    """Which memories are meant; what is not given lets all through, but only what is current."""

    kinds: Annotated[list[Annotated[Kind, Word]], Field(min_length=1, max_length=6)] | None = None
    lifecycles: (
        Annotated[list[Annotated[Lifecycle, Word]], Field(min_length=1, max_length=3)] | None
    ) = None
    """Default: `current`. Of what was forgotten nothing is left to be listed."""
    provenances: (
        Annotated[list[Annotated[Provenance, Word]], Field(min_length=1, max_length=3)] | None
    ) = None
    session_id: Reference | None = None
    labels: Labels = Field(default_factory=list)
    """Only memories that carry all of these."""
    since: Instant | None = None
    """Only memories made at this instant or later."""
    until: Instant | None = None
    """Only memories made before this instant."""
    text: FilterText | None = None
    """Only memories that contain this, in whatever case."""
    uncovered: bool = False
    """Of remarks only those whose event neither made nor met a fact that is current."""

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if Lifecycle.FORGOTTEN in (self.lifecycles or ()):
            raise PydanticCustomError("lifecycle", "nothing is left of what was forgotten")
        if self.since and self.until and self.since >= self.until:
            raise PydanticCustomError("period", "since must lie before until")
        return self

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered at all."""
        return not any(getattr(self, name) for name in MemoryFilters.model_fields)


class ConfigureOpen(Addressed):
    """Ask for a manager handle."""


class ManagerHandle(Reply):
    """The handle, and what it is bound to."""

    handle: str
    expires_at: Instant
    epoch: str
    enabled: bool


class InspectList(Addressed, MemoryFilters):
    """List memories, newest first, a page at a time."""

    view: Literal["list"]
    handle: Handle
    limit: PageLimit = bounds.INSPECT_PAGE_DEFAULT
    cursor: Cursor | None = None


class InspectGet(Addressed):
    """Show one memory whole."""

    view: Literal["get"]
    handle: Handle
    memory_id: MemoryId


class InspectHistory(Addressed):
    """Show what happened to one memory, oldest first, forgotten or not, a page at a time."""

    view: Literal["history"]
    handle: Handle
    memory_id: MemoryId
    limit: PageLimit = bounds.INSPECT_PAGE_DEFAULT
    cursor: Cursor | None = None


class InspectRecent(Addressed):
    """Show what changed and what was recalled just now, by ids, newest first.

    Changes come from the ledger. Of recalls the daemon keeps the last 100 of all banks, in its
    memory, without queries and texts.
    """

    view: Literal["recent"]
    handle: Handle
    limit: PageLimit = bounds.INSPECT_PAGE_DEFAULT
    """Of changes, and of recalls."""


Inspect = Annotated[
    InspectList | InspectGet | InspectHistory | InspectRecent, Field(discriminator="view")
]


class Page(Reply):
    """One page. A page may end early at 1 MiB of text; the cursor goes on from there."""

    view: Literal["list"] = "list"
    memories: list[MemoryView]
    total: int
    """Memories that the filters let through, on all pages."""
    cursor: str | None
    epoch: str


class RevisionView(Reply):
    """One revision of a memory, without its text: history shows that."""

    revision: int
    lifecycle: Lifecycle
    created_at: Instant
    ended_at: Instant | None


class Shown(Reply):
    """One memory whole, with what came from the same event."""

    view: Literal["get"] = "get"
    memory: MemoryView
    origin_id: str | None = None
    """The first id it ever had, where an import gave it another."""
    revisions: list[RevisionView] = Field(default_factory=list)
    """Oldest first."""
    group: list[str]
    """Ids of the other memories of the same event."""
    epoch: str


class HistoryEntry(Reply):
    """One ledger entry that names the memory, with the text it was about where that is still there.

    `authority` is the credential's id, `authority_name` its grant's name where there still is one.
    """

    sequence: int
    at: Instant
    operation: str
    operation_id: str | None
    authority: str
    authority_name: str | None
    policy_fingerprint: str | None
    revision: int | None
    lifecycle: Lifecycle | None
    """What the entry made of that revision."""
    text: str | None
    ended_at: Instant | None
    """When that revision ceased to be current."""
    details: dict[str, Any] = Field(default_factory=dict)
    """The rest of the entry's body: codes, ids and numbers, never text."""


class History(Reply):
    """What the ledger says of one memory. A page may end early at 1 MiB of text."""

    view: Literal["history"] = "history"
    memory_id: str
    lifecycle: Lifecycle
    entries: list[HistoryEntry]
    cursor: str | None
    epoch: str


class ChangedRevision(Reply):
    """A revision that a change names, and what it made of it."""

    memory_id: str
    revision: int | None
    lifecycle: Lifecycle | None


class ChangeNote(Reply):
    """One ledger entry, and the first 100 memories that it names."""

    sequence: int
    at: Instant
    operation: str
    operation_id: str | None
    authority: str
    authority_name: str | None
    policy_fingerprint: str | None
    memories: list[ChangedRevision]
    count: int
    """Of all that it names."""


class RecallNote(Reply):
    """One answer of memory.recall, memory.search or context.assemble, without query and texts."""

    at: Instant
    operation: str
    authority: str
    authority_name: str | None
    session_id: str | None
    outcome: str
    reason: str | None
    """Of one that is unavailable."""
    memory_ids: list[str]
    """In the order of the answer. One that was forgotten since is named still."""
    pipelines: Pipelines | None
    """Null where nothing was recalled."""
    partial: bool
    took_ms: float


class Recently(Reply):
    """What changed, and what was recalled in this epoch as far as the daemon still knows."""

    view: Literal["recent"] = "recent"
    changes: list[ChangeNote]
    recalls: list[RecallNote]
    since: Instant
    """When the daemon started: of recalls before, nothing is known."""
    epoch: str


class ForgottenMemory(Reply):
    """The memory was forgotten; nothing of it is left but this mark."""

    view: Literal["forgotten"] = "forgotten"
    memory_id: str
    forgotten_at: Instant
    erased: bool
    """Whether its bytes are gone from every file; false: pending."""
    epoch: str


class NotFound(Reply):
    """There is no such memory in this bank."""

    view: Literal["not_found"] = "not_found"
    memory_id: str
    epoch: str


InspectReply = Annotated[
    Page | Shown | History | Recently | ForgottenMemory | NotFound, Field(discriminator="view")
]
