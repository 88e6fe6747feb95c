"""Cutoffs under way: which banks are being switched or wiped now, under which operation ids.

Owns: that a bank has one at a time, whichever connection asks, and the ids that operation.resolve
must call pending: their receipts are not written yet, and sealing them would be wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cognid.protocol.errors import CognidError

Whose = tuple[str, str | None]


class Cutoffs:
    """The cutoffs of one daemon that have been asked for and are not answered."""

    def __init__(self) -> None:
        self._turns: dict[Whose, asyncio.Lock] = {}
        self._under_way: dict[tuple[Whose, str], int] = {}

    @asynccontextmanager
    async def one_at_a_time(
        self, whose: Whose, operation_id: str, deadline: float
    ) -> AsyncIterator[None]:
        """Hold the bank's turn. `deadline` is in seconds of the loop's clock.

        Raises:
            CognidError: `deadline_exceeded`: another cutoff took until then.
        """
        turn = self._turns.setdefault(whose, asyncio.Lock())
        key = (whose, operation_id)
        self._under_way[key] = self._under_way.get(key, 0) + 1
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    await turn.acquire()
            except TimeoutError:
                raise CognidError("deadline_exceeded") from None
            try:
                yield
            finally:
                turn.release()
        finally:
            self._under_way[key] -= 1
            if not self._under_way[key]:
                del self._under_way[key]

    def is_under_way(self, whose: Whose, operation_id: str) -> bool:
        """Whether a cutoff of this bank is being made under this id."""
        return (whose, operation_id) in self._under_way
