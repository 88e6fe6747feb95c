"""An entry in a client's TOML file: put in as text, so that all else keeps its comments and form.

Whether that went well is seen by reading the result: it must say what the file said before, and
our entry. A file in which that does not hold (servers in one inline table, say) is left alone.

Owns: that. Reads and writes no file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_HEADER = re.compile(r"[ \t]*\[")


class UnfitError(ValueError):
    """The text is not TOML, or the entry cannot be put in without touching something else."""


def written(servers: str, name: str, entry: Mapping[str, Any]) -> str:
    """An entry as tables: of its own, and one for each mapping in it."""
    lines = [f"[{servers}.{name}]"]
    lines += [f"{key} = {_value(value)}" for key, value in entry.items() if not _is_table(value)]
    for key, table in entry.items():
        if _is_table(table):
            lines += ["", f"[{servers}.{name}.{key}]"]
            lines += [f"{inner} = {_value(value)}" for inner, value in table.items()]
    return "\n".join(lines) + "\n"


def with_entry(
    text: str, servers: str, name: str, entry: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, str]:
    """Put an entry into a file's text.

    Returns:
        The entry that was there, and the text with the new one, at the end of the file.

    Raises:
        UnfitError: it cannot be done without touching something else.
    """
    whole = _read(text)
    there = whole.setdefault(servers, {})
    if not isinstance(there, dict):
        raise UnfitError
    before = there.get(name)
    kept = "".join(_without(text, f"{servers}.{name}")).rstrip("\n")
    made = f"{kept}\n\n" if kept else ""
    made += written(servers, name, entry)
    there[name] = dict(entry)
    if _read(made) != whole:
        raise UnfitError
    return before, made


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise UnfitError from None


def _without(text: str, table: str) -> Iterator[str]:
    """The lines of a text but for those of a table and the tables in it."""
    ours = re.compile(rf"[ \t]*\[{re.escape(table)}[.\]]")
    inside = False
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line):
            inside = ours.match(line) is not None
        if not inside:
            yield line


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _value(value: object) -> str:
    """A string or a list of strings: JSON's form of them is TOML's too."""
    return json.dumps(value, ensure_ascii=False)
