"""The calls about the daemon as a whole: its life, its state and its grants.

Owns: the parameters of those methods. The ones about a bank stand in `asynchronous.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cognid.client.caller import Caller
from cognid.protocol.ids import new_operation_id
from cognid.protocol.proof import Verifier
from cognid.protocol.values import Right

if TYPE_CHECKING:
    from cognid.protocol.grants import (
        GrantCreated,
        GrantListReply,
        GrantRecord,
        GrantRevoked,
    )
    from cognid.protocol.link import Pong, ShuttingDown, StatusReply


class DaemonCalls(Caller):
    """What `AsyncClient` can ask about the daemon itself."""

    async def ping(self, *, deadline_ms: int | None = None) -> Pong:
        """Ask for a sign of life."""
        reply: Pong = await self.ask("ping", deadline_ms=deadline_ms)
        return reply

    async def status(self, *, deadline_ms: int | None = None) -> StatusReply:
        """Ask how the daemon is."""
        reply: StatusReply = await self.ask("status", deadline_ms=deadline_ms)
        return reply

    async def shutdown(self, *, deadline_ms: int | None = None) -> ShuttingDown:
        """Stop the daemon; it finishes what is in flight."""
        reply: ShuttingDown = await self.ask("shutdown", deadline_ms=deadline_ms)
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
        reply: GrantCreated = await self.ask(
            "grant.create",
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
        return reply.grant

    async def grants(self, *, deadline_ms: int | None = None) -> list[GrantRecord]:
        """List all grants, oldest first."""
        reply: GrantListReply = await self.ask("grant.list", deadline_ms=deadline_ms)
        return reply.grants

    async def revoke_grant(
        self,
        credential_id: str,
        *,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> GrantRevoked:
        """End a grant at once; its open connections are closed."""
        reply: GrantRevoked = await self.ask(
            "grant.revoke",
            credential_id=credential_id,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return reply
