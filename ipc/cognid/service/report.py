"""Report: what installing, removing or looking at the service found and did.

Owns: the shapes that the command line prints, as words or as JSON. May not do anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Report:
    """What was done. `notes` are for the person to read; `undo` takes it all back."""

    files: list[Path] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class UnitState:
    """One unit. `path` is None where it is not installed; `enabled` is the manager's own word."""

    name: str
    path: Path | None
    active: str
    enabled: str
    result: str
    restarts: int | None
    exit_status: int | None


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The service as it stands. `linger` is None where it is unknown or there is no such thing."""

    manager: str
    listening: bool
    units: tuple[UnitState, ...]
    linger: bool | None
    notes: tuple[str, ...]
