"""A daemon process of its own in a home of its own, for measuring and showing.

Owns: the scratch home (removed at the end), the environment that keeps everything inside it, and
the process. Talks to it as any client does.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

from cognid.client import AsyncClient
from cognid.credentials import credential_path
from cognid.paths import Places, find_places
from cognid.protocol.errors import CognidError

_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 0.002
_LOG_TAIL: Final = 2000
_LEFT_OUT: Final = {
    "COGNID_SOCKET",  # this and the next two would lead out of the scratch home
    "COGNID_CREDENTIAL",
    "CREDENTIALS_DIRECTORY",
    "LISTEN_FDS",  # these are meant for whoever started us
    "LISTEN_PID",
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "PYTHONDONTWRITEBYTECODE",  # every start would compile the daemon anew
}


class DaemonError(Exception):
    """The daemon did not start, or ended by itself; holds the end of its log."""


@contextmanager
def scratch_home() -> Iterator[Path]:
    """A temporary home that is removed at the end; TMPDIR says on which disk."""
    # A short name: the socket's path has a limit of about a hundred bytes.
    home = Path(tempfile.mkdtemp(prefix="cognid-"))
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


class ScratchDaemon:
    """A `cognid serve` in a scratch home; may be started and stopped again and again.

    Args:
        home: everything of the daemon lies here.
        extra: more variables of its environment.
        command: what starts it instead of `cognid serve`.
    """

    def __init__(
        self,
        home: Path,
        extra: Mapping[str, str] | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self._command = command or [str(Path(sys.executable).with_name("cognid")), "serve"]
        kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
        self.environment = {
            **kept,
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            **(extra or {}),
        }
        self._log = home / "daemon.log"
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("data", "config", "run"):
            (home / name).mkdir(mode=0o700, exist_ok=True)
        with patch.dict(os.environ, self.environment, clear=True):
            self.places: Places = find_places()

    @property
    def pid(self) -> int:
        """The process id of the running daemon."""
        if self._process is None:
            raise DaemonError("not started")
        return self._process.pid

    @asynccontextmanager
    async def running(self) -> AsyncIterator[AsyncClient]:
        """A fresh process and a client of it, as soon as it answers; both end afterwards.

        Raises:
            DaemonError: it did not start, ended by itself, or failed at a request.
        """
        self._start()
        try:
            async with await self.connect() as client:
                yield client
        except CognidError as error:
            raise DaemonError(f"{error}\n{self._log_tail()}") from error
        finally:
            self._stop()

    async def connect(self) -> AsyncClient:
        """One more client of the running daemon, as soon as it answers.

        Raises:
            DaemonError: it ended, or does not answer within 30 s.
        """
        client = AsyncClient(self.places.socket, credential_path(self.places))
        until = time.monotonic() + _START_SECONDS
        while True:
            if self._process is None or self._process.poll() is not None:
                raise DaemonError(f"the daemon ended by itself:\n{self._log_tail()}")
            try:
                await client.connect()
            except CognidError as error:
                if time.monotonic() > until:
                    raise DaemonError(f"no answer ({error.code}):\n{self._log_tail()}") from None
            else:
                return client
            await asyncio.sleep(_LOOK_SECONDS)

    def _start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _stop(self) -> None:
        assert self._process is not None  # noqa: S101 - only `running` calls this
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _log_tail(self) -> str:
        return self._log.read_bytes()[-_LOG_TAIL:].decode(errors="replace")
