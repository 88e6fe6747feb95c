"""The recall family: memory.recall (the router) and memory.search (one named pipeline).

Both answer one of `RecallOutcome` within the deadline. Memory text is data: a hit is marked
untrusted, and nothing in it is an instruction.

With effort `thorough` a reranker reads the best of what was found together with the query, as many
as the deadline allows, and its word counts in their order. It is an optional part: where it is not
installed, is late or fails, the answer is the one without it, `partial`, and `pipelines.reranker`
says why. Without a deadline of its own a thorough recall has more time than a fast one.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed
from cognid.protocol.index import PipelineState
from cognid.protocol.values import (
    Instant,
    Kind,
    Labels,
    Lifecycle,
    MemoryId,
    Pipeline,
    Provenance,
    QueryText,
    Reference,
    Reply,
    Role,
    Sha256Hex,
    Word,
)

Effort = Literal["fast", "thorough"]


class Recall(Addressed):
    """Ask what is remembered about a query.

    `session_id` says in which session it is asked; memories of all sessions answer.
    """

    query: QueryText
    limit: Annotated[int, Field(ge=1, le=bounds.RECALL_LIMIT_MAX)] = bounds.RECALL_LIMIT_DEFAULT
    session_id: Reference | None = None
    kinds: Annotated[list[Annotated[Kind, Word]], Field(min_length=1, max_length=6)] | None = None
    roles: Annotated[list[Annotated[Role, Word]], Field(min_length=1, max_length=4)] | None = None
    labels: Labels = Field(default_factory=list)
    """Only memories that carry all of these."""
    exclude: Annotated[list[MemoryId], Field(max_length=bounds.EXCLUDED)] = Field(
        default_factory=list
    )
    """Memories that the caller has already: they are left out, and the answer counts them."""
    effort: Effort = "fast"
    """`thorough` has the best of what is found read again by the reranker."""


class Search(Recall):
    """The same, through one named pipeline alone."""

    pipeline: Annotated[Pipeline, Word]


class EventSource(Reply):
    """The event that a memory came from."""

    stream: str
    sequence: int
    type: str
    hash: Sha256Hex | None
    occurred_at: Instant | None = None
    """When it happened, as the runtime said; null where it did not say."""


class Source(Reply):
    """Where a memory came from: its event and the span in it, or a deliberate assertion."""

    event: EventSource | None
    span: tuple[int, int] | None
    sources: list[str] = Field(default_factory=list)
    """The memories that a synthesized one was made from."""
    extractor: str | None
    policy_fingerprint: str | None


class MemoryView(Reply):
    """One revision of a memory, as a person or a runtime sees it."""

    memory_id: str
    revision: int
    kind: Kind
    role: Role
    speaker: str | None
    text: str
    lifecycle: Lifecycle
    provenance: Provenance
    confidence: float
    importance: float | None
    pinned: bool
    labels: list[str]
    categories: list[str]
    session_id: str | None
    event_time: Instant | None
    valid_from: Instant | None
    valid_until: Instant | None
    created_at: Instant
    expires_at: Instant | None = None
    """When its term ends or ended; null where it has none, or is pinned."""
    source: Source


class ScoreParts(Reply):
    """What a score is made of; a part that did not take part is null."""

    lexical: float | None
    vector: float | None
    reranker: float | None = None


class Hit(MemoryView):
    """A memory that answers. Over 4,000 characters `text` is its best window.

    `span` gives the window's characters in the whole text, `complete` whether it is the whole.
    """

    span: tuple[int, int]
    complete: bool
    score: float
    """0 to 1, and the same from query to query."""
    parts: ScoreParts
    folded: list[str]
    """The memories that this one stands for: the turn of a fact, or the facts of a turn."""
    untrusted: Literal[True] = True


class Pipelines(Reply):
    """Where each pipeline stood for this answer, and the reranker that reads what they found."""

    lexical: PipelineState
    vector: PipelineState
    reranker: PipelineState = Field(default_factory=lambda: PipelineState(state="off"))
    """`off` where the effort was fast; `late` with the percent of its candidates that it read."""


class _Answer(Reply):
    pipelines: Pipelines
    partial: bool
    """True where a part that belongs to the answer is missing from it or not complete."""
    query_trimmed: bool
    excluded: int = 0
    """Memories that `exclude` kept from being among the hits."""
    epoch: str
    took_ms: float


class Hits(_Answer):
    """What is remembered, best first."""

    outcome: Literal["hits"] = "hits"
    hits: list[Hit]


class NoHits(_Answer):
    """At least one pipeline answered, and nothing was found that says enough about the query."""

    outcome: Literal["no_hits"] = "no_hits"


class Unavailable(Reply):
    """No pipeline answered in time; the turn goes on without memories."""

    outcome: Literal["unavailable"] = "unavailable"
    reason: Literal["deadline", "pipelines_failed", "pending_mutation", "epoch_ended"]
    pipelines: Pipelines
    epoch: str
    took_ms: float


class Disabled(Reply):
    """The bank is switched off."""

    outcome: Literal["disabled"] = "disabled"
    epoch: str


RecallOutcome = Annotated[Hits | NoHits | Unavailable | Disabled, Field(discriminator="outcome")]
