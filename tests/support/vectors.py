"""The shared vectors of tests/vectors: reading them, and playing the recorded session.

The session is plain: requests and answers as they stood on the wire. What differs from one daemon
to the next (ids, times, tokens) is compared by its type, and where a later request names such a
value, the one that this daemon gave for it is sent.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from support.daemon import DaemonProcess, RawConnection
from support.talk import pair

VECTORS: Final = Path(__file__).parents[1] / "vectors"
ALL_RIGHTS: Final = (
    "remember", "recall", "session", "lane", "configure", "tool_forget", "tool_correct", "admin",
)  # fmt: skip
_VARIES: Final = frozenset({
    "authority", "bank_id", "build", "client_nonce", "created_at", "credential_id", "cursor",
    "digest", "ended_at", "epoch", "expires_at", "file_bytes", "forgotten_at", "bytes", "handle",
    "head", "id", "instance", "lexical", "memory_id", "memory_ids", "message_id", "pid",
    "preview_token",
    "affected", "group", "origin_id", "replaced_at", "score", "since", "space_id",
    "started_at", "at", "took_ms", "vector", "connections", "health", "findings", "erased",
    "pending", "tokens",
})  # fmt: skip
"""`id` is that of a context's item; `lexical` and `vector` are scores where they are numbers."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\dZ")
"""In the text of a context."""
INDEXED_SECONDS: Final = 60.0


def vectors(name: str) -> Any:
    """The vectors of one file."""
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def form(value: Any, name: str = "") -> Any:
    """An answer without what varies: of that, the type is left."""
    if name in _VARIES and not isinstance(value, dict):
        return "number" if isinstance(value, int | float) else type(value).__name__
    if isinstance(value, dict):
        # A memory's id is a key too, where its revision is told by it.
        return {
            key[:4] if key.startswith("mem_") else key: form(p, key) for key, p in value.items()
        }
    if isinstance(value, list):
        return [form(part) for part in value]
    return _MOMENT.sub("(when)", value) if isinstance(value, str) and name == "text" else value


def same_values(recorded: Any, here: Any) -> Iterator[tuple[str, str]]:
    """What was recorded, and what this daemon gave in its place."""
    if isinstance(recorded, dict) and isinstance(here, dict):
        for key in recorded.keys() & here.keys():
            yield from same_values(recorded[key], here[key])
    elif isinstance(recorded, list) and isinstance(here, list):
        for one, other in zip(recorded, here, strict=False):
            yield from same_values(one, other)
    elif isinstance(recorded, str) and isinstance(here, str) and recorded != here:
        yield recorded, here


class Player:
    """Plays a session to a daemon, as a credential with every right."""

    def __init__(self, daemon: DaemonProcess) -> None:
        with daemon.connect() as owner:
            everyone = {"owners": "*", "agents": "*", "rights": list(ALL_RIGHTS)}
            credential = pair(owner, "vectors", **everyone)
        self.connection: Final[RawConnection] = daemon.connect(credential)
        self._known: dict[str, str] = {}

    def play(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a recorded request, and give this daemon's whole answer."""
        if request["method"] in ("memory.recall", "context.assemble"):
            self._wait_indexed()
        line = json.dumps(request, ensure_ascii=False)
        for recorded, here in self._known.items():
            line = line.replace(recorded, here)
        self.connection.send_bytes(line.encode() + b"\n")
        return self.connection.answer(request["id"])

    def learn(self, recorded: dict[str, Any], here: dict[str, Any]) -> None:
        """Remember what this daemon gave in the place of what was recorded."""
        self._known.update(same_values(recorded, here))

    def _wait_indexed(self) -> None:
        until = time.monotonic() + INDEXED_SECONDS
        while time.monotonic() < until:
            index = self.connection.result("index.status", {"agent": "helper"})
            if index["vector"]["state"] == "ready" and index["backlog"] == 0:
                return
            time.sleep(0.02)
        raise AssertionError(index)


def record(daemon: DaemonProcess, requests: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Play requests whose parameters may be made from the answers so far, and keep both."""
    player = Player(daemon)
    steps: list[dict[str, Any]] = []
    for number, (method, made) in enumerate(requests, 100):
        params = made([step["answer"].get("result") for step in steps]) if callable(made) else made
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        steps.append({"request": request, "answer": player.play(request)})
    return steps
