"""Switching a bank off and on, and wiping it, over the socket: one cutoff each."""

from __future__ import annotations

from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.talk import Agent, id_of, operation


def test_a_switch_begins_a_new_epoch_and_gives_its_handle(bank: Agent) -> None:
    """The old handle is over, the new one works, the projection tells the switch."""
    bank.add("The kettle is blue")
    old = bank.handle()
    answer = bank.set_enabled(False, handle=old)
    assert answer["outcome"] == "committed"
    assert (answer["projection"]["enabled"], answer["projection"]["total"]) == (False, 1)
    new = answer["handle"]
    assert new["epoch"] == answer["projection"]["epoch"] == bank.result("bank.status")["epoch"]
    listing = {"view": "list"}
    assert bank.error("memory.inspect", {**listing, "handle": old})["code"] == "handle_invalid"
    assert bank.result("memory.inspect", {**listing, "handle": new["handle"]})["total"] == 1


def test_a_switch_that_changes_nothing_keeps_the_epoch(bank: Agent) -> None:
    """no_effect unchanged; the handle stays good."""
    handle = bank.handle()
    answer = bank.set_enabled(True, handle=handle)
    assert (answer["outcome"], answer["reason"]) == ("no_effect", "unchanged")
    assert answer["projection"]["enabled"] is True
    assert bank.result("memory.inspect", {"view": "list", "handle": handle})["total"] == 0


def test_a_disabled_bank_takes_and_gives_nothing_but_can_be_mended(bank: Agent) -> None:
    """87: writes no_effect, recall disabled, correct no_effect; inspect and forget work."""
    memory_id = id_of(bank.add("The kettle is blue"))
    bank.set_enabled(False)
    assert bank.add("The mat is red")["reason"] == "disabled"
    assert bank.remember("The mat is red")["reason"] == "disabled"
    assert bank.recall("kettle")["outcome"] == "disabled"
    assert bank.correct(memory_id, 1, "The kettle is red")["reason"] == "disabled"
    assert [memory["text"] for memory in bank.listed()] == ["The kettle is blue"]
    assert bank.forget(memory_id)["outcome"] == "committed"
    assert bank.listed() == []


def test_nothing_said_while_it_was_off_appears_later(bank: Agent) -> None:
    """87: ten events while off, then on: none of the ten, and the stream goes on."""
    bank.remember("Before")
    bank.set_enabled(False)
    said = [{"stream": "chat", "data": {"role": "user", "content": f"Off {n}"}} for n in range(10)]
    kept = [operation() for _ in said]
    for event, same in zip(said, kept, strict=True):
        answer = bank.result("memory.remember", {"event": event, **same})
        assert (answer["outcome"], answer["reason"]) == ("no_effect", "disabled")
    bank.set_enabled(True)
    for event, same in zip(said, kept, strict=True):
        assert bank.result("memory.remember", {"event": event, **same})["outcome"] == "no_effect"
    after = bank.remember("After")
    assert (after["outcome"], after["event"]["sequence"]) == ("committed", 12)
    assert {memory["text"] for memory in bank.listed()} == {"Before", "After"}


