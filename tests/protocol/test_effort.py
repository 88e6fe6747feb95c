"""The effort of a recall: two words, and the time that each has."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from cognid.protocol import bounds
from cognid.protocol.table import OPERATIONS

ASKED = {"query": "where?"}


@pytest.mark.parametrize(
    ("fields", "milliseconds"),
    [
        ({}, bounds.DEADLINE_MS_RECALL),
        ({"effort": "fast"}, bounds.DEADLINE_MS_RECALL),
        ({"effort": "thorough"}, bounds.DEADLINE_MS_THOROUGH),
        ({"effort": "thorough", "deadline_ms": 70}, 70),
    ],
)
def test_a_thorough_recall_has_more_time(fields: dict[str, object], milliseconds: int) -> None:
    """Unless it names a deadline of its own."""
    for name, more in (("memory.recall", {}), ("memory.search", {"pipeline": "vector"})):
        operation = OPERATIONS[name]
        request = operation.read_request.validate_python({**ASKED, **more, **fields})
        assert operation.deadline_ms_of(request) == milliseconds


def test_another_word_is_refused() -> None:
    """There is no third effort."""
    with pytest.raises(ValidationError, match="effort"):
        OPERATIONS["memory.recall"].read_request.validate_python({**ASKED, "effort": "best"})


def test_what_has_no_effort_has_its_own_default() -> None:
    """Other operations are as they were."""
    operation = OPERATIONS["memory.add"]
    assert operation.deadline_ms_of(object()) == bounds.DEADLINE_MS_WRITE
