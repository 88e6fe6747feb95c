"""The readers of a bank: a few connections; each read is a snapshot and ends by its deadline.

A read with a deadline goes before those without one: somebody waits for it, and they come again
and again while indexes are built.

Owns: which connection a read gets, its read transaction, and its interruption.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.errors import ClosedError, DamagedError, DeadlineError, OverloadedError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")

_WAITING: Final = 256
_AGAIN_SECONDS: Final = 0.005
_REFRESH_SECONDS: Final = 0.001
_EARLY_SECONDS: Final = 0.003
"""Before its deadline a read is interrupted, so that the interrupt has come through by then."""


class _Alarm:
    """Interrupts a connection from just before the deadline on, again and again: an interrupt that
    falls between two statements stops neither."""

    def __init__(self, database: Database, deadline: float) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_at(deadline - _EARLY_SECONDS, self._ring)

    def _ring(self) -> None:
        self._database.interrupt()
        self._timer = self._loop.call_later(_AGAIN_SECONDS, self._ring)

    def stop(self) -> None:
        self._timer.cancel()


def _is_near(deadline: float | None) -> bool:
    if deadline is None:
        return False
    return asyncio.get_running_loop().time() >= deadline - _EARLY_SECONDS


class Readers:
    """A bounded queue of reads before a fixed set of connections.

    `fault` is the code of damage that a read has met; it lasts, since no read mends it.
    """

    def __init__(self, databases: Sequence[Database]) -> None:
        self._all = tuple(databases)
        self._idle = list(databases)
        self._hurried: deque[asyncio.Future[Database]] = deque()
        self._patient: deque[asyncio.Future[Database]] = deque()
        self._stale: set[Database] = set()
        self._reading: set[Database] = set()
        self._behind: set[asyncio.Future[Any]] = set()
        self._closed = False
        self.fault: str | None = None

    @property
    def are_idle(self) -> bool:
        """Whether every connection is free."""
        return len(self._idle) == len(self._all)

    async def read(
        self,
        work: Callable[[Connection], T],
        deadline: float | None,
        first: Callable[[], None] | None = None,
        first_deadline: float | None = None,
    ) -> T:
        """Run `work` in one read transaction.

        Args:
            work: may run twice, when its first snapshot became too old.
            deadline: in seconds of the loop's clock.
            first: what `work` needs from elsewhere; runs once on the same thread, before there is
                a snapshot, so that no forget waits for it.
            first_deadline: when that must be done; by default by the deadline. Nothing interrupts
                it, but nobody waits for it any longer.

        Raises:
            DeadlineError: the deadline passed, waiting or reading.
            OverloadedError: too many reads are waiting.
        """
        if self._closed:
            raise ClosedError
        if deadline is not None and asyncio.get_running_loop().time() >= deadline:
            raise DeadlineError
        database = self._idle.pop() if self._idle else await self._turn(deadline)

        def snapshot(connection: Connection) -> T:
            nonlocal first
            if first is not None:
                first()
                first = None
            # On the thread: what is not here when a forget looks has no snapshot yet, and a set's
            # own methods are whole under the interpreter's lock.
            self._reading.add(database)
            connection.execute("BEGIN")
            return work(connection)  # the connection rolls back what is left open

        if deadline is None:
            try:
                return await self._read(database, snapshot, None)
            finally:
                self._give_back(database)
        reading = asyncio.ensure_future(self._read(database, snapshot, deadline))
        reading.add_done_callback(lambda _: self._give_back(database))
        loop = asyncio.get_running_loop()
        try:
            if first_deadline is not None:
                await asyncio.wait({reading}, timeout=max(0.0, first_deadline - loop.time()))
            if not reading.done() and (first_deadline is None or first is None):
                await asyncio.wait({reading}, timeout=max(0.0, deadline - loop.time()))
        except asyncio.CancelledError:
            reading.cancel()
            await asyncio.wait({reading})
            raise
        if reading.done():
            return reading.result()
        # It is between two statements, in Python: an interrupt ends it at the next one.
        self._behind.add(reading)
        reading.add_done_callback(self._forget)
        raise DeadlineError

    def _forget(self, reading: asyncio.Future[Any]) -> None:
        """Let go of a read that nobody waits for any more."""
        self._behind.discard(reading)
        if not reading.cancelled():
            reading.exception()

    async def _read(
        self, database: Database, snapshot: Callable[[Connection], T], deadline: float | None
    ) -> T:
        """Run a read on a connection that is its own until this ends."""
        alarm = None if deadline is None else _Alarm(database, deadline)
        try:
            while True:
                try:
                    return await database.run(snapshot)
                except DeadlineError:
                    if database not in self._stale or _is_near(deadline):
                        raise
                except DamagedError as fault:
                    self.fault = fault.code
                    raise
                self._stale.discard(database)
        finally:
            if alarm is not None:
                alarm.stop()
            self._reading.discard(database)
            self._stale.discard(database)

    async def refresh(self) -> None:
        """Interrupt the reads that run now and let each begin again on a newer snapshot.

        Returns when none reads from an older snapshot any more.
        """
        stale = set(self._reading)
        self._stale |= stale
        while stale := stale & self._stale:
            for database in stale:
                database.interrupt()
            await asyncio.sleep(_REFRESH_SECONDS)

    async def _turn(self, deadline: float | None) -> Database:
        """Wait for a connection."""
        if len(self._hurried) + len(self._patient) >= _WAITING:
            raise OverloadedError("too many reads are waiting")
        turn: asyncio.Future[Database] = asyncio.get_running_loop().create_future()
        waiting = self._patient if deadline is None else self._hurried
        waiting.append(turn)
        try:
            async with asyncio.timeout_at(deadline):
                return await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give_back(turn.result())  # it came just as the wait ended
            elif turn in waiting:
                waiting.remove(turn)
            if isinstance(error, TimeoutError):
                raise DeadlineError from None
            raise

    def _give_back(self, database: Database) -> None:
        turn = self._next()
        if turn is None:
            self._idle.append(database)
        else:
            turn.set_result(database)

    def _next(self) -> asyncio.Future[Database] | None:
        """Whose turn it is; None where nobody waits."""
        for waiting in (self._hurried, self._patient):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    return turn
        return None

    async def close(self) -> None:
        """Refuse new reads, interrupt those that run, and close the connections."""
        self._closed = True
        while (turn := self._next()) is not None:
            turn.set_exception(ClosedError())
        for database in self._all:
            database.interrupt()
            await database.close()
        if self._behind:
            await asyncio.wait(set(self._behind))
