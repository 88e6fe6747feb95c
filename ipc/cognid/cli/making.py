"""Banks that are made by the way: a verb that stores something may be the first of its agent.

Owns: when that is, and the sentence about it. An existing bank keeps its switch.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from cognid.cli.terminal import Terminal, whose
from cognid.client import AsyncClient
from cognid.protocol.errors import CognidError

_T = TypeVar("_T")


async def in_its_bank(client: AsyncClient, write: Callable[[], Awaitable[_T]]) -> tuple[_T, bool]:
    """Write; where there is no bank, make it, switched on, and write again.

    Returns:
        What the write answered, and whether a bank was made for it.
    """
    try:
        return await write(), False
    except CognidError as error:
        if error.code != "unknown_bank":
            raise
    made = (await client.ensure_bank(enabled=True)).created
    return await write(), made


def say_made(terminal: Terminal, owner: str, agent: str | None) -> None:
    """Say that a bank was made."""
    terminal.note(f"Made the bank of {whose(owner, agent)}, switched on.")
