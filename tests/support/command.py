"""The command `cognid`: as a process of its own, or, quicker, in this one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from cognid.cli.app import run

COMMAND = str(Path(sys.executable).with_name("cognid"))
INTERRUPTIBLE = (
    *(sys.executable, "-c"),
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    " os.execv(sys.argv[1], sys.argv[1:])",
)
"""Before a command that is to be interrupted: whoever runs the tests may have the signal ignored,
as a shell has for what it runs in the background, and that is inherited."""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        """Standard output, which is UTF-8 or the test fails."""
        return self.output.decode("utf-8")

    @property
    def json(self) -> dict[str, Any]:
        """Standard output, which is exactly one JSON object or the test fails."""
        value = json.loads(self.output)
        assert isinstance(value, dict)
        return value


def run_command(
    environment: Mapping[str, str], *arguments: str, stdin: bytes = b"", **more: str
) -> Ran:
    """Run `cognid` to its end.

    Args:
        environment: of a `DaemonProcess`.
        arguments: after `cognid`.
        stdin: its standard input, a pipe.
        more: variables added to the environment.
    """
    ran = subprocess.run(
        [COMMAND, *arguments],
        env={**environment, **more},
        input=stdin,
        capture_output=True,
        timeout=50,
        check=False,
    )
    errors = ran.stderr.decode("utf-8")
    assert "Traceback" not in errors, errors
    return Ran(ran.returncode, ran.stdout, errors)


def call_command(
    environment: Mapping[str, str], *arguments: str, stdin: bytes = b"", **more: str
) -> Ran:
    """The same in this process, which saves loading Python and the client each time.

    For what the process itself makes no difference to: everything but locales, signals, pipes.
    """
    output, errors = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(held, "utf-8") for held in (io.BytesIO(stdin), output, errors)]
    with (
        mock.patch.dict(os.environ, {**environment, **more}, clear=True),
        mock.patch.multiple(
            sys,
            argv=["cognid", *arguments],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
        ),
    ):
        try:
            run()
            status = 0
        except SystemExit as ended:
            status = int(ended.code or 0)
    for stream in streams[1:]:
        stream.flush()
    return Ran(status, output.getvalue(), errors.getvalue().decode("utf-8"))
