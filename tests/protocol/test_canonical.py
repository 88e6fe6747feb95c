"""Canonical JSON and the event hash, against the published check values."""

import pytest

from cognid.protocol.canonical import NotCanonicalError, canonical_json, event_hash, request_digest


def test_the_event_hash_has_its_check_value() -> None:
    """The published event gives the published hash; its decomposed accent is composed first."""
    data = {"role": "user", "content": "Cafe\u0301", "turn_id": "t1"}
    assert (
        event_hash("s1", 7, "user_message", data)
        == "2afa83d38a0481e6733dd1b5d9d991d9fc3e2eec042734f5bba89bc98d6c83ce"
    )


def test_values_are_normalized_and_keys_are_not() -> None:
    """Two spellings of a value hash alike; two spellings of a key do not."""
    assert canonical_json({"k": "e\u0301"}) == canonical_json({"k": "\u00e9"})
    assert canonical_json({"e\u0301": 1}) != canonical_json({"\u00e9": 1})


def test_normalization_goes_through_arrays_and_objects() -> None:
    """A string deep inside is normalized too, and keys are sorted by code point."""
    assert (
        canonical_json({"b": [{"x": "e\u0301"}], "a": None})
        == '{"a":null,"b":[{"x":"é"}]}'.encode()
    )


@pytest.mark.parametrize("value", [1.0, 2**53 + 1, -(2**53) - 1, "\ud83d", {"a": [0.5]}])
def test_what_two_writers_could_print_differently_is_refused(value: object) -> None:
    """Floats, too large integers and lone surrogates have no canonical form."""
    with pytest.raises(NotCanonicalError):
        canonical_json(value)


def test_integers_up_to_two_to_the_fifty_third_are_taken() -> None:
    """The largest integer that every JSON reader keeps exactly is in."""
    assert canonical_json([2**53, -(2**53)]) == b"[9007199254740992,-9007199254740992]"


def test_the_request_digest_ignores_the_deadline_alone() -> None:
    """A repeat with another deadline is the same request; any other change is not."""
    one = request_digest("memory.add", {"text": "a", "deadline_ms": 5})
    assert one == request_digest("memory.add", {"deadline_ms": 9, "text": "a"})
    assert one != request_digest("memory.add", {"text": "b"})
    assert one != request_digest("memory.remember", {"text": "a"})
