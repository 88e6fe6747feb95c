"""`cognid show`: one memory whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import assert_never

from cognid.cli import options
from cognid.cli.memories import origin, who
from cognid.cli.outcomes import erasure
from cognid.cli.terminal import Terminal, answering, one_line, when
from cognid.configure import AsyncAgentConfigure
from cognid.protocol.configure import ForgottenMemory, NotFound, Shown
from cognid.protocol.recall import MemoryView
from cognid.protocol.values import rfc3339

_COLUMN = 13


def command(
    memory_id: options.MemoryId,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Show one memory whole. The exit status is 1 where there is none of that id any more."""
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        shown = asyncio.run(_show(configure, memory_id, deadline_ms))
        terminal.status = 0 if isinstance(shown, Shown) else 1
        if as_json:
            terminal.object(shown.model_dump(mode="json"))
            return
        match shown:
            case Shown():
                _say(terminal, shown)
            case ForgottenMemory():
                erased = erasure(shown.erased, owner, agent)
                terminal.note(f"Forgotten {when(shown.forgotten_at)}. {erased}")
            case NotFound():
                terminal.note("There is no memory of that id in this bank.")
            case _:
                assert_never(shown)


async def _show(
    configure: AsyncAgentConfigure, memory_id: str, deadline_ms: int | None
) -> Shown | ForgottenMemory | NotFound:
    async with configure:
        return await configure.memory.get(memory_id, deadline_ms=deadline_ms)


def _say(terminal: Terminal, shown: Shown) -> None:
    terminal.paragraph(shown.memory.text)
    terminal.line()
    for name, value in _facts(shown.memory):
        terminal.line(f"{name:<{_COLUMN}}{value}")
    if len(shown.revisions) > 1:
        for place, one in enumerate(shown.revisions):
            ended = "" if one.ended_at is None else f" until {rfc3339(one.ended_at)}"
            name = "" if place else "revisions"
            terminal.line(f"{name:<{_COLUMN}}{one.revision} ({one.lifecycle.value}){ended}")
    for place, other in enumerate(shown.group):
        terminal.line(f"{'' if place else 'same event':<{_COLUMN}}{other}")


def _facts(memory: MemoryView) -> Iterator[tuple[str, str]]:
    """What is known about a memory beside its text; what is not set is left out."""
    yield "id", memory.memory_id
    yield "revision", f"{memory.revision} ({memory.lifecycle.value})"
    yield "kind", memory.kind.value
    yield "said by", who(memory)
    yield "provenance", f"{memory.provenance.value}, confidence {memory.confidence:.2f}"
    yield "from", origin(memory)
    if memory.session_id is not None:
        yield "session", one_line(memory.session_id)
    for name, instant in (
        ("said", memory.event_time),
        ("valid from", memory.valid_from),
        ("valid until", memory.valid_until),
        ("stored", memory.created_at),
        ("expires", memory.expires_at),
    ):
        if instant is not None:
            yield name, rfc3339(instant)
    if memory.importance is not None:
        yield "importance", f"{memory.importance:.2f}"
    if memory.pinned:
        yield "pinned", "yes"
    for name, words in (("labels", memory.labels), ("categories", memory.categories)):
        if words:
            yield name, ", ".join(map(one_line, words))
