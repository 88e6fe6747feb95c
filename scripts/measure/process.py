"""What a process costs: CPU time and memory, from Linux's /proc.

Owns: reading /proc. Elsewhere `available` is False and a figure is printed as not run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

available: Final = Path("/proc/self/schedstat").exists()
NOT_HERE: Final = "needs Linux's /proc"


def cpu_seconds(pid: int) -> float:
    """CPU time of all threads that live now, in seconds; the kernel counts it in nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def megabytes(pid: int, field: str) -> float:
    """A size from /proc/PID/status in MB of 1024 kB: `VmRSS` is resident now, `VmHWM` its peak."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise KeyError(field)
