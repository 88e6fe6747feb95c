"""From ranked revision_rowids to hits: exact scores, the memories, and the best window of each.

Owns: the reads that follow the ranking, all in one snapshot. What is no longer current when they
run, or is past its term, is no hit: an index may be behind, an answer may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from cognid.protocol.bounds import HIT_CHARACTERS
from cognid_daemon.bank.rows import Memory
from cognid_daemon.bank.view import View
from cognid_daemon.recall.answer import READY, Hit, Query, State
from cognid_daemon.recall.lexical import NOTHING, LexicalMatches
from cognid_daemon.recall.moments import Stretch, stretch_of
from cognid_daemon.recall.ranking import Ranked, Ranking, rank_words
from cognid_daemon.recall.reranking import Candidate, candidates, reranked
from cognid_daemon.recall.selection import (
    RESERVE,
    AreAlike,
    Found,
    asks,
    same_words,
    select,
)
from cognid_daemon.recall.weights import RERANKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.places import Places
    from cognid_daemon.recall.vectors import Matches
    from cognid_models import Calibration, Vector

RESCORED: Final = 5
"""Best candidates beyond those that are read whose int8 score is replaced by the exact one. Of the
true first ten none is lost among fifteen (10,000 to 1,000,000 vectors, `scripts/bench exact`)."""

_RANKED: Final = 40
"""Candidates beyond a page that are ranked: the reserve for what folds or is gone by now."""

_OF_A_TIME: Final = 40
"""Memories that are read beyond a page where a time is asked for: a memory's own is known when it
is read, and with RESERVE alone LoCoMo's any@10 is .864."""

_SCANNED_CHARACTERS: Final = 2_000_000
"""Of long texts in one answer that are searched for their best place, for up to `_SCANNED_TERMS`
terms; with more of them it is less. About 30 ms."""

_SCANNED_TERMS: Final = 8

_SCANNED_AT_ONCE: Final = 8_192
"""Characters in one search of a pattern, during which no other thread runs: 2 ms, and 13 at
worst."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What the vector pipeline found, by revision_rowid, and what makes its scores exact."""

    matches: Matches | None
    """None where the query holds nothing that the model knows."""
    vector: Vector | None
    space_id: str
    generation: int
    """Of which the vectors are."""
    calibration: Calibration
    query_trimmed: bool
    """The model took the end of the query only."""

    def spans(self) -> dict[int, tuple[int, int]]:
        """The characters of the best windows, by revision_rowid."""
        if self.matches is None:
            return {}
        first, last = self.matches.spans.T.tolist()
        return dict(zip(self.matches.rowids.tolist(), zip(first, last, strict=True), strict=True))


@dataclass(frozen=True, slots=True)
class Hydrated:
    """The hits, and how many memories that were read for them the query excludes."""

    hits: tuple[Hit, ...]
    excluded: int


@dataclass(frozen=True, slots=True)
class Sought:
    """What the pipelines were asked, and the time that it names.

    `may_abstain`: both pipelines know all of the bank and of the query, so that
    their finding no evidence means that there is none.
    """

    query: Query
    terms: list[str] = field(repr=False)
    stretch: Stretch | None
    may_abstain: bool


def sought_of(query: Query, terms: list[str], *states: State, trimmed: bool) -> Sought:
    """What is sought now, of pipelines that stand so."""
    return Sought(
        query=query,
        terms=terms,
        stretch=stretch_of(query.text, datetime.now(UTC)),
        # The model reads English: that it sees nothing in another script is no evidence.
        may_abstain=all(state == READY for state in states)
        and not trimmed
        and all(map(str.isascii, terms)),
    )


FoundBy: TypeAlias = "tuple[Sought, LexicalMatches | None, Likeness | None, Places | None]"
"""All that the reads after the pipelines go by."""


