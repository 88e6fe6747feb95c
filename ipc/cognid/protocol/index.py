"""The index family: index.status, index.rebuild. Indexes are projections, always rebuildable.

A *generation* is an index as it was made at one time, from one model or rule. It is built beside
the live one, which goes on to answer, and takes its place in one step once it is complete.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cognid.protocol.addressed import Addressed, Mutation
from cognid.protocol.values import Pipeline, Reply, Word

PipelineStateName = Literal["ready", "building", "late", "failed", "off"]
GenerationStateName = Literal["building", "live", "retired"]


class PipelineState(Reply):
    """Where one pipeline stands.

    `building` answers with what is indexed so far; `late` did not answer within this deadline, or
    not to its end; `failed` names a code; `off` is not used by this operation.
    """

    state: PipelineStateName
    code: str | None = None
    percent: float | None = None


class IndexStatus(Addressed):
    """Ask where the indexes of a bank stand."""


class IndexView(Reply):
    """The indexes of a bank: what is there, what is still to be done, what was given up."""

    lexical: PipelineState
    vector: PipelineState
    space_id: str | None
    indexed: int
    """Current revisions whose text has all its vectors in this space."""
    backlog: int
    """Current revisions that still wait for vectors."""
    skipped: int
    """Revisions whose embedding failed again and again; they are found lexically."""


class GenerationView(Reply):
    """One generation of an index."""

    generation: int
    kind: Pipeline
    state: GenerationStateName
    """`building` beside the live one, `live`, or `retired` and being removed."""
    space_id: str | None
    """The space of its vectors; null where it is lexical."""
    percent: float
    """How much of what was current when it began is in it."""


class SkippedRow(Reply):
    """A current revision that an index is without."""

    memory_id: str
    revision: int
    pipeline: Pipeline
    code: str
    """Why: `text_damaged` where its bytes are no UTF-8, else a code of the model."""


class IndexReport(IndexView):
    """The same, with its generations in the order they were begun, and what was passed over."""

    generations: list[GenerationView]
    skipped_rows: list[SkippedRow]
    """The latest 100 of them."""


class IndexRebuild(Mutation):
    """Have indexes of a bank made anew beside the live ones. Answers at once; index.status tells
    how far it is. One that is being built already goes on."""

    pipelines: Annotated[
        list[Annotated[Pipeline, Word]], Field(min_length=1, max_length=len(Pipeline))
    ] = Field(default_factory=lambda: list(Pipeline))


class _Answer(Reply):
    operation_id: str
    replayed: bool = False


class RebuildBegun(_Answer):
    """It stands in the bank and will be done, whatever happens to the process."""

    outcome: Literal["committed"] = "committed"
    generations: dict[Pipeline, int]
    """The generation of each pipeline that was asked for."""
    epoch: str


class RebuildConflict(_Answer):
    """The operation id stands for something else already; nothing was done."""

    outcome: Literal["conflict"] = "conflict"
    reason: Literal["operation_reused"] = "operation_reused"


class RebuildWithoutEffect(_Answer):
    """Nothing was begun: the epoch ended meanwhile, or there is no model to make vectors with."""

    outcome: Literal["no_effect"] = "no_effect"
    reason: Literal["epoch_ended", "model_unavailable"]


RebuildOutcome = Annotated[
    RebuildBegun | RebuildConflict | RebuildWithoutEffect, Field(discriminator="outcome")
]
