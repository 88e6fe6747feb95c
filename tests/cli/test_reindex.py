"""`cognid reindex` and index.rebuild: begun once, shown as they go, over and done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.command import call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, operation


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has an agent of its own."""
    with running() as daemon:
        yield daemon


@pytest.fixture
def agent(shared: DaemonProcess) -> Iterator[Agent]:
    """An agent with a few memories that have their vectors."""
    with shared.connect() as connection:
        agent = Agent(connection)
        for number in range(12):
            agent.add(f"The spare key number {number} hangs in the hall")
        agent.wait_indexed()
        yield agent


def generations(agent: Agent) -> list[dict[str, Any]]:
    """The generations of the agent's bank."""
    found = agent.result("index.status")["generations"]
    assert isinstance(found, list)
    return found


def wait_live(agent: Agent, numbers: set[int]) -> None:
    """Wait until generations are live and no other one is left."""
    until = time.monotonic() + 20
    while {(g["generation"], g["state"]) for g in generations(agent)} != {
        (number, "live") for number in numbers
    }:
        assert time.monotonic() < until, generations(agent)
        time.sleep(0.02)


def test_reindex_waits_and_says_how_far_it_is(shared: DaemonProcess, agent: Agent) -> None:
    """The verb ends when all is live; piped, it prints plain lines and nothing that moves."""
    ran = call_command(shared.environment, "reindex", "--agent", str(agent.agent))
    assert ran.status == 0, ran.errors
    assert "\x1b" not in ran.text
    assert "lexical   ready" in ran.text
    assert "vector    ready" in ran.text
    assert "12 with vectors, 0 waiting" in ran.text
    assert all(one["percent"] == 100.0 for one in generations(agent))
    assert len(agent.lexical("spare key")) == len(agent.vector("spare key")) == 8


def test_reindex_without_waiting(shared: DaemonProcess, agent: Agent) -> None:
    """It answers at once with the generation, and `--status` begins nothing."""
    named = ("--agent", str(agent.agent), "--json")
    begun = call_command(shared.environment, "reindex", "--no-wait", "--only", "lexical", *named)
    assert begun.json["outcome"] == "committed"
    assert set(begun.json["generations"]) == {"lexical"}
    last = max(one["generation"] for one in generations(agent))
    report = call_command(shared.environment, "reindex", "--status", "--no-wait", *named).json
    assert report["skipped_rows"] == []
    assert max(one["generation"] for one in generations(agent)) == last
    wait_live(agent, {1, last})


def test_an_operation_id_begins_one_rebuild(agent: Agent) -> None:
    """Sent again it is a replay, with another request a conflict; while one is being built,
    another id is told of the same one."""
    first = operation()
    begun = agent.result("index.rebuild", {"pipelines": ["vector"], **first})
    assert begun["outcome"] == "committed"
    again = agent.result("index.rebuild", {"pipelines": ["vector"], **first})
    assert (again["replayed"], again["generations"]) == (True, begun["generations"])
    other = agent.result("index.rebuild", {"pipelines": ["lexical"], **first})
    assert other["outcome"] == "conflict"
    resolved = agent.result("operation.resolve", first)
    assert resolved["outcome"] == "committed"
    wait_live(agent, {begun["generations"]["vector"]})


def test_without_a_model_only_words_are_rebuilt() -> None:
    """Vectors cannot be made without a model: that is said, and nothing is begun."""
    with running(settings=WITHOUT_MODEL) as daemon, daemon.connect() as connection:
        agent = Agent(connection)
        agent.add("The spare key hangs in the hall")
        answer = agent.result("index.rebuild", operation())
        assert (answer["outcome"], answer["reason"]) == ("no_effect", "model_unavailable")
        assert generations(agent) == []
        begun = agent.result("index.rebuild", {"pipelines": ["lexical"], **operation()})
        wait_live(agent, {begun["generations"]["lexical"]})
        assert agent.lexical("spare key") == ["The spare key hangs in the hall"]


def test_a_rebuild_outlives_kill_9() -> None:
    """What was begun goes on in the next process, and ends with everything in it."""
    with running() as daemon:
        with daemon.connect() as connection:
            agent = Agent(connection, "ada")
            for number in range(60):
                agent.add(f"The spare key number {number} hangs in the hall")
            agent.wait_indexed()
            begun = agent.result("index.rebuild", operation())["generations"]
        daemon.kill9()
        daemon.start()
        with daemon.connect() as connection:
            agent = Agent(connection, "ada")
            wait_live(agent, set(begun.values()))
            agent.wait_indexed()
            assert agent.result("index.status")["indexed"] == 60
            assert len(agent.vector("spare key", limit=60)) == 60