def hydrate(
    connection: Connection,
    sought: Sought,
    lexical: LexicalMatches | None,
    likeness: Likeness | None,
    places: Places | None,
    shares: Mapping[int, float] | None = None,
) -> Hydrated:
    """Rank what the pipelines found and read the best of it; nothing where it is no evidence.

    Args:
        shares: the reranker's part of some scores, by revision_rowid.
    """
    limit, exclude = sought.query.limit, sought.query.exclude
    spans = {} if likeness is None else likeness.spans()
    # What is read has its exact score.
    step = limit + (RESERVE if sought.stretch is None else _OF_A_TIME) + len(exclude)
    ranking, vectors = _ranked(connection, sought, lexical, likeness, places, spans, step)
    if sought.may_abstain and not ranking.is_evident:
        return Hydrated((), 0)
    if shares:
        ranking = reranked(ranking, shares)
    found: list[Found] = []
    excluded = 0
    view = View(connection)
    page: list[Found] = []
    for start in range(0, len(ranking.best), step):
        best = ranking.best[start : start + step]
        if vectors is not None:
            vectors.read(one.revision_rowid for one in best)
        read = _read(view, best)
        wanted = [one for one in read if one.memory.memory_id not in exclude]
        excluded += len(read) - len(wanted)
        found += wanted
        page = select(found, sought.stretch, partial(_alike, likeness, vectors), limit)
        if len(page) == limit:
            break
    excerpts = _Excerpts(sought.terms, spans)
    return Hydrated(tuple(excerpts.hit(one) for one in page), excluded)


def to_rerank(
    connection: Connection,
    sought: Sought,
    lexical: LexicalMatches | None,
    likeness: Likeness | None,
    places: Places | None,
) -> list[Candidate]:
    """What the reranker is to read, best first; nothing where `hydrate` would give nothing."""
    exclude = sought.query.exclude
    spans = {} if likeness is None else likeness.spans()
    most = RERANKING.candidates + len(exclude)
    ranking, _ = _ranked(connection, sought, lexical, likeness, places, spans, most)
    if sought.may_abstain and not ranking.is_evident:
        return []
    best = _read(View(connection), ranking.best[:most])
    wanted = [one for one in best if one.memory.memory_id not in exclude]
    wanted = wanted[: RERANKING.candidates]
    return candidates(wanted, spans, _turns_before(View(connection), wanted, places))


def _turns_before(view: View, found: list[Found], places: Places | None) -> dict[int, Memory]:
    """What somebody else said just before, in the same session, by the turns' revision_rowids."""
    turns = {
        (one.event.stream, one.event.sequence): one
        for one in found
        if one.event is not None and not one.memory.is_fact
    }
    if places is None or not turns:
        return {}
    import numpy as np  # here already: `places` is of it

    mine = np.array([one.ranked.revision_rowid for one in turns.values()], np.int64)
    beside = view.memories_at(np.unique(places.beside(mine)[1]).tolist())
    rowids = [one.event_rowid for one in beside.values() if one.event_rowid is not None]
    events = view.events_at(rowids)
    before: dict[int, Memory] = {}
    for memory in beside.values():
        event = events.get(memory.event_rowid or 0)
        answer = None if event is None else turns.get((event.stream, event.sequence + 1))
        if answer is not None and not memory.is_fact and _is_anothers(memory, answer.memory):
            before[answer.ranked.revision_rowid] = memory
    return before


def _is_anothers(memory: Memory, than: Memory) -> bool:
    return (memory.role, memory.speaker) != (than.role, than.speaker)


def _ranked(
    connection: Connection,
    sought: Sought,
    lexical: LexicalMatches | None,
    likeness: Likeness | None,
    places: Places | None,
    spans: Mapping[int, tuple[int, int]],
    most: int,
) -> tuple[Ranking, _Vectors | None]:
    """The order of what was found, and its vectors.

    Args:
        most: of the best are read.
    """
    count = sought.query.limit + _RANKED + len(sought.query.exclude)
    if likeness is None and places is None:
        return rank_words(lexical or NOTHING, count), None
    from cognid_daemon.recall import fusion  # numpy is here: the vector pipeline or `warm` had it
    from cognid_daemon.recall.places import Places

    near = None if likeness is None else fusion.nearness(likeness.matches, likeness.calibration)
    named = frozenset(map(hash, sought.terms))
    fused = fusion.Fusion(lexical, near, places or Places(), named)
    if likeness is None or likeness.vector is None:
        return fused.ranking(count), None
    best, is_evident = fused.best(most + RESCORED)
    vectors = _Vectors(connection, likeness.generation, likeness.vector, spans)
    if is_evident or not sought.may_abstain:
        vectors.read(best)
        fused.correct(*vectors.cosines())
    return fused.ranking(count), vectors


