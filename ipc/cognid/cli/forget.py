"""`cognid forget`: show what would go, and with `--yes` forget it for good."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from shlex import quote
from typing import Annotated, Final

import typer

from cognid.cli import options
from cognid.cli.outcomes import Refusal, erasure, memories, say_refusal
from cognid.cli.terminal import Terminal, answering, counted, one_line, when
from cognid.client.arguments import FilterWords
from cognid.configure import AsyncAgentConfigure, AsyncAgentMemory
from cognid.protocol import bounds
from cognid.protocol.authority import AlreadyAbsent, Changed, Preview
from cognid.protocol.errors import CognidError

_WIDE: Final = bounds.FORGET_TARGETS
"""More than one preview can list, so more than anyone has read: the name has to be typed."""
_LINE_CHARACTERS: Final = 100


@dataclass(slots=True)
class Forgotten:
    """What was forgotten, in one or more operations. `stopped`: why not all of it was."""

    outcome: str = "committed"
    affected: list[str] = field(default_factory=list)
    already_absent: list[str] = field(default_factory=list)
    erased: bool = True
    messages_scrubbed: int = 0
    messages_kept: int = 0
    operations: list[str] = field(default_factory=list)
    stopped: Refusal | None = None


def command(
    memory_ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Ids, or else filters.")
    ] = None,
    kind: options.Kinds = None,
    provenance: options.Provenances = None,
    label: options.WithLabels = None,
    since: options.Since = None,
    until: options.Until = None,
    text: options.Containing = None,
    yes: Annotated[bool, typer.Option("--yes", help="Forget what the preview lists.")] = False,
    confirm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Instead of --yes for more than 256 memories: the agent's name, or the owner's "
            "where there is no agent.",
        ),
    ] = None,
    keep_messages: Annotated[
        bool,
        typer.Option(
            "--keep-messages", help="Leave the session messages that say the same as they are."
        ),
    ] = False,
    owner: options.Owner = "local",
    agent: options.Agent = None,
    session: options.Session = None,
    deadline_ms: options.DeadlineMs = None,
    as_json: options.Json = False,
) -> None:
    """Forget memories for good, by ids or by filters.

    Without --yes nothing is forgotten: it lists exactly what would go, and the exit status is 1.
    """
    with answering(as_json) as terminal:
        filters = FilterWords(
            kinds=kind or None,
            provenances=provenance or None,
            session_id=session,
            labels=label or [],
            since=options.instant_of(since, "since"),
            until=options.instant_of(until, "until"),
            text=None if text is None else options.text_of(text),
        )
        if bool(memory_ids) == any(filters.values()):
            raise CognidError("invalid_argument", "give ids, or else filters")
        name = options.confirmed_name(confirm, owner, agent)
        configure = AsyncAgentConfigure(owner=owner, agent=agent)
        ids = list(dict.fromkeys(memory_ids)) if memory_ids else None
        run = _Run(terminal, configure, ids, filters, keep_messages, deadline_ms)
        answer = asyncio.run(run.forget(yes=yes, named=confirm is not None))
        if isinstance(answer, Preview):
            _show_preview(terminal, answer, name)
        else:
            _show_forgotten(terminal, answer, owner, agent)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of the verb."""

    terminal: Terminal
    configure: AsyncAgentConfigure
    memory_ids: list[str] | None
    filters: FilterWords
    keep_messages: bool
    deadline_ms: int | None

    async def forget(self, *, yes: bool, named: bool) -> Preview | Forgotten:
        """Preview, and where that is confirmed forget exactly what it listed.

        With filters this goes on, a preview at a time, until they let nothing through any more.
        """
        done = Forgotten()
        async with self.configure:
            memory = self.configure.memory
            preview = await self._preview(memory)
            confirmed = named or (yes and preview.total <= _WIDE)
            if not confirmed or preview.unknown or not preview.affected:
                return preview
            try:
                for _ in range(preview.total):  # each takes one of them at least
                    await self._forget_listed(memory, preview, done)
                    if done.stopped or self.memory_ids is not None:
                        break
                    preview = await self._preview(memory)
                    if not preview.affected:
                        break
            except (CognidError, asyncio.CancelledError):
                self.terminal.note(f"{memories(len(done.affected))} forgotten before that.")
                raise
        return done

    async def _preview(self, memory: AsyncAgentMemory) -> Preview:
        return await memory.forget_preview(
            self.memory_ids, deadline_ms=self.deadline_ms, **self.filters
        )

    async def _forget_listed(
        self, memory: AsyncAgentMemory, preview: Preview, done: Forgotten
    ) -> None:
        outcome = await memory.forget(
            [one.memory_id for one in preview.affected],
            confirmed=True,
            preview_token=preview.preview_token,
            keep_messages=self.keep_messages,
            deadline_ms=self.deadline_ms,
        )
        done.operations.append(outcome.operation_id)
        match outcome:
            case Changed():
                done.affected += outcome.affected
                done.already_absent += [*preview.already_absent, *outcome.already_absent]
                done.erased = bool(outcome.erased)
                done.messages_scrubbed += outcome.messages_scrubbed or 0
                done.messages_kept += outcome.messages_kept or 0
            case AlreadyAbsent():  # by someone else, since the preview
                done.already_absent += outcome.already_absent
                done.erased = outcome.erased
            case _:
                done.stopped = outcome


