"""The policy: how memory behaves for one turn, frozen, and the fingerprint that names it.

A provider owns its options and its modes (`MemoryBackendOptionsProvider`); a host merges the
options and gets the policy. The fingerprint travels twice: in the host's audit record
(`audit_metadata`) and, with every write, into the bank's ledger. So "which rules were in force" and
"what they changed" can be joined.

Owns: the policy, its fingerprint, and the order in which options are merged. Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from cognid.protocol.errors import CognidError


@dataclass(frozen=True, slots=True)
class ModeBehavior:
    """What happens by itself in a mode, and whether the agent has memory tools."""

    core_bootstrap: bool
    auto_recall: bool
    auto_remember: bool
    tools: bool


@dataclass(frozen=True, slots=True)
class MemoryModeDescriptor:
    """A mode as a host's panel shows it."""

    id: str
    label: str
    description: str
    recommended_for: str
    tooltip: str
    behavior: ModeBehavior

    def to_dict(self) -> dict[str, Any]:
        """Give it as the host's API carries it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MemoryRuntimePolicy:
    """How memory behaves for one turn.

    `instructions` is the text that a bootstrap recall gives, None for none. `policy_fingerprint`:
    see `fingerprint_policy`. `mode_id` and `profile_id` name where it came from; they are no part
    of it.
    """

    backend_id: str
    enabled: bool
    bootstrap_instructions: bool
    bootstrap_core: bool
    auto_recall: bool
    auto_remember: bool
    tools_enabled: bool
    instructions: str | None = field(repr=False)
    policy_fingerprint: str
    mode_id: str | None = None
    profile_id: str | None = None

    def audit_metadata(self) -> dict[str, str | bool | None]:
        """Give what a host keeps beside a turn, to tell later which rules were in force."""
        return {
            "memory_backend": self.backend_id,
            "memory_mode": self.mode_id,
            "memory_profile_id": self.profile_id,
            "memory_policy_fingerprint": self.policy_fingerprint,
            "memory_enabled": self.enabled,
        }


class MemoryBackendOptionsProvider(Protocol):
    """What a provider publishes about its options."""

    backend_id: str
    defaults: Mapping[str, Any]
    modes: tuple[MemoryModeDescriptor, ...]

    def validate_options(self, options: object) -> dict[str, Any]:
        """Give the options whole, with what was left out; refuse what is unknown or wrong."""
        ...

    def resolve_policy(
        self, options: Mapping[str, Any], *, profile_id: str | None = None
    ) -> MemoryRuntimePolicy:
        """Give the policy of validated options."""
        ...


def fingerprint_policy(
    *,
    backend_id: str,
    options: Mapping[str, Any],
    enabled: bool,
    bootstrap_instructions: bool,
    bootstrap_core: bool,
    auto_recall: bool,
    auto_remember: bool,
    tools_enabled: bool,
    instructions: str | None,
) -> str:
    """The SHA-256, in hex, of these as compact JSON with sorted keys, escaped to ASCII.

    Of the instructions their own SHA-256 stands in it, null where they are empty.

    Raises:
        CognidError: `invalid_argument` where the options have no JSON form.
    """
    told = hashlib.sha256(instructions.encode("utf-8")).hexdigest() if instructions else None
    payload = {
        "backend_id": backend_id,
        "options": dict(options),
        "enabled": enabled,
        "bootstrap_instructions": bootstrap_instructions,
        "bootstrap_core": bootstrap_core,
        "auto_recall": auto_recall,
        "auto_remember": auto_remember,
        "tools_enabled": tools_enabled,
        "instructions_sha256": told,
    }
    try:
        form = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise CognidError("invalid_argument", "options: have no form in JSON") from None
    return hashlib.sha256(form.encode("ascii")).hexdigest()


def disabled_policy(backend_id: str, *, profile_id: str | None = None) -> MemoryRuntimePolicy:
    """The policy under which a backend neither recalls nor remembers."""
    fingerprint = fingerprint_policy(
        backend_id=backend_id,
        options={},
        enabled=False,
        bootstrap_instructions=False,
        bootstrap_core=False,
        auto_recall=False,
        auto_remember=False,
        tools_enabled=False,
        instructions=None,
    )
    return MemoryRuntimePolicy(
        backend_id=backend_id,
        enabled=False,
        bootstrap_instructions=False,
        bootstrap_core=False,
        auto_recall=False,
        auto_remember=False,
        tools_enabled=False,
        instructions=None,
        policy_fingerprint=fingerprint,
        profile_id=profile_id,
    )


def resolve_policy(
    backend: MemoryBackendOptionsProvider,
    agent_options: Mapping[str, Any] | None = None,
    profile_options: Mapping[str, Any] | None = None,
    *,
    enabled: bool = True,
    profile_id: str | None = None,
) -> MemoryRuntimePolicy:
    """Merge the backend's defaults, the agent's options and the profile's, and give the policy.

    The later ones win, field by field and not deeper.

    Args:
        backend: of the provider, such as `COGNID_OPTIONS`.
        agent_options, profile_options: what the host keeps for the agent, and for its profile.
        enabled: False for the disabled policy, whatever the options say.
        profile_id: the profile's name.

    Raises:
        CognidError: `invalid_argument` for an option that is unknown or wrong.
    """
    if not enabled:
        return disabled_policy(backend.backend_id, profile_id=profile_id)
    merged = {**backend.defaults, **(agent_options or {}), **(profile_options or {})}
    return backend.resolve_policy(backend.validate_options(merged), profile_id=profile_id)
