"""The grant family: create, list, revoke. A grant bounds identity; a request can only narrow it.

The secret of a credential never crosses the bridge: who pairs makes it, and sends StoredKey and
ServerKey (`proof.py`) alone.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cognid.protocol.addressed import Timed
from cognid.protocol.values import (
    Instant,
    OperationId,
    Reference,
    Reply,
    Right,
    Sha256Hex,
    Word,
)

Everyone = Literal["*"]
Owners = Everyone | Annotated[list[Reference], Field(min_length=1, max_length=256)]
Agents = Everyone | Annotated[list[Reference | None], Field(min_length=1, max_length=256)]
Rights = Annotated[list[Annotated[Right, Word]], Field(min_length=1, max_length=len(Right))]


class GrantView(Reply):
    """What a credential may do, for which owners and agents."""

    credential_id: str
    name: str
    owners: Literal["*"] | list[str]
    agents: Literal["*"] | list[str | None]
    rights: list[Right]


class GrantRecord(GrantView):
    """A grant as an administrator sees it."""

    created_at: Instant


class GrantCreate(Timed):
    """Make a grant for a credential that the caller made."""

    operation_id: OperationId
    credential_id: Reference
    name: Reference
    stored_key: Sha256Hex
    server_key: Sha256Hex
    owners: Owners
    agents: Agents
    rights: Rights


class GrantCreated(Reply):
    """The grant as it was made."""

    grant: GrantRecord


class GrantList(Timed):
    """Ask for all grants."""


class GrantListReply(Reply):
    """All grants, oldest first; no keys."""

    grants: list[GrantRecord]


class GrantRevoke(Timed):
    """End a grant at once; its open connections are closed."""

    operation_id: OperationId
    credential_id: Reference


class GrantRevoked(Reply):
    """The grant is gone, and how many connections were closed with it."""

    credential_id: str
    connections_closed: int
