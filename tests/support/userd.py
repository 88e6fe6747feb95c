"""A real `systemd --user` of an ordinary user, in namespaces of its own.

The file has two faces. Imported, it gives `UserManager` to the tests. Run as a program (as process
1 of fresh mount and process namespaces) it is the *stage*: it lays out /run, /home, the control
groups and a passwd entry, makes the folders named on its command line reachable for the user,
starts the manager, and takes everything down when its standard input closes.

Owns: the namespaces and what runs in them. May not touch anything outside them but one folder of
the control group tree, which it removes again. Needs root; `missing()` says what else.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

UID: Final = 64321
"""No account's, and not 65534: in a user namespace root's files look like 65534's."""
NAME: Final = "tester"
HOME: Final = Path("/home") / NAME
RUNTIME: Final = Path("/run/user") / str(UID)
PATH: Final = "/usr/local/bin:/usr/bin:/bin"
MANAGER: Final = Path("/lib/systemd/systemd")
START_SECONDS: Final = 15.0


def missing() -> str | None:
    """Say why no user manager can be started here, or None where it can."""
    if sys.platform != "linux":
        return "systemd runs on Linux only"
    if os.geteuid() != 0:
        return "needs root, to set up a namespace for another user"
    if not MANAGER.exists():
        return "systemd is not installed"
    absent = [tool for tool in ("unshare", "nsenter", "setpriv", "systemctl", "mount")
              if shutil.which(tool) is None]  # fmt: skip
    if absent:
        return f"not installed: {', '.join(absent)}"
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "cgroup2", "none", "/run"],
        capture_output=True,
        timeout=10,
    )
    return None if tried.returncode == 0 else "namespaces or control groups cannot be mounted here"


@dataclass(frozen=True, slots=True)
class UserManager:
    """The running manager; every call acts as the user, inside the namespaces."""

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
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as the user and give what it printed."""
        done = subprocess.run(
            self._command(argv),
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=_environment() | dict(environment or {}),
        )
        if check and done.returncode != 0:
            words = " ".join(map(str, argv))
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def as_root(self, *argv: str) -> None:
        """Run a program as root, inside the namespaces."""
        entered = ["nsenter", f"--target={self.process}", "--mount", "--pid", "--wd=/"]
        subprocess.run([*entered, *argv], check=True, capture_output=True, timeout=20)

    def _command(self, argv: Sequence[str | Path]) -> list[str]:
        entered = ["nsenter", f"--target={self.process}", "--mount", "--pid", "--wd=/"]
        return [*entered, *_as_user(), *map(str, argv)]

    def systemctl(self, *words: str, check: bool = True) -> str:
        """Run `systemctl --user` and give what it printed."""
        return self.run(["systemctl", "--user", *words], check=check).stdout.strip()

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
        lines = self.run(["cat", f"/proc/{self.main_process(unit)}/status"]).stdout.splitlines()
        return next(line.split()[1] for line in lines if line.startswith(f"{field}:"))

    def read(self, path: Path) -> str:
        """Read a file as the user."""
        return self.run(["cat", path]).stdout

    def write(self, path: Path, content: str) -> None:
        """Write a file as the user, making its folder."""
        self.run(["mkdir", "-p", path.parent])
        self.run(["tee", path], text=content)

    def wait_until(self, condition: Callable[[], bool], seconds: float, what: str) -> float:
        """Wait for a condition; give the seconds it took."""
        began = time.monotonic()
        while not condition():
            assert time.monotonic() - began < seconds, f"not within {seconds} s: {what}"
            time.sleep(0.05)
        return time.monotonic() - began


@contextlib.contextmanager
def user_manager(visible: Sequence[Path], log: Path) -> Iterator[UserManager]:
    """Start the manager; `visible` are folders the user must reach, `log` takes all it prints."""
    namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with log.open("wb") as out:
        stage = subprocess.Popen(
            ["unshare", *namespaces, sys.executable, "-I", __file__, *map(str, visible)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            env={"PATH": os.environ.get("PATH", PATH)},
        )
    try:
        manager = UserManager(_child(stage))
        manager.wait_until(
            lambda: _running(manager, stage), START_SECONDS, f"systemd --user\n{log.read_text()}"
        )
        yield manager
    finally:
        assert stage.stdin is not None
        stage.stdin.close()
        try:
            stage.wait(timeout=10)
        except subprocess.TimeoutExpired:
            stage.kill()  # --kill-child takes process 1 along, and that the rest
            stage.wait()


def _child(stage: subprocess.Popen[bytes]) -> int:
    """Give the process that unshare forked, by its number outside."""
    children = Path(f"/proc/{stage.pid}/task/{stage.pid}/children")
    for _ in range(200):
        found = children.read_text().split() if stage.poll() is None else []
        if found:
            return int(found[0])
        time.sleep(0.02)
    raise AssertionError("the stage did not start")


def _running(manager: UserManager, stage: subprocess.Popen[bytes]) -> bool:
    assert stage.poll() is None, "the stage ended"
    state = manager.systemctl("is-system-running", check=False)
    return state in {"running", "degraded"}


def _environment() -> dict[str, str]:
    return {
        "HOME": str(HOME),
        "USER": NAME,
        "LOGNAME": NAME,
        "PATH": PATH,
        "XDG_RUNTIME_DIR": str(RUNTIME),
        "LC_ALL": "C.UTF-8",
    }


def _as_user() -> list[str]:
    return ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--"]


# The stage: from here on inside the namespaces, as root and process 1.


def _stage(visible: Sequence[Path]) -> None:
    """Lay out the namespaces, run the manager until standard input closes, take all down."""
    _mount("--make-rprivate", "/")
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    _reveal(visible)
    Path("/run/systemd/system").mkdir(parents=True)  # sd_booted(3) looks for it
    Path("/run/systemd/unit-root").mkdir(mode=0o755)  # made by process 1; services pivot into it
    _own(RUNTIME)
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/home")
    _own(HOME)
    Path("/run/passwd").write_text(
        Path("/etc/passwd").read_text() + f"{NAME}:x:{UID}:{UID}:{NAME}:{HOME}:/bin/sh\n"
    )
    _mount("--bind", "/run/passwd", "/etc/passwd")
    _mount("-t", "tmpfs", "tmpfs", "/sys/fs/cgroup")
    _mount("-t", "cgroup2", "none", "/sys/fs/cgroup")
    group = Path("/sys/fs/cgroup") / f"cognid-test-{time.time_ns()}"
    group.mkdir()
    for path in (group, *group.iterdir()):
        os.chown(path, UID, UID)
    command = [*_as_user(), str(MANAGER), "--user"]
    manager = subprocess.Popen(
        ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group), *command],
        stdin=subprocess.DEVNULL,
        env=_environment(),
    )
    while os.read(0, 4096):
        pass
    manager.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        manager.wait(timeout=5)
    (group / "cgroup.kill").write_text("1")
    for _ in range(100):
        with contextlib.suppress(OSError):
            for folder in sorted(group.rglob("*/"), reverse=True):
                folder.rmdir()
            group.rmdir()
            return
        time.sleep(0.02)


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
        _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", str(folder))
    for path, copy in kept:
        path.mkdir(parents=True, exist_ok=True)
        _mount("--bind", str(copy), str(path))


def _own(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    os.chown(folder, UID, UID)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


if __name__ == "__main__":
    _stage([Path(word) for word in sys.argv[1:]])
