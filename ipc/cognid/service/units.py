"""Units: the service managers' files, made from the templates of `packaging/`.

The wheel carries the templates inside this package; a checkout reads them where they lie.

Owns: the templates, their placeholders and each format's quoting. May not write a file or run
a program.
"""

from __future__ import annotations

import html
import importlib.util
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Final

from cognid.paths import SOCKET_VARIABLE, Places
from cognid.protocol.errors import CognidError

SOCKET_UNIT: Final = "cognid.socket"
SERVICE_UNIT: Final = "cognid.service"
NO_NAMESPACES: Final = "cognid.service.d/no-namespaces.conf"
SYSTEM_UNIT: Final = "cognid@.service"
LAUNCHD_LABEL: Final = "ai.cognid.daemon"
_CARRIED: Final = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", SOCKET_VARIABLE)
"""What moves our folders: the service must see what the person's programs see."""
_PLACEHOLDER: Final = re.compile(r"@[A-Z_]+@")


def find_command() -> Path:
    """Give the absolute path of the installed `cognid`, as it was called.

    A link is kept as it is: an upgrade turns the link, and the unit goes on working.

    Raises:
        CognidError: `service_failed` where there is none, or without the daemon's parts.
    """
    called = Path(sys.argv[0])
    beside = Path(sysconfig.get_path("scripts")) / "cognid"
    on_path = shutil.which("cognid")
    for candidate in (called, beside, *([Path(on_path)] if on_path else [])):
        path = candidate.absolute()
        if path.name == "cognid" and os.access(path, os.X_OK):
            break
    else:
        raise CognidError("service_failed", "the installed program `cognid` was not found")
    if importlib.util.find_spec("sqlcipher3") is None:
        raise CognidError(
            "service_failed", "the daemon's parts are not installed: install 'cognid[daemon]'"
        )
    return path


def user_units(command: Path, places: Places) -> dict[str, str]:
    """Fill the units of systemd's user manager: file name → text."""
    values = {
        "COGNID": _word(command),
        "SOCKET": _specifier(places.socket),
        "DATA": _word(f"-{places.data}"),  # "-": a missing folder is the daemon's to name
        "CONFIGURATION": _word(f"-{places.configuration}"),
        "ENVIRONMENT": "\n".join(
            f"Environment={_quoted(f'{name}={value}')}" for name, value in _carried().items()
        ),
    }
    return {name: _fill(f"systemd/user/{name}", values) for name in (SOCKET_UNIT, SERVICE_UNIT)}


def no_namespaces() -> str:
    """Give the drop-in for systems that let users make no namespaces."""
    return _template(f"systemd/user/{NO_NAMESPACES}")


def system_unit(command: Path) -> str:
    """Fill the template unit of the system manager."""
    return _fill(f"systemd/system/{SYSTEM_UNIT}", {"COGNID": _word(command)})


def launchd_agent(command: Path, log: Path) -> str:
    """Fill the property list of launchd's agent."""
    values = {
        "COGNID": html.escape(str(command), quote=False),
        "LOG": html.escape(str(log), quote=False),
        "ENVIRONMENT": "\n".join(
            f"    <key>{name}</key>\n    <string>{html.escape(value, quote=False)}</string>"
            for name, value in _carried().items()
        ),
    }
    return _fill(f"launchd/{LAUNCHD_LABEL}.plist", values)


def _carried() -> dict[str, str]:
    return {name: os.environ[name] for name in _CARRIED if os.environ.get(name)}


def _template(name: str) -> str:
    installed = resources.files(__package__) / "units"
    checkout = Path(__file__).parents[3] / "packaging"
    return ((installed if installed.is_dir() else checkout) / name).read_text("utf-8")


def _fill(name: str, values: Mapping[str, str]) -> str:
    """Put values into a template; a line whose placeholder has an empty value goes away."""
    lines: list[str] = []
    for line in _template(name).splitlines():
        wanted = _PLACEHOLDER.fullmatch(line.strip())
        if wanted and not values[wanted[0].strip("@")]:
            continue
        lines.append(_PLACEHOLDER.sub(lambda found: values[found[0].strip("@")], line))
    return "\n".join(lines) + "\n"


def _specifier(value: Path | str) -> str:
    """Keep `%` from being taken for a specifier (systemd.unit(5)); a line break has no form."""
    text = str(value)
    if not text.isprintable():
        raise CognidError("service_failed", "a path or variable with control characters")
    return text.replace("%", "%%")


def _quoted(value: Path | str) -> str:
    text = _specifier(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _word(value: Path | str) -> str:
    """Quote one of several words, only where it must be, so that the usual unit reads well.

    A `$` in the path of a program means itself; in what follows it it would begin a variable
    (systemd.service(5); 252 takes `$$` in the path for two of them).
    """
    text = _specifier(value)
    return text if re.fullmatch(r"[\w@%+=:,./-]+", text) else _quoted(value)
