"""Systemd: installs the units into the user's own manager, removes them, and says how they stand.

The socket is enabled, not the service: the first caller starts the daemon. Installing starts it
once, so that a service that cannot start here is known at once.

Owns: our files in `$XDG_CONFIG_HOME/systemd/user` (and, for root, one in /etc/systemd/system) and
the calls of systemctl and loginctl. May not touch the data, another unit, or ask for root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from cognid.paths import Places, make_folder, write_private
from cognid.protocol.errors import CognidError
from cognid.service import units
from cognid.service.report import Report, ServiceState, UnitState

_MANAGER: Final = "systemd --user"
SYSTEM_FOLDER: Final = Path("/etc/systemd/system")
_USER: Final = ("systemctl", "--user")
_SYSTEM: Final = ("systemctl",)
_CALL_SECONDS: Final = 90.0
"""Above the unit's TimeoutStartSec and TimeoutStopSec, which end a start or stop before it."""
_SANDBOX_STATUSES: Final = frozenset({217, 218, 225, 226})
"""USER, CAPABILITIES, NETWORK, NAMESPACE (systemd.exec(5)): the namespaces were refused."""
_HIDDEN: Final = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - only compared
"""What ProtectHome= and PrivateTmp= keep from a system unit."""
_CAUSES: Final = {
    73: "another daemon holds the data folder: stop it with `cognid stop`, then install again",
    77: "a credential, socket or folder is not safe: see the log",
    78: "the configuration, the key or a folder is wrong: see the log",
    203: "the program cannot be run (a folder under /tmp is hidden from the service)",
}


def user_folder() -> Path:
    """Where the user manager looks for the person's units."""
    named = os.environ.get("XDG_CONFIG_HOME")
    home = Path(named) if named and Path(named).is_absolute() else Path.home() / ".config"
    return home / "systemd" / "user"


def install(command: Path, places: Places) -> Report:
    """Write the units, enable the socket, start the service once.

    Raises:
        CognidError: `no_service_manager`; `already_running` where a daemon that was started by
            hand listens; `folder_unsafe`; `service_failed` where a step or the start fails (the
            units stay, so that the log can be read and the cause be mended).
    """
    _require_manager()
    folder = user_folder()
    # systemd would take the socket's path from under it, and `cognid stop` could not reach it.
    if _state(units.SOCKET_UNIT, folder).active != "active" and _answers(places.socket):
        raise CognidError("already_running", f"started by hand, it listens at {places.socket}")
    make_folder(places.data)
    make_folder(places.configuration)
    report = Report(undo="cognid service uninstall")
    for name, text in units.user_units(command, places).items():
        _write(folder / name, text, report)
    (folder / units.NO_NAMESPACES).unlink(missing_ok=True)  # tried again at each install
    _call(*_USER, "daemon-reload")
    _try(*_USER, "reset-failed", units.SOCKET_UNIT, units.SERVICE_UNIT)
    _call(*_USER, "enable", units.SOCKET_UNIT)
    # Restarted, not started: after an upgrade the old program must not go on.
    _try(*_USER, "stop", units.SERVICE_UNIT)
    _call(*_USER, "restart", units.SOCKET_UNIT)
    report.done.append(f"enabled {units.SOCKET_UNIT}: the first caller starts the daemon")
    _start(folder, report)
    linger = _linger()
    if linger is not True:
        report.notes.append(_linger_note(linger))
    return report


