"""An event loop whose order is drawn from a seed, to meet what in practice races once in a thousand
runs.

Only the order of the ready steps of tasks is drawn: transports and futures rely on the order in
which their callbacks were scheduled. Threads (SQLite's, the model's) run as they do, so a seed
makes a fault likely to be met again, not certain.
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

    def _run_once(self) -> None:
        # Other threads append to the same deque meanwhile: what they add stays behind these.
        taken = [self._ready.popleft() for _ in range(len(self._ready))]
        steps = [handle for handle in taken if _is_step(handle)]
        if len(steps) > 1:
            drawn = iter(self._rng.sample(steps, len(steps)))
            taken = [next(drawn) if _is_step(handle) else handle for handle in taken]
        self._ready.extendleft(reversed(taken))
        super()._run_once()  # type: ignore[misc] # private to asyncio, without a type


def _is_step(handle: asyncio.Handle) -> bool:
    return isinstance(getattr(handle._callback, "__self__", None), asyncio.Task)  # type: ignore[attr-defined] # as above


def run_seeded(seed: int, work: Callable[[random.Random], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on a loop of its own, both drawing from the seed."""
    rng = random.Random(seed)
    with asyncio.Runner(loop_factory=lambda: SeededLoop(random.Random(rng.random()))) as runner:
        return runner.run(work(rng))
