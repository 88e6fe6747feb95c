"""The intake family: memory.remember (an event) and memory.add (a deliberate assertion).

Both answer one of `IntakeOutcome`, as memory.remember_evidence does (`evidence.py`). `committed`
comes only after the fsync. What a filter keeps out is named by the ids of its rules: `credential.…`
for what looks like a secret, `withheld.…` for what the user asked not to be remembered,
`candidate.…` for a candidate that does not hold, `role_not_kept`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds
from cognid.protocol.addressed import Mutation
from cognid.protocol.values import (
    FactText,
    Instant,
    Kind,
    Label,
    Labels,
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

Sequence = Annotated[int, Field(ge=0, le=bounds.SEQUENCE_MAX)]


class Event(Message):
    """What the runtime persisted and now reports.

    `data` needs `role` and `content` (1–400,000 characters); `speaker` may name who spoke. Other
    fields are the runtime's own: they are bound by the hash and not kept. Without `sequence` the
    daemon gives the next one of the stream; a gap is judged only where `after` says which
    sequence went before. A `hash`, where given, must be the event hash of `canonical.py`.
    """

    stream: Reference
    sequence: Sequence | None = None
    after: Sequence | None = None
    type: Reference = "message"
    data: dict[str, Any]
    occurred_at: Instant | None = None
    hash: Sha256Hex | None = None

    @model_validator(mode="after")
    def _sequence_is_whole(self) -> Self:
        if self.sequence is None and (self.after is not None or self.hash is not None):
            raise PydanticCustomError(
                "sequence_missing", "sequence must stand beside after or hash"
            )
        if self.after is not None and self.sequence is not None and self.after >= self.sequence:
            raise PydanticCustomError("after_not_before", "after must be less than sequence")
        return self


class TurnData(Message):
    """The fields of an event's `data` that become a memory."""

    role: Annotated[Role, Word]
    content: MemoryText
    speaker: Reference | None = None


class Candidate(Message):
    """A fact that the runtime's own model found in a turn.

    `explicit` is believed only of the user's turn, and only where the words of `text` stand in
    the `span` of its content as they are (in the normal form that folding compares); else it is
    kept as `inferred`, and the outcome says so. `span` is [start, end] in characters of the
    content. `synthesized` names the current memories of this bank that it was made from.
    """

    text: FactText
    kind: Annotated[Kind, Word] = Kind.FACT
    provenance: Annotated[Provenance, Word] = Provenance.INFERRED
    confidence: Share = 1.0
    importance: Share | None = None
    categories: Annotated[list[Label], Field(max_length=bounds.CATEGORIES)] = Field(
        default_factory=list
    )
    span: Span | None = None
    sources: Annotated[list[MemoryId], Field(max_length=bounds.SOURCES)] = Field(
        default_factory=list
    )
    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.kind is Kind.REMARK:
            raise PydanticCustomError("kind", "a candidate is a fact; the turn is the remark")
        if bool(self.sources) is not (self.provenance is Provenance.SYNTHESIZED):
            raise PydanticCustomError(
                "sources", "sources must be named where it is synthesized, and nowhere else"
            )
        check_validity(self.valid_from, self.valid_until)
        return self


class Remember(Mutation):
    """Report an event; what the filters let through is remembered.

    Where `candidates` are given, be it an empty list, they are the facts of the turn; without them
    the daemon looks for facts in a user's turn by itself.
    """

    session_id: Reference | None = None
    labels: Labels = Field(default_factory=list)
    event: Event
    candidates: Annotated[list[Candidate], Field(max_length=bounds.CANDIDATES)] | None = None


