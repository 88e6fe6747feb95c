"""memory.explain: what intake would do, and that it does nothing."""

from __future__ import annotations

from typing import Any

from support.daemon import DaemonProcess
from support.talk import Agent, operation, pair

from cognid.client import Client

TURN = "I moved to Porto yesterday. What is the weather there? I prefer mint tea in the morning."


def _explain(bank: Agent, content: str, **fields: Any) -> dict[str, Any]:
    return bank.result("memory.explain", {"content": content, **fields})


def test_what_is_explained_is_what_remember_then_does(bank: Agent) -> None:
    """The same spans, kinds and dates; and until then nothing of it is in the bank."""
    said_at = "2026-05-02T10:00:00+02:00"
    explained = _explain(bank, TURN, occurred_at=said_at)
    assert (explained["outcome"], explained["would"]) == ("explained", "store")
    assert (explained["rules"], explained["note"], explained["intent"]) == ([], None, "none")
    assert explained["facts"]
    assert "question" in {part["reason"] for part in explained["dropped"]}
    status = bank.result("bank.status")
    assert (status["memories"], status["events"], status["receipts"]) == (0, 0, 0)
    assert status["ledger_entries"] == 0
    event = {
        "stream": "s",
        "data": {"role": "user", "content": TURN},
        "occurred_at": said_at,
    }
    made = bank.result("memory.remember", {"event": event, **operation()})
    facts = [bank.shown(one["memory_id"])["memory"] for one in made["memories"][1:]]
    told = ("kind", "confidence", "event_time", "valid_from", "valid_until")
    assert [
        {"span": fact["source"]["span"], **{name: fact[name] for name in told}} for fact in facts
    ] == [{name: fact[name] for name in ("span", *told)} for fact in explained["facts"]]
    assert {fact["text"] for fact in facts} == {
        TURN[slice(*fact["span"])] for fact in explained["facts"]
    }


def test_the_text_is_not_repeated(bank: Agent) -> None:
    """Spans and rules only."""
    assert "Porto" not in str(_explain(bank, TURN))


def test_a_turn_that_would_be_rejected_says_by_which_rules(bank: Agent) -> None:
    """With the intent, the scope and the sentence for a person; no facts are listed."""
    explained = _explain(bank, "Please don't remember this, but I moved to Porto.")
    assert (explained["would"], explained["rules"]) == ("reject", ["withheld.message"])
    assert (explained["intent"], explained["scope"]) == ("no_store", "message")
    assert explained["note"]
    assert (explained["facts"], explained["dropped"]) == ([], [])
    system = _explain(bank, "Be brief.", role="system")
    assert (system["would"], system["rules"]) == ("reject", ["role_not_kept"])


def test_what_the_session_withholds_counts(bank: Agent) -> None:
    """In the session that was asked for, and only there; asking changes nothing of it."""
    bank.remember("Do not log the next message, please.", session_id="s")
    for _ in range(2):
        explained = _explain(bank, TURN, session_id="s")
        assert explained["rules"] == ["withheld.after_request"]
    assert _explain(bank, TURN, session_id="other")["would"] == "store"
    assert _explain(bank, TURN)["would"] == "store"


def test_only_the_users_turns_have_facts(bank: Agent) -> None:
    """An assistant's turn is kept as a remark."""
    explained = _explain(bank, TURN, role="assistant")
    assert (explained["would"], explained["facts"], explained["dropped"]) == ("store", [], [])


def test_it_needs_the_right_to_remember(bank: Agent, shared_daemon: DaemonProcess) -> None:
    """Who may only recall learns nothing of the session's state."""
    reader = pair(bank.connection, "explain-reader", rights=["recall"])
    with shared_daemon.connect(reader) as connection:
        error = connection.error("memory.explain", {**bank.whose, "content": TURN})
        assert error["code"] == "forbidden"


def test_it_works_without_a_bank_and_while_memory_is_off(
    bank: Agent, shared_daemon: DaemonProcess
) -> None:
    """Where there is no bank yet nothing is withheld; where memory is off the note says so."""
    whose = {"owner": "local", "agent": "not-there-yet"}
    explained = bank.connection.result("memory.explain", {**whose, "content": TURN})
    assert explained["would"] == "store"
    bank.set_enabled(False)
    assert "switched off" in _explain(bank, TURN)["note"]


def test_the_longest_text_is_explained(bank: Agent) -> None:
    """400,000 characters, off the loop: another connection is answered meanwhile."""
    long = (TURN + " ") * (400_000 // (len(TURN) + 1))
    explained = _explain(bank, long)
    assert explained["would"] == "store"
    assert all(0 <= part["span"][0] < part["span"][1] <= len(long) for part in explained["facts"])


def test_the_client_has_it(shared_daemon: DaemonProcess) -> None:
    """The blocking face asks the same."""
    with Client(
        shared_daemon.places.socket, shared_daemon.credential(), agent="by-client"
    ) as client:
        reply = client.explain(TURN)
        assert (reply.would, reply.intent) == ("store", "none")
        assert [TURN[slice(*fact.span)] for fact in reply.facts]
