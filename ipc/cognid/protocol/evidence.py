"""Trusted evidence: one thing that a user said, bound to the event in which a host persisted it.

The body is `mnemory.trusted-evidence.v1` and as strict as that contract: no unknown field anywhere,
literals by type as well as by value (True is not 1), exactly one message of the user. What makes an
evidence the same is its *root*: the same root with the same content is a replay, with other content
a conflict, under whatever operation id it comes.

Owns: the body, its root, the request that carries it, the seven outcomes that callers of that
contract know, and the typed rejection with its parser. May not know how our outcomes become theirs
(`cognid/evidence.py`) or what the daemon does with an evidence.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds
from cognid.protocol.addressed import Mutation
from cognid.protocol.intake import Stored
from cognid.protocol.values import (
    Instant,
    MemoryText,
    Message,
    No,
    OperationId,
    Said,
    Sha256Hex,
    Sound,
    Yes,
    exactly,
)

PROTOCOL: Final = "mnemory.trusted-evidence.v1"
VERSION: Final = 1

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


Identifier = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.IDENTIFIER_CHARACTERS), Sound, Said
]
"""1–256 characters, not blank."""


def event_place(event_id: str) -> tuple[str, int]:
    """The stream and the sequence of an event id, `<stream>:<sequence>`.

    The sequence is written in one way only (no sign, no leading zero), so that one event has one
    id, and so one root.

    Raises:
        ValueError: it has another form.
    """
    stream, colon, digits = event_id.rpartition(":")
    if stream and colon and digits.isascii() and digits.isdigit() and len(digits) <= 16:
        sequence = int(digits)
        if str(sequence) == digits and sequence <= bounds.SEQUENCE_MAX:
            return stream, sequence
    raise ValueError("an event id is <stream>:<sequence>")


def _placed(event_id: str) -> str:
    try:
        event_place(event_id)
    except ValueError:
        raise PydanticCustomError("event_id", "must be <stream>:<sequence>") from None
    return event_id


EventId = Annotated[Identifier, AfterValidator(_placed)]
"""`<stream>:<sequence>`, see `event_place`."""


class EvidenceActor(Message):
    """Who said it, and for whom the host acts. The owner must be the request's."""

    user_id: Identifier
    owner_id: Identifier


class EvidenceEvent(Message):
    """Where the host persisted it: the event's id and hash, and the host's names of where it was
    said."""

    id: EventId
    event_hash: Sha256Hex
    session: Identifier
    conversation: Identifier
    turn: Identifier


class EvidenceMessage(Message):
    """What the user said."""

    role: Literal["user"]
    content: MemoryText = Field(repr=False)


class Evidence(Message):
    """The body of `mnemory.trusted-evidence.v1`. `messages` holds exactly one."""

    version: Annotated[Literal[1], exactly(int)]
    actor: EvidenceActor
    event: EvidenceEvent
    messages: Annotated[list[EvidenceMessage], Field(min_length=1, max_length=1)]

    @property
    def content(self) -> str:
        """What the user said."""
        return self.messages[0].content

    @property
    def root(self) -> str:
        """What makes it the same evidence; see `evidence_root`."""
        return evidence_root(
            user_id=self.actor.user_id,
            owner_id=self.actor.owner_id,
            event_id=self.event.id,
            event_hash=self.event.event_hash,
            session=self.event.session,
            conversation=self.event.conversation,
            turn=self.event.turn,
        )


def evidence_root(
    *,
    user_id: str,
    owner_id: str,
    event_id: str,
    event_hash: str,
    session: str,
    conversation: str,
    turn: str,
) -> str:
    """The root of an evidence: SHA-256 hex of the compact JSON array of the protocol's name and
    these seven, in this order. Unlike the event hash it normalizes nothing.

    Raises:
        UnicodeEncodeError: one of them holds a lone surrogate.
    """
    parts = [PROTOCOL, user_id, owner_id, event_id, event_hash, session, conversation, turn]
    return hashlib.sha256(_encode(parts).encode("utf-8")).hexdigest()


class RememberEvidence(Mutation):
    """Remember what the user said, as the host persisted it. `evidence.actor.owner_id` must be
    the request's owner."""

    evidence: Evidence
    occurred_at: Instant | None = None
    """When it was said: what relative dates in it are counted from."""


