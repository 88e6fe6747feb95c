"""What a call does when answers are late, lost, broken, out of order or newer than this build."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.scripted_daemon import ScriptedConnection, ScriptedDaemon, pong

from cognid import AsyncClient, CognidError, Committed, OutcomeUnknownError
from cognid.protocol.frames import Request
from cognid.protocol.ids import new_operation_id
from cognid.protocol.knowledge import Knowledge, Unsupported

COMMITTED: dict[str, Any] = {"outcome": "committed", "memories": [], "epoch": "epo_1"}


def committed(request: Request, **more: Any) -> dict[str, Any]:
    """The answer to a write."""
    return {**COMMITTED, "operation_id": request.params["operation_id"], **more}


def hangs_up(times: int) -> Any:
    """An answer that closes the connection so many times before it answers."""
    left = times

    def answer(request: Request, connection: ScriptedConnection) -> None:
        nonlocal left
        if left:
            left -= 1
            connection.hang_up()
        else:
            pong(request, connection)

    return answer


def client_of(daemon: ScriptedDaemon) -> AsyncClient:
    """A client of a fake daemon."""
    return AsyncClient(daemon.socket, daemon.credential)


async def test_answers_are_matched_by_id_under_reordering(tmp_path: Path) -> None:
    """500 calls at once, answered in random order, each get their own answer."""
    held: list[tuple[Request, ScriptedConnection]] = []
    chance = random.Random(7)

    def answer(request: Request, connection: ScriptedConnection) -> None:
        held.append((request, connection))
        if len(held) == 20:
            chance.shuffle(held)
            for asked, where in held:
                where.reply(asked, committed(asked))
            held.clear()

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        ids = [new_operation_id() for _ in range(500)]
        outcomes = await asyncio.gather(*(client.add("x", operation_id=id) for id in ids))
        assert [outcome.operation_id for outcome in outcomes] == ids
        assert daemon.connections == 1


async def test_no_more_in_flight_than_the_daemon_takes(tmp_path: Path) -> None:
    """200 calls at once never have more than 64 in flight, and are sent in their order."""
    most = 0
    open_now = 0

    async def later(request: Request, connection: ScriptedConnection) -> None:
        nonlocal open_now
        await asyncio.sleep(0.001)
        open_now -= 1
        connection.reply(request, committed(request))

    async with asyncio.TaskGroup() as answers:

        def answer(request: Request, connection: ScriptedConnection) -> None:
            nonlocal most, open_now
            open_now += 1
            most = max(most, open_now)
            answers.create_task(later(request, connection))

        async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
            ids = [new_operation_id() for _ in range(200)]
            await asyncio.gather(*(client.add("x", operation_id=id) for id in ids))
            assert [request.params["operation_id"] for request in daemon.requests] == ids
    assert most == 64


async def test_read_is_asked_again_once(tmp_path: Path) -> None:
    """A read whose connection is lost is asked once more on a new connection."""
    async with ScriptedDaemon(tmp_path / "run", hangs_up(1)) as daemon, client_of(daemon) as client:
        await client.ping()
        assert daemon.connections == 2


async def test_read_is_not_asked_a_third_time(tmp_path: Path) -> None:
    """A read whose connection is lost twice fails as connection_lost, without effect."""
    async with ScriptedDaemon(tmp_path / "run", hangs_up(9)) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as caught:
            await client.ping()
        assert (caught.value.code, caught.value.effect) == ("connection_lost", "none")
        assert len(daemon.requests) == 2


async def test_lost_answer_to_a_write_is_outcome_unknown(tmp_path: Path) -> None:
    """A write whose answer is lost is never sent again; its operation id is told."""
    async with ScriptedDaemon(tmp_path / "run", hangs_up(1)) as daemon, client_of(daemon) as client:
        id = new_operation_id()
        with pytest.raises(OutcomeUnknownError) as caught:
            await client.add("x", operation_id=id)
        assert (caught.value.operation_id, caught.value.effect) == (id, "unknown")
        assert daemon.methods() == ["memory.add"]


async def test_half_an_answer_to_a_write_is_outcome_unknown(tmp_path: Path) -> None:
    """A daemon that dies in the middle of its answer leaves the outcome unknown."""

    async def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.raw(b'{"jsonrpc":"2.0","id":%d,"result":{"outc' % int(request.id))
        await connection.writer.drain()
        connection.writer.close()

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        with pytest.raises(OutcomeUnknownError):
            await client.add("x")


async def test_write_that_never_left_is_unreachable(tmp_path: Path) -> None:
    """A write for which there is no daemon any more is unreachable, without effect."""
    async with ScriptedDaemon(tmp_path / "run") as daemon, client_of(daemon) as client:
        await client.ping()
        await daemon.stop()
        with pytest.raises(CognidError) as caught:
            await client.add("x")
        assert (caught.value.code, caught.value.effect) == ("unreachable", "none")
        assert daemon.methods() == ["ping"]


async def test_write_into_a_closed_connection_goes_over_a_new_one(tmp_path: Path) -> None:
    """Where a daemon came back between two calls, a write simply goes to the new one."""
    answer = pong

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        await client.ping()
        await daemon.stop()
        daemon.answer = lambda request, connection: connection.reply(request, committed(request))
        await daemon.listen()
        assert isinstance(await client.add("x"), Committed)
        assert daemon.connections == 2


async def test_waiting_writes_outlive_a_lost_connection(tmp_path: Path) -> None:
    """Of 300 writes at once, a lost connection costs only the 64 that had been sent."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) == 64:
            connection.hang_up()
        elif len(daemon.requests) > 64:
            connection.reply(request, committed(request))

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        client_of(daemon) as client,
        asyncio.timeout(4),  # less than a write's deadline: nobody waits for it
    ):
        await client.connect()
        outcomes = await asyncio.gather(
            *(client.add("x") for _ in range(300)), return_exceptions=True
        )
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknownError] * 64 + [Committed] * 236
    assert (len(daemon.requests), daemon.connections) == (300, 2)


