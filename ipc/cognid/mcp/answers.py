"""Answers: what each outcome of the bridge becomes for a model, as text and as structured content.

Both say the same. Memory text stands only inside the renderer's fence or in fields of structured
content that is marked `untrusted`; what stands outside is ours. A text that is not whole is marked
so, with its id, its length and where to go on.

Owns: these forms. Pure: it may not ask anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

from pydantic import BaseModel

from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    CorrectOutcome,
    CorrectPreview,
    ForgetOutcome,
    Preview,
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    TextRejected,
    Unaffected,
)
from cognid.protocol.configure import ForgottenMemory, NotFound, Page, Shown
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
)
from cognid.protocol.recall import Disabled, Hit, Hits, MemoryView, NoHits, RecallOutcome
from cognid.protocol.recall import Unavailable as RecallUnavailable
from cognid.rendering import Entry, Part, fenced, memory_entry, moment

LISTED_CHARACTERS: Final = 1_000
"""Of each memory on a page; memory_inspect with its id shows the rest."""
SHOWN_CHARACTERS: Final = 20_000
"""Of one memory at a time: about 5,000 tokens, which every client lets through."""
_NO_BANK: Final = "Nothing has been remembered here yet."
_OFF: Final = "Memory is switched off here; the user can switch it on: cognid enable."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers. `failed`: it could not do what it was asked for, and nothing was done
    or its fate is not known."""

    text: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a memory's text that is given: characters [start, end) of `whole`."""

    memory: MemoryView = field(repr=False)
    start: int
    end: int
    whole: int | None
    """None where the daemon gave a part and not its length."""

    @property
    def complete(self) -> bool:
        """Whether it is the whole text."""
        return self.start == 0 and self.end == self.whole


def failure(error: CognidError, remedy: str | None = None) -> Answer:
    """An error of the bridge: its code, what it means for what was asked, and what to do."""
    remedy = remedy or error.remedy
    data = {
        "code": error.code,
        "detail": error.detail,
        "retryable": error.retryable,
        "effect": error.effect,
        "remedy": remedy,
    }
    if error.operation_id is not None:
        data["operation_id"] = error.operation_id
    return Answer(f"{error}\n{remedy}", {"error": data}, failed=True)


def fault_of(kind: str) -> Answer:
    """A fault of this server's own, by its kind."""
    return failure(
        CognidError("internal", kind), "Report it; the other memory tools go on working."
    )


def nothing_yet() -> Answer:
    """There is no bank, so it holds nothing."""
    return Answer(_NO_BANK, {"outcome": "no_bank", "memories": []})


def of_intake(outcome: IntakeOutcome) -> Answer:
    """What became of a memory that was to be stored."""
    match outcome:
        case Committed():
            said = f"Remembered: {_ids(one.memory_id for one in outcome.memories)}"
        case Duplicate():
            said = f"Remembered already: {_ids(one.memory_id for one in outcome.memories)}"
        case Rejected():
            rules = ", ".join(outcome.rules)
            said = f"Not stored: filters kept it out ({rules}). {outcome.note or ''}".rstrip()
        case Forgotten():
            said = "Not stored: the user had it forgotten, and that holds."
        case NoEffect(reason="disabled"):
            said = f"Not stored. {_OFF}"
        case Conflict() | DeliveryGap() | NoEffect():
            said = f"Not stored: {outcome.outcome}."
        case _:
            assert_never(outcome)
    return Answer(said, _plain(outcome, "replayed", "epoch", "event", "rejected", "adjusted"))


def of_recall(outcome: RecallOutcome) -> Answer:
    """What a recall found."""
    match outcome:
        case Hits():
            return _of_hits(outcome)
        case NoHits():
            said = "Nothing is remembered about that."
            if outcome.excluded:
                said = f"Nothing more is remembered about that ({outcome.excluded} left out)."
            data: dict[str, Any] = {"outcome": "no_hits", "memories": []}
            return _limited(said, data, outcome)
        case RecallUnavailable():
            said = f"Memory gave no answer ({outcome.reason}); go on without it, or ask again."
            return Answer(said, {"outcome": "unavailable", "reason": outcome.reason}, failed=True)
        case Disabled():
            return Answer(_OFF, {"outcome": "disabled", "memories": []})
        case _:
            assert_never(outcome)


