"""What was forgotten stays so, round after round, on real daemon processes: after a restart, a
kill -9, a rebuild, a replay, an older bank file put back, an older export imported."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, operation

AGENT = "ada"
TRIALS = ("restart", "kill", "rebuild", "replay", "older file", "older export")
RULES = ("skip", "overwrite", "new_id")
Params = dict[str, Any]


class Rounds:
    """One bank of one daemon; each round says something, forgets it, and tries to get it back.

    Half of the texts are remarks of events, half are facts; each has a word of its own. A few
    memories stay, so that an older file or export has something else to give.
    """

    def __init__(self, daemon: DaemonProcess, keeping: Path) -> None:
        self.daemon = daemon
        self.keeping = keeping
        self.forgotten: dict[str, str] = {}
        self.kept: dict[str, str] = {}
        self.connect()

    def connect(self) -> None:
        """Connect to the daemon that runs now."""
        self.bank = Agent(self.daemon.connect(), AGENT)

    def start_again(self) -> None:
        """Start the daemon, and connect."""
        self.bank.connection.close()
        self.daemon.start()
        self.connect()

    def stop(self) -> None:
        """Stop the daemon in order."""
        self.bank.connection.close()
        assert self.daemon.stop() == 0, self.daemon.log_text()

    @property
    def folder(self) -> Path:
        """The bank's folder."""
        bank_id: str = self.bank.result("bank.status")["bank_id"]
        return self.daemon.places.data / "banks" / bank_id

    def round(self, number: int, trial: str) -> list[str]:
        """Say, forget, try; gives what came back."""
        if number % 5 == 0:
            text = f"The kept lamp {number} is k{number}x"
            self.kept[self.bank.add(text)["memories"][0]["memory_id"]] = text
        folder, older = self.folder, self.keeping / str(number)
        if trial == "older file":
            # The file of a bank that has been closed, as a backup takes it: before it was said or
            # after, in turn.
            if number // len(TRIALS) % 2:
                self._keep(folder, older)
                said = self._say(number)
            else:
                said = self._say(number)
                self._keep(folder, older)
        else:
            said = self._say(number)
        # Its end: with new ids each import would double the whole.
        records = self.bank.exported()[-10:] if trial == "older export" else []
        memory_id, text, method, params, event = said
        forget: Params = {
            "targets": [{"memory_id": memory_id}],
            "confirmed": True,
            **operation(),
        }
        answer = self.bank.result("memory.forget", {"handle": self.bank.handle(), **forget})
        assert (answer["outcome"], answer["affected"]) == ("committed", [memory_id])
        self.forgotten[memory_id] = text
        if trial == "restart":
            self.stop()
            self.start_again()
        elif trial == "kill":
            self.daemon.kill9()
            self.start_again()
        elif trial == "rebuild":
            # The words alone: there is no model here. It goes on beside what follows.
            rebuild = {"pipelines": ["lexical"], **operation()}
            assert self.bank.result("index.rebuild", rebuild)["outcome"] == "committed"
        elif trial == "older file":
            self.stop()
            shutil.rmtree(folder)
            shutil.copytree(older, folder)
            shutil.rmtree(older)
            self.start_again()
        elif trial == "older export":
            rule = RULES[number // len(TRIALS) % len(RULES)]
            asked = {"rule": rule, "records": records, **operation()}
            told = self.bank.result("import", asked)
            assert told["blocked"] == [memory_id]
        # Whatever happened: who has no answer yet sends again, and the event is reported again.
        self.bank.result(method, params)
        if event is not None:
            self.bank.result("memory.remember", {"event": event, **operation()})
        self.bank.result("memory.forget", {"handle": self.bank.handle(), **forget})
        return self.back([(memory_id, text)])

    def _say(self, number: int) -> tuple[str, str, str, Params, Params | None]:
        text = f"The forgotten kettle {number} is f{number}x"
        if number % 4 < 2:
            event: Params = {"stream": "chat", "data": {"role": "user", "content": text}}
            params = {"event": event, **operation()}
            answer = self.bank.result("memory.remember", params)
            memory_id = answer["memories"][0]["memory_id"]
            event = {**event, "sequence": answer["event"]["sequence"]}
            return memory_id, text, "memory.remember", params, event
        params = {"text": text, **operation()}
        memory_id = self.bank.result("memory.add", params)["memories"][0]["memory_id"]
        return memory_id, text, "memory.add", params, None

    def _keep(self, folder: Path, to: Path) -> None:
        self.stop()
        shutil.copytree(folder, to)
        self.start_again()

    def back(self, gone: list[tuple[str, str]]) -> list[str]:
        """Which of these come back on any read path: recall, search, list, get, history, export."""
        listed = self.bank.listed()
        ids = {memory["memory_id"] for memory in listed}
        texts = {memory["text"] for memory in listed}
        for record in self.bank.exported():
            ids |= {record["memory_id"], record["origin_id"]}
            texts |= {revision["text"] for revision in record["revisions"]}
        found: list[str] = []
        for memory_id, text in gone:
            recalled = self.bank.texts(text, limit=100) + self.bank.lexical(text, limit=100)
            if text in texts | set(recalled) or memory_id in ids:
                found.append(memory_id)
            if self.bank.shown(memory_id)["view"] != "forgotten":
                found.append(memory_id)
            history = self.bank.history(memory_id).get("entries", ())
            if any(entry["text"] is not None for entry in history):
                found.append(memory_id)
        lost = self.kept.keys() - ids
        assert not lost, "what was not forgotten is gone"
        return found


def play(daemon: DaemonProcess, keeping: Path, rounds: range) -> Rounds:
    """Play rounds, each trial in turn; fails on the first that comes back."""
    played = Rounds(daemon, keeping)
    for number in rounds:
        trial = TRIALS[number % len(TRIALS)]
        assert played.round(number, trial) == [], f"round {number}, {trial}"
    assert played.back(list(played.forgotten.items())) == []
    assert len(played.forgotten) == len(rounds)
    ledger = played.bank.result("doctor", {"ledger": True})["ledger"]
    assert ledger["broken_at"] is None, ledger
    played.bank.connection.close()
    return played


def play_side_by_side(keeping: Path, rounds: int) -> None:
    """Play half of the rounds each on two daemons, for a start keeps one core busy. They have no
    model, and start a second sooner."""

    def half(numbers: range) -> None:
        with running(settings=WITHOUT_MODEL) as daemon:
            play(daemon, keeping, numbers)

    middle = rounds // 2
    with ThreadPoolExecutor(2) as pool:
        for lane in [pool.submit(half, range(middle)), pool.submit(half, range(middle, rounds))]:
            lane.result()


@pytest.mark.timeout(600)
def test_forgotten_memories_do_not_come_back(tmp_path: Path) -> None:
    """100 forgets, each followed by an attempt to undo it: 0 come back."""
    play_side_by_side(tmp_path, 100)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_forgotten_memories_do_not_come_back(tmp_path: Path) -> None:
    """As many as `FORGET_ROUNDS` says, 2,000 by itself."""
    play_side_by_side(tmp_path, int(os.environ.get("FORGET_ROUNDS", "2000")))
