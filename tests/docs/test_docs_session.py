"""The raw session of docs/protocol.md is what a daemon really answers."""

from __future__ import annotations

import json
from typing import Any

from support.daemon import DaemonProcess
from support.pages import page


def _session() -> list[tuple[bytes, dict[str, Any]]]:
    text = page("docs/protocol.md").partition("## A raw session")[2].partition("\n## ")[0]
    sent = [line[2:] for line in text.splitlines() if line.startswith("> ")]
    answered = [line[2:] for line in text.splitlines() if line.startswith("< ")]
    return [
        (asked.encode() + b"\n", json.loads(answer))
        for asked, answer in zip(sent, answered, strict=True)
    ]


# Scores too: right after a start words are ranked without what is loaded meanwhile.
_VARIES = {
    "bank_id", "created_at", "epoch", "expires_at", "memory_id", "parts", "score", "took_ms",
}  # fmt: skip


def _form(value: Any, name: str = "") -> Any:
    """An answer without what differs from one daemon to the next: of that, the type is left."""
    if name in _VARIES:
        return type(value).__name__
    if isinstance(value, dict):
        return {key: _form(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_form(part) for part in value]
    return value


def test_the_raw_session_is_answered_as_shown(daemon: DaemonProcess) -> None:
    """Sending the page's lines brings the page's answers, but for ids, times and epochs."""
    session = _session()
    assert len(session) >= 5
    with daemon.connect() as connection:
        for line, shown in session:
            connection.send_bytes(line)
            assert _form(connection.answer(shown["id"])) == _form(shown)
