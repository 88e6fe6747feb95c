"""context.assemble: the memories, lanes and messages of one turn, read side by side and fitted.

Each part is read under the deadline on its own; what is late or fails is named, and the others go
on. What was forgotten, cleared or switched off while they were on their way is not in the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol import bounds
from cognid.protocol.context import (
    Assemble,
    Assembled,
    ContextItem,
    ContextOutcome,
    Omitted,
    SectionName,
    WhyNot,
)
from cognid.protocol.recall import Disabled, MemoryView, Unavailable
from cognid.protocol.values import Right
from cognid.rendering import Entry, memory_entry, moment, quoted, spoken_by
from cognid_daemon.bank import lanes, sessions
from cognid_daemon.bank.errors import BankError, DeadlineError
from cognid_daemon.bank.lanes import Placed, Wanted
from cognid_daemon.bank.listing import standing_of
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.bank.sessions import SessionMessage
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.operations.lanes import ranked
from cognid_daemon.operations.memories import memory_view
from cognid_daemon.operations.projections import events_of
from cognid_daemon.operations.recall import pending, pipelines_in, took, unopened, until
from cognid_daemon.operations.recent import noted
from cognid_daemon.recall.answer import Answer, Query
from cognid_daemon.recall.context import (
    LEAST_BYTES,
    Candidate,
    Fitted,
    Offer,
    by_bytes,
    fit,
    omitted,
    with_floor,
)
from cognid_daemon.recall.router import pipelines_of
from cognid_models import Embedder

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

STANDING: Final = 256
"""Pinned memories and preferences that are looked at; pinned before others, new before old."""
RECALLED: Final = 32
"""Hits that are looked at."""
MESSAGES: Final = 200
"""Messages that are looked at, the newest."""
UNITS: Final = 512
"""Units that are looked at, in the order of the lanes."""
FOLDED_BYTES: Final = 512 * 1024
"""Of units whose words are compared with the query; 25 ms."""
_FITTING_SHARE: Final = 0.2
_FITTING_SECONDS: Final = 0.05
"""What is kept of a deadline for fitting, at most."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The offer of one section; for what was recalled, also the answer that it came from."""

    offer: Offer
    answer: Answer | None = None


async def _assemble(call: Call, request: Assemble) -> ContextOutcome:
    try:
        return await _assembled(call, request)
    except DeadlineError:
        return unopened(call, request)


async def _assembled(call: Call, request: Assemble) -> ContextOutcome:
    banks = call.daemon.banks
    async with banks.lease(request.owner, request.agent, until(call)) as lease:
        record = lease.record
        if not record.enabled:
            return Disabled(epoch=record.epoch)
        if not call.in_turn:
            return pending(call, lease)
        end = until(call)
        while True:
            with lease.bank.watch() as watch:
                reads = await _read_all(call, request, lease, end)
                fitted, counted_by = await _fit(request, lease, reads, end)
            now = banks.record(request.owner, request.agent)
            if (now.epoch, now.enabled) != (record.epoch, True):
                return _ended(call, lease, now.epoch)
            if not watch.erased and not watch.removed:
                break
            # Something in it may be gone by now.
            if asyncio.get_running_loop().time() >= end:
                return _late(call, lease)
        answer = next((one.answer for one in reads if one.answer is not None), None)
        return Assembled(
            text=fitted.text,
            tokens=fitted.tokens,
            counted_by=counted_by,
            sections=list(fitted.sections),
            omitted=list(fitted.omitted),
            pipelines=None if answer is None else pipelines_in(answer),
            partial=(answer is not None and answer.partial)
            or any(one.reason in ("late", "failed") for one in fitted.omitted),
            query_trimmed=answer is not None and answer.query_trimmed,
            epoch=record.epoch,
            took_ms=took(call),
        )


def _ended(call: Call, lease: Lease, epoch: str) -> Unavailable:
    return pending(call, lease).model_copy(update={"reason": "epoch_ended", "epoch": epoch})