async def test_resolve_is_asked_again(tmp_path: Path) -> None:
    """Settling an operation is safe to repeat, so it is asked again like a read."""
    id = new_operation_id()
    lost = hangs_up(1)

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) == 1:
            lost(request, connection)
        else:
            connection.reply(request, {"outcome": "sealed", "operation_id": id})

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        assert (await client.resolve(id)).outcome == "sealed"


async def test_shutdown_is_not_asked_again(tmp_path: Path) -> None:
    """A shutdown whose answer is lost is not sent to a daemon that started meanwhile."""
    async with ScriptedDaemon(tmp_path / "run", hangs_up(1)) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as caught:
            await client.shutdown()
        assert caught.value.code == "connection_lost"
        assert daemon.methods() == ["shutdown"]


async def test_late_read_is_over_soon_after_its_deadline(tmp_path: Path) -> None:
    """A recall with 50 ms that gets no answer is over within 250 ms, and is called off."""
    loop = asyncio.get_running_loop()
    async with (
        ScriptedDaemon(tmp_path / "run", lambda request, connection: None) as daemon,
        client_of(daemon) as client,
    ):
        await client.connect()
        began = loop.time()
        with pytest.raises(CognidError) as caught:
            await client.recall("x", deadline_ms=50)
        assert caught.value.code == "deadline_exceeded"
        assert 0.19 < loop.time() - began < 0.3
        await asyncio.sleep(0.01)
        asked, called_off = daemon.requests
        assert asked.params["deadline_ms"] == 50
        assert (called_off.method, called_off.params) == ("cancel", {"request_id": asked.id})


async def test_late_write_is_outcome_unknown(tmp_path: Path) -> None:
    """A write that gets no answer within its deadline and a second is of unknown outcome.

    It takes that second: the client's grace is not a setting.
    """
    async with (
        ScriptedDaemon(tmp_path / "run", lambda request, connection: None) as daemon,
        client_of(daemon) as client,
    ):
        with pytest.raises(OutcomeUnknownError):
            await client.add("x", deadline_ms=10)


async def test_answer_after_the_deadline_goes_to_nobody_else(tmp_path: Path) -> None:
    """An answer that comes after its caller gave up is dropped, and the connection lives on."""
    late: list[Request] = []

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "memory.recall":
            late.append(request)
        elif request.method == "cancel":
            connection.reply(request, {"found": True})
            connection.error(late[0], "cancelled")
        else:
            pong(request, connection)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError):
            await client.recall("x", deadline_ms=1)
        assert (await client.ping()).instance == "ins_scripted"
        assert daemon.connections == 1


async def test_cancelled_call_is_called_off(tmp_path: Path) -> None:
    """Cancelling the await sends cancel for its request and leaves the connection usable."""
    asked = asyncio.Event()

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "memory.add":
            asked.set()
        else:
            pong(request, connection)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        call = asyncio.create_task(client.add("x"))
        await asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await client.ping()
        add, cancel, _ = daemon.requests
        assert (cancel.method, cancel.params) == ("cancel", {"request_id": add.id})


async def test_abandoned_calls_keep_their_slots(tmp_path: Path) -> None:
    """Calls given up still count against the daemon's bound until it has answered them."""
    held: list[tuple[Request, ScriptedConnection]] = []

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "memory.recall":
            held.append((request, connection))
        else:
            pong(request, connection)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        await client.connect()
        recalls = (client.recall("x", deadline_ms=1) for _ in range(64))
        failures = await asyncio.gather(*recalls, return_exceptions=True)
        assert {type(failure) for failure in failures} == {CognidError}
        with pytest.raises(CognidError) as caught:
            await client.recall("x", deadline_ms=1)
        assert caught.value.code == "deadline_exceeded"
        assert len(held) == 64, "nothing was sent over the bound"
        held[0][1].error(held[0][0], "cancelled")
        assert (await client.ping()).instance == "ins_scripted"