def _of_hits(outcome: Hits) -> Answer:
    windows = [_window_of(hit) for hit in outcome.hits]
    said = _fenced("Remembered, best first", windows)
    data = {
        "outcome": "hits",
        "untrusted": True,
        "memories": [
            _memory(window) | {"score": round(hit.score, 4)}
            for window, hit in zip(windows, outcome.hits, strict=True)
        ],
    }
    return _limited(said, data, outcome)


def _window_of(hit: Hit) -> Window:
    start, end = hit.span
    return Window(hit, start, end, end if hit.complete else None)


def _limited(said: str, data: dict[str, Any], outcome: Hits | NoHits) -> Answer:
    """An answer with what it lacks: pipelines that did not take part, memories left out."""
    data |= {"partial": outcome.partial, "excluded": outcome.excluded}
    if outcome.partial:
        states = {"lexical": outcome.pipelines.lexical, "vector": outcome.pipelines.vector}
        named = ", ".join(f"{name} {one.state}" for name, one in states.items())
        said = f"{said}\nNot all of memory took part: {named}."
        data["pipelines"] = _plain(outcome.pipelines)
    return Answer(said, data)


def of_page(page: Page) -> Answer:
    """A page of the list."""
    windows = [window(memory, 0, LISTED_CHARACTERS) for memory in page.memories]
    said = f"{page.total} in all, newest first." if page.total else "No memory matches."
    if windows:
        said = f"{said}\n{_fenced('Memories', windows)}"
    if page.cursor is not None:
        said = f"{said}\nThere are more: cursor {page.cursor}"
    data = {
        "outcome": "list",
        "untrusted": True,
        "total": page.total,
        "memories": [_memory(one) for one in windows],
        "cursor": page.cursor,
    }
    return Answer(said, data)


def of_shown(shown: Shown | ForgottenMemory | NotFound, start: int, length: int | None) -> Answer:
    """One memory, from a place in its text on, so many characters; None for all."""
    match shown:
        case Shown():
            one = window(shown.memory, start, length)
            data = {
                "outcome": "memory",
                "untrusted": True,
                "memory": _memory(one),
                "revisions": [_plain(revision) for revision in shown.revisions],
                "same_turn": shown.group,
            }
            return Answer(_fenced("Memory", [one]), data)
        case ForgottenMemory():
            said = f"{shown.memory_id} was forgotten ({moment(shown.forgotten_at)})."
            return Answer(said, _plain(shown, "view") | {"outcome": "forgotten"})
        case NotFound():
            return _unknown([shown.memory_id])
        case _:
            assert_never(shown)


def of_forget_preview(preview: Preview) -> tuple[str, dict[str, Any]]:
    """What a forget would take, as text and as data."""
    entries = [
        Entry(
            (
                one.memory_id,
                one.kind.value,
                moment(one.created_at),
                *(("goes along: same turn",) if one.because == "group" else ()),
                *(() if one.complete else ("the beginning",)),
                "untrusted",
            ),
            one.excerpt,
        )
        for one in preview.affected
    ]
    shown = _plain(preview, "preview_token", "epoch", "expires_at")
    return fenced([Part("Would be erased for good", entries)]), shown | {"untrusted": True}


def of_correct_preview(preview: CorrectPreview, text: str) -> tuple[str, dict[str, Any]]:
    """What a correct would replace, and by what."""
    one = window(preview.memory, 0, LISTED_CHARACTERS)
    new = Entry((preview.memory.memory_id, "untrusted"), text)
    said = fenced([Part("Would be replaced", [_entry(one)]), Part("By", [new])])
    return said, {"memory": _memory(one), "text": text, "untrusted": True}


