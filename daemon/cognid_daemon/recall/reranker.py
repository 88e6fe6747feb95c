"""The reranker inside the daemon: an optional model, loaded when it is first asked for.

Owns: its life and its thread. May not know banks. It reads one pair after the other, so that a
deadline, a `cancel` or another recall comes between any two. The thread is its own: a pair takes
10 to 40 ms, and no query that asks for less may wait behind one.

Nothing is watched: each use looks whether the file is the one that was loaded, so that what the CLI
installs or removes holds from the next recall on. It is let go after `IDLE_SECONDS`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Literal, TypeVar

from cognid_daemon.recall.answer import READY, State
from cognid_models import (
    Reranker,
    RerankerFailedError,
    RerankerManifest,
    RerankerMissingError,
    load_reranker,
    read_reranker_manifest,
)
from cognid_models.errors import ModelError

T = TypeVar("T")

FOLDER: Final = "reranker"
"""Where it lies, in the data folder."""

IDLE_SECONDS: Final = 600.0
"""For which it is kept (50 MB) while nobody asks for it."""

_LOADING: Final = State("late", "reranker_loading")

_Print = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Scored:
    """The logits of the first texts, in their order, and how the reranker stood."""

    state: State
    logits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """What became of one file: the reranker, or the code of why there is none."""

    file: _Print
    loaded: asyncio.Task[Reranker | str]


class RerankerHost:
    """Loads the reranker of one data folder and runs it.

    Args:
        data: the data folder.
        load: gives the reranker of a folder; called on its thread, where it may import and block.
    """

    def __init__(self, data: Path, load: Callable[[Path], Reranker] = load_reranker) -> None:
        self._folder = data / FOLDER
        self._load = load
        self._thread = ThreadPoolExecutor(1, "cognid-rerank")
        self._held: _Held | None = None
        self._idle: asyncio.TimerHandle | None = None

    @cached_property
    def manifest(self) -> RerankerManifest:
        """Which reranker this build takes."""
        return read_reranker_manifest()

    @property
    def state(self) -> Literal["absent", "installed", "loading", "ready", "failed"]:
        """Where it stands; `installed` where nobody asked for it, or not of late."""
        file, held = self._look(), self._held
        if file is None:
            return "absent"
        if held is None or held.file != file:
            return "installed"
        if not held.loaded.done():
            return "loading"
        return "failed" if isinstance(held.loaded.result(), str) else "ready"

    @property
    def code(self) -> str | None:
        """Why it cannot be used; None where it can, as far as is known."""
        match self.state:
            case "absent":
                return RerankerMissingError.code
            case "failed" if self._held is not None:
                return str(self._held.loaded.result())
            case _:
                return None

    @property
    def standing(self) -> State:
        """What an answer says of it that did not come as far as to ask it."""
        code = self.code
        return READY if code is None else State("failed", code)

    async def score(self, query: str, texts: Sequence[str], until: float) -> Scored:
        """Score texts in their order, until all are or it is `until` (the loop's clock).

        Whoever is cancelled leaves one pair to its end at most, and nobody hears of it.
        """
        logits: list[float] = []
        reranker: Reranker | str | None = None
        try:
            async with asyncio.timeout_at(until):
                reranker = await self._loaded()
                if isinstance(reranker, str):
                    return Scored(State("failed", reranker))
                for text in texts:
                    logit = await self._run(partial(reranker.score, query, text))
                    logits.append(logit)  # one by one: what is scored by then counts
        except TimeoutError:
            if reranker is None:
                return Scored(_LOADING)
            percent = round(100 * len(logits) / len(texts), 1)
            return Scored(State("late", percent=percent), tuple(logits))
        except ModelError as error:
            return Scored(State("failed", error.code))
        except Exception:  # as while loading: the fast answer is there
            return Scored(State("failed", RerankerFailedError.code))
        finally:
            self._keep_a_while()
        return Scored(READY, tuple(logits))

    async def close(self) -> None:
        """Drop what has not begun, wait for what has (a pair or a load), end."""
        if self._idle is not None:
            self._idle.cancel()
        await asyncio.to_thread(partial(self._thread.shutdown, wait=True, cancel_futures=True))
        if self._held is not None:
            await asyncio.gather(self._held.loaded, return_exceptions=True)

    async def _loaded(self) -> Reranker | str:
        """The reranker of the file as it is now, or the code of why there is none."""
        file = self._look()
        if file is None:
            self._held = None
            return RerankerMissingError.code
        if self._held is None or self._held.file != file:
            loaded = asyncio.create_task(self._try_to_load(), name="load reranker")
            self._held = _Held(file, loaded)
        # It goes on to load for the next recall where this one's time is up.
        return await asyncio.shield(self._held.loaded)

    async def _try_to_load(self) -> Reranker | str:
        try:
            return await self._run(partial(self._load, self._folder))
        except ModelError as error:
            return error.code
        except Exception:  # the room's edge: whatever it was, recall goes on without it
            return RerankerFailedError.code

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _look(self) -> _Print | None:
        """What tells the file from another one in its place; None where there is none."""
        with suppress(OSError, ModelError):
            status = (self._folder / self.manifest.model.file).stat()
            return status.st_ino, status.st_size, status.st_mtime_ns
        return None

    def _keep_a_while(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._let_go)

    def _let_go(self) -> None:
        self._held = None
