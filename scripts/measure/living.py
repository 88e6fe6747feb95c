"""The daemon by itself: ping, cold start, and what it costs when nothing is asked of it.

Owns: what "cold" and "idle" mean here. Cold: a new process with compiled modules and the files in
the page cache. Idle: one bank open, its indexes complete, a connected client that says nothing.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Final

from cognid.client import AsyncClient
from cognid.protocol.recall import Hits
from cognid.protocol.values import Pipeline, Role
from cognid_daemon.lifecycle import WARM_SECONDS
from measure import process
from measure.echo import echo_microseconds
from measure.evaluation import wait_indexed
from measure.figures import Figure
from measure.metrics import percentile
from measure.scratch import ScratchDaemon, scratch_home
from measure.texts import Texts
from measure.workbench import Workbench

_QUERY: Final = "coffee in the garden"
_LOOK_SECONDS: Final = 0.002
_LONG: Final = 400_000
_LONG_DEADLINE_MS: Final = 10_000
_LONG_SECONDS: Final = 900.0  # one text counts as one in the backlog, however many windows it has
_SETTLE_SECONDS: Final = WARM_SECONDS + 2.0  # what is made after the first answers has begun
_CALM: Final = 0.01  # of a core, over a second
_CALM_SECONDS: Final = 120.0
_GROWN_FROM: Final = (10_000, 100_000)
_GROWTH_BARS: Final = {100_000: 1.1}
_TELLERS: Final = 4


async def measure_ping(*, quick: bool) -> list[Figure]:
    """Round trips of ping, one at a time."""
    with scratch_home() as home:
        async with ScratchDaemon(home).running() as client:
            while (await client.status()).model.state == "loading":  # noqa: ASYNC110 - another process
                await asyncio.sleep(_LOOK_SECONDS)
            took = []
            for _ in range(1_000 if quick else 5_000):
                began = time.perf_counter()
                await client.ping()
                took.append((time.perf_counter() - began) * 1e6)
        floor = await echo_microseconds(home, 1_000)
    warm = took[200:]
    return [
        Figure("the same line echoed by a bare asyncio process, median", floor, "µs"),
        Figure("ping, median", statistics.median(warm), "µs", 200),
        Figure("ping, p99", percentile(warm, 0.99), "µs", 500),
    ]


async def measure_start(bench: Workbench, *, quick: bool) -> list[Figure]:
    """From starting the process to the first answers."""
    figures = []
    for size in (10_000,) if quick else (10_000, 100_000):
        agent = await bench.filled(size)
        lexical, vector = [], []
        for number in range(4 if quick else 8):
            began = time.perf_counter()
            async with bench.daemon() as (_, client):
                await _first(client, agent, Pipeline.LEXICAL)
                first = time.perf_counter() - began
                await _first(client, agent, Pipeline.VECTOR)
                second = time.perf_counter() - began
            if number:  # the first start may still compile
                lexical.append(first * 1000)
                vector.append(second * 1000)
        name = f"{size:,} memories"
        figures += [
            Figure(f"start to first lexical answer, {name}", statistics.median(lexical), "ms", 600),
            Figure(f"start to first vector answer, {name}", statistics.median(vector), "ms", 1200),
        ]
    return figures


async def _first(client: AsyncClient, agent: str, pipeline: Pipeline) -> None:
    """Ask one pipeline until it answers with hits and says that it is ready."""
    while True:
        answer = await client.search(_QUERY, pipeline, agent=agent, deadline_ms=_LONG_DEADLINE_MS)
        if isinstance(answer, Hits):
            state = getattr(answer.pipelines, pipeline.value).state
            if state == "ready":
                return
        await asyncio.sleep(_LOOK_SECONDS)


async def measure_growth(bench: Workbench, *, quick: bool) -> list[Figure]:
    """Memory before and after many remembers, each embedded, once nothing is left to do."""
    count = 1_000 if quick else 20_000
    if not process.available:
        return [Figure(f"after {count:,} remembers", None, "x", not_run=process.NOT_HERE)]
    figures = []
    for size in _GROWN_FROM[:1] if quick else _GROWN_FROM:
        agent = await bench.filled(size)
        async with bench.daemon() as (daemon, client):
            before = await _at_rest(daemon, client, agent)
            await _tell(daemon, agent, count // _TELLERS)
            await wait_indexed(client, agent, _LONG_SECONDS)
            after = await _at_rest(daemon, client, agent)
            peak = process.megabytes(daemon.pid, "VmHWM")
        name = f"{count:,} remembers to {size:,} memories"
        bar = _GROWTH_BARS.get(size)
        figures += [
            Figure(f"resident before {name}", before, "MB"),
            Figure(f"resident after {name}", after, "MB"),
            Figure(f"resident after / before {name}", after / before, "x", bar),
            Figure(f"most ever resident, {name}", peak, "MB"),
        ]
    return figures


async def _tell(daemon: ScratchDaemon, agent: str, count: int) -> None:
    """Tell so many turns by each of some clients at once."""

    async def tell(number: int) -> None:
        async with await daemon.connect() as teller:
            for text in Texts(seed=6 + number).turns(count):
                await teller.remember(
                    role=Role.USER,
                    content=text,
                    stream=f"teller-{number}",
                    agent=agent,
                    deadline_ms=_LONG_DEADLINE_MS,
                )

    async with asyncio.TaskGroup() as group:
        for number in range(_TELLERS):
            group.create_task(tell(number))


async def _at_rest(daemon: ScratchDaemon, client: AsyncClient, agent: str) -> float:
    """Resident megabytes once a few recalls were answered and nothing is being made any more."""
    await wait_indexed(client, agent)
    for query in ("first", "second", "third"):
        await client.recall(f"{query} {_QUERY}", agent=agent, deadline_ms=_LONG_DEADLINE_MS)
    await asyncio.sleep(_SETTLE_SECONDS)
    until = time.monotonic() + _CALM_SECONDS
    spent, last = process.cpu_seconds(daemon.pid), 0.0
    while spent - last > _CALM:
        if time.monotonic() > until:
            raise RuntimeError("the daemon does not come to rest")
        await asyncio.sleep(1.0)
        last, spent = spent, process.cpu_seconds(daemon.pid)
    return process.megabytes(daemon.pid, "VmRSS")


async def measure_idle(bench: Workbench, *, quick: bool) -> list[Figure]:
    """CPU and memory with a full bank, and memory after a very long text."""
    size = 10_000 if quick else 100_000
    name = f"{size:,} memories"
    if not process.available:
        return [Figure(f"idle, {name}", None, "%", not_run=process.NOT_HERE)]
    agent = await bench.filled(size)
    async with bench.daemon() as (daemon, client):
        resident = await _at_rest(daemon, client, agent)
        cpu, began = process.cpu_seconds(daemon.pid), time.perf_counter()
        await asyncio.sleep(5 if quick else 30)
        idle = (process.cpu_seconds(daemon.pid) - cpu) / (time.perf_counter() - began)

        await client.remember(
            role=Role.USER,
            content=Texts(seed=3).long_text(_LONG),
            stream="long",
            agent=agent,
            deadline_ms=60_000,
        )
        await wait_indexed(client, agent, _LONG_SECONDS)
        after = process.megabytes(daemon.pid, "VmRSS")
        peak = process.megabytes(daemon.pid, "VmHWM")
    return [
        Figure(f"idle CPU, of one core, {name}", 100 * idle, "%", 0.1),
        Figure(f"resident when idle, {name}", resident, "MB", 300),
        Figure(f"resident after a text of {_LONG:,} characters, {name}", after, "MB", 450),
        Figure(f"most ever resident, {name}", peak, "MB"),
    ]
