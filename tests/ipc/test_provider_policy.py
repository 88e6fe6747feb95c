"""The provider's rules: options, modes, the policy and its fingerprint; identity; small parts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

import cognid.provider
from cognid import CognidError
from cognid.protocol.table import OPERATIONS
from cognid.provider import (
    BRIDGE_OPERATIONS,
    COGNID_OPTIONS,
    MODES,
    NULL_OPTIONS,
    CognidProvider,
    MemoryProvider,
    MemoryRuntimePolicy,
    NullProvider,
    disabled_policy,
    resolve_policy,
)
from cognid.provider.attempts import KEPT, Attempts
from cognid.provider.identity import Identity
from cognid.provider.known import MEMORIES, SESSIONS, Known
from cognid.provider.messages import turns_of
from cognid.provider.shapes import importance_of, labels_back, labels_of

ME = Identity("ines", "helper")


def test_check_value_of_the_fingerprint_holds() -> None:
    """The disabled policy of the backend `none` without options has the contract's fingerprint."""
    expected = "a5e35a5d26e74e4709dcd6a2ba339518ac7fe904753a670b9438dd8e0dfc88c1"
    assert disabled_policy("none").policy_fingerprint == expected
    assert NULL_OPTIONS.resolve_policy({}).policy_fingerprint == expected
    assert NullProvider().policy.policy_fingerprint == expected


def test_fingerprint_is_of_compact_sorted_ascii_json() -> None:
    """The form that is hashed: nine keys, sorted, no spaces, escaped; of the text its hash."""
    policy = resolve_policy(COGNID_OPTIONS, {"instructions": "Sei höflich."})
    form = {
        "auto_recall": True,
        "auto_remember": True,
        "backend_id": "cognid",
        "bootstrap_core": True,
        "bootstrap_instructions": True,
        "enabled": True,
        "instructions_sha256": hashlib.sha256("Sei höflich.".encode()).hexdigest(),
        "options": {"core_tokens": 2000, "instructions": "Sei höflich.", "mode": "full_auto"},
        "tools_enabled": True,
    }
    written = json.dumps(form, separators=(",", ":"))
    assert "\\u00f6" in written
    assert policy.policy_fingerprint == hashlib.sha256(written.encode()).hexdigest()


def test_fingerprint_leaves_out_mode_and_profile_names() -> None:
    """A profile's name changes nothing; an option does."""
    named = resolve_policy(COGNID_OPTIONS, profile_id="night")
    plain = resolve_policy(COGNID_OPTIONS)
    other = resolve_policy(COGNID_OPTIONS, {"core_tokens": 100})
    assert named.policy_fingerprint == plain.policy_fingerprint != other.policy_fingerprint


def test_policy_is_frozen_and_has_these_fields() -> None:
    """The policy's fields are the contract's, and none can be changed."""
    assert [field.name for field in dataclasses.fields(MemoryRuntimePolicy)] == [
        *("backend_id", "enabled", "bootstrap_instructions", "bootstrap_core", "auto_recall"),
        *("auto_remember", "tools_enabled", "instructions", "policy_fingerprint", "mode_id"),
        "profile_id",
    ]
    policy = resolve_policy(COGNID_OPTIONS, {"instructions": "Be kind."})
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.enabled = False  # type: ignore[misc]
    assert "kind" not in repr(policy)


def test_audit_metadata_has_these_keys() -> None:
    """What a host keeps beside a turn."""
    policy = resolve_policy(COGNID_OPTIONS, {"mode": "proactive"}, profile_id="night")
    assert policy.audit_metadata() == {
        "memory_backend": "cognid",
        "memory_mode": "proactive",
        "memory_profile_id": "night",
        "memory_policy_fingerprint": policy.policy_fingerprint,
        "memory_enabled": True,
    }


def test_options_are_merged_field_by_field_in_this_order() -> None:
    """Defaults, then the agent's, then the profile's: the later one wins."""
    agent = {"mode": "on_demand", "instructions": "agent"}
    policy = resolve_policy(COGNID_OPTIONS, agent, {"mode": "proactive"})
    assert (policy.mode_id, policy.instructions) == ("proactive", "agent")
    assert resolve_policy(COGNID_OPTIONS).mode_id == "full_auto"
    off = resolve_policy(COGNID_OPTIONS, agent, enabled=False, profile_id="p")
    assert off == disabled_policy("cognid", profile_id="p")


