"""Retention on the wire: memory.pin, the one way to keep a memory beyond its term.

A memory's term counts from the commit of its current revision, by its kind and the settings
(`docs/operations.md`); being recalled never extends it. From the end of its term on it is
`expired`: no recall finds it, inspect lists it under that lifecycle, and pinning revives it. After
30 days it is erased as by a forget, but it alone; its id is `forgotten` from then on.

Owns: the request and its outcomes.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cognid.protocol.addressed import Mutation
from cognid.protocol.authority import (
    Changed,
    Revision,
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    Unaffected,
)
from cognid.protocol.configure import Handle
from cognid.protocol.values import Instant, Lifecycle, MemoryId


class Pin(Mutation):
    """Pin a memory, so that it never expires, or take the pin away. Pinning revives one that has
    expired. A superseded one cannot be pinned (`not_current`).

    Without the pin the term holds again, and it still counts from the commit: a memory that is past
    it is expired at once, and the answer says so.
    """

    handle: Handle
    memory_id: MemoryId
    pinned: bool
    expected_revision: Revision | None = None


class Pinned(Changed):
    """Done. `affected` is the memory, `lifecycle` and `expires_at` are how it stands now.

    `revived`: it had expired and is current again. A replay tells how it was then.
    """

    pinned: bool
    revived: bool
    lifecycle: Lifecycle
    expires_at: Instant | None = None


PinOutcome = Annotated[
    Pinned | TargetsConflict | TargetsNotFound | TargetForgotten | Unaffected,
    Field(discriminator="outcome"),
]
