"""A real systemd, of an ordinary user or of the system, in namespaces of its own.

The file has two faces. Imported, it gives the tests a `ServiceManager`. Run as a program, as
process 1 of fresh namespaces, it is the *stage*: it lays out /run, /home, /opt, the control groups
and an account, makes the folders named on its command line reachable for that account, and runs
systemd: the user's as a child, the system's in its own place as process 1.

Owns: the namespaces and what runs in them. May not touch anything outside them but one folder of
the control group tree, which it removes again. Needs root; `missing()` says what else.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Scope = Literal["user", "system"]

UID: Final = 64321
"""No account's, and not 65534: in a user namespace root's files look like 65534's."""
NAME: Final = "tester"
HOME: Final = Path("/home") / NAME
RUNTIME: Final = Path("/run/user") / str(UID)
SYSTEM_UNITS: Final = Path("/run/units")
"""The only units that the system's manager sees: nothing of this machine's starts."""
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_SYSTEMD: Final = Path("/lib/systemd/systemd")
_GROUPS: Final = Path("/sys/fs/cgroup")
_START_SECONDS: Final = 20.0


def missing() -> str | None:
    """Say why no service manager can be started here, or None where it can."""
    if sys.platform != "linux":
        return "systemd runs on Linux only"
    if os.geteuid() != 0:
        return "needs root, to set up namespaces for another user"
    if not _SYSTEMD.exists():
        return "systemd is not installed"
    tools = ("unshare", "nsenter", "setpriv", "systemctl", "mount", "find")
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    mounting = ["mount", "-t", "cgroup2", "none", "/run"]
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--cgroup", "--fork", *mounting],
        capture_output=True,
        timeout=10,
    )
    return None if tried.returncode == 0 else "namespaces or control groups cannot be mounted here"


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """A running systemd and the ordinary account beside it."""

    scope: Scope
    process: int
    """Process 1 of the namespaces, by its number outside."""

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        check: bool = True,
        text: str | None = None,
        timeout: float = 20,
        environment: Mapping[str, str] | None = None,
        as_root: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program inside, as the ordinary user or as root, and give what it printed."""
        entered = ["nsenter", f"--target={self.process}", "--mount", "--pid", "--cgroup", "--wd=/"]
        who = [] if as_root else _as_user()
        variables = {"PATH": _PATH} if as_root else _environment()
        done = subprocess.run(
            [*entered, *who, *map(str, argv)],
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=variables | dict(environment or {}),
        )
        if check and done.returncode != 0:
            words = " ".join(map(str, argv))
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def systemctl(self, *words: str, check: bool = True) -> str:
        """Run `systemctl` against this manager and give what it printed."""
        system = self.scope == "system"
        command = ["systemctl"] if system else ["systemctl", "--user"]
        return self.run([*command, *words], check=check, as_root=system).stdout.strip()

    def show(self, unit: str, name: str) -> str:
        """Give one property of a unit."""
        return self.systemctl("show", unit, f"--property={name}", "--value")

    def main_process(self, unit: str) -> int:
        """Give the unit's main process, by its number inside; never 0.

        `kill 0` would end the caller's own process group.
        """
        number = int(self.show(unit, "MainPID"))
        assert number > 1, f"{unit} has no main process"
        return number

    def status(self, unit: str, field: str) -> str:
        """Give a field of /proc/PID/status of the unit's main process."""
        lines = self.read(Path(f"/proc/{self.main_process(unit)}/status")).splitlines()
        return next(line.split()[1] for line in lines if line.startswith(f"{field}:"))

    def read(self, path: Path) -> str:
        """Read a file as the user."""
        return self.run(["cat", path]).stdout

    def write(self, path: Path, content: str, *, as_root: bool = False) -> None:
        """Write a file, making its folder."""
        self.run(["mkdir", "-p", path.parent], as_root=as_root)
        self.run(["tee", path], text=content, as_root=as_root)

    def wait_until(self, condition: Callable[[], bool], seconds: float, what: str) -> float:
        """Wait for a condition; give the seconds it took."""
        began = time.monotonic()
        while not condition():
            assert time.monotonic() - began < seconds, f"not within {seconds} s: {what}"
            time.sleep(0.05)
        return time.monotonic() - began


@contextlib.contextmanager
def service_manager(scope: Scope, visible: Sequence[Path], log: Path) -> Iterator[ServiceManager]:
    """Start systemd; `visible` are folders the user must reach, `log` takes all it prints."""
    group = f"cognid-test-{os.getpid()}-{time.time_ns()}"
    fresh = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]
    stage = [sys.executable, "-I", __file__, scope, group, *map(str, visible)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["unshare", *fresh, *stage],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={"PATH": os.environ.get("PATH", _PATH)},
        )
    try:
        manager = ServiceManager(scope, _child(process))

        def running() -> bool:
            assert process.poll() is None, f"the stage ended:\n{log.read_text()}"
            return manager.systemctl("is-system-running", check=False) in {"running", "degraded"}

        manager.wait_until(running, _START_SECONDS, "systemd runs")
        yield manager
    finally:
        process.kill()  # --kill-child takes process 1 along, and that everything inside
        process.wait()
        _remove(group)


