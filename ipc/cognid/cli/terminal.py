r"""The terminal: what a verb prints, and how a command ends.

Memory text is data: control characters in it are shown as escapes (`\x1b`), so that it cannot
drive the terminal. Output is UTF-8 whatever the locale. With `--json` one object goes to standard
output and nothing else does.

Owns: escaping, wrapping, exit statuses. Knows no verb.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import typer

from cognid.protocol.errors import CognidError

if TYPE_CHECKING:
    from rich.console import Console

# C0 but tab and line feed, DEL, C1, line and paragraph separators, and the characters that
# reorder what stands around them (Unicode TR 9: embeddings, overrides, isolates).
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_UNSAFE_IN_JSON: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_INTERRUPTED: Final = 130
_COLUMN: Final = 13
"""Where the values of named facts begin."""
_GAP: Final = 2
_NARROWEST: Final = 8
"""Columns that a table's column keeps at least."""
_PIPE_CLOSED: Final = 141
"""As a shell reports a command that SIGPIPE ended."""
_UNSAID: Final = 74
"""EX_IOERR: the answer could not be written."""
_DISK_REFUSES: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def safe(text: str) -> str:
    """Text that cannot drive a terminal: only tabs and line feeds are left of the controls."""
    return _UNSAFE.sub(_escaped, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same on one line: for names, which are data too."""
    return " ".join(safe(text).split())


def when(instant: datetime) -> str:
    """An instant in the reader's own time zone, to the minute."""
    return instant.astimezone().strftime("%Y-%m-%d %H:%M")


def json_line(value: dict[str, Any]) -> str:
    """A value as one line of JSON, without characters that drive a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def whose(owner: str, agent: str | None) -> str:
    """A bank in words."""
    named = f"agent {one_line(agent)}" if agent is not None else "no agent"
    return f"owner {one_line(owner)}, {named}"


def options_of(owner: str, agent: str | None) -> str:
    """The options that name a bank in a command, each with a space before it; none for the usual
    one."""
    given = {"--owner": None if owner == "local" else owner, "--agent": agent}
    return "".join(
        f" {name} {quote(safe(value))}" for name, value in given.items() if value is not None
    )


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 memory, 1,200 memories."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def use_utf8() -> None:
    """Take UTF-8 for arguments, standard output and error, whatever the locale says."""
    sys.argv[1:] = map(_argument, sys.argv[1:])
    # A stream that was closed (`>&-`): the verb does its work all the same and says so to nobody,
    # and no socket gets its number.
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(os.devnull), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _argument(argument: str) -> str:
    """An argument whose bytes the locale could not read, read as UTF-8 where they are."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument  # refused where it is used


def _cells(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fit(text: str, width: int) -> str:
    """A text of exactly so many columns."""
    if _cells(text) > width:
        while _cells(text) >= width:
            text = text[:-1]
        text += "…"
    return text + " " * (width - _cells(text))


@dataclass
class Terminal:
    """What one command prints. `status` is its exit status where no error ends it."""

    as_json: bool
    status: int = 0

    @cached_property
    def _console(self) -> Console:
        # Here, and rich's text below: only a person at a terminal pays for loading them.
        from cognid.cli.console import make_console

        return make_console()

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the output is for another program, which wants neither colours nor wrapping."""
        asked = os.environ.keys() & {"COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"}
        return not (asked or sys.stdout.isatty())

    @cached_property
    def _width(self) -> int | None:
        """Columns to wrap at; None where the output is for another program."""
        wraps = sys.stdout.isatty() or "COLUMNS" in os.environ
        return max(self._console.width, 20) if wraps else None

    def object(self, value: dict[str, Any]) -> None:
        """Print the answer as JSON, one line."""
        sys.stdout.write(json_line(value))

    def line(self, text: str = "", *, style: str = "") -> None:
        """Print one line as it is, not wrapped; the caller has made it safe."""
        if self._is_plain:
            sys.stdout.write(f"{text}\n")
            return
        self._console.print(text, style=style or None, soft_wrap=True)

    def paragraph(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """Print data: made safe, wrapped to the terminal, each line indented."""
        margin = " " * indent
        if self._is_plain:
            for paragraph in safe(text).split("\n"):
                sys.stdout.write(f"{margin}{paragraph.expandtabs(4)}".rstrip() + "\n")
            return
        from rich.text import Text

        for paragraph in safe(text).split("\n"):
            whole = Text(paragraph.expandtabs(4), style=style)
            lines = whole.wrap(self._console, self._width - indent) if self._width else [whole]
            for line in lines or [Text("")]:
                line.rstrip()
                self._console.print(Text(margin) + line, soft_wrap=True)

    def fact(self, name: str, value: str) -> None:
        """Print a name and what it stands for, wrapped beside it."""
        column = max(_COLUMN, len(name) + 1)
        if self._is_plain or not self._width:
            self.line(f"{name:<{column}}{value}")
            return
        from rich.text import Text

        lines = Text(value).wrap(self._console, self._width - column)
        for place, line in enumerate(lines):
            line.rstrip()
            head = ("" if place else name).ljust(column)
            self._console.print(Text(head) + line, soft_wrap=True)

    def table(self, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
        """Print rows under their head, made safe by the caller; no head where there are no rows.

        Where it is wider than the terminal the widest columns are cut, and end in `…`.
        """
        if not rows:
            return
        widths = [max(map(_cells, column)) for column in zip(head, *rows, strict=True)]
        while self._width and sum(widths) + _GAP * (len(widths) - 1) > self._width:
            widest = max(range(len(widths)), key=widths.__getitem__)
            if widths[widest] <= _NARROWEST:
                break
            widths[widest] -= 1
        for place, row in enumerate([head, *rows]):
            fitted = (_fit(cell, width) for cell, width in zip(row, widths, strict=True))
            self.line((" " * _GAP).join(fitted).rstrip(), style="" if place else "bold")

    def note(self, text: str) -> None:
        """Say something beside the answer, and after what was printed of it so far."""
        sys.stdout.flush()
        sys.stderr.write(safe(text) + "\n")

    def fail(self, error: CognidError) -> None:
        """Report an error: to a person, and with `--json` as the one object too."""
        if self.as_json:
            self.object(
                {
                    "error": {
                        "code": error.code,
                        "detail": error.detail,
                        "retryable": error.retryable,
                        "effect": error.effect,
                        "remedy": error.remedy,
                        "operation_id": error.operation_id,
                    }
                }
            )
        said = str(error).removeprefix(f"{error.code}: ")
        self.note(f"cognid: {error.code}: {said}")
        if error.operation_id is not None and error.effect != "none":
            self.note(f"  operation {error.operation_id}")
            # Another bank never saw it: it would seal the id and call it never arrived.
            self.note("  (cognid resolve takes the same --owner and --agent)")
        self.note(f"  {error.remedy}")


@contextmanager
def answering(as_json: bool) -> Iterator[Terminal]:
    """Run a verb: what it raises becomes a message and an exit status."""
    terminal = Terminal(as_json)
    status = 0
    try:
        yield terminal
        sys.stdout.flush()
        status = terminal.status
    except CognidError as error:
        status = _PIPE_CLOSED if not _try_to_fail(terminal, error) else error.exit
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        status = _PIPE_CLOSED
    except OSError as error:
        if error.errno not in _DISK_REFUSES:
            raise
        _drop_output()
        _say_unwritten(error)
        status = _UNSAID
    raise typer.Exit(status)


def _try_to_fail(terminal: Terminal, error: CognidError) -> bool:
    try:
        terminal.fail(error)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return False
    except OSError as unwritten:
        if unwritten.errno not in _DISK_REFUSES:
            raise
        _drop_output()
        _say_unwritten(unwritten)
        terminal.as_json = False
        terminal.fail(error)
    return True


def _say_unwritten(error: OSError) -> None:
    """Say that the answer is lost, where a person may see it: the verb may have done its work, and
    its status must not be taken for what it would have answered."""
    with suppress(OSError):
        sys.stderr.write(f"cognid: not all was read or written: {error.strerror}\n")


def _drop_output() -> None:
    """Send what is left to nowhere, so that the flush at exit does not complain either."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
