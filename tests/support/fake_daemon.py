"""Daemons that are none: what a squatter of the socket could answer to a caller."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""From a request's frame to the `result` of its answer."""


@contextlib.contextmanager
def fake_daemon(path: Path, answer: Answer) -> Iterator[list[dict[str, Any]]]:
    """Listen at a path and answer every line; gives the list of the frames that came."""
    came: list[dict[str, Any]] = []
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(os.fspath(path))
    path.chmod(0o600)
    listener.listen()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connected, _ = listener.accept()
                with connected, connected.makefile("rb") as lines:
                    for line in lines:
                        frame = json.loads(line)
                        came.append(frame)
                        made = {"jsonrpc": "2.0", "id": frame["id"], "result": answer(frame)}
                        connected.sendall(json.dumps(made).encode() + b"\n")

    thread = threading.Thread(target=serve, name="fake daemon")
    thread.start()
    try:
        yield came
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
        path.unlink(missing_ok=True)
