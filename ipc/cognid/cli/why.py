"""`cognid why`: where a memory comes from, and what has become of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final, assert_never

from cognid.cli import options
from cognid.cli.history import head_of
from cognid.cli.memories import origin, who
from cognid.cli.outcomes import erasure
from cognid.cli.terminal import Terminal, answering, one_line, options_of, when
from cognid.configure import AsyncAgentConfigure
from cognid.protocol import bounds
from cognid.protocol.configure import ForgottenMemory, History, NotFound, Shown
from cognid.protocol.recall import MemoryView

_MEANING: Final = {
    "explicit": "explicit: the user said it",
    "inferred": "inferred: worked out from what was said",
    "synthesized": "synthesized: made from other memories",
}


def command(
    memory_id: options.MemoryId,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Say where a memory comes from: its source, how it was found, what the ledger has of it.

    Its text is not printed (`cognid show`). The exit status is 1 where there is none of that id
    any more.
    """
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        shown, history = asyncio.run(_why(configure, memory_id, deadline_ms))
        terminal.status = 0 if isinstance(shown, Shown) else 1
        if as_json:
            terminal.object(_without_text(shown, history))
        else:
            _say(terminal, shown, history, owner, agent)


async def _why(
    configure: AsyncAgentConfigure, memory_id: str, deadline_ms: int | None
) -> tuple[Shown | ForgottenMemory | NotFound, History | NotFound]:
    async with configure:
        memory = configure.memory
        return await asyncio.gather(
            memory.get(memory_id, deadline_ms=deadline_ms),
            memory.history(memory_id, limit=bounds.INSPECT_PAGE_MAX, deadline_ms=deadline_ms),
        )


def _without_text(
    shown: Shown | ForgottenMemory | NotFound, history: History | NotFound
) -> dict[str, object]:
    memory = shown.model_dump(mode="json", exclude={"memory": {"text"}})
    if isinstance(history, NotFound):
        return {**memory, "entries": []}
    entries = history.model_dump(mode="json", exclude={"entries": {"__all__": {"text"}}})
    return {**memory, "entries": entries["entries"], "cursor": history.cursor}


def _say(
    terminal: Terminal,
    shown: Shown | ForgottenMemory | NotFound,
    history: History | NotFound,
    owner: str,
    agent: str | None,
) -> None:
    match shown:
        case Shown():
            for name, value in _facts(shown):
                terminal.fact(name, value)
            terminal.line()
        case ForgottenMemory():
            erased = erasure(shown.erased, owner, agent)
            terminal.note(f"Forgotten {when(shown.forgotten_at)}. {erased}")
        case NotFound():
            terminal.note("There is no memory of that id in this bank.")
        case _:
            assert_never(shown)
    if isinstance(history, NotFound):
        return
    for entry in history.entries:
        terminal.line(head_of(entry))
        if entry.policy_fingerprint is not None:
            terminal.line(f"  policy {entry.policy_fingerprint}", style="dim")
    if history.cursor is not None:
        terminal.note(f"More: cognid history {history.memory_id}{options_of(owner, agent)}")


def _facts(shown: Shown) -> Iterator[tuple[str, str]]:
    """Where it comes from, one thing a line; what is not set is left out."""
    memory = shown.memory
    yield "memory", memory.memory_id
    yield "kind", f"{memory.kind.value}, {memory.lifecycle.value}, revision {memory.revision}"
    yield "provenance", _MEANING[memory.provenance.value]
    yield "confidence", f"{memory.confidence:.2f}"
    yield "said by", who(memory)
    yield "from", _from(memory)
    yield "stored", when(memory.created_at)
    if memory.session_id is not None:
        yield "session", one_line(memory.session_id)
    yield from _making(memory)
    if shown.origin_id not in (None, memory.memory_id):
        yield "first id", str(shown.origin_id)
    for place, other in enumerate(shown.group):
        yield ("" if place else "same event"), other
    yield "expires", _expiry(memory)


def _making(memory: MemoryView) -> Iterator[tuple[str, str]]:
    source = memory.source
    if source.span is not None:
        first, end = source.span
        yield "span", f"characters {first:,} to {end:,} of what was said"
    if source.extractor is not None:
        yield "found by", one_line(source.extractor)
    for place, other in enumerate(source.sources):
        yield ("" if place else "made from"), other
    if source.policy_fingerprint is not None:
        # On a line of its own it still fits into 80 columns.
        yield "policy", source.policy_fingerprint


def _from(memory: MemoryView) -> str:
    event = memory.source.event
    return "asserted" if event is None else f"{origin(memory)} ({one_line(event.type)})"


def _expiry(memory: MemoryView) -> str:
    if memory.pinned:
        return "never: pinned"
    return "never" if memory.expires_at is None else when(memory.expires_at)
