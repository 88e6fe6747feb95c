"""The transfer family: export and import of one bank, as records of our own.

A record is one memory with all its revisions and the event it came from. `origin_id` is the first
id that the memory ever had; it stays through every import, so that a forget barrier is met under
whatever id an older export comes back. A file of records is one JSON object a line.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed, Mutation
from cognid.protocol.configure import Cursor
from cognid.protocol.intake import Sequence
from cognid.protocol.values import (
    Instant,
    Kind,
    Label,
    Labels,
    Lifecycle,
    MemoryId,
    MemoryText,
    Message,
    Provenance,
    Reference,
    Reply,
    Role,
    Sha256Hex,
    Share,
    Span,
    Word,
)

FORM = "cognid.memory.v1"
"""What a record calls itself."""


class RecordEvent(Message):
    """The event that a memory came from: its identity, never its data."""

    stream: Reference
    sequence: Sequence
    type: Reference = "message"
    hash: Sha256Hex | None = None
    occurred_at: Instant | None = None


class RecordRevision(Message):
    """One revision. The last one is current, superseded or expired; those before it superseded."""

    revision: Annotated[int, Field(ge=1, le=bounds.SEQUENCE_MAX)]
    lifecycle: Annotated[Lifecycle, Word]
    text: MemoryText
    created_at: Instant
    ended_at: Instant | None = None


class Record(Message):
    """One memory, whole."""

    form: Literal["cognid.memory.v1"] = "cognid.memory.v1"
    memory_id: MemoryId
    origin_id: MemoryId
    kind: Annotated[Kind, Word]
    role: Annotated[Role, Word]
    speaker: Reference | None = None
    provenance: Annotated[Provenance, Word]
    confidence: Share = 1.0
    importance: Share | None = None
    pinned: bool = False
    categories: Annotated[list[Label], Field(max_length=bounds.CATEGORIES)] = Field(
        default_factory=list
    )
    labels: Labels = Field(default_factory=list)
    session_id: Reference | None = None
    event: RecordEvent | None = None
    span: Span | None = None
    sources: Annotated[list[MemoryId], Field(max_length=bounds.SOURCES)] = Field(
        default_factory=list
    )
    extractor: Reference | None = None
    policy_fingerprint: Sha256Hex | None = None
    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    created_at: Instant
    revisions: Annotated[
        list[RecordRevision], Field(min_length=1, max_length=bounds.RECORD_REVISIONS)
    ]
    """Oldest first."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        numbers = [one.revision for one in self.revisions]
        if numbers != sorted(set(numbers)):
            raise PydanticCustomError("revisions", "revisions must rise")
        lifecycles = [one.lifecycle for one in self.revisions]
        if Lifecycle.FORGOTTEN in lifecycles or any(
            one is not Lifecycle.SUPERSEDED for one in lifecycles[:-1]
        ):
            raise PydanticCustomError("revisions", "only the last revision may be current")
        if self.kind is not Kind.REMARK and any(
            len(one.text) > bounds.FACT_CHARACTERS for one in self.revisions
        ):
            raise PydanticCustomError(
                "fact_too_long",
                "text of this kind may have at most {bound} characters",
                {"bound": bounds.FACT_CHARACTERS},
            )
        if self.span is not None and self.span[0] > self.span[1]:
            raise PydanticCustomError("span", "span must not end before it begins")
        return self


class Export(Addressed):
    """Ask for a page of a bank's memories, oldest first: current, superseded and expired ones."""

    limit: Annotated[int, Field(ge=1, le=bounds.RECORDS)] = bounds.RECORDS
    cursor: Cursor | None = None


class ExportedEvent(Reply):
    """The event of an exported record."""

    stream: str
    sequence: int
    type: str
    hash: str | None
    occurred_at: Instant | None


class ExportedRevision(Reply):
    """A revision of an exported record."""

    revision: int
    lifecycle: Lifecycle
    text: str
    created_at: Instant
    ended_at: Instant | None


class ExportedRecord(Reply):
    """One memory, whole, in the form that import takes."""

    form: Literal["cognid.memory.v1"] = "cognid.memory.v1"
    memory_id: str
    origin_id: str
    kind: Kind
    role: Role
    speaker: str | None
    provenance: Provenance
    confidence: float
    importance: float | None
    pinned: bool
    categories: list[str]
    labels: list[str]
    session_id: str | None
    event: ExportedEvent | None
    span: tuple[int, int] | None
    sources: list[str]
    extractor: str | None
    policy_fingerprint: str | None
    event_time: Instant | None
    valid_from: Instant | None
    valid_until: Instant | None
    created_at: Instant
    revisions: list[ExportedRevision]


class ExportPage(Reply):
    """One page. It may end early at 1 MiB of text; the cursor goes on from there."""

    records: list[ExportedRecord]
    total: int
    """Memories in the bank, on all pages."""
    cursor: str | None
    epoch: str


class Import(Mutation):
    """Bring records into a bank, all of them in one step.

    `rule` says what becomes of a record whose id, or whose event, is there already. What meets a
    forget barrier, or a filter (credentials; what the user asked not to be remembered), is left
    out under every rule, and named.
    """

    rule: Literal["skip", "overwrite", "new_id"] = "skip"
    records: Annotated[list[Record], Field(min_length=1, max_length=bounds.RECORDS)]


class _Answer(Reply):
    operation_id: str
    replayed: bool = False


class RejectedRecord(Reply):
    """A record that the filters kept out, and by which rules."""

    memory_id: str
    rules: list[str]


class Imported(_Answer):
    """On disk, fsynced. The counts add up to the records that were sent."""

    outcome: Literal["committed"] = "committed"
    imported: int
    """Records that are in the bank now, new or in the place of what was there."""
    skipped: int
    blocked: list[str]
    """Ids of the records that met a forget barrier; nothing of them was taken."""
    rejected: list[RejectedRecord] = Field(default_factory=list)
    epoch: str


class ImportConflict(_Answer):
    """The operation id stands for something else already; nothing was done."""

    outcome: Literal["conflict"] = "conflict"
    reason: Literal["operation_reused"] = "operation_reused"


class ImportWithoutEffect(_Answer):
    """It came under a switch or an epoch that takes nothing."""

    outcome: Literal["no_effect"] = "no_effect"
    reason: Literal["disabled", "before_cutoff", "epoch_ended"]


ImportOutcome = Annotated[
    Imported | ImportConflict | ImportWithoutEffect, Field(discriminator="outcome")
]
