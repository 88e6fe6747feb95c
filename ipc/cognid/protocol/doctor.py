"""The doctor: proofs about one bank, made anew each time they are asked for.

Owns: their questions and answers. `erasure` does what is owed first, within the deadline.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from cognid.protocol.addressed import Addressed
from cognid.protocol.values import Instant, MemoryId, Reply


class Doctor(Addressed):
    """Ask for proofs: that a forgotten memory is erased, that the ledger is whole."""

    erasure: MemoryId | None = None
    ledger: bool = False

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.erasure is None and not self.ledger:
            raise PydanticCustomError("doctor", "ask for erasure, for ledger, or for both")
        return self


class ErasureProof(Reply):
    """Whether anything is left of a forgotten memory, looked at now.

    A memory that was never forgotten has `forgotten_at` null, and nothing is proved about it.
    """

    memory_id: str
    forgotten_at: Instant | None
    erased: bool
    pending: list[str]
    """What could still hold its bytes; empty where it is erased."""


class LedgerProof(Reply):
    """Whether the hash chain holds from its first entry to its head."""

    entries: int
    whole: bool
    broken_at: int | None
    """The first entry that is missing, changed or out of its place."""
    head: str
    """The last entry's hash in hex."""
    rolled_back: bool
    """Whether the catalog knows a later head: an older bank file was put back."""


class DoctorReply(Reply):
    """The proofs that were asked for."""

    erasure: ErasureProof | None = None
    ledger: LedgerProof | None = None
    epoch: str
