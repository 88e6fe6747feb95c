"""memory.inspect's view `recent`: what changed and what was recalled, and who may know it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, id_of, pair

from cognid.protocol.bounds import RECENT_RECALLS

QUERY = "zebra lighthouse"


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module, without a model."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


def _recent(agent: Agent, limit: int = 100) -> dict[str, list[dict[str, object]]]:
    params = {"view": "recent", "handle": agent.handle(), "limit": limit}
    return agent.result("memory.inspect", params)


def test_a_recall_is_known_by_ids_alone(shared: DaemonProcess) -> None:
    """Ids, session, pipelines and by whom are told; neither the query nor a text is, nor logged."""
    with shared.connect() as connection:
        agent = Agent(connection)
        memory_id = id_of(agent.add("The lighthouse is white."))
        agent.recall(QUERY, session_id="monday")
        told = _recent(agent)
    (recall,) = told["recalls"]
    assert recall["memory_ids"] == [memory_id]
    assert (recall["outcome"], recall["session_id"]) == ("hits", "monday")
    assert recall["authority_name"] == "owner"
    assert [one["operation"] for one in told["changes"]] == ["memory.add"]
    assert "lighthouse" not in json.dumps(told)
    assert "lighthouse" not in shared.log_text()


def test_another_agent_learns_nothing_of_it(shared: DaemonProcess) -> None:
    """What one bank was asked is told of that bank alone, and only to who may configure."""
    with shared.connect() as connection:
        one, other = Agent(connection), Agent(connection)
        one.add("The lighthouse is white.")
        one.recall(QUERY)
        assert _recent(other) | {"changes": [], "recalls": []} == _recent(other)
        credential = pair(connection, f"reader of {one.agent}", rights=["recall"])
        with shared.connect(credential) as reader:
            params = {"view": "recent", "handle": f"mgr_{'0' * 64}", **one.whose}
            assert reader.error("memory.inspect", params)["code"] == "forbidden"


def test_a_wipe_ends_what_was_known(shared: DaemonProcess) -> None:
    """The recalls of an epoch that is over are not told any more."""
    with shared.connect() as connection:
        agent = Agent(connection)
        agent.add("The lighthouse is white.")
        agent.recall(QUERY)
        agent.delete_all()
        assert _recent(agent)["recalls"] == []


def test_only_the_last_are_kept(shared: DaemonProcess) -> None:
    """A hundred are kept of all banks together, the newest first; the oldest make room."""
    with shared.connect() as connection:
        first, agent = Agent(connection), Agent(connection)
        first.recall(QUERY)
        for number in range(RECENT_RECALLS):
            agent.result("memory.recall", {"query": QUERY, "session_id": f"s{number}"})
        recalls = _recent(agent)["recalls"]
        assert [one["session_id"] for one in recalls[:2]] == ["s99", "s98"]
        assert len(recalls) == RECENT_RECALLS
        assert _recent(first)["recalls"] == []


def test_a_disabled_bank_and_a_context_are_noted_too(shared: DaemonProcess) -> None:
    """What is answered while it is off is told as such; a context tells its memories."""
    with shared.connect() as connection:
        agent = Agent(connection)
        memory_id = id_of(agent.add("The lighthouse is white.", kind="preference"))
        agent.result("context.assemble", {"deadline_ms": 10_000})
        assert [one["memory_ids"] for one in _recent(agent)["recalls"]] == [[memory_id]]
        agent.set_enabled(False)
        agent.recall(QUERY)
        assert [one["outcome"] for one in _recent(agent)["recalls"]] == ["disabled"]
