"""One agent cannot see another: not by text, id, cursor, handle, label, or a field that claims it.

Field cases 73, 76, 77 and the promise itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import DaemonProcess, RawConnection, running
from support.talk import Agent, operation, pair

SECRET = "The harbour door code is KITE-77"


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon that the tests of this module share."""
    with running() as started:
        yield started


def test_two_agents_with_the_same_text_and_ids_see_only_their_own(
    connection: RawConnection,
) -> None:
    """73: the same operation id, stream, sequence and text in two banks are two memories."""
    one, two = Agent(connection), Agent(connection)
    same = operation()
    event = {"stream": "s", "sequence": 1, "data": {"role": "user", "content": SECRET}}
    first = one.result("memory.remember", {"event": event, **same})
    second = two.result("memory.remember", {"event": event, **same})
    assert first["outcome"] == second["outcome"] == "committed"
    assert first["memories"] != second["memories"]
    for mine, other in ((first, two), (second, one)):
        memory_id = mine["memories"][0]["memory_id"]
        params = {"view": "get", "handle": other.handle(), "memory_id": memory_id}
        assert other.result("memory.inspect", params)["view"] == "not_found"
        assert [hit["memory_id"] for hit in other.recall(SECRET)["hits"]] != [memory_id]


def test_no_read_of_an_empty_agent_gives_anothers_memory(connection: RawConnection) -> None:
    """73: every read verb as B, after A was told a secret, holds nothing of it."""
    a, b = Agent(connection), Agent(connection)
    a.add(SECRET)
    a.remember(SECRET)
    a.wait_indexed()
    b.wait_indexed()
    answers = [
        b.recall(SECRET),
        b.recall(SECRET, limit=100),
        b.result("memory.search", {"query": SECRET, "pipeline": "lexical"}),
        b.result("memory.search", {"query": SECRET, "pipeline": "vector", "deadline_ms": 9_000}),
        b.result("memory.inspect", {"view": "list", "handle": b.handle()}),
        b.result("bank.status", {"stream": "chat"}),
        b.result("index.status"),
    ]
    for answer in answers:
        assert "KITE-77" not in str(answer)
    assert answers[0]["outcome"] == "no_hits"
    assert answers[4]["total"] == 0
    assert answers[5]["memories"] == 0
    assert answers[5]["frontier"]["received"] is None
    assert answers[6]["indexed"] == 0


def test_a_null_agent_is_a_bank_of_its_own(connection: RawConnection) -> None:
    """73: no agent is no wildcard: it sees no agent's memories, and no agent sees its own."""
    nobody, somebody = Agent(connection, None), Agent(connection)
    somebody.add("The yacht is called Peregrine")
    nobody.add("The cat is called Biscuit")
    assert nobody.lexical("Peregrine") == []
    assert somebody.lexical("Biscuit") == []
    assert nobody.lexical("Biscuit") == ["The cat is called Biscuit"]


def test_the_same_fact_in_two_banks_does_not_fold(connection: RawConnection) -> None:
    """77: folding looks into one bank only; B cannot learn from it that A has the text."""
    a, b = Agent(connection), Agent(connection)
    assert a.add(SECRET)["outcome"] == "committed"
    assert b.add(SECRET)["outcome"] == "committed"


def test_a_cursor_of_one_bank_opens_no_other(connection: RawConnection) -> None:
    """73: a cursor is bound to bank and filters; elsewhere, or made up, it is refused."""
    a, b = Agent(connection), Agent(connection)
    for bank in (a, b):
        for number in range(3):
            bank.add(f"Note number {number}")
    listing = {"view": "list", "limit": 1}
    cursor = a.result("memory.inspect", {**listing, "handle": a.handle()})["cursor"]
    good = a.result("memory.inspect", {**listing, "handle": a.handle(), "cursor": cursor})
    assert good["memories"][0]["text"] == "Note number 1"
    for params in (
        {**listing, "handle": b.handle(), "cursor": cursor},
        {**listing, "handle": b.handle(), "cursor": "AAAA"},
        {**listing, "handle": b.handle(), "cursor": cursor[:-4] + "AAA="},
    ):
        assert b.error("memory.inspect", params)["code"] == "cursor_invalid"
    other_filter = {**listing, "handle": a.handle(), "cursor": cursor, "kinds": ["fact"]}
    assert a.error("memory.inspect", other_filter)["code"] == "cursor_invalid"