@pytest.mark.parametrize(
    ("mode", "behavior"),
    [
        ("full_auto", (True, True, True, True)),
        ("proactive", (True, False, False, True)),
        ("on_demand", (False, False, False, True)),
    ],
)
def test_modes_do_what_their_descriptors_say(mode: Any, behavior: tuple[bool, ...]) -> None:
    """A mode's descriptor and its policy agree."""
    described = MODES[mode].to_dict()
    assert list(described) == [
        *("id", "label", "description", "recommended_for", "tooltip", "behavior"),
    ]
    assert list(described["behavior"]) == [
        "core_bootstrap",
        "auto_recall",
        "auto_remember",
        "tools",
    ]
    assert tuple(described["behavior"].values()) == behavior
    policy = resolve_policy(COGNID_OPTIONS, {"mode": mode})
    made = (policy.bootstrap_core, policy.auto_recall, policy.auto_remember, policy.tools_enabled)
    assert made == behavior
    assert MODES[mode] in COGNID_OPTIONS.modes


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"color": "red"}, "color"),
        ({"mode": "sometimes"}, "mode"),
        ({"core_tokens": 0}, "core_tokens"),
        ({"core_tokens": True}, "core_tokens"),
        ({"core_tokens": 32_001}, "core_tokens"),
        ({"instructions": " "}, "instructions"),
        ({"instructions": 7}, "instructions"),
        ("full_auto", "options"),
        ({1: 2}, "options"),
    ],
)
def test_unknown_or_wrong_option_is_refused(options: Any, named: str) -> None:
    """An option that is not known, or not right, is refused by its name."""
    with pytest.raises(CognidError) as refused:
        COGNID_OPTIONS.validate_options(options)
    assert refused.value.code == "invalid_argument"
    assert named in refused.value.detail
    assert "red" not in refused.value.detail


def test_null_backend_takes_no_option() -> None:
    """The backend without memory has nothing to be set."""
    assert NULL_OPTIONS.validate_options(None) == NULL_OPTIONS.validate_options({}) == {}
    with pytest.raises(CognidError, match="options"):
        NULL_OPTIONS.validate_options({"mode": "full_auto"})


def test_table_maps_each_method_to_operations_that_exist() -> None:
    """Each method of the protocol stands in the table, with operations of the bridge."""
    methods = {name for name in vars(MemoryProvider) if not name.startswith("_")}
    assert set(BRIDGE_OPERATIONS) == methods
    named = {name for names in BRIDGE_OPERATIONS.values() for name in names}
    assert named <= set(OPERATIONS)


def test_both_providers_are_memory_providers() -> None:
    """Both have the protocol's methods, for the eyes of a type checker too."""
    providers: list[MemoryProvider] = [CognidProvider(), NullProvider()]
    assert all(isinstance(provider, MemoryProvider) for provider in providers)


async def test_health_of_null_is_disabled() -> None:
    """The provider that keeps nothing is disabled, and does not say ok."""
    assert (await NullProvider().health())["status"] == "disabled"


@pytest.mark.parametrize(
    "fields",
    [
        {"owner_id": "otto"},
        {"User-Email": "otto@example.org"},
        {"X-OpenWebUI-User-Email": "otto@example.org"},
        {"x-agent-id": "other"},
        {"agent": {"id": "other"}},
        {"headers": {"X-User-Id": "otto"}},
        {"rows": [{"deep": {"tenant_id": "otto"}}]},
        {"agent_id": ["helper", "other"]},
        {"agent_id": 7},
        {"session_id": "s2"},
    ],
)
def test_claim_of_another_identity_is_refused(fields: dict[str, Any]) -> None:
    """However it is spelled and wherever it stands; the error does not repeat it."""
    with pytest.raises(CognidError) as refused:
        ME.check_fields("context", fields, "s1", deep=True)
    assert refused.value.code == "identity_mismatch"
    assert "otto" not in refused.value.detail
    assert "other" not in refused.value.detail


@pytest.mark.parametrize(
    "fields",
    [
        {"owner_id": "ines", "agent_id": "helper", "session_id": "s1"},
        {"X-User-Id": "ines", "agent": {"id": "helper", "name": "Helper"}},
        {"cognis_session_id": "other", "parent_agent": "other", "username": "otto"},
        {"user_id": None},
        None,
    ],
)
def test_repeating_the_identity_is_no_claim_of_another(fields: Any) -> None:
    """What says the same, or says nothing, passes."""
    ME.check_fields("context", fields, "s1", deep=True)


@pytest.mark.parametrize(
    "context",
    [
        "user_email: otto@example.org",
        'x\n  "agent_id": "other",',
        "X-Agent-Id=other",
        "owner_id = otto",
    ],
)
def test_line_of_the_context_that_claims_another_is_refused(context: str) -> None:
    """A line that looks like a field or a header is read as one."""
    with pytest.raises(CognidError, match="identity_mismatch"):
        ME.check_context(context)


def test_prose_of_the_context_is_no_claim() -> None:
    """A transcript or a sentence passes."""
    ME.check_context("user: hello\nagent: hi there\nThe agent_id is what it is.\nowner_id: ines")


def test_agent_of_none_is_an_agent_of_its_own() -> None:
    """A provider without an agent takes no other's name."""
    alone = Identity("ines", None)
    alone.check(agent_id=None)
    with pytest.raises(CognidError, match="identity_mismatch"):
        alone.check(agent_id="helper")


