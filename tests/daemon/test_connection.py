from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import ClosedError
from support.server_room import ServerRoom, server_room

from cognid.protocol import bounds
from cognid.protocol.banks import BankList, BankListReply
from cognid.protocol.link import Ping, Pong
from cognid_daemon import connection as connection_module
from cognid_daemon.dispatch import Call


class Gate:
    """Holds requests of `bank.list` back until it is opened."""

    def __init__(self) -> None:
        self.begun: list[str | None] = []
        self.called_off: list[str | None] = []
        self.event = asyncio.Event()

    async def handle(self, call: Call, request: BankList) -> BankListReply:
        """Answer once the gate is open."""
        self.begun.append(request.owner)
        try:
            await self.event.wait()
        except asyncio.CancelledError:
            self.called_off.append(request.owner)
            raise
        return BankListReply(banks=[])


BIG = 4 * 1024 * 1024


def _big(call: Call, request: Ping) -> Pong:
    return Pong(instance="x" * BIG)


@pytest.fixture
def gate() -> Gate:
    """The gate of `room`."""
    return Gate()


@pytest.fixture
def room(tmp_path: Path, gate: Gate) -> Iterator[ServerRoom]:
    """A server whose `bank.list` waits for the gate."""
    with server_room(tmp_path, {"bank.list": gate.handle}) as made:
        yield made


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something has happened in the server's thread."""
    until = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


def line(id: Any, method: str = "ping", params: dict[str, Any] | None = None) -> bytes:
    """One request as bytes."""
    frame = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
    return json.dumps(frame).encode() + b"\n"


@pytest.mark.parametrize("step", [1, 7, 50])
def test_lines_may_arrive_in_any_pieces(room: ServerRoom, step: int) -> None:
    """However the bytes are cut, each line is one request."""
    connection = room.connect()
    content = line("a") + line("é") + line(3)
    for start in range(0, len(content), step):
        connection.send_bytes(content[start : start + step])
        time.sleep(0.0005)
    assert [connection.read()["id"] for _ in range(3)] == ["a", "é", 3]


def test_many_lines_in_one_send_are_all_answered_in_order(room: ServerRoom) -> None:
    """A long pipeline of quick requests is answered whole and in order."""
    connection = room.connect()
    count = 500
    connection.send_bytes(b"".join(line(number) for number in range(count)))
    assert [connection.read()["id"] for _ in range(count)] == list(range(count))


def test_long_pipeline_does_not_keep_others_waiting(tmp_path: Path) -> None:
    """Between the lines of one busy caller another is answered."""
    order: list[int] = []

    def ping(call: Call, request: Ping) -> Pong:
        order.append(call.connection.number)
        return Pong(instance="")

    with server_room(tmp_path, {"ping": ping}) as room:
        busy, quiet = room.connect(), room.connect()
        count = 3000
        busy.send_bytes(b"".join(line(number) for number in range(count)))
        quiet.result("ping")
        assert [busy.read()["id"] for _ in range(count)] == list(range(count))
        last = max(order)
        assert order.index(last) < count - 100


@pytest.mark.parametrize("id", [1, "1", 0, -5, 2**53, "x" * 64, "ü✓"])
def test_id_comes_back_in_its_own_type(room: ServerRoom, id: int | str) -> None:
    """An id is answered as it was sent: a number as a number, a string as a string."""
    connection = room.connect()
    connection.send_bytes(line(id))
    answered = connection.read()["id"]
    assert answered == id
    assert type(answered) is type(id)


@pytest.mark.parametrize("id", [None, True, 1.5, "", "x" * 65, [1], {"a": 1}, 2**53 + 1, "\n"])
def test_id_of_another_kind_is_refused(room: ServerRoom, id: Any) -> None:
    """What cannot be an id is refused with a null id, and the connection lives on."""
    connection = room.connect()
    connection.send_bytes(line(id))
    frame = connection.read()
    assert frame["id"] is None
    assert frame["error"]["data"]["code"] == "invalid_request"
    assert connection.result("ping")


def test_number_and_string_are_two_ids(room: ServerRoom, gate: Gate) -> None:
    """1 and "1" can be in flight side by side; the same id twice cannot."""
    connection = room.connect()
    connection.send("bank.list", id=1)
    connection.send("bank.list", id="1")
    connection.send("bank.list", id=1)
    refused = connection.read()
    assert refused["id"] == 1
    assert refused["error"]["data"]["code"] == "invalid_request"
    room.do(gate.event.set)
    assert [connection.read()["id"] for _ in range(2)] == [1, "1"]
    assert connection.send("bank.list", id=1) == 1
    assert "result" in connection.read()


def test_65th_in_flight_is_refused_and_cancel_still_arrives(room: ServerRoom, gate: Gate) -> None:
    """64 requests wait; the next is overloaded, ping and cancel are answered, and a place that is
    free again can be used."""
    connection = room.connect()
    for number in range(bounds.REQUESTS_IN_FLIGHT):
        connection.send("bank.list", id=f"r{number}")
    connection.send("bank.list", id="one too many")
    refused = connection.read()
    assert refused["id"] == "one too many"
    assert refused["error"]["data"]["code"] == "overloaded"
    assert refused["error"]["data"]["retryable"] is True
    assert connection.result("ping")
    assert connection.result("cancel", {"request_id": "r7"}) == {"found": True}
    assert connection.answer("r7")["error"]["data"]["code"] == "cancelled"
    connection.send("bank.list", id="again")
    room.do(gate.event.set)
    assert "result" in connection.answer("again")
    assert "result" in connection.answer("r63")


