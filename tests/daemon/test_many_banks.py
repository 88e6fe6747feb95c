"""Very many banks on one daemon, in turn: idle ones are closed, and nothing grows with them."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import remembering
from support.banks_room import AGENT, OWNER, banks_room
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.processor import wait_until_made
from support.talk import Agent

from cognid_daemon import banks as open_banks
from cognid_daemon.bank import erase
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.sweeper import Sweeper
from cognid_daemon.banks import MOST_OPEN

THREADS_A_BANK = 3
FILES_A_BANK = 12
"""Three connections with the file, its WAL and its shared memory, and one for each lock."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")


def counts(daemon: DaemonProcess) -> tuple[int, int, float]:
    """Threads, descriptors, and resident megabytes of the daemon."""
    place = Path(f"/proc/{daemon.pid}")
    status = dict(
        line.split(":", 1) for line in (place / "status").read_text().splitlines() if ":" in line
    )
    resident = int(status["VmRSS"].split()[0]) / 1024
    return int(status["Threads"]), len(list((place / "fd").iterdir())), resident


@linux
@pytest.mark.parametrize("banks", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.timeout(600)
def test_banks_in_turn(banks: int) -> None:
    """Threads, descriptors and memory stay those of the banks that may be open at once."""
    with running(settings=WITHOUT_MODEL) as daemon, daemon.connect() as connection:
        wait_until_made(daemon.pid)  # that takes memory too, once
        agents: list[Agent] = []
        resident = 0.0
        for number in range(banks):
            agent = Agent(connection)
            agent.add(f"The spare key of house {number} hangs in the hall")
            agents.append(agent)
            if number == banks // 2:
                _, _, resident = counts(daemon)
        for agent in (agents[0], agents[banks // 2], agents[-1]):
            (text,) = agent.lexical("spare key")
            assert text.startswith("The spare key of house")
        until = time.monotonic() + 20
        while connection.result("status")["banks_open"] > MOST_OPEN:
            assert time.monotonic() < until
            time.sleep(0.05)
        threads, descriptors, now = counts(daemon)
        assert threads < THREADS_A_BANK * (MOST_OPEN + 8) + 20
        assert descriptors < FILES_A_BANK * (MOST_OPEN + 8) + 50
        # A closed bank leaves its record in the catalog, a few kilobytes.
        assert now < resident + 20 + banks * 0.02
        assert connection.result("status")["banks"] == banks


async def test_a_bank_that_was_only_just_opened_is_not_handed_out_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are in use, and one of their calls ends between the opening and its caller."""
    monkeypatch.setattr(open_banks, "MOST_OPEN", 1)
    start = Sweeper.start
    async with banks_room(tmp_path) as room:
        await room.banks.ensure(OWNER, "eva", enabled=True)
        async with room.banks.lease(OWNER, AGENT):
            ending = room.banks.lease_now(OWNER, AGENT)
            assert ending is not None

            def last_step(sweeper: Sweeper, *erased: Any) -> None:
                start(sweeper, *erased)
                monkeypatch.undo()
                monkeypatch.setattr(open_banks, "MOST_OPEN", 1)
                asyncio.get_running_loop().call_soon(room.banks.release, ending)

            monkeypatch.setattr(Sweeper, "start", last_step)
            async with room.banks.lease(OWNER, "eva") as lease:
                await asyncio.sleep(0.3)
                await lease.bank.submit(remembering("said", sequence=1)).outcome()


async def test_an_idle_bank_is_closed_after_it_has_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something was forgotten in it, and others are asked for from then on: its bytes are erased
    within the time that was promised, though nobody opens it again."""
    monkeypatch.setattr(open_banks, "MOST_OPEN", 1)
    monkeypatch.setattr(erase, "IDLE_SECONDS", 0.2)
    async with banks_room(tmp_path) as room:
        await room.banks.ensure(OWNER, "eva", enabled=True)
        stored = await room.add("The lamp code is amber-sky.", 1)
        bank_file = room.bank_file
        assert not await room.forget(stored.memory_id)

        async def asked() -> list[str]:
            async with room.banks.lease(OWNER, "eva") as lease:
                await lease.bank.read(lambda connection: None)
            return [held.bank.bank_id for held in room.banks.open_banks()]

        async with asyncio.timeout(10):
            while bank_file.parent.name in await asked():  # noqa: ASYNC110 # told to nobody
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)  # it is being closed
        key = room.catalog.bank_key(bank_file.parent.name)
        file = await Database.open(bank_file, key)
        try:
            assert await file.run(erase.owed) == 0
        finally:
            await file.close()