def test_arguments_of_a_tool_are_no_claim() -> None:
    """What stands deep in a message names whom it likes; its own fields do not."""
    call = {"tool_calls": [{"arguments": {"user_id": "otto"}}], "role": "assistant"}
    assert turns_of([call], None, ME, "s1") == []
    with pytest.raises(CognidError) as refused:
        turns_of([{**call, "user_id": "otto"}], None, ME, "s1")
    assert refused.value.detail == "messages[0].owner is not the provider's owner"


def test_deeply_nested_fields_end_in_an_error() -> None:
    """What could hide a claim below any depth is refused."""
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"a": deep}
    with pytest.raises(CognidError, match="invalid_argument"):
        ME.check_fields("context", deep, deep=True)


def test_labels_come_back_as_they_were_given() -> None:
    """An object of labels is words for the daemon and an object again for the host."""
    given = {"project": "kite", "urgent": True, "weight": 3, "plain": None, "time": "09:15"}
    words = labels_of(given)
    assert words == ["project:kite", "urgent:true", "weight:3", "plain", "time:09:15"]
    assert labels_back(words) == {
        **{"project": "kite", "urgent": "true", "weight": "3", "plain": None, "time": "09:15"}
    }
    for wrong in ({"a:b": "c"}, {"a=b": "c"}, {"a": ["b"]}):
        with pytest.raises(CognidError, match="labels"):
            labels_of(wrong)


def test_importance_is_a_word_or_a_share() -> None:
    """The contract's words stand for shares."""
    assert [importance_of(word) for word in ("low", "normal", "high", "critical", None, 0.1)] == [
        *(0.25, 0.5, 0.75, 1.0, None, 0.1),
    ]
    with pytest.raises(CognidError, match="importance"):
        importance_of("enormous")


def test_messages_are_read_and_wrong_ones_named() -> None:
    """What says nothing is left out; a wrong field is named by its message's place."""
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "Hello.", "name": "Ines", "id": 3},
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"content": "Yes."},
    ]
    turns = turns_of(said, "assistant", ME, "s1")
    assert [(turn.role, turn.content, turn.name) for turn in turns] == [
        ("user", "Hello.", "Ines"),
        ("assistant", "Yes.", None),
    ]
    for wrong, where in (
        ({"role": "pope", "content": "x"}, "messages[0].role"),
        ({"role": "user", "content": ["x"]}, "messages[0].content"),
        ({"role": "user", "content": "x", "occurred_at": "noon"}, "messages[0].occurred_at"),
    ):
        with pytest.raises(CognidError) as refused:
            turns_of([wrong], None, ME, "s1")
        assert where in refused.value.detail
    with pytest.raises(CognidError, match="at most 100"):
        turns_of([{"content": "x"}] * 101, None, ME, "s1")


def test_known_is_by_revision_time_and_bounds() -> None:
    """A memory is known at its revision, for the host's time, and within what is kept."""
    now = 100.0
    known = Known(clock=lambda: now)
    known.give("s", [("mem_1", 1)])
    assert known.of("s") == known.of("s", ttl=10) == {"mem_1": 1}
    assert known.of("s", ttl=0) == known.of("other") == {}
    now = 200.0
    assert known.of("s", ttl=10) == {}
    known.give("s", ((f"mem_{n}", 1) for n in range(MEMORIES * 2)))
    assert len(known.of("s")) == MEMORIES
    for n in range(SESSIONS):
        known.give(f"s{n}", [])
    assert known.of("s") == {}


def test_attempt_is_taken_up_until_it_is_through() -> None:
    """The same arguments have the same operation ids until the write is through; text is not
    kept."""
    attempts = Attempts()
    first = attempts.begin(2, "policy", "remember", "s", [{"content": "quartz-lamp"}])
    again = attempts.begin(2, "another", "remember", "s", [{"content": "quartz-lamp"}])
    other = attempts.begin(2, "policy", "remember", "s", [{"content": "else"}])
    assert first == again
    assert first.policy_fingerprint == "policy"
    assert not set(first.operation_ids) & set(other.operation_ids)
    assert "quartz" not in repr(vars(attempts))
    attempts.end(first)
    assert attempts.begin(2, "policy", "remember", "s", [{"content": "quartz-lamp"}]) != first
    for n in range(KEPT + 5):
        attempts.begin(1, "policy", n)
    assert len(attempts._open) == KEPT


def test_face_is_frozen_and_light() -> None:
    """The package exports exactly these names, and loads neither pytest nor anything heavy."""
    assert set(cognid.provider.__all__) == {
        *("BRIDGE_OPERATIONS", "COGNID_OPTIONS", "MODES", "NULL_OPTIONS", "CognidError"),
        *("CognidProvider", "MemoryBackendOptionsProvider", "MemoryModeDescriptor"),
        *("MemoryProvider", "MemoryRuntimePolicy", "ModeBehavior", "NullProvider"),
        *("OutcomeUnknownError", "RecallAnswer", "disabled_policy", "fingerprint_policy"),
        "resolve_policy",
    }
    program = "import cognid.provider, sys; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    heavy = {"pytest", "typer", "rich", "numpy", "cryptography", "cognid_daemon", "cognid_models"}
    assert not heavy & set(ran.stdout.split())
