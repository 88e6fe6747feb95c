"""Trusted evidence over a real daemon: what makes it the same, and what is left of it after a
forget and a wipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.banks_room import AGENT, OWNER, BanksRoom, banks_room, cutoff
from support.daemon import WITHOUT_MODEL, running
from support.talk import Agent, id_of, operation

from cognid.protocol.canonical import event_hash
from cognid.protocol.evidence import Evidence, RememberEvidence
from cognid.protocol.ids import new_operation_id
from cognid.protocol.values import Role
from cognid_daemon.banks import Lease
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.evidence import identity_of, told_by, witnessing
from cognid_daemon.intake.promotion import prepare

SAID = "Jonas sold the boat."


def _data(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _evidence(content: str = SAID, sequence: int = 7, **changed: Any) -> dict[str, Any]:
    event = {
        "id": f"host:{sequence}",
        "event_hash": event_hash("host", sequence, "user_message", _data(content)),
        "session": "session-1",
        "conversation": "conversation-1",
        "turn": "turn-1",
        **changed.pop("event", {}),
    }
    return {
        "version": 1,
        "actor": {"user_id": "user-1", "owner_id": "local"},
        "event": event,
        "messages": [{"role": "user", "content": content}],
        **changed,
    }


def _request(evidence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"evidence": evidence, **operation(), **fields}


def _remember(bank: Agent, evidence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return bank.result("memory.remember_evidence", _request(evidence, **fields))


def test_evidence_becomes_an_explicit_remark_of_its_event(bank: Agent) -> None:
    """Session, time, stream, sequence and hash are those of the evidence."""
    made = _remember(bank, _evidence(), occurred_at="2026-05-01T10:00:00Z")
    assert (made["outcome"], made["event"]) == ("committed", {"stream": "host", "sequence": 7})
    remark = bank.shown(id_of(made))["memory"]
    assert (remark["text"], remark["provenance"], remark["kind"]) == (SAID, "explicit", "remark")
    assert (remark["session_id"], remark["role"]) == ("session-1", "user")
    assert remark["event_time"] == "2026-05-01T10:00:00.000000Z"
    assert remark["source"]["event"] == {
        "stream": "host",
        "sequence": 7,
        "type": "user_message",
        "hash": _evidence()["event"]["event_hash"],
        "occurred_at": "2026-05-01T10:00:00.000000Z",
    }


def test_facts_are_found_in_evidence_as_in_every_turn(bank: Agent) -> None:
    """What the user said of themselves stands beside the remark, with its span."""
    made = _remember(bank, _evidence("I moved to Porto. I prefer mint tea."))
    facts = [bank.shown(one["memory_id"])["memory"] for one in made["memories"][1:]]
    assert facts
    for fact in facts:
        start, end = fact["source"]["span"]
        assert fact["text"] == "I moved to Porto. I prefer mint tea."[start:end]
        assert fact["provenance"] == "explicit"


def test_the_same_evidence_again_is_a_replay(bank: Agent) -> None:
    """Under the same operation the stored outcome, under another one a duplicate; nothing more is
    stored."""
    request = _request(_evidence())
    first = bank.result("memory.remember_evidence", request)
    assert bank.result("memory.remember_evidence", request) == {**first, "replayed": True}
    again = _remember(bank, _evidence())
    assert (again["outcome"], again["memories"]) == ("duplicate", first["memories"])
    assert len(bank.listed()) == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        # The same root with other content.
        ({"messages": [{"role": "user", "content": "Jonas kept the boat."}]}, "evidence_changed"),
        ({"event": {"event_hash": "a" * 64}}, "sequence_reused"),
        # Another root for the same event.
        ({"event": {"turn": "turn-2"}}, "evidence_changed"),
        ({"event": {"session": "session-2"}}, "evidence_changed"),
        ({"event": {"conversation": "conversation-2"}}, "evidence_changed"),
        ({"actor": {"user_id": "user-2", "owner_id": "local"}}, "evidence_changed"),
    ],
)
def test_changed_evidence_is_a_conflict(bank: Agent, changed: dict[str, Any], reason: str) -> None:
    """Nothing is done, no receipt stays, and the right one is a duplicate under the same id."""
    _remember(bank, _evidence())
    request = _request(_evidence(**changed))
    clash = bank.result("memory.remember_evidence", request)
    assert (clash["outcome"], clash["reason"]) == ("conflict", reason)
    right = {**request, "evidence": _evidence()}
    assert bank.result("memory.remember_evidence", right)["outcome"] == "duplicate"
    assert [memory["text"] for memory in bank.listed()] == [SAID]


def test_an_event_and_its_evidence_are_one(bank: Agent) -> None:
    """Whichever comes first, the other is a duplicate; afterwards other evidence of the event is a
    conflict. Content that the event hash does not hold does not pass for the event."""
    event = {"stream": "host", "sequence": 7, "type": "user_message", "data": _data(SAID)}
    assert bank.result("memory.remember", {"event": event, **operation()})["outcome"] == (
        "committed"
    )
    assert _remember(bank, _evidence())["outcome"] == "duplicate"
    assert _remember(bank, _evidence(event={"turn": "turn-2"}))["outcome"] == "conflict"

    lie = _evidence(sequence=8, messages=[{"role": "user", "content": "Jonas sank the boat."}])
    assert _remember(bank, lie)["outcome"] == "committed"
    event = {**event, "sequence": 8}
    told = bank.result("memory.remember", {"event": event, **operation()})
    assert (told["outcome"], told["reason"]) == ("conflict", "evidence_changed")


def test_corrected_evidence_is_still_the_same(bank: Agent) -> None:
    """It is compared with what was said, not with what the memory says now."""
    made = _remember(bank, _evidence())
    bank.correct(id_of(made), 1, "Jonas sold the old boat.")
    assert _remember(bank, _evidence())["outcome"] == "duplicate"


def test_forgotten_evidence_does_not_return(bank: Agent) -> None:
    """The same operation and the same evidence under another one answer forgotten; so does other
    content, since nothing is left to compare it with."""
    request = _request(_evidence())
    bank.forget(id_of(bank.result("memory.remember_evidence", request)))
    assert bank.result("memory.remember_evidence", request)["outcome"] == "forgotten"
    assert _remember(bank, _evidence())["outcome"] == "forgotten"
    other = _evidence(messages=[{"role": "user", "content": "Anything"}])
    assert _remember(bank, other)["outcome"] == "forgotten"
    assert bank.listed() == []


def test_filtered_evidence_is_rejected_and_replayed_so(bank: Agent) -> None:
    """With its rules, under any operation id; its text is nowhere."""
    evidence = _evidence("Please don't remember this: I am ill.")
    for _ in range(2):
        answer = _remember(bank, evidence)
        assert (answer["outcome"], answer["rules"]) == ("rejected", ["withheld.message"])
    assert bank.listed() == []


def test_evidence_has_no_effect_while_memory_is_off_and_after_a_wipe(bank: Agent) -> None:
    """Off: it is passed over for good. Wiped: what was known before has no effect."""
    bank.set_enabled(False)
    assert _remember(bank, _evidence())["reason"] == "disabled"
    bank.set_enabled(True)
    assert _remember(bank, _evidence())["reason"] == "disabled"
    known = _request(_evidence(sequence=8))
    bank.result("memory.remember_evidence", known)
    bank.delete_all()
    for again in (known, {**known, **operation()}):
        answer = bank.result("memory.remember_evidence", again)
        assert (answer["outcome"], answer["reason"]) == ("no_effect", "before_cutoff")
    assert _remember(bank, _evidence(sequence=9))["outcome"] == "committed"


def test_the_owner_of_evidence_is_the_requests(bank: Agent) -> None:
    """A body that names another owner is refused and stored nowhere."""
    other = _evidence(actor={"user_id": "user-1", "owner_id": "somebody"})
    error = bank.error("memory.remember_evidence", _request(other))
    assert (error["code"], error["effect"]) == ("identity_mismatch", "none")
    assert bank.listed() == []


@pytest.mark.parametrize(
    "changed",
    [
        {"version": True},
        {"version": 2},
        {"more": 1},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": SAID}]},
        {"messages": [{"role": "user", "content": SAID}] * 2},
        {"messages": [{"role": "user", "content": " "}]},
        {"event": {"id": "host"}},
        {"event": {"id": "host:07"}},
        {"event": {"event_hash": "A" * 64}},
        {"event": {"turn": ""}},
        {"event": {"turn": "t" * 257}},
        {"event": {"header": "x"}},
    ],
)
def test_a_body_of_another_form_is_refused(bank: Agent, changed: dict[str, Any]) -> None:
    """The strict form over the wire: nothing is taken, and the error quotes nothing."""
    error = bank.error("memory.remember_evidence", _request(_evidence(**changed)))
    assert (error["code"], error["effect"]) == ("invalid_argument", "none")
    assert "Jonas" not in str(error)
    assert bank.listed() == []


def test_evidence_outlives_a_restart(bank: Agent) -> None:
    """It is known by what stands in the file."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            first = _remember(Agent(connection, "person"), _evidence())
        daemon.restart()
        with daemon.connect() as connection:
            again = _remember(Agent(connection, "person"), _evidence())
            assert (again["outcome"], again["memories"]) == ("duplicate", first["memories"])


