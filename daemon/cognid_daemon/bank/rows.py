"""The rows of a bank as typed values: what goes in and what comes out.

Owns: the frozen data classes that `Transaction` takes and gives. Instants are integer Unix
microseconds UTC. Values that hold memory text or a memory's digest key keep it out of their repr.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cognid.protocol.values import Kind, Lifecycle, Provenance, Role


class Decision(StrEnum):
    """What admission decided about an event."""

    COMMITTED = "committed"
    REJECTED = "rejected"
    NO_EFFECT = "no_effect"


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event whose custody is taken. `hash` is the 32 bytes of the event hash, or None.

    `rules` are those that rejected it. `evidence` is what identifies it as trusted evidence.
    """

    stream: str
    sequence: int
    type: str
    hash: bytes | None
    decision: Decision
    session_id: str | None = None
    occurred_at: int | None = None
    rules: tuple[str, ...] = ()
    evidence: bytes | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it stands in the bank; `hash` is None once its memory was forgotten."""

    event_rowid: int
    stream: str
    sequence: int
    type: str
    hash: bytes | None
    session_id: str | None
    occurred_at: int | None
    received_at: int
    decision: Decision
    rules: tuple[str, ...] = ()
    evidence: bytes | None = None


@dataclass(frozen=True, slots=True)
class Withholding:
    """What is not to be remembered of a conversation, as its user has asked.

    `next_turn`: the user's next turn. `whole_session`: everything, until further notice.
    `replies`: what the others say until the user's next turn, since it answers a withheld one.
    """

    next_turn: bool = False
    whole_session: bool = False
    replies: bool = False


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be made. `span` is (start, end) in characters of the event's content.

    `sources` are the ids of the memories that a synthesized one was made from.
    """

    kind: Kind
    role: Role
    provenance: Provenance
    text: str = field(repr=False)
    speaker: str | None = field(default=None, repr=False)
    confidence: float | None = None
    importance: float | None = None
    pinned: bool = False
    categories: tuple[str, ...] = field(default=(), repr=False)
    labels: tuple[str, ...] = field(default=(), repr=False)
    session_id: str | None = None
    event_rowid: int | None = None
    span: tuple[int, int] | None = None
    sources: tuple[str, ...] = ()
    extractor: str | None = None
    policy_fingerprint: str | None = None
    event_time: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """Where a new memory went. `digest` is its text's keyed digest, for the ledger (hex)."""

    memory_id: str
    revision: int
    memory_rowid: int
    revision_rowid: int
    digest: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory with its newest revision; `text` is None once it was forgotten.

    `lifecycle` is where it stands now, `written` what its row says: past its term it is expired,
    marked or not. What is written as current stands in the indexes. `expires_at` is None where it
    has no term.
    """

    memory_rowid: int
    memory_id: str
    revision: int
    revision_rowid: int
    lifecycle: Lifecycle
    kind: Kind
    role: Role
    provenance: Provenance
    text: str | None = field(repr=False)
    speaker: str | None = field(repr=False)
    confidence: float | None
    importance: float | None
    pinned: bool
    categories: tuple[str, ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    session_id: str | None
    event_rowid: int | None
    span: tuple[int, int] | None
    extractor: str | None
    policy_fingerprint: str | None
    event_time: int | None
    valid_from: int | None
    valid_until: int | None
    created_at: int
    revised_at: int
    origin_id: str
    written: Lifecycle
    expires_at: int | None
    sources: tuple[str, ...] = ()

    @property
    def is_fact(self) -> bool:
        """Whether it was promoted from what was said, or stated; a remark is what was said."""
        return self.kind is not Kind.REMARK

    @property
    def is_statement(self) -> bool:
        """Whether it was stated by itself: a fact that was promoted from a turn says what the turn
        says, and is ranked as that."""
        return self.is_fact and self.event_rowid is None


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of a memory, for its history."""

    revision: int
    lifecycle: Lifecycle
    text: str | None = field(repr=False)
    created_at: int
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class Barrier:
    """The durable mark that keeps one forgotten memory from coming back.

    `origin_id` is the first id that it ever had. `erased_at` is None while its bytes may still
    stand in a file.
    """

    memory_id: str
    origin_id: str
    stream: str | None
    sequence: int | None
    made_by: str | None
    forgotten_at: int
    operation_id: str | None
    erased_at: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Targets and what they take along, in that order; `absent` were forgotten before."""

    memories: tuple[Memory, ...]
    absent: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """The new revision of a corrected memory, and the ids of the remarks it superseded.

    `digest` is the new text's keyed digest, for the ledger (hex).
    """

    memory_id: str
    memory_rowid: int
    revision: int
    revision_rowid: int
    digest: str
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The stored outcome of an operation.

    `digest` is the request's SHA-256, None once a memory it names was forgotten. `outcome` is a
    JSON object of codes, ids and revisions, never of text. `at` is set by the transaction when it
    is 0. `authority` is the credential's id. `others` are the rowids of further memories that the
    operation made or met; what reads a receipt does not need them.
    """

    operation_id: str
    operation: str
    digest: bytes | None
    outcome: str
    authority: str
    memory_rowid: int | None = None
    at: int = 0
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What changed, by whom, under which policy. `body` is a JSON object of ids, lifecycle changes
    and keyed digests; never of text."""

    operation: str
    operation_id: str | None
    authority: str
    body: str
    policy_fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """An entry of the ledger as it stands."""

    sequence: int
    at: int
    operation: str
    operation_id: str | None
    authority: str
    policy_fingerprint: str | None
    body: str


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    """One window's vector: float16 little-endian, unit norm. `span` is in characters."""

    window: int
    span: tuple[int, int]
    vector: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Committed:
    """What one COMMIT changed for the indexes: revisions that became current, and that ceased.

    `forgot`: something was forgotten, cleared or dropped, so that bytes of it have to be erased.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    forgot: bool = False
