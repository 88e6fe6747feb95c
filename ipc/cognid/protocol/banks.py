"""The bank family: ensure, status, list."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cognid.protocol.addressed import Addressed, Mutation, Timed
from cognid.protocol.index import IndexView
from cognid.protocol.values import Instant, Reference, Reply


class BankEnsure(Mutation):
    """Make the bank if there is none. `enabled` has no default: the person decides.

    An existing bank stays as it is, its switch too; the answer tells how it stands.
    """

    enabled: bool


class BankView(Reply):
    """One bank: its identity, lifetime token and switch."""

    bank_id: str
    owner: str
    agent: str | None
    epoch: str
    enabled: bool
    created_at: Instant


class BankEnsured(BankView):
    """The bank as it stands now, and whether this request made it."""

    created: bool


class BankStatus(Addressed):
    """Ask how a bank is; with a stream, also how far that stream has come."""

    stream: Reference | None = None


class Frontier(Reply):
    """How far a stream has come: the highest sequence taken, decided and indexed."""

    stream: str
    received: int | None
    decided: int | None
    ready: int | None


class QuotaView(Reply):
    """What a bank holds and how much it may; null where there is no bound.

    `memories` are those of every lifecycle, superseded and expired ones too; `bytes` are those of
    the bank's file that are in use.
    """

    memories: int
    memories_allowed: int | None
    bytes: int
    bytes_allowed: int | None


class BankStatusReply(BankView):
    """Counts of a bank, and its indexes. `memories` and `by_kind` are the current ones."""

    memories: int
    by_kind: dict[str, int]
    expired: int = 0
    """Memories past their term that are still there, and can be revived by pinning."""
    events: int
    receipts: int
    ledger_entries: int
    file_bytes: int
    quota: QuotaView | None = None
    index: IndexView
    frontier: Frontier | None = None
    rolled_back: bool = False
    """Whether an older file of the bank was put back before it was opened; what had been forgotten
    since then was forgotten again, what else had been written is missing."""


class BankList(Timed):
    """Ask for the banks that the grant can reach."""

    owner: Reference | None = None


class BankListReply(Reply):
    """The banks, in the order they were made."""

    banks: Annotated[list[BankView], Field()]
