"""Memory authority: correct, forget, switch and wipe, with a manager handle; and the agent's own
two tools, which need rights of their own and a preview token.

Nothing said in a conversation reaches any of these. Every mutation answers what it came to, the ids
it affected, and a fresh projection of the bank; one that begins a new epoch gives a new handle.

A *preview* changes nothing: it lists every id that would go, with the groups that `forget` takes
along, and gives a token that the confirming request must carry. The token is bound to the
connection, the bank, the epoch and the revisions that were listed.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed, Mutation
from cognid.protocol.configure import Handle, ManagerHandle, MemoryFilters
from cognid.protocol.recall import MemoryView
from cognid.protocol.values import Instant, Kind, MemoryId, MemoryText, Message, Reply, Yes

PreviewToken = Annotated[str, StringConstraints(pattern=r"^prv_[0-9a-f]{64}$")]
Revision = Annotated[int, Field(ge=1, le=bounds.SEQUENCE_MAX)]
EXCERPT_CHARACTERS = 200


class Target(Message):
    """One memory to be forgotten; with `expected_revision` only as it was seen."""

    memory_id: MemoryId
    expected_revision: Revision | None = None


def _each_once(targets: list[Target]) -> list[Target]:
    if len({target.memory_id for target in targets}) < len(targets):
        raise PydanticCustomError("targets", "must name each memory once")
    return targets


Targets = Annotated[
    list[Target],
    Field(min_length=1, max_length=bounds.FORGET_TARGETS),
    AfterValidator(_each_once),
]


class Correct(Mutation):
    """Replace a memory's text. The id stays, a new revision becomes current; the old one can be
    read in its history until the memory is forgotten.

    What looks like a credential is rejected, unless `allow_credentials`: the ledger records that.
    """

    handle: Handle
    memory_id: MemoryId
    expected_revision: Revision
    text: MemoryText
    allow_credentials: bool = False


class Forget(Mutation):
    """Forget memories for good: exact ids, all or nothing.

    `confirmed` must be true. A fact takes its remark along, a remark the facts inside its span.
    With `preview_token` the ids must be exactly those of the preview's `affected`. The daemon's own
    copies of those turns, in session messages, lose their text too, unless `keep_messages`.
    """

    handle: Handle
    targets: Targets
    confirmed: Yes
    preview_token: PreviewToken | None = None
    keep_messages: bool = False


class ForgetPreview(Addressed, MemoryFilters):
    """List what a forget would take: by ids, or by filters (at least one of them)."""

    handle: Handle
    targets: Targets | None = None

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if (self.targets is None) == self.is_empty:
            raise PydanticCustomError("preview", "either targets or filters must be given")
        return self


class SetEnabled(Mutation):
    """Switch a bank on or off. A new epoch begins; what was in flight has no effect."""

    handle: Handle
    enabled: bool


class DeleteAll(Mutation):
    """Wipe a bank: every memory, event and index, and the key they were sealed with."""

    handle: Handle
    confirmed: Yes


class ToolForget(Mutation):
    """The forget that an agent may call. Needs `tool_forget` and the token of a preview."""

    targets: Targets
    preview_token: PreviewToken
    keep_messages: bool = False


class ToolForgetPreview(Addressed):
    """What the agent's forget would take, and the token for it."""

    targets: Targets


class ToolCorrect(Mutation):
    """The correct that an agent may call. Needs `tool_correct` and the token of a preview."""

    memory_id: MemoryId
    text: MemoryText
    preview_token: PreviewToken


class ToolCorrectPreview(Addressed):
    """The memory as it stands, and the token to correct it."""

    memory_id: MemoryId


class AffectedView(Reply):
    """One memory that would go."""

    memory_id: str
    revision: int
    kind: Kind
    excerpt: str
    """Its first 200 characters."""
    complete: bool
    """Whether the excerpt is the whole text."""
    created_at: Instant
    because: Literal["named", "group"]
    """Whether it was asked for, or goes along with one that was."""


class Preview(Reply):
    """What a forget would take. `unknown` ids are neither there nor forgotten.

    The token stands only where there is something to forget and nothing is unknown or stale.
    """

    affected: list[AffectedView]
    total: int
    """Memories that were named or that the filters let through, also beyond this preview."""
    already_absent: list[str]
    unknown: list[str]
    stale: dict[str, int] = Field(default_factory=dict)
    """The current revisions of the targets whose `expected_revision` does not match."""
    preview_token: str | None
    expires_at: Instant | None
    epoch: str


