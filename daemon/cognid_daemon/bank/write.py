"""One write of a bank: what is to be applied, and how its caller learns the outcome.

Owns: the life of a write between the loop and the writer's thread. Until its group's COMMIT begins
it can be withdrawn, by its caller or by its deadline, and then nothing of it happens; after that
the true outcome is told.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cognid_daemon.bank.errors import BankError, CancelledWriteError, DeadlineError

if TYPE_CHECKING:
    from cognid_daemon.bank.transaction import Transaction

T = TypeVar("T")


class Place(Enum):
    """Where a write runs."""

    FOREGROUND = auto()
    BACKGROUND = auto()
    ALONE = auto()  # outside any transaction, between two groups


class State(Enum):
    """How far a write has come."""

    OPEN = auto()
    SEALED = auto()  # its COMMIT has begun
    WITHDRAWN = auto()


class Write(Generic[T]):
    """A write that was submitted. `state` changes only under `lock`, which the writer shares."""

    __slots__ = (
        "_lock",
        "_settled",
        "_waiter",
        "apply",
        "deadline",
        "fault",
        "place",
        "state",
        "transaction",
        "value",
    )

    def __init__(
        self,
        apply: Callable[[Any], T],
        deadline: float | None,
        place: Place,
        lock: threading.Lock,
    ) -> None:
        self.apply = apply
        self.deadline = deadline
        self.place = place
        self.state = State.OPEN
        self.value: T
        self.fault: Exception | None = None
        self.transaction: Transaction | None = None
        self._lock = lock
        self._settled = False
        self._waiter: asyncio.Future[None] | None = None

    def cancel(self) -> bool:
        """Withdraw the write. True: it will not happen. False: too late, its outcome will come."""
        return self._withdraw(CancelledWriteError())

    async def outcome(self) -> T:
        """Wait until the write is durable and give what `apply` returned.

        One task at a time may wait. Cancelling the wait leaves the write as it is.

        Raises:
            DeadlineError: the deadline passed first; nothing happened.
            CancelledWriteError: it was withdrawn; nothing happened.
            BankError: the disk or the bank refused; `effect` says what is known.
            Exception: what `apply` raised; nothing of it happened.
        """
        if not self._settled:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            timer = None if self.deadline is None else loop.call_at(self.deadline, self._expire)
            try:
                await self._waiter
            finally:
                if timer is not None:
                    timer.cancel()
        if self.fault is not None:
            raise self.fault
        return self.value

    def settle(self) -> None:
        """Let the outcome be known (on the loop)."""
        self._settled = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _expire(self) -> None:
        self._withdraw(DeadlineError())

    def _withdraw(self, fault: BankError) -> bool:
        with self._lock:
            if self._settled or self.state is not State.OPEN:
                return self.state is State.WITHDRAWN
            self.state = State.WITHDRAWN
            self.fault = fault
        self.settle()
        return True
