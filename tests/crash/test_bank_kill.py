"""kill -9 in the middle of writing, and of a migration: no acknowledged write is lost."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.bank_room import BANK_ID, KEY, opened

from cognid_daemon.bank import schema
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.migrate import Step

TESTS = Path(__file__).parent.parent
ROUNDS = 10

# Writes with four writers and says each acknowledged text, once it was acknowledged, on its output.
WRITER = """
import asyncio, os, sys
from pathlib import Path
from support.bank_room import opened, remembering

async def main(folder, create, start):
    async with opened(Path(folder), create=create) as bank:
        sequence = start
        async def client():
            nonlocal sequence
            while True:
                sequence += 1
                text = f"text {sequence}"
                await bank.submit(remembering(text, sequence=sequence)).outcome()
                os.write(1, f"{text}\\n".encode())
        async with asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(client())

asyncio.run(main(sys.argv[1], sys.argv[2] == "create", int(sys.argv[3])))
"""


def _start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


# Each round starts a Python process, so this takes a few seconds.
async def test_no_acknowledged_write_is_lost(tmp_path: Path) -> None:
    """After each kill -9 every acknowledged write is there, and the bank passes its check."""
    chance = random.Random(20_241)
    folder = tmp_path / "b"
    acknowledged: set[str] = set()
    for turn in range(ROUNDS):
        process = _start(WRITER, str(folder), "create" if turn == 0 else "-", str(turn * 100_000))
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        await asyncio.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines(keepends=True)
        process.wait(10)
        process.stdout.close()
        acknowledged |= {line.decode().strip() for line in lines if line.endswith(b"\n")}
        async with opened(folder, create=False) as bank:
            rows = await bank.read(lambda c: c.execute("SELECT text FROM texts").fetchall())
            assert acknowledged <= {row[0] for row in rows}
            assert (await check(bank)).sound
    assert len(acknowledged) >= ROUNDS


_NEXT = (*schema.STEPS, Step(2, ("CREATE TABLE later(a)", "SELECT stop()")))
MIGRATION = """
import asyncio, os, signal, sys
from pathlib import Path
from cognid_daemon.bank import bank, schema
from cognid_daemon.bank.migrate import Step
from support.bank_room import BANK_ID, KEY

STEPS = (*schema.STEPS, Step(2, ("CREATE TABLE later(a)", "SELECT stop()")))

def stop():
    os.kill(os.getpid(), signal.SIGKILL)

prepare = bank._prepare
def with_stop(connection):
    prepare(connection)
    connection.create_function("stop", 0, stop)
bank._prepare = with_stop
asyncio.run(bank.Bank.open(Path(sys.argv[1]), BANK_ID, KEY, create=False, steps=STEPS))
"""


async def test_a_kill_inside_a_migration_is_resumed(tmp_path: Path) -> None:
    """A kill in the middle of a step leaves the old schema; the older build and the newer go on."""
    folder = tmp_path / "b"
    async with opened(folder):
        pass
    process = _start(MIGRATION, str(folder))
    assert process.wait(20) == -signal.SIGKILL
    assert process.stdout is not None
    process.stdout.close()
    assert (folder / "bank.db.before-migration").exists()
    async with opened(folder, create=False) as bank:
        assert (await check(bank)).sound
    done = (*schema.STEPS, Step(2, ("CREATE TABLE later(a)",)))
    bank = await Bank.open(folder, BANK_ID, KEY, create=False, steps=done)
    assert await bank.read(lambda c: c.execute("PRAGMA user_version").fetchone()) == (2,)
    await bank.close()


@pytest.mark.parametrize("step", ["make_empty", "migrate.migrate"])
async def test_a_half_made_bank_is_not_taken_for_an_empty_one(tmp_path: Path, step: str) -> None:
    """A bank whose making was killed is damaged, and never opens as one without memories."""
    program = f"""
import asyncio, os, signal, sys
from pathlib import Path
from cognid_daemon.bank import bank, files, migrate
from support.bank_room import BANK_ID, KEY
real = files.make_empty
def after(path):
    real(path)
    os.kill(os.getpid(), signal.SIGKILL)
def instead(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if "{step}" == "make_empty":
    files.make_empty = after
else:
    migrate.migrate = instead
asyncio.run(bank.Bank.open(Path(sys.argv[1]), BANK_ID, KEY, create=True))
"""
    process = _start(program, str(tmp_path / "b"))
    assert process.wait(20) == -signal.SIGKILL
    assert process.stdout is not None
    process.stdout.close()
    with pytest.raises(Exception, match="bank_damaged"):
        await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False)
