"""The memory provider: what an agent host asks of whatever remembers for it.

Names, parameters and shapes are those of the contract that such hosts know; `docs/provider.md` has
them on one page, `cognid/testing.py` checks them. The methods after `health` are ours: they carry
what the contract has no room for, and answer in types.

A provider stands for one owner and one agent. `agent_id`, `user_email`, `labels` and `context` can
only repeat that: what claims another is `identity_mismatch`, and nothing is done.

Owns: the protocol and the keys of its answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Protocol, runtime_checkable

from cognid.protocol import bounds
from cognid.protocol.authority import CorrectOutcome
from cognid.protocol.configure import ForgottenMemory, History, NotFound, Page, Shown
from cognid.protocol.evidence import Evidence, EvidenceOutcome

RECALL_KEYS: Final = frozenset(
    {"session_id", "instructions", "core_memories", "search_results", "stats"}
)
STATS_KEYS: Final = frozenset(
    {"core_count", "search_count", "new_count", "known_skipped", "latency_ms"}
)
ITEM_KEYS: Final = frozenset({"id", "memory", "score", "metadata", "has_artifacts"})
BELIEF_KEYS: Final = frozenset({"provenance", "lifecycle", "confidence", "revision"})
"""What an item's metadata says at least: how far it can be believed, and which revision it is."""
HEALTH_KEYS: Final = frozenset(
    {"name", "status", "latency_ms", "circuit_state", "error", "details"}
)
HEALTH_STATUSES: Final = frozenset({"ok", "degraded", "disabled", "unavailable"})

Labels = Mapping[str, Any]
Context = str | Mapping[str, Any]


@runtime_checkable
class MemoryProvider(Protocol):
    """What remembers for one agent.

    Raises:
        CognidError: by every method but `health`; `identity_mismatch` where an argument claims
            another owner or agent than the provider's.
        OutcomeUnknownError: by every method that writes, where the answer was lost. The write is
            never repeated by itself.
    """

    async def load_session_identity(
        self,
        *,
        session_id: str | None = None,
        labels: Labels | None = None,
        context: Context | None = None,
    ) -> dict[str, Any]:
        """Give what a session begins with: a bootstrap recall without a query."""
        ...

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
        """Give what belongs into a turn; the keys are `RECALL_KEYS`, those of stats `STATS_KEYS`.

        With `include_instructions`, or without a session, also what a session begins with.
        """
        ...

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
        """Take in what was said in a session, in this order."""
        ...

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
        """Assert one memory deliberately; gives its id."""
        ...

    async def search(
        self,
        query: str,
        labels: Labels | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> list[dict[str, Any]]:
        """Find memories, best first; each is an object with `ITEM_KEYS`."""
        ...

    async def delete_memory(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Delete a memory for good, as the host. A memory that was deleted before stays so."""
        ...

    async def delete_memory_tool(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Delete a memory for good, as a tool that the agent calls: with a right of its own."""
        ...

    async def bootstrap_agent(self, agent: Any) -> None:
        """Make ready to remember for this agent. It must be the provider's."""
        ...

    async def health(self) -> dict[str, Any]:
        """Tell how it stands, with `HEALTH_KEYS`; raises nothing."""
        ...

    async def remember_evidence(
        self,
        evidence: Evidence | Mapping[str, Any],
        *,
        occurred_at: datetime | None = None,
        operation_id: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> EvidenceOutcome:
        """Remember a trusted evidence (`mnemory.trusted-evidence.v1`) that the host made."""
        ...

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
        """Remember what a user said, bound to the event in which the host persisted it.

        Fires only when the policy remembers by itself, the event's hash is there, and who said it
        is the owner; else it is None, and nothing was sent.
        """
        ...

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
        """Replace a memory's text, where it still has the revision that was seen."""
        ...

    async def inspect(
        self,
        memory_id: str | None = None,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> Page | Shown | ForgottenMemory | NotFound:
        """Show one memory whole, or without an id a page of the current ones, newest first."""
        ...

    async def history(
        self,
        memory_id: str,
        *,
        limit: int = bounds.INSPECT_PAGE_DEFAULT,
        cursor: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> History | NotFound:
        """Show what happened to one memory, by whom and under which policy, oldest first."""
        ...
