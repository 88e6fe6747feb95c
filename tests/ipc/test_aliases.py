"""Aliases: one revision each, never rebound, stale when the record changes, replayable."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognid import CognidError
from cognid.aliases import (
    LIVE_ALIASES,
    Aliases,
    AliasTable,
    Plan,
    apply,
    find,
    is_alias,
    plan,
    plan_drop,
    precondition,
    replay,
)


def record(number: int, revision: int = 1, **more: Any) -> dict[str, Any]:
    """A record as a search shows it."""
    return {"memory_id": f"mem_{number:012x}", "revision": revision, "text": "said", **more}


def refused(aliases: Aliases, alias: str) -> str:
    """The code with which a mutation through an alias is refused."""
    with pytest.raises(CognidError) as caught:
        aliases.precondition(alias)
    assert caught.value.effect == "none"
    assert "earch again" in caught.value.remedy
    return caught.value.code


def test_records_are_numbered_as_they_are_shown() -> None:
    """The first record is m1, the next m2; what is shown again as it was keeps its name."""
    aliases = Aliases("s")
    assert aliases.name([record(1), record(2)]).aliases == ["m1", "m2"]
    assert aliases.name([record(3), record(2), record(3)]).aliases == ["m3", "m2", "m3"]
    assert aliases.precondition("m2") == ("mem_000000000002", 1)


def test_changed_record_gets_a_new_alias() -> None:
    """A new revision is a new alias, and the old one is stale for good."""
    aliases = Aliases("s")
    aliases.name([record(1), record(2)])
    assert aliases.name([record(1, 2)]).aliases == ["m3"]
    assert aliases.precondition("m3") == ("mem_000000000001", 2)
    assert refused(aliases, "m1") == "memory_alias_stale"
    assert aliases.precondition("m2") == ("mem_000000000002", 1)


def test_older_revision_is_stale_from_the_start() -> None:
    """A late answer with an older revision gets a name of its own, and the newer one stays."""
    aliases = Aliases("s")
    aliases.name([record(1, 2)])
    assert aliases.name([record(1, 1)]).aliases == ["m2"]
    assert refused(aliases, "m2") == "memory_alias_stale"
    assert aliases.precondition("m1") == ("mem_000000000001", 2)
    both = Aliases("t")
    assert both.name([record(1, 1), record(1, 2), record(1, 1)]).aliases == ["m1", "m2", "m3"]
    assert both.precondition("m2")[1] == 2
    assert [refused(both, alias) for alias in ("m1", "m3")] == ["memory_alias_stale"] * 2


def test_invalidated_memory_is_stale_and_never_rebound() -> None:
    """After `invalidate_memory` the alias is stale; shown again, the same revision is a new one."""
    aliases = Aliases("s")
    aliases.name([record(1), record(2)])
    aliases.invalidate_memory("mem_000000000001")
    aliases.invalidate_memory("mem_00000000ffff")
    assert refused(aliases, "m1") == "memory_alias_stale"
    assert aliases.name([record(1)]).aliases == ["m3"]
    assert refused(aliases, "m1") == "memory_alias_stale"
    aliases.invalidate()
    assert {refused(aliases, f"m{n}") for n in (1, 2, 3)} == {"memory_alias_stale"}


@pytest.mark.parametrize(
    "alias", ["m2", "m99", "m0", "m01", "m", "M1", "m1 ", "m١", "m" + "9" * 99]
)
def test_unknown_alias_is_told_from_a_stale_one(alias: str) -> None:
    """What the table never gave is unknown; text that is no alias is not repeated in the error."""
    aliases = Aliases("s")
    aliases.name([record(1)])
    assert refused(aliases, alias) == "memory_alias_unknown"
    with pytest.raises(CognidError) as caught:
        aliases.precondition("my secret")
    assert "secret" not in str(caught.value)


def test_no_memory_id_is_an_alias() -> None:
    """Ids and aliases cannot be taken for each other."""
    assert is_alias("m1")
    assert not is_alias("mem_000000000001")


@pytest.mark.parametrize(
    ("fields", "revision", "expected"),
    [
        ({"revision_id": "r7", "revision": 3}, "r7", None),
        ({"revision": 3, "version": 9}, "3", 3),
        ({"version": 4, "provenance_id": "p"}, "4", 4),
        ({"provenance_id": "p"}, "p", None),
        ({"metadata": {"revision": 5}}, "5", 5),
        ({"metadata": {"provenance": {"version": 6}}}, "6", 6),
        ({"version": 2, "metadata": {"revision_id": "deep"}}, "2", 2),
        ({"revision": True, "metadata": {"version": 8}}, "8", 8),
        ({"revision": None, "version": ""}, None, None),
        ({"revision": 0}, "0", None),
    ],
)
def test_revision_is_the_first_that_the_record_names(
    fields: Mapping[str, Any], revision: str | None, expected: int | None
) -> None:
    """revision_id, revision, version, provenance_id; at the top, in metadata, in its provenance."""
    aliases = Aliases("s")
    aliases.name([{"id": "mem_000000000001", **fields}])
    bound = find(aliases.table, "m1")
    assert bound.expected_revision == expected
    assert bound.revision == revision if revision else bound.revision.startswith("sha256:")
    if expected is None:
        assert refused(aliases, "m1") == "memory_alias_precondition_unavailable"


def test_reading_makes_no_new_revision() -> None:
    """Of a record without a revision, counters and scores count at no depth; the rest does."""
    aliases = Aliases("s")
    base = {"id": "mem_000000000001", "memory": "tea", "metadata": {"tags": [{"n": 1}]}}
    read = {
        **base,
        **{"score": 0.5, "access_count": 3, "last_accessed": "now", "checked_at": 1},
        "metadata": {"last_accessed_at": 2, "tags": [{"n": 1, "score": 9}]},
    }
    changed = {**base, "metadata": {"tags": [{"n": 2}]}}
    assert aliases.name([base, read, changed, read]).aliases == ["m1", "m1", "m2", "m3"]


def test_planning_changes_nothing_and_a_plan_is_taken_once() -> None:
    """A plan is pure; it fits only the state it was made for, and is taken whole or not at all."""
    aliases = Aliases("s")
    first = plan(aliases.table, [record(1)])
    second = plan(aliases.table, [record(2), record(3)])
    assert first.aliases == ["m1"]
    assert aliases.table == AliasTable("s")
    aliases.take(first)
    before = aliases.table
    for wrong in (first, second, plan(AliasTable("t", applied=1), [record(2)])):
        with pytest.raises(ValueError, match="another state"):
            aliases.take(wrong)
    assert aliases.table is before
    with pytest.raises(ValueError, match="without an id"):
        aliases.name([record(4), {"text": "nobody"}])
    assert aliases.table is before


def test_table_belongs_to_one_session() -> None:
    """A table of another session is refused."""
    with pytest.raises(ValueError, match="another session"):
        Aliases("s", AliasTable("t"))


def test_oldest_aliases_become_stale_beyond_the_bound() -> None:
    """A long session keeps a bounded number of aliases that can be used."""
    aliases = Aliases("s")
    aliases.name([record(number) for number in range(LIVE_ALIASES + 2)])
    assert len(aliases.table.live) == len(aliases.table.of_memory) == LIVE_ALIASES
    assert refused(aliases, "m2") == "memory_alias_stale"
    assert aliases.precondition("m3") == (record(2)["memory_id"], 1)


STEPS = st.lists(
    st.one_of(
        st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=4),
        st.integers(0, 5),
    ),
    max_size=12,
)


@given(STEPS)
def test_replay_gives_the_same_table(steps: list[list[tuple[int, int]] | int]) -> None:
    """Plans written as JSON and replayed give the same table; no alias ever names another thing."""
    table = AliasTable("s")
    journal: list[str] = []
    named: dict[str, tuple[str, int]] = {}
    for step in steps:
        if isinstance(step, int):
            planned = plan_drop(table, [record(step)["memory_id"]])
        else:
            shown = [record(*which) for which in step]
            planned = plan(table, shown)
            for alias, what in zip(planned.aliases, shown, strict=True):
                pair = (what["memory_id"], what["revision"])
                assert named.setdefault(alias, pair) == pair
        table = apply(table, planned)
        journal.append(planned.model_dump_json())
        for alias in table.live:
            assert precondition(table, alias) == named[alias]
    assert replay("s", map(Plan.model_validate_json, journal)) == table


def test_naming_from_many_threads_gives_no_alias_twice() -> None:
    """Eight threads name records of their own: every alias is given once."""
    aliases = Aliases("s")
    given: list[str] = []

    def name(first: int) -> None:
        for number in range(first, first + 50):
            given.extend(aliases.name([record(number)]).aliases)

    threads = [threading.Thread(target=name, args=(n * 100,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == len(set(given)) == 400
