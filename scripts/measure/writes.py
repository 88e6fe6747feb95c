"""Durable writes over the socket against bare commits of the same rows, one client and 32.

Owns: how the two are interleaved, and the shim that slows every fsync. The daemon embeds all the
while. Rounds alternate, and medians are compared, since what else a machine does comes and goes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

from cognid.client import AsyncClient
from cognid.protocol.values import Role
from measure.bare import Operation
from measure.evaluation import wait_indexed
from measure.figures import Figure
from measure.metrics import percentile
from measure.report import ROOT
from measure.scratch import ScratchDaemon, scratch_home
from measure.texts import Texts
from measure.workbench import Workbench

_AGENT: Final = "bench"
_CLIENTS: Final = 32
_DEADLINE_MS: Final = 60_000
_SHIM: Final = ROOT / "tests" / "support" / "slow_fsync.c"
SLOW_MS: Final = 5
_OWN_MS: Final = 2.0


async def measure_writes(*, quick: bool) -> list[Figure]:
    """One client and 32, on this machine's own disk."""
    rounds = 3 if quick else 12
    return await _measure({}, rounds, bars=(2.0, 2.5, None), note="")


async def measure_slow_writes(*, quick: bool) -> list[Figure]:
    """The same where an fsync takes 5 ms, as on a laptop's disk."""
    note = f", fsync {SLOW_MS} ms"
    reason = slow_disk_missing()
    if reason:
        return [Figure(f"writes{note}", None, "x", not_run=reason)]
    with scratch_home() as folder:
        rounds = 2 if quick else 6
        return await _measure(slow_disk(folder), rounds, bars=(1.3, 11.0, 28.0), note=note)


def slow_disk(folder: Path) -> dict[str, str]:
    """The environment of a process whose every fsync takes 5 ms; the shim is compiled there."""
    shim = folder / "slow_fsync.so"
    words = ["cc", "-shared", "-fPIC", "-O2", "-o", str(shim), str(_SHIM), "-ldl"]
    subprocess.run(words, check=True, timeout=60)
    return {"LD_PRELOAD": str(shim), "SLOW_FSYNC_MICROSECONDS": str(SLOW_MS * 1000)}


def slow_disk_missing() -> str | None:
    """Why an fsync cannot be slowed here, or None."""
    if sys.platform != "linux":
        return "the shim is preloaded on Linux only"
    if shutil.which("cc") is None:
        return "no cc"
    return None if _SHIM.exists() else f"no {_SHIM}"


class Bare:
    """The process of bare commits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    async def commit(self, operation: Operation, count: int) -> list[float]:
        """Commit that many; gives the seconds of each."""
        pipes = self._process.stdin, self._process.stdout
        assert pipes[0] is not None and pipes[1] is not None  # noqa: S101 - PIPE was asked for
        pipes[0].write(f"{operation} {count}\n")
        pipes[0].flush()
        line = await asyncio.to_thread(pipes[1].readline)
        took: list[float] = json.loads(line)
        return took


async def measure_write_tail(bench: Workbench, *, quick: bool) -> list[Figure]:
    """The slowest of many writes to a large bank, where index merges would show."""
    size, count = (10_000, 1_000) if quick else (100_000, 5_000)
    agent = await bench.filled(size)
    texts = Texts(seed=7)
    async with bench.daemon() as (_, client):
        await wait_indexed(client, agent)
        await _write(client, "add", texts.turns(50), agent)
        took = await _write(client, "add", texts.turns(count), agent)
    name = f"{count:,} writes to {size:,} memories"
    return [
        Figure(f"memory.add, median, {name}", statistics.median(took) * 1000, "ms"),
        Figure(f"memory.add, p99, {name}", percentile(took, 0.99) * 1000, "ms"),
        Figure(f"memory.add, p99.9, {name}", percentile(took, 0.999) * 1000, "ms", 10.0),
        Figure(f"memory.add, slowest, {name}", max(took) * 1000, "ms"),
    ]


@contextmanager
def bare_commits(folder: Path, extra: Mapping[str, str]) -> Iterator[Bare]:
    """A process that commits bare rows to a bank of its own in that folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "measure.bare", str(folder)],
        cwd=ROOT / "scripts",
        env={**os.environ, **extra},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Bare(process)
    finally:
        process.communicate(timeout=30)


