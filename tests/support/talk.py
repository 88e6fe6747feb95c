"""Talking to a daemon in tests: the few requests that nearly every test makes, by raw frames."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from typing import Any

from support.daemon import RawConnection

from cognid.credentials import Credential, new_credential
from cognid.protocol.ids import new_operation_id
from cognid.protocol.proof import verifier_of

_numbers = itertools.count(1)
INDEXED_SECONDS = 60.0


class Agent:
    """One agent's bank, seen from one connection. Each has a bank of its own by default."""

    def __init__(
        self, connection: RawConnection, agent: str | None = "", *, enabled: bool = True
    ) -> None:
        self.connection = connection
        self.agent = f"agent-{next(_numbers)}" if agent == "" else agent
        self.whose: dict[str, Any] = {"owner": "local", "agent": self.agent}
        self.result("bank.ensure", {"enabled": enabled, **operation()})

    def result(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A request to this bank that must succeed."""
        return self.connection.result(method, {**self.whose, **(params or {})})

    def error(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A request to this bank that must fail; the error's data."""
        return self.connection.error(method, {**self.whose, **(params or {})})

    def remember(self, content: str, role: str = "user", **fields: Any) -> dict[str, Any]:
        """Report a turn of the stream `chat`."""
        event = {"stream": "chat", "data": {"role": role, "content": content}}
        return self.result("memory.remember", {"event": event, **operation(), **fields})

    def add(self, text: str, **fields: Any) -> dict[str, Any]:
        """Assert a memory."""
        return self.result("memory.add", {"text": text, **operation(), **fields})

    def recall(self, query: str, **fields: Any) -> dict[str, Any]:
        """Ask, with a deadline that a busy machine keeps too."""
        return self.result("memory.recall", {"query": query, "deadline_ms": 10_000, **fields})

    def texts(self, query: str, **fields: Any) -> list[str]:
        """The texts of what a recall brings back, best first."""
        return [hit["text"] for hit in self.recall(query, **fields).get("hits", [])]

    def lexical(self, query: str, **fields: Any) -> list[str]:
        """The texts that the lexical pipeline alone brings back."""
        params = {"query": query, "pipeline": "lexical", "deadline_ms": 10_000, **fields}
        return [hit["text"] for hit in self.result("memory.search", params).get("hits", [])]

    def vector(self, query: str, **fields: Any) -> list[str]:
        """The texts that the vector pipeline alone brings back."""
        params = {"query": query, "pipeline": "vector", "deadline_ms": 10_000, **fields}
        return [hit["text"] for hit in self.result("memory.search", params).get("hits", [])]

    def handle(self) -> str:
        """A manager handle for this bank."""
        handle: str = self.result("configure.open")["handle"]
        return handle

    def manage(self, method: str, **params: Any) -> dict[str, Any]:
        """A change under a fresh manager handle and operation id, unless they are given."""
        made: dict[str, Any] = {"handle": params.get("handle") or self.handle(), **operation()}
        return self.result(method, {**made, **params})

    def forget(self, *memory_ids: str, **fields: Any) -> dict[str, Any]:
        """Forget memories by their ids."""
        targets = [{"memory_id": memory_id} for memory_id in memory_ids]
        return self.manage("memory.forget", **{"targets": targets, "confirmed": True, **fields})

    def preview(self, **fields: Any) -> dict[str, Any]:
        """What a forget would take."""
        return self.result("memory.forget_preview", {"handle": self.handle(), **fields})

    def correct(self, memory_id: str, revision: int, text: str, **fields: Any) -> dict[str, Any]:
        """Correct a memory."""
        wanted = {"memory_id": memory_id, "expected_revision": revision, "text": text}
        return self.manage("memory.correct", **{**wanted, **fields})

    def set_enabled(self, enabled: bool, **fields: Any) -> dict[str, Any]:
        """Switch the bank."""
        return self.manage("bank.set_enabled", **{"enabled": enabled, **fields})

    def delete_all(self, **fields: Any) -> dict[str, Any]:
        """Wipe the bank."""
        return self.manage("bank.delete_all", **{"confirmed": True, **fields})

    def shown(self, memory_id: str) -> dict[str, Any]:
        """One memory, or what is left of it."""
        params = {"view": "get", "handle": self.handle(), "memory_id": memory_id}
        return self.result("memory.inspect", params)

    def history(self, memory_id: str) -> dict[str, Any]:
        """What happened to a memory, on one page."""
        params = {"view": "history", "handle": self.handle(), "memory_id": memory_id}
        return self.result("memory.inspect", {**params, "limit": 100})

    def exported(self) -> list[dict[str, Any]]:
        """Every record of the bank."""
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self.result("export", {"cursor": cursor})
            if not page["records"]:
                return found
            found += page["records"]
            cursor = page["cursor"]

    def resolve(self, operation_id: str) -> dict[str, Any]:
        """What became of an operation."""
        return self.result("operation.resolve", {"operation_id": operation_id})

    def listed(self, **fields: Any) -> list[dict[str, Any]]:
        """All current memories, newest first, over all pages."""
        handle = self.handle()
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self.result(
                "memory.inspect",
                {"view": "list", "handle": handle, "limit": 100, "cursor": cursor, **fields},
            )
            found += page["memories"]
            cursor = page["cursor"]
            if cursor is None:
                return found

    def wait_indexed(self) -> None:
        """Wait until no memory of this bank waits for its vectors."""
        until = time.monotonic() + INDEXED_SECONDS
        while time.monotonic() < until:
            index = self.result("index.status")
            if index["vector"]["state"] == "ready" and index["backlog"] == 0:
                return
            time.sleep(0.02)
        raise AssertionError(f"not indexed: {index}")


def id_of(outcome: dict[str, Any]) -> str:
    """The id of the memory that a write made."""
    memory_id: str = outcome["memories"][0]["memory_id"]
    return memory_id


def operation() -> dict[str, str]:
    """A fresh operation id, as a field of a request."""
    return {"operation_id": new_operation_id()}


def pair(owner: RawConnection, name: str, **grant: Any) -> Credential:
    """Make a credential with a grant, as `cognid pair` does; by default for all local agents."""
    credential = new_credential(name)
    verifier = verifier_of(credential.secret)
    params = {
        "credential_id": credential.credential_id,
        "name": name,
        "stored_key": verifier.stored_key.hex(),
        "server_key": verifier.server_key.hex(),
        "owners": ["local"],
        "agents": "*",
        "rights": ["remember", "recall", "configure"],
        **operation(),
        **grant,
    }
    owner.result("grant.create", params)
    return credential
