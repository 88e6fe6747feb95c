"""What a request takes: a JSON value of the very type of its field, and nothing that equals it."""

from __future__ import annotations

import importlib
import json
import pkgutil
import typing
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from types import UnionType
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

import cognid.protocol
from cognid.protocol.authority import DeleteAll, Forget
from cognid.protocol.evidence import Evidence
from cognid.protocol.values import Message

_PROBES: tuple[object, ...] = (
    True,
    False,
    0,
    1,
    -1,
    1.0,
    0.5,
    "1",
    "0",
    "true",
    "True",
    "",
    [],
    {},
    [True],
    [1.0],
    ["1"],
)
_STRICT = ConfigDict(strict=True)


def _fields() -> Iterator[tuple[str, Any, frozenset[type]]]:
    """Every plain field of every request: its name, its annotation, and the types it may hold."""
    for module in pkgutil.iter_modules(cognid.protocol.__path__):
        for model in vars(importlib.import_module(f"cognid.protocol.{module.name}")).values():
            if not (isinstance(model, type) and issubclass(model, Message)):
                continue
            model.model_rebuild()
            for name, field in model.model_fields.items():
                annotation = _annotated(field)
                held = frozenset(_held(field.annotation))
                if not any(issubclass(one, BaseModel | Enum) for one in held):
                    yield f"{model.__name__}.{name}", annotation, held


def _annotated(field: FieldInfo) -> Any:
    """The type of a field with its bounds, to be validated by itself."""
    if not field.metadata:
        return field.annotation
    return typing.Annotated[(field.annotation, *field.metadata)]


def _held(annotation: object) -> Iterator[type]:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        yield from _held(arguments[0])
    elif origin is typing.Literal:
        yield from map(type, arguments)
    elif origin in (typing.Union, UnionType):
        for one in arguments:
            yield from _held(one)
    elif origin is not None:
        yield typing.cast("type", origin)
    elif annotation is None:
        yield type(None)
    else:
        yield annotation if isinstance(annotation, type) else object


def _fits(value: object, held: frozenset[type]) -> bool:
    """Whether a JSON value is of a type that the field holds; a whole number is a number."""
    if type(value) is int and float in held:
        return True
    return type(value) in held or object in held or datetime in held


def _reading_json(adapter: TypeAdapter[object]) -> Callable[[object], object]:
    return lambda value: adapter.validate_json(json.dumps(value))


def _taken(annotation: Any, value: object) -> bool:
    adapter: TypeAdapter[object] = TypeAdapter(annotation, config=_STRICT)
    for read, given in (
        (adapter.validate_python, value),
        (_reading_json(adapter), value),
    ):
        try:
            read(given)
        except ValidationError:
            continue
        return True
    return False


def test_no_field_takes_a_value_of_another_type() -> None:
    """True is no number, 1 is no true, "1" is neither, in any field of any request."""
    fields = list(_fields())
    assert len(fields) > 200
    wrong = [
        (name, value)
        for name, annotation, held in fields
        for value in _PROBES
        if not _fits(value, held) and _taken(annotation, value)
    ]
    assert wrong == []


@pytest.mark.parametrize("value", [1, 1.0, "true", "yes", False, None, [True]])
@pytest.mark.parametrize("model", [Forget, DeleteAll])
def test_only_true_confirms(model: type[Message], value: object) -> None:
    """What cannot be undone is confirmed by JSON's true alone."""
    annotation = _annotated(model.model_fields["confirmed"])
    assert _taken(annotation, True)
    assert not _taken(annotation, value)


@pytest.mark.parametrize("value", [True, 1.0, "1", 2])
def test_only_the_number_one_is_version_one(value: object) -> None:
    """The version of an evidence is a literal by type as well as by value."""
    annotation = _annotated(Evidence.model_fields["version"])
    assert _taken(annotation, 1)
    assert not _taken(annotation, value)