# What a wipe carries over.


async def _witness(lease: Lease, evidence: Evidence) -> str:
    operation_id = new_operation_id()
    request = RememberEvidence(
        owner=OWNER, agent=AGENT, operation_id=operation_id, evidence=evidence
    )
    order = Order(
        operation_id=operation_id,
        operation="memory.remember_evidence",
        digest=bytes(32),
        authority="crd_test",
        policy_fingerprint=None,
        epoch=lease.record.epoch,
        enabled=lease.record.enabled,
        horizon=0,
        fence=lease.bank.fence,
    )
    told = told_by(request)
    apply = witnessing(order, request, told, prepare(told, extracts=False), set(Role))
    return (await lease.bank.submit(apply).outcome()).outcome


async def test_a_wipe_carries_the_identity_of_evidence_and_no_digest_of_its_text(
    tmp_path: Path,
) -> None:
    """Through two wipes, even where its stream is not known any more. What is carried is the same
    whatever was said."""
    evidence = _model(SAID)
    async with banks_room(tmp_path / "data") as room:
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert await _witness(lease, evidence) == "committed"
        for _ in range(2):
            await room.banks.delete_all(
                OWNER, AGENT, cutoff("bank.delete_all"), deadline=float("inf")
            )
            assert await _past(room) == [identity_of(evidence)]
            async with room.banks.lease(OWNER, AGENT) as lease:
                await lease.bank.submit(
                    lambda tx: tx.connection.execute("DELETE FROM cutoffs") and None
                ).outcome()
                assert await _witness(lease, evidence) == "no_effect"
    assert identity_of(evidence) == identity_of(_model("Something else"))
    assert identity_of(evidence).hex() != evidence.root


def _model(content: str) -> Evidence:
    body = _evidence(content)
    return Evidence.model_validate({**body, "actor": {"user_id": "user-1", "owner_id": OWNER}})


async def _past(room: BanksRoom) -> list[bytes]:
    async with room.banks.lease(OWNER, AGENT) as lease:
        rows = await lease.bank.read(
            lambda connection: connection.execute("SELECT evidence FROM past_evidence").fetchall()
        )
        return [row[0] for row in rows]
