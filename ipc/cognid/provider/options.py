"""The options of a provider: what a host may set, validated, and the policy that comes of it.

Owns: the options of the two providers. An unknown one is refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from cognid.client.arguments import make
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Message, Said, Sound
from cognid.provider.modes import BOOTSTRAPS_INSTRUCTIONS, MODES, ModeId
from cognid.provider.policy import (
    MemoryModeDescriptor,
    MemoryRuntimePolicy,
    disabled_policy,
    fingerprint_policy,
)

COGNID_BACKEND: Final = "cognid"
NULL_BACKEND: Final = "none"
INSTRUCTIONS_CHARACTERS: Final = 32_000
"""Of a text that stands in every prompt of an agent."""

Instructions = Annotated[
    str, StringConstraints(min_length=1, max_length=INSTRUCTIONS_CHARACTERS), Sound, Said
]


class _Options(Message):
    """What a host may set.

    `mode`: see `modes.py`. `instructions`: what the agent is told about its memory; the provider
    has no text of its own. `core_tokens`: of the core memories, the fence around them included.
    """

    mode: ModeId = "full_auto"
    instructions: Instructions | None = None
    core_tokens: Annotated[int, Field(ge=1, le=bounds.CONTEXT_TOKENS)] = (
        bounds.CONTEXT_TOKENS_DEFAULT
    )


class CognidOptions:
    """The options of `CognidProvider`. `COGNID_OPTIONS` is the one instance that is needed."""

    backend_id: str = COGNID_BACKEND
    defaults: Mapping[str, Any] = _Options().model_dump()
    modes: tuple[MemoryModeDescriptor, ...] = tuple(MODES.values())

    def validate_options(self, options: object) -> dict[str, Any]:
        """Give the options whole, with the defaults of those that were left out.

        Raises:
            CognidError: `invalid_argument`, naming the option that is unknown or wrong.
        """
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise CognidError("invalid_argument", "options: must be an object")
        return make(_Options, **options).model_dump()

    def resolve_policy(
        self, options: Mapping[str, Any], *, profile_id: str | None = None
    ) -> MemoryRuntimePolicy:
        """Give the policy of these options.

        Raises:
            CognidError: `invalid_argument`, as `validate_options`.
        """
        valid = self.validate_options(options)
        mode: ModeId = valid["mode"]
        behavior = MODES[mode].behavior
        fingerprint = fingerprint_policy(
            backend_id=self.backend_id,
            options=valid,
            enabled=True,
            bootstrap_instructions=mode in BOOTSTRAPS_INSTRUCTIONS,
            bootstrap_core=behavior.core_bootstrap,
            auto_recall=behavior.auto_recall,
            auto_remember=behavior.auto_remember,
            tools_enabled=behavior.tools,
            instructions=valid["instructions"],
        )
        return MemoryRuntimePolicy(
            backend_id=self.backend_id,
            enabled=True,
            bootstrap_instructions=mode in BOOTSTRAPS_INSTRUCTIONS,
            bootstrap_core=behavior.core_bootstrap,
            auto_recall=behavior.auto_recall,
            auto_remember=behavior.auto_remember,
            tools_enabled=behavior.tools,
            instructions=valid["instructions"],
            policy_fingerprint=fingerprint,
            mode_id=mode,
            profile_id=profile_id,
        )


class NullOptions:
    """The options of `NullProvider`: none at all."""

    backend_id: str = NULL_BACKEND
    defaults: Mapping[str, Any] = {}
    modes: tuple[MemoryModeDescriptor, ...] = ()

    def validate_options(self, options: object) -> dict[str, Any]:
        """Give no options.

        Raises:
            CognidError: `invalid_argument` where there is one.
        """
        if options is not None and options != {}:
            raise CognidError("invalid_argument", "options: this backend takes none")
        return {}

    def resolve_policy(
        self, options: Mapping[str, Any], *, profile_id: str | None = None
    ) -> MemoryRuntimePolicy:
        """Give the disabled policy."""
        self.validate_options(options)
        return disabled_policy(self.backend_id, profile_id=profile_id)


COGNID_OPTIONS: Final = CognidOptions()
NULL_OPTIONS: Final = NullOptions()
