"""Correct, forget, history and their receipts over the socket: each answer and its replay."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from support.daemon import DaemonProcess
from support.talk import Agent, id_of, operation

# Forget.


def test_a_forget_answers_what_went_and_what_is_left(bank: Agent) -> None:
    """committed, the ids, and a projection of the bank without them."""
    kept = id_of(bank.add("The kettle is blue"))
    gone = id_of(bank.add("The ladder is in the shed"))
    answer = bank.forget(gone)
    assert answer["outcome"] == "committed"
    assert (answer["affected"], answer["already_absent"]) == ([gone], [])
    assert answer["erased"] in (True, False)
    projection = answer["projection"]
    assert [memory["memory_id"] for memory in projection["memories"]] == [kept]
    assert (projection["total"], projection["by_kind"]) == (1, {"fact": 1})
    assert projection["enabled"] is True
    assert projection["epoch"] == bank.result("bank.status")["epoch"]


def test_a_forgotten_memory_is_marked_and_nothing_more(bank: Agent) -> None:
    """get says forgotten, history has its entries without a word of the text."""
    memory_id = id_of(bank.add("The ladder is in the shed", speaker="Oona"))
    bank.forget(memory_id)
    assert bank.shown(memory_id)["view"] == "forgotten"
    history = bank.history(memory_id)
    assert history["lifecycle"] == "forgotten"
    assert [entry["operation"] for entry in history["entries"]] == ["memory.add", "memory.forget"]
    assert [entry["text"] for entry in history["entries"]] == [None, None]
    assert history["entries"][1]["lifecycle"] == "forgotten"
    assert "ladder" not in json.dumps(history)
    assert "Oona" not in json.dumps(history)


def test_a_forget_of_the_unknown_does_nothing_at_all(bank: Agent) -> None:
    """All or nothing: one id that never was leaves the others where they are."""
    known, never = id_of(bank.add("The kettle is blue")), f"mem_{'0' * 32}"
    answer = bank.forget(known, never)
    assert (answer["outcome"], answer["unknown"]) == ("not_found", [never])
    assert bank.shown(known)["view"] == "get"


def test_a_second_forget_says_already_absent(bank: Agent) -> None:
    """71: twice is no fault and no lie; a mixed one does the rest."""
    one, two = id_of(bank.add("The kettle is blue")), id_of(bank.add("The mat is red"))
    bank.forget(one)
    again = bank.forget(one)
    assert (again["outcome"], again["already_absent"]) == ("already_absent", [one])
    assert again["projection"]["total"] == 1
    both = bank.forget(one, two)
    assert (both["outcome"], both["affected"], both["already_absent"]) == (
        "committed",
        [two],
        [one],
    )


def test_a_forget_minds_the_revision_that_was_seen(bank: Agent) -> None:
    """A stale expectation is a conflict with the current revision, and nothing is forgotten."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    bank.correct(memory_id, 1, "SSH is on port 49222")
    target = {"memory_id": memory_id, "expected_revision": 1}
    answer = bank.forget(targets=[target])
    assert (answer["outcome"], answer["reason"]) == ("conflict", "revision_stale")
    assert answer["current"] == {memory_id: 2}
    assert bank.shown(memory_id)["view"] == "get"
    assert bank.forget(targets=[{**target, "expected_revision": 2}])["outcome"] == "committed"


@pytest.mark.parametrize(
    "fields",
    [
        {"confirmed": False},
        {"confirmed": None},
        {"targets": []},
        {"targets": [{"memory_id": "mem_000000000000"}] * 2},
        {"targets": [{"memory_id": f"mem_{number:012x}"} for number in range(257)]},
        {"targets": ["mem_000000000000"]},
        {"targets": [{"memory_id": "*"}]},
    ],
)
def test_a_forget_that_is_not_exact_is_refused(bank: Agent, fields: dict[str, Any]) -> None:
    """confirmed must be true, and the targets 1 to 256 exact ids, each once."""
    params = {
        "handle": bank.handle(),
        "targets": [{"memory_id": f"mem_{'0' * 32}"}],
        "confirmed": True,
        **operation(),
        **fields,
    }
    assert bank.error("memory.forget", params)["code"] == "invalid_argument"


