"""The router: which pipelines an operation asks. Static, one table, no guessing from the query.

Owns: `ROUTES`. How a pipeline answers is its own affair.
"""

from __future__ import annotations

from typing import Final

from cognid.protocol.values import Pipeline

NAMED: Final = None
"""The one that the request names."""

ROUTES: Final[dict[str, frozenset[Pipeline] | None]] = {
    "memory.recall": frozenset({Pipeline.LEXICAL, Pipeline.VECTOR}),
    "memory.search": NAMED,
    "context.assemble": frozenset({Pipeline.LEXICAL, Pipeline.VECTOR}),
}


def pipelines_of(operation: str, named: Pipeline | None = None) -> frozenset[Pipeline]:
    """The pipelines that an operation asks; the others are `off` in its answer."""
    route = ROUTES[operation]
    if route is not None:
        return route
    if named is None:
        raise ValueError(operation)
    return frozenset({named})