class Add(Mutation):
    """Assert a memory deliberately. A fact has at most 4,000 characters, a remark 400,000.

    What looks like a credential is rejected, unless `allow_credentials`: the ledger records that.
    """

    session_id: Reference | None = None
    labels: Labels = Field(default_factory=list)
    text: MemoryText
    kind: Annotated[Kind, Word] = Kind.FACT
    role: Annotated[Role, Word] = Role.USER
    speaker: Reference | None = None
    provenance: Annotated[Provenance, Word] | None = None
    """`explicit` by default where the user speaks, `inferred` for every other role."""
    confidence: Share = 1.0
    importance: Share | None = None
    pinned: bool = False
    categories: Annotated[list[Label], Field(max_length=bounds.CATEGORIES)] = Field(
        default_factory=list
    )
    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    allow_credentials: bool = False

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind is not Kind.REMARK and len(self.text) > bounds.FACT_CHARACTERS:
            raise PydanticCustomError(
                "fact_too_long",
                "text of this kind may have at most {bound} characters; a remark may have {remark}",
                {"bound": bounds.FACT_CHARACTERS, "remark": bounds.TEXT_CHARACTERS},
            )
        if self.provenance is Provenance.EXPLICIT and self.role is not Role.USER:
            raise PydanticCustomError("provenance", "only what the user said can be explicit")
        if self.provenance is Provenance.SYNTHESIZED:
            raise PydanticCustomError(
                "provenance", "a synthesized memory names its sources, which this does not take"
            )
        check_validity(self.valid_from, self.valid_until)
        return self


def check_validity(valid_from: datetime | None, valid_until: datetime | None) -> None:
    """Refuse a time of validity that ends before it begins."""
    if valid_from and valid_until and valid_from >= valid_until:
        raise PydanticCustomError("validity", "valid_from must lie before valid_until")


class EventReference(Reply):
    """Which event it was."""

    stream: str
    sequence: int


class Stored(Reply):
    """One memory that a write made or met."""

    memory_id: str
    revision: int
    kind: Kind


class _Answer(Reply):
    operation_id: str
    replayed: bool = False
    """True where this operation id was answered before; the outcome is the stored one."""


class RejectedPart(Reply):
    """A candidate that was not taken: its place in the request's list, and by which rules."""

    index: int
    rules: list[str]


class AdjustedPart(Reply):
    """A candidate that was kept as `inferred` although it claimed to be `explicit`."""

    index: int
    memory_id: str
    reason: Literal["span_missing", "not_in_span"]


class Committed(_Answer):
    """On disk, fsynced. `memories` are those that were made: of a turn its remark, then its facts.

    `folded` are current facts that say the same as a fact of the turn already: nothing was added
    for it. A candidate that was rejected or adjusted is named by its place in the request.
    """

    outcome: Literal["committed"] = "committed"
    memories: list[Stored]
    folded: list[Stored] = Field(default_factory=list)
    rejected: list[RejectedPart] = Field(default_factory=list)
    adjusted: list[AdjustedPart] = Field(default_factory=list)
    event: EventReference | None = None
    epoch: str


class Duplicate(_Answer):
    """It is there already; nothing was added.

    The very event was taken before under another operation, or a current fact says the same after
    normalization (`event` is null then). `memories` names what is there.
    """

    outcome: Literal["duplicate"] = "duplicate"
    memories: list[Stored]
    event: EventReference | None = None


class Rejected(_Answer):
    """A filter kept it out; its text was written nowhere.

    `note` is a sentence for a person, where there is more to say than the rules do.
    """

    outcome: Literal["rejected"] = "rejected"
    rules: list[str]
    note: str | None = None
    event: EventReference | None = None


class Forgotten(_Answer):
    """It meets a forget barrier: what was forgotten does not return."""

    outcome: Literal["forgotten"] = "forgotten"
    event: EventReference | None = None


class Conflict(_Answer):
    """The operation id, the sequence or the evidence stands for something else already; nothing
    was done."""

    outcome: Literal["conflict"] = "conflict"
    reason: Literal["operation_reused", "sequence_reused", "evidence_changed"]


class DeliveryGap(_Answer):
    """What should have come before has not; nothing was taken."""

    outcome: Literal["delivery_gap"] = "delivery_gap"
    last_sequence: int | None


class NoEffect(_Answer):
    """It came under a switch or an epoch that takes nothing."""

    outcome: Literal["no_effect"] = "no_effect"
    reason: Literal["disabled", "before_cutoff", "epoch_ended"]


IntakeOutcome = Annotated[
    Committed | Duplicate | Rejected | Forgotten | Conflict | DeliveryGap | NoEffect,
    Field(discriminator="outcome"),
]