def test_an_exact_repetition_answers_the_stored_outcome_and_the_bank_as_it_is(bank: Agent) -> None:
    """The projection of a replay is read anew; the handle may be another."""
    memory_id = id_of(bank.add("The kettle is blue"))
    same = operation()
    first = bank.forget(memory_id, **same)
    bank.add("The mat is red")
    again = bank.forget(memory_id, **same)
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert (again["outcome"], again["affected"]) == ("committed", [memory_id])
    assert (first["projection"]["total"], again["projection"]["total"]) == (0, 1)


def test_a_changed_repetition_is_a_conflict(bank: Agent) -> None:
    """The same id for other targets does nothing."""
    one, two = id_of(bank.add("The kettle is blue")), id_of(bank.add("The mat is red"))
    same = operation()
    bank.forget(one, **same)
    answer = bank.forget(two, **same)
    assert (answer["outcome"], answer["reason"]) == ("conflict", "operation_reused")
    assert bank.shown(two)["view"] == "get"


def test_an_operation_id_of_another_kind_is_a_conflict(bank: Agent) -> None:
    """The id of an add is no id of a forget, nor the other way round; with a digest or without."""
    added = operation()
    memory_id = id_of(bank.add("The kettle is blue", **added))
    assert bank.forget(memory_id, **added)["reason"] == "operation_reused"
    forgot = operation()
    bank.forget(memory_id, **forgot)
    assert bank.add("The mat is red", **forgot)["reason"] == "operation_reused"
    assert bank.forget(memory_id, **added)["reason"] == "operation_reused"


# Previews.


def test_a_preview_changes_nothing_and_its_token_confirms_exactly_it(bank: Agent) -> None:
    """72: list first, then do; the ids must equal what was listed."""
    ids = [id_of(bank.add(f"Note {number} about the boat")) for number in range(3)]
    bank.add("The kettle is blue")
    preview = bank.preview(text="BOAT")
    assert [one["memory_id"] for one in preview["affected"]] == ids[::-1]
    assert preview["total"] == 3
    assert {one["because"] for one in preview["affected"]} == {"named"}
    assert preview["affected"][0]["excerpt"] == "Note 2 about the boat"
    assert len(bank.listed()) == 4
    token = {"preview_token": preview["preview_token"]}
    fewer = bank.forget(*ids[:2], **token)
    assert (fewer["outcome"], fewer["reason"]) == ("conflict", "preview_stale")
    assert bank.forget(*ids, **token)["outcome"] == "committed"
    assert [memory["text"] for memory in bank.listed()] == ["The kettle is blue"]


def test_a_preview_that_has_grown_old_confirms_nothing(bank: Agent) -> None:
    """A memory that was corrected since it was listed is a conflict."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    preview = bank.preview(targets=[{"memory_id": memory_id}])
    bank.correct(memory_id, 1, "SSH is on port 49222")
    answer = bank.forget(memory_id, preview_token=preview["preview_token"])
    assert (answer["outcome"], answer["reason"]) == ("conflict", "preview_stale")
    assert answer["current"] == {memory_id: 2}


def test_a_preview_names_what_is_unknown_absent_or_stale(bank: Agent) -> None:
    """Then there is no token: it cannot be confirmed as it stands."""
    there, gone = id_of(bank.add("The kettle is blue")), id_of(bank.add("The mat is red"))
    bank.forget(gone)
    never = f"mem_{'0' * 32}"
    targets = [{"memory_id": one} for one in (there, gone, never)]
    preview = bank.preview(targets=targets)
    assert preview["unknown"] == [never]
    assert preview["already_absent"] == [gone]
    assert preview["preview_token"] is None
    stale = bank.preview(targets=[{"memory_id": there, "expected_revision": 7}])
    assert (stale["stale"], stale["preview_token"]) == ({there: 1}, None)


def test_a_preview_of_more_than_one_forget_takes_tells_how_many(bank: Agent) -> None:
    """The newest 256 are listed, and the total."""
    for number in range(258):
        bank.connection.send(
            "memory.add", {**bank.whose, "text": f"Note {number}", **operation()}, id=f"n{number}"
        )
        bank.connection.answer(f"n{number}")
    preview = bank.preview(kinds=["fact"])
    assert (len(preview["affected"]), preview["total"]) == (256, 258)
    ids = [one["memory_id"] for one in preview["affected"]]
    bank.forget(*ids, preview_token=preview["preview_token"])
    assert sorted(memory["text"] for memory in bank.listed()) == ["Note 0", "Note 1"]


def test_a_preview_without_anything_to_go_by_is_refused(bank: Agent) -> None:
    """Neither ids nor a filter is not a way to say everything."""
    handle = {"handle": bank.handle()}
    assert bank.error("memory.forget_preview", handle)["code"] == "invalid_argument"
    both = {"targets": [{"memory_id": "mem_000000000000"}], "text": "x"}
    assert bank.error("memory.forget_preview", {**handle, **both})["code"] == "invalid_argument"


# Correct.


def test_a_correct_makes_a_new_revision_and_keeps_the_old_one_in_history(bank: Agent) -> None:
    """39: the earlier value can be read, with the time at which it ended."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    answer = bank.correct(memory_id, 1, "SSH is on port 49222")
    assert (answer["outcome"], answer["affected"], answer["revision"]) == (
        "committed",
        [memory_id],
        2,
    )
    assert [memory["text"] for memory in answer["projection"]["memories"]] == [
        "SSH is on port 49222"
    ]
    shown = bank.shown(memory_id)
    assert shown["memory"]["revision"] == 2
    assert [one["lifecycle"] for one in shown["revisions"]] == ["superseded", "current"]
    assert shown["revisions"][0]["ended_at"] is not None
    entries = bank.history(memory_id)["entries"]
    texts = [(entry["revision"], entry["text"]) for entry in entries if entry["text"]]
    assert texts == [(1, "SSH is on port 22"), (2, "SSH is on port 49222")]
    assert entries[0]["ended_at"] is not None
    assert entries[0]["authority_name"] == "owner"


