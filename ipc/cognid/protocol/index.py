"""The index family: index.status. The indexes are projections of the bank, always rebuildable."""

from __future__ import annotations

from typing import Literal

from cognid.protocol.addressed import Addressed
from cognid.protocol.values import Reply

PipelineStateName = Literal["ready", "building", "late", "failed", "off"]


class PipelineState(Reply):
    """Where one pipeline stands.

    `building` answers with what is indexed so far; `late` did not answer within this deadline;
    `failed` names a code; `off` is not used by this operation.
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
