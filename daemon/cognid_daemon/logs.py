"""Logs: key=value lines on standard error, made so that content cannot get into them.

A field is an integer, a float, a boolean or a short word of ours (an id, a code, a path of ours);
anything else is a fault of the caller. Of an exception only its type and the places in the source
are logged: its text may quote memory, a query or a key.

Under systemd (`$JOURNAL_STREAM` names our standard error) a line begins with its syslog priority
(`<6>`, sd-daemon(3)) and carries no time, which the journal keeps; elsewhere it begins with the
time. This is a hand-made writer: importing a logging library took 54–88 ms of CPU on the start
path, and would bring renderers that print what they are given.

Owns: the form of a line. May not decide what is worth one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

Level = Literal["debug", "info", "warning", "error"]
Field = int | float | bool | str | None
_VALUE_CHARACTERS: Final = 300
_PACKAGES: Final = ("cognid_daemon", "cognid_models", "cognid")


class _Priority(IntEnum):
    """Syslog priorities (syslog(3))."""

    error = 3
    warning = 4
    info = 6
    debug = 7


class Log:
    """Writes lines at or above a level."""

    def __init__(self, level: Level = "info") -> None:
        self._threshold = _Priority[level]
        self._journal = _is_journal()

    def set_level(self, level: Level) -> None:
        """Write lines of this level and above."""
        self._threshold = _Priority[level]

    def debug(self, event: str, **fields: Field) -> None:
        """Log what only a developer wants."""
        self._write(_Priority.debug, event, fields)

    def info(self, event: str, **fields: Field) -> None:
        """Log what happened as it should."""
        self._write(_Priority.info, event, fields)

    def warning(self, event: str, **fields: Field) -> None:
        """Log what a person may want to look at."""
        self._write(_Priority.warning, event, fields)

    def error(self, event: str, **fields: Field) -> None:
        """Log what a person should look at."""
        self._write(_Priority.error, event, fields)

    def _write(self, priority: _Priority, event: str, fields: dict[str, Field]) -> None:
        if priority > self._threshold:
            return
        if self._journal:
            start = f"<{priority.value}>"
        else:
            start = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ} {priority.name} "
        words = " ".join(f"{key}={_quote(value)}" for key, value in fields.items())
        line = f"{start}{event} {words}".rstrip() + "\n"
        with suppress(OSError):  # nobody reads standard error any more; the daemon lives on
            os.write(2, line.encode("utf-8", "backslashreplace"))


def _quote(value: Field) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)[:_VALUE_CHARACTERS]
    if text.isprintable() and text and not any(mark in text for mark in ' "=\\'):
        return text
    plain = "".join(character if character.isprintable() else "?" for character in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_journal() -> bool:
    """Whether standard error is the stream that systemd named (systemd.exec(5))."""
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        status = os.fstat(2)
    except OSError:
        return False
    return named == f"{status.st_dev}:{status.st_ino}"


def locate(error: BaseException) -> str:
    """The places in the source an exception passed, outermost first: `file:line file:line …`."""
    return " ".join(_places(error.__traceback__))


def _places(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        ours = next((part for part in _PACKAGES if part in file.parts), None)
        name = "/".join(file.parts[file.parts.index(ours) :]) if ours else file.name
        yield f"{name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next


def fault_fields(error: BaseException) -> dict[str, Field]:
    """What of an exception may be logged: its type, its cause's type, and the places it passed."""
    cause = error.__cause__
    return {
        "type": type(error).__name__,
        "cause": type(cause).__name__ if cause else None,
        "at": locate(error),
    }
