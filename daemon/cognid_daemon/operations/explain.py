"""memory.explain: what intake would do with a turn. Reads the bank at most, and stores nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from cognid.protocol.errors import CognidError
from cognid.protocol.explain import Explain, ExplainedDrop, ExplainedFact, ExplainReply
from cognid_daemon.bank.rows import Withholding
from cognid_daemon.bank.view import View
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.custody import rules_of
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.intake.promotion import Proposal, Told, prepare
from cognid_daemon.intake.screening import conversation_of, heard, note_of

if TYPE_CHECKING:
    from cognid_daemon.intake.extraction import Extracted

_OFF: Final = "Memory is switched off for this agent: nothing is taken at present."


async def _explain(call: Call, request: Explain) -> ExplainReply:
    settings = call.daemon.settings.intake
    told = Told(
        role=request.role,
        content=request.content,
        session_id=request.session_id,
        occurred_at=request.occurred_at,
    )
    work = partial(prepare, told, extracts=settings.extract)
    prepared = await call.daemon.screening.screen(request, work, call.deadline)
    state, is_off = await _standing(call, request)
    now = heard(state, told.role, prepared.reading)
    rules = rules_of(told, prepared, now, settings.roles)
    reading, extraction = prepared.reading, None if rules else prepared.extraction
    return ExplainReply(
        would="reject" if rules else "store",
        rules=list(rules),
        note=note_of(rules) or (_OFF if is_off else None),
        intent="none" if reading is None else reading.intent.value,
        scope=None if reading is None or reading.scope is None else reading.scope.value,
        facts=[]
        if extraction is None
        else [
            _fact(one, proposal)
            for one, proposal in zip(extraction.facts, prepared.proposals, strict=True)
        ],
        dropped=[]
        if extraction is None
        else [
            ExplainedDrop(span=(one.start, one.end), reason=one.reason)
            for one in extraction.dropped
        ],
    )


def _fact(one: Extracted, proposal: Proposal) -> ExplainedFact:
    return ExplainedFact(
        span=(one.start, one.end),
        kind=one.kind,
        confidence=one.confidence,
        rule=one.rule,
        event_time=instant_of(proposal.memory.event_time),
        valid_from=instant_of(proposal.memory.valid_from),
        valid_until=instant_of(proposal.memory.valid_until),
    )


async def _standing(call: Call, request: Explain) -> tuple[Withholding, bool]:
    """What the session withholds by now, and whether memory is off. A bank that is not there yet
    withholds nothing."""
    session_id = request.session_id
    try:
        async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
            is_off = not lease.record.enabled
            if session_id is None:
                return Withholding(), is_off
            whose = conversation_of(session_id, "")
            state = await lease.bank.read(
                lambda connection: View(connection).withholding(whose), deadline=call.deadline
            )
            return state, is_off
    except CognidError as error:
        if error.code != "unknown_bank":
            raise
        return Withholding(), False


HANDLERS: Final[dict[str, Handler]] = {"memory.explain": _explain}
