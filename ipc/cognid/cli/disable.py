"""`cognid disable`: switch an agent's memory off."""

from __future__ import annotations

from cognid.cli import options
from cognid.cli.switch import switch


def command(
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Switch an agent's memory off: nothing is taken in or recalled. It can still be looked at,
    forgotten from and wiped."""
    switch(False, owner, agent, deadline_ms, as_json)
