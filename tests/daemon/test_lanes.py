"""Lanes over a real daemon: one snapshot, whole or not at all, within bounds, of one agent only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened
from support.daemon import DaemonProcess
from support.talk import Agent, operation

from cognid.protocol import bounds
from cognid_daemon.bank import lanes
from cognid_daemon.bank.check import check
from cognid_daemon.bank.erase import owed
from cognid_daemon.bank.errors import QuotaError
from cognid_daemon.bank.keeping import Keeping
from cognid_daemon.bank.lanes import Unit, Wanted

HASH = "ab" * 32
KEY = "my password is hunter2-Zebra-99"


def unit(unit_id: str, text: str, type: str = "note", **fields: Any) -> dict[str, Any]:
    """A unit of a request."""
    return {"unit_id": unit_id, "type": type, "text": text, **fields}


def replacement(lane: str, *units: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A request to replace a lane."""
    snapshot = {"id": fields.pop("snapshot", "v1"), "hash": fields.pop("hash", HASH)}
    return {"lane": lane, "snapshot": snapshot, "units": list(units), **operation(), **fields}


def replace(bank: Agent, lane: str, *units: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Replace a lane."""
    return bank.result("lane.replace", replacement(lane, *units, **fields))


def query(bank: Agent, **fields: Any) -> dict[str, Any]:
    """Units that are there."""
    found = bank.result("lane.query", fields)
    assert found["outcome"] == "units"
    return found


def texts(bank: Agent, **fields: Any) -> list[str]:
    """What the units of an answer say."""
    return [one["text"] for one in query(bank, **fields)["units"]]


def test_a_lane_is_its_units_and_what_it_leaves_out(bank: Agent) -> None:
    """Coverage is both together; snapshot, source and time come back as they were given."""
    answer = replace(
        bank,
        "docs",
        unit("a", "How to sail", "guide", source="docs/a.md", occurred_at="2026-05-01T10:00:00Z"),
        unit("b", "How to moor"),
        omissions=[{"unit_id": "c", "reason": "too long"}, {"reason": "binary"}],
        covers=4,
    )
    assert answer["outcome"] == "replaced"
    assert answer["coverage"] == {"units": 2, "omissions": 2, "covered": 4}
    found = query(bank, lane="docs")
    (lane,) = found["lanes"]
    assert lane["snapshot"] == {"id": "v1", "hash": HASH}
    assert lane["coverage"] == answer["coverage"]
    assert lane["omissions"] == [
        {"unit_id": "c", "reason": "too long"},
        {"unit_id": None, "reason": "binary"},
    ]
    assert [one["unit_id"] for one in found["units"]] == ["a", "b"]
    first = found["units"][0]
    assert (first["type"], first["source"], first["untrusted"]) == ("guide", "docs/a.md", True)
    assert first["occurred_at"] == "2026-05-01T10:00:00.000000Z"
    assert query(bank)["lanes"][0]["omissions"] is None


def test_a_lane_is_replaced_as_a_whole(bank: Agent) -> None:
    """Of the old snapshot nothing is left; other lanes stay."""
    replace(bank, "docs", unit("a", "old a"), unit("b", "old b"))
    replace(bank, "mail", unit("a", "a letter"))
    replace(bank, "docs", unit("b", "new b"), snapshot="v2", omissions=[{"reason": "draft"}])
    assert texts(bank, lane="docs") == ["new b"]
    assert texts(bank) == ["new b", "a letter"]
    assert texts(bank, query="old") == []
    replace(bank, "docs", snapshot="v3", omissions=[{"unit_id": "b", "reason": "gone"}])
    assert query(bank, lane="docs")["lanes"][0]["coverage"]["covered"] == 1


def test_a_read_beside_replacements_sees_one_snapshot(
    shared_daemon: DaemonProcess, bank: Agent
) -> None:
    """Whoever reads while a lane is replaced sees all of one snapshot and nothing of another."""
    replace(bank, "docs", *[unit(f"u{n}", "0") for n in range(20)], snapshot="v0")
    with shared_daemon.connect() as reader:
        seen = set()
        for version in range(1, 16):
            units = [unit(f"u{n}", str(version)) for n in range(20)]
            params = {**bank.whose, **replacement("docs", *units, snapshot=f"v{version}")}
            sent = bank.connection.send("lane.replace", params)
            answer = reader.result("lane.query", {**bank.whose, "lane": "docs", "limit": 20})
            (said,) = {one["text"] for one in answer["units"]}
            assert len(answer["units"]) == 20
            assert answer["lanes"][0]["snapshot"]["id"] == f"v{said}"
            seen.add(said)
            assert bank.connection.answer(sent)["result"]["outcome"] == "replaced"
        assert seen


def test_a_snapshot_never_changes(bank: Agent) -> None:
    """The same again is unchanged; other units or another hash under its name are a conflict."""
    first = replace(bank, "docs", unit("a", "one"))
    assert first["outcome"] == "replaced"
    again = replace(bank, "docs", unit("a", "one"))
    assert (again["outcome"], again["coverage"]) == ("unchanged", first["coverage"])
    for changed in (
        replacement("docs", unit("a", "two")),
        replacement("docs", unit("a", "one"), hash="cd" * 32),
        replacement("docs", unit("a", "one"), omissions=[{"reason": "x"}]),
    ):
        answer = bank.result("lane.replace", changed)
        assert (answer["outcome"], answer["reason"]) == ("conflict", "snapshot_differs")
    assert texts(bank) == ["one"]
    assert bank.resolve(again["operation_id"])["outcome"] == "refused"
    assert bank.resolve(first["operation_id"])["outcome"] == "committed"


def test_a_repeated_replacement_is_one(bank: Agent) -> None:
    """The same operation gives its stored answer, other content a conflict."""
    same = operation()
    first = replace(bank, "docs", unit("a", "one"), **same)
    assert replace(bank, "docs", unit("a", "one"), **same) == {**first, "replayed": True}
    other = replace(bank, "docs", unit("a", "two"), snapshot="v2", **same)
    assert (other["outcome"], other["reason"]) == ("conflict", "operation_reused")
    assert texts(bank) == ["one"]


def test_a_unit_with_a_credential_refuses_the_whole(bank: Agent) -> None:
    """Named with its rules; the lane is what it was."""
    replace(bank, "docs", unit("a", "old"))
    answer = replace(bank, "docs", unit("a", "fine"), unit("b", KEY), snapshot="v2")
    assert answer["outcome"] == "rejected"
    (refused,) = answer["units"]
    assert refused["unit_id"] == "b"
    assert all(rule.startswith("credential.") for rule in refused["rules"])
    assert "hunter2" not in str(answer)
    assert texts(bank) == ["old"]


def test_a_unit_from_an_address_with_a_password_refuses_the_whole(bank: Agent) -> None:
    """Where it was taken from would be shown, and put into prompts, beside its text; an address
    with a name alone, a digest or a harmless word in it is taken."""
    secret = "https://ann:s3cr3t-Zebra@git.example.com/notes/README.md"
    answer = replace(bank, "docs", unit("a", "fine"), unit("b", "fine too", source=secret))
    assert answer["outcome"] == "rejected"
    assert answer["units"] == [{"unit_id": "b", "rules": ["credential.url_password"]}]
    assert "Zebra" not in str(query(bank))
    sources = (
        "imap://ann@example.com/INBOX;UID=20",
        "https://example.com/blob/3f786850e387550fdab836ed7e6dc881de23001b/token.md#L3",
        "secrets/password.txt:12",
        None,
    )
    units = [unit(f"u{place}", "fine", source=one) for place, one in enumerate(sources)]
    assert replace(bank, "docs", *units, snapshot="v2")["outcome"] == "replaced"


def test_units_are_found_by_words_and_types(bank: Agent) -> None:
    """Best first with a score; types bound what is looked at; pages go through all."""
    replace(
        bank,
        "docs",
        unit("a", "The ferry leaves at nine", "timetable"),
        unit("b", "Tea is at five", "timetable"),
        unit("c", "The ferry to Pico", "map"),
    )
    assert texts(bank, query="ferry Pico") == ["The ferry to Pico", "The ferry leaves at nine"]
    assert texts(bank, query="ferry", types=["timetable"]) == ["The ferry leaves at nine"]
    assert texts(bank, types=["map"]) == ["The ferry to Pico"]
    assert query(bank, lane="nowhere")["lanes"] == []
    first = query(bank, limit=2)
    assert (len(first["units"]), first["total"]) == (2, 3)
    rest = query(bank, limit=2, cursor=first["cursor"])
    assert [one["unit_id"] for one in rest["units"]] == ["c"]
    assert rest["cursor"] is None
    wrong = {"limit": 2, "cursor": first["cursor"], "types": ["map"]}
    assert bank.error("lane.query", wrong)["code"] == "cursor_invalid"


def test_an_agent_has_sixteen_lanes(bank: Agent) -> None:
    """The seventeenth is refused; a dropped one makes room, and one that is there is replaced."""
    for number in range(bounds.LANES):
        replace(bank, f"lane-{number}", unit("a", "x"))
    error = bank.error("lane.replace", replacement("one-more", unit("a", "x")))
    assert error["code"] == "invalid_argument"
    assert error["detail"] == "lane: an agent has at most 16 lanes"
    assert replace(bank, "lane-0", unit("a", "y"), snapshot="v2")["outcome"] == "replaced"
    dropped = bank.result("lane.drop", {"lane": "lane-1", **operation()})
    assert (dropped["outcome"], dropped["units"]) == ("dropped", 1)
    assert replace(bank, "one-more", unit("a", "x"))["outcome"] == "replaced"


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"units": [unit("a", "x"), unit("a", "y")]}, "units and omissions must name"),
        (
            {"units": [unit("a", "x")], "omissions": [{"unit_id": "a", "reason": "r"}]},
            "units and omissions must name",
        ),
        ({"units": [unit("a", "x")], "covers": 2}, "must be as many as covers"),
        ({"units": [unit(str(n), "x") for n in range(257)]}, "units"),
        ({"units": [unit("a", "x" * 8_193)]}, "units.0.text"),
        ({"units": [unit("a", "\u00e9" * 4_097)]}, "must be at most 8192 bytes"),
        ({"units": [unit("a", " ")]}, "units.0.text"),
        ({"omissions": [{"reason": "r"}] * 257}, "omissions"),
        ({"snapshot": {"id": "v1", "hash": "short"}}, "snapshot.hash"),
    ],
)
def test_what_is_out_of_bounds_is_refused(bank: Agent, change: dict[str, Any], names: str) -> None:
    """With the field's name, and nothing is stored."""
    error = bank.error("lane.replace", {**replacement("docs"), **change})
    assert error["code"] == "invalid_argument"
    assert names in error["detail"]
    assert query(bank)["lanes"] == []


def test_a_full_lane_comes_back_in_pages(bank: Agent) -> None:
    """256 units of 8 KiB go in, and every one comes out, a page within the bound of a reply."""
    units = [unit(f"u{n:03}", f"{n:03}" + "\u00e9" * 4_094) for n in range(256)]
    assert replace(bank, "docs", *units)["coverage"]["covered"] == 256
    seen: list[str] = []
    cursor = None
    while True:
        page = query(bank, limit=256, cursor=cursor)
        assert sum(len(one["text"].encode()) for one in page["units"]) <= bounds.REPLY_TEXT_BYTES
        seen += [one["unit_id"] for one in page["units"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == [f"u{n:03}" for n in range(256)]


def test_a_disabled_bank_takes_and_shows_no_lanes(bank: Agent) -> None:
    """Off is off; drop works, as a forget does."""
    replace(bank, "docs", unit("a", "x"))
    bank.set_enabled(False)
    answer = replace(bank, "docs", unit("a", "y"), snapshot="v2")
    assert (answer["outcome"], answer["reason"]) == ("no_effect", "disabled")
    assert bank.result("lane.query")["outcome"] == "disabled"
    assert bank.result("lane.drop", {"lane": "docs", **operation()})["outcome"] == "dropped"
    bank.set_enabled(True)
    assert query(bank)["lanes"] == []


def test_drop_and_wipe_take_lanes_away(bank: Agent) -> None:
    """A lane that is not there is already absent; a wipe leaves none."""
    replace(bank, "docs", unit("a", "x"))
    replace(bank, "mail", unit("a", "y"))
    same = operation()
    assert bank.result("lane.drop", {"lane": "docs", **same})["outcome"] == "dropped"
    assert bank.result("lane.drop", {"lane": "docs", **same})["replayed"] is True
    absent = bank.result("lane.drop", {"lane": "docs", **operation()})
    assert absent["outcome"] == "already_absent"
    assert texts(bank) == ["y"]
    bank.delete_all()
    assert query(bank)["lanes"] == []


async def test_a_replacement_owes_nothing_and_a_drop_owes_an_erasure(tmp_path: Path) -> None:
    """In the bank: rows gone at once, no digest of the old request, the file sound."""
    units = [Unit("a", "note", "kingfisher", None, None)]
    async with opened(tmp_path) as bank:
        for version in ("v1", "v2"):
            await bank.submit(
                lambda tx, version=version: lanes.replace(  # type: ignore[misc]
                    tx, "docs", (version, HASH), units, [(None, "r")], operation()["operation_id"]
                )
            ).outcome()
        assert not await bank.read(owed)
        assert await bank.read(lambda c: lanes.count_units(c, Wanted())) == 1
        assert await bank.submit(lambda tx: lanes.drop(tx, "docs")).outcome() == 1
        assert await bank.submit(lambda tx: lanes.drop(tx, "docs")).outcome() is None
        assert await bank.read(owed)
        assert await bank.read(lambda c: lanes.count(c)) == 0
        assert (await check(bank)).sound


async def test_a_full_bank_takes_no_lanes(tmp_path: Path) -> None:
    """The quota of bytes holds for lanes too."""
    async with opened(tmp_path, keeping=Keeping(file_bytes=1)) as bank:
        with pytest.raises(QuotaError):
            await bank.submit(
                lambda tx: lanes.replace(tx, "docs", ("v1", HASH), [], [], "x")
            ).outcome()
