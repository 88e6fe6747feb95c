"""The vocabulary of memories: closed sets of words and the bounded types that cross the bridge.

Owns: the enumerations of `docs/protocol.md` and the annotated types (text, reference, label,
instant …) that every message is made of. May not know any operation.

All of them are strict: a boolean is not an integer, text is valid UTF-8 without lone surrogates or
NUL, and a value outside its bound is refused, never trimmed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)
from pydantic_core import PydanticCustomError

from cognid.protocol import bounds


class Kind(StrEnum):
    """What sort of thing a memory says. Every kind but `remark` is a promoted *fact*."""

    PREFERENCE = "preference"
    FACT = "fact"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    CONTEXT = "context"
    REMARK = "remark"


class Role(StrEnum):
    """Who spoke."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Provenance(StrEnum):
    """Why the daemon believes a memory: said by the user, worked out, or made from others."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"
    SYNTHESIZED = "synthesized"


class Lifecycle(StrEnum):
    """Where one revision of a memory stands."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"


class Right(StrEnum):
    """What a grant allows. `tool_forget` and `tool_correct` are off unless given by name."""

    REMEMBER = "remember"
    RECALL = "recall"
    SESSION = "session"
    LANE = "lane"
    CONFIGURE = "configure"
    TOOL_FORGET = "tool_forget"
    TOOL_CORRECT = "tool_correct"
    ADMIN = "admin"


class Pipeline(StrEnum):
    """A way from a query to hits."""

    LEXICAL = "lexical"
    VECTOR = "vector"


def _sound(text: str) -> str:
    """Refuse NUL; lone surrogates are refused by the codec below (and by pydantic itself)."""
    if "\0" in text:
        raise PydanticCustomError("nul_character", "must not contain NUL")
    return text


def _said(text: str) -> str:
    """Refuse text in which nothing is said: only white space, controls and invisible characters."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise PydanticCustomError("blank_text", "must not be blank")
    return text


def exactly(kind: type) -> BeforeValidator:
    """Refuse what is equal to a literal and of another type, which pydantic's own check takes:
    True, 1 and 1.0 are one value to Python."""

    def check(value: object) -> object:
        if type(value) is not kind:
            raise PydanticCustomError("literal_type", "has another type than its literal")
        return value

    return BeforeValidator(check)


Yes = Annotated[Literal[True], exactly(bool)]
"""JSON's true, and nothing that equals it."""
No = Annotated[Literal[False], exactly(bool)]

Sound = AfterValidator(_sound)
Said = AfterValidator(_said)

MemoryText = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.TEXT_CHARACTERS), Sound, Said
]
"""1–400,000 characters, not blank."""

FactText = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.FACT_CHARACTERS), Sound, Said
]
"""1–4,000 characters, not blank."""

QueryText = Annotated[str, StringConstraints(min_length=1), Sound, Said]
"""Not blank; longer than `bounds.QUERY_BYTES` is trimmed from the front, and the answer says so."""


def _reference(text: str) -> str:
    if len(text.encode("utf-8")) > bounds.REFERENCE_BYTES:
        raise PydanticCustomError(
            "reference_too_long",
            "must be at most {bound} bytes",
            {"bound": bounds.REFERENCE_BYTES},
        )
    return text


Reference = Annotated[str, StringConstraints(min_length=1), Sound, Said, AfterValidator(_reference)]
"""The name of an owner, agent, session or stream: 1–512 bytes of UTF-8."""

Label = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.LABEL_CHARACTERS), Sound, Said
]
Labels = Annotated[list[Label], Field(max_length=bounds.LABELS)]

OperationId = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
    ),
]
"""A UUIDv7 (RFC 9562) in its lower-case canonical form; its time bounds the receipt horizon."""

Span = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=2, max_length=2)]
"""[start, end] in characters of a text, the end not included."""

MemoryId = Annotated[str, StringConstraints(pattern=r"^mem_[0-9a-f]{12,64}$")]
Sha256Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


def rfc3339(instant: datetime) -> str:
    """Write an instant as RFC 3339 in UTC with microseconds and `Z`."""
    if instant.tzinfo is not UTC:
        instant = instant.astimezone(UTC)
    return instant.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


_FIRST: Final = datetime(1970, 1, 2, tzinfo=UTC)
_LAST: Final = datetime(9999, 12, 30, tzinfo=UTC)


def _instant(value: object) -> object:
    """Read RFC 3339 with an offset or `Z`; a number, a bare date or a time without a zone is none.

    Years 1970–9999: instants are kept as microseconds since 1970 that a datetime can show again.
    """
    if isinstance(value, datetime):
        instant = value
    elif isinstance(value, str):
        try:
            instant = datetime.fromisoformat(value)
        except ValueError:
            raise PydanticCustomError("instant", "must be an RFC 3339 instant") from None
    else:
        raise PydanticCustomError("instant", "must be an RFC 3339 instant")
    if instant.tzinfo is None:
        raise PydanticCustomError("instant", "must name its offset or Z")
    if not _FIRST <= instant <= _LAST:
        raise PydanticCustomError("instant", "must lie in the years 1970 to 9999")
    return instant


Instant = Annotated[
    datetime,
    BeforeValidator(_instant),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
]
"""RFC 3339 with an offset or `Z`; a time without a zone is refused."""

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A number from 0 to 1."""

Word = Field(strict=False)
"""For fields of the enumerations above: JSON has no enumerations, so their words are taken."""


class Message(BaseModel):
    """A request or part of one: unknown fields are refused, types are strict, values frozen."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        hide_input_in_errors=True,
        ser_json_inf_nan="null",
        defer_build=True,  # built at first use: halves the import of the protocol (40 ms of CPU)
    )


class Reply(BaseModel):
    """An answer or part of one. Answers may grow fields, so readers let unknown ones pass."""

    model_config = ConfigDict(
        extra="ignore", frozen=True, hide_input_in_errors=True, defer_build=True
    )