def _late(call: Call, lease: Lease) -> Unavailable:
    return pending(call, lease).model_copy(update={"reason": "deadline"})


async def _fit(
    request: Assemble, lease: Lease, reads: list[_Read], end: float
) -> tuple[Fitted, Any]:
    """Fit what was read; by the tokenizer if it answers in time, else by bytes."""
    offers = [one.offer for one in reads]

    def work(embedder: Embedder | None) -> tuple[Fitted, Any]:
        if embedder is None:
            return fit(offers, request.budget_tokens, by_bytes), "bytes"
        count = with_floor(embedder.count_tokens)
        remembered = lease.recaller.costs.remembered(embedder.space_id, count)
        return fit(offers, request.budget_tokens, remembered), "tokenizer"

    try:
        async with asyncio.timeout_at(end):
            return await lease.recaller.with_model(work)
    except TimeoutError:
        return work(None)


async def _read_all(call: Call, request: Assemble, lease: Lease, end: float) -> list[_Read]:
    """Read every section that was asked for, side by side."""
    left = end - asyncio.get_running_loop().time()
    by = end - min(_FITTING_SECONDS, max(0.0, left) * _FITTING_SHARE)
    grant = call.connection.grant
    works: list[Coroutine[Any, Any, _Read]] = []
    if "memories" in request.include:
        works.append(_or_missing("standing", _standing(request, lease, by)))
        if request.query is not None:
            works.append(_or_missing("recalled", _recalled(request, request.query, lease, by)))
    if "lanes" in request.include:
        if grant.lacks(Right.LANE):
            works.append(_without("lanes", "not_granted"))
        else:
            works.append(_or_missing("lanes", _lanes(request, lease, by)))
    if "messages" in request.include:
        if grant.lacks(Right.SESSION):
            works.append(_without("messages", "not_granted"))
        elif request.session_id is None:
            works.append(_without("messages", "no_session"))
        else:
            works.append(_or_missing("messages", _messages(request.session_id, lease, by)))
    return list(await asyncio.gather(*works))


async def _or_missing(name: SectionName, work: Coroutine[Any, Any, _Read]) -> _Read:
    """A section, or why there is none."""
    try:
        return await work
    except DeadlineError:
        return await _without(name, "late")
    except BankError:
        return await _without(name, "failed")


async def _without(name: SectionName, reason: WhyNot) -> _Read:
    return _Read(Offer(name, (), (omitted(name, reason),)))


async def _standing(request: Assemble, lease: Lease, by: float) -> _Read:
    def read(connection: Connection) -> tuple[list[Memory], dict[int, Event], int]:
        memories, total = standing_of(connection, STANDING, bounds.REPLY_TEXT_BYTES)
        return memories, events_of(connection, memories), total

    memories, events, total = await lease.bank.read(read, deadline=by)
    known = set(request.exclude)
    missing = []
    excluded = [one.memory_id for one in memories if one.memory_id in known]
    if excluded:
        missing.append(omitted("standing", "excluded", excluded))
    missing += _beyond("standing", total - len(memories))
    candidates = [
        _of_memory(memory_view(one, events.get(one.event_rowid or 0)))
        for one in memories
        if one.memory_id not in known
    ]
    return _Read(Offer("standing", candidates, tuple(missing)))


async def _recalled(request: Assemble, query: str, lease: Lease, by: float) -> _Read:
    asked = Query(
        text=query,
        limit=RECALLED,
        session_id=request.session_id,
        exclude=frozenset(request.exclude),
    )
    answer = await lease.recaller.answer(asked, pipelines_of("context.assemble"), by)
    missing = []
    if not answer.answered:
        late = "late" in (answer.lexical.state, answer.vector.state)
        missing.append(omitted("recalled", "late" if late else "failed"))
    if answer.excluded:
        missing.append(omitted("recalled", "excluded", count=answer.excluded))
    # The memory's own text, not the hit's: what is long goes in whole or not at all.
    candidates = [
        _of_memory(memory_view(one.memory, one.event), round(one.score, 6)) for one in answer.hits
    ]
    return _Read(Offer("recalled", candidates, tuple(missing)), answer)


