"""Groups over the socket: what a forget or a correct of one memory does to those of its event.

The memories come in by import, which is how a remark and the facts of its event can be given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import DaemonProcess
from support.talk import Agent, operation

REMARK, TEA, DOG = (f"mem_{letter * 32}" for letter in "abc")
SAID = "I drink mint tea. My dog is called Rufus."


@pytest.fixture
def bank(shared_daemon: DaemonProcess) -> Iterator[Agent]:
    """A bank with one turn as a remark, and two facts that were promoted from it."""
    with shared_daemon.connect() as connection:
        bank = Agent(connection)
        records = [
            _record(REMARK, "remark", SAID, (0, len(SAID))),
            _record(TEA, "preference", "I drink mint tea.", (0, 17)),
            _record(DOG, "fact", "My dog is called Rufus.", (18, len(SAID))),
        ]
        assert bank.result("import", {"records": records, **operation()})["imported"] == 3
        yield bank


def _record(memory_id: str, kind: str, text: str, span: tuple[int, int]) -> dict[str, Any]:
    made = {"created_at": "2026-05-01T10:00:00Z"}
    return {
        "memory_id": memory_id,
        "origin_id": memory_id,
        "kind": kind,
        "role": "user",
        "provenance": "explicit",
        "event": {"stream": "chat", "sequence": 1, "hash": "0" * 64},
        "span": list(span),
        **made,
        "revisions": [{"revision": 1, "lifecycle": "current", "text": text, **made}],
    }


def _ids(bank: Agent) -> set[str]:
    return {memory["memory_id"] for memory in bank.listed()}


def test_a_fact_takes_its_remark_along_and_leaves_its_sibling(bank: Agent) -> None:
    """The preview says what goes along; affected names it; the event meets its barrier."""
    preview = bank.preview(targets=[{"memory_id": TEA}])
    because = {one["memory_id"]: one["because"] for one in preview["affected"]}
    assert because == {TEA: "named", REMARK: "group"}
    token = preview["preview_token"]
    assert bank.forget(TEA, preview_token=token)["reason"] == "preview_stale"
    answer = bank.forget(TEA, REMARK, preview_token=token)
    assert set(answer["affected"]) == {TEA, REMARK}
    assert _ids(bank) == {DOG}
    assert bank.shown(DOG)["group"] == []
    event = {"stream": "chat", "sequence": 1, "data": {"role": "user", "content": SAID}}
    replayed = bank.result("memory.remember", {"event": event, **operation()})
    assert replayed["outcome"] == "forgotten"
    assert _ids(bank) == {DOG}


def test_without_a_preview_a_forget_takes_its_group_too(bank: Agent) -> None:
    """affected names more than was asked for."""
    assert set(bank.forget(DOG)["affected"]) == {DOG, REMARK}
    assert _ids(bank) == {TEA}


def test_a_remark_takes_the_facts_inside_its_span(bank: Agent) -> None:
    """The whole turn goes, with all that was made of it."""
    assert set(bank.forget(REMARK)["affected"]) == {REMARK, TEA, DOG}
    assert _ids(bank) == set()


def test_correcting_a_fact_supersedes_its_remark(bank: Agent) -> None:
    """The remark says the old text: it is no longer current, and the history says why."""
    answer = bank.correct(TEA, 1, "I drink green tea.")
    assert (answer["outcome"], answer["affected"]) == ("committed", [TEA, REMARK])
    assert _ids(bank) == {TEA, DOG}
    assert bank.lexical("mint") == []
    superseded = bank.listed(lifecycles=["superseded"])
    assert [memory["memory_id"] for memory in superseded] == [REMARK]
    last = bank.history(REMARK)["entries"][-1]
    assert (last["operation"], last["lifecycle"]) == ("memory.correct", "superseded")
    refused = bank.correct(REMARK, 1, "I said nothing")
    assert (refused["outcome"], refused["reason"]) == ("conflict", "not_current")
    assert set(bank.forget(TEA)["affected"]) == {TEA, REMARK}
    assert "mint" not in str(bank.exported())


def test_correcting_a_remark_leaves_its_facts(bank: Agent) -> None:
    """Only a fact supersedes; the facts stand on their own."""
    answer = bank.correct(REMARK, 1, "I drink green tea. My dog is called Rufus.")
    assert answer["affected"] == [REMARK]
    assert _ids(bank) == {REMARK, TEA, DOG}
