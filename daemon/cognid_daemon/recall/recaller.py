"""Recall over one open bank: both pipelines side by side under the deadline, and one answer.

Owns: the bank's vector index and backlog, and what is said about each pipeline. May not know the
wire. One pipeline's failure never hides the other's answer; what is missing is named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.bounds import QUERY_BYTES
from cognid.protocol.values import Pipeline
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, DeadlineError
from cognid_daemon.bank.fold import QUERY_TERMS, fold_query
from cognid_daemon.bank.rows import Committed
from cognid_daemon.recall.answer import LATE, OFF, READY, Answer, IndexState, Query, State
from cognid_daemon.recall.backlog import Backlog
from cognid_daemon.recall.hydration import Likeness, hydrate
from cognid_daemon.recall.lexical import CANDIDATES, LexicalIndex, LexicalMatches, allowed_rows
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_models import Embedder
from cognid_models.errors import ModelError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.recall.vectors import VectorIndex

_READING_SHARE: Final = 0.15
_READING_SECONDS: Final = 0.02
"""What is kept of a deadline for ranking and reading the hits, at most."""

_LOADING_SHARE: Final = 0.5
"""Of a deadline: how long a recall waits at most for a model that is still being loaded."""

_LOADED: Final = 2048
"""Stored vectors read at a time; about 10 ms of a reader."""


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
        self._index: VectorIndex | None = None
        self._loaded: float | None = 0.0  # percent of the stored vectors; None: all
        self._removed_while_loading: set[int] = set()
        self._tended = asyncio.Event()  # there is an index, or a reason why not
        self._fault: str | None = None
        self._task: asyncio.Task[None] | None = None
        bank.subscribe(self._on_commit)

    async def open(self) -> None:
        """Count what there is and begin, in a task of its own, to load and to embed."""
        await self._backlog.count()
        self._task = asyncio.create_task(self._tend(), name=f"tend {self._bank.bank_id}")

    async def close(self) -> None:
        """End the background work; what waits stands on the bank's list."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def recall(self, query: Query, deadline: float) -> Answer:
        """Answer with both pipelines by `deadline`, in seconds of the loop's clock."""
        return await self._answer(query, deadline, frozenset(Pipeline))

    async def search(self, query: Query, pipeline: Pipeline, deadline: float) -> Answer:
        """Answer with one pipeline alone."""
        return await self._answer(query, deadline, frozenset({pipeline}))

    def index_status(self) -> IndexState:
        """Where the indexes stand now."""
        tally = self._backlog.tally
        return IndexState(
            lexical=READY,
            vector=self._vector_state(),
            space_id=self._host.space_id,
            indexed=max(0, tally.current - tally.waiting - tally.skipped),
            backlog=tally.waiting,
            skipped=tally.skipped,
        )

    async def _answer(
        self, query: Query, deadline: float, pipelines: frozenset[Pipeline]
    ) -> Answer:
        """Answer, without what was forgotten or corrected while this was on its way."""
        with self._bank.watch() as watch:
            answer = await self._answer_as_read(query, deadline, pipelines)
            hits = (hit for hit in answer.hits if hit.memory.revision_rowid not in watch.removed)
            return replace(answer, hits=tuple(hits)) if watch.removed else answer

    async def _answer_as_read(
        self, query: Query, deadline: float, pipelines: frozenset[Pipeline]
    ) -> Answer:
        text, trimmed = _tail(query.text)
        terms = fold_query(text)
        trimmed = trimmed or len(terms) == QUERY_TERMS  # more were there, or may have been
        now = asyncio.get_running_loop().time()
        until = deadline - min(_READING_SECONDS, _READING_SHARE * max(0.0, deadline - now))
        words, likeness = _Lexical(OFF), _Vector(OFF)
        with self._host.recall():
            try:
                allowed = await self._allowed(query, until)
            except BankError as error:
                failed = _failure(error)
                return Answer(
                    (),
                    failed if Pipeline.LEXICAL in pipelines else OFF,
                    failed if Pipeline.VECTOR in pipelines else OFF,
                    trimmed,
                )
            if pipelines == {Pipeline.LEXICAL}:
                words = await self._search_words(terms, allowed, until)
            elif pipelines == {Pipeline.VECTOR}:
                likeness = await self._search_vectors(text, allowed, until)
            else:
                async with asyncio.TaskGroup() as group:
                    second = group.create_task(self._search_vectors(text, allowed, until))
                    first = group.create_task(self._search_words(terms, allowed, until))
                words, likeness = first.result(), second.result()
            return await self._read(query, terms, words, likeness, deadline, trimmed)

    async def _allowed(self, query: Query, until: float) -> list[int] | None:
        """The revisions that may answer; None means all."""
        if not query.is_filtered:
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
    ) -> Answer:
        """Rank and read the hits; if that fails, no pipeline has answered."""
        if words.matches is None and likeness.likeness is None:
            return Answer((), words.state, likeness.state, trimmed)
        work = partial(
            hydrate,
            query=query,
            terms=terms,
            lexical=words.matches,
            likeness=likeness.likeness,
        )
        try:
            hits = await self._bank.read(work, deadline=deadline)
        except BankError as error:
            failed = _failure(error)
            return Answer((), _unless_off(words, failed), _unless_off(likeness, failed), trimmed)
        trimmed = trimmed or (likeness.likeness is not None and likeness.likeness.query_trimmed)
        return Answer(hits, words.state, likeness.state, trimmed)

    async def _search_words(
        self, terms: list[str], allowed: list[int] | None, until: float
    ) -> _Lexical:
        try:
            matches = await self._bank.read(
                partial(self._words.search, terms=terms, allowed=allowed), deadline=until
            )
        except BankError as error:
            return _Lexical(_failure(error))
        return _Lexical(READY, matches)

    async def _search_vectors(self, text: str, allowed: list[int] | None, until: float) -> _Vector:
        try:
            async with asyncio.timeout_at(until):
                await self._wait_for_model(until)
                index = self._index
                if index is None or self._fault is not None:
                    return _Vector(State("failed", self._fault or "internal"))
                likeness = await self._host.ask(partial(_nearest, index, text, allowed))
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
        if self._loaded is not None:
            return State("building", "index_loading", round(self._loaded, 1))
        if not self._backlog.is_listed:
            return State("building", "embedding", 0.0)
        tally = self._backlog.tally
        if not tally.waiting:
            return READY
        done = max(0, tally.current - tally.waiting)
        # Never 100 while anything waits.
        # What was forgotten may still stand on the tally of what waits.
        share = round(100 * done / max(1, tally.current), 1)
        return State("building", "embedding", min(99.9, share))

    def _on_commit(self, committed: Committed) -> None:
        if self._index is None:
            return
        for revision_rowid in committed.removed:
            self._index.remove(revision_rowid)
        if self._loaded is not None:
            self._removed_while_loading.update(committed.removed)

    async def _tend(self) -> None:
        """Load the stored vectors once the model is there, then follow the work list."""
        try:
            try:
                embedder = await self._host.ready()  # which has imported numpy, on its own thread
            except EmbedderUnavailableError:
                await self._bank.read(self._words.warm)
                return  # the work stays on its list, and every answer says why
            # Not on the background thread: it waits while recalls are open, and they for this.
            self._index = index = await self._host.ask(_new_index)
            self._tended.set()
            await _side_by_side(self._load(index, embedder), self._bank.read(self._words.warm))
            await self._backlog.run(index, embedder)
        except BankError as error:
            self._fault = error.code
        except Exception:  # the room's edge: recall goes on lexically, and says so
            self._fault = "internal"
        finally:
            self._tended.set()

    async def _load(self, index: VectorIndex, embedder: Embedder) -> None:
        """Bring the stored vectors of the model's space into the index, a chunk at a time, on both
        readers: half of a chunk's time is spent without the interpreter's lock."""
        last = await self._bank.read(_last_embedding)
        past = await self._bank.read(_past)
        chunks = iter(range(0, last, _LOADED))

        async def load() -> None:
            for after in chunks:
                self._loaded = 100.0 * after / last
                await self._bank.read(
                    partial(
                        _load_chunk,
                        index=index,
                        space_id=embedder.space_id,
                        past=past,
                        after=after,
                        last=min(last, after + _LOADED),
                    )
                )

        await _side_by_side(load(), load())
        # What was removed while its chunk was on the way came into the index after its removal.
        for revision_rowid in self._removed_while_loading:
            index.remove(revision_rowid)
        self._removed_while_loading.clear()
        self._loaded = None


