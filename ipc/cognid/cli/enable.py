"""`cognid enable`: switch an agent's memory on."""

from __future__ import annotations

from cognid.cli import options
from cognid.cli.switch import switch


def command(
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Switch an agent's memory on. What was said while it was off stays out."""
    switch(True, owner, agent, deadline_ms, as_json)
