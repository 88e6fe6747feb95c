"""`cognid pin`: keep a memory beyond its term, or revive one that has expired."""

from __future__ import annotations

from cognid.cli import options
from cognid.cli.pinning import pin


def command(
    memory_id: options.MemoryId,
    revision: options.Revision = None,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Keep a memory for good; one that has expired is current again."""
    pin(memory_id, True, revision, owner, agent, deadline_ms, as_json)
