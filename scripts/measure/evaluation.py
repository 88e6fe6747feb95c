"""Recall measured on a data set: everything is told over the socket, then every question is asked.

Owns: what is told how, when the indexes count as complete, and how gold and hits are compared.
A turn is an event (stream, sequence) and is found by its hit's event; a preference is found by its
memory id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cognid.client import AsyncClient
from cognid.protocol.intake import Committed, Duplicate, IntakeOutcome
from cognid.protocol.recall import Hit, Hits, NoHits
from cognid.protocol.values import Kind
from measure.datasets import Conversation, DataSet, Told
from measure.metrics import Scored, percentile, score, summarize

LIMIT: Final = 10
_DEADLINE_MS: Final = 10_000
_WRITE_DEADLINE_MS: Final = 60_000
_IN_FLIGHT: Final = 32
_LOOK_SECONDS: Final = 0.2
_STUCK_SECONDS: Final = 120.0


class StuckError(Exception):
    """The indexes of a bank make no progress any more."""


@dataclass(slots=True)
class Evaluation:
    """What was measured so far."""

    scored: list[Scored] = field(default_factory=list)
    told: int = 0
    stored: int = 0
    skipped: int = 0
    partial: int = 0
    unanswered: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def summary(self, headline: frozenset[str]) -> dict[str, Any]:
        """The means: those over the headline's categories on top, then each category's."""
        return {
            **summarize(one for one in self.scored if one.category in headline),
            "all": summarize(self.scored),
            "categories": {
                category: summarize(one for one in self.scored if one.category == category)
                for category in sorted({one.category for one in self.scored})
            },
            "told": self.told,
            "stored": self.stored,
            "share_stored": self.stored / self.told if self.told else 0.0,
            "skipped": self.skipped,
            "partial": self.partial,
            "unanswered": self.unanswered,
            "ms_query": {
                "median": percentile(self.milliseconds, 0.5),
                "p95": percentile(self.milliseconds, 0.95),
            }
            if self.milliseconds
            else None,
        }


async def evaluate(client: AsyncClient, data: DataSet, questions: int | None) -> Evaluation:
    """Tell and ask a whole data set, a bank a conversation.

    Args:
        questions: ask at most so many of each conversation.
    """
    result = Evaluation()
    for conversation in data.conversations:
        await client.ensure_bank(agent=conversation.name, enabled=True)
        places = await _tell(client, conversation)
        result.told += len(conversation.told)
        result.stored += len(places)
        result.skipped += conversation.skipped
        await wait_indexed(client, conversation.name)
        for question in conversation.questions[:questions]:
            began = time.perf_counter()
            answer = await client.recall(
                question.text, agent=conversation.name, limit=LIMIT, deadline_ms=_DEADLINE_MS
            )
            result.milliseconds.append((time.perf_counter() - began) * 1000)
            if isinstance(answer, Hits | NoHits):
                result.partial += answer.partial
            else:
                result.unanswered += 1
            hits = answer.hits if isinstance(answer, Hits) else []
            gold = gold_places(question.gold, places)
            result.scored.append(score(question.category, [place_of(hit) for hit in hits], gold))
    return result


def place_of(hit: Hit) -> str:
    """Where a hit came from: its event, or the memory itself where it was asserted."""
    event = hit.source.event
    return hit.memory_id if event is None else f"{event.stream}#{event.sequence}"


def gold_places(gold: frozenset[str], places: Mapping[str, str]) -> frozenset[str]:
    """Where the gold went. What was not stored stays in it under a name that no hit has."""
    return frozenset(places.get(key, f"not stored: {key}") for key in gold)


async def _tell(client: AsyncClient, conversation: Conversation) -> dict[str, str]:
    """Tell all of a conversation; gives the place of each key that was stored.

    A fact that is told twice has the same place both times. Requests of one connection are carried
    out in the order of their sending.
    """
    places: dict[str, str] = {}
    numbered = list(enumerate(conversation.told, 1))
    for first in range(0, len(numbered), _IN_FLIGHT):
        some = numbered[first : first + _IN_FLIGHT]
        async with asyncio.TaskGroup() as group:
            asked = [
                (one, group.create_task(_tell_one(client, conversation, sequence, one)))
                for sequence, one in some
            ]
        for one, task in asked:
            outcome = task.result()
            if isinstance(outcome, Committed | Duplicate):
                event = outcome.event
                places[one.key] = (
                    outcome.memories[0].memory_id
                    if event is None
                    else f"{event.stream}#{event.sequence}"
                )
    return places


async def _tell_one(
    client: AsyncClient, conversation: Conversation, sequence: int, told: Told
) -> IntakeOutcome:
    if not conversation.turns:
        return await client.add(
            told.text,
            agent=conversation.name,
            kind=Kind.PREFERENCE,
            deadline_ms=_WRITE_DEADLINE_MS,
        )
    return await client.remember(
        role=told.role,
        content=told.text,
        speaker=told.speaker,
        stream=conversation.name,
        sequence=sequence,
        occurred_at=told.at,
        session_id=told.session,
        agent=conversation.name,
        deadline_ms=_WRITE_DEADLINE_MS,
    )


async def wait_indexed(
    client: AsyncClient, agent: str, stuck_seconds: float = _STUCK_SECONDS
) -> None:
    """Wait until every current text of a bank has its vectors.

    Raises:
        StuckError: the backlog has not become less for so long.
    """
    least, since = None, time.monotonic()
    while True:
        view = await client.index_status(agent=agent)
        if view.vector.state == "ready" and view.backlog == 0:
            return
        if least is None or view.backlog < least:
            least, since = view.backlog, time.monotonic()
        elif time.monotonic() - since > stuck_seconds:
            raise StuckError(
                f"vectors are {view.vector.state} ({view.vector.code}), {view.backlog} wait"
            )
        await asyncio.sleep(_LOOK_SECONDS)
