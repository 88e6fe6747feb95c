"""A query, and what is answered to it, as the house passes them around.

Owns: the frozen types between the recall room and its callers. May not know the wire.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cognid.protocol.index import PipelineStateName
from cognid.protocol.values import Kind, Role
from cognid_daemon.bank.errors import BankError, DeadlineError
from cognid_daemon.bank.rows import Event, Memory


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked. `kinds` and `roles` of None allow all; every one of `labels` must be there.

    `session_id` says where it is asked; memories of all sessions answer.
    """

    text: str = field(repr=False)
    limit: int
    kinds: frozenset[Kind] | None = None
    roles: frozenset[Role] | None = None
    labels: frozenset[str] = field(default=frozenset(), repr=False)
    session_id: str | None = None
    exclude: frozenset[str] = frozenset()
    """Ids of memories that are no hits; further ones take their places."""

    @property
    def is_filtered(self) -> bool:
        """Whether some memories may not answer."""
        return self.kinds is not None or self.roles is not None or bool(self.labels)


@dataclass(frozen=True, slots=True)
class State:
    """Where one pipeline stood for an answer; `percent` of what it should hold is indexed."""

    state: PipelineStateName
    code: str | None = None
    percent: float | None = None

    @property
    def answered(self) -> bool:
        """Whether its hits, be they none, are in the answer."""
        return self.state in ("ready", "building")


def failure(error: BankError) -> State:
    """Where a pipeline stands whose read failed."""
    return LATE if isinstance(error, DeadlineError) else State("failed", error.code)


READY = State("ready")
LATE = State("late")
OFF = State("off")


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers. `text` is its characters from `span[0]` to `span[1]`.

    `lexical`, `vector` and `reranker` are the parts of `score`, each 0 to 1; None where that did
    not take part. `folded` are the ids of those of its group that it stands for.
    """

    memory: Memory
    event: Event | None
    """The event it came from; None for an assertion."""
    text: str = field(repr=False)
    span: tuple[int, int]
    complete: bool
    score: float
    lexical: float | None
    vector: float | None
    folded: tuple[str, ...] = ()
    reranker: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query brought back, best first, and which pipelines it is made of."""

    hits: tuple[Hit, ...]
    lexical: State
    vector: State
    query_trimmed: bool
    excluded: int = 0
    """How many of the best were left out because the query excludes them."""
    reranker: State = OFF

    @property
    def partial(self) -> bool:
        """Whether a part that belongs to the answer is missing from it or not complete."""
        parts = (self.lexical, self.vector, self.reranker)
        return any(part.state in ("building", "late", "failed") for part in parts)

    @property
    def answered(self) -> bool:
        """Whether any pipeline answered; if none did, no hits does not mean that there are none."""
        return self.lexical.answered or self.vector.answered


@dataclass(frozen=True, slots=True)
class IndexState:
    """Where a bank's indexes stand: revisions with all their vectors, waiting, and given up."""

    lexical: State
    vector: State
    space_id: str | None
    indexed: int
    backlog: int
    skipped: int
