"""Intake over a real daemon: what an event, an assertion and an operation id come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import DaemonProcess, RawConnection, running
from support.talk import Agent, operation

from cognid.protocol.canonical import event_hash
from cognid.protocol.ids import new_operation_id


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """A daemon that the tests of this module share."""
    with running() as started:
        yield started


def _event(sequence: int | None = None, content: str = "hello", **fields: Any) -> dict[str, Any]:
    event: dict[str, Any] = {"stream": "s", "data": {"role": "user", "content": content}, **fields}
    if sequence is not None:
        event["sequence"] = sequence
    return {"event": event, **operation()}


def test_a_turn_becomes_a_remark_with_its_source(bank: Agent) -> None:
    """Role, speaker, time, session, stream, sequence and hash stand beside the very text."""
    data = {"role": "user", "content": "  I moved to Porto. ", "speaker": "Ines", "turn_id": "t9"}
    event = {
        "stream": "conv-1",
        "sequence": 7,
        "type": "user_message",
        "data": data,
        "occurred_at": "2026-05-01T10:00:00+05:30",
        "hash": event_hash("conv-1", 7, "user_message", data),
    }
    fingerprint = "ab" * 32
    made = bank.result(
        "memory.remember",
        {
            "event": event,
            "session_id": "monday",
            "labels": ["travel"],
            "policy_fingerprint": fingerprint,
            **operation(),
        },
    )
    assert made["outcome"] == "committed"
    assert made["event"] == {"stream": "conv-1", "sequence": 7}
    memory = bank.listed(kinds=["remark"])[0]
    assert memory["memory_id"] == made["memories"][0]["memory_id"]
    expected = {
        "kind": "remark",
        "role": "user",
        "speaker": "Ines",
        "text": "  I moved to Porto. ",
        "lifecycle": "current",
        "provenance": "explicit",
        "session_id": "monday",
        "labels": ["travel"],
        "event_time": "2026-05-01T04:30:00.000000Z",
        "source": {
            "event": {
                "stream": "conv-1",
                "sequence": 7,
                "type": "user_message",
                "hash": event["hash"],
                "occurred_at": "2026-05-01T04:30:00.000000Z",
            },
            "span": [0, 20],
            "sources": [],
            "extractor": "turn",
            "policy_fingerprint": fingerprint,
        },
    }
    assert {key: memory[key] for key in expected} == expected


def test_what_the_assistant_said_is_not_explicit(bank: Agent) -> None:
    """Both speakers' turns are kept; only the user's are the user's word."""
    bank.remember("You seem to like tea", role="assistant")
    memory = bank.listed()[0]
    assert (memory["role"], memory["provenance"]) == ("assistant", "inferred")


def test_a_turn_of_a_role_that_is_not_kept_is_rejected(bank: Agent) -> None:
    """By default only the user's and the assistant's turns are kept; the event is acknowledged,
    its text goes nowhere, and a replay is told the same."""
    event = {"stream": "s", "sequence": 1, "data": {"role": "system", "content": "Be brief"}}
    for _ in range(2):
        said = bank.result("memory.remember", {"event": event, **operation()})
        assert (said["outcome"], said["rules"]) == ("rejected", ["role_not_kept"])
        assert said["event"] == {"stream": "s", "sequence": 1}
    assert bank.listed() == []
    after = {"stream": "s", "sequence": 2, "after": 1, "data": {"role": "user", "content": "Hi"}}
    said = bank.result("memory.remember", {"event": after, **operation()})
    assert said["outcome"] == "committed"


def test_the_same_operation_again_replays_its_outcome(bank: Agent) -> None:
    """An exact repeat adds nothing and answers as before; only `replayed` tells it apart."""
    for method, params in (
        ("memory.remember", _event(1)),
        ("memory.add", {"text": "The cat is called Biscuit", **operation()}),
    ):
        first = bank.result(method, params)
        again = bank.result(method, {**params, "deadline_ms": 9_000})
        assert again == {**first, "replayed": True}
    assert len(bank.listed()) == 2


def test_an_operation_id_with_another_request_is_a_conflict(bank: Agent) -> None:
    """An id stands for one request only; the second one changes nothing."""
    params = {"text": "first", **operation()}
    assert bank.result("memory.add", params)["outcome"] == "committed"
    clash = bank.result("memory.add", {**params, "text": "second"})
    assert (clash["outcome"], clash["reason"]) == ("conflict", "operation_reused")
    assert [memory["text"] for memory in bank.listed()] == ["first"]


