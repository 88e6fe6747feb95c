"""What a person or a log may be told about a message that does not validate: where, never what.

pydantic's own texts can quote the input, and the input can be memory text; so a description is
made of the field's path and of a message that is known to quote nothing.

Owns: the wording. Knows no message.
"""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

_NAME_CHARACTERS: Final = 64
_QUOTING: Final[dict[str, str]] = {
    "union_tag_invalid": "is none of the words that are known here",
    "json_invalid": "is not JSON",
    "value_error": "is not valid",
    "assertion_error": "is not valid",
}
"""Types of errors whose message may hold a part of the input, and what is said instead."""


def _name(part: int | str) -> str:
    """One step of a path; the name of an unknown field comes from the input, so it is cut."""
    shown = "".join(c if c.isprintable() else "?" for c in str(part)[:_NAME_CHARACTERS])
    return shown if len(str(part)) <= _NAME_CHARACTERS else shown + "…"


def describe(error: ValidationError) -> str:
    """Name the first field that is wrong and why, without any of its value."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(map(_name, first["loc"])) or "the request"
    return f"{path}: {_QUOTING.get(first['type'], first['msg'])}"
