"""The provider where the daemon's answer is lost, late or none: nothing is repeated by itself, and
a host that repeats a write repeats it byte for byte."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.scripted_daemon import ScriptedConnection, ScriptedDaemon

from cognid import CognidError, EvidenceUnavailable, OutcomeUnknownError
from cognid.protocol.frames import Request
from cognid.provider import CognidProvider, RecallAnswer

STORED = {"memory_id": "mem_" + "1" * 32, "revision": 1, "kind": "remark"}
HANDLE = {
    "handle": f"mgr_{1:064x}",
    "expires_at": "2030-01-01T00:00:00Z",
    "epoch": "epo_1",
    "enabled": True,
}
Loses = Callable[[Request], bool]


def committed(request: Request) -> dict[str, Any]:
    """The answer to a write that was done."""
    event = request.params.get("event")
    return {
        "outcome": "committed",
        "operation_id": request.params["operation_id"],
        "memories": [STORED],
        "event": event and {"stream": event["stream"], "sequence": 1},
        "epoch": "epo_1",
    }


def scripted(folder: Path, loses: Loses) -> ScriptedDaemon:
    """A daemon that does every write, and hangs up instead of answering those it loses."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if loses(request):
            connection.hang_up()
        elif request.method == "configure.open":
            connection.reply(request, HANDLE)
        else:
            connection.reply(request, committed(request))

    return ScriptedDaemon(folder / "run", answer)


def provider_of(daemon: ScriptedDaemon) -> CognidProvider:
    """A provider of a scripted daemon, whose credential has no right to session messages."""
    return CognidProvider(daemon.socket, daemon.credential)


def bytes_of(request: Request) -> str:
    """A request's parameters with their order, as they came."""
    return json.dumps([request.method, request.params])


SAID = [{"role": "user", "content": f"Lamp {number}."} for number in range(3)]
USER_EVENT: dict[str, Any] = {
    "content": "Lamp.",
    "session_id": "s",
    "stream": "host",
    "sequence": 1,
    "event_hash": "0" * 64,
    "user_id": "local",
    "conversation": "c",
    "turn": "t",
}
WRITES: dict[str, Callable[[CognidProvider], Awaitable[object]]] = {
    "memory.remember": lambda provider: provider.remember("s", SAID[:1]),
    "memory.add": lambda provider: provider.add_memory("The lamp is in the hall."),
    "memory.forget": lambda provider: provider.delete_memory(STORED["memory_id"]),  # type: ignore[arg-type]
    "bank.ensure": lambda provider: provider.bootstrap_agent(None),
}


@pytest.mark.parametrize("operation", WRITES)
async def test_lost_answer_to_a_write_is_outcome_unknown(tmp_path: Path, operation: str) -> None:
    """The error carries the operation id, and the write was sent once."""
    async with (
        scripted(tmp_path, lambda request: request.method == operation) as daemon,
        provider_of(daemon) as provider,
    ):
        with pytest.raises(OutcomeUnknownError) as unknown:
            await WRITES[operation](provider)
    sent = [request for request in daemon.requests if request.method == operation]
    assert len(sent) == 1
    assert unknown.value.operation_id == sent[0].params["operation_id"]


@pytest.mark.parametrize("operation", ["memory.remember", "memory.add"])
async def test_repeated_write_is_the_byte_identical_request(tmp_path: Path, operation: str) -> None:
    """After a lost answer the same call sends the same bytes, also under the policy of a later
    turn; once it is through, the next one is a new write."""
    lost = [True]
    async with (
        scripted(tmp_path, lambda request: request.method == operation and lost.pop()) as daemon,
        provider_of(daemon) as provider,
    ):
        with pytest.raises(OutcomeUnknownError):
            await WRITES[operation](provider)
        lost.append(False)
        await WRITES[operation](provider.under({"mode": "proactive"}))
        lost.append(False)
        await WRITES[operation](provider)
    first, again, new = daemon.requests
    assert bytes_of(first) == bytes_of(again)
    assert first.params["policy_fingerprint"] == provider.policy.policy_fingerprint
    assert new.params["operation_id"] != first.params["operation_id"]


