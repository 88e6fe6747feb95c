"""A real daemon process in a scratch home, and a raw connection to it, for any test.

`DaemonProcess` runs `python -m cognid_daemon` with a home of its own; `RawConnection` speaks the
protocol with nothing but a socket and `cognid.protocol`, so that no test depends on the client.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from unittest.mock import patch

from cognid.credentials import Credential, credential_path, load_credential
from cognid.paths import Places, find_places
from cognid.protocol.proof import (
    VERSIONS,
    client_proof,
    new_nonce,
    signature_holds,
    transcript,
)

WITHOUT_MODEL: Final = '[model]\nfolder = "/nonexistent"\n'
"""Settings for tests in which no vector takes part: each start then costs a third of a second of
processor time less. Health is red, and recall lexical."""

START_SECONDS = 20.0
"""For a start on a busy machine; an idle one needs less than half a second."""
ANSWER_SECONDS = 20.0
STOP_SECONDS = 10.0


class ClosedError(Exception):
    """The daemon closed the connection."""


class RawConnection:
    """A blocking connection; `prove=False` leaves the handshake to the test."""

    def __init__(
        self,
        path: Path,
        credential: Credential | None,
        *,
        prove: bool = True,
        timeout: float = ANSWER_SECONDS,
    ) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self._buffer = bytearray()
        self._next = 0
        self._early: dict[int | str, dict[str, Any]] = {}
        self.proven: dict[str, Any] = {}
        try:
            self.socket.connect(os.fspath(path))
            if prove and credential is not None:
                self.proven = self.shake(credential)
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def shake(self, credential: Credential) -> dict[str, Any]:
        """Prove the credential and check the daemon's own proof; gives the answer to `prove`."""
        nonce = new_nonce()
        versions = list(VERSIONS)
        hello = self.result(
            "hello",
            {
                "credential_id": credential.credential_id,
                "client_nonce": nonce,
                "versions": versions,
            },
        )
        script = transcript(
            credential.credential_id, nonce, versions, hello["server_nonce"], hello["version"]
        )
        proof = client_proof(credential.secret, script)
        proven = self.result("prove", {"client_proof": proof.hex()})
        signature = bytes.fromhex(proven["daemon_signature"])
        assert signature_holds(credential.secret, script, signature), "the daemon is not proven"
        return proven

    def send_bytes(self, content: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(content)

    def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, id: int | str | None = None
    ) -> int | str:
        """Send a request without waiting; gives its id."""
        if id is None:
            self._next += 1
            id = self._next
        frame = {"jsonrpc": "2.0", "id": id, "method": method, "params": dict(params or {})}
        self.send_bytes(json.dumps(frame).encode("ascii") + b"\n")
        return id

    def read(self) -> dict[str, Any]:
        """The next frame that the daemon sends.

        Raises:
            ClosedError: it closed the connection instead.
            TimeoutError: it sends nothing.
        """
        while (end := self._buffer.find(b"\n")) < 0:
            try:
                received = self.socket.recv(1 << 20)
            except ConnectionResetError:
                received = b""
            if not received:
                raise ClosedError
            self._buffer += received
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        frame = json.loads(line)
        assert isinstance(frame, dict)
        return frame

    def answer(self, id: int | str) -> dict[str, Any]:
        """The answer to one request; answers to others are kept for whoever asks for them."""
        while id not in self._early:
            frame = self.read()
            self._early[frame["id"]] = frame
        return self._early.pop(id)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and give its whole answer: a frame with `result` or `error`."""
        return self.answer(self.send(method, params))

    def result(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request that must succeed; gives the result."""
        frame = self.call(method, params)
        assert "result" in frame, f"{method}: {frame['error']['data']}"
        result = frame["result"]
        assert isinstance(result, dict)
        return result

    def error(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request that must fail; gives the error's `data` (code, detail, effect, …)."""
        frame = self.call(method, params)
        assert "error" in frame, f"{method} succeeded"
        data = frame["error"]["data"]
        assert isinstance(data, dict)
        return data

    def closed_with(self) -> dict[str, Any] | None:
        """Wait until the daemon closes; gives the last error it sent before, or None."""
        last: dict[str, Any] | None = None
        try:
            while True:
                frame = self.read()
                last = frame["error"]["data"] if "error" in frame else last
        except (ClosedError, BrokenPipeError):
            return last


class DaemonProcess:
    """One daemon in a home of its own. Nothing is started before `start`.

    Args:
        home: an own folder with a short path, or None for a temporary one that `close` removes.
        env: added to the daemon's environment; a None takes a variable out.
        preload: a shared object for LD_PRELOAD.
        settings: the content of config.toml.
    """

    def __init__(
        self,
        home: Path | None = None,
        *,
        env: Mapping[str, str | None] | None = None,
        preload: Path | None = None,
        settings: str | None = None,
    ) -> None:
        self._temporary = home is None
        # Short: a socket's path has 107 bytes at most.
        self.home = home or Path(tempfile.mkdtemp(prefix="cognid-", dir="/tmp"))
        self.home.chmod(0o700)
        runtime = self.home / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.log_path = self.home / "daemon.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._env = dict(env or {})
        if preload:
            self._env["LD_PRELOAD"] = os.fspath(preload)
        with patch.dict(os.environ, self.environment, clear=True):
            self.places: Places = find_places()  # as the daemon itself finds them
        if settings is not None:
            self.places.configuration.mkdir(mode=0o700, parents=True)
            (self.places.configuration / "config.toml").write_text(settings, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which the daemon runs, and in which callers find it."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("COGNID_", "XDG_"))
        }
        made: dict[str, str | None] = {
            **kept,
            "HOME": os.fspath(self.home),
            "XDG_DATA_HOME": os.fspath(self.home / "data"),
            "XDG_CONFIG_HOME": os.fspath(self.home / "config"),
            "XDG_RUNTIME_DIR": os.fspath(self.home / "run"),
            **self._env,
        }
        return {name: value for name, value in made.items() if value is not None}

    @property
    def pid(self) -> int:
        """The process id of the running daemon."""
        assert self.process is not None
        return self.process.pid

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start another daemon process in this home without waiting; the caller ends it."""
        with self.log_path.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "cognid_daemon"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.home,
            )

    def start(self) -> Self:
        """Start the daemon and wait until it answers a proven caller."""
        self.process = self.spawn()
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            status = self.process.poll()
            assert status is None, f"the daemon ended with {status}:\n{self.log_text()}"
            try:
                with self.connect() as connection:
                    connection.result("ping")
                    return self
            except (OSError, ClosedError):
                time.sleep(0.01)
        raise AssertionError(f"the daemon did not answer:\n{self.log_text()}")

    def run_to_end(self) -> int:
        """Start a daemon that is expected to end by itself; gives its exit status."""
        process = self.spawn()
        try:
            return process.wait(START_SECONDS)
        finally:
            process.kill()
            process.wait()

    def credential(self, name: str = "owner") -> Credential:
        """A credential out of this home."""
        return load_credential(credential_path(self.places, name))

    def connect(self, credential: Credential | None = None, *, prove: bool = True) -> RawConnection:
        """Connect; without a credential as the owner."""
        if prove and credential is None:
            try:
                credential = self.credential()
            except Exception as error:
                raise ConnectionError("no credential yet") from error
        return RawConnection(self.places.socket, credential, prove=prove)

    def stop(self) -> int:
        """SIGTERM; gives the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def kill9(self) -> None:
        """SIGKILL, and wait until the process is gone."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(STOP_SECONDS)

    def restart(self) -> Self:
        """Stop in order, and start again."""
        assert self.stop() == 0, self.log_text()
        return self.start()

    def log_text(self) -> str:
        """All that the daemons of this home wrote to standard output and error."""
        return self.log_path.read_text("utf-8", "replace") if self.log_path.exists() else ""

    def close(self) -> None:
        """End the daemon however it stands, check its log, and remove a temporary home."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        text = self.log_text()
        if self._temporary:
            shutil.rmtree(self.home, ignore_errors=True)
        assert "Traceback" not in text, text
        assert " uncaught" not in text, text


@contextlib.contextmanager
def running(**options: Any) -> Iterator[DaemonProcess]:
    """A started daemon for the length of a block; options as of `DaemonProcess`."""
    daemon = DaemonProcess(**options)
    try:
        yield daemon.start()
    finally:
        daemon.close()
