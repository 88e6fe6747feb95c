"""The screening thread: where long texts are screened and searched for facts.

Filters and extraction read a turn in about a millisecond, and the longest text there may be in up
to a second. On the event loop that would hold up every other caller; inside the bank's
transaction it would hold up the group that the write is committed with, and whoever else writes to
the bank. So a long text is looked at here, before its write is queued, and what its connection
sends to the bank behind it waits (`cognid_daemon.turns`): arrival order is kept. A short one is
looked at where its line is read, which costs less than the way to a thread and back; but only once
the tables of the filters are there. They take a third of a second of CPU, so they are made here,
a moment after the model was loaded, or for the first text where that comes before.

One thread is enough: two would only share the interpreter's lock.

Owns: that thread, and which requests go by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, TypeVar

from cognid.protocol.authority import Correct, ToolCorrect
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import RememberEvidence
from cognid.protocol.explain import Explain
from cognid.protocol.intake import Add, Remember
from cognid.protocol.transfer import Import
from cognid_daemon.intake.screening import rules_against

T = TypeVar("T")

TURN_CHARACTERS: Final = 600
"""Up to here a turn is screened and searched where its line is read: 1 ms of CPU (measured)."""
TEXT_CHARACTERS: Final = 2_000
"""The same for a text in which only credentials are looked for."""
_SAMPLE: Final = "My name is nobody."


class ScreeningThread:
    """Made without a thread; the first work starts it. There is one a daemon."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="screening")

    async def run(self, work: Callable[[], T], deadline: float) -> T:
        """Do something there and give what it returns.

        Args:
            work: pure; what is under way is not broken off, what waits is.
            deadline: in seconds of the loop's clock.

        Raises:
            CognidError: `deadline_exceeded`; nothing happened.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(deadline):
                return await loop.run_in_executor(self._executor, _with_tables, work)
        except TimeoutError:
            raise CognidError("deadline_exceeded", "the text was not screened in time") from None

    async def screen(self, request: object, work: Callable[[], T], deadline: float) -> T:
        """Do what screens a request: there if it is slow, else at once and here."""
        return await self.run(work, deadline) if is_slow(request) else work()

    async def warm(self) -> None:
        """Make the tables of the filters before anybody needs them."""
        await asyncio.get_running_loop().run_in_executor(self._executor, _make_tables)

    def close(self) -> None:
        """Let the thread end with what it is at; take no more."""
        self._executor.shutdown(wait=False, cancel_futures=True)


_tables_made = False


def _make_tables() -> None:
    from cognid_daemon.intake.extraction import extract

    global _tables_made
    if not _tables_made:
        rules_against(_SAMPLE)
        extract(_SAMPLE, datetime.now(UTC))
        _tables_made = True


def _with_tables(work: Callable[[], T]) -> T:
    _make_tables()
    return work()


def is_slow(request: object) -> bool:
    """Whether what a request says is to be screened on the thread."""
    match request:
        case Remember():
            content = request.event.data.get("content")
            told = len(content) if isinstance(content, str) else 0
            said = told + sum(len(one.text) for one in request.candidates or ())
            return said > TURN_CHARACTERS or not _tables_made
        case RememberEvidence():
            return len(request.evidence.content) > TURN_CHARACTERS or not _tables_made
        case Explain():
            return len(request.content) > TURN_CHARACTERS or not _tables_made
        case Add() | Correct() | ToolCorrect():
            return len(request.text) > TEXT_CHARACTERS or not _tables_made
        case Import():
            texts = (one.text for record in request.records for one in record.revisions)
            return sum(map(len, texts)) > TEXT_CHARACTERS or not _tables_made
        case _:
            return False