def _answers(path: Path) -> bool:
    """Whether somebody listens at a socket."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(1.0)
        try:
            caller.connect(str(path))
        except OSError:
            return False
    return True


def _start(folder: Path, report: Report) -> None:
    """Start the service once; without its mounts where the system refuses them."""
    if _try(*_USER, "start", units.SERVICE_UNIT).returncode != 0:
        if _state(units.SERVICE_UNIT, folder).exit_status not in _SANDBOX_STATUSES:
            raise _not_started(folder)
        _try(*_USER, "stop", units.SERVICE_UNIT)
        _write(folder / units.NO_NAMESPACES, units.no_namespaces(), report)
        _call(*_USER, "daemon-reload")
        _try(*_USER, "reset-failed", units.SOCKET_UNIT, units.SERVICE_UNIT)
        _call(*_USER, "restart", units.SOCKET_UNIT)
        if _try(*_USER, "start", units.SERVICE_UNIT).returncode != 0:
            raise _not_started(folder)
        report.notes.append(
            "This system lets users make no namespaces, so the service runs with a smaller "
            "sandbox: no network and no new privileges, but the rest of the home stays writable."
        )
    report.done.append(f"started {units.SERVICE_UNIT}: it runs")


def _not_started(folder: Path) -> CognidError:
    state = _state(units.SERVICE_UNIT, folder)
    status = state.exit_status or 0
    cause = _CAUSES.get(status, "see the log")
    detail = f"{units.SERVICE_UNIT} does not start ({state.result}, status {status}): {cause}"
    return CognidError("service_failed", detail)


def uninstall(places: Places) -> Report:
    """Stop and disable the units and remove their files; the data stays.

    Where no manager answers the files are removed all the same.
    """
    folder = user_folder()
    report = Report()
    written = (units.SOCKET_UNIT, units.SERVICE_UNIT, units.NO_NAMESPACES)
    present = [folder / name for name in written if (folder / name).exists()]
    reachable = _unreachable() is None
    if present and reachable:
        # The socket first: a caller would start the service again.
        _try(*_USER, "disable", "--now", units.SOCKET_UNIT)
        _try(*_USER, "stop", units.SERVICE_UNIT)
        if _state(units.SERVICE_UNIT, folder).active in {"active", "deactivating"}:
            report.notes.append(
                f"{units.SERVICE_UNIT} could not be stopped: it runs on until you log out. "
                "End it: cognid stop"
            )
        else:
            report.done.append(f"stopped and disabled {units.SOCKET_UNIT} and {units.SERVICE_UNIT}")
    for path in present:
        path.unlink()
        report.files.append(path)
    drop_ins = (folder / units.NO_NAMESPACES).parent
    if drop_ins.is_dir() and not any(drop_ins.iterdir()):
        drop_ins.rmdir()
    if present and reachable:
        _call(*_USER, "daemon-reload")
        _try(*_USER, "reset-failed", units.SOCKET_UNIT, units.SERVICE_UNIT)
    report.done.append(
        f"removed {len(present)} files" if present else "nothing was installed; nothing done"
    )
    report.notes.append(
        f"The memories were left alone. They lie in {places.data}, their settings and credentials "
        f"in {places.configuration}; delete these two folders to be rid of them for good."
    )
    return report


def status() -> ServiceState:
    """Say how the units stand.

    Raises:
        CognidError: `no_service_manager`.
    """
    _require_manager()
    folder = user_folder()
    found = tuple(_state(name, folder) for name in (units.SOCKET_UNIT, units.SERVICE_UNIT))
    linger = _linger()
    notes: list[str] = []
    if all(unit.path is None for unit in found):
        notes.append("Not installed. Install it: cognid service install")
    elif linger is not True:
        notes.append(_linger_note(linger))
    if any(unit.active == "failed" for unit in found):
        notes.append(
            "It stopped after failing. Read why: journalctl --user -u cognid. Then: "
            "cognid service install (or systemctl --user reset-failed and start the socket)."
        )
    if (folder / units.NO_NAMESPACES).exists():
        notes.append("The sandbox is smaller here: the system lets users make no namespaces.")
    return ServiceState(_MANAGER, found[0].active == "active", found, linger, tuple(notes))


def install_system(command: Path) -> Report:
    """Write the template unit of the system manager; the person enables an instance of it.

    Raises:
        CognidError: `service_failed` without root, or where the program lies in a home, which the
            unit hides from the service.
    """
    if os.geteuid() != 0:
        raise CognidError("service_failed", "a system unit can be written by root only")
    for path in (command.resolve(), Path(sys.base_prefix)):
        hidden = [folder for folder in _HIDDEN if path.is_relative_to(folder)]
        if hidden:
            detail = f"{path} lies in {hidden[0]}, which the unit hides: install below /opt or /usr"
            raise CognidError("service_failed", detail)
    report = Report(undo="cognid service uninstall --system")
    _write(SYSTEM_FOLDER / units.SYSTEM_UNIT, units.system_unit(command), report)
    _try(*_SYSTEM, "daemon-reload")
    report.notes.append("Now, for each user: systemctl enable --now cognid@NAME.service")
    return report


def uninstall_system() -> Report:
    """Remove the template unit of the system manager.

    Raises:
        CognidError: `service_failed` without root.
    """
    if os.geteuid() != 0:
        raise CognidError("service_failed", "a system unit can be removed by root only")
    report = Report()
    path = SYSTEM_FOLDER / units.SYSTEM_UNIT
    if path.exists():
        wanted = SYSTEM_FOLDER.glob(f"*.wants/{units.SYSTEM_UNIT.replace('@', '@*')}")
        _try(*_SYSTEM, "disable", *{link.name for link in wanted})
        _try(*_SYSTEM, "stop", units.SYSTEM_UNIT.replace("@", "@*"))
        report.done.append(f"stopped and disabled every instance of {units.SYSTEM_UNIT}")
        path.unlink()
        report.files.append(path)
        _try(*_SYSTEM, "daemon-reload")
    report.notes.append("The memories were left alone: /var/lib/cognid-NAME.")
    return report


def _write(path: Path, text: str, report: Report) -> None:
    """Write a unit whole or not at all: a disk that is full leaves an older one as it is."""
    if path.is_symlink() and path.resolve() == Path(os.devnull):
        # Written through, root's chmod would take /dev/null from everybody else.
        raise CognidError("service_failed", f"{path} is masked: unmask it, then install again")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.resolve()  # a person may keep it elsewhere, behind a link
        write_private(file, text.encode("utf-8"))
        file.chmod(0o644)
    except OSError as error:
        raise CognidError("service_failed", f"{path}: {error.strerror}") from None
    report.files.append(path)


def _require_manager() -> None:
    reason = _unreachable()
    if reason:
        raise CognidError("no_service_manager", reason)


def _unreachable() -> str | None:
    if shutil.which("systemctl") is None:
        return "this system has no systemd"
    answer = _try(*_USER, "is-system-running").stdout.strip()
    # Anything else ("degraded", "starting", …) comes from a manager that answers.
    if answer in {"", "offline", "unknown"}:
        return "no systemd user manager answers (is XDG_RUNTIME_DIR set, is this a login?)"
    return None


def _state(name: str, folder: Path) -> UnitState:
    wanted = ("ActiveState", "UnitFileState", "Result", "NRestarts", "ExecMainStatus")
    shown = _try(*_USER, "show", name, f"--property={','.join(wanted)}").stdout
    values = dict(line.partition("=")[::2] for line in shown.splitlines())
    path = folder / name
    return UnitState(
        name=name,
        path=path if path.exists() else None,
        active=values.get("ActiveState", "unknown"),
        enabled=values.get("UnitFileState") or "not-found",
        result=values.get("Result", "unknown"),
        restarts=_number(values.get("NRestarts")),
        exit_status=_number(values.get("ExecMainStatus")),
    )


def _number(word: str | None) -> int | None:
    return int(word) if word and word.isdigit() else None


def _account() -> str:
    return pwd.getpwuid(os.getuid()).pw_name


def _linger() -> bool | None:
    """Whether the user's manager outlives the logins; None where it cannot be asked."""
    if shutil.which("loginctl") is None:
        return None
    asked = _try("loginctl", "show-user", _account(), "--property=Linger", "--value")
    word = asked.stdout.strip()
    if asked.returncode == 0 and word in {"yes", "no"}:
        return word == "yes"
    # logind knows nobody who is neither logged in nor lingering.
    return False if "not logged in or lingering" in asked.stderr else None


def _linger_note(linger: bool | None) -> str:
    doubt = "" if linger is False else " (whether it does here could not be found out)"
    return (
        f"The service ends with your last logout and does not start at boot{doubt}. To have it "
        f"always, let your services linger: loginctl enable-linger {_account()}"
    )


def _call(*argv: str) -> None:
    done = _try(*argv)
    if done.returncode != 0:
        # systemctl's words name units and paths only.
        words = done.stderr.strip().splitlines()
        detail = f"{' '.join(argv)}: {words[0] if words else f'status {done.returncode}'}"
        raise CognidError("service_failed", detail)


def _try(*argv: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - our own words and unit names, no shell
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CognidError("service_failed", f"{' '.join(argv)}: no answer") from None
