"""Requests as the bridge takes them: strict types, bounds, and no content in a refusal."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from cognid.protocol import bounds
from cognid.protocol.ids import new_memory_id, new_operation_id, operation_milliseconds
from cognid.protocol.table import KNOWLEDGE, OPERATIONS, Reach, find_operation
from cognid.protocol.validation import FORMS, describe

SECRET = "KITE-77"


def _add(**fields: Any) -> Any:
    params = {"operation_id": new_operation_id(), "text": "a", **fields}
    return OPERATIONS["memory.add"].read_request.validate_python(params)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": " "},
        {"text": "\u200b"},
        {"text": "\n\n"},
        {"text": "a\0b KITE-77"},
        {"text": "cut \ud83d KITE-77"},
        {"text": 5},
        {"text": None},
        {"text": "x" * (bounds.FACT_CHARACTERS + 1)},
        {"text": "x" * (bounds.TEXT_CHARACTERS + 1), "kind": "remark"},
        {"kind": "KITE-77"},
        {"kind": 3},
        {"role": "KITE-77"},
        {"confidence": True},
        {"confidence": 1.5},
        {"confidence": float("nan")},
        {"pinned": 1},
        {"labels": "KITE-77"},
        {"labels": ["x"] * (bounds.LABELS + 1)},
        {"labels": [""]},
        {"owner": ""},
        {"agent": ""},
        {"owner": "é" * 257},
        {"unheard_of": "KITE-77"},
        {"deadline_ms": 0},
        {"deadline_ms": True},
        {"deadline_ms": bounds.DEADLINE_MS_MAX + 1},
        {"operation_id": "KITE-77"},
        {"operation_id": "00000000-0000-4000-8000-000000000000"},
        {"policy_fingerprint": "A" * 64},
        {"event_time": 1_700_000_000},
        {"event_time": "2024-05-01T10:00:00"},
        {"event_time": "2024-05-01"},
        {"event_time": "1900-01-01T00:00:00Z"},
        {"valid_from": "2024-05-02T00:00:00Z", "valid_until": "2024-05-01T00:00:00Z"},
        {"provenance": "explicit", "role": "assistant"},
        {"provenance": "synthesized"},
    ],
)
def test_what_lies_outside_is_refused_without_being_quoted(fields: dict[str, Any]) -> None:
    """Each wrong field is refused, and the refusal does not hold what was sent."""
    with pytest.raises(ValidationError) as refused:
        _add(**fields)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "x" * bounds.FACT_CHARACTERS},
        {"text": "😀" * bounds.TEXT_CHARACTERS, "kind": "remark"},
        {"owner": "é" * 256},
        {"agent": None},
        {"event_time": "2024-05-01T10:00:00+05:30"},
        {"confidence": 1},
        {"labels": []},
    ],
)
def test_what_lies_at_the_bound_is_taken(fields: dict[str, Any]) -> None:
    """The bound itself is inside."""
    _add(**fields)


@pytest.mark.parametrize("limit", [0, -1, 10**6, 1.0, True, "8"])
def test_a_recall_of_no_or_too_many_hits_is_refused(limit: object) -> None:
    """k outside 1 to 100, or not an integer, is an invalid argument."""
    with pytest.raises(ValidationError):
        OPERATIONS["memory.recall"].read_request.validate_python({"query": "x", "limit": limit})


@pytest.mark.parametrize("query", ["", "  \n", "\u200b", "a\0", "cut \ud83d"])
def test_a_blank_or_broken_query_is_refused(query: str) -> None:
    """There is no arbitrary list for a query that asks nothing."""
    with pytest.raises(ValidationError):
        OPERATIONS["memory.recall"].read_request.validate_python({"query": query})


@pytest.mark.parametrize(
    "event",
    [
        {"stream": "s", "data": {}, "after": 1},
        {"stream": "s", "data": {}, "hash": "0" * 64},
        {"stream": "s", "data": {}, "sequence": 3, "after": 3},
        {"stream": "s", "data": {}, "sequence": -1},
        {"stream": "s", "data": {}, "sequence": 2**53},
        {"stream": "s", "data": []},
        {"stream": "", "data": {}},
        {"data": {}},
    ],
)
def test_an_event_without_a_whole_identity_is_refused(event: dict[str, Any]) -> None:
    """after and hash need a sequence, and a sequence has its range."""
    with pytest.raises(ValidationError):
        OPERATIONS["memory.remember"].read_request.validate_python(
            {"operation_id": new_operation_id(), "event": event}
        )


def test_every_operation_of_a_bank_needs_a_right() -> None:
    """No row of the table reaches a bank or the daemon without a right."""
    for operation in OPERATIONS.values():
        assert (operation.right is None) == (operation.reach is Reach.LINK), operation.name


def test_every_mutation_carries_an_operation_id() -> None:
    """What changes something can be asked about afterwards."""
    for operation in OPERATIONS.values():
        if operation.mutates:
            assert "operation_id" in operation.request.model_fields, operation.name


def test_knowledge_is_one_family_without_paths() -> None:
    """Any name under knowledge. is the same row; no other unknown name is a row at all."""
    assert find_operation("knowledge.write") is KNOWLEDGE
    assert find_operation("memory.drop") is None
    assert find_operation("hello") is None


def test_an_operation_id_carries_its_time() -> None:
    """A UUIDv7 made for an instant gives that instant back."""
    assert operation_milliseconds(new_operation_id(1_700_000_000_123)) == 1_700_000_000_123


def test_ids_are_unique_and_ordered_by_time() -> None:
    """Later memories have greater ids."""
    ids = [new_memory_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert [i[:15] for i in ids] == sorted(i[:15] for i in ids)


def test_no_pattern_is_told_to_a_person() -> None:
    """Each form of an id is told in words, and every pattern of the protocol has such words."""
    for operation in OPERATIONS.values():
        schema = str(operation.read_request.json_schema())
        for pattern in re.findall(r"'pattern': '([^']*)'", schema):
            assert any(pattern.startswith(beginning) for beginning in FORMS), pattern
    with pytest.raises(ValidationError) as invalid:
        _add(operation_id=SECRET)
    said = describe(invalid.value)
    assert said == "operation_id: must be an operation's id: a UUIDv7 in lower case"