def test_cancel_finds_only_what_is_in_flight_here(room: ServerRoom, gate: Gate) -> None:
    """An unknown id, one of another connection and one of another type are not found."""
    mine, other = room.connect(), room.connect()
    mine.send("bank.list", {"owner": "mine"}, id="7")
    wait_for(lambda: gate.begun == ["mine"])
    assert other.result("cancel", {"request_id": "7"}) == {"found": False}
    assert mine.result("cancel", {"request_id": 7}) == {"found": False}
    assert mine.result("cancel", {"request_id": "7"}) == {"found": True}
    assert mine.answer("7")["error"]["data"]["effect"] == "none"
    assert mine.result("cancel", {"request_id": "7"}) == {"found": False}


def test_cancel_in_the_same_send_calls_off_after_the_first_step(
    room: ServerRoom, gate: Gate
) -> None:
    """A request and its cancel in one send: its handler begins, is called off and says so."""
    connection = room.connect()
    connection.send_bytes(line("a", "bank.list") + line("b", "cancel", {"request_id": "a"}))
    assert connection.answer("b")["result"] == {"found": True}
    assert connection.answer("a")["error"]["data"]["code"] == "cancelled"
    assert gate.called_off == gate.begun == [None]


def test_lost_caller_calls_its_requests_off(room: ServerRoom, gate: Gate) -> None:
    """When the daemon finds that nobody listens, what is in flight is called off."""
    connection = room.connect()
    connection.send("bank.list", {"owner": "gone"})
    wait_for(lambda: gate.begun == ["gone"])
    (served,) = room.server._connections
    room.do(served._transport.abort)
    wait_for(lambda: gate.called_off == ["gone"] and room.server.in_flight == 0)


def test_half_line_at_the_end_is_dropped(room: ServerRoom) -> None:
    """What was not ended by a line feed is no request."""
    connection = room.connect()
    connection.send_bytes(line("whole") + line("half")[:-1])
    connection.socket.shutdown(1)
    assert connection.read()["id"] == "whole"
    with pytest.raises(ClosedError):
        connection.read()


def test_caller_that_only_stops_sending_gets_its_answers(room: ServerRoom, gate: Gate) -> None:
    """A caller that shuts its sending side still gets what it asked for, then the close."""
    connection = room.connect()
    asked = connection.send("bank.list")
    connection.socket.shutdown(1)
    wait_for(lambda: len(gate.begun) == 1)
    room.do(gate.event.set)
    assert "result" in connection.answer(asked)
    with pytest.raises(ClosedError):
        connection.read()


@pytest.mark.parametrize("ended", [True, False])
def test_line_beyond_the_bound_closes(
    room: ServerRoom, ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of one byte too many is refused with its bound, ended or not, and the connection
    closes; one of exactly the bound is taken."""
    bound = 100_000
    monkeypatch.setattr(bounds, "LINE_BYTES", bound)
    connection = room.connect()
    fitting = line("fits", "ping", {"x": ""})
    fitting = fitting.replace(b'""', b'"' + b"y" * (bound + 1 - len(fitting)) + b'"')
    assert len(fitting) == bound + 1  # with its line feed
    connection.send_bytes(fitting)
    assert connection.read()["error"]["data"]["code"] == "invalid_argument"
    connection.send_bytes(b"z" * (bound + 1) + (b"\n" if ended else b""))
    refused = connection.closed_with()
    assert refused is not None
    assert refused["code"] == "line_too_long"
    assert str(bound) in refused["detail"]


def test_line_of_8_mib_is_taken(room: ServerRoom) -> None:
    """The bound after the proof is 8 MiB in truth, not only in the table."""
    connection = room.connect()
    start = line("big", "ping", {"x": ""})[:-4]
    content = start + b"y" * (bounds.LINE_BYTES - len(start) - 3) + b'"}}'
    assert len(content) == bounds.LINE_BYTES
    connection.send_bytes(content + b"\n")
    assert connection.read()["error"]["data"]["detail"].startswith("x: ")
    assert connection.result("ping")


def test_unread_replies_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that asks and does not read is cut off, and the daemon's memory stays bounded."""
    monkeypatch.setattr(connection_module, "CLOSING_SECONDS", 0.2)
    with server_room(tmp_path, {"ping": _big}) as room:
        connection = room.connect()
        connection.send_bytes(b"".join(line(number) for number in range(12)))
        wait_for(lambda: room.server.connections == 0)  # 32 MiB are 8 answers; then 0.2 s
        read = 0
        with pytest.raises(ClosedError):
            while True:
                connection.read()
                read += 1
        assert read < 9
        assert room.connect().result("cancel", {"request_id": 1})


def test_slow_consumer_is_told_if_it_reads_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A caller that begins to read before it is cut off finds out why."""
    monkeypatch.setattr(bounds, "UNREAD_REPLY_BYTES", BIG // 2)
    with server_room(tmp_path, {"ping": _big}) as room:
        connection = room.connect()
        connection.send_bytes(line("a") + line("b"))
        refused = connection.closed_with()
        assert refused is not None
        assert refused["code"] == "slow_consumer"
