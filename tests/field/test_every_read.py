"""Field cases: no way of reading is forgotten when something must not be seen. Numbers are theirs.

The ways are those of the table of operations: one that is new and not asked here is a failure.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import DaemonProcess, RawConnection
from support.talk import Agent, id_of, operation, pair

from cognid.protocol.table import OPERATIONS, Reach
from cognid.protocol.values import Right

SECRET = "The harbour door code is KITE-77"
QUERY = "harbour door code"
SESSION = "talk"
WORD = "KITE"
PERIOD = {"since": "2020-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}


@pytest.fixture(scope="module")
def connection(shared_daemon: DaemonProcess) -> Iterator[RawConnection]:
    """A connection that may do everything, the tools' part too."""
    rights = [right.value for right in Right]
    with shared_daemon.connect() as owner:
        everything = pair(owner, "everything", rights=rights)
    with shared_daemon.connect(everything) as connected:
        yield connected


def _requests(bank: Agent, memory_id: str, operation_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Every operation that reads, each in the ways it can be asked for one memory."""
    handle = {"handle": bank.handle()}
    one = {**handle, "memory_id": memory_id}
    targets = {"targets": [{"memory_id": memory_id}]}
    asking = {"query": QUERY, "deadline_ms": 10_000}
    filters: list[dict[str, Any]] = [{}, {"labels": ["house"]}, {"session_id": SESSION}]
    filters += [{"kinds": ["fact", "remark"]}]
    wide: list[dict[str, Any]] = [*filters, {"text": "kite"}, PERIOD]
    wide += [{"lifecycles": ["current", "superseded", "expired"]}, {"provenances": ["explicit"]}]
    return [
        ("bank.status", {"stream": "chat"}),
        ("memory.explain", {"content": SECRET, "session_id": SESSION}),
        *(("memory.recall", {**asking, "limit": 100, **f}) for f in filters),
        ("memory.recall", {**asking, "roles": ["user"]}),
        *(
            ("memory.search", {**asking, "limit": 100, "pipeline": pipeline, **f})
            for pipeline in ("lexical", "vector")
            for f in filters
        ),
        ("context.assemble", {**asking, "session_id": SESSION}),
        ("session.messages", {"session_id": SESSION}),
        ("session.messages", {"session_id": SESSION, "query": QUERY}),
        ("lane.query", {}),
        ("lane.query", {"query": QUERY}),
        ("configure.open", {}),
        *(("memory.inspect", {"view": "list", **handle, **f}) for f in wide),
        ("memory.inspect", {"view": "get", **one}),
        ("memory.inspect", {"view": "history", **one}),
        *(("memory.forget_preview", {**handle, **f}) for f in wide if f),
        ("memory.forget_preview", {**handle, **targets}),
        ("memory.tool_forget_preview", targets),
        ("memory.tool_correct_preview", {"memory_id": memory_id}),
        ("operation.resolve", {"operation_id": operation_id}),
        ("index.status", {}),
        ("export", {}),
        ("doctor", {"ledger": True, "erasure": memory_id}),
    ]


def _answers(bank: Agent, memory_id: str, operation_id: str) -> dict[str, str]:
    """What each of them says, as text; errors too."""
    requests = _requests(bank, memory_id, operation_id)
    reading = {o.name for o in OPERATIONS.values() if o.reach is Reach.BANK and not o.mutates}
    assert reading <= {method for method, _ in requests}
    said: dict[str, str] = {"bank.list": json.dumps(bank.connection.call("bank.list"))}
    for number, (method, params) in enumerate(requests):
        frame = bank.connection.call(method, {**bank.whose, **params})
        said[f"{method} {number}"] = json.dumps(frame)
    return said


def _telling(said: dict[str, str], *words: str) -> list[str]:
    """The operations whose answers hold one of the words."""
    return sorted({way.split()[0] for way, text in said.items() if any(w in text for w in words)})


def _fill(bank: Agent) -> tuple[str, str, str]:
    """The secret as a fact, as a turn and as that turn's message; ids, and the fact's operation."""
    made = operation()
    added = bank.add(SECRET, labels=["house"], session_id=SESSION, pinned=True, **made)
    event = {"stream": "chat", "sequence": 1, "data": {"role": "user", "content": SECRET}}
    said = bank.result("memory.remember", {"event": event, "session_id": SESSION, **operation()})
    of = {"stream": "chat", "sequence": 1}
    message = {"role": "user", "content": SECRET, "event": of}
    params = {"session_id": SESSION, "messages": [message], **operation()}
    bank.result("session.append", params)
    bank.wait_indexed()
    return id_of(added), id_of(said), made["operation_id"]


def test_what_was_forgotten_is_told_by_no_operation(connection: RawConnection) -> None:
    """63, 68: each operation that reads told it before; none does after, nor after a reindex."""
    bank = Agent(connection)
    fact, turn, operation_id = _fill(bank)
    assert _telling(_answers(bank, fact, operation_id), WORD) == [
        "context.assemble",
        "export",
        "memory.forget_preview",
        "memory.inspect",
        "memory.recall",
        "memory.search",
        "memory.tool_correct_preview",
        "memory.tool_forget_preview",
        "session.messages",
    ]
    bank.forget(fact, turn)
    for memory_id in (fact, turn):
        assert _telling(_answers(bank, memory_id, operation_id), WORD, WORD.lower()) == []
    bank.add("The harbour door is green")
    assert bank.result("index.rebuild", operation())["outcome"] == "committed"
    until = time.monotonic() + 20
    while {one["state"] for one in bank.result("index.status")["generations"]} != {"live"}:
        assert time.monotonic() < until
        time.sleep(0.02)
    bank.wait_indexed()
    assert bank.texts(QUERY) == ["The harbour door is green"]
    assert _telling(_answers(bank, fact, operation_id), WORD, WORD.lower()) == []


def test_no_operation_of_another_agent_tells_it(connection: RawConnection) -> None:
    """73, 77: text, ids and counts of A, asked for by B: before and after B has the same fact."""
    a, b = Agent(connection), Agent(connection)
    fact, turn, operation_id = _fill(a)
    snapshot = {"id": "v1", "hash": "ab" * 32}
    unit = {"unit_id": "u", "type": "note", "text": SECRET}
    lane = {"lane": "docs", "snapshot": snapshot, "units": [unit], **operation()}
    assert a.result("lane.replace", lane)["outcome"] == "replaced"
    assert "lane.query" in _telling(_answers(a, fact, operation_id), WORD)
    said = _answers(b, fact, operation_id)
    # An id that B named itself comes back; what it stands for does not.
    assert _telling(said, WORD) == []
    assert _telling(said, turn) == []
    assert b.shown(fact)["view"] == "not_found"
    assert b.preview(text="kite")["total"] == b.result("bank.status")["memories"] == 0
    mine = b.add(SECRET)
    assert mine["outcome"] == "committed"
    b.wait_indexed()
    assert b.preview(text="kite")["total"] == b.result("bank.status")["memories"] == 1
    assert _telling(_answers(b, id_of(mine), mine["operation_id"]), fact, turn) == []
