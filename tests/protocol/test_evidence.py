"""The trusted evidence of a host: a body without slack, a root to the byte, literals by type."""

from __future__ import annotations

import json
from collections import OrderedDict
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from cognid.protocol import evidence
from cognid.protocol.evidence import (
    Evidence,
    EvidenceAccepted,
    EvidenceOutcome,
    EvidenceUnavailable,
    RememberEvidence,
    TypedRejection,
    event_place,
    evidence_root,
    parse_rejection,
)
from cognid.protocol.ids import new_operation_id

HASH = "76e4ff98e2fae14ab4ec1ed4bbe734d40f764e08ac89f46c91655dcf10512f80"
REASONS = (
    "input_budget_exceeded",
    "extraction_fact_budget_exceeded",
    "action_limit_exceeded",
    "plan_budget_exceeded",
)
_outcomes: TypeAdapter[EvidenceOutcome] = TypeAdapter(EvidenceOutcome)


def body(**changed: Any) -> dict[str, Any]:
    """An evidence as JSON, with these changes: a dot in a name stands for a step down."""
    made: dict[str, Any] = {
        "version": 1,
        "actor": {"user_id": "user-1", "owner_id": "owner-1"},
        "event": {
            "id": "stream:1:7",
            "event_hash": HASH,
            "session": "session-1",
            "conversation": "conversation-1",
            "turn": "turn-1",
        },
        "messages": [{"role": "user", "content": "I live in Prague."}],
    }
    for name, value in changed.items():
        *steps, last = name.split("__")
        part: Any = made
        for step in steps:
            part = part[int(step) if step.isdigit() else step]
        part[last] = value
    return made


def rejection(**changed: Any) -> dict[str, Any]:
    """A typed rejection as JSON, with these changes."""
    return {
        "status": "rejected",
        "outcome": "rejected_before_write",
        "terminal": True,
        "retryable": False,
        "fallback_allowed": False,
        "semantic_effects": "none",
        "source_retention": "caller_queue",
        "operation_id": "op-1",
        "reason": "input_budget_exceeded",
        **changed,
    }


def is_taken(value: dict[str, Any]) -> bool:
    """Whether a body is an evidence, from Python and from JSON alike."""
    answers = set()
    for from_json in (False, True):
        try:
            if from_json:
                Evidence.model_validate_json(json.dumps(value))
            else:
                Evidence.model_validate(value)
            answers.add(True)
        except ValidationError:
            answers.add(False)
    assert len(answers) == 1, "Python and JSON disagree"
    return answers.pop()


def test_root_has_its_check_value() -> None:
    """The published root comes out to the byte."""
    root = evidence_root(
        user_id="user-1",
        owner_id="owner-1",
        event_id="event-1",
        event_hash=HASH,
        session="session-1",
        conversation="conversation-1",
        turn="turn-1",
    )
    assert root == "41393ac4f3f1e7f14b6bc3b59292b94e55afc03877d9274db3f2449cd443e42f"


def test_root_is_of_the_identity_alone() -> None:
    """Other content has the same root; any other part of the identity gives another one."""
    root = Evidence.model_validate(body()).root
    assert Evidence.model_validate(body(messages__0__content="I moved.")).root == root
    for name in ("actor__user_id", "actor__owner_id", "event__session", "event__conversation"):
        assert Evidence.model_validate(body(**{name: "other"})).root != root
    assert Evidence.model_validate(body(event__turn="turn-2")).root != root
    assert Evidence.model_validate(body(event__id="stream:1:8")).root != root
    assert Evidence.model_validate(body(event__event_hash="a" * 64)).root != root


def test_root_normalizes_and_escapes_nothing() -> None:
    """Composed and decomposed names are two roots, and no part can run into the next."""
    composed = Evidence.model_validate(body(event__turn="Caf\u00e9")).root
    assert composed != Evidence.model_validate(body(event__turn="Cafe\u0301")).root
    one = body(event__session='a","b', event__conversation="c")
    other = body(event__session="a", event__conversation='b","c')
    assert Evidence.model_validate(one).root != Evidence.model_validate(other).root


