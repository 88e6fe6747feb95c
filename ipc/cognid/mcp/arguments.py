"""Arguments: what a model gives to each tool, and the JSON Schema that tells it so.

None of them names an owner, an agent, a session or a right, and what is not named here is refused.
They are read leniently (a number in quotes is a number), since models write them.

Owns: the six models and how their schemas are made small. Knows neither the SDK nor the client.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.validation import describe

KindWord = Literal["preference", "fact", "episodic", "procedural", "context", "remark"]
Confirmation = Annotated[
    str | None,
    Field(description="The code that the preview gave; without it nothing is changed."),
]
_NOISE: Final = frozenset({"title", "default", "minLength", "maxLength", "minItems", "maxItems"})
"""Words of a schema that tell a model little and cost tokens in each of its prompts; what they
bound is refused by name."""

_A = TypeVar("_A", bound="Arguments")


class Arguments(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True
    )


class RememberArguments(Arguments):
    """Of memory_remember."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=bounds.TEXT_CHARACTERS,
            description="One statement that can be understood by itself, later.",
        ),
    ] = Field(repr=False)
    kind: KindWord | None = None
    labels: Annotated[list[str], Field(max_length=bounds.LABELS)] = []


class RecallArguments(Arguments):
    """Of memory_recall."""

    query: Annotated[str, Field(min_length=1)] = Field(repr=False)
    limit: Annotated[int, Field(ge=1, le=bounds.RECALL_LIMIT_MAX)] = bounds.RECALL_LIMIT_DEFAULT
    kinds: Annotated[list[KindWord], Field(min_length=1)] | None = None
    exclude: Annotated[
        list[str],
        Field(max_length=bounds.EXCLUDED, description="Ids that you have already."),
    ] = []


class InspectArguments(Arguments):
    """Of memory_inspect."""

    memory_id: Annotated[str | None, Field(description="Without it: a page of the list.")] = None
    start: Annotated[int, Field(ge=0, description="Where in a long text to go on.")] = 0
    contains: Annotated[str | None, Field(description="List only what contains this.")] = Field(
        default=None, repr=False
    )
    cursor: Annotated[str | None, Field(description="Of the page before.")] = None


class CorrectArguments(Arguments):
    """Of memory_correct."""

    memory_id: str
    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=bounds.TEXT_CHARACTERS,
            description="What it says from now on, whole.",
        ),
    ] = Field(repr=False)
    confirmation: Confirmation = None


class ForgetArguments(Arguments):
    """Of memory_forget."""

    memory_ids: Annotated[list[str], Field(min_length=1, max_length=bounds.FORGET_TARGETS)]
    confirmation: Confirmation = None


class StatusArguments(Arguments):
    """Of memory_status: none."""


def read_arguments(model: type[_A], given: dict[str, Any] | None) -> _A:
    """Read a tool's arguments; what is null counts as not given.

    Raises:
        CognidError: `invalid_argument`, naming the field and never its content.
    """
    named = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return model.model_validate(named)
    except ValidationError as error:
        # From None: pydantic's message could quote the text.
        raise CognidError("invalid_argument", describe(error)) from None


def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """Make the JSON Schema of a tool's arguments, without what only costs tokens."""
    made = _pruned(model.model_json_schema())
    del made["description"]
    return made


def _pruned(schema: dict[str, Any]) -> dict[str, Any]:
    """Take the noise out, and the null of what may be left out."""
    kept: dict[str, Any] = {}
    for word, value in schema.items():
        if word == "properties":
            kept[word] = {name: _pruned(one) for name, one in value.items()}
        elif word == "anyOf":
            (wanted,) = [one for one in value if one != {"type": "null"}]
            kept |= _pruned(wanted)
        elif word == "items":
            kept[word] = _pruned(value)
        elif word not in _NOISE:
            kept[word] = value
    return kept