def test_a_manager_handle_is_bound_to_bank_and_connection(
    shared_daemon: DaemonProcess, connection: RawConnection
) -> None:
    """73: a handle for A opens neither B nor A on another connection."""
    a, b = Agent(connection), Agent(connection)
    a.add(SECRET)
    handle = a.handle()
    listing = {"view": "list", "handle": handle}
    assert a.result("memory.inspect", listing)["total"] == 1
    assert b.error("memory.inspect", listing)["code"] == "handle_invalid"
    with shared_daemon.connect() as second:
        elsewhere = Agent(second, a.agent)
        assert elsewhere.error("memory.inspect", listing)["code"] == "handle_invalid"
    made_up = {"view": "list", "handle": "mgr_" + "0" * 64}
    assert a.error("memory.inspect", made_up)["code"] == "handle_invalid"


@pytest.mark.parametrize(
    ("owner", "agent", "missing"),
    [("local", "other", "agent"), ("local", None, "agent"), ("mallory", "mine", "owner")],
)
def test_a_request_beyond_the_grant_is_refused(
    shared_daemon: DaemonProcess,
    connection: RawConnection,
    owner: str,
    agent: str | None,
    missing: str,
) -> None:
    """Every operation on a bank that the grant does not name is forbidden, whether it exists."""
    name = f"narrow-{owner}-{agent}"
    credential = pair(connection, name, agents=["mine"])
    Agent(connection, "other").add(SECRET)
    whose = {"owner": owner, "agent": agent}
    event = {"stream": "s", "data": {"role": "user", "content": "hello"}}
    with shared_daemon.connect(credential) as narrow:
        for method, params in (
            ("bank.ensure", {"enabled": True, **operation()}),
            ("bank.status", {}),
            ("memory.remember", {"event": event, **operation()}),
            ("memory.add", {"text": "hello", **operation()}),
            ("memory.recall", {"query": SECRET}),
            ("memory.search", {"query": SECRET, "pipeline": "lexical"}),
            ("configure.open", {}),
            ("memory.inspect", {"view": "list", "handle": "mgr_" + "0" * 64}),
            ("operation.resolve", operation()),
            ("index.status", {}),
        ):
            data = narrow.error(method, {**whose, **params})
            assert data["code"] == "forbidden", method
            assert data["detail"] == f"{missing} is not in the grant", method
            assert data["effect"] == "none"
        assert Agent(narrow, "mine").add(f"mine alone: {name}")["outcome"] == "committed"
        reached = narrow.result("bank.list")["banks"]
        assert [(bank["owner"], bank["agent"]) for bank in reached] == [("local", "mine")]


def test_a_right_that_was_not_granted_is_refused(
    shared_daemon: DaemonProcess, connection: RawConnection
) -> None:
    """A grant to recall alone can neither write, inspect, resolve nor administer."""
    credential = pair(connection, "reader", rights=["recall"])
    Agent(connection, "read-only").add("The kettle is red")
    whose = {"owner": "local", "agent": "read-only"}
    with shared_daemon.connect(credential) as reader:
        found = reader.result("memory.recall", {**whose, "query": "kettle", "deadline_ms": 9_000})
        assert found["hits"][0]["text"] == "The kettle is red"
        for method, params in (
            ("bank.ensure", {**whose, "enabled": True, **operation()}),
            ("memory.add", {**whose, "text": "hello", **operation()}),
            ("configure.open", whose),
            ("operation.resolve", {**whose, **operation()}),
            ("grant.list", {}),
            ("shutdown", {}),
        ):
            assert reader.error(method, params)["code"] == "forbidden", method


