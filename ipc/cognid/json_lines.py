"""Files of JSON lines: one object a line, in UTF-8, a byte order mark and blank lines passed over.

A line that is not one is reported with its number and what is wrong, never with its text.

Owns: reading them within a bound. Knows no form of object.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeVar

from pydantic import BaseModel, ValidationError

from cognid.protocol import bounds
from cognid.protocol.frames import FrameError, parse_json
from cognid.protocol.validation import describe

LINE_BYTES: Final = bounds.LINE_BYTES
"""A longer line could not cross the bridge either."""
_CHUNK_BYTES: Final = 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"

_M = TypeVar("_M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a line is not what it should be, without its text."""

    reason: str


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line that is not blank. `end` is how many bytes of the source end with it."""

    number: int
    end: int
    value: dict[str, Any] | Broken


def read_lines(source: BinaryIO) -> Iterator[JsonLine]:
    """Read the lines in their order, numbered from 1 on, those that are blank left out."""
    number = end = 0
    while raw := source.readline(LINE_BYTES + 1):
        number += 1
        end += len(raw)
        value: dict[str, Any] | Broken
        if len(raw) > LINE_BYTES and not raw.endswith(b"\n"):
            end += _skip_rest(source)
            value = Broken(f"longer than {LINE_BYTES} bytes")
        elif not raw.strip() or (number == 1 and raw.strip() == _BOM):
            continue
        else:
            value = _parse(raw.removeprefix(_BOM) if number == 1 else raw)
        yield JsonLine(number, end, value)


def read_object(source: BinaryIO, most: int) -> dict[str, Any] | Broken:
    """Read a whole file that is one object, on however many lines, of so many bytes at most."""
    raw = source.read(most + 1)
    if len(raw) > most:
        return Broken(f"longer than {most} bytes")
    return _parse(raw.removeprefix(_BOM))


def read_as(model: type[_M], value: dict[str, Any] | Broken) -> _M | Broken:
    """A line's object as a model, or what is wrong with it."""
    if isinstance(value, Broken):
        return value
    try:
        return model.model_validate(value)
    except ValidationError as error:
        return Broken(describe(error))


def _skip_rest(source: BinaryIO) -> int:
    skipped = 0
    while raw := source.readline(_CHUNK_BYTES):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped


def _parse(raw: bytes) -> dict[str, Any] | Broken:
    try:
        value = parse_json(raw)
    except FrameError:
        return Broken("not JSON in UTF-8")
    return value if isinstance(value, dict) else Broken("not a JSON object")