async def _lanes(request: Assemble, lease: Lease, by: float) -> _Read:
    wanted = Wanted(None if request.lanes is None else tuple(request.lanes))
    # More bytes than this cannot fit, whatever they are.
    most = min(FOLDED_BYTES, request.budget_tokens * LEAST_BYTES)

    def read(connection: Connection) -> tuple[list[tuple[float, Placed]], int]:
        text_bytes = most if request.query is None else FOLDED_BYTES
        looked = lanes.units(connection, wanted, after=0, limit=UNITS, text_bytes=text_bytes)
        total = lanes.count_units(connection, wanted)
        if request.query is None:
            return [(0.0, one) for one in looked], total
        return ranked(request.query, looked), total

    found, total = await lease.bank.read(read, deadline=by)
    missing = _beyond("lanes", total - len(found))
    candidates = [_of_unit(one, score if request.query else None) for score, one in found]
    return _Read(Offer("lanes", candidates, missing))


async def _messages(session_id: str, lease: Lease, by: float) -> _Read:
    keeping = lease.bank.keeping

    def read(connection: Connection) -> tuple[list[SessionMessage], int]:
        newest = sessions.newest(
            connection,
            session_id,
            limit=MESSAGES,
            text_bytes=bounds.CONTEXT_TOKENS * LEAST_BYTES,
            keeping=keeping,
        )
        return newest, sessions.count_with_text(connection, session_id, keeping)

    newest, total = await lease.bank.read(read, deadline=by)
    missing = _beyond("messages", total - len(newest))
    candidates = [_of_message(one, session_id) for one in newest]
    return _Read(Offer("messages", candidates, missing))


def _beyond(section: SectionName, count: int) -> tuple[Omitted, ...]:
    """What there is more of than was looked at."""
    return (omitted(section, "past_limit", count=count),) if count > 0 else ()


def _of_memory(memory: MemoryView, score: float | None = None) -> Candidate:
    event = memory.source.event
    item = ContextItem(
        id=memory.memory_id,
        kind=memory.kind.value,
        provenance=memory.provenance,
        role=memory.role,
        source=None if event is None else f"{event.stream}:{event.sequence}",
        created_at=memory.created_at,
        event_time=memory.event_time,
        score=score,
        tokens=0,
    )
    turn = None if event is None else (event.stream, event.sequence)
    return Candidate(item, memory_entry(memory), turn)


def _of_unit(placed: Placed, score: float | None) -> Candidate:
    unit = placed.unit
    occurred_at = instant_of(unit.occurred_at)
    item = ContextItem(
        id=unit.unit_id,
        kind=unit.type,
        provenance=None,
        role=None,
        source=placed.lane,
        created_at=None,
        event_time=occurred_at,
        score=score,
        tokens=0,
    )
    marks = [f"unit {quoted(unit.unit_id)}", f"type {quoted(unit.type)}"]
    if occurred_at is not None:
        marks.append(moment(occurred_at))
    marks.append(f"from lane {quoted(placed.lane)}")
    if unit.source is not None:
        marks.append(f"at {quoted(unit.source)}")
    return Candidate(item, Entry((*marks, "untrusted"), unit.text))


def _of_message(message: SessionMessage, session_id: str) -> Candidate:
    created_at = instant_of(message.created_at)
    occurred_at = instant_of(message.occurred_at)
    item = ContextItem(
        id=message.message_id,
        kind="message",
        provenance=None,
        role=message.role,
        source=session_id,
        created_at=created_at,
        event_time=occurred_at,
        tokens=0,
    )
    marks = (
        "message",
        spoken_by(message.role, message.name),
        moment(occurred_at or created_at),
        "untrusted",
    )
    return Candidate(item, Entry(marks, message.text or ""), message.event)


HANDLERS: Final[dict[str, Handler]] = {"context.assemble": noted(_assemble)}
