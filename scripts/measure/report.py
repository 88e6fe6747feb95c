"""What every report begins with: machine, versions, git hash, date; and the form of its lines.

Owns: how a run is named, so that two of them can be compared.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def git_state() -> str:
    """The commit of this checkout, with `+changes` where files differ; `unknown` outside git."""
    try:
        commit = _git("rev-parse", "HEAD")
        return commit + ("+changes" if _git("status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(*words: str) -> str:
    ran = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=20
    )
    return ran.stdout.strip()


def machine() -> str:
    """Processor, cores, kernel and Python in one line; no host or user name."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    python = f"Python {platform.python_version()}"
    return f"{name}, {cores} cores, {platform.system()} {platform.release()}, {python}"


def today() -> str:
    """The date and minute in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
