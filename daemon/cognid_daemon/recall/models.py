"""The embedding model inside the daemon: one thread for queries, one for the backlog.

Owns: the model's life (loading, ready, failed) and the two threads that run it. May not know banks.

Queries have a thread of their own at normal priority and are never behind a window of the backlog.
The background thread runs at nice 19, one window at a time, and starts none while a recall is
open: measured, this keeps a recall's p99 at 30–38 ms while four writers keep the embedder busy. The
gate gives way after `GATE_SECONDS`, so that an unbroken stream of recalls cannot starve it. Only
the model itself runs there: a thread of that priority that is put off while it holds a lock, the
interpreter's above all, stops every other one.

Python's imports of numpy, onnxruntime and the model (0.3 s of CPU) happen on the query thread,
beside the first lexical answers.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Final, Literal, TypeVar

from cognid_daemon.recall.nearest import QueryVectors
from cognid_models import Embedder
from cognid_models.errors import ModelError

T = TypeVar("T")

GATE_SECONDS: Final = 0.25
"""How long the backlog waits for open recalls at most before it runs one window beside them."""

_LOWEST_PRIORITY: Final = 19


class EmbedderUnavailableError(Exception):
    """There is no model to ask; `code` says why (a code of `cognid_models.errors`)."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class EmbedderHost:
    """Loads one model and runs it.

    Args:
        load: gives the embedder; called once, on the query thread, where it may import and block.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._queries = ThreadPoolExecutor(1, "cognid-query")
        self._windows = ThreadPoolExecutor(1, "cognid-embed", initializer=_yield_to_others)
        self._gate = _Gate()
        self.queries = QueryVectors()
        """The vectors of what was asked last."""
        self._embedder: Embedder | None = None
        self._code: str | None = None
        self._settled = asyncio.Event()
        self._loading: asyncio.Task[None] | None = None
        self.replaced = asyncio.Event()
        """Set when there is another model, or none, where there was this one; then it is a new
        event."""

    @property
    def state(self) -> Literal["loading", "ready", "failed"]:
        """Where the model stands."""
        if not self._settled.is_set():
            return "loading"
        return "failed" if self._embedder is None else "ready"

    @property
    def code(self) -> str | None:
        """Why the model failed; None while it did not."""
        return self._code

    @property
    def embedder(self) -> Embedder | None:
        """The loaded model; None while there is none."""
        return self._embedder

    @property
    def space_id(self) -> str | None:
        """The space of the loaded model."""
        return None if self._embedder is None else self._embedder.space_id

    def start(self) -> None:
        """Begin to load; returns at once."""
        self._loading = asyncio.create_task(self._load_model(), name="load model")

    async def _load_model(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            self._embedder = await loop.run_in_executor(self._queries, self._load)
        except ModelError as error:
            self._code = error.code
        except Exception:  # the room's edge: whatever it was, recall goes on without vectors
            self._code = "model_failed"
        self._settled.set()

    async def reload(self, load: Callable[[], Embedder]) -> str | None:
        """Load a model anew, on a thread of its own, and use it where it differs from the one
        before; queries go on meanwhile.

        Returns:
            Why it cannot be used (a code); what was loaded before stays in use then.
        """
        await self._settled.wait()
        try:
            embedder = await asyncio.to_thread(load)
        except ModelError as error:
            return error.code
        except Exception:  # as above
            return "model_failed"
        if embedder.space_id != self.space_id:
            self._embedder, self._code = embedder, None
            replaced, self.replaced = self.replaced, asyncio.Event()
            replaced.set()
        return None

    async def ready(self) -> Embedder:
        """Wait until the model is loaded. Raises EmbedderUnavailableError where it cannot be."""
        await self._settled.wait()
        if self._embedder is None:
            raise EmbedderUnavailableError(self._code or "model_failed")
        return self._embedder

    async def ask(self, work: Callable[[Embedder], T]) -> T:
        """Run a query's work on the query thread, behind other queries only.

        A cancelled one that has not begun never does; one that has runs to its end (one query's
        embedding), and nobody hears of it.
        """
        embedder = await self.ready()
        return await asyncio.get_running_loop().run_in_executor(self._queries, work, embedder)

    async def background(self, work: Callable[[Embedder], T]) -> T:
        """Run one window's work on the background thread, once no recall is open."""
        embedder = await self.ready()

        def when_quiet() -> T:
            self._gate.wait()
            return work(embedder)

        return await asyncio.get_running_loop().run_in_executor(self._windows, when_quiet)

    async def quiet(self, calm_seconds: float = 0.0) -> None:
        """Wait until no recall is open, as long as `background` would at most; on no thread, and
        without a model.

        Args:
            calm_seconds: and until none has come for so long.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(GATE_SECONDS):
                come = -1
                while come != self._gate.come:
                    await self._gate.none_open.wait()
                    come = self._gate.come
                    await asyncio.sleep(calm_seconds)

    @contextmanager
    def recall(self) -> Iterator[None]:
        """Hold the background thread back while a recall is open."""
        self._gate.enter()
        try:
            yield
        finally:
            self._gate.leave()

    @property
    def is_busy(self) -> bool:
        """Whether more than one recall is open."""
        return self._gate.open_recalls > 1

    async def close(self) -> None:
        """Drop what has not begun, wait for what has (at most one window a thread), end."""
        self._gate.open_for_good()
        await asyncio.to_thread(self._join)
        if self._loading is not None:
            await asyncio.gather(self._loading, return_exceptions=True)

    def _join(self) -> None:
        self._windows.shutdown(wait=True, cancel_futures=True)
        self._queries.shutdown(wait=True, cancel_futures=True)


class _Gate:
    """Counts open recalls, on the loop; the background thread waits here until there is none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.open_recalls = 0
        self._ended = False
        self.come = 0
        """How many recalls there were."""
        self.none_open = asyncio.Event()
        """The same for who waits on the loop."""
        self.none_open.set()

    def enter(self) -> None:
        with self._changed:
            self.open_recalls += 1
            self.come += 1
        self.none_open.clear()

    def leave(self) -> None:
        with self._changed:
            self.open_recalls -= 1
            if self.open_recalls:
                return
            self._changed.notify_all()
        self.none_open.set()

    def open_for_good(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait(self) -> None:
        until = time.monotonic() + GATE_SECONDS
        with self._changed:
            while self.open_recalls and not self._ended:
                left = until - time.monotonic()
                if left <= 0.0 or not self._changed.wait(left):
                    return


def _yield_to_others() -> None:
    """Give the calling thread the lowest priority.

    On Linux a priority belongs to a thread. macOS has only the process's and the quality-of-service
    classes of its own C interface, so there the thread keeps its priority and only the gate holds
    it back.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_PRIORITY)
