"""Arguments: how what a caller gives to a method becomes a request.

Owns: the mark of an argument that was not given, and the error of one that is not valid. Knows no
operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from cognid.protocol.errors import CognidError
from cognid.protocol.validation import describe


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""Not given, where None means something: the client's own agent or session holds."""

_M = TypeVar("_M", bound=BaseModel)


def make(model: type[_M], **fields: Any) -> _M:
    """Make a request, or say which field is wrong.

    Raises:
        CognidError: `invalid_argument`, as the daemon would answer.
    """
    try:
        return model(**fields)
    except ValidationError as error:
        # From None: pydantic's message could quote the text.
        raise CognidError("invalid_argument", describe(error)) from None


def listed(words: Sequence[str] | None) -> list[str] | None:
    """A list of words as the strict request models take it."""
    return None if words is None else list(words)