def _read(view: View, ranked: list[Ranked]) -> list[Found]:
    """Read memories and their events; what is no longer current is left out."""
    memories = view.memories_at([one.revision_rowid for one in ranked])
    rowids = [m.event_rowid for m in memories.values() if m.event_rowid is not None]
    events = view.events_at(rowids)
    # A fact out of a turn that asks says no more than the turn: without this BEAM's any@5 is .75.
    promoted = [m.event_rowid for m in memories.values() if m.is_fact and m.event_rowid is not None]
    asking = {rowid for rowid, end in view.ends_of_turns(promoted).items() if asks(end)}
    found: list[Found] = []
    for one in ranked:
        memory = memories.get(one.revision_rowid)
        if memory is not None and memory.text is not None:
            event = None if memory.event_rowid is None else events.get(memory.event_rowid)
            a_question = memory.event_rowid in asking if memory.is_fact else asks(memory.text)
            found.append(Found(memory, event, one, asks=a_question))
    return found


def _alike(likeness: Likeness | None, vectors: _Vectors | None, found: Sequence[Found]) -> AreAlike:
    """Whether two memories say nearly the same: by their vectors, or their words without them."""
    if likeness is None:
        return same_words(found)
    if vectors is None or not found:
        return lambda one, other: False
    import numpy as np  # here already: there are vectors

    matrix = vectors.of([one.ranked.revision_rowid for one in found])
    calibration = likeness.calibration
    is_statement = np.array([one.memory.is_statement for one in found])
    least = np.where(is_statement, calibration.statement.alike, calibration.passage.alike)
    are_alike = matrix @ matrix.T >= least
    are_alike &= is_statement == is_statement[:, None]
    table: list[list[bool]] = are_alike.tolist()
    return lambda one, other: table[one][other]


class _Vectors:
    """The bank's own vectors, float16, of the best windows of some memories, read as they are
    asked for.

    Args:
        query: that of the query.
        spans: the characters of the best windows, by revision_rowid.
    """

    def __init__(
        self,
        connection: Connection,
        generation: int,
        query: Vector,
        spans: Mapping[int, tuple[int, int]],
    ) -> None:
        import numpy as np  # here already: the vector pipeline answered

        self._connection = connection
        self._generation = generation
        self._query = query
        self._spans = spans
        self._asked: set[int] = set()
        self._places: dict[int, int] = {}
        self._rows = np.zeros((1, len(query)), np.float32)  # the last is nobody's

    def read(self, rowids: Iterable[int]) -> None:
        """Read what is not here yet."""
        import numpy as np

        wanted = [one for one in rowids if one in self._spans and one not in self._asked]
        if not wanted:
            return
        self._asked.update(wanted)
        windows = {rowid: self._spans[rowid][0] for rowid in wanted}
        rows = self._connection.execute(
            "SELECT e.revision_rowid, e.vector FROM json_each(?) AS f"
            " CROSS JOIN embeddings AS e ON e.revision_rowid = f.key"
            " AND e.generation = ? AND e.span_start = f.value",
            (json.dumps(windows), self._generation),
        ).fetchall()
        before = self._rows
        self._places |= {rowid: number for number, (rowid, _) in enumerate(rows, len(before) - 1)}
        self._rows = np.zeros((len(before) + len(rows), before.shape[1]), np.float32)
        self._rows[: len(before) - 1] = before[:-1]
        stored = np.frombuffer(b"".join(blob for _, blob in rows), dtype="<f2")
        self._rows[len(before) - 1 : -1] = stored.reshape(-1, before.shape[1])

    def cosines(self) -> tuple[list[int], NDArray[np.float32]]:
        """What is here, by revision_rowid, and how near it is to the query."""
        return list(self._places), self._rows[:-1] @ self._query

    def of(self, rowids: Sequence[int]) -> NDArray[np.float32]:
        """The vectors of some memories, a row each; zeros, which are like nothing, for one that is
        not here."""
        return self._rows[[self._places.get(rowid, -1) for rowid in rowids]]


