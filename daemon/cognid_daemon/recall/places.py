"""Where memories stand: which turn of which session, whose words, and whether a statement.

Owns: five numbers a memory, in memory, by revision_rowid. Importing this module imports numpy.

A fact that was promoted from a turn stands where its turn stands, and is nobody's neighbour: what
it says, its turn says. So a fact counts for nothing in how common a word is, unless its turn is
gone.

A ranking asks this of some hundred candidates, scattered over the bank: from the encrypted file
that took 1 ms at 10,000 memories and 5 to 10 ms at 100,000 (on a busy machine). Names are kept
as hashes of this process only: no text, and nothing that is worth erasing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from cognid.protocol.values import Kind
from cognid_daemon.bank.fold import fold_document
from cognid_daemon.recall.ordered import is_first

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlcipher3.dbapi2 import Connection

    _Row = tuple[int, str, bool, bool, str | None, str | None, int | None, str | None]

_READ: Final = 20_000
_ROWS: Final = (
    "SELECT r.revision_rowid, m.kind, r.revision = m.revision, r.lifecycle = 'current', m.speaker,"
    " e.stream, e.sequence, e.session_id"
    " FROM revisions AS r CROSS JOIN memories AS m ON m.memory_rowid = r.memory_rowid"
    " LEFT JOIN events AS e ON e.event_rowid = m.event_rowid"
    " WHERE r.revision_rowid > ? ORDER BY r.revision_rowid LIMIT ?"
)
_OF_LATE: Final = 4_096
"""Turns that are kept apart; then they are put with the others."""
_MASK: Final = (1 << 64) - 1
_NONE: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Standing:
    """The places of some memories, in their order. 0 stands for none."""

    sessions: NDArray[np.int64]
    speakers: NDArray[np.int64]
    statements: NDArray[np.bool_]
    turns: NDArray[np.uint64]
    promoted: NDArray[np.bool_]
    """Facts that were promoted from a turn."""


@dataclass(frozen=True, slots=True)
class _Said:
    """Turns in order, and the memories that were said in them: how a neighbour is found."""

    turns: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    owners: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    are_alone: bool = True
    """Whether no two of them were said in one turn, as revisions of one memory are."""

    def with_these(self, turns: NDArray[np.uint64], owners: NDArray[np.int64]) -> _Said:
        """These and some more, in any order."""
        order = np.argsort(turns, kind="stable")
        turns, owners = turns[order], owners[order]
        places = np.searchsorted(self.turns, turns)
        turns = np.insert(self.turns, places, turns)
        owners = np.insert(self.owners, places, owners)
        return _Said(turns, owners, bool(is_first(turns).all()))

    def at(
        self, mine: NDArray[np.int64], wanted: NDArray[np.uint64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Some of `mine`, and what was said in the turn that each of them wants."""
        at = self.turns.searchsorted(wanted)
        while len(at):
            there = self.turns.take(at, mode="clip") == wanted
            there &= at < len(self.turns)
            at, wanted, mine = at[there], wanted[there], mine[there]
            yield mine, self.owners[at]
            if self.are_alone:
                return
            at = at + 1


