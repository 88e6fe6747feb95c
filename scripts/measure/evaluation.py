"""Recall measured on a data set: everything is told over the socket, then every question is asked.

Owns: what is told how, when the indexes count as complete, and how gold and hits are compared.
A turn is an event (stream, sequence) and is found by its hit's event; a preference is found by its
memory id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cognid.client import AsyncClient
from cognid.protocol.intake import Committed, Duplicate, IntakeOutcome
from cognid.protocol.recall import Effort, Hit, Hits, NoHits
from cognid.protocol.values import Kind
from measure.datasets import Conversation, DataSet, Question, Told
from measure.metrics import Scored, mean_of_folds, percentile, score, summarize

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
    commands: int = 0
    abstained: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def summary(self, headline: frozenset[str]) -> dict[str, Any]:
        """The means: those over the headline's categories on top, then each category's."""
        return {
            **summarize(one for one in self.scored if one.category in headline),
            "mean_of_folds": mean_of_folds(one for one in self.scored if one.category in headline),
            "folds": {
                fold: summarize(
                    one for one in self.scored if one.fold == fold and one.category in headline
                )
                for fold in sorted({one.fold for one in self.scored})
            },
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
            "commands": self.commands,
            "share_abstained": self.abstained / self.commands if self.commands else None,
            "ms_query": {
                "median": percentile(self.milliseconds, 0.5),
                "p95": percentile(self.milliseconds, 0.95),
            }
            if self.milliseconds
            else None,
        }


Places = dict[str, dict[str, str]]
"""For each conversation, the place of each key that was stored."""


async def tell(client: AsyncClient, data: DataSet) -> Places:
    """Tell a whole data set, a bank a conversation; gives the places of what was stored."""
    told: Places = {}
    for conversation in data.conversations:
        await client.ensure_bank(agent=conversation.name, enabled=True)
        told[conversation.name] = await _tell(client, conversation)
    return told


async def ask(
    client: AsyncClient,
    data: DataSet,
    told: Places,
    questions: int | None,
    commands: Sequence[str],
    effort: Effort = "fast",
) -> Evaluation:
    """Ask the questions of a data set that was told, as soon as it is indexed.

    Args:
        questions: ask at most so many of each conversation.
        commands: what none of the conversations can answer; each gets an equal part of it.
        effort: of each recall.
    """
    result = Evaluation()
    for number, conversation in enumerate(data.conversations):
        places = told[conversation.name]
        result.told += len(conversation.told)
        result.stored += len(places)
        result.skipped += conversation.skipped
        await wait_indexed(client, conversation.name)
        sessions = {places[one.key]: one.session for one in conversation.told if one.key in places}
        for question in conversation.questions[:questions]:
            began = time.perf_counter()
            answer = await client.recall(
                question.text,
                agent=conversation.name,
                limit=LIMIT,
                effort=effort,
                deadline_ms=_DEADLINE_MS,
            )
            result.milliseconds.append((time.perf_counter() - began) * 1000)
            if isinstance(answer, Hits | NoHits):
                result.partial += answer.partial
            else:
                result.unanswered += 1
            hits = answer.hits if isinstance(answer, Hits) else []
            result.scored.append(_score(conversation, question, hits, places, sessions))
        for command in commands[number :: len(data.conversations)]:
            answer = await client.recall(
                command,
                agent=conversation.name,
                limit=LIMIT,
                effort=effort,
                deadline_ms=_DEADLINE_MS,
            )
            result.commands += 1
            result.abstained += isinstance(answer, NoHits)
    return result


def _score(
    conversation: Conversation,
    question: Question,
    hits: list[Hit],
    places: Mapping[str, str],
    sessions: Mapping[str, str | None],
) -> Scored:
    """Compare an answer with the gold, by item and by session."""
    gold = gold_places(question.gold, places)
    ranking = [place_of(hit) for hit in hits]
    scored = score(question.category, ranking, gold)
    if not conversation.turns:
        return replace(scored, fold=question.category)
    wanted = {sessions.get(place) for place in gold}
    near = tuple(n for n, place in enumerate(ranking) if sessions.get(place) in wanted)
    several = len(set(sessions.values())) > 1
    return replace(scored, fold=conversation.name, near=near if several else None)


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
