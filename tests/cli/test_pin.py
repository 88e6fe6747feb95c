"""`cognid pin` and `cognid unpin`, and how an expired memory looks to the other verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import Ran, call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

EXPIRED = f"mem_{'e' * 32}"
NOWHERE = f"mem_{'0' * 12}"


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has an agent of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


class Bank:
    """The bank of one agent, by way of the command line."""

    def __init__(self, daemon: DaemonProcess, agent: str) -> None:
        self.agent = agent
        self._environment = daemon.environment

    def run(self, *arguments: str) -> Ran:
        """Run a verb for this agent."""
        return call_command(self._environment, *arguments, "--agent", self.agent)

    def remember(self, text: str, kind: str) -> str:
        """Assert a memory; gives its id."""
        ran = self.run("remember", text, "--kind", kind, "--json")
        memory_id = ran.json["memories"][0]["memory_id"]
        assert isinstance(memory_id, str)
        return memory_id


@pytest.fixture
def bank(shared: DaemonProcess, request: pytest.FixtureRequest) -> Bank:
    """A bank of this test's own."""
    return Bank(shared, request.node.name)


@pytest.fixture
def expired(bank: Bank, tmp_path: Path) -> Bank:
    """A bank with one memory, which has expired."""
    made = "2026-01-01T10:00:00Z"
    record = {
        **{"memory_id": EXPIRED, "origin_id": EXPIRED, "kind": "context", "role": "user"},
        **{"provenance": "explicit", "confidence": 1.0, "created_at": made},
        "revisions": [
            {
                **{"revision": 1, "lifecycle": "expired", "text": "The lift is broken."},
                **{"created_at": made, "ended_at": "2026-01-08T10:00:00Z"},
            }
        ],
    }
    lines = tmp_path / "records.jsonl"
    lines.write_text(json.dumps(record) + "\n", encoding="utf-8")
    ran = bank.run("import", str(lines))
    assert ran.status == 0, ran.errors
    return bank


def test_an_expired_memory_is_listed_as_such(expired: Bank) -> None:
    """`list` leaves it out, `list --lifecycle expired` and `show` have it."""
    assert "lift" not in expired.run("list").text
    assert "The lift is broken." in expired.run("list", "--lifecycle", "expired").text
    shown = expired.run("show", EXPIRED)
    assert shown.status == 0
    assert "revision     1 (expired)" in shown.text


def test_pin_revives_it(expired: Bank) -> None:
    """`pin` says so; then it is listed and recalled, and expires no more."""
    ran = expired.run("pin", EXPIRED)
    assert (ran.status, ran.text) == (0, f"Pinned and current again: {EXPIRED}\n")
    assert "The lift is broken." in expired.run("list").text
    shown = expired.run("show", EXPIRED).text
    assert "pinned       yes" in shown
    assert "expires" not in shown


def test_unpin_lets_the_term_hold(expired: Bank) -> None:
    """A memory that is past its term expires with its pin, and the verb says so."""
    expired.run("pin", EXPIRED)
    ran = expired.run("unpin", EXPIRED)
    assert (ran.status, ran.text) == (0, f"Unpinned: {EXPIRED}\n")
    assert "It is past its term" in ran.errors
    memory_id = expired.remember("The bus is late today.", "context")
    assert expired.run("pin", memory_id).text == f"Pinned: {memory_id}\n"
    assert f"Unpinned: {memory_id}, expires 20" in expired.run("unpin", memory_id).text
    assert "expires      20" in expired.run("show", memory_id).text


def test_pin_says_what_stood_in_the_way(bank: Bank) -> None:
    """Unknown and stale are status 1; what is so already is not."""
    memory_id = bank.remember("The bus is late today.", "fact")
    ran = bank.run("pin", NOWHERE)
    assert (ran.status, "no memory of that id" in ran.errors) == (1, True)
    ran = bank.run("pin", memory_id, "--revision", "2")
    assert (ran.status, "it has changed meanwhile" in ran.errors) == (1, True)
    ran = bank.run("unpin", memory_id)
    assert (ran.status, "it is so already" in ran.errors) == (0, True)


def test_history_tells_a_pin_from_its_end(bank: Bank) -> None:
    """Both are entries of memory.pin; each says which of the two it was."""
    memory_id = bank.remember("The bus is late today.", "fact")
    bank.run("pin", memory_id)
    bank.run("unpin", memory_id)
    pins = [line for line in bank.run("history", memory_id).text.splitlines() if ".pin" in line]
    assert [line.split("current")[1] for line in pins] == [
        ", pinned  by owner",
        ", unpinned  by owner",
    ]


def test_pin_as_json(bank: Bank) -> None:
    """One object: the outcome and how the memory stands."""
    memory_id = bank.remember("The bus is late today.", "context")
    answer = bank.run("pin", memory_id, "--json").json
    assert (answer["outcome"], answer["affected"]) == ("committed", [memory_id])
    assert (answer["pinned"], answer["revived"], answer["lifecycle"]) == (True, False, "current")
    assert "projection" not in answer