def _show_preview(terminal: Terminal, preview: Preview, name: str) -> None:
    """Show what would go. Status 0 only where it has all gone before."""
    unknown = bool(preview.unknown)
    absent = bool(preview.already_absent) and not (preview.affected or unknown)
    terminal.status = 0 if absent else 1
    if terminal.as_json:
        word = "not_found" if unknown else "already_absent" if absent else "preview"
        answer = preview.model_dump(mode="json", exclude={"preview_token", "expires_at"})
        terminal.object({"outcome": word, **answer})
        return
    for one in preview.affected:
        lines = one.excerpt.splitlines() or [""]
        first = one_line(lines[0])
        cut = len(first) > _LINE_CHARACTERS or len(lines) > 1 or not one.complete
        along = "  (goes along)" if one.because == "group" else ""
        terminal.line(f"{one.memory_id}  {one.kind.value}  {when(one.created_at)}{along}")
        terminal.line(f"  {first[:_LINE_CHARACTERS]}{'…' if cut else ''}")
    for memory_id in preview.already_absent:
        terminal.note(f"{one_line(memory_id)} was forgotten before.")
    for memory_id in preview.unknown:
        terminal.note(f"{one_line(memory_id)} is not in this bank.")
    if unknown:
        terminal.note("Nothing can be forgotten: it is all or nothing.")
    elif not preview.affected:
        terminal.note("Nothing to forget.")
    elif preview.total > _WIDE:
        terminal.note(
            f"Nothing is forgotten yet. {memories(preview.total)} would go, more than are listed; "
            f"to forget them for good: --confirm {quote(name)}"
        )
    else:
        terminal.note(
            f"Nothing is forgotten yet. {memories(len(preview.affected))} would go; "
            "to forget them for good: --yes"
        )


def _show_forgotten(terminal: Terminal, done: Forgotten, owner: str, agent: str | None) -> None:
    terminal.status = 1 if done.stopped else 0
    if done.stopped and not done.affected:
        done.outcome = done.stopped.outcome
    if terminal.as_json:
        stopped = done.stopped and done.stopped.model_dump(mode="json")
        terminal.object({**asdict(done), "stopped": stopped})
        return
    for memory_id in done.affected:
        terminal.line(memory_id)
    if done.affected:
        before = f", {len(done.already_absent):,} were before" if done.already_absent else ""
        erased = erasure(done.erased, owner, agent)
        terminal.note(f"{memories(len(done.affected))} forgotten{before}. {erased}")
        if done.messages_scrubbed:
            scrubbed = counted(done.messages_scrubbed, "session message")
            terminal.note(f"The text of {scrubbed} went along.")
        if done.messages_kept:
            kept = counted(done.messages_kept, "session message")
            terminal.note(f"Still told by {kept}, as asked.")
    elif not done.stopped:
        terminal.note(f"{counted(len(done.already_absent), 'of them')} was forgotten before.")
    if done.stopped:
        say_refusal(terminal, done.stopped)
