"""What a mutation of memory came to, in words that the verbs share.

Owns: the sentences. Says nothing about what was done; each verb does that itself.
"""

from __future__ import annotations

from typing import Final, assert_never

from cognid.cli.reasons import WHY_NO_EFFECT
from cognid.cli.terminal import Terminal, counted, options_of
from cognid.protocol.authority import (
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    TextRejected,
    Unaffected,
)

Refusal = TargetForgotten | TargetsConflict | TargetsNotFound | TextRejected | Unaffected

_WHY_CONFLICT: Final = {
    "operation_reused": "its operation id stands for something else",
    "revision_stale": "it has changed meanwhile",
    "not_current": "it is no longer current",
    "preview_stale": "what was listed has changed meanwhile; look again",
}


def say_refusal(terminal: Terminal, outcome: Refusal) -> None:
    """Say why nothing was done."""
    match outcome:
        case TargetForgotten():
            terminal.note("Nothing was done: the memory was forgotten, and that holds.")
        case TargetsConflict():
            terminal.note(f"Nothing was done: {_WHY_CONFLICT[outcome.reason]}.")
            for memory_id, revision in outcome.current.items():
                terminal.note(f"  {memory_id} is at revision {revision}")
        case TargetsNotFound():
            terminal.note("Nothing was done: there is no memory of that id in this bank.")
            for memory_id in outcome.unknown:
                terminal.note(f"  {memory_id}")
        case TextRejected():
            terminal.note(f"Nothing was done: the text was kept out ({', '.join(outcome.rules)}).")
        case Unaffected():
            terminal.note(f"Nothing was done: {WHY_NO_EFFECT[outcome.reason]}.")
        case _:
            assert_never(outcome)


def erasure(erased: bool | None, owner: str, agent: str | None) -> str:
    """Whether the bytes are gone, in words; where they are not yet, how to ask of that bank."""
    if erased:
        return "Erased from the files."
    ask = f"cognid doctor --erasure ID{options_of(owner, agent)}"
    return f"Erased from the files: pending (at most some minutes; ask: {ask})."


def memories(number: int) -> str:
    """A number of memories."""
    return counted(number, "memory", "memories")
