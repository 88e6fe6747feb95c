"""kill -9 in the middle of forgetting: nothing acknowledged as forgotten comes back, whatever bank
file is put back afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from support.banks_room import AGENT, OWNER, banks_room

from cognid_daemon.bank.check import check
from cognid_daemon.bank.view import View

TESTS = Path(__file__).parent.parent
ROUNDS = 6

# Adds and forgets, and says each memory that was acknowledged as forgotten, and each that stays.
FORGETTER = """
import asyncio, os, sys
from pathlib import Path
from support.banks_room import banks_room

async def main(data, start):
    async with banks_room(Path(data)) as room:
        for sequence in range(start, start + 100_000, 2):
            gone = await room.add(f"gone {sequence}", sequence)
            kept = await room.add(f"kept {sequence}", sequence + 1)
            os.write(1, f"kept {kept.memory_id}\\n".encode())
            await room.forget(gone.memory_id)
            os.write(1, f"gone {gone.memory_id}\\n".encode())

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


# Each round starts a Python process, so this takes a few seconds.
async def test_no_acknowledged_forget_is_undone(tmp_path: Path) -> None:
    """After each kill -9 what was forgotten is gone, what was kept is there; every second time a
    bank file of an earlier round is put back first, and what was forgotten stays gone."""
    chance = random.Random(20_261)
    data = tmp_path / "data"
    gone: set[str] = set()
    kept: set[str] = set()
    older: Path | None = None
    async with banks_room(data) as room:
        bank_file = room.bank_file
    for turn in range(ROUNDS):
        process = subprocess.Popen(  # noqa: ASYNC220 # killed at a time of the test's choosing
            [sys.executable, "-c", FORGETTER, str(data), str(1 + turn * 200_000)],
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
            },
        )
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        await asyncio.sleep(chance.uniform(0.05, 0.3))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines(keepends=True)
        process.wait(10)
        process.stdout.close()
        said = [line.decode().split() for line in lines if line.endswith(b"\n")]
        gone |= {memory_id for what, memory_id in said if what == "gone"}
        kept |= {memory_id for what, memory_id in said if what == "kept"}
        puts_back = turn % 2 == 1
        if puts_back and older is not None:
            for name in bank_file.parent.iterdir():
                name.unlink()
            shutil.copy(older, bank_file)
        async with banks_room(data) as room, room.banks.lease(OWNER, AGENT) as lease:
            # A process that was killed before its first forget left nothing to be rolled back.
            forgot = any(what == "gone" for what, _ in said)
            assert lease.rolled_back or not (puts_back and forgot)
            assert puts_back or not lease.rolled_back
            rows = await lease.bank.read(
                lambda c: c.execute("SELECT memory_id FROM memories").fetchall()
            )
            there = {row[0] for row in rows}
            assert not there & gone
            if not puts_back:
                assert kept <= there
            kept &= there
            barriers = await lease.bank.read(lambda c: View(c).barriers())
            assert gone <= {one.memory_id for one in barriers}
            assert (await check(lease.bank)).sound
            await lease.bank.eraser.scrub()
            older = tmp_path / f"older-{turn}.db"
            shutil.copy(bank_file, older)
    assert len(gone) >= ROUNDS
