"""Starting: a daemon for a caller that finds none.

`cognid serve` is started apart from its caller: a session of its own, no terminal, no socket or
variable of the caller but those that the daemon reads. It lives on when the caller ends, and
`cognid stop` ends it. What it says goes into `started.log` in its data folder, the last start's
only.

However many callers find none, one of them starts it, and the others wait: a lock file in the data
folder keeps them from starting twenty processes. It is a courtesy; who may run is decided by the
daemon's own lock of the data, and what loses that is no fault here. Where anyone listens at the
socket, a service manager for example, nothing is started at all.

Owns: the decision to start, the process's environment, and the wait. May not speak the protocol.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cognid.credentials import VARIABLE, credential_path
from cognid.paths import SOCKET_VARIABLE, Places, find_places, make_folder, short_enough
from cognid.protocol.errors import ERRORS, CognidError

START_SECONDS: Final = 20.0
"""For a start on a busy machine; an idle one needs less than half a second."""
_LOOK_SECONDS: Final = 0.02
_LOSER_SECONDS: Final = 5.0
"""How long another daemon that holds the data may take until it listens at our socket."""
_HELD: Final = ERRORS["already_running"].exit
_PARTS: Final = ("cognid_daemon", "cognid_models", "sqlcipher3", "aiosqlite", "onnxruntime")
"""What the extra `daemon` brings; without any of these the daemon cannot run."""
_CARRIED: Final = re.compile(
    "HOME|USER|LOGNAME|PATH|TMPDIR|TZ|LANG|LANGUAGE|LC_.*|XDG_.*|COGNID_.*|PYTHON.*|VIRTUAL_ENV"
    "|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DBUS_SESSION_BUS_ADDRESS"
)
"""Variables that a daemon needs. A caller's environment may hold keys and tokens, and the sockets
that its own service manager gave it."""
_CODE: Final = re.compile(r' not_started code=(\w+) detail=("(?:[^"\\]|\\.)*"|\S*)')


@dataclass(frozen=True, slots=True)
class Home:
    """Where a daemon's files lie, and what its environment says beyond the caller's.

    `named`: the caller named the socket or the credential, so that it means a daemon that somebody
    runs; none is started in its place.
    """

    places: Places
    credential: Path
    named: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)


def find_home(data_dir: Path | str | None = None, socket: Path | str | None = None) -> Home:
    """Work out which daemon a caller means; nothing is made or checked.

    Args:
        data_dir: a folder for a daemon of its own: data, configuration and socket below it.
        socket: the socket of a daemon that runs.

    Raises:
        CognidError: `socket_path_too_long`.
    """
    if data_dir is None:
        places = find_places()
        named = os.environ.get(VARIABLE)
        credential = Path(named) if named else credential_path(places)
        if socket is not None:
            places = Places(places.data, places.configuration, Path(socket))
        return Home(places, credential, named=bool(named or socket is not None))
    folder = Path(data_dir).expanduser().absolute()
    listening = short_enough(folder / "run/cognid/bridge.sock")
    places = Places(
        folder / "data/cognid",
        folder / "config/cognid",
        listening if socket is None else Path(socket),
    )
    variables = {
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        SOCKET_VARIABLE: str(listening),
    }
    return Home(places, credential_path(places), named=socket is not None, variables=variables)


async def have_daemon(home: Home, *, seconds: float = START_SECONDS) -> None:
    """Return when a daemon listens and its credential is there; start it where none does.

    Raises:
        CognidError: `unreachable` where none is to be or can be started, with a remedy that says
            how; `deadline_exceeded` after so many seconds; `already_running` where a daemon holds
            the data and listens elsewhere; `folder_unsafe`; and what the daemon itself gave as the
            reason why it did not start.
    """
    if home.named:
        if not _listens(home.places.socket):
            raise CognidError("unreachable", f"no daemon listens at {home.places.socket}")
        return
    until = _now() + seconds
    while not _is_up(home):
        if not _listens(home.places.socket):
            _require_parts(home)
            make_folder(home.places.data)
            try:
                with _starting(home.places.data) as ours:
                    # Asked once more: whoever had the lock before may have started it.
                    if ours and not _listens(home.places.socket):
                        await _start(home, until)
                        continue
            except OSError as error:  # a full disk, no process left
                detail = f"no daemon can be started: {error.filename or 'it'}: {error.strerror}"
                raise CognidError("unreachable", detail) from None
        if _now() > until:
            raise CognidError("deadline_exceeded", f"no daemon at {home.places.socket} in time")
        await asyncio.sleep(_LOOK_SECONDS)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _is_up(home: Home) -> bool:
    # A first start makes the credential before the socket; a socket that a service manager holds
    # is there before the first start, and this very look makes the manager start it.
    return _listens(home.places.socket) and home.credential.exists()


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except BlockingIOError:
            return True  # its backlog is full
        except OSError:
            return False
    return True


def _require_parts(home: Home) -> None:
    missing = [part for part in _PARTS if importlib.util.find_spec(part) is None]
    if missing:
        raise CognidError(
            "unreachable",
            f"no daemon listens at {home.places.socket}, and the daemon's parts are not installed"
            f" ({missing[0]} is missing)",
            remedy="Install them: pip install 'cognid[daemon]'. Then this starts the daemon by"
            " itself; or run it: `cognid serve`, or as a service: `cognid service install`.",
        )


@contextmanager
def _starting(data: Path) -> Iterator[bool]:
    """Hold the right to start, if it is free; the kernel takes it back from who dies with it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(data / "starting", flags, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


async def _start(home: Home, until: float) -> None:
    """Start the daemon and wait until it is up."""
    log = home.places.data / "started.log"
    process = _spawn(home, log)
    while not _is_up(home):
        if process.returncode == _HELD:
            # Another one holds the data: started by hand this very moment, or for another socket.
            until = min(until, _now() + _LOSER_SECONDS)
            while not _is_up(home):
                if _now() > until:
                    raise _reason(log, process.returncode)
                await asyncio.sleep(_LOOK_SECONDS)
        elif process.returncode is not None:
            raise _reason(log, process.returncode)
        if _now() > until:
            raise CognidError("deadline_exceeded", f"no daemon at {home.places.socket} in time")
        await asyncio.sleep(_LOOK_SECONDS)


def _spawn(home: Home, log: Path) -> subprocess.Popen[bytes]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(log, flags, 0o600)
    try:
        process = subprocess.Popen(
            # What `cognid serve` runs. -P: no module of the caller's folder takes part.
            [sys.executable, "-P", "-m", "cognid_daemon"],
            env=_environment(os.environ, home.variables),
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd="/",
            start_new_session=True,
        )
    finally:
        os.close(descriptor)
    # Takes its exit status whenever that comes, so that a long-lived caller keeps no dead child.
    threading.Thread(target=process.wait, name="cognid started", daemon=True).start()
    return process


def _environment(caller: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    carried = {name: value for name, value in caller.items() if _CARRIED.fullmatch(name)}
    return {**carried, **variables}


def _reason(log: Path, status: int) -> CognidError:
    """Why the daemon did not start, as it said itself."""
    told = _CODE.search(log.read_text("utf-8", "replace"))
    if told is None or told[1] not in ERRORS:
        return CognidError("unreachable", f"the daemon ended with status {status}: see {log}")
    detail = re.sub(r"\\(.)", r"\1", told[2].strip('"'))
    return CognidError(told[1], detail)
