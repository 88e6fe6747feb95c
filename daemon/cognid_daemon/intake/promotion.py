"""Promotion: from one turn to the facts that stand beside its remark.

They come from the runtime's own model (candidates) or, where it sent none, from the extraction on
this device, and then only from what the user said. `prepare` is pure and runs before the write is
queued; `promote` runs in the bank's transaction.

Owns: what becomes of a candidate, when `explicit` is believed, and how a found fact becomes a
memory. May not decide whether the turn is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from cognid.protocol.intake import AdjustedPart, Candidate, RejectedPart, Stored
from cognid.protocol.values import Lifecycle, Provenance, Role
from cognid_daemon.bank.likeness import normal_form
from cognid_daemon.bank.rows import NewMemory, StoredMemory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.intake.folding import folded_into
from cognid_daemon.intake.instants import microseconds
from cognid_daemon.intake.screening import credentials_in, request_in, rules_against

if TYPE_CHECKING:
    from cognid_daemon.intake.extraction import Extracted, Extraction
    from cognid_daemon.intake.withholding import Reading

CANDIDATE: Final = "candidate"
"""What made a fact that the runtime's own model found."""
SPAN_RULE: Final = "candidate.span"
"""The rule against a candidate whose span does not lie in the content."""
SOURCES_RULE: Final = "candidate.sources"
"""The rule against a candidate that names a source which is no current memory of the bank."""
_EARLIEST: Final = datetime(1970, 1, 2, tzinfo=UTC)
_LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)
_ENDINGS: Final = " .!?…。！？"

Doubt = Literal["span_missing", "not_in_span"]


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as a runtime told it."""

    role: Role
    content: str = field(repr=False)
    speaker: str | None = field(default=None, repr=False)
    session_id: str | None = None
    labels: tuple[str, ...] = field(default=(), repr=False)
    occurred_at: datetime | None = None
    candidates: tuple[Candidate, ...] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact that may stand beside the turn's remark. `index` is the candidate's, None where it was
    found here; `doubt` is why a claim of `explicit` was not believed."""

    memory: NewMemory
    index: int | None = None
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What filters and extraction make of a turn, before anybody looks at the bank.

    `credentials` are rules against the turn; `reading` is what of it was a request about
    remembering, None where it is not the user's. `rejected` are candidates that do not hold.
    """

    credentials: tuple[str, ...]
    reading: Reading | None
    extraction: Extraction | None = None
    proposals: tuple[Proposal, ...] = ()
    rejected: tuple[RejectedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoted:
    """What came of the proposals. `rowids` are the memories that were made or met."""

    made: tuple[StoredMemory, ...]
    stored: list[Stored]
    folded: list[Stored]
    rejected: list[RejectedPart]
    adjusted: list[AdjustedPart]
    rowids: tuple[int, ...]


def prepare(told: Told, *, extracts: bool) -> Prepared:
    """Screen a turn and find its facts. Pure but for the clock; linear in the text.

    Args:
        extracts: whether to look for facts where the runtime sent no candidates.
    """
    credentials = credentials_in(told.content)
    reading = request_in(told.content) if told.role is Role.USER else None
    if credentials or (reading is not None and reading.withholds):
        return Prepared(credentials, reading)  # nothing will be made of it
    if told.candidates is not None:
        return _weigh(told, told.candidates, reading)
    if not extracts or told.role is not Role.USER:
        return Prepared(credentials, reading)
    from cognid_daemon.intake.extraction import EXTRACTOR, extract

    extraction = extract(told.content, told.occurred_at or datetime.now().astimezone())
    proposals = tuple(Proposal(_found(told, one, EXTRACTOR)) for one in extraction.facts)
    return Prepared(credentials, reading, extraction, proposals)


def _weigh(told: Told, candidates: Sequence[Candidate], reading: Reading | None) -> Prepared:
    proposals: list[Proposal] = []
    rejected: list[RejectedPart] = []
    for index, candidate in enumerate(candidates):
        rules = rules_against(candidate.text)
        if candidate.span is not None and not _lies_in(candidate.span, told.content):
            rules = (*rules, SPAN_RULE)
        if rules:
            rejected.append(RejectedPart(index=index, rules=list(rules)))
            continue
        doubt = _doubt(told, candidate)
        provenance = Provenance.INFERRED if doubt else candidate.provenance
        memory = _candidate(told, candidate, provenance)
        proposals.append(Proposal(memory, index, doubt))
    return Prepared((), reading, None, tuple(proposals), tuple(rejected))


def _lies_in(span: Sequence[int], content: str) -> bool:
    return span[0] < span[1] <= len(content)


def _doubt(told: Told, candidate: Candidate) -> Doubt | None:
    """Why a candidate is not what the user said in so many words, if it claims to be."""
    if candidate.provenance is not Provenance.EXPLICIT:
        return None
    if candidate.span is None:
        return "span_missing"
    start, end = candidate.span
    return None if quotes(told.content[start:end], candidate.text) else "not_in_span"


def quotes(said: str, text: str) -> bool:
    """Whether the words of a text stand in what was said, one after the other and whole.

    Compared in the normal form that folding compares; how the text ends a sentence does not count.
    """
    said, text = normal_form(said), normal_form(text).strip(_ENDINGS)
    at = said.find(text) if text else -1
    while at >= 0:
        end = at + len(text)
        glued = (at > 0 and _glued(said[at - 1], text[0])) or (
            end < len(said) and _glued(text[-1], said[end])
        )
        if not glued:
            return True
        at = said.find(text, end)
    return False


def _glued(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word, in scripts that put spaces between words: those
    with upper and lower case."""
    return all(one.isdigit() or one.upper() != one.lower() for one in (left, right))


