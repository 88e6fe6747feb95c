"""How a memory's rows become what a caller sees of it.

Owns: the one way from a bank's row to the wire. What is not in the row is not invented.
"""

from __future__ import annotations

from typing import Any

from cognid.protocol.recall import MemoryView
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.intake.instants import instant_of


def memory_fields(memory: Memory, event: Event | None) -> dict[str, Any]:
    """The fields that a `MemoryView` and a `Hit` share, but for the text itself."""
    return {
        "memory_id": memory.memory_id,
        "revision": memory.revision,
        "kind": memory.kind,
        "role": memory.role,
        "speaker": memory.speaker,
        "lifecycle": memory.lifecycle,
        "provenance": memory.provenance,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "pinned": memory.pinned,
        "labels": list(memory.labels),
        "categories": list(memory.categories),
        "session_id": memory.session_id,
        "event_time": instant_of(memory.event_time),
        "valid_from": instant_of(memory.valid_from),
        "valid_until": instant_of(memory.valid_until),
        "created_at": instant_of(memory.created_at),
        "expires_at": instant_of(memory.expires_at),
        # Not yet a `Source`: whoever takes these fields makes it, in one validation with the rest.
        "source": {
            "event": None if event is None else _event_source(event),
            "span": memory.span,
            "sources": list(memory.sources),
            "extractor": memory.extractor,
            "policy_fingerprint": memory.policy_fingerprint,
        },
    }


def memory_view(memory: Memory, event: Event | None) -> MemoryView:
    """A memory whole, as inspect shows it."""
    return MemoryView(**memory_fields(memory, event), text=memory.text or "")


def _event_source(event: Event) -> dict[str, Any]:
    return {
        "stream": event.stream,
        "sequence": event.sequence,
        "type": event.type,
        "hash": None if event.hash is None else event.hash.hex(),
        "occurred_at": instant_of(event.occurred_at),
    }
