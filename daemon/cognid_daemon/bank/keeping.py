"""Keeping: how long and how much a bank keeps, by which clock, and how a statement asks for it.

Owns: the frozen policy that the settings become, the SQL functions through which every connection
of a bank knows it, and the expressions that are made of these. A memory is expired from the very
instant on at which its term ends, on every read: what stands in its row may be behind (`retention`
brings that up to date), and so no read looks at the row alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cognid.protocol.values import Kind

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

DAY: Final = 86_400_000_000
"""Microseconds."""
_NEVER: Final = -(2**63)
"""Before every instant there is."""

LIFECYCLE: Final = (
    "CASE WHEN m.expired_at IS NOT NULL OR (r.lifecycle = 'current' AND m.pinned = 0"
    " AND m.term_from <= cognid_cut(m.kind)) THEN 'expired' ELSE r.lifecycle END"
)
"""Where a memory `m` with its newest revision `r` stands now."""
EXPIRES_AT: Final = "CASE WHEN m.pinned = 0 THEN m.term_from + cognid_term(m.kind) END"
"""When the term of a memory `m` ends or ended; null where it has none."""
_KINDS: Final = " UNION ALL ".join(f"SELECT '{kind.value}' AS kind" for kind in Kind)
PAST_TERM: Final = (
    f"SELECT o.memory_rowid FROM ({_KINDS}) AS k"  # noqa: S608 # fixed words only
    " CROSS JOIN memories AS o INDEXED BY memories_by_term ON o.kind = k.kind AND o.pinned = 0"
    " AND o.expired_at IS NULL AND o.term_from <= cognid_cut(k.kind)"
)
"""The memories that are past their term and not marked so yet: six looks into an index, and nearly
always none. Some of them may be superseded."""
WITHIN_TERM: Final = (
    f"SELECT o.memory_rowid FROM ({_KINDS}) AS k"  # noqa: S608 # fixed words only
    " CROSS JOIN memories AS o INDEXED BY memories_marked ON o.kind = k.kind"
    " AND o.expired_at IS NOT NULL AND o.term_from > cognid_cut(k.kind)"
)
"""The memories that are marked expired and are not past their term: the clock was set back, or the
term was made longer."""


def unix_microseconds() -> int:
    """The wall clock."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a bank keeps. By default everything, for good.

    `terms` are microseconds from the commit of a memory's current revision to its expiry; a kind
    that is not among them never expires. `messages` is the same for the messages of sessions, None:
    for good. `memories` and `file_bytes` are the quotas, None: none.
    `clock` gives Unix microseconds; every instant that the bank's writes bear is its.
    """

    terms: Mapping[Kind, int] = field(default_factory=dict)
    messages: int | None = None
    memories: int | None = None
    file_bytes: int | None = None
    clock: Callable[[], int] = unix_microseconds

    def message_cut(self) -> int:
        """A session's messages that were committed then or before are past their term now."""
        return _NEVER if self.messages is None else self.clock() - self.messages

    def teach(self, connection: Connection) -> None:
        """Let a connection's statements know `cognid_term(kind)`, a kind's term or null, and
        `cognid_cut(kind)`: what was committed then or before is past its term now."""
        terms = {kind.value: term for kind, term in self.terms.items()}

        def term(kind: str) -> int | None:
            return terms.get(kind)

        def cut(kind: str) -> int:
            length = terms.get(kind)
            return _NEVER if length is None else self.clock() - length

        connection.create_function("cognid_term", 1, term, deterministic=True)
        connection.create_function("cognid_cut", 1, cut)


KEEP_ALL: Final = Keeping()
