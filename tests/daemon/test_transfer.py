"""Export and import over the socket: whole round trips, the rules, and what a barrier blocks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.talk import Agent, id_of, operation

from cognid.protocol import bounds


def _import(bank: Agent, records: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return bank.result("import", {"records": records, **operation(), **fields})


def _texts(bank: Agent) -> set[str]:
    return {memory["text"] for memory in bank.listed()}


def _fill(bank: Agent) -> str:
    """Three memories of every sort; gives the id of the corrected one."""
    bank.remember(
        "I keep the ladder in the shed", session_id="one", labels=["house"], candidates=[]
    )
    memory_id = id_of(
        bank.add("SSH is on port 22", categories=["net"], importance=0.5, pinned=True)
    )
    bank.correct(memory_id, 1, "SSH is on port 49222")
    bank.add(
        "Ines visits in May",
        kind="episodic",
        role="assistant",
        speaker="Oona",
        valid_from="2026-05-01T00:00:00Z",
        valid_until="2026-06-01T00:00:00Z",
    )
    return memory_id


def test_a_wiped_bank_is_the_same_after_export_and_import(bank: Agent) -> None:
    """114: export, deleteAll, import, export: equal records, ids and revisions included."""
    _fill(bank)
    before = bank.exported()
    assert len(before) == 3
    bank.delete_all()
    assert bank.exported() == []
    answer = _import(bank, before)
    assert (answer["outcome"], answer["imported"], answer["skipped"]) == ("committed", 3, 0)
    assert bank.exported() == before
    assert bank.lexical("ladder") == ["I keep the ladder in the shed"]


@pytest.mark.parametrize("year", ["2060", "9999"])
def test_what_had_expired_comes_in_expired_whatever_its_clock_said(bank: Agent, year: str) -> None:
    """A commit that is still to come makes nothing current again, and hides nothing beside it."""
    expired = id_of(bank.add("The kettle is being mended", kind="context"))
    bank.add("The kettle is blue")
    records = bank.exported()
    records[0]["revisions"][0].update(lifecycle="expired", created_at=f"{year}-12-29T00:00:00Z")
    other = Agent(bank.connection)
    assert _import(other, records)["imported"] == 2
    assert other.lexical("kettle") == ["The kettle is blue"]
    assert [one["memory_id"] for one in other.listed(lifecycles=["expired"])] == [expired]
    assert other.shown(expired)["memory"]["lifecycle"] == "expired"


def test_an_import_again_adds_nothing(bank: Agent) -> None:
    """116: skip is the default rule."""
    _fill(bank)
    records = bank.exported()
    answer = _import(bank, records)
    assert (answer["imported"], answer["skipped"], answer["blocked"]) == (0, 3, [])
    assert bank.exported() == records


def test_overwrite_makes_the_imported_text_current(bank: Agent) -> None:
    """The id stays, a new revision is current, what stood there is history."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    old = bank.exported()
    bank.correct(memory_id, 1, "SSH is on port 49222")
    assert _import(bank, old, rule="overwrite")["imported"] == 1
    assert bank.shown(memory_id)["memory"]["text"] == "SSH is on port 22"
    assert bank.shown(memory_id)["memory"]["revision"] == 3


def test_history_calls_what_an_overwrite_made_current_current(bank: Agent) -> None:
    """As the memory stands, also where the record that came in had expired elsewhere."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    old = bank.exported()
    old[0]["revisions"][0]["lifecycle"] = "expired"
    bank.correct(memory_id, 1, "SSH is on port 49222")
    assert _import(bank, old, rule="overwrite")["imported"] == 1
    assert bank.shown(memory_id)["memory"]["lifecycle"] == "current"
    last = bank.history(memory_id)["entries"][-1]
    assert (last["operation"], last["revision"], last["lifecycle"]) == ("import", 3, "current")


def test_new_id_keeps_both_and_the_origin(bank: Agent) -> None:
    """The copy has an id of its own and says which it first had."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    assert _import(bank, bank.exported(), rule="new_id")["imported"] == 1
    copies = [record for record in bank.exported() if record["memory_id"] != memory_id]
    assert [copy["origin_id"] for copy in copies] == [memory_id]
    assert bank.shown(copies[0]["memory_id"])["origin_id"] == memory_id


@pytest.mark.parametrize("rule", ["skip", "overwrite", "new_id"])
def test_what_was_forgotten_comes_back_under_no_rule(bank: Agent, rule: str) -> None:
    """68: an older export is blocked by the barrier, and the answer names what was."""
    memory_id = _fill(bank)
    records = bank.exported()
    bank.forget(memory_id)
    answer = _import(bank, records, rule=rule)
    assert answer["blocked"] == [memory_id]
    assert not any("SSH" in text for text in _texts(bank))
    renamed = {**records[1], "memory_id": f"mem_{'a' * 32}"}
    assert renamed["origin_id"] == memory_id
    assert _import(bank, [renamed], rule=rule)["blocked"] == [renamed["memory_id"]]
    assert "SSH" not in json.dumps(bank.exported())


def test_a_copy_under_a_new_id_takes_its_barrier_to_its_origin(bank: Agent) -> None:
    """Once both are forgotten, the old export brings back neither."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    records = bank.exported()
    _import(bank, records, rule="new_id")
    ids = [record["memory_id"] for record in bank.exported()]
    bank.forget(*ids)
    assert _import(bank, records, rule="new_id")["blocked"] == [memory_id]
    assert bank.exported() == []


def test_an_import_into_another_bank_is_its_own(bank: Agent) -> None:
    """Barriers are a bank's own: another agent's bank takes what this one forgot."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    records = bank.exported()
    bank.forget(memory_id)
    other = Agent(bank.connection)
    assert _import(other, records)["imported"] == 1
    assert _texts(other) == {"SSH is on port 22"}
    assert _texts(bank) == set()


