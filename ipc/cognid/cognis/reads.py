"""What a `Cognis` reads: search, listings, one memory, its history, and context for a prompt.

Owns: what of a bank and a session is shown, and in which order. Changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

from cognid.cognis.link import CognisLink, Scope, known, there
from cognid.cognis.shapes import (
    Context,
    Found,
    Got,
    HistoryDict,
    Listed,
    MemoryDict,
    Turn,
    change,
    earlier_dicts,
    memory_dict,
    message_dict,
    shown_dict,
    without_covered,
)
from cognid.protocol import bounds
from cognid.protocol.configure import History, HistoryEntry, Page, Shown
from cognid.protocol.recall import Disabled, Hit, Hits, NoHits, Unavailable
from cognid.protocol.sessions import MessageView, SessionPage
from cognid.protocol.values import Lifecycle
from cognid.rendering import render_memories
from cognid.starting import Home

LONG_TERM: Final = 10
"""Memories that `get_context` looks for at most."""
_RECALL_MS: Final = 5_000
"""These callers ask between turns: a whole answer is worth more to them than 200 ms."""
_SETTLE_SECONDS: Final = 3.0
"""How long a search waits until what was added before it is embedded."""
_SETTLE_LOOK_SECONDS: Final = 0.02
_OFF: Final = "Memory is switched off for this owner and agent."
_PAST: Final = (Lifecycle.CURRENT, Lifecycle.SUPERSEDED, Lifecycle.EXPIRED)


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What a recall brought; `missing` says what it lacks."""

    hits: list[Hit] = field(default_factory=list, repr=False)
    missing: str | None = None
    failed: bool = False


