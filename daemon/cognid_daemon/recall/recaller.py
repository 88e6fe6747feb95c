"""Recall over one open bank: both pipelines side by side under the deadline, and one answer.

Owns: the bank's vector index and backlog, and what is said about each pipeline. May not know the
wire. One pipeline's failure never hides the other's answer; what is missing is named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from cognid.protocol.bounds import QUERY_BYTES
from cognid.protocol.values import Pipeline
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, ClosedError, DamagedError
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
from cognid_daemon.recall.backlog import Backlog
from cognid_daemon.recall.context import Costs
from cognid_daemon.recall.graph_build import GraphBuild
from cognid_daemon.recall.hydration import Hydrated, Likeness, hydrate, sought_of
from cognid_daemon.recall.keeper import Keeper, Service
from cognid_daemon.recall.lexical import CANDIDATES, LexicalIndex, LexicalMatches, allowed_rows
from cognid_daemon.recall.lexical_build import LexicalBuild
from cognid_daemon.recall.loading import Loading, side_by_side
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_daemon.recall.nearest import nearest
from cognid_daemon.recall.reranker import RerankerHost
from cognid_daemon.recall.rereading import reread
from cognid_models import Embedder
from cognid_models.errors import ModelError

if TYPE_CHECKING:
    from cognid_daemon.recall.vectors import VectorIndex

T = TypeVar("T")

_BOTH: Final = frozenset({Pipeline.LEXICAL, Pipeline.VECTOR})

_READING_SHARE: Final = 0.15
_READING_SECONDS: Final = 0.02
"""What is kept of a deadline for ranking and reading the hits, at least (the smaller of both)."""

_READING_MOST: Final = 0.5

_LOADING_SHARE: Final = 0.5
"""Of a deadline: how long a recall waits at most for a model that is still being loaded."""

_AGAIN_SECONDS: Final = 60.0
"""After a bank that refused what the vectors need (a full disk)."""

_LOADING: Final = State("building", "model_loading", 0.0)
"""What index.status says until the model is there; a recall waits for it within its deadline."""


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
        self._backlog = Backlog(bank, host)
        self._words = LexicalIndex()
        self.costs = Costs()
        """In tokens of the model; for whoever counts on its thread."""
        self._build = LexicalBuild(bank, host, self._words_replaced)
        self._keeper = Keeper(bank, host)
        self._graph = GraphBuild(host)
        self._service: Service | None = None
        self._loading: Loading | None = None
        self._is_complete = False  # whether all of the generation's vectors are in the index
        self._tended = asyncio.Event()  # there is an index, or a reason why not
        self._fault: str | None = None
        self._indexes = 1  # of words that there have been
        self._warmed = 0  # which of them was read
        self._warming = asyncio.Lock()
        self._reading_seconds = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        bank.subscribe(self._on_commit)

    async def open(self) -> None:
        """Count what there is and begin, in tasks of their own, to load, to embed and to build."""
        await self._backlog.count()
        bank_id = self._bank.bank_id
        self._tasks = [
            asyncio.create_task(self._tend(), name=f"tend {bank_id}"),
            asyncio.create_task(self._build.run(), name=f"build {bank_id}"),
            asyncio.create_task(self._graph.run(), name=f"graph {bank_id}"),
        ]

    async def close(self) -> None:
        """End the background work; what waits stands on the bank's list."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._keeper.close()

    async def model(self) -> tuple[str, int]:
        """The space and the dimension of the model, once it is there.

        Raises:
            EmbedderUnavailableError: there is none.
        """
        embedder = await self._host.ready()
        return embedder.space_id, embedder.dimension

    def wake(self) -> None:
        """Look at once for a generation that was begun."""
        self._backlog.wake()
        self._build.wake()

    async def with_model(self, work: Callable[[Embedder | None], T]) -> T:
        """Run some work on the query thread with the model, or here without it while there is
        none."""
        if self._host.state == "ready":
            return await self._host.ask(work)
        return work(None)

    def index_status(self) -> IndexState:
        """Where the indexes stand now."""
        tally = self._backlog.tally
        if self._is_of_another_space:
            tally = replace(tally, waiting=tally.current, skipped=0)
        return IndexState(
            lexical=READY,
            vector=self._vector_state(),
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
            self._graph.touch()
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
            is_plain = pipelines == _BOTH and reranker is None and self._fault is None
            parts = at_hand(self._service, self._host, self._bank, text) if is_plain else None
            if parts is not None:
                sought = sought_of(query, terms, self._vector_state(), trimmed=trimmed)
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
        vector = self._vector_state()
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
                await self._wait_for_model(until)
                service = self._service
                if self._fault is not None:
                    return _Vector(State("failed", self._fault))
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
        return _Vector(self._vector_state(), likeness)

    async def _wait_for_model(self, until: float) -> None:
        """Wait until there is a model and an index; for a model that is being loaded not too long,
        since the turn has the lexical answer by then."""
        now = asyncio.get_running_loop().time()
        loading = self._host.state == "loading"
        patience = now + (until - now) * _LOADING_SHARE if loading else until
        async with asyncio.timeout_at(patience):
            await self._host.ready()
            await self._tended.wait()

    def _vector_state(self) -> State:
        """Where the vector pipeline stands, apart from any query."""
        if self._host.state == "loading":
            return _LOADING
        code = self._host.code or self._fault
        if code is not None:
            return State("failed", code)
        if self._is_of_another_space:
            return State("building", "embedding", 0.0)
        if not self._is_complete:
            percent = 0.0 if self._loading is None else self._loading.percent
            return State("building", "index_loading", round(percent, 1))
        tally = self._backlog.tally
        if not tally.waiting:
            return READY
        done = max(0, tally.current - tally.waiting)
        # Never 100 while anything waits.
        # What was forgotten may still stand on the tally of what waits.
        share = round(100 * done / max(1, tally.current), 1)
        return State("building", "embedding", min(99.9, share))

    @property
    def _is_of_another_space(self) -> bool:
        """Whether the model was replaced and this bank has not followed yet."""
        return self._service is not None and self._service.space_id != self._host.space_id

    @property
    def embedding_anew(self) -> float | None:
        """Percent of the memories that another model has embedded by now; None when it is not at
        it."""
        vectors = self._backlog.vectors
        if vectors is None or vectors.building is not vectors.serving:
            return None
        built = vectors.serving
        return round(100 * built.done / max(1, built.total), 1)

    def _on_commit(self, committed: Committed) -> None:
        self._keeper.touch()
        self._words.follow(committed.added, committed.removed)
        if self._service is not None:
            for revision_rowid in committed.removed:
                self._service.index.remove(revision_rowid)
            self._graph.touch()
        if self._loading is not None:
            self._loading.remove(committed.removed)

    async def _tend(self) -> None:
        """Follow one model after the other."""
        while True:
            replaced = self._host.replaced
            self._fault = None
            tasks = [
                asyncio.ensure_future(self._follow()),
                asyncio.ensure_future(replaced.wait()),
            ]
            try:
                await tasks[1]
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self) -> None:
        """Load the stored vectors once the model is there, then do what the bank owes.

        What is in an index that is there already is not trusted: another model may have come in
        the middle of its loading, or between the storing of a vector and its showing.
        """
        try:
            embedder = await self._host.ready()  # which has imported numpy, on its own thread
            while True:
                try:
                    serving = await self._backlog.settle(embedder)
                    service = await self._load(serving.number, embedder)
                    await self._backlog.run(service.index, service.generation, embedder)
                except (ClosedError, DamagedError):
                    raise
                except BankError as error:
                    # A full disk, say: every answer says so until there is room.
                    self._fault = error.code
                    self._tended.set()
                    await asyncio.sleep(_AGAIN_SECONDS)
        except EmbedderUnavailableError:
            with suppress(BankError):
                await self._warm()
                await self._backlog.keep_count()
            # The work stays on its list, and every answer says why.
        except ClosedError:
            pass
        except BankError as error:
            self._fault = error.code
        except Exception:  # the room's edge: recall goes on lexically, and says so
            self._fault = "internal"
        finally:
            self._tended.set()

    async def _load(self, generation: int, embedder: Embedder) -> Service:
        """Bring the stored vectors of a generation into an index of its own.

        Where an index of the same space answers already, it goes on to do so until the new one is
        complete; else the new one answers with what is in it by now.
        """
        # Not on the background thread: it waits while recalls are open, and they for this.
        index = await self._host.ask(lambda _: _new_index(embedder.dimension))
        service = Service(index, generation, embedder.space_id)
        if self._service is None or self._service.space_id != service.space_id:
            self._is_complete = False
            self._service = service
        self._loading = loading = Loading(self._bank, service)
        self._tended.set()
        try:
            saved, _ = await side_by_side(loading.run(), self._warm())
            loading.settle()
        finally:
            self._loading = None
        self._service = service
        self._is_complete = True
        self._fault = None
        self._keeper.follow(service, saved=saved is True)
        self._graph.follow(service.index)
        return service

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


def _new_index(dimension: int) -> VectorIndex:
    from cognid_daemon.recall.vectors import VectorIndex

    return VectorIndex(dimension)
