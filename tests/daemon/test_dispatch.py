from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from support.server_room import ServerRoom, server_room

from cognid.protocol.banks import BankList, BankListReply
from cognid.protocol.configure import InspectGet
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import Remember
from cognid.protocol.link import Ping
from cognid.protocol.table import KNOWLEDGE, OPERATIONS, find_operation
from cognid.protocol.validation import describe
from cognid_daemon import dispatch
from cognid_daemon.bank.errors import StorageFailedError
from cognid_daemon.dispatch import Call
from cognid_daemon.operations import HANDLERS

CANARY = "CANARY-zebra-19"
SEEN: list[Call] = []


async def _slow(call: Call, request: BankList) -> BankListReply:
    SEEN.append(call)
    match request.owner:
        case "fault":
            raise RuntimeError(CANARY)
        case "typed":
            raise CognidError("unknown_bank", "of that name")
        case "storage":
            raise StorageFailedError("SQLITE_IOERR", effect="none")
        case "answer":
            return BankListReply.model_validate({"banks": CANARY})
        case "hang":
            await asyncio.sleep(60)
        case _:
            pass
    return BankListReply(banks=[])


def _fault(call: Call, request: Ping) -> BaseModel:
    raise RuntimeError(CANARY)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[ServerRoom]:
    """A server whose `bank.list` does what its owner says and whose `grant.list` is broken."""
    SEEN.clear()
    with server_room(tmp_path, {"bank.list": _slow, "grant.list": _fault}) as made:
        yield made


def test_every_operation_has_its_handler() -> None:
    """The handlers are exactly the operations of the table, and knowledge.*."""
    assert HANDLERS.keys() == OPERATIONS.keys() | {KNOWLEDGE.name}


def test_an_answer_of_ours_that_does_not_validate_is_an_incident(
    room: ServerRoom, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is not called the caller's fault without effect: something may have happened."""
    with room.connect() as connection:
        data = connection.error("bank.list", {"owner": "answer"})
    assert (data["code"], data["effect"]) == ("internal", "unknown")
    assert CANARY not in str(data) + capfd.readouterr().err


@pytest.mark.parametrize("method", ["bank.list", "grant.list"])
def test_unforeseen_fault_is_an_incident_without_words(
    room: ServerRoom, method: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A fault answers internal with an incident's id; the log has its type and place, no text."""
    params = {"owner": "fault"} if method == "bank.list" else {}
    with room.connect() as connection:
        data = connection.error(method, params)
        assert connection.result("ping")
    assert data["code"] == "internal"
    assert data["effect"] == "unknown"
    incident = data["detail"].removeprefix("incident ")
    log = capfd.readouterr().err
    assert f"incident incident={incident} method={method} type=RuntimeError" in log
    assert "test_dispatch.py:" in log
    assert CANARY not in log
    assert CANARY not in str(data)
    assert "Traceback" not in log


def test_typed_errors_pass_as_they_are(room: ServerRoom) -> None:
    """The errors of the rooms reach the caller with code, detail, remedy and effect."""
    with room.connect() as connection:
        data = connection.error("bank.list", {"owner": "typed"})
        assert (data["code"], data["detail"]) == ("unknown_bank", "of that name")
        assert "bank.ensure" in data["remedy"]
        data = connection.error("bank.list", {"owner": "storage"})
        assert (data["code"], data["effect"]) == ("storage_failed", "none")


def test_deadline_counts_from_the_arrival(room: ServerRoom) -> None:
    """A handler gets its deadline: what the request names, else the table's default."""
    with room.connect() as connection:
        connection.result("bank.list", {"deadline_ms": 250})
        connection.result("bank.list")
    named, default = SEEN
    assert named.deadline - named.arrived == pytest.approx(0.25)
    expected = OPERATIONS["bank.list"].deadline_ms / 1000
    assert default.deadline - default.arrived == pytest.approx(expected)


def test_handler_that_hangs_is_caught_by_the_net(
    room: ServerRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long after its deadline a hanging handler is ended as internal, its fate unknown."""
    monkeypatch.setattr(dispatch, "NET_SECONDS", 0.05)
    with room.connect() as connection:
        data = connection.error("bank.list", {"owner": "hang", "deadline_ms": 10})
    assert (data["code"], data["effect"]) == ("internal", "unknown")


def test_draining_daemon_takes_no_new_work(room: ServerRoom) -> None:
    """After the stop has begun new requests are refused; ping and cancel are still answered."""
    with room.connect() as connection, room.connect() as other:
        waiting = other.send("bank.list", {"owner": "hang"})
        assert other.result("ping")
        assert connection.result("shutdown") == {"stopping": True}
        other.send("bank.list", id="late")
        refused = other.answer("late")["error"]["data"]
        assert (refused["code"], refused["retryable"]) == ("shutting_down", True)
        assert other.result("cancel", {"request_id": waiting}) == {"found": True}
        assert other.answer(waiting)["error"]["data"]["code"] == "cancelled"


def test_knowledge_is_unsupported_whatever_it_is_asked(room: ServerRoom) -> None:
    """Every knowledge.* operation answers unsupported and looks at nothing."""
    with room.connect() as connection:
        for method in ("knowledge.add", "knowledge.query", "knowledge."):
            assert connection.result(method, {"text": "x"}) == {"outcome": "unsupported"}


@pytest.mark.parametrize(
    ("method", "params", "detail"),
    [
        ("ping", {"extra": 1}, "extra: Extra inputs are not permitted"),
        ("ping", {"deadline_ms": True}, "deadline_ms: Input should be a valid integer"),
        ("ping", {"deadline_ms": 0}, "deadline_ms: "),
        ("ping", {"deadline_ms": 600_001}, "deadline_ms: "),
        ("cancel", {}, "request_id"),
        ("grant.revoke", {"operation_id": "no", "credential_id": ""}, "operation_id: "),
    ],
)
def test_invalid_argument_names_the_field(
    room: ServerRoom, method: str, params: dict[str, Any], detail: str
) -> None:
    """A refused field is named with its rule."""
    with room.connect() as connection:
        data = connection.error(method, params)
        assert data["code"] == "invalid_argument"
        assert data["detail"].startswith(detail)
        assert connection.result("ping")


def test_refusal_never_quotes_what_a_field_held() -> None:
    """No value of a request stands in the words of its refusal, whatever was wrong with it."""
    for model, params in (
        (Remember, {"operation_id": CANARY, "event": {"stream": 3, "data": CANARY}}),
        (Remember, {"operation_id": 1, "event": {"stream": CANARY * 99, "data": {}}}),
        (Remember, {"event": CANARY, "labels": [CANARY + "\0"], "deadline_ms": CANARY}),
        (InspectGet, {"view": CANARY, "handle": CANARY, "memory_id": CANARY}),
    ):
        with pytest.raises(ValidationError) as caught:
            model.model_validate(params)
        assert CANARY not in describe(caught.value)
    inspect = find_operation("memory.inspect")
    assert inspect is not None
    with pytest.raises(ValidationError) as caught:
        inspect.read_request.validate_python({"view": CANARY})
    assert CANARY not in describe(caught.value)
    assert "view" in str(caught.value)


def test_unknown_fields_are_named_briefly() -> None:
    """An unknown field's name is cut and made printable; many faults are counted, not listed."""
    with pytest.raises(ValidationError) as caught:
        Ping.model_validate({"a\nb" + "x" * 500: 1, "c": 1, "d": 1, "e": 1, "f": 1})
    words = describe(caught.value, "event.data")
    assert words.startswith("event.data.a?bxxx")
    assert "x" * 62 not in words
    assert words.endswith("; and 2 more")
