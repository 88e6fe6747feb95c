"""Attempts: the operation ids of a write whose fate its host may have to ask about.

A host that repeats a write after an error repeats its arguments; it has no place to put operation
ids. So they are kept here until the write is through, and the same arguments again make the
byte-identical requests: what is there already is replayed, not stored twice. Nothing is repeated
without the host's asking.

Owns: that account, by a digest of the arguments; it holds no text.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from cognid.protocol.ids import new_operation_id

KEPT: Final = 256
"""Writes that are not through, of which the oldest are given up: those a host did not repeat."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One write: the ids of its requests, and the policy under which it was first tried."""

    key: bytes
    operation_ids: tuple[str, ...]
    policy_fingerprint: str


class Attempts:
    """The writes that are not through yet."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, Attempt] = OrderedDict()

    def begin(self, requests: int, policy_fingerprint: str, *arguments: Any) -> Attempt:
        """Begin a write of so many requests, or take up the one that these arguments began.

        Args:
            requests: how many.
            policy_fingerprint: of the policy in force; an attempt that is taken up keeps its own.
            arguments: JSON values and what prints as itself, such as instants.
        """
        form = json.dumps(arguments, sort_keys=True, default=str).encode("ascii")
        key = hashlib.sha256(form).digest()
        attempt = self._open.get(key)
        if attempt is None:
            ids = tuple(new_operation_id() for _ in range(requests))
            attempt = self._open[key] = Attempt(key, ids, policy_fingerprint)
            if len(self._open) > KEPT:
                self._open.popitem(last=False)
        return attempt

    def end(self, attempt: Attempt) -> None:
        """It is through; the same arguments again are a new write."""
        self._open.pop(attempt.key, None)
