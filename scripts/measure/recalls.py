"""Recall over the socket against embedding the query alone, on one thread, at growing banks.

Owns: how the two are interleaved: blocks of distinct queries, the same ones on either side.
"""

from __future__ import annotations

import statistics
import time
from typing import Final

from cognid.protocol.recall import Hits, NoHits
from cognid_models import load
from measure.evaluation import wait_indexed
from measure.figures import Figure
from measure.metrics import percentile
from measure.texts import Texts
from measure.workbench import Workbench

SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
_BARS: Final = {10_000: 1.4, 100_000: 1.8, 1_000_000: 4.0}
_P95_BARS: Final = {100_000: 1.6, 1_000_000: 5.0}
_BLOCK: Final = 10
_DEADLINE_MS: Final = 5_000


async def measure_recalls(bench: Workbench, *, quick: bool) -> list[Figure]:
    """Medians, p95 and p99 from 1k to 1M memories (quick: up to 10k)."""
    embedder = load()
    figures = []
    for size in SIZES[:2] if quick else SIZES:
        agent = await bench.filled(size)
        told = Texts(seed=size)
        alone: list[float] = []
        asked: list[float] = []
        incomplete = 0
        async with bench.daemon() as (_, client):
            await wait_indexed(client, agent)
            for number in range((10 if quick else 30) + 2):
                block = [told.about(told.turn()) for _ in range(_BLOCK)]
                for query in block:
                    began = time.perf_counter()
                    embedder.embed_query(query)
                    alone.append(time.perf_counter() - began)
                for query in block:
                    began = time.perf_counter()
                    answer = await client.recall(query, agent=agent, deadline_ms=_DEADLINE_MS)
                    asked.append(time.perf_counter() - began)
                    incomplete += not isinstance(answer, Hits | NoHits) or answer.partial
                if number == 1:  # two blocks warm up
                    alone.clear()
                    asked.clear()
        if incomplete:
            raise RuntimeError(f"{incomplete} recalls of {size} were not complete")
        embed_ms, recall_ms = statistics.median(alone) * 1000, statistics.median(asked) * 1000
        name = f"{size:,} memories"
        figures += [
            Figure(f"embedding the query alone, median, beside {name}", embed_ms, "ms"),
            Figure(f"memory.recall, median, {name}", recall_ms, "ms"),
            Figure(f"memory.recall, p99, {name}", percentile(asked, 0.99) * 1000, "ms"),
            Figure(
                f"recall / embedding, medians, {name}",
                recall_ms / embed_ms,
                "x",
                _BARS.get(size),
            ),
            Figure(
                f"recall / embedding, p95 of each, {name}",
                percentile(asked, 0.95) / percentile(alone, 0.95),
                "x",
                _P95_BARS.get(size),
            ),
        ]
    return figures
