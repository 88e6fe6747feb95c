"""`NullProvider`: memory that is switched off, with every method and every key.

For agents that are to have no memory, and for tests that need none. It keeps nothing, finds
nothing, and says `disabled`, not ok. Claims of another identity are refused as everywhere.

Owns: these answers. Connects to nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from cognid.client.arguments import make
from cognid.protocol import bounds
from cognid.protocol.authority import CorrectOutcome, TargetsNotFound
from cognid.protocol.configure import ForgottenMemory, History, NotFound, Page, Shown
from cognid.protocol.evidence import EvidenceOutcome, EvidenceRejected, EvidenceSkipped
from cognid.protocol.ids import new_operation_id
from cognid.provider.evidence import Body, admitted
from cognid.provider.identity import Identity
from cognid.provider.messages import turns_of
from cognid.provider.options import NULL_BACKEND, NULL_OPTIONS
from cognid.provider.policy import MemoryRuntimePolicy
from cognid.provider.protocol import Context, Labels
from cognid.provider.shapes import importance_of, labels_of, new_session_id, recall_answer

NULL_MEMORY_ID: Final = "null-memory-id"
"""What add_memory gives for a memory that nobody keeps."""


class NullProvider:
    """No memory for one owner and agent.

    Args:
        owner, agent: whose, as of `CognidProvider`.
    """

    options: Final = NULL_OPTIONS

    def __init__(self, owner: str = "local", agent: str | None = None) -> None:
        self._identity = Identity(owner, agent)
        self.policy: Final[MemoryRuntimePolicy] = NULL_OPTIONS.resolve_policy({})

    async def load_session_identity(
        self,
        *,
        session_id: str | None = None,
        labels: Labels | None = None,
        context: Context | None = None,
    ) -> dict[str, Any]:
        """Give a bootstrap with nothing in it."""
        return await self.recall("", session_id, labels, context)

    async def recall(
        self,
        query: str,
        session_id: str | None = None,
        labels: Labels | None = None,
        context: Context | None = None,
        search_mode: str = "find",
        include_instructions: bool = False,
        managed: bool = False,
        instruction_mode: str | None = None,
        ttl: int | None = None,
    ) -> dict[str, Any]:
        """Find nothing; every key is there."""
        self._identity.check_fields("labels", labels, session_id)
        self._identity.check_context(context, session_id)
        metadata = {"outcome": "disabled", "degraded": ["disabled"]}
        return recall_answer(session_id or new_session_id(), metadata)

    async def remember(
        self,
        session_id: str,
        messages: list[dict[str, Any]],
        role: str | None = None,
        labels: Labels | None = None,
        context: Context | None = None,
        user_email: str | None = None,
        agent_id: str | None = None,
    ) -> None:
        """Keep nothing."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        self._identity.check_fields("labels", labels, session_id)
        self._identity.check_context(context, session_id)
        turns_of(messages, role, self._identity, session_id)

    async def add_memory(
        self,
        content: str,
        memory_type: str | None = None,
        categories: list[str] | None = None,
        importance: str | float | None = None,
        role: str = "user",
        pinned: bool = False,
        labels: Labels | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> str:
        """Keep nothing; gives `NULL_MEMORY_ID`."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        self._identity.check_fields("labels", labels)
        labels_of(labels)
        importance_of(importance)
        return NULL_MEMORY_ID

    async def search(
        self,
        query: str,
        labels: Labels | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> list[dict[str, Any]]:
        """Find nothing."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        self._identity.check_fields("labels", labels)
        return []

    async def delete_memory(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Delete nothing; nothing is there."""
        self._identity.check(agent_id=agent_id, user_email=user_email)

    async def delete_memory_tool(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Delete nothing; nothing is there."""
        self._identity.check(agent_id=agent_id, user_email=user_email)

    async def bootstrap_agent(self, agent: Any) -> None:
        """Make nothing ready."""
        self._identity.check_agent(agent)

    async def health(self) -> dict[str, Any]:
        """Say that memory is off."""
        return {
            "name": NULL_BACKEND,
            "status": "disabled",
            "latency_ms": 0.0,
            "circuit_state": "closed",
            "error": None,
            "details": {},
        }

    async def remember_evidence(
        self,
        evidence: Body,
        *,
        occurred_at: datetime | None = None,
        operation_id: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> EvidenceOutcome:
        """Skip it, since memory is off."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        operation_id = operation_id or new_operation_id()
        body = admitted(self._identity, evidence, operation_id)
        if isinstance(body, EvidenceRejected):
            return body
        return EvidenceSkipped(operation_id=operation_id, reason="disabled")

    async def remember_user_event(
        self,
        content: str,
        *,
        session_id: str,
        stream: str,
        sequence: int,
        event_hash: str | None,
        user_id: str,
        conversation: str,
        turn: str,
        occurred_at: datetime | None = None,
        operation_id: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> EvidenceOutcome | None:
        """Not fire: the policy remembers nothing."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        return None

    async def correct(
        self,
        memory_id: str,
        text: str,
        *,
        expected_revision: int | None = None,
        operation_id: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> CorrectOutcome:
        """Find nothing to correct."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        return make(
            TargetsNotFound,
            operation_id=operation_id or new_operation_id(),
            unknown=[memory_id],
        )

    async def inspect(
        self,
        memory_id: str | None = None,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> Page | Shown | ForgottenMemory | NotFound:
        """Show that there is nothing."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        if memory_id is None:
            return Page(memories=[], total=0, cursor=None, epoch="")
        return NotFound(memory_id=memory_id, epoch="")

    async def history(
        self,
        memory_id: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> History | NotFound:
        """Show that there is nothing."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        return NotFound(memory_id=memory_id, epoch="")
