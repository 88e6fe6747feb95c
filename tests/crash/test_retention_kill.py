"""kill -9 in the middle of a sweep: the bank is sound, each memory is whole or gone for good."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from support.bank_room import opened, remembering
from support.clock import Clock, keeping

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.listing import counts
from cognid_daemon.bank.retention import sweep

TESTS = Path(__file__).parent.parent
MEMORIES = 100

# Sweeps at an instant until nothing is due, and says so after each step that is committed.
SWEEPER = """
import asyncio, os, sys
from pathlib import Path
from support.bank_room import opened
from support.clock import Clock, keeping
from cognid_daemon.bank.retention import sweep

async def main(folder, now):
    clock = Clock()
    clock.now = now
    async with opened(Path(folder), create=False, keeping=keeping(clock)) as bank:
        os.write(1, b"open\\n")
        while (await bank.submit(sweep).outcome()).more:
            os.write(1, b"step\\n")

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def _sweep_and_kill(folder: Path, now: int, steps: int, seconds: float) -> None:
    """Kill a sweeper some time after so many steps."""
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEPER, str(folder), str(now)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert process.stdout is not None
    with process.stdout as lines:
        for _ in range(1 + steps):
            lines.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait(10)


async def _look(bank: Bank) -> tuple[int, int]:
    """How many memories have expired and how many are gone; the bank must be sound."""
    assert (await check(bank)).sound
    held = await bank.read(counts)
    gone, texts = await bank.read(
        lambda c: c.execute(
            "SELECT (SELECT count(*) FROM barriers), (SELECT count(*) FROM texts)"
        ).fetchone()
    )
    assert (held.by_kind, held.expired + gone, held.expired) == ({}, MEMORIES, texts)
    return held.expired, gone


async def test_a_kill_in_a_sweep_leaves_every_memory_whole_or_gone(tmp_path: Path) -> None:
    """In marking and in erasing alike, and the next sweep goes on from there."""
    chance = random.Random(7)
    clock = Clock()
    folder = tmp_path / "b"
    async with opened(folder, keeping=keeping(clock)) as bank:
        for number in range(MEMORIES):
            await bank.submit(remembering(f"note {number}", sequence=number)).outcome()
    clock.turn(180)
    for _ in range(3):
        _sweep_and_kill(folder, clock.now, chance.randrange(12), chance.uniform(0, 0.01))
        async with opened(folder, create=False, keeping=keeping(clock)) as bank:
            assert await _look(bank) == (MEMORIES, 0)
    async with opened(folder, create=False, keeping=keeping(clock)) as bank:
        while (await bank.submit(sweep).outcome()).more:
            pass
        clock.turn(30)
        await bank.submit(sweep).outcome()
    clock.turn(1)
    for _ in range(2):
        _sweep_and_kill(folder, clock.now, chance.randrange(2), chance.uniform(0, 0.005))
        async with opened(folder, create=False, keeping=keeping(clock)) as bank:
            await _look(bank)
    async with opened(folder, create=False, keeping=keeping(clock)) as bank:
        while (await bank.submit(sweep).outcome()).more:
            pass
        assert await _look(bank) == (0, MEMORIES)
        assert await bank.erase_now()
