"""context.assemble: what an agent should have before it for one turn, within a budget of tokens.

The text is made of four sections, in this order: `standing` (pinned memories and preferences, by
id: the same bytes as long as nothing of them changes, so that a prompt's prefix can be cached),
`lanes`, `messages` (the last ones of the session) and `recalled` (what answers the query). Items
are whole or not there; the budget counts every word of the text, the fence and headings too. All of
it stands inside one fence, as data: `cognid/rendering.py` writes it, `docs/context.md` explains it.

What could have been there and is not, is counted and named in `omitted`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed
from cognid.protocol.recall import Disabled, Pipelines, Unavailable
from cognid.protocol.values import (
    Instant,
    MemoryId,
    Provenance,
    QueryText,
    Reference,
    Reply,
    Role,
)

Part = Literal["memories", "lanes", "messages"]
PARTS: Final[tuple[Part, ...]] = ("memories", "lanes", "messages")
SectionName = Literal["standing", "lanes", "messages", "recalled"]
WhyNot = Literal[
    "budget", "excluded", "in_messages", "past_limit", "late", "failed", "not_granted", "no_session"
]
"""Why something is not in a context: it did not fit; `exclude` names it; a message of the section
before says the same turn; there is more than is looked at; it was not read within the deadline; it
could not be read; the grant lacks the right `lane` or `session`; no session was named."""


class Assemble(Addressed):
    """Put together what belongs into one turn's prompt.

    Without `query` nothing is recalled, without `session_id` there are no messages. `lanes` names
    those wanted; none given means all. `exclude` names memories that the caller has already shown.
    """

    query: QueryText | None = None
    session_id: Reference | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=bounds.CONTEXT_TOKENS)] = (
        bounds.CONTEXT_TOKENS_DEFAULT
    )
    include: Annotated[list[Part], Field(min_length=1, max_length=3)] = Field(
        default_factory=lambda: list(PARTS)
    )
    lanes: Annotated[list[Reference], Field(max_length=bounds.LANES)] | None = None
    exclude: Annotated[list[MemoryId], Field(max_length=bounds.EXCLUDED)] = Field(
        default_factory=list
    )


class ContextItem(Reply):
    """One item of the text: what it is, where it came from, and how far it can be believed.

    `kind` is a memory's kind, a unit's type, or `message`. `source` names what it came from: the
    event of a memory (`stream:sequence`), the lane of a unit, the session of a message.
    """

    id: str
    kind: str
    provenance: Provenance | None
    """Of memories: whether the user said it, or it was worked out, or made from others."""
    role: Role | None
    source: str | None
    created_at: Instant | None
    """When it was stored; null for units."""
    event_time: Instant | None
    """When it was said or happened, where that is known."""
    trust: Literal["untrusted"] = "untrusted"
    """All of it is data, whoever said it."""
    score: float | None = None
    tokens: int


class ContextSection(Reply):
    """A part of the text, with its items in the order in which they stand there."""

    name: SectionName
    items: list[ContextItem]


class Omitted(Reply):
    """What is not in the text: how many, the first 50 by id, and why.

    `count` is null where it was not found out (`late`, `failed`, `not_granted`, `no_session`).
    """

    section: SectionName
    reason: WhyNot
    count: int | None
    ids: list[str]


class Assembled(Reply):
    """The text for the prompt; empty where nothing is known or nothing fits."""

    outcome: Literal["assembled"] = "assembled"
    text: str
    tokens: int
    """Of the whole text, at most the budget."""
    counted_by: Literal["tokenizer", "bytes"]
    """By the model's tokenizer; by bytes, which are never fewer, while there is no model."""
    sections: list[ContextSection]
    omitted: list[Omitted]
    pipelines: Pipelines | None
    """Where each pipeline of the recall stood; null where nothing was recalled."""
    partial: bool
    """Whether something that belongs to it is missing or not complete: a pipeline, or a section."""
    query_trimmed: bool
    epoch: str
    took_ms: float
    untrusted: Literal[True] = True


ContextOutcome = Annotated[Assembled | Unavailable | Disabled, Field(discriminator="outcome")]
