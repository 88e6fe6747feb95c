"""`cognid tail`: what was stored and recalled just now, by ids and reasons.

What was stored comes from the ledger; what was recalled from the daemon, which keeps the last
hundred answers of all agents in its memory, without queries and texts, and none from before it
started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.memories import origin
from cognid.cli.terminal import Terminal, answering, counted, one_line
from cognid.configure import AsyncAgentConfigure, AsyncAgentMemory
from cognid.protocol import bounds
from cognid.protocol.configure import ChangeNote, RecallNote, Recently, Shown
from cognid.protocol.index import PipelineState
from cognid.protocol.recall import MemoryView

_DEFAULT: Final = 10
_INDENT: Final = 10
_IDS_SHOWN: Final = 10
_AT_ONCE: Final = bounds.REQUESTS_IN_FLIGHT // 2


def command(
    limit: Annotated[
        int,
        typer.Option(
            min=1, max=bounds.INSPECT_PAGE_MAX, metavar="N", help="How many of each at most."
        ),
    ] = _DEFAULT,
    text: Annotated[bool, typer.Option("--text", help="Print the memories' texts too.")] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Show what was stored and recalled just now: ids and reasons, the newest last.

    The exit status is 1 where nothing was.
    """
    with answering(as_json) as terminal:
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        recently, known = asyncio.run(_look(configure, limit, deadline_ms))
        terminal.status = 0 if recently.changes or recently.recalls else 1
        if as_json:
            terminal.object(_as_json(recently, known, with_text=text))
            return
        happened: list[ChangeNote | RecallNote] = [*recently.changes, *recently.recalls]
        for one in sorted(happened, key=lambda one: one.at):
            _say(terminal, one, known, with_text=text)
        if not happened:
            terminal.note("Nothing was stored, and nothing recalled.")
        since = _clock(recently.since)
        terminal.note(f"Recalls are known since {since}, when the daemon started.")


async def _look(
    configure: AsyncAgentConfigure, limit: int, deadline_ms: int | None
) -> tuple[Recently, dict[str, MemoryView]]:
    async with configure:
        recently = await configure.memory.recent(limit=limit, deadline_ms=deadline_ms)
        ids = {one for happened in recently.changes for one in _ids(happened)[:_IDS_SHOWN]}
        ids |= {one for happened in recently.recalls for one in _ids(happened)[:_IDS_SHOWN]}
        window = asyncio.Semaphore(_AT_ONCE)
        shown = await asyncio.gather(
            *(_get(configure.memory, window, one, deadline_ms) for one in sorted(ids))
        )
    return recently, {one.memory_id: one for one in shown if one is not None}


async def _get(
    memory: AsyncAgentMemory, window: asyncio.Semaphore, memory_id: str, deadline_ms: int | None
) -> MemoryView | None:
    async with window:
        shown = await memory.get(memory_id, deadline_ms=deadline_ms)
    return shown.memory if isinstance(shown, Shown) else None


def _ids(one: ChangeNote | RecallNote) -> list[str]:
    if isinstance(one, RecallNote):
        return one.memory_ids
    return list(dict.fromkeys(changed.memory_id for changed in one.memories))


def _clock(instant: datetime) -> str:
    return instant.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _as_json(
    recently: Recently, known: dict[str, MemoryView], *, with_text: bool
) -> dict[str, object]:
    hidden = None if with_text else {"text"}
    memories = {name: one.model_dump(mode="json", exclude=hidden) for name, one in known.items()}
    return {**recently.model_dump(mode="json"), "memories": memories}


def _say(
    terminal: Terminal,
    one: ChangeNote | RecallNote,
    known: dict[str, MemoryView],
    *,
    with_text: bool,
) -> None:
    by = one_line(one.authority_name or one.authority)
    terminal.line(f"{_clock(one.at)}  {one.operation}  by {by}", style="bold")
    became: dict[str, str] = {}
    total = len(ids := _ids(one))
    if isinstance(one, RecallNote):
        for reason in _of_recall(one):
            terminal.paragraph(reason, indent=_INDENT)
    else:
        became = _became(one)
        total = max(total, one.count if total == bounds.INSPECT_PAGE_MAX else 0)
    for memory_id in ids[:_IDS_SHOWN]:
        terminal.paragraph(memory_id, indent=_INDENT)
        memory = known.get(memory_id)
        if memory_id in became:
            what = "" if memory is None else f"{_reason(memory)}; "
            terminal.paragraph(f"{what}{became[memory_id]}", indent=_INDENT + 2, style="dim")
        if memory is not None and with_text:
            terminal.paragraph(memory.text, indent=_INDENT + 2)
    if total > _IDS_SHOWN:
        terminal.paragraph(f"and {total - _IDS_SHOWN:,} more", indent=_INDENT, style="dim")


def _became(change: ChangeNote) -> dict[str, str]:
    """What a change made of each memory's revisions."""
    told: dict[str, list[str]] = {}
    for one in change.memories:
        revision = "" if one.revision is None else f"revision {one.revision} "
        lifecycle = "named" if one.lifecycle is None else one.lifecycle.value
        told.setdefault(one.memory_id, []).append(f"{revision}{lifecycle}")
    return {memory_id: ", ".join(parts) for memory_id, parts in told.items()}


def _reason(memory: MemoryView) -> str:
    """Why it is there: its kind, who vouches for it, where it came from, what found it."""
    extractor = memory.source.extractor
    if memory.source.event is None:
        return f"{memory.kind.value}, {memory.provenance.value}, asserted"
    found = "" if extractor is None else f" by {one_line(extractor)}"
    return (
        f"{memory.kind.value}, {memory.provenance.value}, from {origin(memory, whole=False)}{found}"
    )


def _of_recall(one: RecallNote) -> Iterator[str]:
    reason = "" if one.reason is None else f" ({one.reason})"
    given = f", {counted(len(one.memory_ids), 'memory', 'memories')}" if one.memory_ids else ""
    yield f"{one.outcome}{reason}{given}, {one.took_ms:,.0f} ms"
    if one.session_id is not None:
        yield f"session {one_line(one.session_id)}"
    if one.pipelines is not None:
        lexical, vector = _state(one.pipelines.lexical), _state(one.pipelines.vector)
        reranker = _state(one.pipelines.reranker)
        read = "" if reranker == "off" else f", reranker {reranker}"
        yield f"lexical {lexical}, vector {vector}{read}{', partial' if one.partial else ''}"


def _state(state: PipelineState) -> str:
    return state.state if state.code is None else f"{state.state} ({one_line(state.code)})"