def test_a_known_event_under_a_new_operation_is_a_duplicate(bank: Agent) -> None:
    """The same stream, sequence and content again names the memory that is there."""
    first = bank.result("memory.remember", _event(1))
    again = bank.result("memory.remember", _event(1))
    assert again["outcome"] == "duplicate"
    assert again["memories"] == first["memories"]
    assert len(bank.listed()) == 1


def test_a_reused_sequence_is_a_conflict(bank: Agent) -> None:
    """Another content under a taken sequence is refused, and its id stays free."""
    bank.result("memory.remember", _event(1, "one"))
    clash = _event(1, "another")
    answer = bank.result("memory.remember", clash)
    assert (answer["outcome"], answer["reason"]) == ("conflict", "sequence_reused")
    assert [memory["text"] for memory in bank.listed()] == ["one"]


def test_a_gap_is_judged_only_where_after_is_given(bank: Agent) -> None:
    """`after` names the predecessor: unknown, nothing is taken; filled, the same request passes."""
    assert bank.result("memory.remember", _event(5))["outcome"] == "committed"
    request = _event(9, after=8)
    gap = bank.result("memory.remember", request)
    assert (gap["outcome"], gap["last_sequence"]) == ("delivery_gap", 5)
    assert len(bank.listed()) == 1
    assert bank.result("memory.remember", _event(8, after=5))["outcome"] == "committed"
    assert bank.result("memory.remember", request)["outcome"] == "committed"


def test_without_a_sequence_the_stream_counts_on(bank: Agent) -> None:
    """The daemon gives the next number, also after one that the caller gave."""
    numbers = [
        bank.result("memory.remember", _event(number))["event"]["sequence"]
        for number in (None, None, 10, None)
    ]
    assert numbers == [1, 2, 10, 11]


def test_a_wrong_event_hash_is_refused(bank: Agent) -> None:
    """The daemon makes the hash anew; what does not match is not taken."""
    error = bank.error("memory.remember", _event(1, hash="0" * 64))
    assert error["code"] == "invalid_argument"
    assert "event.hash" in error["detail"]
    assert bank.listed() == []


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"role": "user"}, "event.data.content"),
        ({"content": "hello"}, "event.data.role"),
        ({"role": "narrator", "content": "hello"}, "event.data.role"),
        ({"role": "user", "content": ["hello"]}, "event.data.content"),
        ({"role": "user", "content": "hello", "speaker": ""}, "event.data.speaker"),
        ({"role": "user", "content": "hello", "score": 0.5}, "event.data"),
    ],
)
def test_an_event_that_is_no_turn_is_refused(bank: Agent, data: dict[str, Any], field: str) -> None:
    """Role and content are needed; a float has no canonical form."""
    error = bank.error("memory.remember", {"event": {"stream": "s", "data": data}, **operation()})
    assert error["code"] == "invalid_argument"
    assert error["detail"].startswith(field)
    assert bank.listed() == []


def test_an_assertion_keeps_what_its_caller_said(bank: Agent) -> None:
    """Kind, dates, weight and categories come back as they went in."""
    said: dict[str, Any] = {
        "text": "Prefers window seats",
        "kind": "preference",
        "confidence": 0.5,
        "importance": 0.25,
        "pinned": True,
        "categories": ["travel"],
        "valid_from": "2026-01-01T00:00:00.000000Z",
        "valid_until": "2027-01-01T00:00:00.000000Z",
    }
    bank.add(**said)
    memory = bank.listed()[0]
    assert {key: memory[key] for key in said} == said
    assert memory["source"]["event"] is None
    assert memory["source"]["extractor"] == "assertion"


def test_resolve_tells_the_fate_of_every_operation(bank: Agent) -> None:
    """Committed with its outcome, refused with its reason, and what never came is sealed."""
    done = {"text": "The cat is called Biscuit", **operation()}
    made = bank.result("memory.add", done)
    told = bank.result("operation.resolve", {"operation_id": done["operation_id"]})
    assert told["outcome"] == "committed"
    assert told["stored"]["memories"] == made["memories"]

    folded = {"text": "The cat is called Biscuit", **operation()}
    bank.result("memory.add", folded)
    told = bank.result("operation.resolve", {"operation_id": folded["operation_id"]})
    assert (told["outcome"], told["stored"]["outcome"]) == ("refused", "duplicate")

    never = new_operation_id()
    for _ in range(2):
        told = bank.result("operation.resolve", {"operation_id": never})
        assert told["outcome"] == "sealed"
    late = bank.error("memory.add", {"text": "too late", "operation_id": never})
    assert (late["code"], late["effect"]) == ("operation_sealed", "none")
    assert len(bank.listed()) == 1


