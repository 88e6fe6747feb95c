"""The writer of a bank: one thread, one transaction for all the writes that queue.

How a group goes: BEGIN IMMEDIATE; the queue is popped inside the open transaction until as many
writes as were last in flight are in it, or a share of the average commit time was spent waiting;
cancels and deadlines are looked at; COMMIT; one call to the loop brings every answer. Without the
gathering, groups settle at half the number of clients (measured). A client alone never waits.

The first attempt applies each write without a savepoint, since FTS5 flushes its pending terms at
each one. A write that raises after it changed something spoils that attempt: it is rolled back and
the others are applied again, a savepoint each. So an `apply` may run more than once.

Owns: the queue, the group, its COMMIT, and what is said of it after a failure.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cognid_daemon.bank.common import Common
from cognid_daemon.bank.connection import SQLITE_ERRORS, Database
from cognid_daemon.bank.errors import (
    BankError,
    ClosedError,
    DeadlineError,
    InternalError,
    OverloadedError,
)
from cognid_daemon.bank.keeping import Keeping
from cognid_daemon.bank.rows import Committed
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.upkeep import Upkeep
from cognid_daemon.bank.view import View
from cognid_daemon.bank.write import Place, State, Write

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")

QUEUE_LIMIT: Final = 1024
BACKGROUND_LIMIT: Final = 64
GROUP_LIMIT: Final = 128
# 0.3-0.5 of the average commit time brought 32 clients into one group (measured).
_PATIENCE: Final = 0.5
_SMOOTHING: Final = 0.1
# Background work and upkeep begin when no write came for so long.
_QUIET_SECONDS: Final = 0.01


class _Signal:
    """What stands in the queue beside writes."""


_NUDGE: Final = _Signal()
_STOP: Final = _Signal()
_Item = Write[Any] | _Signal


class Writer:
    """The queue before a bank's one writing connection.

    `fault` is the code of the last failure of the disk or the file; None once a COMMIT succeeded.

    Args:
        announce: called on the loop after each COMMIT that changed revisions.
        keeping: by whose clock the writes are, and what they may add.
    """

    def __init__(
        self, database: Database, announce: Callable[[Committed], None], keeping: Keeping
    ) -> None:
        self._database = database
        self._announce = announce
        self._keeping = keeping
        self._front: SimpleQueue[_Item] = SimpleQueue()
        self._back: deque[Write[Any]] = deque()
        self._held: _Item | None = None
        self._lock = threading.Lock()
        self._upkeep = Upkeep()
        self._common = Common()  # of the open transaction
        self._expected = 1
        self._commit_seconds = 0.0
        self._groups = [0] * (GROUP_LIMIT + 1)
        self.fault: str | None = None
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._own(), name="bank writer")

    def submit(self, apply: Callable[[Any], T], deadline: float | None, place: Place) -> Write[T]:
        """Queue a write; the order of the calls is the order of the writes.

        Raises:
            OverloadedError: the queue is full.
            ClosedError: the bank is closing.
        """
        if self._closed:
            raise ClosedError
        write = Write(apply, deadline, place, self._lock)
        if place is Place.BACKGROUND:
            if len(self._back) >= BACKGROUND_LIMIT:
                raise OverloadedError("the bank's background queue is full")
            self._back.append(write)
            self._front.put(_NUDGE)
        else:
            if self._front.qsize() >= QUEUE_LIMIT:
                raise OverloadedError("the bank's queue is full")
            self._front.put(write)
        return write

    def group_commits(self) -> dict[int, int]:
        """How many commits there were of each number of writes."""
        return {size: count for size, count in enumerate(self._groups) if count}

    async def close(self) -> None:
        """Take no more, and wait until everything that is queued was committed and answered."""
        if not self._closed:
            self._closed = True
            self._front.put(_STOP)
        await asyncio.wait([self._task])

    async def _own(self) -> None:
        """Keep the thread serving; end it when cancelled."""
        serving = asyncio.ensure_future(self._database.run(self._serve))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self._front.put(_STOP)
            await serving
            raise
        finally:
            self._closed = True
            self._abandon()

    def _abandon(self) -> None:
        """Answer what the thread left behind; after an orderly end that is nothing."""
        left = [self._held, *self._back]
        while not self._front.empty():
            left.append(self._front.get())
        for item in left:
            if isinstance(item, Write) and item.fault is None:
                item.fault = ClosedError()
                item.settle()

    # What follows runs on the writer's thread.

    def _serve(self, _: Connection) -> None:
        while True:
            item = self._held or self._next()
            self._held = None
            if item is _STOP:
                while self._back:
                    self._group(self._back.popleft(), waits=False)
                return
            if item is None:
                self._idle()
            elif isinstance(item, Write):
                if item.place is Place.ALONE:
                    self._alone(item)
                else:
                    self._group(item, waits=True)

    def _next(self) -> _Item | None:
        """The next item; None when background work or upkeep is owed and the bank is quiet."""
        try:
            return self._front.get(
                timeout=_QUIET_SECONDS if self._back or self._upkeep.due else None
            )
        except Empty:
            return None

    def _idle(self) -> None:
        if self._back:
            self._group(self._back.popleft(), waits=False)
            return
        try:
            self._upkeep.step(self._database.connection_here())
        except SQLITE_ERRORS as error:
            self._fail(self._database.fault_here(error))
            self._upkeep.postpone()
        except BankError as fault:
            self._fail(fault)
            self._upkeep.postpone()

    def _alone(self, write: Write[Any]) -> None:
        with self._lock:
            if write.state is not State.OPEN:
                return
            write.state = State.SEALED
        try:
            write.value = write.apply(self._database.connection_here())
        except SQLITE_ERRORS as error:
            write.fault = self._database.fault_here(error)
        except Exception as error:  # the edge to the caller: it is raised there
            write.fault = error
        self._rollback()
        self._answer([write], Committed((), ()))

    def _group(self, first: Write[Any], *, waits: bool) -> None:
        """Gather, apply and commit one group, and answer it."""
        members = [first]
        committed = Committed((), ())
        try:
            connection = self._database.connection_here()
            connection.execute("BEGIN IMMEDIATE")
            self._common.clear()
            sound = self._gather(connection, members, waits=waits)
            applied = self._seal(members, sound=sound)
            if applied:
                self._commit(applied)
                committed = _changes(applied)
            else:
                self._rollback()
        except SQLITE_ERRORS as error:
            self._fail_all(members, self._database.fault_here(error))
        except BankError as fault:
            self._fail_all(members, fault)
        except Exception as error:
            # A fault of this module must not end the thread; its text might quote content.
            self._fail_all(members, InternalError(type(error).__name__))
        self._answer(members, committed)

    def _gather(self, connection: Connection, members: list[Write[Any]], *, waits: bool) -> bool:
        """Apply the first member and what else comes. False: the transaction is spoiled."""
        sound = self._apply(connection, members[0])
        patience = self._commit_seconds * _PATIENCE
        front = self._front
        while sound and len(members) < GROUP_LIMIT:
            if front.empty():
                if not waits or patience <= 0 or len(members) >= self._expected:
                    break
                since = time.perf_counter()
                try:
                    item = front.get(timeout=patience)
                except Empty:
                    break
                patience -= time.perf_counter() - since
            else:
                item = front.get()
            if item is _NUDGE:
                continue
            if not isinstance(item, Write) or item.place is Place.ALONE:
                self._held = item
                break
            members.append(item)
            sound = self._apply(connection, item)
        if waits:
            self._expected = len(members) + front.qsize()
            # A group that is open anyway takes one background write along, and with it no fsync.
            if sound and self._back:
                members.append(self._back.popleft())
                sound = self._apply(connection, members[-1])
        if sound and self._upkeep.pressing:
            self._upkeep.merge(connection)
        return sound

    def _apply(self, connection: Connection, write: Write[Any]) -> bool:
        """Apply one write. False: it failed and left something behind in the transaction."""
        if write.state is not State.OPEN:
            return True
        if write.deadline is not None and self._loop.time() >= write.deadline:
            write.fault = DeadlineError()
            return True
        before = connection.total_changes
        transaction = Transaction(connection, self._keeping.clock(), self._keeping, self._common)
        try:
            write.value = write.apply(transaction)
        except SQLITE_ERRORS as error:
            write.fault = self._database.fault_here(error)
        except Exception as error:  # the edge to the caller: it is raised there
            write.fault = error
        else:
            write.transaction = transaction
            return True
        sound: bool = connection.in_transaction and connection.total_changes == before
        return sound

    def _seal(self, members: list[Write[Any]], *, sound: bool) -> list[Write[Any]]:
        """Settle which members are committed: from here on none can be withdrawn."""
        while True:
            if not sound:
                self._again(members)
                sound = True
            applied = [write for write in members if write.transaction is not None]
            now = self._loop.time()
            with self._lock:
                for write in applied:
                    if write.state is not State.OPEN:
                        sound = False
                    elif write.deadline is not None and now >= write.deadline:
                        write.fault = DeadlineError()
                        sound = False
                if sound:
                    for write in applied:
                        write.state = State.SEALED
                    return applied

    def _again(self, members: list[Write[Any]]) -> None:
        """Roll back and apply once more, a savepoint each, what has not failed by now."""
        whole = False
        while not whole:
            whole = True
            self._rollback()
            connection = self._database.connection_here()
            connection.execute("BEGIN IMMEDIATE")
            self._common.clear()
            for write in members:
                write.transaction = None
            for write in members:
                if write.fault is not None:
                    continue
                connection.execute("SAVEPOINT member")
                if not self._apply(connection, write):
                    if not connection.in_transaction:
                        whole = False  # SQLite rolled everything back; without this one, again
                        break
                    connection.execute("ROLLBACK TO member")
                    self._common.clear()
                connection.execute("RELEASE member")

    def _commit(self, applied: list[Write[Any]]) -> None:
        since = time.perf_counter()
        fault: BankError | None = None
        try:
            self._database.connection_here().execute("COMMIT")
        except SQLITE_ERRORS as error:
            fault = self._database.fault_here(error)
        if fault is None:
            spent = time.perf_counter() - since
            self._commit_seconds += (spent - self._commit_seconds) * (
                _SMOOTHING if self._commit_seconds else 1.0
            )
            self._groups[len(applied)] += 1
            self.fault = None
            self._upkeep.committed()
            return
        self._fail(fault)
        if not self._is_there(applied, fault):
            raise type(fault)(fault.detail, effect="none")

    def _is_there(self, applied: list[Write[Any]], fault: BankError) -> bool:
        """Whether a group is in the file although its COMMIT failed; one receipt tells for all.

        A TRUNCATE checkpoint makes it certain: what the file holds after that is durable, and no
        frame in the WAL can bring back what it does not hold.

        Raises:
            BankError: it cannot be told; the effect is unknown.
        """
        receipts = [
            operation_id
            for write in applied
            if write.transaction is not None
            for operation_id in write.transaction.receipts
        ]
        with suppress(*SQLITE_ERRORS, BankError):
            connection = self._database.connection_here()
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if receipts and not busy:
                return View(connection).receipt(receipts[0]) is not None
        if fault.detail == "SQLITE_FULL":
            return False  # the WAL ends before the frame that would commit
        raise type(fault)(fault.detail, effect="unknown")

    def _fail(self, fault: BankError) -> None:
        """Remember a failure for `fault` and leave no transaction open."""
        self.fault = fault.code
        self._rollback()

    def _rollback(self) -> None:
        with suppress(*SQLITE_ERRORS, BankError):
            connection = self._database.connection_here()
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _fail_all(self, members: list[Write[Any]], fault: BankError) -> None:
        self._fail(fault)
        for write in members:
            with self._lock:
                if write.fault is None:
                    write.fault = fault

    def _answer(self, members: list[Write[Any]], committed: Committed) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._settle, members, committed)

    def _settle(self, members: list[Write[Any]], committed: Committed) -> None:
        """On the loop: the indexes learn of it first, then the callers."""
        try:
            if committed.added or committed.removed or committed.forgot:
                self._announce(committed)
        finally:
            for write in members:
                write.settle()


def _changes(applied: list[Write[Any]]) -> Committed:
    added: list[int] = []
    removed: list[int] = []
    for write in applied:
        if write.transaction is not None:
            added += write.transaction.added
            removed += write.transaction.removed
    forgot = any(write.transaction is not None and write.transaction.forgot for write in applied)
    return Committed(tuple(added), tuple(removed), forgot)