async def _side_by_side(*works: Coroutine[Any, Any, object]) -> None:
    """Do several things at once; where one fails, the others end and its error is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _tail(text: str) -> tuple[str, bool]:
    """The end of a query that is used, and whether there was more before it."""
    raw = text.encode("utf-8")
    if len(raw) <= QUERY_BYTES:
        return text, False
    return raw[-QUERY_BYTES:].decode("utf-8", errors="ignore"), True


def _failure(error: BankError) -> State:
    return LATE if isinstance(error, DeadlineError) else State("failed", error.code)


def _unless_off(side: _Lexical | _Vector, state: State) -> State:
    """A state for a pipeline, unless it says better itself why it has not answered."""
    return state if side.state.answered else side.state


def _new_index(embedder: Embedder) -> VectorIndex:
    from cognid_daemon.recall.vectors import VectorIndex

    return VectorIndex(embedder.dimension)


def _nearest(
    index: VectorIndex, text: str, allowed: list[int] | None, embedder: Embedder
) -> Likeness:
    """Embed a query and scan, on the query thread: one hop for both."""
    trimmed = embedder.count_tokens(text) > embedder.max_query_tokens
    vector = embedder.embed_query(text)
    matches = [] if vector is None else index.search(vector, CANDIDATES, allowed)
    found = {match.revision_rowid: match for match in matches}
    return Likeness(found, vector, embedder.space_id, trimmed)


def _last_embedding(connection: Connection) -> int:
    (last,) = connection.execute("SELECT max(embedding_rowid) FROM embeddings").fetchone()
    return last or 0


def _past(connection: Connection) -> frozenset[int]:
    """The revisions that are no longer current. A join for each vector would take twice the time of
    reading all vectors (measured at 100,000)."""
    rows = connection.execute(
        "SELECT revision_rowid FROM revisions WHERE lifecycle <> 'current'"
    ).fetchall()
    return frozenset(rowid for (rowid,) in rows)


def _load_chunk(
    connection: Connection,
    *,
    index: VectorIndex,
    space_id: str,
    past: frozenset[int],
    after: int,
    last: int,
) -> None:
    """Bring the stored vectors after one and up to another into the index, but for those of `past`
    revisions."""
    from cognid_daemon.recall.vectors import pack

    dimension = index.dimension
    rows = connection.execute(
        "SELECT revision_rowid, span_start, span_end, vector FROM embeddings"
        " WHERE embedding_rowid > ? AND embedding_rowid <= ?"
        " AND space = (SELECT space FROM spaces WHERE space_id = ?) AND length(vector) = ?"
        " ORDER BY embedding_rowid",
        (after, last, space_id, 2 * dimension),
    ).fetchall()
    if past:
        rows = [row for row in rows if row[0] not in past]
    windows = pack(
        [row[0] for row in rows],
        [(row[1], row[2]) for row in rows],
        b"".join(row[3] for row in rows),
        dimension,
    )
    index.add(windows)
    index.settle()
