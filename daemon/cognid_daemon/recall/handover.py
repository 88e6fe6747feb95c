"""What is made on a thread for a task that may be called off meanwhile: an open file, say.

Owns: that somebody ends it then. A thread cannot be called off, and what it gives nobody would see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def handed_over(make: Callable[[], T], end: Callable[[T], object]) -> T:
    """What is made; `end` gets it, on the loop, where the caller does not wait for it any more."""
    making = asyncio.ensure_future(asyncio.to_thread(make))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        making.add_done_callback(partial(_end, end))
        raise


def _end(end: Callable[[T], object], making: asyncio.Future[T]) -> None:
    if not making.cancelled() and making.exception() is None:
        end(making.result())
