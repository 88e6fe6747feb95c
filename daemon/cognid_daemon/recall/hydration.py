"""From ranked revision_rowids to hits: exact scores, the memories, and the best window of each.

Owns: the reads that follow the ranking, all in one snapshot. What is no longer current when they
run is no hit: an index may be behind, an answer may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cognid.protocol.bounds import HIT_CHARACTERS
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.bank.view import View
from cognid_daemon.recall.answer import Hit, Query
from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.ranking import Ranked, rank

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.vectors import Match
    from cognid_models import Vector

_RESCORED: Final = 40
"""Best candidates whose int8 score is replaced by the exact one: then none of the true first ten is
lost (measured at 100,000 vectors). Also the reserve for candidates that are gone by now."""

_SCANNED_CHARACTERS: Final = 2_000_000
"""Of long texts in one answer that are searched for their best place; about 20 ms."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What the vector pipeline found, by revision_rowid, and what makes its scores exact."""

    matches: Mapping[int, Match]
    vector: Vector | None
    space_id: str
    query_trimmed: bool
    """The model took the end of the query only."""


def hydrate(
    connection: Connection,
    query: Query,
    terms: list[str],
    lexical: LexicalMatches | None,
    likeness: Likeness | None,
) -> tuple[Hit, ...]:
    """Rank what the pipelines found and read the best of it."""
    scores = None if likeness is None else {r: m.score for r, m in likeness.matches.items()}
    count = query.limit + _RESCORED
    ranked = rank(lexical, scores, count)
    if likeness is not None and scores is not None and likeness.vector is not None:
        near = [one.revision_rowid for one in ranked if one.revision_rowid in scores]
        scores |= _exact_scores(connection, likeness, near)
        ranked = rank(lexical, scores, count)
    excerpts = _Excerpts(terms, {} if likeness is None else likeness.matches)
    view = View(connection)
    hits: list[Hit] = []
    for start in range(0, len(ranked), query.limit):
        part = ranked[start : start + query.limit]
        memories = view.memories_at([one.revision_rowid for one in part])
        events = view.events_at(
            [m.event_rowid for m in memories.values() if m.event_rowid is not None]
        )
        for one in part:
            memory = memories.get(one.revision_rowid)
            if memory is not None and memory.text is not None:
                event = None if memory.event_rowid is None else events.get(memory.event_rowid)
                hits.append(excerpts.hit(memory, event, one))
        if len(hits) >= query.limit:
            break
    return tuple(hits[: query.limit])


def _exact_scores(
    connection: Connection, likeness: Likeness, revision_rowids: list[int]
) -> dict[int, float]:
    """The cosines of the best windows, from the bank's float16."""
    import numpy as np  # here already: the vector pipeline answered

    vector = likeness.vector
    windows = [(r, likeness.matches[r].span[0]) for r in revision_rowids]
    rows = connection.execute(
        "SELECT e.revision_rowid, e.vector FROM json_each(?) AS f"
        " CROSS JOIN embeddings AS e ON e.revision_rowid = f.value ->> 0"
        " AND e.space = (SELECT space FROM spaces WHERE space_id = ?)"
        " WHERE e.span_start = f.value ->> 1",
        (json.dumps(windows), likeness.space_id),
    ).fetchall()
    if not rows or vector is None:
        return {}
    stored = np.frombuffer(b"".join(blob for _, blob in rows), dtype="<f2")
    exact: list[float] = (stored.reshape(len(rows), -1).astype(np.float32) @ vector).tolist()
    return {rowid: score for (rowid, _), score in zip(rows, exact, strict=True)}


class _Excerpts:
    """Cuts long texts down to the place that answers."""

    def __init__(self, terms: list[str], matches: Mapping[int, Match]) -> None:
        self._terms = terms
        self._matches = matches
        self._left = _SCANNED_CHARACTERS
        self._pattern: re.Pattern[str] | None = None

    def hit(self, memory: Memory, event: Event | None, ranked: Ranked) -> Hit:
        """The hit of a memory: its whole text, or the best window of a long one."""
        text = memory.text or ""
        complete = len(text) <= HIT_CHARACTERS
        start, end = (0, len(text)) if complete else self._window(text, ranked.revision_rowid)
        return Hit(
            memory,
            event,
            text[start:end],
            (start, end),
            complete,
            ranked.score,
            ranked.lexical,
            ranked.vector,
        )

    def _window(self, text: str, revision_rowid: int) -> tuple[int, int]:
        """The characters of a long text that hold most of the query's terms.

        The vector pipeline's window wins unless another place holds more of them.
        """
        match = self._matches.get(revision_rowid)
        nearest = None if match is None else match.span
        if nearest is not None and nearest[1] - nearest[0] > HIT_CHARACTERS:
            nearest = None  # one giant word can fill a window of 400,000 characters
        place = None
        if self._left > 0:
            self._left -= len(text)
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
        found = [(m.start(), m.lastgroup) for m in pattern.finditer(text)]
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
            starts = [rf"\b{stem}" if stem.isascii() else stem for stem in stems]
            groups = [f"(?P<t{number}>{start})" for number, start in enumerate(starts)]
            self._pattern = re.compile("|".join(groups), re.IGNORECASE)
        return self._pattern
