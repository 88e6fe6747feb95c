"""What became of a trusted evidence: seven outcomes, none of them a guess, nothing sent twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.scripted_daemon import ScriptedConnection, ScriptedDaemon

from cognid import AgentConfigure, AsyncClient, Changed, Client, CognidError, Hits
from cognid.protocol.canonical import event_hash
from cognid.protocol.errors import ERRORS
from cognid.protocol.evidence import (
    Evidence,
    EvidenceAccepted,
    EvidenceConflict,
    EvidenceRecovered,
    EvidenceRejected,
    EvidenceReplayed,
    EvidenceSkipped,
    EvidenceUnavailable,
    parse_rejection,
)
from cognid.protocol.frames import Request
from cognid.protocol.ids import new_operation_id

STORED = {"memory_id": "mem_" + "1" * 32, "revision": 1, "kind": "remark"}
SAID: dict[str, Any] = {
    "content": "I moved to Prague.",
    "stream": "chat:9",
    "sequence": 7,
    "user_id": "user-1",
    "conversation": "conversation-1",
    "turn": "turn-1",
    "session_id": "session-1",
}
EVENT = {"stream": "chat:9", "sequence": 7}


def scripted(folder: Path, result: dict[str, Any]) -> ScriptedDaemon:
    """A daemon that answers every request so."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.reply(request, {"operation_id": request.params["operation_id"], **result})

    return ScriptedDaemon(folder / "run", answer)


def client_of(daemon: ScriptedDaemon) -> AsyncClient:
    """A client of a scripted daemon."""
    return AsyncClient(daemon.socket, daemon.credential)


def bytes_of(request: Request) -> str:
    """A request's parameters with their order, as they came."""
    return json.dumps(request.params)


ANSWERS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "committed": ({"outcome": "committed", "memories": [STORED], "epoch": "e"}, "accepted", None),
    "committed before": (
        {"outcome": "committed", "memories": [STORED], "epoch": "e", "replayed": True},
        "replayed",
        None,
    ),
    "duplicate": ({"outcome": "duplicate", "memories": [STORED], "event": EVENT}, "replayed", None),
    "filtered": (
        {"outcome": "rejected", "rules": ["credential.jwt"], "note": "A token.", "event": EVENT},
        "skipped",
        "filtered",
    ),
    "disabled": ({"outcome": "no_effect", "reason": "disabled"}, "skipped", "disabled"),
    "wiped": ({"outcome": "no_effect", "reason": "before_cutoff"}, "skipped", "before_cutoff"),
    "ended": ({"outcome": "no_effect", "reason": "epoch_ended"}, "skipped", "epoch_ended"),
    "forgotten": ({"outcome": "forgotten", "event": EVENT}, "skipped", "forgotten"),
    "changed": ({"outcome": "conflict", "reason": "evidence_changed"}, "conflict", None),
    "gap": ({"outcome": "delivery_gap", "last_sequence": 3}, "unavailable", "delivery_gap"),
}


@pytest.mark.parametrize(("result", "outcome", "reason"), ANSWERS.values(), ids=ANSWERS)
async def test_each_answer_has_its_outcome(
    tmp_path: Path, result: dict[str, Any], outcome: str, reason: str | None
) -> None:
    """Every answer of intake is one of the seven, with its reason and under its operation id."""
    operation_id = new_operation_id()
    async with scripted(tmp_path, result) as daemon, client_of(daemon) as client:
        came = await client.remember_user_event(**SAID, operation_id=operation_id)
    assert (came.outcome, came.operation_id) == (outcome, operation_id)
    if reason is not None:
        assert isinstance(came, EvidenceSkipped | EvidenceUnavailable)
        assert came.reason == reason
    if isinstance(came, EvidenceAccepted | EvidenceReplayed):
        assert [memory.memory_id for memory in came.memories] == [STORED["memory_id"]]
    if reason == "filtered":
        assert isinstance(came, EvidenceSkipped)
        assert (came.rules, came.note) == (["credential.jwt"], "A token.")


