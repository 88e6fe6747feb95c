"""How a memory looks on the terminal: when, who, its text, where it came from, its id.

Owns: the layout that recall, list and show share. What it prints is data and goes through
`terminal.safe`.
"""

from __future__ import annotations

from typing import Final

from cognid.cli.terminal import Terminal, one_line, when
from cognid.protocol.recall import MemoryView
from cognid.protocol.values import Kind
from cognid.rendering import dated

INDENT: Final = 6
"""Under a score: as wide as it and two spaces."""
_NARROW_INDENT: Final = 2
_STREAM_CHARACTERS: Final = 24
"""A file's stream is its digest; `cognid show` and `--json` give it whole."""


def who(memory: MemoryView) -> str:
    """The speaker and the role they spoke in."""
    if memory.speaker is None:
        return memory.role.value
    return f"{one_line(memory.speaker)} ({memory.role.value})"


def origin(memory: MemoryView, *, whole: bool = True) -> str:
    """The event that a memory came from, or that it was asserted."""
    event = memory.source.event
    if event is None:
        return "asserted"
    stream = one_line(event.stream)
    if not whole and len(stream) > _STREAM_CHARACTERS:
        stream = f"{stream[:_STREAM_CHARACTERS]}…"
    return f"{stream}#{event.sequence}"


def print_memory(terminal: Terminal, memory: MemoryView, text: str, *, head: str = "") -> None:
    """Print one memory as a block.

    Args:
        terminal: where.
        memory: which.
        text: its text, or as much of it as is to be shown.
        head: what stands before the date (a score).
    """
    kind = "" if memory.kind is Kind.REMARK else f"  {memory.kind.value}"
    date = when(dated(memory))
    indent = INDENT if head else _NARROW_INDENT
    margin = f"{head:<{INDENT}}" if head else ""
    terminal.line(f"{margin}{date}  {who(memory)}{kind}", style="bold")
    terminal.paragraph(text, indent=indent)
    source = origin(memory, whole=False)
    terminal.paragraph(f"{source}  {memory.memory_id}", indent=indent, style="dim")
