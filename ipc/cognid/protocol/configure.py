"""The configure family as far as this build has it: configure.open and memory.inspect (list, get).

A manager handle is the short-lived right to inspect and change one agent's memories: bound to the
connection, the agent, the epoch and time, and given only to grants with `configure`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from cognid.protocol import bounds
from cognid.protocol.addressed import Addressed
from cognid.protocol.recall import MemoryView
from cognid.protocol.values import Instant, Kind, MemoryId, Reference, Reply, Word

Handle = Annotated[str, StringConstraints(pattern=r"^mgr_[0-9a-f]{64}$")]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=512)]


class ConfigureOpen(Addressed):
    """Ask for a manager handle."""


class ManagerHandle(Reply):
    """The handle, and what it is bound to."""

    handle: str
    expires_at: Instant
    epoch: str
    enabled: bool


class InspectList(Addressed):
    """List current memories, newest first, a page at a time."""

    view: Literal["list"]
    handle: Handle
    limit: Annotated[int, Field(ge=1, le=bounds.INSPECT_PAGE_MAX)] = bounds.INSPECT_PAGE_DEFAULT
    cursor: Cursor | None = None
    kinds: Annotated[list[Annotated[Kind, Word]], Field(min_length=1, max_length=6)] | None = None
    session_id: Reference | None = None


class InspectGet(Addressed):
    """Show one memory whole."""

    view: Literal["get"]
    handle: Handle
    memory_id: MemoryId


Inspect = Annotated[InspectList | InspectGet, Field(discriminator="view")]


class Page(Reply):
    """One page. A page may end early at 1 MiB of text; the cursor goes on from there."""

    view: Literal["list"] = "list"
    memories: list[MemoryView]
    total: int
    """Memories that the filters let through, on all pages."""
    cursor: str | None
    epoch: str


class Shown(Reply):
    """One memory whole, with what came from the same event."""

    view: Literal["get"] = "get"
    memory: MemoryView
    group: list[str]
    """Ids of the other memories of the same event."""
    epoch: str


class NotFound(Reply):
    """There is no such memory in this bank."""

    view: Literal["not_found"] = "not_found"
    memory_id: str
    epoch: str


InspectReply = Annotated[Page | Shown | NotFound, Field(discriminator="view")]
