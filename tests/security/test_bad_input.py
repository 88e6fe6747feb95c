"""Bad input: each line gets a typed error, the connection and the next request live on, and the
log holds neither a traceback nor a word of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running

from cognid.protocol.errors import ERRORS
from cognid.protocol.ids import new_operation_id

CANARY = "CANARY-quail-88"


@pytest.fixture(scope="module")
def target() -> Iterator[DaemonProcess]:
    """One daemon with the most talkative log for all tests of this file."""
    with running(settings=WITHOUT_MODEL + '[log]\nlevel = "debug"\n') as daemon:
        yield daemon
        log = daemon.log_text()
        assert "CANARY" not in log
        assert "incident" not in log


@pytest.fixture(scope="module")
def connection(target: DaemonProcess) -> Iterator[RawConnection]:
    """One connection for all lines: it must outlive each."""
    with target.connect() as made:
        yield made


def frame(**fields: Any) -> bytes:
    """A ping, with fields of it replaced."""
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}, **fields}
    ).encode()


LINES: list[tuple[str, bytes, str]] = [
    ("empty line", b"", "parse_error"),
    ("blank line", b"   ", "parse_error"),
    ("not JSON", CANARY.encode(), "parse_error"),
    ("half of JSON", b'{"jsonrpc": "2.0", "id": 1', "parse_error"),
    ("two objects", b'{"jsonrpc":"2.0"}{"id":1}', "parse_error"),
    ("not UTF-8", b'{"id": "\xff\xfe"}', "parse_error"),
    ("UTF-16", frame().decode().encode("utf-16"), "parse_error"),
    ("a byte order mark", b"\xef\xbb\xbf" + frame(), "parse_error"),
    ("NUL bytes", b"\0\0\0", "parse_error"),
    ("NaN", b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', "parse_error"),
    ("duplicate keys", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', "parse_error"),
    ("duplicate keys inside", frame().replace(b"{}", b'{"a":1,"a":2}'), "parse_error"),
    ("an endless number", b'{"id":' + b"9" * 5000 + b"}", "parse_error"),
    ("deep nesting", b"[" * 100_000, "parse_error"),
    ("deep objects", b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "parse_error"),
    ("a number", b"17", "invalid_request"),
    ("a string", json.dumps(CANARY).encode(), "invalid_request"),
    ("null", b"null", "invalid_request"),
    ("a batch", b"[" + frame() + b"]", "invalid_request"),
    ("no version", b'{"id":1,"method":"ping"}', "invalid_request"),
    ("version 1", frame(jsonrpc="1.0"), "invalid_request"),
    ("a notification", b'{"jsonrpc":"2.0","method":"ping"}', "invalid_request"),
    ("id null", frame(id=None), "invalid_request"),
    ("id true", frame(id=True), "invalid_request"),
    ("id a float", frame(id=1.5), "invalid_request"),
    ("id a lone surrogate", frame(id="\ud800"), "invalid_request"),
    ("method a number", frame(method=3), "invalid_request"),
    ("no method", b'{"jsonrpc":"2.0","id":1}', "invalid_request"),
    ("params a list", frame(params=[1]), "invalid_request"),
    ("params null", frame(params=None), "invalid_request"),
    ("a field beside params", frame(extra=1), "invalid_request"),
    ("a result", b'{"jsonrpc":"2.0","id":1,"result":{}}', "invalid_request"),
    ("unknown method", frame(method=CANARY), "unknown_operation"),
    ("empty method", frame(method=""), "unknown_operation"),
    ("method a lone surrogate", frame(method="\ud83d"), "unknown_operation"),
    ("method with NUL", frame(method="ping\0"), "unknown_operation"),
    ("another case", frame(method="PING"), "unknown_operation"),
    ("a dunder", frame(method="__class__"), "unknown_operation"),
    ("unknown field", frame(params={CANARY: 1}), "invalid_argument"),
    ("unknown field a lone surrogate", frame(params={"\ud83d": 1}), "invalid_argument"),
    ("unknown field, long", frame(params={"x" * 100_000: 1}), "invalid_argument"),
    ("deadline a string", frame(params={"deadline_ms": CANARY}), "invalid_argument"),
    ("deadline a boolean", frame(params={"deadline_ms": True}), "invalid_argument"),
    ("deadline a float", frame(params={"deadline_ms": 1.0}), "invalid_argument"),
    ("deadline zero", frame(params={"deadline_ms": 0}), "invalid_argument"),
    ("deadline negative", frame(params={"deadline_ms": -1}), "invalid_argument"),
    ("deadline huge", frame(params={"deadline_ms": 10**30}), "invalid_argument"),
    ("a lone surrogate", frame(method="bank.list", params={"owner": "cut \ud83d"}),
     "invalid_argument"),
    ("NUL in a name", frame(method="bank.list", params={"owner": "a\0b"}), "invalid_argument"),
    ("a blank name", frame(method="bank.list", params={"owner": " \u200b"}), "invalid_argument"),
    ("a long name", frame(method="bank.list", params={"owner": "é" * 257}), "invalid_argument"),
    ("cancel of nothing", frame(method="cancel", params={}), "invalid_argument"),
    ("cancel of a float", frame(method="cancel", params={"request_id": 1.5}), "invalid_argument"),
    ("an unknown right", frame(method="grant.create", params={"rights": [CANARY]}),
     "invalid_argument"),
    ("another version of UUID", frame(method="grant.revoke", params={
        "operation_id": "5b3c0f9e-7f0e-4c39-9d2c-3d0a4f6f2a11", "credential_id": "x"}),
     "invalid_argument"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code"), [pytest.param(b, c, id=a) for a, b, c in LINES])
def test_bad_line_gets_a_typed_error(connection: RawConnection, line: bytes, code: str) -> None:
    """Each is answered with its code, and the next request is answered as if nothing was."""
    connection.send_bytes(line + b"\n")
    answer = connection.read()
    data = answer["error"]["data"]
    assert data["code"] == code
    assert answer["error"]["code"] == ERRORS[code].number
    assert data["effect"] == "none"
    assert data["retryable"] is False
    assert data["remedy"]
    assert len(json.dumps(answer)) < 2_000
    assert CANARY not in data["detail"] or "Extra inputs" in data["detail"]
    assert connection.result("ping")


def test_bad_lines_between_good_ones_disturb_nothing(connection: RawConnection) -> None:
    """In one send, every bad line gets its error and every good one its answer, in order."""
    bad = [line for _, line, _ in LINES if len(line) < 1000]
    content = b"".join(
        line + b"\n" + frame(id=f"g{number}") + b"\n" for number, line in enumerate(bad)
    )
    connection.send_bytes(content)
    for number in range(len(bad)):
        assert "error" in connection.read()
        assert connection.read()["id"] == f"g{number}"


def test_carriage_return_is_white_space(connection: RawConnection) -> None:
    """A caller that ends its lines with CR LF is understood."""
    connection.send_bytes(frame(id="crlf") + b"\r\n")
    assert connection.read()["id"] == "crlf"


def _to_bank(method: str, **params: Any) -> bytes:
    """A request to the bank of these tests."""
    return frame(method=method, params={"agent": "bad-input", **params})


def _write(method: str, **params: Any) -> bytes:
    return _to_bank(method, operation_id=new_operation_id(), **params)


def _turn(content: Any, **fields: Any) -> bytes:
    event = {"stream": "s", "data": {"role": "user", "content": content, **fields}}
    return _write("memory.remember", event=event)


MEMORY_LINES: list[tuple[str, bytes, str]] = [
    ("no text", _write("memory.add"), "invalid_argument"),
    ("blank text", _write("memory.add", text=" \u200b\n"), "invalid_argument"),
    ("text of another type", _write("memory.add", text=[CANARY]), "invalid_argument"),
    ("NUL in text", _write("memory.add", text=CANARY + "\0"), "invalid_argument"),
    ("half a surrogate pair", _write("memory.add", text=CANARY + "\ud83d"), "invalid_argument"),
    ("a fact too long", _write("memory.add", text="x" * 4_001), "invalid_argument"),
    ("an unknown kind", _write("memory.add", text="x", kind=CANARY), "invalid_argument"),
    ("unknown field", _write("memory.add", text="x", canary=CANARY), "invalid_argument"),
    ("no operation id", _to_bank("memory.add", text=CANARY), "invalid_argument"),
    ("blank turn", _turn(""), "invalid_argument"),
    ("turn too long", _turn("x" * 400_001), "invalid_argument"),
    ("turn of another type", _turn({"x": CANARY}), "invalid_argument"),
    ("turn with a float", _turn("x", score=0.5), "invalid_argument"),
    ("turn with half a pair beside it", _turn("x", note=CANARY + "\ud83d"), "invalid_argument"),
    ("turn of nobody", _turn("x", role=CANARY), "invalid_argument"),
    ("turn of somebody else", _turn("x", user_id=CANARY), "identity_mismatch"),
    ("no query", _to_bank("memory.recall"), "invalid_argument"),
    ("blank query", _to_bank("memory.recall", query=" \n"), "invalid_argument"),
    ("query with NUL", _to_bank("memory.recall", query=CANARY + "\0"), "invalid_argument"),
    ("k = 0", _to_bank("memory.recall", query=CANARY, limit=0), "invalid_argument"),
    ("k = -1", _to_bank("memory.recall", query=CANARY, limit=-1), "invalid_argument"),
    ("k = 10^6", _to_bank("memory.recall", query=CANARY, limit=10**6), "invalid_argument"),
    ("k true", _to_bank("memory.recall", query=CANARY, limit=True), "invalid_argument"),
    ("no pipeline", _to_bank("memory.search", query=CANARY), "invalid_argument"),
    ("an unknown pipeline", _to_bank("memory.search", query="x", pipeline=CANARY),
     "invalid_argument"),
    ("no view", _to_bank("memory.inspect", handle="x"), "invalid_argument"),
    ("an unknown view", _to_bank("memory.inspect", view=CANARY), "invalid_argument"),
    ("a made-up handle", _to_bank("memory.inspect", view="list", handle="mgr_" + "0" * 64),
     "handle_invalid"),
    ("enabled not said", _write("bank.ensure"), "invalid_argument"),
    ("an unknown bank", frame(method="memory.recall", params={"query": "x", "agent": CANARY}),
     "unknown_bank"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code"), [pytest.param(b, c, id=a) for a, b, c in MEMORY_LINES])
def test_bad_request_to_a_bank_gets_a_typed_error(
    connection: RawConnection, line: bytes, code: str
) -> None:
    """Each is answered with its code, nothing is stored, and the next request is answered."""
    whose = {"agent": "bad-input"}
    connection.result("bank.ensure", {**whose, "enabled": True, "operation_id": new_operation_id()})
    connection.send_bytes(line + b"\n")
    data = connection.read()["error"]["data"]
    assert (data["code"], data["effect"]) == (code, "none")
    assert CANARY not in data["detail"]
    assert connection.result("bank.status", whose)["memories"] == 0


def test_expired_deadline_is_a_typed_error_or_the_true_outcome(connection: RawConnection) -> None:
    """Of fifty writes with a millisecond each, those that say `deadline_exceeded` did not happen,
    and those that say `committed` did; a recall that is late says so."""
    whose = {"agent": "deadlines"}
    connection.result("bank.ensure", {**whose, "enabled": True, "operation_id": new_operation_id()})
    for number in range(50):
        params = {"text": f"N {number}", "operation_id": new_operation_id(), "deadline_ms": 1}
        connection.send("memory.add", {**whose, **params}, id=f"w{number}")
    answers = [connection.answer(f"w{number}") for number in range(50)]
    codes = {a["error"]["data"]["code"] for a in answers if "error" in a}
    assert codes <= {"deadline_exceeded"}
    committed = sum("result" in answer for answer in answers)
    assert connection.result("bank.status", whose)["memories"] == committed
    late = connection.call("memory.recall", {**whose, "query": "N", "deadline_ms": 1})
    if "result" in late:
        assert late["result"]["outcome"] in ("hits", "no_hits", "unavailable")
    else:
        assert late["error"]["data"]["code"] == "deadline_exceeded"
    assert connection.result("ping")
