"""The sweeper of a bank: the task that does the steps of `retention` when they are due.

It sleeps until the next instant at which a term or a mark comes to its end, looks at the clock in
between in case that was set, and works in the background of the bank: a step at a time, after every
write of a caller. Reads do not wait for it: they know what is past its term by themselves.

Owns: the task, and the knowledge whether a read has to look for what is past its term.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import retention
from cognid_daemon.bank.errors import BankError, ClosedError
from cognid_daemon.bank.rows import Barrier

if TYPE_CHECKING:
    from cognid_daemon.bank.bank import Bank

LOOK_SECONDS: Final = 600.0
"""The longest sleep: a clock that was set, or a machine that slept, is noticed after it."""
_AGAIN_SECONDS: Final = 60.0
"""After a disk that had no room for a step."""
_LEAST_SECONDS: Final = 1.0
_SECOND: Final = 1_000_000

Erased = Callable[[Sequence[Barrier]], Awaitable[None]]


class Sweeper:
    """Sweeps one bank. `look` first, then `start`; its owner awaits `close` before the bank's end.

    Without a start nothing is swept, and reads are right all the same.
    """

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._due = retention.Due(None, None)
        self._looked = 0
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """Find out what is due next."""
        keeping = self._bank.keeping
        looked = keeping.clock()
        self._due = await self._bank.read(lambda connection: retention.due(connection, keeping))
        self._looked = looked

    def start(self, erased: Erased) -> None:
        """Begin to sweep.

        Args:
            erased: awaited with the barriers of what a step has erased, after its COMMIT. What it
                raises ends nothing: the next opening of the bank makes up for it.
        """
        self._task = asyncio.create_task(self._run(erased), name=f"sweep {self._bank.bank_id}")

    async def close(self) -> None:
        """End the task; what is due stands in the file. Twice is nothing."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Look again now: a memory may be past its term sooner than was known."""
        self._woken.set()

    @property
    def is_behind(self) -> bool:
        """Whether memories may be past their term and in the indexes all the same.

        What was committed since the last look has its whole term before it, unless the clock was
        set back.
        """
        now = self._bank.keeping.clock()
        term = self._due.term
        least = min(self._bank.keeping.terms.values(), default=None)
        if now < self._looked or (term is not None and now >= term):
            return True
        return least is not None and now - self._looked >= least

    async def _run(self, erased: Erased) -> None:
        with suppress(ClosedError):
            while True:
                try:
                    await self._sweep(erased)
                except ClosedError:
                    raise
                except Exception:  # a full disk, or whatever it was: what is due stays due
                    await asyncio.sleep(_AGAIN_SECONDS)
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._patience()):
                        await self._woken.wait()
                self._woken.clear()

    async def _sweep(self, erased: Erased) -> None:
        await self.look()
        if self._patience() > _LEAST_SECONDS:
            return
        more = True
        while more:
            swept = await self._bank.submit(retention.sweep, background=True).outcome()
            if swept.barriers:
                with suppress(BankError):
                    await erased(swept.barriers)
            more = swept.more
        await self.look()

    def _patience(self) -> float:
        """Seconds until the next step is due, within bounds."""
        if self._due.sweep is None:
            return LOOK_SECONDS
        left = (self._due.sweep - self._bank.keeping.clock()) / _SECOND
        return min(max(left, _LEAST_SECONDS), LOOK_SECONDS)