async def test_repeated_remember_goes_on_where_it_was(tmp_path: Path) -> None:
    """Of three messages the second one's answer is lost: the host's repetition replays the first
    two and sends the third for the first time."""
    asked = 0

    def second(request: Request) -> bool:
        nonlocal asked
        asked += 1
        return asked == 2

    async with scripted(tmp_path, second) as daemon, provider_of(daemon) as provider:
        with pytest.raises(OutcomeUnknownError):
            await provider.remember("s", SAID)
        assert len(daemon.requests) == 2
        await provider.remember("s", SAID)
    sent = [bytes_of(request) for request in daemon.requests]
    assert sent[2:4] == sent[0:2]
    assert len(sent) == 5
    contents = [request.params["event"]["data"]["content"] for request in daemon.requests[2:]]
    assert contents == ["Lamp 0.", "Lamp 1.", "Lamp 2."]


async def test_sealed_write_is_not_taken_up_again(tmp_path: Path) -> None:
    """Where the id was settled as never arrived, the host's next repetition has a new one."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if len(daemon.requests) == 1:
            connection.error(request, "operation_sealed")
        else:
            connection.reply(request, committed(request))

    daemon = ScriptedDaemon(tmp_path / "run", answer)
    async with daemon, provider_of(daemon) as provider:
        with pytest.raises(CognidError, match="operation_sealed"):
            await provider.add_memory("The lamp is in the hall.")
        await provider.add_memory("The lamp is in the hall.")
    first, again = daemon.requests
    assert first.params["operation_id"] != again.params["operation_id"]


async def test_lost_evidence_is_unavailable_and_sent_again_as_it_was(tmp_path: Path) -> None:
    """A lost answer is an outcome; with its operation id the same bytes go out."""
    lost = [True, False]
    async with (
        scripted(tmp_path, lambda _: lost.pop(0)) as daemon,
        provider_of(daemon) as provider,
    ):
        outcome = await provider.remember_user_event(**USER_EVENT)
        assert isinstance(outcome, EvidenceUnavailable)
        assert outcome.outcome_unknown
        settled = await provider.remember_user_event(
            **USER_EVENT, operation_id=outcome.operation_id
        )
        assert settled is not None
        assert settled.outcome == "accepted"
    assert bytes_of(daemon.requests[0]) == bytes_of(daemon.requests[1])


async def test_recall_that_is_late_is_named_and_not_raised(tmp_path: Path) -> None:
    """Where no pipeline answered in time the turn goes on without memories; search has no room to
    say so and raises."""
    state = {"state": "failed", "code": "deadline", "percent": None}
    late = {
        "outcome": "unavailable",
        "reason": "deadline",
        "pipelines": {"lexical": state, "vector": state},
        "epoch": "epo_1",
        "took_ms": 200.0,
    }

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, late)

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        provider_of(daemon) as provider,
    ):
        given = await provider.recall("lamp", include_instructions=True)
        assert isinstance(given, RecallAnswer)
        assert (given["search_results"], given["core_memories"]) == ([], None)
        assert (given.metadata["outcome"], given.metadata["reason"]) == ("unavailable", "deadline")
        assert given.metadata["degraded"] == ["core_unavailable", "unavailable"]
        assert given.metadata["core"] == {"outcome": "unavailable", "reason": "deadline"}
        with pytest.raises(CognidError) as unavailable:
            await provider.search("lamp")
        assert (unavailable.value.code, unavailable.value.retryable) == ("recall_unavailable", True)


async def test_health_without_a_daemon_is_told_and_not_raised(tmp_path: Path) -> None:
    """Where nothing answers the status is unavailable, with the error's code."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        provider = provider_of(daemon)
    async with provider:
        health = await provider.health()
    assert (health["status"], health["circuit_state"]) == ("unavailable", "open")
    assert health["error"] == "unreachable"


async def test_answer_and_messages_do_not_show_their_text(tmp_path: Path) -> None:
    """What could land in a log by its repr holds no memory text."""
    answer = RecallAnswer({"search_results": [{"memory": "amber"}], "stats": {"new_count": 1}}, {})
    assert "amber" not in repr(answer)
