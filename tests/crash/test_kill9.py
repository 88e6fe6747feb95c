"""Acknowledged means durable: kill -9 under four writers, round after round (field case 48)."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.daemon import ClosedError, DaemonProcess, running
from support.talk import Agent, operation

from cognid.protocol.ids import new_operation_id

ROUNDS = 100
LANES = 2
"""Daemons that are killed side by side, each in its own home: a start keeps one core busy."""
WRITERS = 4
AGENTS = ("one", "two")


class _Writer(threading.Thread):
    """Writes to one agent until its daemon dies; `acked` holds what was answered as committed."""

    def __init__(self, daemon: DaemonProcess, agent: str, name: str) -> None:
        super().__init__(name=name)
        self._daemon = daemon
        self._agent = agent
        self.acked: dict[str, tuple[str, str]] = {}
        self.fault: Exception | None = None

    def run(self) -> None:
        """Alternate assertions and events; remember each memory id that was acknowledged."""
        number = 0
        try:
            with self._daemon.connect() as connection:
                while True:
                    number += 1
                    text = f"{self.name} says {number}"
                    params: dict[str, Any] = {"agent": self._agent, **operation()}
                    if number % 2:
                        method, params = "memory.add", {**params, "text": text}
                    else:
                        event = {"stream": self.name, "data": {"role": "user", "content": text}}
                        method, params = "memory.remember", {**params, "event": event}
                    answer = connection.result(method, params)
                    self.acked[answer["memories"][0]["memory_id"]] = (self._agent, text)
        except (OSError, ClosedError):
            return  # the daemon was killed
        except Exception as error:  # shown by the test
            self.fault = error


@pytest.mark.timeout(300)
def test_kill_9_loses_no_acknowledged_write() -> None:
    """After 100 kills every acknowledged memory is there with its text, and the banks pass."""
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(kill, ROUNDS // LANES, seed) for seed in range(LANES)]
        for lane in lanes:
            lane.result()


def kill(rounds: int, seed: int) -> None:
    """Kill one daemon so often, and look for what it acknowledged."""
    with running() as daemon:
        kill_and_look(daemon, rounds, random.Random(seed))


def kill_and_look(daemon: DaemonProcess, rounds: int, rng: random.Random) -> None:
    """As often as `rounds` says, under writers; then every acknowledged memory is there."""
    acked: dict[str, tuple[str, str]] = {}
    with daemon.connect() as connection:
        for agent in AGENTS:
            Agent(connection, agent)
    for number in range(rounds):
        writers = [
            _Writer(daemon, AGENTS[i % len(AGENTS)], f"round-{number}-writer-{i}")
            for i in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        until = time.monotonic() + 5.0
        # In each fifth round an assertion and a turn, whose first one takes half a second.
        least = 1 if number % 5 else 2
        while not all(len(one.acked) >= least for one in writers) and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.05))
        daemon.kill9()
        for writer in writers:
            writer.join()
            assert writer.fault is None
            acked.update(writer.acked)
        daemon.start()
    assert len(acked) > rounds * WRITERS, "the writers wrote next to nothing"
    with daemon.connect() as connection:
        for agent in AGENTS:
            bank = Agent(connection, agent)
            there = {memory["memory_id"]: memory["text"] for memory in bank.listed()}
            mine = {i: text for i, (whose, text) in acked.items() if whose == agent}
            lost = {i for i, text in mine.items() if there.get(i) != text}
            assert not lost
            assert len(set(there.values())) == len(there), "a write happened twice"
        assert connection.result("status")["health"] == "green"
    daemon.stop()
    daemon_check(daemon)


def daemon_check(daemon: DaemonProcess) -> None:
    """Run the deep check of every bank of a stopped daemon."""
    import asyncio
    import os

    from cognid_daemon.bank.bank import Bank
    from cognid_daemon.bank.check import check
    from cognid_daemon.catalog import Catalog
    from cognid_daemon.master_key import find_master_key

    async def run() -> None:
        master = find_master_key(daemon.places.configuration, os.environ, data_exists=True)
        catalog = await Catalog.open(daemon.places.data, master.key)
        for record in catalog.banks():
            key = catalog.bank_key(record.bank_id)
            bank = await Bank.open(
                catalog.folder(record.bank_id), record.bank_id, key, create=False
            )
            report = await check(bank)
            assert report.sound, report
            await bank.close()
        await catalog.close()

    asyncio.run(run())


def test_a_write_whose_answer_was_lost_is_settled_after_a_kill(daemon: DaemonProcess) -> None:
    """The daemon is killed with writes in flight: resolve tells committed, or seals for good."""
    fates: set[str] = set()
    for number in range(8):
        sent: list[str] = []
        with daemon.connect() as connection:
            bank = Agent(connection, "a")
            for i in range(40):
                operation_id = new_operation_id()
                sent.append(operation_id)
                connection.send(
                    "memory.add",
                    {**bank.whose, "text": f"{number} {i}", "operation_id": operation_id},
                )
            time.sleep(0.003 * number)
            daemon.kill9()
        daemon.start()
        with daemon.connect() as connection:
            bank = Agent(connection, "a")
            for operation_id in sent:
                told = bank.result("operation.resolve", {"operation_id": operation_id})
                fates.add(told["outcome"])
                if told["outcome"] == "committed":
                    memory_id = told["stored"]["memories"][0]["memory_id"]
                    shown = bank.result(
                        "memory.inspect",
                        {"view": "get", "handle": bank.handle(), "memory_id": memory_id},
                    )
                    assert shown["view"] == "get"
                else:
                    params = {"text": "late", "operation_id": operation_id}
                    assert bank.error("memory.add", params)["code"] == "operation_sealed"
    assert "committed" in fates or "sealed" in fates