def of_change(outcome: CorrectOutcome | ForgetOutcome, done: str) -> Answer:
    """What a forget or a correct came to. `done`: the word for it."""
    data = _plain(outcome, "projection", "handle")
    match outcome:
        case Changed():
            said = f"{done}: {_ids(outcome.affected)}"
            if outcome.erased is False:
                said += ". The bytes are erased from the files within minutes."
        case AlreadyAbsent():
            said = f"Forgotten before: {_ids(outcome.already_absent)}"
        case TargetsNotFound():
            return _unknown(outcome.unknown)
        case TargetForgotten():
            said = f"Nothing was done: {outcome.memory_id} was forgotten, and that holds."
        case TargetsConflict():
            said = f"Nothing was done: it has changed meanwhile ({outcome.reason}). Look again."
        case TextRejected():
            said = f"Nothing was done: the text was kept out ({', '.join(outcome.rules)})."
        case Unaffected():
            said = f"Nothing was done ({outcome.reason})."
        case _:
            assert_never(outcome)
    return Answer(said, data)


def of_nothing_to_forget(preview: Preview) -> Answer:
    """A preview that can take nothing: all of it is gone, or some of it never was."""
    if preview.unknown:
        return _unknown(preview.unknown)
    absent = preview.already_absent
    return Answer(
        f"Forgotten before: {_ids(absent)}", {"outcome": "already_absent", "already_absent": absent}
    )


def unconfirmed(action: str) -> Answer:
    """The person did not say yes in the client's dialogue."""
    return Answer(
        "Nothing was done: the user did not confirm it. Do not ask again by yourself.",
        {"outcome": "not_confirmed", "action": action},
    )


def window(memory: MemoryView, start: int, length: int | None) -> Window:
    """Cut a part out of a memory's text; a start past the end gives its last character.

    The daemon's texts are whole here, so their length is known.
    """
    whole = len(memory.text)
    start = min(start, whole - 1)
    end = whole if length is None else min(whole, start + length)
    cut = memory.model_copy(update={"text": memory.text[start:end]})
    return Window(cut, start, end, whole)


def _plain(reply: BaseModel, *without: str) -> dict[str, Any]:
    """A reply of the bridge as structured content: what is null is left out."""
    return reply.model_dump(mode="json", exclude_none=True, exclude=set(without))


def _unknown(memory_ids: Sequence[str]) -> Answer:
    return Answer(
        f"No memory here has this id: {_ids(memory_ids)}",
        {"outcome": "not_found", "unknown": list(memory_ids)},
    )


def _memory(one: Window) -> dict[str, Any]:
    """A memory as structured content."""
    memory = one.memory
    told = _plain(memory, "lifecycle", "source", "parts", "score", "span", "untrusted", "complete")
    told = {name: value for name, value in told.items() if value != []}
    event = memory.source.event
    if event is not None:
        told["source"] = f"{event.stream}:{event.sequence}"
    if memory.source.sources:
        told["sources"] = memory.source.sources
    told["complete"] = one.complete
    if not one.complete:
        told["span"] = [one.start, one.end]
        if one.whole is not None:
            told["characters"] = one.whole
    return told


def _fenced(heading: str, windows: Iterable[Window]) -> str:
    return fenced([Part(heading, [_entry(one) for one in windows])])


def _entry(one: Window) -> Entry:
    entry = memory_entry(one.memory)
    marks = (one.memory.memory_id, *entry.marks)
    if not one.complete:
        length = "" if one.whole is None else f" of {one.whole}"
        marks = (*marks, f"not whole: characters {one.start}-{one.end}{length}", _rest(one))
    return Entry(marks, entry.text)


def _rest(one: Window) -> str:
    if one.whole is None:
        return "whole: memory_inspect"
    return f"go on: memory_inspect start={one.end if one.end < one.whole else 0}"


def _ids(memory_ids: Iterable[str]) -> str:
    return ", ".join(memory_ids)
