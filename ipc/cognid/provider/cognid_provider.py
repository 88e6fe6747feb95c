"""`CognidProvider`: memory for an agent host, kept by the daemon.

An ordinary client of the bridge with the face of `MemoryProvider`. It stands for one owner, one
agent and one policy; `under` gives the same provider, on the same connection, under the policy of
another turn.

Owns: the methods, and what a policy switches off. How a question is asked is `reading.py`'s, how a
write is made `writing.py`'s.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from cognid.aliases import Aliases
from cognid.client import AsyncClient
from cognid.client.closing import AsyncClosing
from cognid.configure import AsyncAgentMemory
from cognid.credentials import Credential
from cognid.protocol import bounds
from cognid.protocol.authority import CorrectOutcome
from cognid.protocol.configure import ForgottenMemory, History, NotFound, Page, Shown
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import EvidenceOutcome, EvidenceRejected, EvidenceSkipped
from cognid.protocol.ids import new_operation_id
from cognid.protocol.operations import Resolution
from cognid.protocol.values import Kind
from cognid.provider.attempts import Attempts
from cognid.provider.evidence import Body, admitted, remember_evidence
from cognid.provider.health import health_of
from cognid.provider.identity import Identity
from cognid.provider.known import Known
from cognid.provider.messages import turns_of
from cognid.provider.options import COGNID_OPTIONS
from cognid.provider.policy import MemoryRuntimePolicy, resolve_policy
from cognid.provider.protocol import Context, Labels
from cognid.provider.reading import DEFAULT_MODE, Asked, Reader
from cognid.provider.shapes import importance_of, labels_of, new_session_id, recall_answer
from cognid.provider.under_policy import PolicyClient
from cognid.provider.writing import Writer, check_forgotten, forget_as_tool


class CognidProvider(AsyncClosing):
    """The memory of one owner and agent, for asyncio. See `MemoryProvider` for the methods.

    `agent_id` and `user_email` of its methods must be the provider's, where they are given.

    Args:
        socket, credential, owner, agent: as of `AsyncClient`.
        options: what the host keeps for the agent; see `COGNID_OPTIONS`.
        aliases: of the session in which memories are named `m1`, `m2`, …; None for ids alone.
        recall_deadline_ms: how long a recall may take; by default the bridge's 200 ms.

    Raises:
        CognidError: `invalid_argument` for an option that is unknown or wrong.
    """

    options: Final = COGNID_OPTIONS

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        options: Mapping[str, Any] | None = None,
        aliases: Aliases | None = None,
        recall_deadline_ms: int | None = None,
    ) -> None:
        self._link = AsyncClient(socket, credential, owner, agent)
        self._identity = Identity(owner, agent)
        self._known = Known()
        self._attempts = Attempts()
        self._deadline_ms = recall_deadline_ms
        self._options: dict[str, Any] = {}
        self._rule(options or {}, None, True, aliases)

    def under(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        enabled: bool = True,
        profile_id: str | None = None,
        aliases: Aliases | None = None,
    ) -> Self:
        """Give this provider, on the same connection, under the policy of a profile.

        Args:
            options: the profile's, laid over the agent's field by field.
            enabled: False where the profile has no memory.
            profile_id: the profile's name, for the audit record.
            aliases: of the session that the turn belongs to.
        """
        other = copy.copy(self)
        other._rule(options or {}, profile_id, enabled, aliases)
        return other

    def _rule(
        self,
        options: Mapping[str, Any],
        profile_id: str | None,
        enabled: bool,
        aliases: Aliases | None,
    ) -> None:
        self.policy: MemoryRuntimePolicy = resolve_policy(
            COGNID_OPTIONS, self._options, options, enabled=enabled, profile_id=profile_id
        )
        self._options = COGNID_OPTIONS.validate_options({**self._options, **options})
        self._aliases = aliases
        self._client = PolicyClient(self._link, self.policy.policy_fingerprint)
        self._memory = AsyncAgentMemory(self._client, aliases)
        self._writer = Writer(self._client, self.policy.policy_fingerprint, self._attempts)
        self._reader = Reader(
            self._client,
            self.policy,
            self._options["core_tokens"],
            self._known,
            aliases,
            self._deadline_ms,
        )

    async def close(self) -> None:
        """End the connection, for every policy that shares it."""
        await self._link.close()

    async def load_session_identity(
        self,
        *,
        session_id: str | None = None,
        labels: Labels | None = None,
        context: Context | None = None,
    ) -> dict[str, Any]:
        """Give what a session begins with: a bootstrap recall without a query."""
        return await self.recall(
            "", session_id, labels, context, DEFAULT_MODE, include_instructions=True
        )

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
        """Give what belongs into a turn: what is new to its session, best first.

        Args:
            query: what the turn is about; blank asks for nothing.
            session_id: the session; without one it begins here, and the answer names it.
            labels: only memories that carry all of these.
            context: looked at for claims of identity, and otherwise not used.
            search_mode: `find` or `search` (both pipelines), `thorough` (and the reranker),
                `lexical`, `vector`; for an unknown one it is `find`, and the metadata says so.
            include_instructions: whether the answer is to hold what a session begins with.
            managed: taken and without effect: the instructions are the options' as they stand.
            instruction_mode: likewise; one that is given is named as degraded in the metadata.
            ttl: seconds for which a memory that was given counts as known to the session.

        Returns:
            A `RecallAnswer`: the contract's keys, and a `metadata` attribute beside them.
        """
        self._check(labels, context, session_id)
        if ttl is not None and (isinstance(ttl, bool) or ttl < 0):
            raise CognidError("invalid_argument", "ttl: seconds, 0 or more")
        session = session_id or new_session_id()
        words = labels_of(labels)
        if not self.policy.enabled:
            return recall_answer(session, {"outcome": "disabled", "degraded": ["disabled"]})
        asked = Asked(
            query=query,
            session_id=session,
            begins=include_instructions or session_id is None,
            labels=words,
            search_mode=search_mode,
            instruction_mode=instruction_mode,
            ttl=ttl,
        )
        return await self._reader.recall(asked)

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
        """Take in what was said in a session, in this order; the daemon looks for the facts in it.

        Called again with the same arguments after an error, it goes on where it was, and nothing
        is stored twice.

        Args:
            session_id: the session.
            messages: objects with `role`, `content`, and where they are known `name` and
                `occurred_at`; at most 100.
            role: of those that name none.
            labels: put on the memories that come of it.
            context: looked at for claims of identity, and otherwise not used.
            user_email, agent_id: see the class.
        """
        self._check(labels, context, session_id, user_email, agent_id)
        turns = turns_of(messages, role, self._identity, session_id)
        words = labels_of(labels)
        if self.policy.enabled:
            await self._writer.remember(session_id, turns, words)

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
        """Assert one memory deliberately; gives its id, or that of the memory that says the same.

        Args:
            content: at most 4,000 characters.
            memory_type: fact (by default), preference, episodic, procedural, context.
            importance: low, normal, high, critical, or a share from 0 to 1.
            pinned: whether it belongs to the core memories, and has no term.
            categories, role, labels: put on it.
            agent_id, user_email: see the class.

        Raises:
            CognidError: `memory_refused` where it was not stored, with the rules or the reason.
        """
        self._check(labels, None, None, user_email, agent_id)
        words, share = labels_of(labels), importance_of(importance)
        if not self.policy.enabled:
            raise CognidError("memory_refused", "no_effect: the policy has no memory")
        return await self._writer.add(
            content,
            kind=memory_type or Kind.FACT.value,
            categories=list(categories or ()),
            importance=share,
            role=role,
            pinned=pinned,
            labels=words,
        )

    async def search(
        self,
        query: str,
        labels: Labels | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> list[dict[str, Any]]:
        """Find memories, best first, whatever the session was given.

        Args:
            query: what they are about.
            labels: only those that carry all of these.
            categories: only those of one of these, among the first hundred that are found.
            limit: 1 to 100.
            agent_id, user_email: see the class.

        Raises:
            CognidError: `recall_unavailable` where no pipeline answered in time.
        """
        self._check(labels, None, None, user_email, agent_id)
        words = labels_of(labels)
        if not self.policy.enabled:
            return []
        return await self._reader.search(query, words, categories, limit)

    async def delete_memory(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Forget a memory for good, as the host: by the right `configure`. Off or on.

        Raises:
            CognidError: `memory_refused` where there never was one, or an alias is stale.
        """
        self._identity.check(agent_id=agent_id, user_email=user_email)
        check_forgotten(await self._memory.forget(memory_id, confirmed=True))

    async def delete_memory_tool(
        self, memory_id: str, *, agent_id: str | None = None, user_email: str | None = None
    ) -> None:
        """Forget a memory for good, as the agent: by the right `tool_forget`, under that name in
        the ledger, and only where the policy has tools.

        Raises:
            CognidError: `forbidden` without the right or the tools; `memory_refused` as
                `delete_memory`.
        """
        self._identity.check(agent_id=agent_id, user_email=user_email)
        if not self.policy.tools_enabled:
            raise CognidError("forbidden", "the policy has no memory tools")
        await forget_as_tool(self._client, memory_id, self._aliases)

    async def bootstrap_agent(self, agent: Any) -> None:
        """Make the agent's bank if there is none, on if the policy is. One that is there stays as
        it is, its switch too.

        Args:
            agent: the host's: a name, a mapping or an object with `agent_id` and the like; all that
                it claims must be the provider's.
        """
        self._identity.check_agent(agent)
        await self._client.ensure_bank(enabled=self.policy.enabled)

    async def health(self) -> dict[str, Any]:
        """Tell how the daemon and the bank stand; raises nothing."""
        return await health_of(self._client, self.policy)

    async def remember_evidence(
        self,
        evidence: Body,
        *,
        occurred_at: datetime | None = None,
        operation_id: str | None = None,
        agent_id: str | None = None,
        user_email: str | None = None,
    ) -> EvidenceOutcome:
        """Remember a trusted evidence that the host made, and tell in the seven outcomes what
        became of it. A lost answer is `unavailable`, never a second attempt.

        Args:
            evidence: the body of `mnemory.trusted-evidence.v1`; its owner must be the provider's.
            occurred_at: when it was said, with a time zone.
            operation_id: of the outcome that was unavailable, to send the very same again.
            agent_id, user_email: see the class.
        """
        self._identity.check(agent_id=agent_id, user_email=user_email)
        operation_id = operation_id or new_operation_id()
        body = admitted(self._identity, evidence, operation_id)
        if isinstance(body, EvidenceRejected):
            return body
        if not self.policy.enabled:
            return EvidenceSkipped(operation_id=operation_id, reason="disabled")
        return await remember_evidence(self._client, body, occurred_at, operation_id)

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
        is the owner; else it is None, and nothing was sent. The arguments are those of
        `AsyncClient.remember_user_event`; the hash is the one that the host made as it persisted
        the event.
        """
        self._identity.check(agent_id=agent_id, user_email=user_email)
        if not self.policy.auto_remember or not event_hash or user_id != self._identity.owner:
            return None
        return await self._client.remember_user_event(
            content,
            stream=stream,
            sequence=sequence,
            user_id=user_id,
            conversation=conversation,
            turn=turn,
            session_id=session_id,
            event_hash=event_hash,
            occurred_at=occurred_at,
            operation_id=operation_id,
        )

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
        """Replace a memory's text, where it still has the revision that was seen. Through an alias
        the revision is that which was shown. See `AsyncAgentMemory.correct`."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        return await self._memory.correct(
            memory_id, text, expected_revision=expected_revision, operation_id=operation_id
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
        """Show one memory whole, or without an id a page of the current ones, newest first."""
        self._identity.check(agent_id=agent_id, user_email=user_email)
        if memory_id is None:
            return await self._memory.inspect(limit=limit, cursor=cursor)
        return await self._memory.get(memory_id)

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
        self._identity.check(agent_id=agent_id, user_email=user_email)
        return await self._memory.history(memory_id, limit=limit, cursor=cursor)

    async def resolve(self, operation_id: str) -> Resolution:
        """Settle what became of a write whose answer was lost (`OutcomeUnknownError`)."""
        return await self._client.resolve(operation_id)

    def _check(
        self,
        labels: Labels | None,
        context: Context | None,
        session_id: str | None,
        user_email: str | None = None,
        agent_id: str | None = None,
    ) -> None:
        self._identity.check(agent_id=agent_id, user_email=user_email)
        self._identity.check_fields("labels", labels, session_id)
        self._identity.check_context(context, session_id)
