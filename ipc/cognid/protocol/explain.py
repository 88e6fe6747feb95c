"""memory.explain: what intake would do with something that was said, and why. It stores nothing.

The answer names spans and rules, never the text: the caller has that.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cognid.protocol.addressed import Addressed
from cognid.protocol.values import Instant, Kind, MemoryText, Reference, Reply, Role, Word


class Explain(Addressed):
    """Ask what would become of a turn. With the session, what was asked earlier in it counts too;
    with `occurred_at`, that is what relative dates are counted from."""

    session_id: Reference | None = None
    role: Annotated[Role, Word] = Role.USER
    content: MemoryText
    occurred_at: Instant | None = None


class ExplainedFact(Reply):
    """A fact that would be made of a part of the turn, and the rule that found it.

    Where a current fact says the same already, that one would stand for it.
    """

    span: tuple[int, int]
    kind: Kind
    confidence: float
    rule: str
    event_time: Instant | None
    valid_from: Instant | None
    valid_until: Instant | None


class ExplainedDrop(Reply):
    """A part of the turn of which no fact would be made, and why."""

    span: tuple[int, int]
    reason: str


class ExplainReply(Reply):
    """What intake would do.

    `rules` are those that keep it out; `note` is a sentence for a person where there is more to
    say. `intent` and `scope` say what was read as a request about remembering: `none` and null
    where nothing was. Of a turn that would be rejected no facts are listed.
    """

    outcome: Literal["explained"] = "explained"
    would: Literal["store", "reject"]
    rules: list[str]
    note: str | None
    intent: str
    scope: str | None
    facts: list[ExplainedFact]
    dropped: list[ExplainedDrop] = Field(default_factory=list)