async def test_what_is_sent_is_the_strict_body(tmp_path: Path) -> None:
    """The body names actor, event and the one message; the hash is made of the event as it is."""
    async with scripted(tmp_path, ANSWERS["committed"][0]) as daemon, client_of(daemon) as client:
        await client.remember_user_event(
            "Cafe\u0301",
            stream="s1",
            sequence=7,
            user_id="u",
            conversation="c",
            turn="t1",
            session_id="s",
            data={"turn_id": "t1"},
        )
        await client.remember_user_event(**SAID, event_hash="a" * 64, owner="owner-1")
    made, given = (Evidence.model_validate(r.params["evidence"]) for r in daemon.requests)
    assert made.event.event_hash == (
        "2afa83d38a0481e6733dd1b5d9d991d9fc3e2eec042734f5bba89bc98d6c83ce"
    )
    assert made.content == "Cafe\u0301"
    assert given.event.event_hash == "a" * 64
    assert (given.event.id, given.event.session) == ("chat:9:7", "session-1")
    assert given.actor.owner_id == daemon.requests[1].params["owner"] == "owner-1"
    assert daemon.methods() == ["memory.remember_evidence"] * 2


async def test_lost_answer_is_unavailable_and_sent_once(tmp_path: Path) -> None:
    """A connection lost after sending is of unknown outcome: nothing is sent again by itself, and
    the caller's own retry is the same to the byte."""
    lose = True

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if lose:
            connection.hang_up()
        else:
            connection.reply(
                request,
                {**ANSWERS["committed"][0], "operation_id": request.params["operation_id"]},
            )

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        lost = await client.remember_user_event(**SAID)
        assert isinstance(lost, EvidenceUnavailable)
        assert lost.reason == "outcome_unknown"
        assert (lost.terminal, lost.retryable, lost.outcome_unknown) == (False, True, True)
        assert len(daemon.requests) == 1
        lose = False
        again = await client.remember_user_event(**SAID, operation_id=lost.operation_id)
        assert isinstance(again, EvidenceAccepted)
        first, second = daemon.requests
        assert bytes_of(first) == bytes_of(second)


async def test_late_answer_is_unavailable(tmp_path: Path) -> None:
    """No answer in time is of unknown outcome too."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        pass

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        late = await client.remember_user_event(**SAID, deadline_ms=1)
        assert isinstance(late, EvidenceUnavailable)
        assert daemon.methods() == ["memory.remember_evidence"]


async def test_nobody_there_is_unavailable(tmp_path: Path) -> None:
    """Without a daemon the evidence stays with its caller, to be sent again."""
    async with scripted(tmp_path, {}) as daemon, client_of(daemon) as client:
        await daemon.stop()
        came = await client.remember_user_event(**SAID)
        assert isinstance(came, EvidenceUnavailable)
        assert came.reason == "unreachable"
        came = await client.recover(came.operation_id)
        assert isinstance(came, EvidenceUnavailable)
        assert came.reason == "unreachable"


@pytest.mark.parametrize("code", sorted(ERRORS))
async def test_errors_are_unavailable_only_where_a_retry_could_help(
    tmp_path: Path, code: str
) -> None:
    """What is retryable or of unknown effect is unavailable; the caller's own faults are raised,
    and none is taken for a rejection."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.error(request, code)

    kind = ERRORS[code]
    spent = {"operation_sealed": "sealed", "operation_expired": "expired"}
    async with ScriptedDaemon(tmp_path / "run", answer) as daemon, client_of(daemon) as client:
        for work in (client.remember_user_event(**SAID), client.recover(new_operation_id())):
            if kind.retryable or kind.effect == "unknown" or code in spent:
                came = await work
                assert isinstance(came, EvidenceUnavailable)
                assert came.reason == spent.get(code, code)
            else:
                with pytest.raises(CognidError) as refused:
                    await work
                assert refused.value.code == code


async def test_too_long_is_a_typed_rejection(tmp_path: Path) -> None:
    """Over 400,000 characters: nothing is sent, and the rejection is the same however often."""
    operation_id = new_operation_id()
    said = {**SAID, "content": "😀" * 400_001, "operation_id": operation_id}
    async with scripted(tmp_path, ANSWERS["committed"][0]) as daemon, client_of(daemon) as client:
        came = await client.remember_user_event(**said)
        assert isinstance(came, EvidenceRejected)
        assert came.rejection.reason == "input_budget_exceeded"
        assert came.rejection.operation_id == operation_id
        assert parse_rejection(came.rejection.model_dump()) == came.rejection
        assert await client.remember_user_event(**said) == came
        assert daemon.connections == 0
        await client.remember_user_event(**{**said, "content": "😀" * 400_000})
        assert daemon.methods() == ["memory.remember_evidence"]


