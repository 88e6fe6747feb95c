"""Health: how a provider's daemon and bank stand, in the shape that hosts know.

Owns: that shape and its words. `circuit_state` is `open` where the daemon could not be asked:
nothing here waits or counts failures, so it closes with the next answer.
"""

from __future__ import annotations

import time
from typing import Any

from cognid.client import AsyncClient
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Right
from cognid.provider.options import COGNID_BACKEND
from cognid.provider.policy import MemoryRuntimePolicy


async def health_of(client: AsyncClient, policy: MemoryRuntimePolicy) -> dict[str, Any]:
    """Ask the daemon and the bank; what cannot be asked is named, not raised."""
    began = time.monotonic()
    details: dict[str, Any] = {"policy": policy.audit_metadata()}
    error: str | None = None
    status = "ok"
    reached = False
    try:
        proven = await client.connect()
        daemon = await client.status()
        reached = True
        details["health"] = daemon.health
        details["findings"] = [finding.code for finding in daemon.findings]
        details["session_messages"] = Right.SESSION in proven.grant.rights
        bank = await client.bank_status()
        details["memories"] = bank.memories
        details["bank_enabled"] = bank.enabled
        if not bank.enabled:
            status = "disabled"
        elif daemon.health != "green":
            status = "degraded"
    except CognidError as refusal:
        error = refusal.code
        status = "degraded" if reached else "unavailable"
    if not policy.enabled and reached:
        status = "disabled"
    return {
        "name": COGNID_BACKEND,
        "status": status,
        "latency_ms": round((time.monotonic() - began) * 1000, 3),
        "circuit_state": "closed" if reached else "open",
        "error": error,
        "details": details,
    }
