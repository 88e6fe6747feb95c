"""Reading: recall and search for a host, and what a session begins with.

Owns: the search modes, what of an answer is new to a session, and what is said of an answer that is
less than it could be. Writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from cognid.aliases import Aliases
from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.context import Assembled
from cognid.protocol.errors import CognidError
from cognid.protocol.recall import Disabled, Hit, Hits, NoHits, RecallOutcome, Unavailable
from cognid.protocol.values import Pipeline
from cognid.provider.known import Known
from cognid.provider.policy import MemoryRuntimePolicy
from cognid.provider.shapes import RecallAnswer, item_of, recall_answer

DEFAULT_MODE: Final = "find"
THOROUGH_MODE: Final = "thorough"
_PIPELINES: Final[dict[str, Pipeline | None]] = {
    DEFAULT_MODE: None,
    "search": None,
    THOROUGH_MODE: None,
    "lexical": Pipeline.LEXICAL,
    "vector": Pipeline.VECTOR,
}
"""The search modes. `find` and `search` are hosts' words, and which of them costs more differs from
host to host: both are answered by the two pipelines, within a turn's time. Nothing but `thorough`
has the reranker, an optional part that takes longer. The last two are one pipeline alone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a host asks of a recall."""

    query: str
    session_id: str
    begins: bool
    """Whether the answer is to hold what a session begins with."""
    labels: list[str]
    search_mode: str
    instruction_mode: str | None
    ttl: int | None


@dataclass(frozen=True, slots=True)
class _Core:
    """What a session begins with, or why it does not."""

    text: str | None = None
    ids: frozenset[str] = frozenset()
    said: dict[str, Any] | None = None
    degraded: tuple[str, ...] = ()


class Reader:
    """Recall and search under one policy.

    Args:
        client: under that policy.
        policy: which parts a session begins with.
        core_tokens: of the core memories at most.
        known: what sessions were given; shared by all policies.
        aliases: of the session in which memories have short names, or None.
        deadline_ms: of each question; None for the bridge's own.
    """

    def __init__(
        self,
        client: AsyncClient,
        policy: MemoryRuntimePolicy,
        core_tokens: int,
        known: Known,
        aliases: Aliases | None,
        deadline_ms: int | None,
    ) -> None:
        self._client = client
        self._policy = policy
        self._core_tokens = core_tokens
        self._known = known
        self._aliases = aliases
        self._deadline_ms = deadline_ms

    async def recall(self, asked: Asked) -> RecallAnswer:
        """Answer a turn. What is late or missing is named in the metadata, not raised."""
        began = time.monotonic()
        mode = asked.search_mode if asked.search_mode in _PIPELINES else DEFAULT_MODE
        metadata: dict[str, Any] = {"outcome": "not_asked", "search_mode": mode}
        degraded = [] if mode == asked.search_mode else ["search_mode"]
        if asked.instruction_mode is not None:
            degraded.append("instruction_mode")  # the instructions are the options', in each
        core = _Core()
        if asked.begins and self._policy.bootstrap_core:
            core = await self._core()
            metadata["core"] = core.said
            degraded += core.degraded
        new: list[Hit] = []
        skipped = 0
        if asked.query.strip():
            known = self._known.of(asked.session_id, asked.ttl)
            limit = bounds.RECALL_LIMIT_DEFAULT + len(known) + len(core.ids)
            outcome = await self._ask(asked, mode, min(limit, bounds.RECALL_LIMIT_MAX))
            metadata.update(_said(outcome))
            degraded += _less(outcome)
            hits = outcome.hits if isinstance(outcome, Hits) else []
            unknown = [
                hit
                for hit in hits
                if hit.memory_id not in core.ids and known.get(hit.memory_id) != hit.revision
            ]
            new, skipped = unknown[: bounds.RECALL_LIMIT_DEFAULT], len(hits) - len(unknown)
        metadata["degraded"] = degraded
        told = asked.begins and self._policy.bootstrap_instructions
        answer = recall_answer(
            asked.session_id,
            metadata,
            instructions=self._policy.instructions if told else None,
            core_memories=core.text,
            core_count=len(core.ids),
            items=self._items(new, mode, degraded),
            known_skipped=skipped,
            latency_ms=(time.monotonic() - began) * 1000,
        )
        self._known.give(asked.session_id, ((hit.memory_id, hit.revision) for hit in new))
        return answer

    async def search(
        self, query: str, labels: list[str], categories: Sequence[str] | None, limit: int
    ) -> list[dict[str, Any]]:
        """Find memories. With categories, those among the first hundred hits that have one.

        Raises:
            CognidError: `recall_unavailable` where no pipeline answered.
        """
        if not 1 <= limit <= bounds.RECALL_LIMIT_MAX:
            raise CognidError("invalid_argument", f"limit: from 1 to {bounds.RECALL_LIMIT_MAX}")
        outcome = await self._client.recall(
            query,
            limit=bounds.RECALL_LIMIT_MAX if categories else limit,
            labels=labels,
            deadline_ms=self._deadline_ms,
        )
        if isinstance(outcome, Unavailable):
            raise CognidError("recall_unavailable", outcome.reason)
        hits = outcome.hits if isinstance(outcome, Hits) else []
        if categories:
            hits = [hit for hit in hits if not set(categories).isdisjoint(hit.categories)]
        return self._items(hits[:limit], DEFAULT_MODE, _less(outcome))

    def _items(
        self, hits: Sequence[Hit], mode: str, degraded: Sequence[str]
    ) -> list[dict[str, Any]]:
        items = [item_of(hit, mode, degraded) for hit in hits]
        if self._aliases is not None:
            for item, alias in zip(items, self._aliases.name(items).aliases, strict=True):
                item["metadata"]["alias"] = alias
        return items

    async def _ask(self, asked: Asked, mode: str, limit: int) -> RecallOutcome:
        pipeline = _PIPELINES[mode]
        if pipeline is None:
            return await self._client.recall(
                asked.query,
                limit=limit,
                labels=asked.labels,
                session_id=asked.session_id,
                effort="thorough" if mode == THOROUGH_MODE else "fast",
                deadline_ms=self._deadline_ms,
            )
        return await self._client.search(
            asked.query,
            pipeline,
            limit=limit,
            labels=asked.labels,
            session_id=asked.session_id,
            deadline_ms=self._deadline_ms,
        )

    async def _core(self) -> _Core:
        """The pinned memories, then the preferences, as one fenced text within the budget."""
        outcome = await self._client.assemble_context(
            budget_tokens=self._core_tokens, include=["memories"], deadline_ms=self._deadline_ms
        )
        match outcome:
            case Assembled():
                items = [item for section in outcome.sections for item in section.items]
                left_out = [one.model_dump(mode="json") for one in outcome.omitted]
                said = {
                    "outcome": outcome.outcome,
                    "tokens": outcome.tokens,
                    "omitted": left_out,
                    "partial": outcome.partial,
                }
                return _Core(
                    text=outcome.text or None,
                    ids=frozenset(item.id for item in items),
                    said=said,
                    degraded=("core_omitted",) if left_out else (),
                )
            case Disabled():
                return _Core(said={"outcome": outcome.outcome})
            case Unavailable():
                said = {"outcome": outcome.outcome, "reason": outcome.reason}
                return _Core(said=said, degraded=("core_unavailable",))
            case _:
                assert_never(outcome)


def _said(outcome: RecallOutcome) -> dict[str, Any]:
    """What an answer says of itself, without its hits."""
    return outcome.model_dump(mode="json", exclude={"hits", "took_ms"})


def _less(outcome: RecallOutcome) -> list[str]:
    """In which way an answer is less than it could be."""
    match outcome:
        case Hits() | NoHits():
            words = {"partial": outcome.partial, "query_trimmed": outcome.query_trimmed}
            return [word for word, holds in words.items() if holds]
        case Unavailable():
            return ["unavailable"]
        case Disabled():
            return ["disabled"]
        case _:
            assert_never(outcome)
