"""Launchd: installs the agent into the person's session on macOS, removes it, looks at it.

launchd hands a socket over only through a call of its own, so here the daemon is started at
login and binds its socket itself.

Owns: our property list in ~/Library/LaunchAgents and the calls of launchctl. May not touch the
data or another agent.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from cognid.paths import Places, make_folder, write_private
from cognid.protocol.errors import CognidError
from cognid.service import units
from cognid.service.report import Report, ServiceState, UnitState

_CALL_SECONDS: Final = 60.0


def agent_path() -> Path:
    """Where launchd looks for the person's agents."""
    return Path.home() / "Library" / "LaunchAgents" / f"{units.LAUNCHD_LABEL}.plist"


def log_path() -> Path:
    """Where the daemon's standard error goes."""
    return Path.home() / "Library" / "Logs" / "cognid.log"


def install(command: Path, places: Places) -> Report:
    """Write the agent and load it.

    Raises:
        CognidError: `no_service_manager`, `folder_unsafe`, `service_failed`.
    """
    _require_launchctl()
    make_folder(places.data)
    make_folder(places.configuration)
    path = agent_path()
    text = units.launchd_agent(command, log_path())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: a disk that is full leaves an older one as it is.
        write_private(path, text.encode("utf-8"))
        path.chmod(0o644)
    except OSError as error:
        raise CognidError("service_failed", f"{path}: {error.strerror}") from None
    _launchctl("bootout", _target())  # an older one; there may be none
    if _launchctl("bootstrap", _domain(), str(path)).returncode != 0:
        raise CognidError("service_failed", f"launchctl bootstrap {_domain()} refused {path}")
    return Report(
        files=[path],
        done=[f"loaded {units.LAUNCHD_LABEL}: it starts now and at each login"],
        notes=["The daemon runs while you are logged in; launchd has no linger for agents."],
        undo="cognid service uninstall",
    )


def uninstall(places: Places) -> Report:
    """Stop and unload the agent and remove its file; the data stays."""
    path = agent_path()
    report = Report()
    if path.exists():
        if shutil.which("launchctl"):
            _launchctl("bootout", _target())
        path.unlink()
        report.files.append(path)
        report.done.append(f"unloaded {units.LAUNCHD_LABEL}")
    else:
        report.done.append("nothing was installed; nothing done")
    report.notes.append(
        f"The memories were left alone. They lie in {places.data}, their settings and credentials "
        f"in {places.configuration}; delete these two folders to be rid of them for good."
    )
    return report


def status() -> ServiceState:
    """Say how the agent stands.

    Raises:
        CognidError: `no_service_manager`.
    """
    _require_launchctl()
    path = agent_path()
    shown = _launchctl("print", _target())
    lines = [line.strip() for line in shown.stdout.splitlines()]
    running = "state = running" in lines
    unit = UnitState(
        name=units.LAUNCHD_LABEL,
        path=path if path.exists() else None,
        active="active" if running else "inactive",
        enabled="enabled" if shown.returncode == 0 else "not-found",
        result="unknown",
        restarts=None,
        exit_status=None,
    )
    notes = () if unit.path else ("Not installed. Install it: cognid service install",)
    return ServiceState("launchd", running, (unit,), None, notes)


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _target() -> str:
    return f"{_domain()}/{units.LAUNCHD_LABEL}"


def _require_launchctl() -> None:
    if shutil.which("launchctl") is None:
        raise CognidError("no_service_manager", "launchctl was not found")


def _launchctl(*words: str) -> subprocess.CompletedProcess[str]:
    argv = ("launchctl", *words)
    try:
        return subprocess.run(  # noqa: S603 - our own words, no shell
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=_CALL_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CognidError("service_failed", f"{' '.join(argv)}: no answer") from None