class _Settled(Message):
    """The write is over: it will not become anything else, and sending it again changes nothing."""

    terminal: Yes = True
    retryable: No = False
    outcome_unknown: No = False
    operation_id: OperationId


class EvidenceAccepted(_Settled):
    """It is remembered, on disk."""

    outcome: Literal["accepted"] = "accepted"
    memories: list[Stored]


class EvidenceReplayed(_Settled):
    """The same evidence was taken before; `memories` names what is there."""

    outcome: Literal["replayed"] = "replayed"
    memories: list[Stored]


class EvidenceRecovered(_Settled):
    """Its answer was lost, and asking what became of it showed that it is remembered."""

    outcome: Literal["recovered"] = "recovered"
    memories: list[Stored]


class EvidenceSkipped(_Settled):
    """It is not remembered, and was not to be.

    `filtered`: by the rules named; `disabled`: memory is switched off; `before_cutoff` and
    `epoch_ended`: a switch or a wipe came in between; `forgotten`: it was forgotten, and that
    holds.
    """

    outcome: Literal["skipped"] = "skipped"
    reason: Literal["filtered", "disabled", "before_cutoff", "epoch_ended", "forgotten"]
    rules: list[str] = Field(default_factory=list)
    note: str | None = None
    """One sentence for a person, where there is something to say."""


class EvidenceConflict(_Settled):
    """Its root, its place in the stream or its operation id stands for other content already;
    nothing was done. `reason` is the daemon's word for which."""

    outcome: Literal["conflict"] = "conflict"
    reason: str


RejectionReason = Literal[
    "input_budget_exceeded",
    "extraction_fact_budget_exceeded",
    "action_limit_exceeded",
    "plan_budget_exceeded",
]


class TypedRejection(Message):
    """It was refused before anything was written; the caller keeps the source.

    The promise is in the literals, so a payload is one of these only where all of them stand
    there: read it with `parse_rejection`.
    """

    status: Literal["rejected"] = "rejected"
    outcome: Literal["rejected_before_write"] = "rejected_before_write"
    terminal: Yes = True
    retryable: No = False
    fallback_allowed: No = False
    semantic_effects: Literal["none"] = "none"
    source_retention: Literal["caller_queue"] = "caller_queue"
    operation_id: Identifier
    reason: RejectionReason


class EvidenceRejected(_Settled):
    """It lies outside a bound; nothing was written."""

    outcome: Literal["rejected"] = "rejected"
    rejection: TypedRejection


class EvidenceUnavailable(Message):
    """What became of it is not known. It is never sent again by itself.

    The caller settles it (`recover`), or sends the byte-identical request again: the operation id
    and the root keep it from being stored twice. `reason` is the code of the error, or
    `pending`, `sealed`, `expired` as operation.resolve answers; after `sealed` and `expired` the
    same evidence needs a new operation id.
    """

    outcome: Literal["unavailable"] = "unavailable"
    terminal: No = False
    retryable: Yes = True
    outcome_unknown: Yes = True
    operation_id: OperationId
    reason: str


EvidenceOutcome = Annotated[
    EvidenceAccepted
    | EvidenceReplayed
    | EvidenceRecovered
    | EvidenceSkipped
    | EvidenceConflict
    | EvidenceRejected
    | EvidenceUnavailable,
    Field(discriminator="outcome"),
]

_REJECTION_FIELDS: Final = frozenset(TypedRejection.model_fields)
_REJECTION_TYPES: Final = frozenset({str, bool})


def parse_rejection(value: Any) -> TypedRejection | None:
    """Read a typed rejection; None for everything that is not exactly one.

    An error that merely looks like it carries no promise that nothing happened: a plain dict with
    these keys and no other, each value a plain str or bool and the very literal, or it is none.
    """
    if type(value) is not dict or len(value) != len(_REJECTION_FIELDS):
        return None
    if any(type(key) is not str or key not in _REJECTION_FIELDS for key in value):
        return None
    if any(type(part) not in _REJECTION_TYPES for part in value.values()):
        return None
    try:
        return TypedRejection.model_validate(value)
    except ValidationError:
        return None