class CorrectPreview(Reply):
    """The memory that a correct would change, and the token for it."""

    outcome: Literal["preview"] = "preview"
    memory: MemoryView
    preview_token: str
    expires_at: Instant
    epoch: str


class PreviewForgotten(Reply):
    """The memory was forgotten."""

    outcome: Literal["forgotten"] = "forgotten"
    memory_id: str


class PreviewNotFound(Reply):
    """There is no such memory in this bank."""

    outcome: Literal["not_found"] = "not_found"
    memory_id: str


CorrectPreviewReply = Annotated[
    CorrectPreview | PreviewForgotten | PreviewNotFound, Field(discriminator="outcome")
]


class Projection(Reply):
    """The bank as it stands after a change: the first page of what is current, and the counts.

    Read anew for each answer, a replayed one too.
    """

    memories: list[MemoryView]
    total: int
    by_kind: dict[str, int]
    epoch: str
    enabled: bool


class _Answer(Reply):
    operation_id: str
    replayed: bool = False


class Changed(_Answer):
    """Done, on disk, and seen by every read from now on."""

    outcome: Literal["committed"] = "committed"
    affected: list[str]
    """Ids of the memories that were corrected, superseded, pinned or forgotten."""
    already_absent: list[str] = Field(default_factory=list)
    revision: int | None = None
    """The new current revision, after a correct."""
    erased: bool | None = None
    """After a forget or a wipe: whether the bytes are gone from every file; false: pending."""
    messages_scrubbed: int | None = None
    """After a forget: session messages of those turns that lost their text."""
    messages_kept: int | None = None
    """After a forget with `keep_messages`: session messages that still say what was forgotten."""
    projection: Projection | None = None
    """Null to a tool, and where it could not be read; what was done is done all the same."""
    handle: ManagerHandle | None = None
    """A new manager handle, where a new epoch has begun."""


class AlreadyAbsent(_Answer):
    """Every target was forgotten before."""

    outcome: Literal["already_absent"] = "already_absent"
    already_absent: list[str]
    erased: bool
    projection: Projection | None = None


class TargetsNotFound(_Answer):
    """At least one target never was; nothing was done."""

    outcome: Literal["not_found"] = "not_found"
    unknown: list[str]


class TargetForgotten(_Answer):
    """The memory to be corrected was forgotten."""

    outcome: Literal["forgotten"] = "forgotten"
    memory_id: str


class TargetsConflict(_Answer):
    """A revision, or the set of ids, is not what the caller saw; nothing was done.

    `not_current`: the memory to be corrected is superseded or expired as a whole, the one to be
    pinned superseded.
    """

    outcome: Literal["conflict"] = "conflict"
    reason: Literal["operation_reused", "revision_stale", "preview_stale", "not_current"]
    current: dict[str, int] = Field(default_factory=dict)
    """The current revisions of the memories that differ."""


class TextRejected(_Answer):
    """The memory's kind cannot hold the text, or a filter kept it out; it was written nowhere."""

    outcome: Literal["rejected"] = "rejected"
    rules: list[str]


class Unaffected(_Answer):
    """Nothing had to change, or the bank's switch or epoch takes no such change."""

    outcome: Literal["no_effect"] = "no_effect"
    reason: Literal["unchanged", "disabled", "epoch_ended", "before_cutoff"]
    projection: Projection | None = None
    handle: ManagerHandle | None = None


class CutoffPending(_Answer):
    """The cutoff holds, and what follows it is still being done; ask operation.resolve."""

    outcome: Literal["pending"] = "pending"
    handle: ManagerHandle | None = None


CorrectOutcome = Annotated[
    Changed | TargetsConflict | TargetsNotFound | TargetForgotten | TextRejected | Unaffected,
    Field(discriminator="outcome"),
]
ForgetOutcome = Annotated[
    Changed | AlreadyAbsent | TargetsNotFound | TargetsConflict | Unaffected,
    Field(discriminator="outcome"),
]
CutoffOutcome = Annotated[
    Changed | TargetsConflict | Unaffected | CutoffPending, Field(discriminator="outcome")
]