@pytest.mark.parametrize(
    "changed",
    [
        {"content": " \n"},
        {"content": "canary\0"},
        {"content": "canary\ud800"},
        {"sequence": -1},
        {"sequence": 2**53},
        {"stream": ""},
        {"turn": ""},
        {"user_id": "x" * 257},
        {"session_id": None},
        {"event_hash": "A" * 64},
        {"data": {"score": 0.5}},
        {"operation_id": "canary"},
    ],
    ids=repr,
)
async def test_callers_own_faults_are_errors(tmp_path: Path, changed: dict[str, Any]) -> None:
    """What is no evidence at all is an error, not a rejection: nothing is sent or shown of it."""
    async with scripted(tmp_path, {}) as daemon, client_of(daemon) as client:
        with pytest.raises(CognidError) as refused:
            await client.remember_user_event(**{**SAID, **changed})
        assert refused.value.code == "invalid_argument"
        assert "canary" not in str(refused.value)
        assert daemon.connections == 0


RESOLUTIONS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "committed": (
        {"outcome": "committed", "stored": {**ANSWERS["committed"][0], "event": EVENT}},
        "recovered",
        None,
    ),
    "duplicate": ({"outcome": "refused", "stored": ANSWERS["duplicate"][0]}, "recovered", None),
    "filtered": ({"outcome": "refused", "stored": ANSWERS["filtered"][0]}, "skipped", "filtered"),
    "forgotten": (
        {"outcome": "refused", "stored": ANSWERS["forgotten"][0]},
        "skipped",
        "forgotten",
    ),
    "wiped": (
        {"outcome": "committed", "stored": {**ANSWERS["wiped"][0], "was": "committed"}},
        "skipped",
        "before_cutoff",
    ),
    "changed": ({"outcome": "refused", "stored": ANSWERS["changed"][0]}, "conflict", None),
    "sealed": ({"outcome": "sealed"}, "unavailable", "sealed"),
    "pending": ({"outcome": "pending"}, "unavailable", "pending"),
    "expired": ({"outcome": "expired"}, "unavailable", "expired"),
}


@pytest.mark.parametrize(("result", "outcome", "reason"), RESOLUTIONS.values(), ids=RESOLUTIONS)
async def test_each_resolution_has_its_outcome(
    tmp_path: Path, result: dict[str, Any], outcome: str, reason: str | None
) -> None:
    """What operation.resolve settles is recovered, or what it would have been."""
    operation_id = new_operation_id()
    async with scripted(tmp_path, result) as daemon, client_of(daemon) as client:
        came = await client.recover(operation_id)
        assert daemon.methods() == ["operation.resolve"]
    assert (came.outcome, came.operation_id) == (outcome, operation_id)
    if reason is not None:
        assert isinstance(came, EvidenceSkipped | EvidenceUnavailable)
        assert came.reason == reason
    if outcome == "recovered":
        assert isinstance(came, EvidenceRecovered)
        assert [memory.memory_id for memory in came.memories] == [STORED["memory_id"]]


async def test_other_operations_are_not_recovered(tmp_path: Path) -> None:
    """The operation id of a forget is none of an evidence, whatever it came to."""
    stored = {"outcome": "committed", "affected": ["mem_1"]}
    async with (
        scripted(tmp_path, {"outcome": "committed", "stored": stored}) as daemon,
        client_of(daemon) as client,
    ):
        with pytest.raises(CognidError, match="none of intake"):
            await client.recover(new_operation_id())


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has an agent of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