@pytest.mark.parametrize("content", [b"\xff" * 8192, None])
def test_a_bank_that_does_not_open_can_be_wiped(content: bytes | None) -> None:
    """Its file is spoiled or missing: a wipe, and only that, puts an empty bank in its place."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            bank = Agent(connection, "spoiled")
            memory_id = id_of(bank.add("The kettle is blue"))
            bank_id = bank.result("bank.status")["bank_id"]
        assert daemon.stop() == 0
        path = daemon.places.data / "banks" / bank_id / "bank.db"
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        daemon.start()
        with daemon.connect() as connection:
            whose = {"owner": "local", "agent": "spoiled"}
            handle = connection.result("configure.open", whose)["handle"]
            switch = {**whose, "handle": handle, "enabled": False, **operation()}
            assert connection.error("bank.set_enabled", switch)["code"] == "bank_damaged"
            wipe = {**whose, "handle": handle, "confirmed": True, **operation()}
            answer = connection.result("bank.delete_all", wipe)
            assert (answer["outcome"], answer["erased"]) == ("committed", True)
            assert not path.parent.exists()
            bank = Agent(connection, "spoiled")
            assert bank.shown(memory_id)["view"] == "not_found"
            assert bank.add("The kettle is red")["outcome"] == "committed"
            again = connection.result("bank.delete_all", wipe)
            assert (again["outcome"], again["replayed"]) == ("committed", True)
            assert [memory["text"] for memory in bank.listed()] == ["The kettle is red"]


def test_a_wipe_leaves_nothing_and_takes_nothing_back(bank: Agent) -> None:
    """Every earlier operation and event replayed answers no_effect; something new is stored."""
    add, event = operation(), operation()
    said = {"stream": "s", "sequence": 1, "data": {"role": "user", "content": "The mat is red"}}
    memory_id = id_of(bank.add("The kettle is blue", **add))
    bank.result("memory.remember", {"event": said, **event})
    answer = bank.delete_all()
    assert (answer["outcome"], answer["affected"], answer["erased"]) == ("committed", [], True)
    assert answer["projection"]["total"] == 0
    assert bank.add("The kettle is blue", **add)["reason"] == "before_cutoff"
    assert bank.result("memory.remember", {"event": said, **event})["reason"] == "before_cutoff"
    again = bank.result("memory.remember", {"event": said, **operation()})
    assert (again["outcome"], again["reason"]) == ("no_effect", "before_cutoff")
    told = bank.resolve(add["operation_id"])
    assert (told["outcome"], told["stored"]["was"]) == ("committed", "committed")
    assert bank.listed() == []
    assert bank.shown(memory_id)["view"] == "not_found"
    assert bank.add("Something new")["outcome"] == "committed"
    assert (
        bank.result("memory.inspect", {"view": "list", "handle": answer["handle"]["handle"]})[
            "total"
        ]
        == 1
    )


def test_every_change_of_before_a_wipe_is_known_after_it(bank: Agent) -> None:
    """The exact repetition of each sort of change has no effect, says so, and does nothing."""
    memory_id = id_of(bank.add("The kettle is blue"))
    records = bank.exported()
    lane = {"lane": "docs", "snapshot": {"id": "v1", "hash": "0" * 64}, "units": []}
    message = {"role": "user", "content": "Hello"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("index.rebuild", {"pipelines": ["lexical"]}),
        ("session.append", {"session_id": "s", "messages": [message]}),
        ("session.clear", {"session_id": "s"}),
        ("lane.replace", lane),
        ("lane.drop", {"lane": "docs"}),
        ("import", {"records": records}),
        ("memory.pin", {"memory_id": memory_id, "pinned": True}),
        ("memory.correct", {"memory_id": memory_id, "expected_revision": 1, "text": "It is red"}),
        ("memory.forget", {"targets": [{"memory_id": memory_id}], "confirmed": True}),
    ]
    for method, params in requests:
        params.update(operation())
        if method.startswith("memory."):
            params["handle"] = bank.handle()
        bank.result(method, params)
    bank.delete_all()
    for method, params in requests:
        again = bank.result(method, params)
        assert (again["outcome"], again["replayed"]) == ("no_effect", True), method
        assert again["reason"] in ("before_cutoff", "epoch_ended")
        assert bank.resolve(params["operation_id"])["outcome"] == "committed"
    assert bank.exported() == []


def test_a_wipe_is_the_banks_own(bank: Agent) -> None:
    """62: another agent's bank is as it was, its epoch too."""
    other = Agent(bank.connection)
    other.add("The mat is red")
    before = other.result("bank.status")
    bank.delete_all()
    after = other.result("bank.status")
    assert {**before, "file_bytes": 0} == {**after, "file_bytes": 0}
    assert [memory["text"] for memory in other.listed()] == ["The mat is red"]