def _child(process: subprocess.Popen[bytes]) -> int:
    """Give the process that unshare forked, by its number outside."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(500):
        found = children.read_text().split() if process.poll() is None else []
        if found:
            return int(found[0])
        time.sleep(0.02)
    raise AssertionError("the stage did not start")


def _remove(group: str) -> None:
    """Remove the control group, once the kernel has seen the last of its processes off."""
    removal = (
        'mount -t cgroup2 none "$0" || exit; test -d "$0/$1" || exit 0; '
        'for i in 1 2 3 4 5 6 7 8 9; do find "$0/$1" -depth -type d -exec rmdir {} + && exit; '
        "sleep 0.1; done"
    )
    subprocess.run(
        ["unshare", "--mount", "sh", "-c", removal, str(_GROUPS), group],
        capture_output=True,
        timeout=20,
    )


def _environment() -> dict[str, str]:
    return {
        "HOME": str(HOME),
        "USER": NAME,
        "LOGNAME": NAME,
        "PATH": _PATH,
        "XDG_RUNTIME_DIR": str(RUNTIME),
        "LC_ALL": "C.UTF-8",
    }


def _as_user() -> list[str]:
    return ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--"]


# The stage: from here on inside the namespaces, as root and process 1.


def _stage(scope: str, group: str, visible: Sequence[Path]) -> None:
    """Lay out the namespaces and run systemd in them."""
    _mount("--make-rprivate", "/")
    _tmpfs("/run")
    _reveal(visible)
    Path("/run/systemd/system").mkdir(parents=True)  # sd_booted(3) looks for it
    # Both made at boot, by the system's manager: services pivot into one and hide the other.
    Path("/run/systemd/unit-root").mkdir()
    Path("/run/credentials").mkdir()
    _tmpfs("/home")
    _tmpfs("/opt")
    _own(HOME)
    for name, line in (("passwd", f"{UID}:{UID}::{HOME}:/bin/sh"), ("group", f"{UID}:")):
        known = Path(f"/etc/{name}").read_text()
        Path(f"/run/{name}").write_text(f"{known}{NAME}:x:{line}\n")
        _mount("--bind", f"/run/{name}", f"/etc/{name}")
    _tmpfs(str(_GROUPS))
    _mount("-t", "cgroup2", "none", str(_GROUPS))
    own = _GROUPS / group
    own.mkdir()
    if scope == "user":
        _own(RUNTIME)
        for path in (own, *own.iterdir()):
            os.chown(path, UID, UID)
        joined = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(own)]
        subprocess.run([*joined, *_as_user(), str(_SYSTEMD), "--user"], env=_environment())
        return
    (own / "cgroup.procs").write_text("1")
    _mount("--make-rshared", "/")  # among services only, as at boot: credentials need it
    _tmpfs("/var/lib")
    _tmpfs("/etc/systemd")
    SYSTEM_UNITS.mkdir()
    for target in ("basic", "sysinit", "shutdown", "multi-user"):
        (SYSTEM_UNITS / f"{target}.target").write_text("[Unit]\nDefaultDependencies=no\n")
    paths = f"/etc/systemd/system:{SYSTEM_UNITS}"
    variables = {"PATH": _PATH, "container": "test", "SYSTEMD_UNIT_PATH": paths}
    # Mounted anew inside a namespace of its own, so that its root is our group and nothing more.
    inside = f'umount {_GROUPS} && mount -t cgroup2 none {_GROUPS} && exec "$0" "$@"'
    systemd = [str(_SYSTEMD), "--system", "--unit=basic.target", "--show-status=no"]
    words = ["unshare", "--cgroup", "sh", "-c", inside, *systemd, "--log-target=null"]
    os.execvpe(words[0], words, variables)  # noqa: S606 - a fixed program


def _reveal(visible: Sequence[Path]) -> None:
    """Make folders reachable that lie below a closed one, such as a Python under /root."""
    stash = Path("/run/stash")
    stash.mkdir(mode=0o700)
    kept: list[tuple[Path, Path]] = []
    closed: set[Path] = set()
    for number, path in enumerate(visible):
        above = [p for p in path.parents if not p.stat().st_mode & stat.S_IXOTH]
        if above:
            copy = stash / str(number)
            copy.mkdir()
            _mount("--bind", str(path), str(copy))
            kept.append((path, copy))
            closed.add(above[-1])
    for folder in sorted(closed):
        _tmpfs(str(folder))
    for path, copy in kept:
        path.mkdir(parents=True, exist_ok=True)
        _mount("--bind", str(copy), str(path))


def _own(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    os.chown(folder, UID, UID)


def _tmpfs(folder: str) -> None:
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


if __name__ == "__main__":
    _stage(sys.argv[1], sys.argv[2], [Path(word) for word in sys.argv[3:]])
