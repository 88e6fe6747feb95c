"""The lexical index made anew beside the live one, in small steps, for who asks for it.

Owns: the task of one open bank that does the steps. Texts are folded on a reader's thread; the
writer only adds what is folded, a few milliseconds at a time, after every write that a caller waits
for. A text whose bytes are no UTF-8 is passed over and stands on the work list with its code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from cognid_daemon.bank import generations
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import ClosedError
from cognid_daemon.bank.fold import fold_document
from cognid_daemon.bank.generations import Generation
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.recall.worklist import ATTEMPTS, DAMAGED

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

T = TypeVar("T")

_STEP: Final = 32
_STEP_BYTES: Final = 64_000
_MERGE_EVERY: Final = 16
_MERGE_PAGES: Final = 16
_PAUSE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Words:
    """Some revisions' folded texts; `after` is the cursor once they are in."""

    before: int
    after: int | None
    bodies: tuple[tuple[int, str], ...] = field(repr=False)
    damaged: tuple[int, ...] = ()


class LexicalBuild:
    """Builds one bank's lexical index anew when it is asked for. `run` is the task.

    Args:
        replaced: awaited once a new index has taken the place of the old one.
    """

    def __init__(
        self, bank: Bank, host: EmbedderHost, replaced: Callable[[], Awaitable[None]]
    ) -> None:
        self._bank = bank
        self._host = host
        self._replaced = replaced
        self._is_replaced = False  # perhaps, since the others were told
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look at once for a generation that was begun."""
        self._wake.set()

    async def run(self) -> None:
        """Do what stands in the bank, then sleep until woken."""
        while True:
            try:
                while True:
                    self._wake.clear()
                    await self._tell()
                    await self._build()
                    while await self._is_owed() and await self._write(generations.remove_old_words):
                        pass
                    await self._wake.wait()
            except ClosedError:
                return
            except (
                Exception
            ):  # a full disk, or whatever it was: what stands in the bank is done yet
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _build(self) -> None:
        steps = 0
        while (built := await self._bank.read(_building)) is not None:
            if built.cursor is None:
                while await self._is_owed() and await self._write(generations.remove_old_words):
                    pass
                # Also where a disk that fails says nothing of the COMMIT: to tell it in vain costs
                # one reading of the lengths.
                self._is_replaced = True
                await self._write(partial(generations.publish, built=built))
                await self._tell()
                continue
            await self._host.quiet()
            words = await self._bank.read(partial(_next_words, built=built))
            await self._write(partial(_add, built=built, words=words))
            steps += 1
            if steps % _MERGE_EVERY == 0:
                while await self._write(_merge):
                    pass

    async def _tell(self) -> None:
        if self._is_replaced:
            await self._replaced()
            self._is_replaced = False

    async def _is_owed(self) -> bool:
        """Whether there are words of an index that was replaced."""
        retired = await self._bank.read(
            lambda connection: generations.find(connection, "lexical", "retired")
        )
        old = await self._bank.read(
            lambda c: c.execute("SELECT 1 FROM sqlite_schema WHERE name = 'lexical_old'").fetchone()
        )
        return retired is not None or old is not None

    async def _write(self, apply: Callable[[Transaction], T]) -> T:
        # Behind open recalls, with the embedder's own patience; without a model there is no gate.
        await self._host.quiet()
        return await self._bank.submit(apply, background=True).outcome()


def _building(connection: Connection) -> Generation | None:
    return generations.find(connection, "lexical", "building")


def _next_words(connection: Connection, *, built: Generation) -> _Words:
    """Fold the next texts of the build; their bytes decide how many those are."""
    before = built.cursor or 0
    cursor = connection.execute(
        "SELECT r.revision_rowid, m.speaker, CAST(t.text AS BLOB) FROM revisions AS r"
        " CROSS JOIN texts AS t ON t.revision_rowid = r.revision_rowid"
        " CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
        " WHERE r.revision_rowid > ? AND r.revision_rowid <= ? AND r.lifecycle = 'current'"
        " ORDER BY r.revision_rowid LIMIT ?",
        (before, built.last, _STEP),
    )
    bodies: list[tuple[int, str]] = []
    damaged: list[int] = []
    size, after = 0, None
    for count, (revision_rowid, speaker, raw) in enumerate(cursor, 1):
        size += len(raw)
        try:
            bodies.append((revision_rowid, fold_document(raw.decode("utf-8"), speaker)))
        except UnicodeDecodeError:
            damaged.append(revision_rowid)
        if count == _STEP or size > _STEP_BYTES:
            after = revision_rowid
            break
    cursor.close()
    return _Words(before, after, tuple(bodies), tuple(damaged))


def _add(tx: Transaction, *, built: Generation, words: _Words) -> None:
    done = len(words.bodies) + len(words.damaged)
    if not generations.advance(
        tx, built.number, before=words.before, cursor=words.after, done=done
    ):
        return  # another has been here
    generations.add_words(tx, built, words.bodies)
    for revision_rowid in words.damaged:
        tx.connection.execute(
            "INSERT INTO work(kind, revision_rowid, attempts, code)"
            " SELECT 'index', revision_rowid, ?, ? FROM revisions"
            " WHERE revision_rowid = ? AND lifecycle = 'current'",
            (ATTEMPTS, DAMAGED, revision_rowid),
        )


def _merge(tx: Transaction) -> bool:
    """Merge some pages of what was built by now; False where there is nothing to merge."""
    before = tx.connection.total_changes
    tx.connection.execute(
        "INSERT INTO lexical_next(lexical_next, rank) VALUES ('merge', ?)", (_MERGE_PAGES,)
    )
    return bool(tx.connection.total_changes - before >= 2)
