"""grant.create, grant.list, grant.revoke. Only `admin` comes here (the table says so)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from cognid.protocol.errors import CognidError
from cognid.protocol.grants import (
    GrantCreate,
    GrantCreated,
    GrantList,
    GrantListReply,
    GrantRevoke,
    GrantRevoked,
)
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.grants import make_grant


async def _create(call: Call, request: GrantCreate) -> GrantCreated:
    grant = make_grant(
        request.credential_id,
        request.name,
        request.owners,
        request.agents,
        request.rights,
        (request.stored_key, request.server_key),
        datetime.now(UTC),
    )
    wider = call.connection.grant.beyond(grant)
    if wider:
        raise CognidError("forbidden", f"{wider} reach beyond the grant of who pairs")
    created = await call.daemon.grants.create(grant)
    call.daemon.log.info("grant_created", credential=created.credential_id)
    return GrantCreated(grant=created.record())


def _list(call: Call, request: GrantList) -> GrantListReply:
    return GrantListReply(grants=[grant.record() for grant in call.daemon.grants.all()])


async def _revoke(call: Call, request: GrantRevoke) -> GrantRevoked:
    await call.daemon.grants.revoke(request.credential_id)
    closed = call.daemon.server.end_credential(request.credential_id, call.connection)
    call.daemon.log.info("grant_revoked", credential=request.credential_id, closed=closed)
    return GrantRevoked(credential_id=request.credential_id, connections_closed=closed)


HANDLERS: Final[dict[str, Handler]] = {
    "grant.create": _create,
    "grant.list": _list,
    "grant.revoke": _revoke,
}