class CognisReads(CognisLink):
    """The calls that read."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._unsettled: set[tuple[str, str | None]] = set()
        """Banks that this object has written to since it last saw them embedded."""

    async def search(
        self, scope: Scope, query: str, limit: int, *, include_historical: bool
    ) -> Found:
        """Look for memories of all sessions and for messages of this one."""
        client = await self._connected()
        recalled = await self._recall(scope, query, limit)
        memories = [memory_dict(hit, *scope.bank) for hit in recalled.hits]
        page = await known(
            client.session_messages(
                query=query,
                limit=min(limit, bounds.MESSAGE_PAGE_MAX),
                session_id=scope.session,
                **scope.whose,
            )
        )
        said = page.messages if isinstance(page, SessionPage) else []
        evidence = [message_dict(one, *scope.bank, scope.session) for one in said]
        # A third of the room at least is the messages', where there are as many.
        results = memories[: limit - min(len(evidence), limit // 3)]
        results += evidence[: limit - len(results)]
        if include_historical and len(results) < limit:
            results += (await self._past(scope, query))[: limit - len(results)]
        found: Found = {
            "success": not recalled.failed,
            "results": results,
            "count": len(results),
            "query": query,
        }
        if recalled.missing is not None:
            found["message"] = recalled.missing
        return found

    async def _recall(self, scope: Scope, query: str, limit: int) -> _Recalled:
        """Recall, and again while what this object added is not embedded yet."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _SETTLE_SECONDS
        while True:
            outcome = await known(
                self._client.recall(
                    query,
                    limit=_doubled(limit),
                    session_id=scope.session,
                    deadline_ms=_RECALL_MS,
                    **scope.whose,
                )
            )
            match outcome:
                case None:
                    return _Recalled()
                case Disabled():
                    return _Recalled(missing=_OFF, failed=True)
                case Unavailable():
                    missing = f"No answer: {outcome.reason}. Search again."
                    return _Recalled(missing=missing, failed=True)
                case Hits() | NoHits():
                    vector = outcome.pipelines.vector
                    unsettled = scope.bank in self._unsettled and vector.state == "building"
                    if unsettled and loop.time() < until:
                        await asyncio.sleep(_SETTLE_LOOK_SECONDS)
                        continue
                    self._unsettled.discard(scope.bank)
                    hits = outcome.hits if isinstance(outcome, Hits) else []
                    missing_words = f"Not complete: search by meaning is {vector.state}."
                    return _Recalled(
                        without_covered(hits)[:limit], missing_words if outcome.partial else None
                    )
                case _:
                    assert_never(outcome)

    async def _past(self, scope: Scope, query: str) -> list[MemoryDict]:
        """What is no longer current and shares words with a query, by how many it shares."""
        words = query.casefold().split()
        scored: list[MemoryDict] = []
        for memory in await self._everything(scope):
            if memory["status"] == "historical":
                text = memory["content"].casefold()
                share = sum(word in text for word in words) / len(words)
                if share:
                    scored.append({**memory, "score": share})
        return sorted(scored, key=lambda one: -one["score"])

    async def get(self, scope: Scope, memory_id: str) -> Got:
        """Look at one memory."""
        await self._connected()
        shown = await self._get(scope, memory_id)
        memory = None if shown is None else shown_dict(shown, *scope.bank)
        return {"success": memory is not None, "memory": memory}

    async def _get(self, scope: Scope, memory_id: str) -> Shown | None:
        shown = await there(
            self._managed(
                scope,
                lambda handle: self._client.inspect_get(handle, memory_id, **scope.whose),
            )
        )
        return shown if isinstance(shown, Shown) else None

    async def get_all(
        self, scope: Scope, limit: int, offset: int, *, include_historical: bool
    ) -> Listed:
        """List memories, newest first."""
        await self._connected()
        if include_historical:
            everything = await self._everything(scope)
            memories, total = everything[offset : offset + limit], len(everything)
        else:
            memories, total = await self._listed(scope, offset + limit, None)
            memories = memories[offset:]
        return {
            "success": True,
            "memories": memories,
            "total": total,
            "limit": limit,
            "offset": offset,
        }

    async def _listed(
        self, scope: Scope, count: int, lifecycles: Sequence[Lifecycle] | None
    ) -> tuple[list[MemoryDict], int]:
        """The newest memories, so many at most, and how many there are in all."""
        memories: list[MemoryDict] = []
        cursor: str | None = None
        while True:
            page = await self._page(scope, count - len(memories), lifecycles, cursor)
            if page is None:
                return [], 0
            memories += [memory_dict(one, *scope.bank) for one in page.memories]
            cursor = page.cursor
            if cursor is None or len(memories) >= count:
                return memories[:count], page.total

    async def _page(
        self,
        scope: Scope,
        wanted: int,
        lifecycles: Sequence[Lifecycle] | None,
        cursor: str | None,
    ) -> Page | None:
        limit = max(1, min(wanted, bounds.INSPECT_PAGE_MAX))
        return await known(
            self._managed(
                scope,
                lambda handle: self._client.inspect_list(
                    handle,
                    limit=limit,
                    cursor=cursor,
                    lifecycles=lifecycles,
                    uncovered=True,
                    **scope.whose,
                ),
            )
        )

    async def _everything(self, scope: Scope) -> list[MemoryDict]:
        """Every memory that is there, each followed by what it said before."""
        listed: list[MemoryDict] = []
        count = bounds.INSPECT_PAGE_MAX
        total = count + 1
        while total > count:
            count = total
            listed, total = await self._listed(scope, count, _PAST)
        everything: list[MemoryDict] = []
        for memory in listed:
            everything.append(memory)
            if memory["revision"] > 1:
                entries = await self._entries(scope, memory["id"])
                everything += earlier_dicts(memory, entries or ())
        return everything

    async def _entries(self, scope: Scope, memory_id: str) -> list[HistoryEntry] | None:
        entries: list[HistoryEntry] = []
        cursor: str | None = None
        while True:
            page = await self._history_page(scope, memory_id, cursor)
            if page is None:
                return None
            entries += page.entries
            cursor = page.cursor
            if cursor is None:
                return entries

    async def _history_page(
        self, scope: Scope, memory_id: str, cursor: str | None
    ) -> History | None:
        page = await there(
            self._managed(
                scope,
                lambda handle: self._client.inspect_history(
                    handle,
                    memory_id,
                    limit=bounds.INSPECT_PAGE_MAX,
                    cursor=cursor,
                    **scope.whose,
                ),
            )
        )
        return page if isinstance(page, History) else None

    async def history(self, scope: Scope, memory_id: str) -> HistoryDict:
        """Tell what happened to one memory."""
        await self._connected()
        entries = await self._entries(scope, memory_id)
        return {
            "success": entries is not None,
            "memory_id": memory_id,
            "history": [change(entry) for entry in entries or ()],
        }

    async def get_context(
        self,
        scope: Scope,
        messages: Sequence[Mapping[str, Any]],
        max_short_term: int,
        *,
        include_long_term: bool,
    ) -> Context:
        """The session's last messages, and memories that answer the last that a user said."""
        await self._connected()
        short_term: list[Turn] = [
            {"role": one.role.value, "content": one.content}
            for one in await self._last(scope, max_short_term)
            if one.content is not None
        ]
        query = _last_asked(messages) or _last_asked(short_term)
        recalled = _Recalled()
        if include_long_term and query is not None:
            recalled = await self._recall(scope, query, LONG_TERM)
        context: Context = {
            "short_term": short_term,
            "long_term": [memory_dict(hit, *scope.bank) for hit in recalled.hits],
            "short_term_count": len(short_term),
            "long_term_count": len(recalled.hits),
            "context_string": render_memories(recalled.hits, "Relevant memories"),
        }
        if recalled.missing is not None:
            context["message"] = recalled.missing
        return context

    async def _last(self, scope: Scope, count: int) -> list[MessageView]:
        """The session's last messages, oldest first."""
        messages: list[MessageView] = []
        cursor: str | None = None
        while len(messages) < count:
            page = await known(
                self._client.session_messages(
                    limit=min(count - len(messages), bounds.MESSAGE_PAGE_MAX),
                    before=cursor,
                    session_id=scope.session,
                    **scope.whose,
                )
            )
            if not isinstance(page, SessionPage):
                break
            messages = [*page.messages, *messages]
            cursor = page.cursor
            if cursor is None:
                break
        return messages

    async def count(self, scope: Scope) -> int:
        """How many memories `get_all` would list."""
        await self._connected()
        page = await self._page(scope, 1, None, None)
        return 0 if page is None else page.total


def _doubled(limit: int) -> int:
    """Twice as many hits, since remarks beside a fact of theirs are left out. What lies outside the
    bound stays there, and is refused."""
    return min(2 * limit, max(limit, bounds.RECALL_LIMIT_MAX))


def _last_asked(messages: Sequence[Mapping[str, Any]] | Sequence[Turn]) -> str | None:
    for message in reversed(messages):
        content = message.get("content")
        if message.get("role") == "user" and isinstance(content, str) and content.strip():
            return content
    return None