async def _measure(
    extra: Mapping[str, str],
    rounds: int,
    *,
    bars: tuple[float, float, float | None],
    note: str,
) -> list[Figure]:
    """All the figures of one disk. `bars`: write against bare, rate of 32, median group."""
    texts = Texts(seed=1)
    with scratch_home() as home, scratch_home() as folder, bare_commits(folder, extra) as bare:
        daemon = ScratchDaemon(home, extra)
        async with daemon.running() as client, AsyncExitStack() as stack:
            others = [
                await stack.enter_async_context(await daemon.connect()) for _ in range(_CLIENTS - 1)
            ]
            await client.ensure_bank(agent=_AGENT, enabled=True)
            figures = await _one_client(client, bare, texts, rounds, bars[0], note)
            figures += await _many([client, *others], texts, rounds, bars[1:], note)
    return figures


async def _one_client(
    client: AsyncClient, bare: Bare, texts: Texts, rounds: int, bar: float, note: str
) -> list[Figure]:
    figures = []
    operations: tuple[Operation, ...] = ("add", "remember")
    taken: dict[tuple[str, Operation], list[float]] = {}
    for number in range(rounds + 1):
        for operation in operations:
            count = 50 if number else 20  # the first round warms up
            bare_took = await bare.commit(operation, count)
            wire_took = await _write(client, operation, texts.turns(count))
            if number:
                taken.setdefault(("bare", operation), []).extend(bare_took)
                taken.setdefault(("wire", operation), []).extend(wire_took)
    for operation in operations:
        bare_ms = statistics.median(taken["bare", operation]) * 1000
        wire_ms = statistics.median(taken["wire", operation]) * 1000
        wire_p99 = percentile(taken["wire", operation], 0.99) * 1000
        name = f"memory.{operation}"
        figures += [
            Figure(f"bare commit of {name}'s rows, median{note}", bare_ms, "ms"),
            Figure(f"{name}, one client, median{note}", wire_ms, "ms"),
            Figure(f"{name}, one client, p99{note}", wire_p99, "ms"),
        ]
        if operation == "remember" and not note:
            # Its filters and its extraction take time of their own, which no disk makes longer.
            more = wire_ms - 2 * bare_ms
            figures.append(Figure(f"{name} beyond 2 x bare, medians", more, "ms", _OWN_MS))
        else:
            figures.append(Figure(f"{name} / bare, medians{note}", wire_ms / bare_ms, "x", bar))
    return figures


async def _write(
    client: AsyncClient, operation: Operation, texts: Iterator[str], agent: str = _AGENT
) -> list[float]:
    """Write one after another over one connection; the seconds of each until `committed`."""
    took = []
    for text in texts:
        began = time.perf_counter()
        if operation == "add":
            answer = await client.add(text, agent=agent, deadline_ms=_DEADLINE_MS)
        else:
            answer = await client.remember(
                role=Role.USER,
                content=text,
                stream=_AGENT,
                agent=agent,
                deadline_ms=_DEADLINE_MS,
            )
        took.append(time.perf_counter() - began)
        if answer.outcome != "committed":
            raise RuntimeError(f"memory.{operation} answered {answer.outcome}")
    return took


async def _many(
    clients: Sequence[AsyncClient],
    texts: Texts,
    rounds: int,
    bars: tuple[float, float | None],
    note: str,
) -> list[Figure]:
    """The rate of memory.add with one client and with all of them, alternating."""
    alone, together, shares = [], [], []
    groups: dict[int, int] = {}
    for number in range(rounds + 1):
        drawn = list(texts.turns(50))
        began = time.perf_counter()
        await _write(clients[0], "add", iter(drawn))
        rate_alone = len(drawn) / (time.perf_counter() - began)

        before = (await clients[0].status()).group_commits
        each = [list(texts.turns(25)) for _ in clients]
        cpu, began = time.process_time(), time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for client, own in zip(clients, each, strict=True):
                group.create_task(_write(client, "add", iter(own)))
        elapsed = time.perf_counter() - began
        rate_together = sum(map(len, each)) / elapsed
        if number:
            alone.append(rate_alone)
            together.append(rate_together)
            shares.append((time.process_time() - cpu) / elapsed)
            for size, count in (await clients[0].status()).group_commits.items():
                groups[int(size)] = groups.get(int(size), 0) + count - before.get(size, 0)
    ratio = statistics.median(b / a for a, b in zip(alone, together, strict=True))
    least_ratio, least_group = bars
    return [
        Figure(f"memory.add, one client{note}", statistics.median(alone), "/s"),
        Figure(f"memory.add, {len(clients)} clients{note}", statistics.median(together), "/s"),
        Figure(f"{len(clients)} clients / one, rates{note}", ratio, "x", least_ratio, least=True),
        Figure(
            f"median group with {len(clients)} clients{note}",
            statistics.median(size for size, count in groups.items() for _ in range(count)),
            "writes",
            least_group,
            least=True,
        ),
        Figure(
            f"CPU of the {len(clients)} clients' process, of one core{note}",
            100 * statistics.median(shares),
            "%",
        ),
    ]