@pytest.mark.parametrize("method", ["bank.set_enabled", "bank.delete_all"])
def test_a_cutoff_is_replayed_even_with_the_handle_of_before(bank: Agent, method: str) -> None:
    """The receipt is looked at before the handle's epoch: the same request has one effect."""
    bank.add("The kettle is blue")
    fields = {"enabled": False} if method == "bank.set_enabled" else {"confirmed": True}
    once = operation()
    same = {**fields, "handle": bank.handle(), **once}
    first = bank.result(method, same)
    again = bank.result(method, same)
    assert (again["outcome"], again["replayed"]) == (first["outcome"], True)
    assert again["erased"] == first["erased"]
    assert again["handle"]["epoch"] == first["handle"]["epoch"]
    assert bank.result("bank.status")["epoch"] == first["handle"]["epoch"]
    assert bank.resolve(once["operation_id"])["outcome"] == "committed"
    late = {**same, **operation()}
    assert bank.error(method, late)["code"] == "handle_invalid"


def test_of_two_cutoffs_with_one_handle_one_has_effect(
    shared_daemon: DaemonProcess, bank: Agent
) -> None:
    """Pipelined together under one handle: the second meets the new epoch."""
    handle = {"handle": bank.handle(), "confirmed": True}
    one = bank.connection.send("bank.delete_all", {**bank.whose, **handle, **operation()})
    two = bank.connection.send("bank.delete_all", {**bank.whose, **handle, **operation()})
    assert bank.connection.answer(one)["result"]["outcome"] == "committed"
    assert bank.connection.answer(two)["error"]["data"]["code"] == "handle_invalid"


def test_pipelined_changes_meet_the_switch_in_their_order(bank: Agent) -> None:
    """add, off, add, on, add in one send: the middle one has no effect."""
    connection, handle = bank.connection, bank.handle()

    def add(text: str) -> int | str:
        return connection.send("memory.add", {**bank.whose, "text": text, **operation()})

    first = add("One")
    off = connection.send(
        "bank.set_enabled", {**bank.whose, "handle": handle, "enabled": False, **operation()}
    )
    second = add("Two")
    recall = connection.send("memory.recall", {**bank.whose, "query": "One", "deadline_ms": 9_000})
    assert connection.answer(first)["result"]["outcome"] == "committed"
    new = connection.answer(off)["result"]["handle"]["handle"]
    assert connection.answer(second)["result"]["reason"] == "disabled"
    assert connection.answer(recall)["result"]["outcome"] == "disabled"
    on = connection.send(
        "bank.set_enabled", {**bank.whose, "handle": new, "enabled": True, **operation()}
    )
    third = add("Three")
    assert connection.answer(on)["result"]["outcome"] == "committed"
    assert connection.answer(third)["result"]["outcome"] == "committed"
    assert {memory["text"] for memory in bank.listed()} == {"One", "Three"}


def test_a_bank_can_be_made_and_used_in_one_send(connection: RawConnection) -> None:
    """What follows bank.ensure on its connection waits for it."""
    whose = {"owner": "local", "agent": "made-in-one-send"}
    made = connection.send("bank.ensure", {**whose, "enabled": True, **operation()})
    added = connection.send("memory.add", {**whose, "text": "The kettle is blue", **operation()})
    found = connection.send("bank.status", whose)
    assert connection.answer(made)["result"]["created"] is True
    assert connection.answer(added)["result"]["outcome"] == "committed"
    assert "result" in connection.answer(found)


def test_cutoffs_outlive_a_restart() -> None:
    """Off stays off and wiped stays wiped; replays of before have no effect."""
    with running(settings=WITHOUT_MODEL) as daemon:
        add = operation()
        with daemon.connect() as connection:
            off, wiped = Agent(connection, "off"), Agent(connection, "wiped")
            off.add("The kettle is blue")
            off.set_enabled(False)
            wiped.add("The mat is red", **add)
            wiped.delete_all()
        daemon.restart()
        with daemon.connect() as connection:
            off, wiped = Agent(connection, "off"), Agent(connection, "wiped")
            assert off.recall("kettle")["outcome"] == "disabled"
            assert wiped.add("The mat is red", **add)["reason"] == "before_cutoff"
            assert wiped.listed() == []
