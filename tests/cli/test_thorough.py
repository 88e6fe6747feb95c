"""A thorough recall, end to end: the CLI installs the reranker, the daemon proves and uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command import call_command
from support.daemon import DaemonProcess, running
from support.talk import Agent, id_of

from cognid_models import read_reranker_manifest

QUESTION = "How much does the violin cost?"
ANSWER = "The dealer, an old man from Cremona, let me have the violin for 900 euros."
BESIDE = (
    "How much does it matter to me how the violin sounds.",
    "Much of the violin is of maple.",
    "The cost of the trip is how much we like it.",
)


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test leaves it without a reranker."""
    with running() as daemon:
        yield daemon


@pytest.fixture
def agent(shared: DaemonProcess) -> Iterator[Agent]:
    """An agent whose best hit by words and likeness is not the answer."""
    with shared.connect() as connection:
        agent = Agent(connection)
        for text in (ANSWER, *BESIDE):
            agent.remember(text, session_id="s")
        agent.wait_indexed()
        yield agent
        view = connection.result("status")["reranker"]
        (shared.places.data / "reranker" / view["file"]).unlink(missing_ok=True)


def install(daemon: DaemonProcess, source: Path) -> None:
    """Install it with the CLI."""
    ran = call_command(daemon.environment, "reranker", "install", str(source))
    assert ran.status == 0, ran.errors


def installed(daemon: DaemonProcess) -> Path:
    """Where it lies."""
    return daemon.places.data / "reranker" / read_reranker_manifest().model.file


def thorough(agent: Agent, **fields: Any) -> dict[str, Any]:
    """Ask the question thoroughly."""
    return agent.recall(QUESTION, effort="thorough", **fields)


def order(answer: dict[str, Any]) -> list[str]:
    """The texts of its hits, best first."""
    return [hit["text"] for hit in answer["hits"]]


def test_a_fast_recall_has_it_off(agent: Agent) -> None:
    """It is no part of the answer, which is whole without it."""
    answer = agent.recall(QUESTION)
    assert answer["pipelines"]["reranker"]["state"] == "off"
    assert not answer["partial"]
    assert all(hit["parts"]["reranker"] is None for hit in answer["hits"])


def test_without_it_the_answer_is_the_fast_one(agent: Agent) -> None:
    """The same hits with the same scores, partial, and the reason is named."""
    fast, answer = agent.recall(QUESTION), thorough(agent)
    assert answer["pipelines"]["reranker"] == {
        "state": "failed",
        "code": "reranker_missing",
        "percent": None,
    }
    assert answer["partial"]
    assert answer["hits"] == fast["hits"]


def test_it_is_used_from_the_next_recall_on(
    shared: DaemonProcess, agent: Agent, reranker_source: Path
) -> None:
    """Without a restart; the answer comes first, and each hit says what its word was."""
    assert order(agent.recall(QUESTION))[0] != ANSWER
    install(shared, reranker_source)
    answer = thorough(agent)
    assert answer["pipelines"]["reranker"]["state"] == "ready"
    assert not answer["partial"]
    assert order(answer)[0] == ANSWER
    assert all(0 <= hit["parts"]["reranker"] <= 1 for hit in answer["hits"])
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert agent.connection.result("status")["reranker"]["state"] == "ready"
    ran = call_command(shared.environment, "reranker", "remove")
    assert ran.status == 0
    assert thorough(agent)["pipelines"]["reranker"]["code"] == "reranker_missing"


def test_it_reads_what_one_pipeline_finds_too(
    shared: DaemonProcess, agent: Agent, reranker_source: Path
) -> None:
    """memory.search takes the effort as memory.recall does."""
    install(shared, reranker_source)
    params = {"query": QUESTION, "effort": "thorough", "deadline_ms": 10_000}
    answer = agent.result("memory.search", {**params, "pipeline": "vector"})
    states = {name: one["state"] for name, one in answer["pipelines"].items()}
    assert states == {"lexical": "off", "vector": "ready", "reranker": "ready"}
    assert order(answer)[0] == ANSWER


def test_what_is_literal_stays_first(
    shared: DaemonProcess, agent: Agent, reranker_source: Path
) -> None:
    """A ticket number that stands in one memory is first, whatever the reranker says."""
    wanted = id_of(agent.remember("See COG-48213 in the tracker.", session_id="s"))
    agent.remember("The ticket about sailing says that it was fixed.", session_id="s")
    agent.wait_indexed()
    install(shared, reranker_source)
    answer = agent.recall("What does the ticket COG-48213 say?", effort="thorough")
    assert answer["pipelines"]["reranker"]["state"] == "ready"
    assert answer["hits"][0]["memory_id"] == wanted


def test_a_changed_file_is_refused(shared: DaemonProcess, agent: Agent) -> None:
    """By its hash, before any of it runs; the answer is the fast one, and says so."""
    file = installed(shared)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.write_bytes(b"anything")
    fast, answer = agent.recall(QUESTION), thorough(agent)
    assert answer["pipelines"]["reranker"]["code"] == "reranker_changed"
    assert answer["hits"] == fast["hits"]
    ran = call_command(shared.environment, "reranker", "status")
    assert (ran.status, "reranker_changed" in ran.text) == (1, True)
    assert "Traceback" not in shared.log_text()


def test_a_short_deadline_is_kept(
    shared: DaemonProcess, agent: Agent, reranker_source: Path
) -> None:
    """What was read by then counts, and the answer says that not all was."""
    for number in range(25):
        agent.add(f"Day {number}: what the violin does cost, and " + "much of the rest, " * 9)
    install(shared, reranker_source)
    assert thorough(agent)["pipelines"]["reranker"]["state"] == "ready"
    # By words alone: nobody has to wait for vectors.
    params = {"query": QUESTION, "pipeline": "lexical", "effort": "thorough", "deadline_ms": 150}
    answer = agent.result("memory.search", params)
    assert answer["pipelines"]["reranker"]["state"] == "late"
    assert answer["partial"]
    assert answer["hits"]
    assert answer["took_ms"] < 170


def test_the_cli_says_what_is_missing(shared: DaemonProcess, agent: Agent) -> None:
    """`--thorough` without the part: the hits, and how to install it."""
    arguments = ("recall", QUESTION, "--thorough", "--agent", str(agent.agent))
    ran = call_command(shared.environment, *arguments, "--deadline-ms", "10000")
    assert ran.status == 0
    assert "reranker is not installed: cognid reranker install FILE" in ran.errors


def test_the_cli_refuses_another_file(shared: DaemonProcess, tmp_path: Path) -> None:
    """Nothing is written where the file is not the one that the daemon names."""
    other = tmp_path / "model.onnx"
    other.write_bytes(b"x")
    ran = call_command(shared.environment, "reranker", "install", str(other))
    assert ran.status == 64
    assert read_reranker_manifest().model.sha256 in ran.errors
    assert not installed(shared).exists()
    ran = call_command(shared.environment, "reranker", "status", "--json")
    assert (ran.status, ran.json["state"]) == (1, "absent")
    assert call_command(shared.environment, "reranker", "remove").status == 1


def test_an_installed_one_is_shown(
    shared: DaemonProcess, agent: Agent, reranker_source: Path
) -> None:
    """`reranker status` and `status` name its state."""
    install(shared, reranker_source)
    assert installed(shared).stat().st_mode & 0o777 == 0o600
    assert list(installed(shared).parent.iterdir()) == [installed(shared)]
    ran = call_command(shared.environment, "reranker", "status")
    assert (ran.status, "installed" in ran.text) == (0, True)
    assert "rerank  installed" in call_command(shared.environment, "status").text
