"""The vectors that answer for one bank: loaded, and kept through models, generations and faults.

Owns: the bank's vector index, its backlog, its snapshot and its graph, the task that follows one
model after the other, and what is said of the vector pipeline apart from any query. May not search.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, ClosedError, DamagedError
from cognid_daemon.bank.rows import Committed
from cognid_daemon.recall.answer import READY, State
from cognid_daemon.recall.backlog import Backlog
from cognid_daemon.recall.graph_build import GraphBuild
from cognid_daemon.recall.keeper import Keeper, Service
from cognid_daemon.recall.loading import Loading, side_by_side
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_models import Embedder

if TYPE_CHECKING:
    from cognid_daemon.recall.vectors import VectorIndex

_LOADING_SHARE: Final = 0.5
"""Of a deadline: how long a recall waits at most for a model that is still being loaded."""

_AGAIN_SECONDS: Final = 60.0
"""After a bank that refused what the vectors need (a full disk)."""

_LOADING: Final = State("building", "model_loading", 0.0)
"""What index.status says until the model is there; a recall waits for it within its deadline."""


class Serving:
    """Keeps one bank's vectors. `open` first; its owner awaits `close` before the bank's.

    Args:
        warm: reads what the words need; beside the vectors, and also where there are none.
    """

    def __init__(
        self, bank: Bank, host: EmbedderHost, warm: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self._bank = bank
        self._host = host
        self._warm = warm
        self.backlog = Backlog(bank, host)
        self.keeper = Keeper(bank, host)
        self.graph = GraphBuild(host)
        self.service: Service | None = None
        """What answers; None until there is an index."""
        self.fault: str | None = None
        """Why there are no vectors, or no more of them; None where nothing is wrong."""
        self._loading: Loading | None = None
        self._is_complete = False  # whether all of the generation's vectors are in the index
        self._tended = asyncio.Event()  # there is an index, or a reason why not
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Count what there is and begin, in tasks of their own, to load and to embed."""
        await self.backlog.count()
        bank_id = self._bank.bank_id
        self._tasks = [
            asyncio.create_task(self._tend(), name=f"tend {bank_id}"),
            asyncio.create_task(self.graph.run(), name=f"graph {bank_id}"),
        ]

    async def close(self) -> None:
        """End the background work; what waits stands on the bank's list."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.keeper.close()

    def follow(self, committed: Committed) -> None:
        """See what a commit changed. On the loop, commit by commit."""
        self.keeper.touch()
        if self.service is not None:
            for revision_rowid in committed.removed:
                self.service.index.remove(revision_rowid)
            self.graph.touch()
        if self._loading is not None:
            self._loading.remove(committed.removed)

    async def wait(self, until: float) -> None:
        """Wait until there is a model and an index; for a model that is being loaded not too long,
        since the turn has the lexical answer by then."""
        now = asyncio.get_running_loop().time()
        loading = self._host.state == "loading"
        patience = now + (until - now) * _LOADING_SHARE if loading else until
        async with asyncio.timeout_at(patience):
            await self._host.ready()
            await self._tended.wait()

    @property
    def state(self) -> State:
        """Where the vector pipeline stands, apart from any query."""
        if self._host.state == "loading":
            return _LOADING
        code = self._host.code or self.fault
        if code is not None:
            return State("failed", code)
        if self.is_of_another_space:
            return State("building", "embedding", 0.0)
        if not self._is_complete:
            percent = 0.0 if self._loading is None else self._loading.percent
            return State("building", "index_loading", round(percent, 1))
        tally = self.backlog.tally
        if not tally.waiting:
            return READY
        done = max(0, tally.current - tally.waiting)
        # Never 100 while anything waits.
        # What was forgotten may still stand on the tally of what waits.
        share = round(100 * done / max(1, tally.current), 1)
        return State("building", "embedding", min(99.9, share))

    @property
    def is_of_another_space(self) -> bool:
        """Whether the model was replaced and this bank has not followed yet."""
        return self.service is not None and self.service.space_id != self._host.space_id

    @property
    def embedding_anew(self) -> float | None:
        """Percent of the memories that another model has embedded by now; None when it is not at
        it."""
        vectors = self.backlog.vectors
        if vectors is None or vectors.building is not vectors.serving:
            return None
        built = vectors.serving
        return round(100 * built.done / max(1, built.total), 1)

    async def _tend(self) -> None:
        """Follow one model after the other."""
        while True:
            replaced = self._host.replaced
            self.fault = None
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
                    serving = await self.backlog.settle(embedder)
                    service = await self._load(serving.number, embedder)
                    await self.backlog.run(service.index, service.generation, embedder)
                except (ClosedError, DamagedError):
                    raise
                except BankError as error:
                    # A full disk, say: every answer says so until there is room.
                    self.fault = error.code
                    self._tended.set()
                    await asyncio.sleep(_AGAIN_SECONDS)
        except EmbedderUnavailableError:
            with suppress(BankError):
                await self._warm()
                await self.backlog.keep_count()
            # The work stays on its list, and every answer says why.
        except ClosedError:
            pass
        except BankError as error:
            self.fault = error.code
        except Exception:  # the room's edge: recall goes on lexically, and says so
            self.fault = "internal"
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
        if self.service is None or self.service.space_id != service.space_id:
            self._is_complete = False
            self.service = service
        self._loading = loading = Loading(self._bank, service)
        self._tended.set()
        try:
            saved, _ = await side_by_side(loading.run(), self._warm())
            loading.settle()
        finally:
            self._loading = None
        self.service = service
        self._is_complete = True
        self.fault = None
        self.keeper.follow(service, saved=saved is True)
        self.graph.follow(service.index)
        return service


def _new_index(dimension: int) -> VectorIndex:
    from cognid_daemon.recall.vectors import VectorIndex

    return VectorIndex(dimension)