def _candidate(told: Told, candidate: Candidate, provenance: Provenance) -> NewMemory:
    return NewMemory(
        kind=candidate.kind,
        role=told.role,
        provenance=provenance,
        text=candidate.text,
        speaker=told.speaker,
        confidence=candidate.confidence,
        importance=candidate.importance,
        categories=tuple(candidate.categories),
        labels=told.labels,
        session_id=told.session_id,
        span=None if candidate.span is None else (candidate.span[0], candidate.span[1]),
        sources=tuple(dict.fromkeys(candidate.sources)),
        extractor=CANDIDATE,
        event_time=microseconds(candidate.event_time),
        valid_from=microseconds(candidate.valid_from),
        valid_until=microseconds(candidate.valid_until),
    )


def _found(told: Told, one: Extracted, extractor: str) -> NewMemory:
    valid_from, valid_until = _storable(one.valid_from), _storable(one.valid_until)
    if valid_from is not None and valid_until is not None and valid_from >= valid_until:
        valid_until = None
    return NewMemory(
        kind=one.kind,
        role=told.role,
        provenance=Provenance.EXPLICIT,
        text=told.content[one.start : one.end],
        speaker=told.speaker,
        confidence=one.confidence,
        labels=told.labels,
        session_id=told.session_id,
        span=(one.start, one.end),
        extractor=extractor,
        event_time=microseconds(_storable(one.event_time)),
        valid_from=microseconds(valid_from),
        valid_until=microseconds(valid_until),
    )


def _storable(instant: datetime | None) -> datetime | None:
    """An instant that was read out of a text, unless it lies beyond what the wire can carry."""
    return instant if instant is not None and _EARLIEST <= instant <= _LATEST else None


def promote(
    tx: Transaction, prepared: Prepared, event_rowid: int, policy_fingerprint: str | None
) -> Promoted:
    """Make the proposed facts of an event, but for those that are there already."""
    made: list[StoredMemory] = []
    stored: list[Stored] = []
    folded: dict[str, Stored] = {}
    rowids: list[int] = []
    rejected = list(prepared.rejected)
    adjusted: list[AdjustedPart] = []
    for proposal in prepared.proposals:
        if not all(_is_current(tx, source) for source in proposal.memory.sources):
            if proposal.index is not None:
                rejected.append(RejectedPart(index=proposal.index, rules=[SOURCES_RULE]))
            continue
        twin = folded_into(tx, proposal.memory)
        if twin is not None:
            memory_id = twin.memory_id
            folded[memory_id] = Stored(memory_id=memory_id, revision=twin.revision, kind=twin.kind)
            rowids.append(twin.memory_rowid)
        else:
            one = tx.add_memory(
                replace(
                    proposal.memory,
                    event_rowid=event_rowid,
                    policy_fingerprint=policy_fingerprint,
                )
            )
            memory_id = one.memory_id
            made.append(one)
            stored.append(Stored(memory_id=memory_id, revision=1, kind=proposal.memory.kind))
            rowids.append(one.memory_rowid)
        if proposal.doubt is not None and proposal.index is not None:
            adjusted.append(
                AdjustedPart(index=proposal.index, memory_id=memory_id, reason=proposal.doubt)
            )
    new = {one.memory_id for one in stored}
    return Promoted(
        made=tuple(made),
        stored=stored,
        folded=[one for memory_id, one in folded.items() if memory_id not in new],
        rejected=sorted(rejected, key=lambda part: part.index),
        adjusted=adjusted,
        rowids=tuple(rowids),
    )


def _is_current(tx: Transaction, memory_id: str) -> bool:
    memory = tx.memory(memory_id)
    return memory is not None and memory.lifecycle is Lifecycle.CURRENT
