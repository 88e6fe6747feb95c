"""The calls about the daemon as a whole: its life, its state and its grants.

Owns: the parameters of those methods. The ones about a bank stand in `asynchronous.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cognid.client.arguments import make
from cognid.client.caller import Caller
from cognid.protocol.grants import (
    GrantCreate,
    GrantCreated,
    GrantList,
    GrantListReply,
    GrantRecord,
    GrantRevoke,
    GrantRevoked,
)
from cognid.protocol.ids import new_operation_id
from cognid.protocol.link import Ping, Pong, Shutdown, ShuttingDown, Status, StatusReply
from cognid.protocol.proof import Verifier
from cognid.protocol.values import Right


class DaemonCalls(Caller):
    """What `AsyncClient` can ask about the daemon itself."""

    async def ping(self, *, deadline_ms: int | None = None) -> Pong:
        """Ask for a sign of life."""
        reply: Pong = await self.call("ping", make(Ping, deadline_ms=deadline_ms))
        return reply

    async def status(self, *, deadline_ms: int | None = None) -> StatusReply:
        """Ask how the daemon is."""
        reply: StatusReply = await self.call("status", make(Status, deadline_ms=deadline_ms))
        return reply

    async def shutdown(self, *, deadline_ms: int | None = None) -> ShuttingDown:
        """Stop the daemon; it finishes what is in flight."""
        reply: ShuttingDown = await self.call("shutdown", make(Shutdown, deadline_ms=deadline_ms))
        return reply

    async def create_grant(
        self,
        credential_id: str,
        name: str,
        verifier: Verifier,
        *,
        owners: Sequence[str] | Literal["*"],
        agents: Sequence[str | None] | Literal["*"],
        rights: Sequence[Right | str],
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> GrantRecord:
        """Make a grant for a credential that the caller made; its secret is not sent."""
        request = make(
            GrantCreate,
            credential_id=credential_id,
            name=name,
            stored_key=verifier.stored_key.hex(),
            server_key=verifier.server_key.hex(),
            owners="*" if owners == "*" else list(owners),
            agents="*" if agents == "*" else list(agents),
            rights=list(rights),
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        reply: GrantCreated = await self.call("grant.create", request)
        return reply.grant

    async def grants(self, *, deadline_ms: int | None = None) -> list[GrantRecord]:
        """List all grants, oldest first."""
        request = make(GrantList, deadline_ms=deadline_ms)
        reply: GrantListReply = await self.call("grant.list", request)
        return reply.grants

    async def revoke_grant(
        self,
        credential_id: str,
        *,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> GrantRevoked:
        """End a grant at once; its open connections are closed."""
        request = make(
            GrantRevoke,
            credential_id=credential_id,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        reply: GrantRevoked = await self.call("grant.revoke", request)
        return reply