@pytest.mark.parametrize(
    "changed",
    [
        {"version": True},
        {"version": 1.0},
        {"version": "1"},
        {"version": 2},
        {"extra": 1},
        {"actor__extra": 1},
        {"event__extra": 1},
        {"messages__0__extra": 1},
        {"messages": []},
        {"messages": body()["messages"] * 2},
        {"messages": body()["messages"][0]},
        {"messages__0__role": "assistant"},
        {"messages__0__content": ""},
        {"messages__0__content": " \n\u3000\u200b"},
        {"messages__0__content": "a\0b"},
        {"messages__0__content": "x" * 400_001},
        {"messages__0__content": 7},
        {"event__event_hash": HASH.upper()},
        {"event__event_hash": HASH + "\n"},
        {"event__event_hash": HASH[:-1]},
        {"event__id": "event-1"},
        {"event__id": ":7"},
        {"event__id": "stream:07"},
        {"event__id": "stream:-1"},
        {"event__id": "stream:٧"},
        {"event__id": "stream:9007199254740992"},
        {"event__id": "s" * 255 + ":1"},
        {"event__session": ""},
        {"event__turn": "x" * 257},
        {"event__conversation": None},
        {"actor__user_id": 1},
        {"actor__owner_id": " "},
    ],
    ids=repr,
)
def test_body_takes_nothing_else(changed: dict[str, Any]) -> None:
    """A literal of another type, an unknown field, a bound overstepped: each is refused."""
    assert not is_taken(body(**changed))


def test_body_takes_its_bounds() -> None:
    """400,000 characters, and names of 256, are in."""
    assert is_taken(body())
    assert is_taken(body(messages__0__content="😀" * 400_000, event__turn="é" * 256))
    assert is_taken(body(event__id="s" * 254 + ":0"))
    for missing in body():
        assert not is_taken({name: part for name, part in body().items() if name != missing})


def test_event_id_gives_its_place() -> None:
    """A stream may hold colons: the sequence stands after the last one."""
    assert event_place("a:b:12") == ("a:b", 12)
    assert event_place("s:0") == ("s", 0)
    with pytest.raises(ValueError, match="<stream>:<sequence>"):
        event_place("s")


def test_what_was_said_stands_in_no_repr() -> None:
    """Neither a request's repr nor a refusal's text shows the content."""
    request = RememberEvidence(
        operation_id=new_operation_id(), owner="owner-1", evidence=Evidence.model_validate(body())
    )
    assert "Prague" not in repr(request)
    with pytest.raises(ValidationError) as refused:
        Evidence.model_validate(body(version=True))
    assert "Prague" not in str(refused.value)


def test_request_carries_the_whole_body() -> None:
    """What has a default is left out on the way, and of an evidence nothing has one."""
    request = RememberEvidence(
        operation_id=new_operation_id(), owner="owner-1", evidence=Evidence.model_validate(body())
    )
    sent = json.loads(request.model_dump_json(exclude_defaults=True))
    assert sent["evidence"] == body()


def test_outcomes_carry_their_flags() -> None:
    """Six are terminal; unavailable alone may be tried again, since its fate is not known."""
    models: list[type[BaseModel]] = [
        model
        for name, model in vars(evidence).items()
        if name.startswith("Evidence") and "outcome" in getattr(model, "model_fields", {})
    ]
    flags = {
        model.model_fields["outcome"].default: tuple(
            model.model_fields[name].default
            for name in ("terminal", "retryable", "outcome_unknown")
        )
        for model in models
    }
    over = (True, False, False)
    assert flags == {
        **dict.fromkeys(("accepted", "replayed", "recovered", "skipped"), over),
        **dict.fromkeys(("conflict", "rejected"), over),
        "unavailable": (False, True, True),
    }