async def test_answers_may_grow_fields(tmp_path: Path) -> None:
    """Unknown fields of an answer, at any depth, are let pass."""
    memory = {"memory_id": "mem_0", "revision": 1, "kind": "fact", "mood": {"deep": []}}

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, committed(request, memories=[memory], novelty=1))

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        outcome = await client.add("x")
        assert isinstance(outcome, Committed)
        assert outcome.memories[0].memory_id == "mem_0"


@pytest.mark.parametrize("result", [{}, [], None, {"outcome": "sold"}, {"outcome": "committed"}])
async def test_answer_of_another_shape_is_a_violation(tmp_path: Path, result: Any) -> None:
    """A result without its shape is protocol_violation of unknown effect, for that call alone."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "memory.add":
            connection.reply(request, result)
        else:
            pong(request, connection)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        id = new_operation_id()
        with pytest.raises(CognidError) as caught:
            await client.add("x", operation_id=id)
        assert (caught.value.code, caught.value.effect) == ("protocol_violation", "unknown")
        assert caught.value.operation_id == id
        assert "sold" not in str(caught.value)
        await client.ping()
        assert daemon.connections == 1


@pytest.mark.parametrize(
    "line", [b"canary\n", b"\xff\n", b'{"id":4711,"result":{}}\n', b"[]\n", b'{"id":[1]}\n']
)
async def test_garbage_ends_the_connection(tmp_path: Path, line: bytes) -> None:
    """A line that makes no sense fails what is in flight at once and never stands in an error."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) == 2:
            connection.raw(line)
        elif len(daemon.requests) > 2:
            pong(request, connection)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        await client.connect()
        write, read = await asyncio.gather(client.add("x"), client.ping(), return_exceptions=True)
        assert isinstance(write, OutcomeUnknownError)
        assert isinstance(read, CognidError)
        assert read.code == "protocol_violation"
        assert "canary" not in f"{write} {read}"
        assert (await client.ping()).instance == "ins_scripted"
        assert daemon.connections == 2


async def test_endless_line_is_bounded(tmp_path: Path) -> None:
    """An answer that never ends is cut off at the bridge's bound."""

    async def answer(request: Request, connection: ScriptedConnection) -> None:
        for _ in range(9):
            connection.raw(b"x" * 1024 * 1024)
            await connection.writer.drain()

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as caught:
            await client.ping()
        assert caught.value.code == "protocol_violation"


async def test_answer_in_pieces_is_put_together(tmp_path: Path) -> None:
    """An answer that comes byte by byte, two of them in one piece, is read all the same."""

    async def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) < 2:
            return
        lines = b"".join(
            b'{"jsonrpc":"2.0","id":%d,"result":{"instance":"%s"}}\n'
            % (int(asked.id), "ünï".encode())
            for asked in daemon.requests
        )
        for place in range(70):
            connection.raw(lines[place : place + 1])
            await connection.writer.drain()
            await asyncio.sleep(0)
        connection.raw(lines[70:])

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        pongs = await asyncio.gather(client.ping(), client.ping())
        assert [pong.instance for pong in pongs] == ["ünï", "ünï"]