@pytest.mark.parametrize("text", ["SSH is on port 49222", "SSH is on port 22"])
def test_a_correct_of_a_stale_revision_is_a_conflict(bank: Agent, text: str) -> None:
    """The current revision is in the answer, and nothing has changed."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    bank.correct(memory_id, 1, "SSH is on port 2222")
    answer = bank.correct(memory_id, 1, text)
    assert (answer["outcome"], answer["reason"]) == ("conflict", "revision_stale")
    assert answer["current"] == {memory_id: 2}
    assert bank.shown(memory_id)["memory"]["text"] == "SSH is on port 2222"


def test_a_correct_of_what_is_not_there_says_why(bank: Agent) -> None:
    """never was: not_found; was forgotten: forgotten."""
    never = f"mem_{'0' * 32}"
    assert bank.correct(never, 1, "x")["outcome"] == "not_found"
    memory_id = id_of(bank.add("The kettle is blue"))
    bank.forget(memory_id)
    assert bank.correct(memory_id, 1, "x")["outcome"] == "forgotten"


def test_a_correct_that_does_not_fit_or_changes_nothing_is_none(bank: Agent) -> None:
    """A fact stays within its bound; the same text again is no revision."""
    memory_id = id_of(bank.add("The kettle is blue"))
    long = bank.correct(memory_id, 1, "x" * 4_001)
    assert (long["outcome"], long["rules"]) == ("rejected", ["fact_too_long"])
    same = bank.correct(memory_id, 1, "The kettle is blue")
    assert (same["outcome"], same["reason"]) == ("no_effect", "unchanged")
    assert bank.shown(memory_id)["memory"]["revision"] == 1


def test_a_correct_is_replayed_by_its_id(bank: Agent) -> None:
    """The same correct twice makes one revision; another text under the id is a conflict."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    same = operation()
    bank.correct(memory_id, 1, "SSH is on port 49222", **same)
    again = bank.correct(memory_id, 1, "SSH is on port 49222", **same)
    assert (again["replayed"], again["revision"]) == (True, 2)
    other = bank.correct(memory_id, 1, "SSH is on port 1", **same)
    assert other["reason"] == "operation_reused"
    bank.forget(memory_id)
    gone = bank.correct(memory_id, 1, "SSH is on port 49222", **same)
    assert (gone["outcome"], gone["replayed"]) == ("committed", True)
    assert bank.listed() == []


