"""Recall while four writers, the embedding of what they say and a rebuild go on beside it; and what
is asked while a snapshot of the vectors is written.

Owns: what "under load" means here. The rebuild begins with the load; the writers stop with it.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from cognid.client import AsyncClient
from cognid.protocol.recall import Hits, Unavailable
from cognid.protocol.values import Role
from cognid_models import load
from measure.evaluation import wait_indexed
from measure.figures import Figure
from measure.metrics import percentile
from measure.scratch import ScratchDaemon
from measure.texts import Texts
from measure.workbench import Workbench

SIZES: Final = (10_000, 100_000, 1_000_000)
_WRITERS: Final = 4
_SHORT_MS: Final = 50
_KEPT_MS: Final = 60.0
_LONG_MS: Final = 5_000
_CACHED_BARS: Final = {10_000: 2.5, 100_000: 6.0}
_PAUSE_SECONDS: Final = 0.02
_SNAPSHOT_SECONDS: Final = 60.0
"""How long a snapshot is waited for: it comes ten seconds after the last change."""


@asynccontextmanager
async def _load(daemon: ScratchDaemon, agent: str) -> AsyncIterator[None]:
    """Writers, each on a connection of its own, and a rebuild of both indexes."""
    ending = asyncio.Event()

    async def write(number: int) -> None:
        texts = Texts(seed=number)
        async with await daemon.connect() as client:
            while not ending.is_set():
                await client.remember(
                    role=Role.USER, content=texts.turn(), stream=f"load-{number}", agent=agent
                )
                await asyncio.sleep(_PAUSE_SECONDS)  # else what is to be embedded takes minutes

    async with asyncio.TaskGroup() as group:
        async with await daemon.connect() as client:
            begun = await client.rebuild_indexes(agent=agent)
        if begun.outcome != "committed":
            raise RuntimeError(f"index.rebuild answered {begun.outcome}")
        for number in range(_WRITERS):
            group.create_task(write(number))
        await asyncio.sleep(1.0)
        try:
            yield
        finally:
            ending.set()


async def _ask(
    client: AsyncClient, agent: str, texts: Texts, count: int, deadline_ms: int
) -> tuple[list[float], int, int]:
    """Milliseconds of so many recalls, in how many a pipeline was late, and how many were none."""
    took, late, unavailable = [], 0, 0
    for _ in range(count):
        began = time.perf_counter()
        answer = await client.recall(texts.query(), agent=agent, deadline_ms=deadline_ms)
        took.append((time.perf_counter() - began) * 1000)
        unavailable += isinstance(answer, Unavailable)
        if isinstance(answer, Hits):
            states = (answer.pipelines.lexical.state, answer.pipelines.vector.state)
            late += "late" in states
        await asyncio.sleep(_PAUSE_SECONDS)
    return took, late, unavailable


async def measure_deadlines(bench: Workbench, *, quick: bool) -> list[Figure]:
    """Recalls of 50 ms under load: how many answers came within 60."""
    figures = []
    count = 100 if quick else 300
    for size in SIZES[:1] if quick else SIZES:
        agent = await bench.filled(size)
        async with bench.daemon() as (daemon, client):
            await wait_indexed(client, agent)
            async with _load(daemon, agent):
                took, late, none = await _ask(client, agent, Texts(seed=size + 2), count, _SHORT_MS)
        kept = 100 * sum(one <= _KEPT_MS for one in took) / count
        name = f"{size:,} memories"
        figures += [
            Figure(f"deadline of 50 ms kept within 60, {name}", kept, "%", 99.0, least=True),
            Figure(f"of these with a late pipeline, {name}", 100 * late / count, "%"),
            Figure(f"of these without an answer, {name}", 100 * none / count, "%"),
            Figure(f"deadline of 50 ms, p99, {name}", percentile(took, 0.99), "ms"),
        ]
    return figures


async def measure_loaded_recalls(bench: Workbench, *, quick: bool) -> list[Figure]:
    """The p99 of recalls under load against the medians of that run and of an idle daemon."""
    figures = []
    count = 100 if quick else 400
    for size in SIZES[:1] if quick else SIZES[:2]:
        agent = await bench.filled(size)
        async with bench.daemon() as (daemon, client):
            await wait_indexed(client, agent)
            texts = Texts(seed=size + 3)
            idle, _, _ = await _ask(client, agent, texts, count, _LONG_MS)
            async with _load(daemon, agent):
                took, _, _ = await _ask(client, agent, texts, count, _LONG_MS)
        rest, median = statistics.median(idle), statistics.median(took)
        p99 = percentile(took, 0.99)
        name = f"{size:,} memories"
        figures += [
            Figure(f"recall, idle, median, {name}", rest, "ms"),
            Figure(f"recall under load, median, {name}", median, "ms"),
            Figure(f"recall under load, p99, {name}", p99, "ms"),
            Figure(f"p99 / median of the run under load, {name}", p99 / median, "x", 3.0),
            Figure(f"p99 under load / idle median, {name}", p99 / rest, "x", 6.0),
        ]
    return figures


async def measure_cached(bench: Workbench, *, quick: bool) -> list[Figure]:
    """Recalls whose query was asked before: everything but its embedding."""
    figures = []
    for size in SIZES[:1] if quick else SIZES[:2]:
        agent = await bench.filled(size)
        async with bench.daemon() as (_, client):
            await wait_indexed(client, agent)
            texts = Texts(seed=size + 4)
            queries = [texts.query() for _ in range(20)]
            took = []
            for number in range(6 if quick else 12):
                for query in queries:
                    began = time.perf_counter()
                    await client.recall(query, agent=agent, deadline_ms=_LONG_MS)
                    if number > 1:
                        took.append((time.perf_counter() - began) * 1000)
        name = f"{size:,} memories"
        bar = _CACHED_BARS[size]
        figures.append(
            Figure(f"recall, query vector kept, median, {name}", statistics.median(took), "ms", bar)
        )
    return figures


async def measure_snapshots(bench: Workbench, *, quick: bool) -> list[Figure]:
    """Pages of the listing while the snapshot of a bank's vectors is written, and before."""
    size = 30_000 if quick else 100_000
    agent = await bench.filled(size)
    before: list[float] = []
    beside: list[float] = []
    async with bench.daemon() as (daemon, client):
        await wait_indexed(client, agent)
        handle = (await client.open_configure(agent=agent)).handle
        for there in daemon.places.data.rglob("*.vectors"):
            there.unlink()
        # A change, after which a snapshot is owed.
        added = await client.add("a bench was here", agent=agent)
        if added.outcome != "committed":
            raise RuntimeError(f"memory.add answered {added.outcome}")
        until = time.monotonic() + _SNAPSHOT_SECONDS
        while not any(daemon.places.data.rglob("*.vectors")) and time.monotonic() < until:
            under_way = any(daemon.places.data.rglob("*.vectors.new"))
            began = time.perf_counter()
            await client.inspect_list(handle, agent=agent, limit=20)
            (beside if under_way else before).append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(_PAUSE_SECONDS / 4)
    name = f"{size:,} memories"
    if not beside:
        return [
            Figure(f"pages while a snapshot is written, {name}", None, "ms", not_run="none was")
        ]
    return [
        Figure(f"a page of 20, p99, {name}", percentile(before, 0.99), "ms"),
        Figure(f"while a snapshot is written, median, {name}", statistics.median(beside), "ms"),
        Figure(f"while a snapshot is written, the slowest, {name}", max(beside), "ms"),
    ]


async def measure_passages(*, quick: bool) -> list[Figure]:
    """What a second of processor time embeds, one turn at a time as the daemon does."""
    embedder = load()
    turns = list(Texts(seed=5).turns(100 if quick else 400))
    windows = [window for turn in turns for window in embedder.windows(turn)]
    tokens = sum(len(window.token_ids) for window in windows)
    embedder.embed_window(windows[0])
    began = time.process_time()
    for window in windows:
        embedder.embed_window(window)
    spent = time.process_time() - began
    return [
        Figure("tokens embedded a CPU-second", tokens / spent, "/s", 2_200, least=True),
        Figure("turns embedded a CPU-second", len(turns) / spent, "/s"),
    ]
