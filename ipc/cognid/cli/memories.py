"""How a memory looks on the terminal: when, who, its text, where it came from, its id.

Owns: the layout that recall, list and show share. What it prints is data and goes through
`terminal.safe`.
"""

from __future__ import annotations

from cognid.cli.terminal import Terminal, one_line, when
from cognid.protocol.recall import MemoryView
from cognid.protocol.values import Kind

INDENT = 6
"""As wide as a score and two spaces."""


def who(memory: MemoryView) -> str:
    """The speaker and the role they spoke in."""
    if memory.speaker is None:
        return memory.role.value
    return f"{one_line(memory.speaker)} ({memory.role.value})"


def origin(memory: MemoryView) -> str:
    """The event that a memory came from, or that it was asserted."""
    event = memory.source.event
    return "asserted" if event is None else f"{one_line(event.stream)}#{event.sequence}"


def print_memory(terminal: Terminal, memory: MemoryView, text: str, *, head: str = "") -> None:
    """Print one memory as a block.

    Args:
        terminal: where.
        memory: which.
        text: its text, or as much of it as is to be shown.
        head: what stands before the date (a score).
    """
    kind = "" if memory.kind is Kind.REMARK else f"  {memory.kind.value}"
    date = when(memory.event_time or memory.created_at)
    terminal.line(f"{head:<{INDENT}}{date}  {who(memory)}{kind}", style="bold")
    terminal.paragraph(text, indent=INDENT)
    terminal.paragraph(f"{origin(memory)}  {memory.memory_id}", indent=INDENT, style="dim")
