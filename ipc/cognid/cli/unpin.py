"""`cognid unpin`: let a memory's term hold again."""

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
    """Let a memory's term hold again, counted from its commit: it may expire at once."""
    pin(memory_id, False, revision, owner, agent, deadline_ms, as_json)