# Handles, resolve.


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("memory.forget", {"targets": [{"memory_id": "mem_000000000000"}], "confirmed": True}),
        ("memory.correct", {"memory_id": "mem_000000000000", "expected_revision": 1, "text": "x"}),
        ("bank.set_enabled", {"enabled": False}),
        ("bank.delete_all", {"confirmed": True}),
    ],
)
def test_every_change_needs_a_handle_of_this_connection_and_bank(
    shared_daemon: DaemonProcess, bank: Agent, method: str, fields: dict[str, Any]
) -> None:
    """A made-up handle, another bank's, another connection's: handle_invalid, and no effect."""
    with shared_daemon.connect() as elsewhere:
        others = [
            f"mgr_{'0' * 64}",
            Agent(bank.connection).handle(),
            Agent(elsewhere, bank.agent).handle(),
        ]
        for handle in others:
            data = bank.error(method, {**fields, "handle": handle, **operation()})
            assert (data["code"], data["effect"]) == ("handle_invalid", "none")
    assert bank.error(method, {**fields, **operation()})["code"] == "invalid_argument"
    assert bank.result("bank.status")["enabled"] is True


def test_a_handle_of_an_epoch_that_is_over_changes_nothing(bank: Agent) -> None:
    """After a switch the old handle neither forgets, corrects, lists nor previews."""
    memory_id = id_of(bank.add("The kettle is blue"))
    handle = {"handle": bank.handle()}
    bank.set_enabled(False)
    target = {"targets": [{"memory_id": memory_id}]}
    correct = {"memory_id": memory_id, "expected_revision": 1, "text": "x"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("memory.forget", {**target, "confirmed": True, **operation()}),
        ("memory.correct", {**correct, **operation()}),
        ("memory.forget_preview", target),
        ("memory.inspect", {"view": "history", "memory_id": memory_id}),
    ]
    for method, fields in asked:
        assert bank.error(method, {**handle, **fields})["code"] == "handle_invalid", method
    assert bank.shown(memory_id)["memory"]["revision"] == 1


def test_resolve_tells_what_became_of_a_change(bank: Agent) -> None:
    """committed with the stored outcome, refused with the reason, or sealed for good."""
    memory_id = id_of(bank.add("The kettle is blue"))
    refused, done, never = operation(), operation(), operation()
    bank.correct(memory_id, 7, "x", **refused)
    bank.forget(memory_id, **done)
    told = bank.resolve(refused["operation_id"])
    assert (told["outcome"], told["stored"]["reason"]) == ("refused", "revision_stale")
    told = bank.resolve(done["operation_id"])
    assert (told["outcome"], told["stored"]["affected"]) == ("committed", [memory_id])
    assert bank.resolve(never["operation_id"])["outcome"] == "sealed"
    other = id_of(bank.add("The mat is red"))
    late = {"handle": bank.handle(), "targets": [{"memory_id": other}], "confirmed": True}
    assert bank.error("memory.forget", {**late, **never})["code"] == "operation_sealed"
    assert bank.shown(other)["view"] == "get"


def test_a_cancelled_forget_tells_its_true_fate(bank: Agent) -> None:
    """Called off in time: cancelled, and it is there; else committed, and it is gone."""
    connection, fates = bank.connection, set()
    for number in range(20):
        memory_id = id_of(bank.add(f"Note {number}"))
        forget = {"targets": [{"memory_id": memory_id}], "confirmed": True}
        params = {**bank.whose, **forget, "handle": bank.handle(), **operation()}
        sent = connection.send("memory.forget", params)
        time.sleep(0.0004 * number)
        connection.result("cancel", {"request_id": sent})
        frame = connection.answer(sent)
        if "error" in frame:
            assert frame["error"]["data"]["code"] == "cancelled"
            assert bank.shown(memory_id)["view"] == "get"
        else:
            assert frame["result"]["outcome"] == "committed"
            assert bank.shown(memory_id)["view"] == "forgotten"
        fates.add(next(iter(frame.keys() & {"error", "result"})))
    assert "result" in fates


def test_a_forget_whose_caller_hangs_up_is_whole_or_nothing(
    shared_daemon: DaemonProcess, bank: Agent
) -> None:
    """The connection is lost right behind the request: resolve tells which, and it is so."""
    for number in range(10):
        memory_id = id_of(bank.add(f"Note {number}"))
        once = operation()
        with shared_daemon.connect() as lost:
            handle = Agent(lost, bank.agent).handle()
            forget = {"targets": [{"memory_id": memory_id}], "confirmed": True, "handle": handle}
            lost.send("memory.forget", {**bank.whose, **forget, **once})
            time.sleep(0.0007 * number)
        told = bank.resolve(once["operation_id"])["outcome"]
        assert told in ("committed", "sealed")
        view = bank.shown(memory_id)["view"]
        assert view == {"committed": "forgotten", "sealed": "get"}[told]