def test_outcomes_come_back_from_json() -> None:
    """A queue may keep an outcome as JSON; flags that are not its own are no outcome."""
    operation_id = new_operation_id()
    for outcome in (
        EvidenceAccepted(operation_id=operation_id, memories=[]),
        EvidenceUnavailable(operation_id=operation_id, reason="outcome_unknown"),
    ):
        kept = json.loads(outcome.model_dump_json())
        assert _outcomes.validate_python(kept) == outcome
        for flag in ("terminal", "retryable", "outcome_unknown"):
            for wrong in (not kept[flag], int(kept[flag]), None):
                with pytest.raises(ValidationError):
                    _outcomes.validate_python({**kept, flag: wrong})


@pytest.mark.parametrize("reason", REASONS)
def test_rejection_parses(reason: str) -> None:
    """Each of the four reasons is a rejection, and comes back as it was."""
    parsed = parse_rejection(rejection(reason=reason))
    assert parsed is not None
    assert parsed.model_dump() == rejection(reason=reason)
    assert parse_rejection(json.loads(parsed.model_dump_json())) == parsed


class _Word(StrEnum):
    REJECTED = "rejected"
    NONE = "none"


class _Text(str):
    __slots__ = ()


class _Fields(dict[str, Any]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "rejected",
        json.dumps(rejection()),
        TypedRejection(operation_id="op-1", reason="input_budget_exceeded"),
        _Fields(rejection()),
        OrderedDict(rejection()),
        rejection(extra=None),
        rejection(terminal=1),
        rejection(terminal=1.0),
        rejection(terminal="true"),
        rejection(terminal=False),
        rejection(retryable=0),
        rejection(retryable=True),
        rejection(fallback_allowed=0.0),
        rejection(fallback_allowed=None),
        rejection(status=_Word.REJECTED),
        rejection(semantic_effects=_Word.NONE),
        rejection(semantic_effects=None),
        rejection(semantic_effects="some"),
        rejection(source_retention=_Text("caller_queue")),
        rejection(outcome="rejected"),
        rejection(reason="quota_exceeded"),
        rejection(reason=REASONS),
        rejection(operation_id=""),
        rejection(operation_id="x" * 257),
        rejection(operation_id=True),
        rejection(operation_id="\ud800"),
        {_Text(name): part for name, part in rejection().items()},
        {name.encode(): part for name, part in rejection().items()},
        {"error": {"code": "invalid_argument", "detail": "evidence.version: …"}},
    ],
    ids=lambda value: repr(value)[:60],
)
def test_what_is_not_exactly_one_is_none(value: object) -> None:
    """One for True, a subclass, a key more: no promise that nothing was written."""
    assert parse_rejection(value) is None


_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.floats(allow_nan=True),
    st.sampled_from([*REASONS, *(v for v in rejection().values() if isinstance(v, str))]),
    st.text(max_size=8),
    st.binary(max_size=4),
)
_anything = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(rejection())), _anything)
def test_one_field_decides(name: str, value: object) -> None:
    """Whatever stands in one field: it is a rejection only where it is the very literal there."""
    good: set[tuple[type, object]] = {(type(rejection()[name]), repr(rejection()[name]))}
    if name == "reason":
        good = {(str, repr(reason)) for reason in REASONS}
    parsed = parse_rejection(rejection(**{name: value}))
    if name == "operation_id":
        assert parsed is None or (type(value) is str and parsed.operation_id == value)
    else:
        assert (parsed is not None) == ((type(value), repr(value)) in good)


@given(st.sets(st.sampled_from(sorted(rejection())), min_size=1))
def test_each_field_is_needed(missing: set[str]) -> None:
    """Without any of its fields it is none, though the model has defaults for most."""
    kept = {name: part for name, part in rejection().items() if name not in missing}
    assert parse_rejection(kept) is None


@given(st.one_of(_anything, st.dictionaries(st.sampled_from(sorted(rejection())), _leaves)))
def test_parsing_never_raises(value: object) -> None:
    """Any value gives a rejection or None, and a rejection says what its source said."""
    parsed = parse_rejection(value)
    assert parsed is None or parsed.model_dump() == value
