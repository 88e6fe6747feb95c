"""Arguments: how what a caller gives to a method becomes a request.

Owns: the mark of an argument that was not given, the words of the filters, and the error of an
argument that is not valid. Knows no operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

from pydantic import BaseModel, ValidationError

from cognid.protocol.errors import CognidError
from cognid.protocol.table import Operation
from cognid.protocol.validation import describe
from cognid.protocol.values import Kind, Lifecycle, Provenance

if TYPE_CHECKING:
    from cognid.protocol.authority import Target


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""Not given, where None means something: the client's own agent or session holds."""

_M = TypeVar("_M", bound=BaseModel)


class FilterWords(TypedDict, total=False):
    """Which memories are meant; what is not given lets all through, but only what is current.

    `labels`: those that carry all of these. `since`, `until`: made at or after, and before.
    `text`: those that contain it, in whatever case. `uncovered`: of remarks only those whose turn
    neither made nor met a fact that is current.
    """

    kinds: Sequence[Kind | str] | None
    lifecycles: Sequence[Lifecycle | str] | None
    provenances: Sequence[Provenance | str] | None
    session_id: str | None
    labels: Sequence[str]
    since: datetime | None
    until: datetime | None
    text: str | None
    uncovered: bool


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


def request_of(operation: Operation, fields: Mapping[str, Any]) -> Any:
    """Make an operation's request, or say which field is wrong.

    Raises:
        CognidError: `invalid_argument`, as the daemon would answer.
    """
    try:
        return operation.read_request.validate_python(fields)
    except ValidationError as error:
        raise CognidError("invalid_argument", describe(error)) from None


def listed(words: Sequence[str] | None) -> list[str] | None:
    """A list of words as the strict request models take it."""
    return None if words is None else list(words)


def filters_of(words: Mapping[str, Any]) -> dict[str, Any]:
    """Filters as the strict request models take them; `words` are `FilterWords`."""
    return {
        name: list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in words.items()
    }


def targets_of(targets: Sequence[str | Target]) -> list[Target | dict[str, str]]:
    """The memories of a forget: by id alone, or only as they were seen."""
    return [{"memory_id": one} if isinstance(one, str) else one for one in targets]