# Inspect.


def test_filters_and_their_total_agree(bank: Agent) -> None:
    """Each filter lets through what it says, and counts it."""
    bank.add("The boat is green", kind="fact", labels=["boat", "x"], session_id="one")
    bank.add("We rowed on Sunday", kind="episodic", labels=["boat"], role="assistant")
    bank.remember("I bought a BOAT today", session_id="one", candidates=[])
    middle = bank.listed()[1]["created_at"]
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({"kinds": ["fact"]}, {"The boat is green"}),
        ({"labels": ["boat"]}, {"The boat is green", "We rowed on Sunday"}),
        ({"labels": ["boat", "x"]}, {"The boat is green"}),
        ({"session_id": "one"}, {"The boat is green", "I bought a BOAT today"}),
        ({"provenances": ["inferred"]}, {"We rowed on Sunday"}),
        ({"text": "boat"}, {"The boat is green", "I bought a BOAT today"}),
        ({"text": "boat", "kinds": ["fact"]}, {"The boat is green"}),
        ({"since": middle}, {"We rowed on Sunday", "I bought a BOAT today"}),
        ({"until": middle}, {"The boat is green"}),
        ({"lifecycles": ["superseded"]}, set()),
    ]
    for filters, texts in cases:
        page = bank.result("memory.inspect", {"view": "list", "handle": bank.handle(), **filters})
        assert {memory["text"] for memory in page["memories"]} == texts, filters
        assert page["total"] == len(texts), filters


def test_a_cursor_is_bound_to_its_filters(bank: Agent) -> None:
    """A cursor of one listing goes on in no other, not even in a history."""
    for number in range(3):
        memory_id = id_of(bank.add(f"Note {number}"))
    listing = {"view": "list", "handle": bank.handle(), "limit": 1}
    cursor = bank.result("memory.inspect", {**listing, "text": "note"})["cursor"]
    params = {**listing, "text": "note 1", "cursor": cursor}
    assert bank.error("memory.inspect", params)["code"] == "cursor_invalid"
    history = {"view": "history", "handle": bank.handle(), "memory_id": memory_id}
    assert bank.error("memory.inspect", {**history, "cursor": cursor})["code"] == "cursor_invalid"


def test_history_goes_page_by_page(bank: Agent) -> None:
    """Five entries in pages of two are the five in order."""
    memory_id = id_of(bank.add("Port 0"))
    for revision in range(1, 5):
        bank.correct(memory_id, revision, f"Port {revision}")
    handle, cursor, texts = bank.handle(), None, []
    params = {"view": "history", "handle": handle, "memory_id": memory_id, "limit": 2}
    for _ in range(3):
        page = bank.result("memory.inspect", {**params, "cursor": cursor})
        texts += [entry["text"] for entry in page["entries"] if entry["text"]]
        cursor = page["cursor"]
    assert cursor is None
    assert texts == [f"Port {number}" for number in range(5)]


def test_nothing_has_no_history(bank: Agent) -> None:
    """An id that never was is not_found in every view."""
    never = f"mem_{'0' * 32}"
    assert bank.shown(never)["view"] == "not_found"
    assert bank.history(never)["view"] == "not_found"


# Doctor.


def test_the_doctor_proves_erasure_and_ledger(bank: Agent) -> None:
    """What is owed is done first; a memory that was never forgotten is not proved erased."""
    memory_id = id_of(bank.add("The kettle is blue"))
    kept = id_of(bank.add("The mat is red"))
    bank.forget(memory_id)
    told = bank.result("doctor", {"erasure": memory_id, "ledger": True})
    assert (told["erasure"]["erased"], told["erasure"]["pending"]) == (True, [])
    assert told["ledger"]["whole"] is True
    assert told["ledger"]["entries"] == 3
    assert bank.forget(memory_id)["erased"] is True
    assert bank.shown(memory_id)["erased"] is True
    never = bank.result("doctor", {"erasure": kept})["erasure"]
    assert (never["erased"], never["forgotten_at"]) == (False, None)
    assert bank.error("doctor")["code"] == "invalid_argument"
