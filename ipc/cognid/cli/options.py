"""The options that verbs share, so that each reads the same everywhere.

Owns: their names and help texts, and reading text from an argument or standard input.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError

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