class _Excerpts:
    """Cuts long texts down to the place that answers."""

    def __init__(self, terms: list[str], spans: Mapping[int, tuple[int, int]]) -> None:
        self._terms = terms
        self._spans = spans
        self._left = _SCANNED_CHARACTERS
        self._pattern: re.Pattern[str] | None = None
        self._longest = 0

    def hit(self, found: Found) -> Hit:
        """The hit of a memory: its whole text, or the best window of a long one."""
        memory, ranked = found.memory, found.ranked
        text = memory.text or ""
        complete = len(text) <= HIT_CHARACTERS
        start, end = (0, len(text)) if complete else self._window(text, ranked.revision_rowid)
        return Hit(
            memory,
            found.event,
            text[start:end],
            (start, end),
            complete,
            ranked.score,
            ranked.lexical,
            ranked.vector,
            found.folded,
            ranked.reranker,
        )

    def _window(self, text: str, revision_rowid: int) -> tuple[int, int]:
        """The characters of a long text that hold most of the query's terms.

        The vector pipeline's window wins unless another place holds more of them.
        """
        nearest = self._spans.get(revision_rowid)
        if nearest is not None and nearest[1] - nearest[0] > HIT_CHARACTERS:
            nearest = None  # one giant word can fill a window of 400,000 characters
        place = None
        if self._left > 0:
            self._left -= len(text) * max(1, len(self._terms) // _SCANNED_TERMS)
            place = self._place(text, nearest)
        if place is not None:
            start = max(0, min(place - HIT_CHARACTERS // 4, len(text) - HIT_CHARACTERS))
            return (start, start + HIT_CHARACTERS)
        return nearest or (0, HIT_CHARACTERS)

    def _place(self, text: str, nearest: tuple[int, int] | None) -> int | None:
        """Where a window with more distinct terms than `nearest` holds begins, if there is one."""
        pattern = self._terms_pattern()
        if pattern is None:
            return None
        found = [
            (m.start(), m.lastgroup)
            for start in range(0, len(text), _SCANNED_AT_ONCE)
            for m in pattern.finditer(text, start, start + _SCANNED_AT_ONCE + self._longest)
            if m.start() < start + _SCANNED_AT_ONCE
        ]
        most, place = 0, None
        if nearest is not None:
            most = len({name for at, name in found if nearest[0] <= at < nearest[1]})
        counts: dict[str | None, int] = {}
        first = 0
        for at, name in found:
            counts[name] = counts.get(name, 0) + 1
            while found[first][0] < at - HIT_CHARACTERS // 2:
                old = found[first][1]
                counts[old] -= 1
                if not counts[old]:
                    del counts[old]
                first += 1
            if len(counts) > most:
                most, place = len(counts), found[first][0]
        return place

    def _terms_pattern(self) -> re.Pattern[str] | None:
        """Any term, at the start of a word unless it is of a script without them; stems alike."""
        if self._pattern is None and self._terms:
            stems = [re.escape(term[: max(4, len(term) - 3)]) for term in self._terms]
            self._longest = max(map(len, self._terms))
            # What a word begins with is asked once for all: term by term it would be 0.8 s for the
            # 64 of a long query and the longest text.
            kinds: list[str] = []
            for boundary, is_ascii in ((r"\b", True), ("", False)):
                mine = [n for n, stem in enumerate(stems) if stem.isascii() is is_ascii]
                if mine:
                    first = "".join(re.escape(self._terms[n][0]) for n in mine)
                    groups = "|".join(f"(?P<t{n}>{stems[n]})" for n in mine)
                    kinds.append(f"{boundary}(?=[{first}])(?:{groups})")
            self._pattern = re.compile("|".join(kinds), re.IGNORECASE)
        return self._pattern