def test_an_imported_event_is_known_when_it_is_replayed(bank: Agent) -> None:
    """The identity of the event comes along: the same event again is a duplicate."""
    event = {"stream": "s", "sequence": 7, "data": {"role": "user", "content": "The mat is red"}}
    bank.result("memory.remember", {"event": event, **operation()})
    other = Agent(bank.connection)
    _import(other, bank.exported())
    answer = other.result("memory.remember", {"event": event, **operation()})
    assert answer["outcome"] == "duplicate"
    assert _texts(other) == {"The mat is red"}


def test_history_of_an_imported_memory_has_all_its_revisions(bank: Agent) -> None:
    """Past revisions can be read after an import too."""
    memory_id = _fill(bank)
    records = bank.exported()
    bank.delete_all()
    _import(bank, records)
    entries = bank.history(memory_id)["entries"]
    texts = {entry["revision"]: entry["text"] for entry in entries if entry["text"]}
    assert texts == {1: "SSH is on port 22", 2: "SSH is on port 49222"}
    assert {entry["operation"] for entry in entries} == {"import"}


def test_an_import_is_replayed_by_its_id(bank: Agent) -> None:
    """The same import twice has one effect and one answer."""
    source = Agent(bank.connection)
    _fill(source)
    same = operation()
    first = _import(bank, source.exported(), rule="new_id", **same)
    again = _import(bank, source.exported(), rule="new_id", **same)
    assert (first["imported"], again["imported"], again["replayed"]) == (3, 3, True)
    assert len(bank.exported()) == 3
    assert bank.resolve(same["operation_id"])["outcome"] == "committed"


def test_a_disabled_bank_exports_but_takes_no_import(bank: Agent) -> None:
    """Off is off for what comes in; what is there can be taken out."""
    _fill(bank)
    bank.set_enabled(False)
    records = bank.exported()
    assert len(records) == 3
    answer = _import(bank, records)
    assert (answer["outcome"], answer["reason"]) == ("no_effect", "disabled")


def test_a_long_text_that_was_corrected_often_can_be_exported(bank: Agent) -> None:
    """More history than a line can carry: the newest revisions are in, their numbers tell that
    older ones are not, the memory behind it is in too, and the record comes back in."""
    long = "漢字" * 190_000
    memory_id = id_of(bank.add(long, kind="remark"))
    for revision in range(1, 9):
        bank.correct(memory_id, revision, f"{long}{revision}")
    bank.add("The kettle is blue")
    records = bank.exported()
    assert [one["revisions"][-1]["text"] for one in records] == [f"{long}8", "The kettle is blue"]
    for one in records:
        assert len(json.dumps(one, ensure_ascii=False).encode()) < bounds.LINE_BYTES - 65_536
    numbers = [one["revision"] for one in records[0]["revisions"]]
    assert len(numbers) > 1
    assert numbers == list(range(numbers[0], 10))
    other = Agent(bank.connection)
    assert _import(other, records)["imported"] == 2
    assert other.exported() == records


def test_export_goes_page_by_page(bank: Agent) -> None:
    """Every memory once, in pages of two, and the total on each."""
    for number in range(5):
        bank.add(f"Note {number}")
    found, cursor = [], None
    while True:
        page = bank.result("export", {"limit": 2, "cursor": cursor})
        if not page["records"]:
            break
        assert page["total"] == 5
        found += [record["revisions"][0]["text"] for record in page["records"]]
        cursor = page["cursor"]
    assert found == [f"Note {number}" for number in range(5)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"form": "cognid.memory.v9"}, "invalid_argument"),
        ({"kind": "KITE-77"}, "invalid_argument"),
        ({"revisions": []}, "invalid_argument"),
        ({"unheard_of": "KITE-77"}, "invalid_argument"),
        ({"origin_id": "KITE-77"}, "invalid_argument"),
        ({"labels": ["agent:KITE-77"]}, "identity_mismatch"),
    ],
)
def test_a_record_that_is_not_one_is_refused_without_being_quoted(
    bank: Agent, change: dict[str, Any], code: str
) -> None:
    """All or nothing: one wrong record, and none of them is taken."""
    source = Agent(bank.connection)
    source.add("The kettle is blue")
    source.add("The mat is red")
    one, two = source.exported()
    data = bank.error("import", {"records": [one, {**two, **change}], **operation()})
    assert data["code"] == code
    assert "KITE" not in json.dumps(data).replace("labels", "")
    assert bank.exported() == []


def test_a_record_of_broken_revisions_is_refused(bank: Agent) -> None:
    """Revisions rise, and only the last of them may be current."""
    memory_id = id_of(bank.add("Port 0"))
    bank.correct(memory_id, 1, "Port 1")
    (record,) = bank.exported()
    first, second = record["revisions"]
    for wrong in (
        [second, first],
        [first, first],
        [{**first, "lifecycle": "current"}, second],
        [first, {**second, "lifecycle": "forgotten"}],
    ):
        params = {"records": [{**record, "revisions": wrong}], **operation()}
        assert bank.error("import", params)["code"] == "invalid_argument"
