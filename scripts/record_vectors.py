"""Record tests/vectors/operations.json anew from a real daemon; run by scripts/record-vectors.

Needed where an answer has grown a field. What varies from one daemon to the next will differ from
what was recorded before; the tests compare it by type.

Owns: which requests the session has: every operation of the table, and some of its refusals.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any, Final

_TESTS: Final = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(_TESTS))

from support.daemon import running  # noqa: E402 (the tests' own daemon)
from support.vectors import VECTORS, record  # noqa: E402

from cognid.protocol.canonical import event_hash  # noqa: E402

_AGENT: Final = {"agent": "helper"}
_SAID: Final = "The spare key hangs behind the blue shelf."
_HASH: Final = hashlib.sha256(b"notes").hexdigest()
_EVIDENCE_DATA: Final = {"role": "user", "content": "I never drink coffee."}


def _operation(number: int) -> dict[str, str]:
    return {"operation_id": f"019a2f00-0000-7000-8000-{number:012d}"}


def _write(number: int, **fields: Any) -> dict[str, Any]:
    return {**_AGENT, **fields, **_operation(number)}


def _made(so_far: list[Any], place: int) -> str:
    """The id of the memory that a step made."""
    memory_id: str = so_far[place]["memories"][0]["memory_id"]
    return memory_id


def _with(name: str, answers: list[Any]) -> str:
    """The last value that an answer had under a name."""
    value: str = next(one[name] for one in reversed(answers) if one and one.get(name))
    return value


def _remembered() -> list[tuple[str, Any]]:
    evidence = {
        "version": 1,
        "actor": {"user_id": "ines", "owner_id": "local"},
        "event": {
            "id": "chat:7",
            "event_hash": event_hash("chat", 7, "user_message", _EVIDENCE_DATA),
            "session": "monday",
            "conversation": "kitchen",
            "turn": "t7",
        },
        "messages": [_EVIDENCE_DATA],
    }
    turn = {"role": "user", "content": _SAID, "speaker": "Ines"}
    event = {"stream": "chat", "sequence": 1, "data": turn, "occurred_at": "2026-03-02T17:31:00Z"}
    return [
        ("ping", {}),
        ("status", {}),
        ("cancel", {"request_id": 99}),
        ("bank.ensure", _write(1, enabled=True)),
        ("memory.remember", _write(2, session_id="monday", event=event)),
        ("memory.add", _write(3, text="Ines prefers tea to coffee.", kind="preference")),
        ("memory.remember_evidence", _write(4, evidence=evidence)),
        ("memory.explain", {**_AGENT, "content": "I work in Porto. Is it raining?"}),
        ("memory.recall", {**_AGENT, "query": "spare key", "limit": 1, "deadline_ms": 10_000}),
        (
            "memory.search",
            {
                **_AGENT,
                "query": "spare key",
                "pipeline": "lexical",
                "limit": 1,
                "deadline_ms": 10_000,
            },
        ),
        ("memory.recall", {**_AGENT, "query": "spare key", "limit": 0}),
        ("memory.recall", {"agent": "nobody", "query": "spare key"}),
        ("bank.status", {**_AGENT, "stream": "chat"}),
        ("bank.list", {}),
        ("index.status", _AGENT),
    ]


def _beside() -> list[tuple[str, Any]]:
    message = {"role": "user", "content": "Where is the key?", "name": "Ines"}
    secret = {"role": "user", "content": "My password is hunter2-Xy99!"}
    unit = {"unit_id": "u1", "type": "note", "text": "The gate is green.", "source": "a.md:4"}
    lane = {
        "lane": "notes",
        "snapshot": {"id": "notes@1", "hash": _HASH},
        "units": [unit],
        "omissions": [{"unit_id": "u2", "reason": "too long"}],
        "covers": 2,
    }
    return [
        ("session.append", _write(5, session_id="monday", messages=[message, secret])),
        ("session.messages", {**_AGENT, "session_id": "monday", "limit": 2}),
        ("lane.replace", _write(6, **lane)),
        ("lane.query", {**_AGENT, "lane": "notes"}),
        (
            "context.assemble",
            {
                **_AGENT,
                "query": "spare key",
                "session_id": "monday",
                "budget_tokens": 400,
                "deadline_ms": 10_000,
            },
        ),
        ("session.clear", _write(7, session_id="monday")),
        ("lane.drop", _write(8, lane="notes")),
    ]


def _managed() -> list[tuple[str, Any]]:
    def handle(so_far: list[Any]) -> dict[str, Any]:
        return {**_AGENT, "handle": _with("handle", so_far)}

    def of_added(so_far: list[Any]) -> dict[str, Any]:
        return {**handle(so_far), "memory_id": _made(so_far, 5)}

    corrected = {"expected_revision": 1, "text": "Ines prefers coffee to tea."}
    return [
        ("configure.open", _AGENT),
        ("memory.inspect", lambda a: {**handle(a), "view": "list", "limit": 1}),
        ("memory.inspect", lambda a: {**of_added(a), "view": "get"}),
        ("memory.correct", lambda a: {**of_added(a), **corrected, **_operation(9)}),
        ("memory.correct", lambda a: {**of_added(a), **corrected, **_operation(10)}),
        ("memory.inspect", lambda a: {**of_added(a), "view": "history"}),
        ("memory.inspect", lambda a: {**handle(a), "view": "recent", "limit": 1}),
        ("memory.pin", lambda a: {**of_added(a), "pinned": True, **_operation(11)}),
        (
            "memory.forget_preview",
            lambda a: {**handle(a), "targets": [{"memory_id": _made(a, 5)}]},
        ),
        (
            "memory.forget",
            lambda a: {
                **handle(a),
                "targets": [{"memory_id": _made(a, 5)}],
                "confirmed": True,
                "preview_token": _with("preview_token", a),
                **_operation(12),
            },
        ),
        ("memory.inspect", lambda a: {**of_added(a), "view": "get"}),
    ]


def _tools() -> list[tuple[str, Any]]:
    def target(so_far: list[Any]) -> dict[str, Any]:
        return {**_AGENT, "memory_id": _made(so_far, 4)}

    return [
        ("memory.tool_correct_preview", target),
        (
            "memory.tool_correct",
            lambda a: {
                **target(a),
                "text": "The spare key hangs on the hook.",
                "preview_token": _with("preview_token", a),
                **_operation(13),
            },
        ),
        (
            "memory.tool_forget_preview",
            lambda a: {**_AGENT, "targets": [{"memory_id": _made(a, 4)}]},
        ),
        (
            "memory.tool_forget",
            lambda a: {
                **_AGENT,
                "targets": [{"memory_id": _made(a, 4)}],
                "preview_token": _with("preview_token", a),
                **_operation(14),
            },
        ),
        ("operation.resolve", {**_AGENT, **_operation(3)}),
        ("operation.resolve", {**_AGENT, **_operation(99)}),
        ("memory.add", _write(99, text="It comes too late.")),
    ]


def _admin() -> list[tuple[str, Any]]:
    grant = {
        "credential_id": "crd_0123456789abcdef0123456789abcdef",
        "name": "editor",
        "stored_key": "e9cb7d524d0a37b9f58df5da526819cc1df9c66a3cffee4f4cf2502654f2a6c0",
        "server_key": "d1905aa193a45c4f683bbbfa07d3bd2dcb180db624f2b2db739df1b3cd72e01a",
        "owners": ["local"],
        "agents": ["helper"],
        "rights": ["recall"],
    }
    return [
        ("export", {**_AGENT, "limit": 1}),
        (
            "import",
            lambda a: {
                "agent": "copy",
                "rule": "skip",
                "records": a[-1]["records"],
                **_operation(16),
            },
        ),
        ("doctor", {**_AGENT, "ledger": True}),
        ("grant.create", {**grant, **_operation(17)}),
        ("grant.list", {}),
        ("grant.revoke", {"credential_id": grant["credential_id"], **_operation(18)}),
        ("index.rebuild", _write(40, pipelines=["lexical"])),
        ("knowledge.read", {}),
        (
            "bank.set_enabled",
            lambda a: {
                **_AGENT,
                "handle": _with("handle", a),
                "enabled": False,
                **_operation(19),
            },
        ),
        ("memory.add", _write(20, text="It is off.")),
        (
            "bank.delete_all",
            lambda a: {
                **_AGENT,
                "handle": a[-2]["handle"]["handle"],
                "confirmed": True,
                **_operation(21),
            },
        ),
        ("memory.unknown", {}),
        ("shutdown", {}),
    ]


def main() -> int:
    """Record the session, and write it where the tests read it."""
    copy = ("bank.ensure", {"agent": "copy", "enabled": True, **_operation(15)})
    requests = [*_remembered(), *_beside(), *_managed(), *_tools(), copy, *_admin()]
    # The bank of the import is made before the page that it brings in is exported.
    with running() as daemon:
        steps = record(daemon, requests)
    lines = ",\n".join(
        f' {{"request": {json.dumps(step["request"], ensure_ascii=False)},\n'
        f'  "answer": {json.dumps(step["answer"], ensure_ascii=False)}}}'
        for step in steps
    )
    VECTORS.mkdir(exist_ok=True)
    (VECTORS / "operations.json").write_text(f"[\n{lines}\n]\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
