"""The modes of memory: how much of it happens by itself.

Owns: the descriptors, and what each of them makes of a policy.
"""

from __future__ import annotations

from typing import Final, Literal

from cognid.provider.policy import MemoryModeDescriptor, ModeBehavior

ModeId = Literal["full_auto", "proactive", "on_demand"]

FULL_AUTO: Final = MemoryModeDescriptor(
    id="full_auto",
    label="Fully automatic",
    description="Every turn is recalled for and remembered without anyone asking.",
    recommended_for="Companions and assistants that talk with one person for a long time.",
    tooltip="Begins with instructions and core memories, recalls and remembers each turn.",
    behavior=ModeBehavior(core_bootstrap=True, auto_recall=True, auto_remember=True, tools=True),
)
PROACTIVE: Final = MemoryModeDescriptor(
    id="proactive",
    label="Proactive",
    description="A session begins with the core memories; the agent uses its tools for the rest.",
    recommended_for="Agents with a trade of their own, such as coding.",
    tooltip="Begins with instructions and core memories; nothing else happens by itself.",
    behavior=ModeBehavior(core_bootstrap=True, auto_recall=False, auto_remember=False, tools=True),
)
ON_DEMAND: Final = MemoryModeDescriptor(
    id="on_demand",
    label="On demand",
    description="Nothing happens by itself; the agent has the tools.",
    recommended_for="Agents with little room, and work that rarely needs the past.",
    tooltip="No bootstrap, no recall and no remembering unless a tool is called.",
    behavior=ModeBehavior(core_bootstrap=False, auto_recall=False, auto_remember=False, tools=True),
)

MODES: Final[dict[ModeId, MemoryModeDescriptor]] = {
    "full_auto": FULL_AUTO,
    "proactive": PROACTIVE,
    "on_demand": ON_DEMAND,
}
BOOTSTRAPS_INSTRUCTIONS: Final[frozenset[ModeId]] = frozenset({"full_auto", "proactive"})
"""Where a bootstrap recall gives the instructions; elsewhere the host has them in the policy."""
