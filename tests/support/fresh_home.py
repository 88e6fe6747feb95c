"""A Python process in a home that nothing was ever written to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_LEFT_OUT = ("ORT_", "XDG_")


def run_in_fresh_home(script: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own whose home is an empty folder, with nothing in its
    environment that speaks for onnxruntime or names other folders; 50 s at most."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**kept, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
