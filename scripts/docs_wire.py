"""The wire in tables: operations, messages and words of docs/protocol.md, from the models.

Owns: how a type is told in words. What a field means stands in the models' own docstrings.
"""

from __future__ import annotations

import ast
import datetime
import inspect
import json
import textwrap
import types
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cognid.protocol import addressed, authority, bounds, configure, evidence, values
from cognid.protocol.addressed import Addressed, Mutation, Timed
from cognid.protocol.table import HANDSHAKE, KNOWLEDGE, OPERATIONS, Operation, Reach

_NAMED: Final[tuple[tuple[Any, str], ...]] = (
    (values.MemoryText, "text"),
    (values.QueryText, "query"),
    (values.FactText, f"string (1 to {bounds.FACT_CHARACTERS:,} characters, not blank)"),
    (values.Reference, "reference"),
    (values.Label, "label"),
    (values.Labels, f"list of label (at most {bounds.LABELS})"),
    (values.OperationId, "operation id"),
    (values.MemoryId, "memory id"),
    (values.Sha256Hex, "64 hex digits"),
    (values.Instant, "instant"),
    (values.Share, "number from 0 to 1"),
    (values.Span, "[from, to]"),
    (evidence.Identifier, f"string (1 to {bounds.IDENTIFIER_CHARACTERS} characters, not blank)"),
    (evidence.EventId, "`<stream>:<sequence>`"),
    (configure.Handle, "manager handle"),
    (configure.Cursor, "cursor"),
    (authority.PreviewToken, "preview token"),
    (configure.FilterText, f"string (1 to {bounds.FILTER_CHARACTERS:,} characters, not blank)"),
    (addressed.DeadlineMs, f"milliseconds, 1 to {bounds.DEADLINE_MS_MAX:,}"),
)
_PLAIN: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    datetime.datetime: "instant",
    Any: "any JSON",
    type(None): "null",
}
_ENUMERATIONS: Final[tuple[type[StrEnum], ...]] = (
    values.Kind,
    values.Role,
    values.Provenance,
    values.Lifecycle,
    values.Pipeline,
    values.Right,
)
_VECTORS: Final = Path(__file__).resolve().parent.parent / "tests/vectors/operations.json"
_COMMON: Final = (Mutation, Addressed, Timed)
"""What most requests share, the most first; docs/protocol.md describes their fields once."""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    first = list(head)
    lines = [first, ["---"] * len(first), *map(list, rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _bounded(extras: tuple[Any, ...], what: str) -> str:
    """Add what `Field` and `StringConstraints` say of a type."""
    found: dict[str, Any] = {}
    for extra in extras:
        parts = extra.metadata if isinstance(extra, FieldInfo) else (extra,)
        for part in parts:
            for name in ("ge", "le", "min_length", "max_length", "pattern"):
                value = getattr(part, name, None)
                if value is not None and not callable(value):
                    found[name] = value
    low, high = found.get("ge"), found.get("le")
    if low is not None and high is not None:
        return f"{what}, {low:,} to {high:,}"
    least, most = found.get("min_length"), found.get("max_length")
    if least is not None and most is not None:
        return f"{what} ({least:,} to {most:,} of them)"
    if most is not None:
        return f"{what} (at most {most:,})"
    if least is not None:
        return f"{what} (at least {least:,})"
    return what


def _told(hint: Any) -> str:
    """A type in words, with links to what is described elsewhere."""
    for known, name in _NAMED:
        if hint == known:
            return name
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *extras = get_args(hint)
        return _bounded(tuple(extras), _told(inner))
    if origin in (Union, types.UnionType):
        return " or ".join(_told(part) for part in get_args(hint))
    if origin is Literal:
        return " or ".join(f"`{_json(word)}`" for word in get_args(hint))
    if origin is list:
        inner = _told(get_args(hint)[0])
        return f"list of ({inner})" if " or " in inner else f"list of {inner}"
    if origin is dict:
        inner = _told(get_args(hint)[1])
        return "object" if inner == "any JSON" else f"object of {inner}"
    if hint == tuple[int, int]:
        return "[from, to]"
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"[{hint.__name__.lower()}](#words)"
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return _PLAIN[hint]


def _json(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


@cache
def _field_notes(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings that stand under fields, in a model and the models it is made from."""
    notes: dict[str, str] = {}
    for made_from in reversed(model.__mro__):
        if not issubclass(made_from, BaseModel) or made_from is BaseModel:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(made_from))).body[0]
        assert isinstance(body, ast.ClassDef)  # noqa: S101 (that is what a class's source is)
        for field, note in zip(body.body, body.body[1:], strict=False):
            match field, note:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    notes[name] = _flowed(text)
                case _:
                    pass
    return notes


def _flowed(docstring: str) -> str:
    """A docstring as one paragraph that Markdown takes for text."""
    return " ".join(inspect.cleandoc(docstring).split())


def _own_doc(model: type[BaseModel]) -> str:
    return _flowed(model.__dict__.get("__doc__") or "")


def _fields(model: type[BaseModel], *, leave_out: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Each field's name, type and what else is to say of it."""
    hints = get_type_hints(model, include_extras=True)
    notes = _field_notes(model)
    for name, field in model.model_fields.items():
        if name in leave_out:
            continue
        told = _told(hints[name])
        said = [notes.get(name, "")]
        if issubclass(model, values.Message):
            if field.is_required():
                said.insert(0, "Required.")
            else:
                default = field.get_default(call_default_factory=True, validated_data={})
                if default not in (None, []):
                    said.insert(0, f"Default: `{_json(getattr(default, 'value', default))}`.")
        yield name, told, " ".join(filter(None, said))


def _request_table(model: type[BaseModel]) -> str:
    shared = _shared(model)
    leave_out = frozenset(shared.model_fields) if shared else frozenset[str]()
    rows = [(f"`{n}`", t, s) for n, t, s in _fields(model, leave_out=leave_out)]
    return table(("field", "type", "notes"), rows) if rows else ""


def _shared(model: type[BaseModel]) -> type[BaseModel] | None:
    """Which of the common sets of fields a request has."""
    return next((common for common in _COMMON if issubclass(model, common)), None)


def _variants(of: Any) -> tuple[type[BaseModel], ...]:
    """The models that a request or answer can be."""
    if get_origin(of) is Annotated:
        of = get_args(of)[0]
    return get_args(of) if get_origin(of) in (Union, types.UnionType) else (of,)


def _tag(model: type[BaseModel]) -> tuple[str, str] | None:
    """The field and word by which an answer tells which one it is."""
    for name in ("outcome", "view"):
        if name in model.model_fields:
            (word,) = get_args(model.model_fields[name].annotation)
            return name, word
    return None


def _inline(model: type[BaseModel], leave_out: frozenset[str] = frozenset()) -> str:
    parts = []
    for name, told, said in _fields(model, leave_out=leave_out):
        note = f": {said[0].lower() if said[1:2].islower() else said[0]}{said[1:]}" if said else ""
        parts.append(f"`{name}` ({told}){note.rstrip('.')}")
    return "; ".join(parts)


def _answer_lines(model: type[BaseModel]) -> str:
    tag = _tag(model)
    lead = f"- **`{tag[1]}`**: " if tag else "- "
    leave_out = frozenset({tag[0]}) if tag else frozenset[str]()
    fields = _inline(model, leave_out)
    return lead + _own_doc(model) + (f" Fields: {fields}." if fields else "")


def _section(operation: Operation, answered: dict[Any, str]) -> str:
    """One operation. `answered`: where an answer that several share was told already."""
    lines = [f"### {operation.name}", ""]
    for model in _variants(operation.request):
        lines += [_own_doc(model), ""]
        if shared := _shared(model):
            lines += [f"With the fields of [{shared.__name__}](#common-fields).", ""]
        if fields := _request_table(model):
            lines += [fields, ""]
    before = answered.setdefault(operation.reply, operation.name)
    if before != operation.name:
        lines += [f"Answer: as of [{before}](#{_anchor(before)}).", ""]
    else:
        lines += ["Answer:", "", *map(_answer_lines, _variants(operation.reply)), ""]
    if operation.name in HANDSHAKE:
        lines += ["Example: [the worked handshake](#handshake).", ""]
    else:
        lines += ["Example:", "", "```text", *_examples(operation.name), "```", ""]
    return "\n".join(lines)


def _examples(name: str) -> Iterator[str]:
    """What the shared vectors have of an operation: the first of each form that its answer has."""
    told = set()
    for step in _session():
        asked, answer = step["request"], step["answer"]
        same_family = asked["method"].startswith("knowledge.") and name == KNOWLEDGE.name
        if asked["method"] != name and not same_family:
            continue
        result = answer.get("result", {})
        form = (result.get("outcome"), result.get("view"), "error" in answer)
        if form not in told:
            told.add(form)
            yield f"> {json.dumps(asked, ensure_ascii=False)}"
            yield f"< {json.dumps(answer, ensure_ascii=False)}"


@cache
def _session() -> list[dict[str, Any]]:
    """The recorded session."""
    steps: list[dict[str, Any]] = json.loads(_VECTORS.read_text("utf-8"))
    return steps


def _anchor(heading: str) -> str:
    """The name under which Markdown pages link to a heading of one word."""
    return heading.lower().replace(".", "").replace("*", "")


_RANGES: Final = {
    Reach.LINK: "the connection",
    Reach.BANK: "the bank it names",
    Reach.DAEMON: "the daemon",
}


def operations_block() -> str:
    """The table of operations, then a section for each."""
    rows = (
        (
            f"[`{row.name}`](#{_anchor(row.name)})",
            _RANGES[row.reach],
            " or ".join(f"`{right}`" for right in (row.right, *row.or_rights) if right) or "none",
            "yes" if row.mutates else "no",
            f"{row.deadline_ms:,} ms",
        )
        for row in OPERATIONS.values()
    )
    head = table(("operation", "is about", "right", "writes", "default deadline"), rows)
    every = [*HANDSHAKE.values(), *OPERATIONS.values(), KNOWLEDGE]
    answered: dict[Any, str] = {}
    return "\n".join([head, "", *(_section(row, answered) for row in every)]).rstrip("\n")


def _within(hint: Any) -> Iterator[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
        return
    for part in get_args(hint):
        yield from _within(part)


def _shapes() -> list[type[BaseModel]]:
    """Every model that stands inside another one, in the order they are met."""
    found: dict[type[BaseModel], None] = {}

    def visit(model: type[BaseModel]) -> None:
        hints = get_type_hints(model, include_extras=True)
        for name in model.model_fields:
            for inner in _within(hints[name]):
                if inner not in found:
                    found[inner] = None
                    visit(inner)

    for operation in [*HANDSHAKE.values(), *OPERATIONS.values()]:
        for model in (*_variants(operation.request), *_variants(operation.reply)):
            visit(model)
    return list(found)


def shapes_block() -> str:
    """The parts that messages are made of."""
    sections = []
    for model in _shapes():
        rows = [(f"`{n}`", t, s) for n, t, s in _fields(model, leave_out=frozenset())]
        sections += [f"### {model.__name__}", "", _own_doc(model), ""]
        sections += [table(("field", "type", "notes"), rows), ""]
    return "\n".join(sections).rstrip("\n")


def common_block() -> str:
    """The fields that most requests share."""
    sections = []
    for model in reversed(_COMMON):
        rows = [(f"`{n}`", t, s) for n, t, s in _fields(model, leave_out=frozenset())]
        sections += [f"**{model.__name__}**: {_own_doc(model)}", ""]
        sections += [table(("field", "type", "notes"), rows), ""]
    return "\n".join(sections).rstrip("\n")


def words_block() -> str:
    """The closed sets of words."""
    rows = (
        (kind.__name__.lower(), ", ".join(f"`{word.value}`" for word in kind), _own_enum_doc(kind))
        for kind in _ENUMERATIONS
    )
    return table(("word", "one of", "what it says"), rows)


def _own_enum_doc(kind: type[StrEnum]) -> str:
    return _flowed(kind.__doc__ or "")