@pytest.fixture
def client(shared: DaemonProcess, request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of an agent of this test's own, with a bank."""
    name = request.node.name
    with Client(shared.places.socket, shared.credential(), agent=name) as made:
        made.ensure_bank(enabled=True)
        yield made


def recalled(client: Client, query: str) -> list[str]:
    """The texts of a recall."""
    answer = client.recall(query, limit=100, deadline_ms=5_000)
    return [hit.text for hit in answer.hits] if isinstance(answer, Hits) else []


def test_evidence_is_accepted_then_replayed(client: Client) -> None:
    """It is remembered once: under its own operation id again, and under another, it is a replay
    that names the same memories."""
    first = client.remember_user_event(**SAID)
    assert isinstance(first, EvidenceAccepted)
    assert SAID["content"] in recalled(client, "Prague")
    same = client.remember_user_event(**SAID, operation_id=first.operation_id)
    other = client.remember_user_event(**SAID)
    for again in (same, other):
        assert isinstance(again, EvidenceReplayed)
        assert again.memories == first.memories
    assert client.bank_status().memories == len(first.memories)


def test_changed_content_is_a_conflict(client: Client) -> None:
    """The same root with other content is refused, and what is there stays as it was."""
    digest = event_hash("chat:9", 7, "user_message", {"role": "user", "content": SAID["content"]})
    assert isinstance(client.remember_user_event(**SAID), EvidenceAccepted)
    changed = client.remember_user_event(
        **{**SAID, "content": "I moved to Brno.", "event_hash": digest}
    )
    assert isinstance(changed, EvidenceConflict)
    assert isinstance(
        client.remember_user_event(**{**SAID, "content": "I moved to Brno."}), EvidenceConflict
    )
    assert recalled(client, "Brno") == []
    assert isinstance(client.remember_user_event(**SAID), EvidenceReplayed)


def test_filtered_evidence_is_skipped_with_its_rules(client: Client) -> None:
    """A secret, or what is asked not to be remembered, is skipped, also when it comes again."""
    secret = {**SAID, "content": "My password is hunter2-Correct!9"}
    for _ in range(2):
        came = client.remember_user_event(**secret)
        assert isinstance(came, EvidenceSkipped)
        assert came.reason == "filtered"
        assert any(rule.startswith("credential.") for rule in came.rules)
    withheld = {**SAID, "sequence": 8, "content": "Please do not remember this: I like Brno."}
    came = client.remember_user_event(**withheld)
    assert isinstance(came, EvidenceSkipped)
    assert any(rule.startswith("withheld.") for rule in came.rules)
    assert client.bank_status().memories == 0


def test_disabled_and_forgotten_evidence_is_skipped(client: Client, shared: DaemonProcess) -> None:
    """What was forgotten does not come back, and what was said while memory was off stays out."""
    first = client.remember_user_event(**SAID)
    assert isinstance(first, EvidenceAccepted)
    where = (shared.places.socket, shared.credential())
    with AgentConfigure(*where, agent=client.agent) as configure:
        remark = first.memories[0].memory_id
        assert isinstance(configure.memory.forget([remark], confirmed=True), Changed)
        came = client.remember_user_event(**SAID)
        assert isinstance(came, EvidenceSkipped)
        assert came.reason == "forgotten"
        # Under its own operation id it is told again what it came to then, and does not come back.
        client.remember_user_event(**SAID, operation_id=first.operation_id)
        assert recalled(client, "Prague") == []
        configure.memory.set_enabled(False)
        off = {**SAID, "sequence": 8, "content": "I like Brno."}
        came = client.remember_user_event(**off)
        assert isinstance(came, EvidenceSkipped)
        assert came.reason == "disabled"
        configure.memory.set_enabled(True)
        came = client.remember_user_event(**off)
        assert isinstance(came, EvidenceSkipped)
        assert recalled(client, "Brno") == []


def test_recover_settles_for_good(client: Client) -> None:
    """What arrived is recovered; what did not is sealed, and goes in under a new operation id."""
    accepted = client.remember_user_event(**SAID)
    recovered = client.recover(accepted.operation_id)
    assert isinstance(recovered, EvidenceRecovered)
    assert isinstance(accepted, EvidenceAccepted)
    assert recovered.memories == accepted.memories
    never = new_operation_id()
    later = {**SAID, "sequence": 8, "content": "I like Brno."}
    for came in (client.recover(never), client.remember_user_event(**later, operation_id=never)):
        assert isinstance(came, EvidenceUnavailable)
        assert came.reason == "sealed"
    assert recalled(client, "Brno") == []
    assert isinstance(client.remember_user_event(**later), EvidenceAccepted)


def test_another_owner_is_refused(client: Client) -> None:
    """An evidence of another owner than the request's is an identity mismatch, not a rejection."""
    evidence = Evidence.model_validate(
        {
            "version": 1,
            "actor": {"user_id": "user-1", "owner_id": "somebody"},
            "event": {
                "id": "chat:9:7",
                "event_hash": "a" * 64,
                "session": "s",
                "conversation": "c",
                "turn": "t",
            },
            "messages": [{"role": "user", "content": "I moved to Prague."}],
        }
    )
    with pytest.raises(CognidError) as refused:
        client.remember_evidence(evidence)
    assert refused.value.code == "identity_mismatch"
    assert client.bank_status().memories == 0
