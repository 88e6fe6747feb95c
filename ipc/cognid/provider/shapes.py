"""Shapes: a host's words as ours, and our hits as the objects that hosts know.

A host's labels are an object; the daemon's are words. `{"project": "kite"}` is the label
`project:kite`, and back.

Owns: these translations. Pure.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cognid.protocol.errors import CognidError
from cognid.protocol.recall import Hit

_IMPORTANCE: Final = {"low": 0.25, "normal": 0.5, "high": 0.75, "critical": 1.0}
_ELSEWHERE: Final = {"memory_id", "text", "score", "labels", "kind"}
"""Of a hit: what stands beside the metadata, or in it under a host's name."""


def new_session_id() -> str:
    """A fresh name for a session that its host has not named."""
    return f"ses_{secrets.token_hex(16)}"


class RecallAnswer(dict[str, Any]):
    """What recall answers: an object with `RECALL_KEYS` and no other.

    What has no place among these keys stands in `metadata`, an attribute: `outcome` (hits,
    no_hits, unavailable, disabled, not_asked), `reason`, `search_mode`, `degraded`, `pipelines`,
    `core`. Each item's own metadata repeats `search_mode` and `degraded`, which so get through JSON
    as well.
    """

    def __init__(self, answer: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        super().__init__(answer)
        self.metadata = dict(metadata)

    def __repr__(self) -> str:
        return f"<RecallAnswer {self['stats']}>"


def recall_answer(
    session_id: str,
    metadata: Mapping[str, Any],
    *,
    instructions: str | None = None,
    core_memories: str | None = None,
    core_count: int = 0,
    items: Sequence[dict[str, Any]] = (),
    known_skipped: int = 0,
    latency_ms: float = 0.0,
) -> RecallAnswer:
    """Put a recall's answer together."""
    stats = {
        "core_count": core_count,
        "search_count": len(items) + known_skipped,
        "new_count": len(items),
        "known_skipped": known_skipped,
        "latency_ms": round(latency_ms, 3),
    }
    answer = {
        "session_id": session_id,
        "instructions": instructions,
        "core_memories": core_memories,
        "search_results": list(items),
        "stats": stats,
    }
    return RecallAnswer(answer, metadata)


def item_of(hit: Hit, search_mode: str, degraded: Sequence[str]) -> dict[str, Any]:
    """A hit as hosts know it. Its metadata carries belief: where it came from and how far it
    holds; `complete` says whether `memory` is the whole text."""
    metadata = hit.model_dump(mode="json", exclude=_ELSEWHERE)
    return {
        "id": hit.memory_id,
        "memory": hit.text,
        "score": hit.score,
        "metadata": {
            **metadata,
            "memory_type": hit.kind.value,
            "labels": labels_back(hit.labels),
            "search_mode": search_mode,
            "degraded": list(degraded),
        },
        "has_artifacts": False,
    }


def labels_of(labels: Mapping[str, Any] | None) -> list[str]:
    """A host's labels as the daemon keeps them.

    Raises:
        CognidError: `invalid_argument` for a name with `:` or `=` in it, or a value that is none
            of text, number, boolean and null.
    """
    return [_label(name, value) for name, value in (labels or {}).items()]


def labels_back(labels: Sequence[str]) -> dict[str, str | None]:
    """The daemon's labels as a host gave them; every value is text again, or null."""
    pairs = (label.partition(":") for label in labels)
    return {name: value if mark else None for name, mark, value in pairs}


def importance_of(importance: str | float | None) -> float | None:
    """A host's word for importance, or a share from 0 to 1.

    Raises:
        CognidError: `invalid_argument` for another word.
    """
    if isinstance(importance, str):
        if importance not in _IMPORTANCE:
            words = ", ".join(_IMPORTANCE)
            raise CognidError("invalid_argument", f"importance: must be one of {words}, or a share")
        return _IMPORTANCE[importance]
    return importance


def _label(name: object, value: object) -> str:
    if not isinstance(name, str) or ":" in name or "=" in name:
        raise CognidError("invalid_argument", "labels: a name is text without : and =")
    if value is None:
        return name
    if isinstance(value, bool):
        return f"{name}:{str(value).lower()}"
    if isinstance(value, str | int | float):
        return f"{name}:{value}"
    raise CognidError("invalid_argument", "labels: a value is text, a number, a boolean or null")
