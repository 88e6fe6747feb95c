"""Turns: what of one connection waits for what, bank by bank.

- Reads wait for earlier forgets, corrects, pins, imports and cutoffs, and for what takes the place
  of a session or lane: who asked to forget does not see it any more.
- Changes wait for earlier cutoffs, so that they meet the switch as it then stands. Among themselves
  they need not wait: the bank's queue keeps their order. But one with a long text is in that queue
  only once it was screened, so what changes something behind it waits until it is answered; and so
  does who comes while another still waits. Remembering and adding are in the queue before the next
  line is read, and a forget, correct, pin or import is not, so they wait for those.
- Cutoffs, and making a bank, wait for every earlier change.

Owns: who waits for whom. Other connections have turns of their own; nothing here orders them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from cognid.protocol import bounds
from cognid.protocol.table import Operation, Reach
from cognid_daemon.intake.worker import is_slow


class Place(Enum):
    """How an operation stands to the others."""

    READ = auto()
    CHANGE = auto()
    MEND = auto()
    CUTOFF = auto()


_BANKS_KEPT: Final = 2 * bounds.REQUESTS_IN_FLIGHT
"""Of these at most half have a turn that has not ended."""
_CUTOFFS: Final = frozenset({"bank.ensure", "bank.set_enabled", "bank.delete_all"})
_MENDS: Final = frozenset(
    {
        "memory.correct",
        "memory.pin",
        "memory.forget",
        "memory.tool_correct",
        "memory.tool_forget",
        "session.clear",
        "lane.replace",
        "lane.drop",
        "import",
    }
)
_WAITS_FOR: Final = {
    Place.READ: frozenset({Place.MEND, Place.CUTOFF}),
    Place.CHANGE: frozenset({Place.MEND, Place.CUTOFF}),
    Place.MEND: frozenset({Place.CUTOFF}),
    Place.CUTOFF: frozenset({Place.CHANGE, Place.MEND, Place.CUTOFF}),
}


def _place(operation: Operation) -> Place:
    if operation.name in _CUTOFFS:
        return Place.CUTOFF
    if operation.name in _MENDS:
        return Place.MEND
    return Place.CHANGE if operation.mutates else Place.READ


@dataclass(eq=False, slots=True)
class Turn:
    """One request's turn; `before` are those that have to end first, none once it has come.

    `is_slow`: it is not in the bank's queue as soon as its turn has come.
    """

    place: Place
    before: tuple[Turn, ...] = ()
    is_slow: bool = False
    _ended: bool = False
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def comes(self, deadline: float) -> bool:
        """Wait until it is this one's turn; False: the deadline (`loop.time()`) passed first."""
        if all(turn.has_ended for turn in self.before):
            self.before = ()
            return True
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(deadline):
                for turn in self.before:
                    if not turn.has_ended:
                        waiting = loop.create_future()
                        turn._waiting.append(waiting)
                        await waiting
        except TimeoutError:
            return False
        self.before = ()
        return True

    @property
    def holds_up(self) -> bool:
        """Whether a change behind it would overtake it in the bank's queue."""
        return self.is_slow or bool(self.before)

    @property
    def has_ended(self) -> bool:
        """Whether its request is answered."""
        return self._ended

    def end(self) -> None:
        """Let the ones behind go on. Twice is nothing."""
        self._ended = True
        self.before = ()  # or each turn would keep all the earlier ones alive
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()


FREE: Final = Turn(Place.READ)
"""The turn of a request that waits for nobody and that nobody waits for."""


class Turns:
    """The turns of one connection that have not ended."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str | None], list[Turn]] = {}

    def take(self, operation: Operation, asked: Any) -> Turn:
        """Stand in line, in the order of arrival."""
        if operation.reach is not Reach.BANK:
            return FREE
        whose = (asked.owner, asked.agent)
        place = _place(operation)
        ahead = [turn for turn in self._open.get(whose, ()) if not turn.has_ended]
        waits_for = _WAITS_FOR[place]
        before = tuple(
            turn
            for turn in ahead
            if turn.place in waits_for or (place is not Place.READ and turn.holds_up)
        )
        if place is Place.READ and not before:
            return FREE
        turn = Turn(place, before, place is not Place.READ and is_slow(asked))
        if place is not Place.READ:  # nobody waits for a read
            ahead.append(turn)
        if ahead:
            if len(self._open) >= _BANKS_KEPT:
                self._drop_ended()
            self._open[whose] = ahead
        else:
            self._open.pop(whose, None)
        return turn

    def _drop_ended(self) -> None:
        """Let go of the banks that nobody waits in: a caller may name any number of them."""
        waited = {
            whose: [turn for turn in turns if not turn.has_ended]
            for whose, turns in self._open.items()
        }
        self._open = {whose: turns for whose, turns in waited.items() if turns}