@pytest.mark.parametrize(
    "data",
    [
        {"owner_id": "mallory"},
        {"user_id": "mallory"},
        {"user_email": "mallory@example.org"},
        {"agent_id": "other"},
        {"agent": "other"},
        {"session_id": "elsewhere"},
        {"owner": None},
        {"owner": ["local"]},
        {"owner_email": "mallory@example.org"},
        {"agent_owner_email": "mallory@example.org"},
        {"Agent-ID": "other"},
        {"X-Agent-Id": "other"},
        {"x-mallory-user-email": "mallory@example.org"},
    ],
)
def test_a_field_that_claims_another_identity_is_refused(
    connection: RawConnection, data: dict[str, Any]
) -> None:
    """Content that says it belongs to someone else is not taken, and nothing of it is stored."""
    bank = Agent(connection)
    event = {"stream": "s", "data": {"role": "user", "content": "hello", **data}}
    error = bank.error("memory.remember", {"event": event, "session_id": "here", **operation()})
    assert error["code"] == "identity_mismatch"
    assert "mallory" not in str(error)
    assert bank.listed() == []


@pytest.mark.parametrize(
    "label", ["owner:mallory", "agent=other", "user_id: mallory", "SESSION:x", "X-Agent-Id: other"]
)
def test_a_label_that_claims_another_identity_is_refused(
    connection: RawConnection, label: str
) -> None:
    """A label is no way to another bank either, for an event or an assertion."""
    bank = Agent(connection)
    event = {"stream": "s", "data": {"role": "user", "content": "hello"}}
    for method, params in (
        ("memory.remember", {"event": event}),
        ("memory.add", {"text": "hello"}),
    ):
        error = bank.error(method, {**params, "labels": [label], **operation()})
        assert error["code"] == "identity_mismatch"
    assert bank.listed() == []


def test_claims_that_agree_with_the_request_are_taken(connection: RawConnection) -> None:
    """A runtime that repeats the true identity in its content is not refused."""
    bank = Agent(connection)
    data = {"role": "user", "content": "hello", "owner_id": "local", "agent_id": bank.agent}
    data |= {"X-Agent-Id": bank.agent, "x-forwarded-for": "other", "parent_agent": "other"}
    labels = [f"agent:{bank.agent}", "topic:owner", "session"]
    event = {"stream": "s", "data": data}
    made = bank.result("memory.remember", {"event": event, "labels": labels, **operation()})
    assert made["outcome"] == "committed"
    assert bank.listed()[0]["labels"] == labels


def test_an_unknown_bank_is_a_typed_error(connection: RawConnection) -> None:
    """A bank that nobody made is named so, by reads and writes alike, and is not made by them."""
    whose = {"owner": "local", "agent": "never-made"}
    for method, params in (
        ("memory.recall", {"query": "x"}),
        ("memory.add", {"text": "x", **operation()}),
        ("bank.status", {}),
        ("configure.open", {}),
    ):
        assert connection.error(method, {**whose, **params})["code"] == "unknown_bank"
    agents = [bank["agent"] for bank in connection.result("bank.list")["banks"]]
    assert "never-made" not in agents


def test_a_disabled_bank_takes_and_gives_nothing(connection: RawConnection) -> None:
    """A bank made with its switch off: no write, no recall, and nothing said is owed later."""
    off = Agent(connection, enabled=False)
    said = off.remember(SECRET)
    assert (said["outcome"], said["reason"]) == ("no_effect", "disabled")
    added = off.add(SECRET)
    assert (added["outcome"], added["reason"]) == ("no_effect", "disabled")
    assert off.recall(SECRET)["outcome"] == "disabled"
    assert off.listed() == []
