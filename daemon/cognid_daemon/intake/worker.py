"""The screening thread: where long texts are screened and searched for facts.

Filters and extraction read a turn in about a millisecond, and the longest text there may be in up
to a second. On the event loop that would hold up every other caller; inside the bank's
transaction it would hold up the group that the write is committed with, and whoever else writes to
the bank. So a long text is looked at here, before its write is queued, and what its connection
sends to the bank behind it waits (`cognid_daemon.turns`): arrival order is kept. A short one is
looked at where its line is read, which costs less than the way to a thread and back; but only once
everything that the filters go by is there. That takes a second of CPU (a single pattern up to 0.2),
so it is made here, bit by bit, some seconds after the model was loaded; a text that comes before
is looked at here, and waits for no more than it needs itself.

One thread is enough: two would only share the interpreter's lock.

Owns: that thread, and which requests go by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from typing import Final, TypeVar

from cognid.protocol.authority import Correct, ToolCorrect
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import RememberEvidence
from cognid.protocol.explain import Explain
from cognid.protocol.intake import Add, Remember
from cognid.protocol.lanes import LaneReplace
from cognid.protocol.sessions import SessionAppend
from cognid.protocol.transfer import Import
from cognid_daemon.intake.screening import rules_against

T = TypeVar("T")

TURN_CHARACTERS: Final = 600
"""Up to here a turn is screened and searched where its line is read: 1 ms of CPU (measured)."""
TEXT_CHARACTERS: Final = 2_000
"""The same where no facts are looked for, and for all texts of a request together."""
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

    async def warm(self, quiet: Callable[[], Awaitable[None]]) -> None:
        """Make what the filters go by before anybody needs it.

        Args:
            quiet: awaited before each bit, so that this is in the way of nothing.
        """
        loop = asyncio.get_running_loop()
        for bit in await loop.run_in_executor(self._executor, _bits):
            await quiet()
            await loop.run_in_executor(self._executor, bit)
        global _is_warm
        _is_warm = True

    def close(self) -> None:
        """Let the thread end with what it is at; take no more."""
        self._executor.shutdown(wait=False, cancel_futures=True)


_is_warm = False


@cache
def _make_tables() -> None:
    """Import the filters and the extraction, and have each of them make its tables."""
    from cognid_daemon.intake.extraction import extract

    rules_against(_SAMPLE)
    extract(_SAMPLE, datetime.now(UTC))


def _with_tables(work: Callable[[], T]) -> T:
    """Work, once the tables of all filters are there: the next text finds them."""
    _make_tables()
    return work()


def _bits() -> list[Callable[[], object]]:
    """What makes all that the filters go by. On the thread: the imports alone take 0.2 s."""
    from cognid_daemon.intake.fact_rules import SPACED, UNSPACED
    from cognid_daemon.intake.phrases import TONGUES

    def every_fact() -> None:
        for rule in (*SPACED, *UNSPACED):
            rule.found_in("")

    _make_tables()
    phrases = [one.compiled for tongue in TONGUES for one in tongue.phrases()]
    return [*phrases, every_fact]


def is_slow(request: object) -> bool:
    """Whether what a request says is to be screened on the thread."""
    match request:
        case Remember():
            content = request.event.data.get("content")
            told = len(content) if isinstance(content, str) else 0
            said = told + sum(len(one.text) for one in request.candidates or ())
            return said > TURN_CHARACTERS or not _is_warm
        case RememberEvidence():
            return len(request.evidence.content) > TURN_CHARACTERS or not _is_warm
        case Explain():
            return len(request.content) > TURN_CHARACTERS or not _is_warm
        case Add() | Correct() | ToolCorrect():
            return len(request.text) > TEXT_CHARACTERS or not _is_warm
        case Import():
            texts = (one.text for record in request.records for one in record.revisions)
            return sum(map(len, texts)) > TEXT_CHARACTERS or not _is_warm
        case SessionAppend():
            said = sum(len(one.content) for one in request.messages)
            return said > TEXT_CHARACTERS or not _is_warm
        case LaneReplace():
            return sum(len(one.text) for one in request.units) > TEXT_CHARACTERS or not _is_warm
        case _:
            return False
