"""Forgetting one memory among many against bare commits, and a page of the listing.

Owns: what is timed: from the call to `committed`, with the catalog's part and the truncated WAL.
"""

from __future__ import annotations

import statistics
import time
from typing import Final

from cognid.client import AsyncClient
from cognid.client.arguments import FilterWords
from cognid.protocol.configure import Page
from cognid.protocol.values import Kind, Lifecycle, Provenance
from measure.figures import Figure
from measure.metrics import percentile
from measure.scratch import scratch_home
from measure.workbench import Workbench
from measure.writes import SLOW_MS, bare_commits, slow_disk, slow_disk_missing

_ROUND: Final = 5
_DEADLINE_MS: Final = 60_000


async def measure_forgets(bench: Workbench, *, quick: bool) -> list[Figure]:
    """On this machine's own disk, and where an fsync takes 5 ms."""
    size = 10_000 if quick else 100_000
    rounds = 4 if quick else 12
    agent = await bench.filled(size)
    figures = await _measure(bench, agent, {}, rounds, 10.0, f", {size:,} memories")
    note = f", fsync {SLOW_MS} ms"
    reason = slow_disk_missing()
    if reason:
        return [*figures, Figure(f"forget{note}", None, "x", not_run=reason)]
    with scratch_home() as folder:
        return figures + await _measure(bench, agent, slow_disk(folder), rounds, 7.0, note)


async def _measure(
    bench: Workbench, agent: str, extra: dict[str, str], rounds: int, bar: float, note: str
) -> list[Figure]:
    bare: list[float] = []
    wire: list[float] = []
    with scratch_home() as folder, bare_commits(folder, extra) as commits:
        async with bench.daemon(extra) as (_, client):
            handle = (await client.open_configure(agent=agent)).handle
            pages = await _pages(client, agent, handle)
            filtered = await _filtered_pages(client, agent, handle)
            for number in range(rounds + 1):  # the first round warms up
                page = await client.inspect_list(handle, agent=agent, limit=_ROUND)
                ids = [memory.memory_id for memory in page.memories]
                took = await commits.commit("add", _ROUND)
                forgot = await _forget(client, agent, handle, ids)
                if number:
                    bare += took
                    wire += forgot
    bare_ms, wire_ms = statistics.median(bare) * 1000, statistics.median(wire) * 1000
    return [
        Figure(f"memory.inspect, a page of 20, median{note}", statistics.median(pages), "ms", 10.0),
        Figure(f"the slowest of six filters, median{note}", max(filtered), "ms", 10.0),
        Figure(f"bare commit of memory.add's rows, median{note}", bare_ms, "ms"),
        Figure(f"memory.forget of one, median{note}", wire_ms, "ms"),
        Figure(f"memory.forget of one, p95{note}", percentile(wire, 0.95) * 1000, "ms"),
        Figure(f"forget / bare, medians{note}", wire_ms / bare_ms, "x", bar),
    ]


async def _pages(client: AsyncClient, agent: str, handle: str) -> list[float]:
    """The milliseconds of twenty pages, one after the other."""
    took, cursor = [], None
    for _ in range(20):
        began = time.perf_counter()
        page = await client.inspect_list(handle, agent=agent, limit=20, cursor=cursor)
        took.append((time.perf_counter() - began) * 1000)
        assert isinstance(page, Page)  # noqa: S101 - the type of the answer
        cursor = page.cursor
    return took


async def _filtered_pages(client: AsyncClient, agent: str, handle: str) -> list[float]:
    """The median milliseconds of a page and its total, for filters that let much and little
    through."""
    middle = await client.inspect_list(handle, agent=agent, limit=100)
    since = middle.memories[-1].created_at
    medians = []
    for filters in (
        FilterWords(kinds=[Kind.REMARK]),
        FilterWords(kinds=[Kind.PREFERENCE]),
        FilterWords(provenances=[Provenance.EXPLICIT]),
        FilterWords(lifecycles=[Lifecycle.SUPERSEDED]),
        FilterWords(since=since),
        FilterWords(until=since),
    ):
        took = []
        for _ in range(7):
            began = time.perf_counter()
            await client.inspect_list(handle, agent=agent, limit=20, **filters)
            took.append((time.perf_counter() - began) * 1000)
        medians.append(statistics.median(took))
    return medians


async def _forget(client: AsyncClient, agent: str, handle: str, ids: list[str]) -> list[float]:
    took = []
    for memory_id in ids:
        began = time.perf_counter()
        answer = await client.forget(
            handle, [memory_id], confirmed=True, agent=agent, deadline_ms=_DEADLINE_MS
        )
        took.append(time.perf_counter() - began)
        if answer.outcome != "committed":
            raise RuntimeError(f"memory.forget answered {answer.outcome}")
    return took
