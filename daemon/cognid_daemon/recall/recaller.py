"""Recall over one open bank: both pipelines side by side under the deadline, and one answer.

Owns: the way of a query, and what is said about each pipeline. May not know the wire. One
pipeline's failure never hides the other's answer; what is missing is named. What is kept for the
vector pipeline is `serving`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from cognid.protocol.bounds import QUERY_BYTES
from cognid.protocol.values import Pipeline
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError
from cognid_daemon.bank.fold import QUERY_TERMS, fold_query
from cognid_daemon.bank.rows import Committed
from cognid_daemon.recall.answer import (
    LATE,
    OFF,
    READY,
    Answer,
    IndexState,
    Query,
    State,
    failure,
)
from cognid_daemon.recall.at_once import AtOnce, at_hand
from cognid_daemon.recall.context import Costs
from cognid_daemon.recall.hydration import Hydrated, Likeness, hydrate, sought_of
from cognid_daemon.recall.lexical import CANDIDATES, LexicalIndex, LexicalMatches, allowed_rows
from cognid_daemon.recall.lexical_build import LexicalBuild
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_daemon.recall.nearest import nearest
from cognid_daemon.recall.reranker import RerankerHost
from cognid_daemon.recall.rereading import reread
from cognid_daemon.recall.serving import Serving
from cognid_models import Embedder
from cognid_models.errors import ModelError

T = TypeVar("T")

_BOTH: Final = frozenset({Pipeline.LEXICAL, Pipeline.VECTOR})

_READING_SHARE: Final = 0.15
_READING_SECONDS: Final = 0.02
"""What is kept of a deadline for ranking and reading the hits, at least (the smaller of both)."""

_READING_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Lexical:
    """What the lexical pipeline gave, and how it stood."""

    state: State
    matches: LexicalMatches | None = None


@dataclass(frozen=True, slots=True)
class _Vector:
    """What the vector pipeline gave, and how it stood."""

    state: State
    likeness: Likeness | None = None


class Recaller:
    """Answers queries over one bank. `open` first; its owner awaits `close` before the bank's."""

    def __init__(self, bank: Bank, host: EmbedderHost) -> None:
        self._bank = bank
        self._host = host
        self._words = LexicalIndex()
        self.costs = Costs()
        """In tokens of the model; for whoever counts on its thread."""
        self._build = LexicalBuild(bank, host, self._words_replaced)
        self.serving = Serving(bank, host, self._warm)
        """What is kept for the vector pipeline."""
        self._indexes = 1  # of words that there have been
        self._warmed = 0  # which of them was read
        self._warming = asyncio.Lock()
        self._reading_seconds = 0.0
        self._task: asyncio.Task[None] | None = None
        bank.subscribe(self._on_commit)

    async def open(self) -> None:
        """Count what there is and begin, in tasks of their own, to load, to embed and to build."""
        await self.serving.open()
        name = f"build {self._bank.bank_id}"
        self._task = asyncio.create_task(self._build.run(), name=name)

    async def close(self) -> None:
        """End the background work; what waits stands on the bank's list."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.serving.close()

    async def model(self) -> tuple[str, int]:
        """The space and the dimension of the model, once it is there.

        Raises:
            EmbedderUnavailableError: there is none.
        """
        embedder = await self._host.ready()
        return embedder.space_id, embedder.dimension

    def wake(self) -> None:
        """Look at once for a generation that was begun."""
        self.serving.backlog.wake()
        self._build.wake()

    async def with_model(self, work: Callable[[Embedder | None], T]) -> T:
        """Run some work on the query thread with the model, or here without it while there is
        none."""
        if self._host.state == "ready":
            return await self._host.ask(work)
        return work(None)

    def index_status(self) -> IndexState:
        """Where the indexes stand now."""
        tally = self.serving.backlog.tally
        if self.serving.is_of_another_space:
            tally = replace(tally, waiting=tally.current, skipped=0)
        return IndexState(
            lexical=READY,
            vector=self.serving.state,
            space_id=self._host.space_id,
            indexed=max(0, tally.current - tally.waiting - tally.skipped),
            backlog=tally.waiting,
            skipped=tally.skipped,
        )

    async def answer(
        self,
        query: Query,
        pipelines: frozenset[Pipeline],
        deadline: float,
        reranker: RerankerHost | None = None,
    ) -> Answer:
        """Answer with these pipelines by `deadline`, in seconds of the loop's clock.

        Without what was forgotten or corrected while this was on its way.

        Args:
            reranker: reads the best of what they find; None where it is not asked.
        """
        with self._bank.watch() as watch:
            answer = await self._answer_as_read(query, deadline, pipelines, reranker)
            self.serving.graph.touch()
            hits = (hit for hit in answer.hits if hit.memory.revision_rowid not in watch.removed)
            return replace(answer, hits=tuple(hits)) if watch.removed else answer

    async def _answer_as_read(
        self,
        query: Query,
        deadline: float,
        pipelines: frozenset[Pipeline],
        reranker: RerankerHost | None,
    ) -> Answer:
        text, trimmed = _tail(query.text)
        terms = fold_query(text)
        trimmed = trimmed or len(terms) == QUERY_TERMS  # more were there, or may have been
        now = asyncio.get_running_loop().time()
        until = deadline - self._reserve(max(0.0, deadline - now))
        words, likeness = _Lexical(OFF), _Vector(OFF)
        count = CANDIDATES + len(query.exclude)
        with self._host.recall():
            try:
                allowed = await self._allowed(query, until)
            except BankError as error:
                failed = failure(error)
                return Answer(
                    (),
                    failed if Pipeline.LEXICAL in pipelines else OFF,
                    failed if Pipeline.VECTOR in pipelines else OFF,
                    trimmed,
                    reranker=OFF if reranker is None else reranker.standing,
                )
            is_plain = pipelines == _BOTH and reranker is None and self.serving.fault is None
            parts = (
                at_hand(self.serving.service, self._host, self._bank, text) if is_plain else None
            )
            if parts is not None:
                sought = sought_of(query, terms, self.serving.state, trimmed=trimmed)
                made = AtOnce(sought, text, allowed, count, until, self._words, parts)
                return await self._answer_at_once(made, deadline, trimmed)
            if pipelines == {Pipeline.LEXICAL}:
                words = await self._search_words(terms, allowed, count, until)
            elif pipelines == {Pipeline.VECTOR}:
                likeness = await self._search_vectors(text, allowed, count, until)
            else:
                async with asyncio.TaskGroup() as group:
                    second = group.create_task(self._search_vectors(text, allowed, count, until))
                    first = group.create_task(self._search_words(terms, allowed, count, until))
                words, likeness = first.result(), second.result()
            return await self._read(query, terms, words, likeness, deadline, trimmed, reranker)

    async def _answer_at_once(self, made: AtOnce, deadline: float, trimmed: bool) -> Answer:
        """Answer in one read; where that does not come to its end, from what it had by then."""
        vector = self.serving.state
        found = await made.read(self._bank, deadline)
        words = _Lexical(made.lexical, made.matches)
        near = _Vector(made.vector if made.likeness is None else vector, made.likeness)
        if found is None:
            sought = made.sought
            return await self._read(
                sought.query, sought.terms, words, near, deadline, trimmed, None
            )
        self._follow_reading(made.reading_seconds)
        return _answered(found, words.state, near.state, made.likeness, trimmed)

    def _reserve(self, left: float) -> float:
        """What is kept of a deadline for ranking and reading the hits: as long as it took of late,
        so that a busy machine costs a pipeline rather than the whole answer."""
        least = min(_READING_SECONDS, _READING_SHARE * left)
        return min(_READING_MOST * left, max(least, 1.5 * self._reading_seconds))

    def _note_reading(self, begun: float) -> None:
        self._follow_reading(asyncio.get_running_loop().time() - begun)

    def _follow_reading(self, took: float) -> None:
        """Follow a longer time at once and a shorter one slowly."""
        self._reading_seconds = max(took, 0.9 * self._reading_seconds + 0.1 * took)

    async def _allowed(self, query: Query, until: float) -> list[int] | None:
        """The revisions that may answer; None means all that are indexed.

        What is past its term and indexed all the same is no hit in any case, but it must not take
        the place of one.
        """
        if not query.is_filtered and not self._bank.sweeper.is_behind:
            return None
        return await self._bank.read(partial(allowed_rows, query=query), deadline=until)

    async def _read(
        self,
        query: Query,
        terms: list[str],
        words: _Lexical,
        likeness: _Vector,
        deadline: float,
        trimmed: bool,
        reranker: RerankerHost | None,
    ) -> Answer:
        """Rank and read the hits; if that fails, no pipeline has answered."""
        standing = OFF if reranker is None else reranker.standing
        if words.matches is None and likeness.likeness is None:
            return Answer((), words.state, likeness.state, trimmed, reranker=standing)
        sought = sought_of(query, terms, words.state, likeness.state, trimmed=trimmed)
        found_by = (sought, words.matches, likeness.likeness, self._words.places)
        begun = asyncio.get_running_loop().time()
        try:
            found = await self._bank.read(lambda c: hydrate(c, *found_by), deadline=deadline)
            self._note_reading(begun)
        except BankError as error:
            self._note_reading(begun)
            failed = failure(error)
            return Answer(
                (),
                _unless_off(words, failed),
                _unless_off(likeness, failed),
                trimmed,
                reranker=standing,
            )
        if reranker is not None and found.hits:
            until = deadline - self._reserve(deadline - asyncio.get_running_loop().time())
            standing, found = await reread(self._bank, reranker, found, found_by, until, deadline)
        return _answered(found, words.state, likeness.state, likeness.likeness, trimmed, standing)

    async def _search_words(
        self, terms: list[str], allowed: list[int] | None, count: int, until: float
    ) -> _Lexical:
        try:
            matches = await self._bank.read(
                partial(self._words.search, terms=terms, allowed=allowed, count=count),
                deadline=until,
            )
        except BankError as error:
            return _Lexical(failure(error))
        return _Lexical(READY, matches)

    async def _search_vectors(
        self, text: str, allowed: list[int] | None, count: int, until: float
    ) -> _Vector:
        try:
            async with asyncio.timeout_at(until):
                await self.serving.wait(until)
                service = self.serving.service
                if self.serving.fault is not None:
                    return _Vector(State("failed", self.serving.fault))
                if service is None:
                    raise TimeoutError
                likeness = await self._host.ask(
                    partial(
                        nearest,
                        service,
                        self._host.queries,
                        text,
                        allowed,
                        count,
                        until,
                        self._words.places,
                    )
                )
        except TimeoutError:
            # Late in either case; the code tells a cold start from a slow machine.
            loading = self._host.state == "loading"
            return _Vector(State("late", "model_loading") if loading else LATE)
        except (EmbedderUnavailableError, ModelError) as error:
            return _Vector(State("failed", error.code))
        return _Vector(self.serving.state, likeness)

    def _on_commit(self, committed: Committed) -> None:
        self._words.follow(committed.added, committed.removed)
        self.serving.follow(committed)

    async def _warm(self) -> None:
        """Read the words' lengths, once of each lexical index."""
        async with self._warming:
            while self._warmed != self._indexes:
                index = self._indexes
                await self._bank.read(self._words.warm)
                self._warmed = index

    async def _words_replaced(self) -> None:
        """Take up a lexical index that was built anew."""
        self._indexes += 1
        if self._warmed:
            await self._warm()


def _tail(text: str) -> tuple[str, bool]:
    """The end of a query that is used, and whether there was more before it."""
    raw = text.encode("utf-8")
    if len(raw) <= QUERY_BYTES:
        return text, False
    return raw[-QUERY_BYTES:].decode("utf-8", errors="ignore"), True


def _answered(
    found: Hydrated,
    lexical: State,
    vector: State,
    likeness: Likeness | None,
    trimmed: bool,
    reranker: State = OFF,
) -> Answer:
    trimmed = trimmed or (likeness is not None and likeness.query_trimmed)
    return Answer(found.hits, lexical, vector, trimmed, found.excluded, reranker=reranker)


def _unless_off(side: _Lexical | _Vector, state: State) -> State:
    """A state for a pipeline, unless it says better itself why it has not answered."""
    return state if side.state.answered else side.state