def test_receipts_and_memories_survive_a_restart(daemon: DaemonProcess) -> None:
    """After a restart the same operation replays, and the memory answers."""
    params = {"text": "The ferry leaves at ten", **operation()}
    with daemon.connect() as connection:
        first = Agent(connection, "a").result("memory.add", params)
    daemon.restart()
    with daemon.connect() as connection:
        bank = Agent(connection, "a")
        assert bank.result("memory.add", params) == {**first, "replayed": True}
        assert bank.texts("when does the ferry leave") == ["The ferry leaves at ten"]


def test_the_same_operation_twice_in_one_send_happens_once(bank: Agent) -> None:
    """Two copies of a request in flight together: one commits, the other replays it."""
    connection: RawConnection = bank.connection
    params = {**bank.whose, "text": "Only once", **operation()}
    ids = [connection.send("memory.add", params) for _ in range(2)]
    answers = [connection.answer(request_id)["result"] for request_id in ids]
    assert [answer["replayed"] for answer in answers] == [False, True]
    assert answers[0]["memories"] == answers[1]["memories"]
    assert len(bank.listed()) == 1


def test_pipelined_writes_keep_their_order(bank: Agent) -> None:
    """Sixty writes in one send are stored in the order they stood on the wire."""
    connection = bank.connection
    ids = [
        connection.send("memory.add", {**bank.whose, "text": f"Note {number}", **operation()})
        for number in range(60)
    ]
    assert all(connection.answer(i)["result"]["outcome"] == "committed" for i in ids)
    assert [memory["text"] for memory in reversed(bank.listed())] == [
        f"Note {number}" for number in range(60)
    ]


def test_a_listing_pages_through_everything_once(bank: Agent) -> None:
    """Newest first, each memory once, total by the filters, cursor null at the end."""
    for number in range(7):
        bank.add(f"Fact {number}")
        bank.remember(f"Turn {number}", session_id=f"session-{number % 2}")
    handle = bank.handle()
    params: dict[str, Any] = {"view": "list", "handle": handle, "limit": 5, "kinds": ["remark"]}
    first = bank.result("memory.inspect", params)
    second = bank.result("memory.inspect", {**params, "cursor": first["cursor"]})
    texts = [memory["text"] for memory in first["memories"] + second["memories"]]
    assert texts == [f"Turn {number}" for number in reversed(range(7))]
    assert (first["total"], second["cursor"]) == (7, None)
    assert len(bank.listed(session_id="session-0")) == 4


def test_bank_status_counts_what_is_there(bank: Agent) -> None:
    """Memories by kind, events, receipts, ledger entries, and how far a stream is indexed."""
    bank.add("A fact")
    bank.remember("A turn")
    bank.wait_indexed()
    status = bank.result("bank.status", {"stream": "chat"})
    assert status["by_kind"] == {"fact": 1, "remark": 1}
    assert (status["memories"], status["events"], status["receipts"]) == (2, 1, 2)
    assert status["ledger_entries"] == 2
    assert status["frontier"] == {"stream": "chat", "received": 1, "decided": 1, "ready": 1}
    assert status["file_bytes"] > 0


def test_writes_to_a_bank_that_is_only_being_opened_keep_their_order(daemon: DaemonProcess) -> None:
    """Sixty writes in one send to a cold daemon, and a recall among them: nothing overtakes."""
    with daemon.connect() as connection:
        Agent(connection, "a")
    daemon.restart()
    with daemon.connect() as connection:
        whose = {"owner": "local", "agent": "a"}
        ids = [
            connection.send("memory.add", {**whose, "text": f"Note {number}", **operation()})
            for number in range(60)
        ]
        assert all(connection.answer(i)["result"]["outcome"] == "committed" for i in ids)
        assert [memory["text"] for memory in reversed(Agent(connection, "a").listed())] == [
            f"Note {number}" for number in range(60)
        ]


def test_a_write_called_off_in_the_same_send_did_not_happen_or_says_that_it_did(
    bank: Agent,
) -> None:
    """Cancel right behind a write: either it answers `cancelled` and nothing is there, or its true
    outcome and the memory is there."""
    connection = bank.connection
    for number in range(20):
        before = len(bank.listed())
        write = connection.send("memory.add", {**bank.whose, "text": f"N {number}", **operation()})
        connection.send("cancel", {"request_id": write})
        answer = connection.answer(write)
        happened = len(bank.listed()) - before
        if "error" in answer:
            assert (answer["error"]["data"]["code"], happened) == ("cancelled", 0)
        else:
            assert (answer["result"]["outcome"], happened) == ("committed", 1)
