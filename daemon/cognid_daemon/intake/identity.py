"""Identity claims: content may not say that it belongs to somebody else.

Who is speaking is settled by the credential and the request. A field of an event's data, or a
label, that names another owner, agent or session is refused, so that no header or metadata that a
caller passes along can move a memory.

Owns: which names count as a claim.
"""

from __future__ import annotations

from typing import Any, Final

from cognid.protocol.errors import CognidError

_CLAIMS: Final[dict[str, str]] = {
    "owner": "owner",
    "owner_id": "owner",
    "user": "owner",
    "user_id": "owner",
    "user_email": "owner",
    "tenant_id": "owner",
    "agent": "agent",
    "agent_id": "agent",
    "session": "session_id",
    "session_id": "session_id",
}
"""Names that claim an identity, and what of the request they must agree with."""


def check_claims(
    data: dict[str, Any], labels: list[str], owner: str, agent: str | None, session_id: str | None
) -> None:
    """Refuse content that claims another identity than its request.

    Raises:
        CognidError: `identity_mismatch`, naming the field or the label's key, never its value.
    """
    identity = {"owner": owner, "agent": agent, "session_id": session_id}
    for name, of in _CLAIMS.items():
        if name in data and data[name] != identity[of]:
            raise CognidError("identity_mismatch", f"event.data.{name} is not the request's {of}")
    for label in labels:
        name, _, value = label.replace("=", ":", 1).partition(":")
        claimed = _CLAIMS.get(name.strip().casefold())
        if claimed and value and value.strip() != identity[claimed]:
            raise CognidError(
                "identity_mismatch", f"a label claims another {claimed} than the request"
            )
