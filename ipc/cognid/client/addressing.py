"""Whose bank a call is about: the client's own owner, agent and session, or those that it names.

Owns: these three, and how a call overrides them. Has no operation of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cognid.client.arguments import Unset
from cognid.client.daemon_calls import DaemonCalls
from cognid.credentials import Credential


class Addressing(DaemonCalls):
    """A client that stands for one owner, agent and session unless a call names others."""

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        session_id: str | None = None,
    ) -> None:
        super().__init__(socket, credential)
        self.owner: Final = owner
        self.agent: Final = agent
        self.session_id: Final = session_id

    def _whose(self, owner: str | None, agent: str | Unset | None) -> dict[str, str | None]:
        return {
            "owner": self.owner if owner is None else owner,
            "agent": self.agent if isinstance(agent, Unset) else agent,
        }

    def _session(self, session_id: str | Unset | None) -> str | None:
        return self.session_id if isinstance(session_id, Unset) else session_id
