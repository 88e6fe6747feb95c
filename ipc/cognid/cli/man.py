"""`cognid man`: the man page, made of the verbs themselves.

Owns: the page's form, and what it says beside the verbs. What a verb says of itself stands in its
module.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any, Final

import typer

import cognid
from cognid.cli.terminal import answering

_EXIT_STATUSES: Final = (
    ("0", "Done."),
    ("1", "Answered, but not what was asked for: no hits, not stored, only previewed, health red."),
    ("2", "A wrong command line."),
    ("64-78", "An error; 69: no daemon answers, 75: try again, 77: not allowed."),
    ("130, 141", "Interrupted; the reader of the output went away."),
)
_ENVIRONMENT: Final = (
    ("COGNID_SOCKET", "The socket of the daemon, where it is not the usual one."),
    ("COGNID_CREDENTIAL", "The file of the credential, where it is not the owner's."),
    ("NO_COLOR", "Where it is set, a terminal gets no colours either."),
    ("COLUMNS", "The width to wrap at; output to another program is not wrapped without it."),
)
_COMPLETIONS: Final = (
    ("bash", "~/.local/share/bash-completion/completions/cognid"),
    ("zsh", "_cognid, in a folder of fpath"),
    ("fish", "~/.config/fish/completions/cognid.fish"),
)
_FILES: Final = (
    ("$XDG_DATA_HOME/cognid/", "The encrypted banks and the catalog."),
    ("$XDG_CONFIG_HOME/cognid/", "The settings and the credentials."),
    ("$XDG_RUNTIME_DIR/cognid/bridge.sock", "The socket."),
)


def command() -> None:
    """Print the man page: `cognid man | man -l -` shows it."""
    with answering(False):
        sys.stdout.write(manual())


def manual() -> str:
    """The man page, in roff's man macros."""
    from cognid.cli.app import build  # which knows this module by its name

    root: Any = typer.main.get_command(build())
    lines = [
        f'.TH COGNID 1 "" "cognid {cognid.__version__}" "User commands"',
        ".SH NAME",
        "cognid \\- a local\\-first memory daemon for agents, and the commands to use it",
        ".SH SYNOPSIS",
        ".B cognid",
        "\\fIVERB\\fR [\\fIOPTIONS\\fR] ...",
        ".SH DESCRIPTION",
        *_paragraphs(
            "cognid serve is the daemon; every other verb is a client of it. Standard output "
            "carries the answer, standard error what is said beside it. Text that stands in a "
            "command line can be read by other programs of the machine, so each text can come "
            "from standard input instead: -. Input and output are UTF-8 whatever the locale."
        ),
        ".SH VERBS",
    ]
    for name, verb in root.commands.items():
        nested = getattr(verb, "commands", None)
        if nested is None:
            lines += _verb(f"cognid {name}", verb)
        else:
            for inner, found in nested.items():
                lines += _verb(f"cognid {name} {inner}", found)
    for title, rows in (
        ("EXIT STATUS", _EXIT_STATUSES),
        ("ENVIRONMENT", _ENVIRONMENT),
        ("FILES", _FILES),
        ("COMPLETIONS", _COMPLETIONS),
    ):
        lines.append(f".SH {title}")
        for term, what in rows:
            lines += [".TP", f".B {_escaped(term)}", _escaped(what)]
    return "\n".join(lines) + "\n"


def _verb(name: str, verb: Any) -> Iterator[str]:
    """One verb: how it is called, what it does, its options."""
    context = verb.context_class(verb, info_name=name)
    pieces = " ".join(verb.collect_usage_pieces(context))
    yield f".SS {_escaped(f'{name} {pieces}')}"
    yield from _paragraphs(verb.help or "")
    for parameter in verb.params:
        record = parameter.get_help_record(context)
        if record is not None:
            term, what = record
            yield from (".TP", f".B {_escaped(term)}", _escaped(" ".join(what.split())))


def _paragraphs(text: str) -> Iterator[str]:
    for place, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if place:
            yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """A line of text that roff takes for nothing else."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
