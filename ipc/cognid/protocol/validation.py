"""What a person or a log may be told about a message that does not validate: where, never what.

pydantic's own texts can quote the input, and the input can be memory text; so a description is
made of the fields' paths and of messages that are known to quote nothing.

Owns: the wording. Knows no message.
"""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

_NAME_CHARACTERS: Final = 64
_FAULTS_NAMED: Final = 3
_QUOTING: Final[dict[str, str]] = {
    "union_tag_invalid": "is not one of the values it can have",
    "json_invalid": "is not JSON",
    "value_error": "is not valid",
    "assertion_error": "is not valid",
}
"""Types of errors whose message may hold a part of the input, and what is said instead."""


def describe(error: ValidationError, within: str = "") -> str:
    """Say which fields are wrong and how, without a word of what they held.

    Args:
        within: the path of the field that was validated by itself.
    """
    whole = (within,) if within else ()
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    named = [
        f"{'.'.join(map(_name, (*whole, *fault['loc']))) or 'the request'}: "
        f"{_QUOTING.get(fault['type'], fault['msg'])}"
        for fault in faults[:_FAULTS_NAMED]
    ]
    if len(faults) > _FAULTS_NAMED:
        named.append(f"and {len(faults) - _FAULTS_NAMED} more")
    return "; ".join(named)


def _name(part: int | str) -> str:
    """One step of a path. The name of an unknown field comes from the input: it is cut."""
    cut = str(part)[:_NAME_CHARACTERS]
    return "".join(character if character.isprintable() else "?" for character in cut)
