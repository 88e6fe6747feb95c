"""How a handler waits for its write: until its true outcome is known, whatever the caller does.

Owns: the meeting of cancellation and COMMIT. A write whose COMMIT has begun cannot be called off.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from cognid_daemon.bank.write import Write

T = TypeVar("T")


async def committed(write: Write[T]) -> T:
    """The outcome of a write; cancelling this calls the write off, or waits where that is too late.

    Raises:
        CancelledError: the write was called off; nothing happened.
    """
    try:
        return await write.outcome()
    except asyncio.CancelledError:
        if write.cancel():
            raise
        return await write.outcome()