async def test_daemons_errors_are_told_whole(tmp_path: Path) -> None:
    """A refusal carries code, detail, effect, retryability, remedy and the operation id."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.error(request, "storage_full", "bnk_1")

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        id = new_operation_id()
        with pytest.raises(CognidError) as caught:
            await client.add("x", operation_id=id)
        error = caught.value
        assert (error.code, error.detail, error.effect) == ("storage_full", "bnk_1", "none")
        assert (error.retryable, error.operation_id, error.exit) == (True, id, 74)


async def test_error_code_of_a_newer_daemon_is_kept(tmp_path: Path) -> None:
    """A code that this build does not know reaches the caller as it came."""
    line = (
        b'{"jsonrpc":"2.0","id":%d,"error":{"code":-1,"message":"m",'
        b'"data":{"code":"too_new","retryable":true,"effect":"none","remedy":"wait"}}}\n'
    )

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.raw(line % int(request.id))

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as caught:
            await client.ping()
        assert (caught.value.code, caught.value.remedy) == ("too_new", "wait")


async def test_invalid_arguments_are_found_before_sending(tmp_path: Path) -> None:
    """A wrong argument is named without being sent, and without its value."""
    async with ScriptedDaemon(tmp_path / "run") as daemon, client_of(daemon) as client:
        for call, field in (
            (client.recall("canary", limit=0), "limit"),
            (client.add("canary \ud800"), "text"),
            (client.add("canary", kind="canary"), "kind"),
            (client.add("canary", event_time=datetime(2026, 1, 1)), "event_time"),
            (client.add("canary", agent=""), "agent"),
            (client.add("canary", operation_id="canary"), "operation_id"),
            (client.remember(role="user", content="\ud800canary", stream="s"), "the request"),
            (client.inspect_get("canary", "mem_00000000000000"), "handle"),
        ):
            with pytest.raises(CognidError) as caught:
                await call
            assert caught.value.code == "invalid_argument"
            assert field in caught.value.detail
            assert "canary" not in str(caught.value)
            assert caught.value.__suppress_context__
        assert daemon.requests == []


async def test_request_over_the_line_bound_is_not_sent(tmp_path: Path) -> None:
    """A request that the bridge would refuse for its length fails at home, harmlessly."""
    async with ScriptedDaemon(tmp_path / "run") as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as caught:
            await client.remember(
                role="user", content="x", stream="s", data={"blob": "x" * 9_000_000}
            )
        assert (caught.value.code, caught.value.effect) == ("line_too_long", "none")
        await client.ping()


async def test_each_call_names_its_own_bank(tmp_path: Path) -> None:
    """Owner, agent and session of a call override the client's; a null agent is an agent too."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, committed(request))

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        AsyncClient(daemon.socket, daemon.credential, "ann", "a1", "s1") as client,
    ):
        await client.add("x")
        await client.add("x", owner="bob", agent=None, session_id=None)
        await client.add("x", agent="a2", session_id="s2")
    fields = ("owner", "agent", "session_id")
    sent = [tuple(request.params.get(name) for name in fields) for request in daemon.requests]
    assert sent == [("ann", "a1", "s1"), ("bob", None, None), ("ann", "a2", "s2")]


async def test_remember_sends_the_event_as_it_is_meant(tmp_path: Path) -> None:
    """An event carries role, content, speaker and its time with an offset; defaults stay out."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, committed(request))

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        await client.remember(
            role="assistant",
            content="naïve – “quoted” ✓ 東京",
            stream="chat",
            sequence=7,
            speaker="Ann",
            occurred_at=datetime(2026, 5, 8, 14, 2, tzinfo=UTC),
            labels=("a", "b"),
        )
    params = daemon.requests[0].params
    assert params["event"] == {
        "stream": "chat",
        "sequence": 7,
        "data": {"role": "assistant", "content": "naïve – “quoted” ✓ 東京", "speaker": "Ann"},
        "occurred_at": "2026-05-08T14:02:00.000000Z",
    }
    assert params["labels"] == ["a", "b"]
    assert params.keys() == {"operation_id", "labels", "event"}


async def test_generic_call_reaches_any_operation_of_the_table(tmp_path: Path) -> None:
    """`call` takes an operation by name with its request model; an unknown name is refused."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, {"outcome": "unsupported"})

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        assert isinstance(await client.call("knowledge.query", Knowledge()), Unsupported)
        with pytest.raises(CognidError) as caught:
            await client.call("memory.dream", Knowledge())
        assert caught.value.code == "unknown_operation"
        assert daemon.methods() == ["knowledge.query"]


async def test_calls_at_once_dial_once(tmp_path: Path) -> None:
    """However many calls need the first connection, one is made."""
    async with ScriptedDaemon(tmp_path / "run") as daemon, client_of(daemon) as client:
        await asyncio.gather(*(client.ping() for _ in range(30)))
        assert daemon.connections == 1


async def test_closing_settles_what_is_in_flight(tmp_path: Path) -> None:
    """Closing fails reads, leaves writes of unknown outcome, and no task behind."""
    asked = asyncio.Event()

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) == 2:
            asked.set()

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon:
        before = asyncio.all_tasks()
        client = client_of(daemon)
        await client.connect()
        calls = asyncio.gather(client.add("x"), client.ping(), return_exceptions=True)
        await asked.wait()
        await client.close()
        write, read = await calls
        assert isinstance(write, OutcomeUnknownError)
        assert isinstance(read, CognidError)
        assert read.code == "connection_lost"
        with pytest.raises(RuntimeError, match="closed"):
            await client.ping()
        await client.close()
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() <= before


async def test_client_belongs_to_one_loop(tmp_path: Path) -> None:
    """A client that was used on one event loop refuses another."""
    async with ScriptedDaemon(tmp_path / "run") as daemon, client_of(daemon) as client:
        await client.ping()
        with pytest.raises(RuntimeError, match="another event loop"):
            await asyncio.to_thread(lambda: asyncio.run(client.ping()))
