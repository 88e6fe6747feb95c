"""memory.recall and memory.search: from the query to an answer that says what it is made of."""

from __future__ import annotations

import asyncio
from typing import Final

from cognid.protocol.context import Assemble
from cognid.protocol.recall import (
    Disabled,
    Hit,
    Hits,
    NoHits,
    Pipelines,
    Recall,
    RecallOutcome,
    ScoreParts,
    Search,
    Unavailable,
)
from cognid_daemon.bank.errors import DeadlineError
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.operations.index import pipeline_state
from cognid_daemon.operations.memories import memory_fields
from cognid_daemon.operations.recent import noted
from cognid_daemon.recall import answer as recalled
from cognid_daemon.recall.router import pipelines_of

_SENDING_SHARE: Final = 0.1
_SENDING_SECONDS: Final = 0.005
"""What is kept of the time left for sending the answer, at most (the smaller of both): on a busy
machine an answer is a few milliseconds on its way."""


async def _recall(call: Call, request: Recall | Search) -> RecallOutcome:
    try:
        return await _recalled(call, request)
    except DeadlineError:
        return unopened(call, request)


async def _recalled(call: Call, request: Recall | Search) -> RecallOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent, until(call)) as lease:
        if not lease.record.enabled:
            return Disabled(epoch=lease.record.epoch)
        if not call.in_turn:
            return pending(call, lease)
        named = request.pipeline if isinstance(request, Search) else None
        pipelines = pipelines_of(call.method, named)
        reranker = call.daemon.reranker if request.effort == "thorough" else None
        answer = await lease.recaller.answer(_query(request), pipelines, until(call), reranker)
        return _outcome(call, request, lease, answer)


def until(call: Call) -> float:
    """When the answer must be made, in seconds of the loop's clock; past it, the answer is that
    there is none in time."""
    left = max(0.0, call.deadline - asyncio.get_running_loop().time())
    return call.deadline - min(_SENDING_SECONDS, _SENDING_SHARE * left)


def pending(call: Call, lease: Lease) -> Unavailable:
    """The answer to who asked to change something before, and it is not done in time."""
    index = lease.recaller.index_status()
    return Unavailable(
        reason="pending_mutation",
        pipelines=Pipelines(
            lexical=pipeline_state(index.lexical), vector=pipeline_state(index.vector)
        ),
        epoch=lease.record.epoch,
        took_ms=took(call),
    )


def unopened(call: Call, request: Recall | Assemble) -> Unavailable | Disabled:
    """The answer where the bank itself is not there in time: a turn does not wait for its file."""
    record = call.daemon.banks.record(request.owner, request.agent)
    if not record.enabled:
        return Disabled(epoch=record.epoch)
    late = pipeline_state(recalled.LATE)
    return Unavailable(
        reason="deadline",
        pipelines=Pipelines(lexical=late, vector=late),
        epoch=record.epoch,
        took_ms=took(call),
    )


def took(call: Call) -> float:
    """Milliseconds since the request arrived."""
    return round((asyncio.get_running_loop().time() - call.arrived) * 1000, 3)


def pipelines_in(answer: recalled.Answer) -> Pipelines:
    """Where the parts of an answer stood."""
    return Pipelines(
        lexical=pipeline_state(answer.lexical),
        vector=pipeline_state(answer.vector),
        reranker=pipeline_state(answer.reranker),
    )


def _query(request: Recall) -> recalled.Query:
    return recalled.Query(
        text=request.query,
        limit=request.limit,
        kinds=None if request.kinds is None else frozenset(request.kinds),
        roles=None if request.roles is None else frozenset(request.roles),
        labels=frozenset(request.labels),
        session_id=request.session_id,
        exclude=frozenset(request.exclude),
    )


def _outcome(call: Call, request: Recall, lease: Lease, answer: recalled.Answer) -> RecallOutcome:
    pipelines = pipelines_in(answer)
    took_ms = took(call)
    epoch = lease.record.epoch
    now = call.daemon.banks.record(request.owner, request.agent)
    if now.epoch != epoch or not now.enabled:
        # The bank was switched or wiped while this was on its way.
        return Unavailable(
            reason="epoch_ended", pipelines=pipelines, epoch=now.epoch, took_ms=took_ms
        )
    if not answer.answered:
        late = "late" in (answer.lexical.state, answer.vector.state)
        return Unavailable(
            reason="deadline" if late else "pipelines_failed",
            pipelines=pipelines,
            epoch=epoch,
            took_ms=took_ms,
        )
    if not answer.hits:
        return NoHits(
            pipelines=pipelines,
            partial=answer.partial,
            query_trimmed=answer.query_trimmed,
            excluded=answer.excluded,
            epoch=epoch,
            took_ms=took_ms,
        )
    return Hits(
        pipelines=pipelines,
        partial=answer.partial,
        query_trimmed=answer.query_trimmed,
        excluded=answer.excluded,
        epoch=epoch,
        took_ms=took_ms,
        hits=[_hit(hit) for hit in answer.hits],
    )


def _hit(hit: recalled.Hit) -> Hit:
    return Hit(
        **memory_fields(hit.memory, hit.event),
        text=hit.text,
        span=hit.span,
        complete=hit.complete,
        score=hit.score,
        parts=ScoreParts(lexical=hit.lexical, vector=hit.vector, reranker=hit.reranker),
        folded=list(hit.folded),
    )


HANDLERS: Final[dict[str, Handler]] = {
    "memory.recall": noted(_recall),
    "memory.search": noted(_recall),
}
