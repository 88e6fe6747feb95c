"""Leases: an open bank, the hold that a call has on it, and the door that calls wait at.

Owns: these values. Who opens, lends and closes is the set of banks.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

from cognid_daemon.bank.bank import Bank
from cognid_daemon.catalog_copy import BankRecord, Switch
from cognid_daemon.recall.recaller import Recaller
from cognid_daemon.wipe import note_switch


@dataclass(slots=True)
class OpenBank:
    """One open bank with its recall; `users` calls are at work in it.

    `rolled_back`: its file was found older than the catalog knew it, when it was opened. `untold`:
    how often the catalog could not be told of a forget; `told`: how many of these it was told of
    since. `switch`: one whose receipt the bank does not have yet.
    """

    bank: Bank
    recaller: Recaller
    rolled_back: bool
    untold: int = 0
    users: int = 0
    told: int = 0
    switch: Switch | None = None

    @property
    def behind(self) -> bool:
        """Whether the catalog lacks something that the bank has."""
        return self.told < self.untold

    async def tell_switch(self) -> None:
        """Let the bank have the receipt of its last switch.

        Raises:
            BankError: the disk refused; who asks for the bank next tries it again.
        """
        if self.switch is not None:
            await self.bank.submit(partial(note_switch, switch=self.switch)).outcome()
            self.switch = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A bank for the length of one call, and its record as it stood when the call began."""

    record: BankRecord
    held: OpenBank

    @property
    def bank(self) -> Bank:
        """The bank."""
        return self.held.bank

    @property
    def recaller(self) -> Recaller:
        """Its recall."""
        return self.held.recaller

    @property
    def rolled_back(self) -> bool:
        """Whether the bank's file was found older than the catalog knew it."""
        return self.held.rolled_back

    @property
    def has_ended(self) -> bool:
        """Whether the epoch in which the call began is over."""
        return self.bank.fence.epoch != self.record.epoch


@dataclass(slots=True)
class Door:
    """Where calls wait while their bank is being opened, switched or wiped."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0

    @property
    def is_free(self) -> bool:
        """Whether who comes now overtakes nobody."""
        return not self.waiting and not self.lock.locked()
