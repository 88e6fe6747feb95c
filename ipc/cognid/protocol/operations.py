"""The operations family: operation.resolve settles for good what became of a write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from cognid.protocol.addressed import Addressed
from cognid.protocol.values import OperationId, Reply


class Resolve(Addressed):
    """Ask what became of an operation id. An id that never arrived is sealed: it never will."""

    operation_id: OperationId


class _Answer(Reply):
    operation_id: str


class ResolvedCommitted(_Answer):
    """It is on disk; `stored` is the outcome that was, or would have been, answered."""

    outcome: Literal["committed"] = "committed"
    stored: dict[str, Any]


class ResolvedRefused(_Answer):
    """It arrived and changed no memory; `stored` tells why."""

    outcome: Literal["refused"] = "refused"
    stored: dict[str, Any]


class Sealed(_Answer):
    """It had not arrived and now never can."""

    outcome: Literal["sealed"] = "sealed"


class Pending(_Answer):
    """It is in flight; ask again."""

    outcome: Literal["pending"] = "pending"


class Expired(_Answer):
    """It is older than the receipts that are kept, so its fate is not known any more."""

    outcome: Literal["expired"] = "expired"


Resolution = Annotated[
    ResolvedCommitted | ResolvedRefused | Sealed | Pending | Expired,
    Field(discriminator="outcome"),
]
