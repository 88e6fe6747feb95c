"""What every request to a bank carries: whose bank, and under which deadline and policy.

Owns: the common fields. What a request names can only narrow what its grant allows.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cognid.protocol import bounds
from cognid.protocol.values import Message, OperationId, Reference, Sha256Hex

DeadlineMs = Annotated[int, Field(ge=1, le=bounds.DEADLINE_MS_MAX)]
"""Milliseconds from the arrival of the request."""


class Timed(Message):
    """A request with a deadline; without one the operation's default holds."""

    deadline_ms: DeadlineMs | None = None


class Addressed(Timed):
    """A request to one bank. A null agent is a bank of its own, never a wildcard."""

    owner: Reference = "local"
    agent: Reference | None = None
    policy_fingerprint: Sha256Hex | None = None


class Mutation(Addressed):
    """A request that changes a bank: its operation id makes it safe to ask about and to repeat."""

    operation_id: OperationId
