"""The example of docs/context.md runs, and prints what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys

from support.daemon import DaemonProcess
from support.pages import fences

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\dZ")


def test_the_example_prints_what_the_page_shows(daemon: DaemonProcess) -> None:
    """Against a real daemon, but for the times."""
    (program,) = [one for one in fences("docs/context.md") if one.language == "python"]
    (shown,) = [one for one in fences("docs/context.md") if one.language == "text"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program.body],
        env=daemon.environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert _TIME.sub("TIME", done.stdout) == _TIME.sub("TIME", shown.body)
