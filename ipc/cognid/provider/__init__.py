"""The memory provider of an agent host: the protocol, the provider kept by the daemon, and none.

`docs/provider.md` is its page. Anyone can hold a provider of their own to the protocol with
`cognid.testing`.
"""

from cognid.protocol.errors import CognidError as CognidError
from cognid.protocol.errors import OutcomeUnknownError as OutcomeUnknownError
from cognid.provider.cognid_provider import CognidProvider as CognidProvider
from cognid.provider.modes import MODES as MODES
from cognid.provider.null import NullProvider as NullProvider
from cognid.provider.operations import BRIDGE_OPERATIONS as BRIDGE_OPERATIONS
from cognid.provider.options import COGNID_OPTIONS as COGNID_OPTIONS
from cognid.provider.options import NULL_OPTIONS as NULL_OPTIONS
from cognid.provider.policy import MemoryBackendOptionsProvider as MemoryBackendOptionsProvider
from cognid.provider.policy import MemoryModeDescriptor as MemoryModeDescriptor
from cognid.provider.policy import MemoryRuntimePolicy as MemoryRuntimePolicy
from cognid.provider.policy import ModeBehavior as ModeBehavior
from cognid.provider.policy import disabled_policy as disabled_policy
from cognid.provider.policy import fingerprint_policy as fingerprint_policy
from cognid.provider.policy import resolve_policy as resolve_policy
from cognid.provider.protocol import MemoryProvider as MemoryProvider
from cognid.provider.shapes import RecallAnswer as RecallAnswer

__all__ = [
    "BRIDGE_OPERATIONS",
    "COGNID_OPTIONS",
    "MODES",
    "NULL_OPTIONS",
    "CognidError",
    "CognidProvider",
    "MemoryBackendOptionsProvider",
    "MemoryModeDescriptor",
    "MemoryProvider",
    "MemoryRuntimePolicy",
    "ModeBehavior",
    "NullProvider",
    "OutcomeUnknownError",
    "RecallAnswer",
    "disabled_policy",
    "fingerprint_policy",
    "resolve_policy",
]
