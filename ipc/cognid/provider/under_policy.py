"""A client under a policy: each request that it sends carries the policy's fingerprint.

So the bank's ledger says of every write under which rules it was made, whichever method made it.

Owns: that stamp. Connects nothing: what it sends goes out by the client it was made of.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from cognid.client import AsyncClient
from cognid.protocol.link import Proven


class PolicyClient(AsyncClient):
    """The same client, for calls under one policy.

    Args:
        client: whose connection, owner and agent it shares; it stays its owner's to close.
        policy_fingerprint: put on each request that carries one and names none itself.
    """

    def __init__(self, client: AsyncClient, policy_fingerprint: str) -> None:
        super().__init__(owner=client.owner, agent=client.agent)
        self._client = client
        self._policy_fingerprint = policy_fingerprint

    async def connect(self, *, seconds: float = 10.0) -> Proven:
        """Connect the client that it was made of."""
        return await self._client.connect(seconds=seconds)

    async def call(self, name: str, request: BaseModel) -> Any:
        """Call an operation; see `Caller.call`."""
        if getattr(request, "policy_fingerprint", "") is None:
            stamp = {"policy_fingerprint": self._policy_fingerprint}
            request = request.model_copy(update=stamp)
        return await self._client.call(name, request)
