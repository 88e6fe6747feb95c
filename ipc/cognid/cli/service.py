"""`cognid service`: install the daemon into the person's service manager, remove it, look at it.

Owns: the options of the three verbs and how a report is printed. The work is in `cognid.service`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognid.cli.options import Json
from cognid.cli.terminal import Terminal, answering, safe
from cognid.paths import find_places
from cognid.service import launchd, systemd, units

if TYPE_CHECKING:
    from cognid.service.report import Report, ServiceState

if sys.platform == "darwin":
    from cognid.service import launchd as manager
else:
    from cognid.service import systemd as manager

app = typer.Typer(help="Run the daemon as a service of this user.")

System = Annotated[
    bool,
    typer.Option("--system", help="The system unit cognid@NAME, for boxes without a login."),
]


@app.command()
def install(
    json_output: Json = False,
    system: System = False,
    print_only: Annotated[
        bool, typer.Option("--print", help="Only print the files; change nothing.")
    ] = False,
) -> None:
    """Install the service and start it. Asks for no password and never for root by itself."""
    with answering(json_output) as terminal:
        command = units.find_command()
        if print_only:
            for text in _files(command, system):
                sys.stdout.write(f"{text}\n")
        elif system:
            _show_report(terminal, systemd.install_system(command))
        else:
            _show_report(terminal, manager.install(command, find_places()))


@app.command()
def uninstall(json_output: Json = False, system: System = False) -> None:
    """Stop the service and remove its files. The memories stay."""
    with answering(json_output) as terminal:
        if system:
            _show_report(terminal, systemd.uninstall_system())
        else:
            _show_report(terminal, manager.uninstall(find_places()))


@app.command()
def status(json_output: Json = False) -> None:
    """Say how the service stands. The exit status is 1 where it does not listen."""
    with answering(json_output) as terminal:
        state = manager.status()
        if json_output:
            terminal.object(_plain(asdict(state)))
        else:
            _show_state(terminal, state)
        terminal.status = 0 if state.listening else 1


def _files(command: Path, system: bool) -> list[str]:
    """Give the files' texts; on macOS one XML document, else units with their paths above them."""
    if system:
        path = systemd.SYSTEM_FOLDER / units.SYSTEM_UNIT
        return [f"# {path}\n{units.system_unit(command)}"]
    if sys.platform == "darwin":
        return [units.launchd_agent(command, launchd.log_path())]
    filled = units.user_units(command, find_places())
    folder = systemd.user_folder()
    return [f"# {folder / name}\n{text}" for name, text in filled.items()]


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Turn paths into text, as JSON has it."""
    plain: dict[str, Any] = json.loads(json.dumps(value, default=str))
    return plain


def _show_report(terminal: Terminal, report: Report) -> None:
    if terminal.as_json:
        terminal.object(_plain(asdict(report)))
        return
    for path in report.files:
        terminal.line(f"file     {safe(str(path))}")
    for line in report.done:
        terminal.line(f"done     {safe(line)}")
    for line in report.notes:
        terminal.line(f"note     {safe(line)}")
    if report.undo:
        terminal.line(f"undo     {report.undo}")


def _show_state(terminal: Terminal, state: ServiceState) -> None:
    for unit in state.units:
        restarts = "" if unit.restarts is None else f", {unit.restarts} restarts"
        ended = f", last result {unit.result}" if unit.result not in {"success", "unknown"} else ""
        terminal.line(f"{unit.name:<16} {unit.active}, {unit.enabled}{restarts}{ended}")
        terminal.line(f"{'':<16} {safe(str(unit.path or 'not installed'))}")
    linger = {True: "yes", False: "no", None: "unknown"}[state.linger]
    terminal.line(f"{'linger':<16} {linger}")
    for line in state.notes:
        terminal.line(f"{'note':<16} {safe(line)}")