class Places:
    """The places of one bank's memories. Good on several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0
        self._turns = np.zeros(1024, np.uint64)
        self._sessions = np.zeros(1024, np.int64)
        self._speakers = np.zeros(1024, np.int64)
        self._statements = np.zeros(1024, np.bool_)
        self._promoted = np.zeros(1024, np.bool_)
        self._current = np.zeros(1024, np.bool_)
        self._repeat = np.zeros(1024, np.bool_)
        self._has_repeats = False
        # What was said, and of that the latest apart: to put one into a million takes 8 ms.
        self._ordered = (_Said(), _Said())
        self.names: set[int] = set()
        """Who has spoken."""

    def follow(self, connection: Connection) -> None:
        """Read what came since the last time; rowids only ever grow, and places never change."""
        with self._lock:
            while True:
                rows = connection.execute(_ROWS, (self._last, _READ)).fetchall()
                if not rows:
                    return
                self._add(rows)

    @property
    def last(self) -> int:
        """The last revision_rowid that is known."""
        return self._last

    def of(self, rowids: NDArray[np.int64]) -> Standing:
        """Where some memories stand; one that came since `follow` stands nowhere."""
        # The last place is never used, so it stands for all that came since `follow`.
        return Standing(
            self._sessions.take(rowids, mode="clip"),
            self._speakers.take(rowids, mode="clip"),
            self._statements.take(rowids, mode="clip"),
            self._turns.take(rowids, mode="clip"),
            self._promoted.take(rowids, mode="clip"),
        )

    def repeat(self, rowids: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of some memories are facts of a turn that says the same and is there itself."""
        if not self._has_repeats:
            return np.zeros(len(rowids), np.bool_)
        return self._repeat.take(rowids, mode="clip")

    def beside(
        self, rowids: NDArray[np.int64], steps: tuple[int, ...] = (1, -1)
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Some of these, and of each what was said so many turns on (0: its own turn), by default
        in the turn before and after, in the same session."""
        some, beside = self._at_turns(rowids, steps)
        together = self._sessions[some] == self._sessions[beside]
        return some[together], beside[together]

    def see(self, rowids: NDArray[np.int64], *, current: bool) -> NDArray[np.int64]:
        """Take note that some memories are current, or are no more; gives the facts that say again
        what their turn says since, or do so no more."""
        with self._lock:
            changed = rowids[self._current[rowids] != current]
            self._current[changed] = current
            turns = self._turns[changed[~self._promoted[changed]]]
            if not turns.any():
                return _NONE
            facts = self._promoted.nonzero()[0]
            return self._see_repeats(facts[np.isin(self._turns[facts], turns[turns != 0])])

    def _at_turns(
        self, rowids: NDArray[np.int64], steps: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Some of these, and of each what was said so many turns on, in whatever session."""
        mine = rowids[self._turns.take(rowids, mode="clip") != 0]
        known = self._turns[mine]
        both = [
            pair
            for said in self._ordered
            if len(said.turns)
            for step in steps
            for pair in said.at(mine, known + np.uint64(step & _MASK))
        ]
        if not both:
            return mine[:0], mine[:0]
        return np.concatenate([one for one, _ in both]), np.concatenate([two for _, two in both])

    def _see_repeats(self, facts: NDArray[np.int64]) -> NDArray[np.int64]:
        """See which of some facts have a turn that is there; gives those where that is new."""
        before = self._repeat[facts]
        some, turns = self._at_turns(facts, (0,))
        now = np.isin(facts, some[self._current[turns]])
        self._repeat[facts] = now
        self._has_repeats |= bool(now.any())
        changed: NDArray[np.int64] = facts[now != before]
        return changed

    def _add(self, rows: list[_Row]) -> None:
        last = rows[-1][0]
        self._reserve(last)
        names = {speaker: _name(speaker) for speaker in {row[4] for row in rows}}
        self.names = self.names.union(names.values()) - {0}
        numbers = [
            (
                rowid,
                0 if stream is None or sequence is None else _turn(stream, sequence),
                0 if session is None else hash(session),
                names[speaker],
                kind != Kind.REMARK and stream is None,
                kind != Kind.REMARK and stream is not None,
                is_newest,
                is_current,
            )
            for rowid, kind, is_newest, is_current, speaker, stream, sequence, session in rows
        ]
        at = [one[0] for one in numbers]
        self._turns[at] = np.array([one[1] for one in numbers], np.uint64)
        self._sessions[at] = [one[2] for one in numbers]
        self._speakers[at] = [one[3] for one in numbers]
        self._statements[at] = [one[4] for one in numbers]
        self._promoted[at] = [one[5] for one in numbers]
        self._current[at] = [one[7] for one in numbers]
        # Also of those that are not current: they may be again, and have no words until then.
        here = np.array([one[0] for one in numbers if one[1] and not one[5] and one[6]], np.int64)
        said, of_late = self._ordered
        of_late = of_late.with_these(self._turns[here], here)
        if len(of_late.turns) > _OF_LATE:
            said, of_late = said.with_these(of_late.turns, of_late.owners), _Said()
        self._ordered = (said, of_late)
        self._see_repeats(np.array([one[0] for one in numbers if one[5]], np.int64))
        self._last = last

    def _reserve(self, last: int) -> None:
        if last + 1 < len(self._turns):
            return
        for name, old in tuple(vars(self).items()):
            if isinstance(old, np.ndarray):
                new = np.zeros(last + last // 4 + 1024, old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)


def _turn(stream: str, sequence: int) -> int:
    """A number for a turn; the next of its stream has the next, modulo 2**64."""
    return (hash(stream) + sequence) & _MASK


def _name(speaker: str | None) -> int:
    """A speaker, known by the first word of the name, as the query would say it."""
    words = fold_document(speaker or "", None).split(maxsplit=1)
    return hash(words[0]) if words else 0
