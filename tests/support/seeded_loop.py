"""An event loop whose order is drawn from a seed: what races in practice once in a thousand runs is
met again whenever its seed is.

Only the order of the ready steps of tasks is drawn: transports and futures rely on the order in
which their callbacks were scheduled. Threads (SQLite's, the model's) run as they do; `Seeded` gives
each handoff to one of them a length of its own, so that they are met at any point too.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class SeededLoop(asyncio.SelectorEventLoop):
    """Takes the ready steps of tasks in an order drawn from `rng`."""

    _ready: deque[asyncio.Handle]  # of asyncio.BaseEventLoop, which keeps it private

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng
        self.drawn = 0

    def _run_once(self) -> None:
        steps = [handle for handle in self._ready if _is_step(handle)]
        if len(steps) > 1:
            self.drawn += 1
            drawn = iter(self._rng.sample(steps, len(steps)))
            self._ready = deque(next(drawn) if _is_step(h) else h for h in self._ready)
        super()._run_once()  # type: ignore[misc] # private to asyncio, without a type


def _is_step(handle: asyncio.Handle) -> bool:
    return isinstance(getattr(handle._callback, "__self__", None), asyncio.Task)  # type: ignore[attr-defined] # as above


def run_seeded(seed: int, work: Callable[[random.Random], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on a loop of its own, both drawing from the seed."""
    rng = random.Random(seed)
    with asyncio.Runner(loop_factory=lambda: SeededLoop(random.Random(rng.random()))) as runner:
        return runner.run(work(rng))
