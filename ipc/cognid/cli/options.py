"""The options that verbs share, so that each reads the same everywhere.

Owns: their names and help texts, and reading text, files and instants as they are given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Kind, Provenance

Owner = Annotated[str, typer.Option(metavar="NAME", help="Whose memories.")]
Agent = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which agent's memories; without it, those of no agent."),
]
Session = Annotated[str | None, typer.Option(metavar="ID", help="The conversation.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DeadlineMs = Annotated[
    int | None,
    typer.Option(
        min=1, max=bounds.DEADLINE_MS_MAX, metavar="MS", help="How long it may take at most."
    ),
]
AllowCredentials = Annotated[
    bool,
    typer.Option("--allow-credentials", help="Store it even if it looks like a credential."),
]
SaidAt = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="When it is said: a date, or RFC 3339; else now."),
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]
Revision = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only if it still has this revision.")
]
Kinds = Annotated[list[Kind] | None, typer.Option("--kind", help="Only this kind; repeatable.")]
Provenances = Annotated[
    list[Provenance] | None, typer.Option("--provenance", help="Only of this origin; repeatable.")
]
WithLabels = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="LABEL", help="Only with this label; repeatable: with all."),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Only stored then or later: a date, or RFC 3339."),
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only stored before then.")]
Containing = Annotated[
    str | None,
    typer.Option("--text", metavar="TEXT", help="Only with this in it; - reads standard input."),
]

_STDIN_BYTES = 4 * bounds.TEXT_CHARACTERS
"""The longest text there is, in UTF-8's longest form."""


def text_of(argument: str) -> str:
    """Text as it was given, or from standard input for `-`: UTF-8, whatever the locale.

    Raises:
        CognidError: `invalid_argument` where it is not UTF-8 or longer than any memory.
    """
    if argument != "-":
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            raise CognidError("invalid_argument", "the text is not UTF-8") from None
        return argument
    raw = sys.stdin.buffer.read(_STDIN_BYTES + 1)
    if len(raw) > _STDIN_BYTES:
        raise CognidError(
            "invalid_argument", f"standard input: at most {bounds.TEXT_CHARACTERS} characters"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CognidError(
            "invalid_argument", f"standard input is not UTF-8 (byte {error.start})"
        ) from None
    # The line feed that `echo` and editors end a text with does not belong to it.
    return text.removesuffix("\n").removesuffix("\r")


def instant_of(argument: str | None, option: str) -> datetime | None:
    """An instant; without an offset it is the local time, and a bare date its first moment.

    Raises:
        CognidError: `invalid_argument`.
    """
    if argument is None:
        return None
    try:
        return datetime.fromisoformat(argument).astimezone()
    except (ValueError, OverflowError):
        raise CognidError("invalid_argument", f"{option}: a date, or an RFC 3339 time") from None


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file to read, or standard input for `-`.

    Raises:
        CognidError: `invalid_argument` where it cannot be opened.
    """
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        source = Path(file).open("rb")  # noqa: SIM115 (closed below; its errors are not)
    except OSError as error:
        raise CognidError("invalid_argument", f"{file}: {error.strerror}") from None
    with source:
        yield source


def confirmed_name(typed: str | None, owner: str, agent: str | None) -> str:
    """The name that a wide deletion has to be confirmed with: the agent's, else the owner's.

    Raises:
        CognidError: `invalid_argument` where another was typed.
    """
    name = owner if agent is None else agent
    if typed is not None and typed != name:
        whose = "owner" if agent is None else "agent"
        raise CognidError("invalid_argument", f"--confirm: it must be the name of the {whose}")
    return name
