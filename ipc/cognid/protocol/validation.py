"""What a person or a log may be told about a message that does not validate: where, never what.

pydantic's own texts can quote the input, and the input can be memory text; so a description is
made of the fields' paths and of messages that are known to quote nothing.

Owns: the wording, of the forms that ids have too. Knows no message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_NAME_CHARACTERS: Final = 64
_FAULTS_NAMED: Final = 3
_QUOTING: Final[dict[str, str]] = {
    "union_tag_invalid": "is not one of the values it can have",
    "json_invalid": "is not JSON",
    "value_error": "is not valid",
    "assertion_error": "is not valid",
}
"""Types of errors whose message may hold a part of the input, and what is said instead."""
FORMS: Final[dict[str, str]] = {
    "^mem_": "must be a memory's id: mem_ and 12 to 64 hex digits",
    "^prv_": "must be the token of a preview, as it was given",
    "^mgr_": "must be a manager handle, as it was given",
    "^[0-9a-f]{8}-": "must be an operation's id: a UUIDv7 in lower case",
    "^[0-9a-f]{64}$": "must be 64 hex digits in lower case",
}
"""How a pattern of the protocol begins, and what a person is told instead of it."""


def describe(error: ValidationError, within: str = "") -> str:
    """Say which fields are wrong and how, without a word of what they held.

    Args:
        within: the path of the field that was validated by itself.
    """
    whole = (within,) if within else ()
    faults = error.errors(include_url=False, include_input=False)
    named = [
        f"{'.'.join(map(_name, (*whole, *fault['loc']))) or 'the request'}: {_said_of(fault)}"
        for fault in faults[:_FAULTS_NAMED]
    ]
    if len(faults) > _FAULTS_NAMED:
        named.append(f"and {len(faults) - _FAULTS_NAMED} more")
    return "; ".join(named)


def _said_of(fault: ErrorDetails) -> str:
    if fault["type"] == "string_pattern_mismatch":
        pattern = str(fault.get("ctx", {}).get("pattern"))
        for beginning, form in FORMS.items():
            if pattern.startswith(beginning):
                return form
    return _QUOTING.get(fault["type"], fault["msg"])


def _name(part: int | str) -> str:
    """One step of a path. The name of an unknown field comes from the input: it is cut."""
    cut = str(part)[:_NAME_CHARACTERS]
    return "".join(character if character.isprintable() else "?" for character in cut)
