"""The table of the provider's methods: which operations of the bridge each of them is made of.

Owns: the table. A test holds it to the protocol, to the operations there are, and to what a
provider really asks.
"""

from __future__ import annotations

from typing import Final

BRIDGE_OPERATIONS: Final[dict[str, tuple[str, ...]]] = {
    "load_session_identity": ("context.assemble",),
    "recall": ("context.assemble", "memory.recall", "memory.search"),
    "remember": ("memory.remember", "session.append"),
    "add_memory": ("memory.add",),
    "search": ("memory.recall",),
    "delete_memory": ("configure.open", "memory.forget"),
    "delete_memory_tool": ("memory.tool_forget_preview", "memory.tool_forget"),
    "bootstrap_agent": ("bank.ensure",),
    "health": ("status", "bank.status"),
    "remember_evidence": ("memory.remember_evidence",),
    "remember_user_event": ("memory.remember_evidence",),
    "correct": ("configure.open", "memory.correct"),
    "inspect": ("configure.open", "memory.inspect"),
    "history": ("configure.open", "memory.inspect"),
}
"""Session messages go along only where the credential has the right `session`."""
