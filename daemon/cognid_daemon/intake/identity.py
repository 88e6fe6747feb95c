"""Identity claims: content may not say that it belongs to somebody else.

Who is speaking is settled by the credential and the request. A field of an event's data, or a
label, that names another owner, agent or session is refused, so that no header or metadata that a
caller passes along can move a memory. Which names are a claim: `cognid.protocol.claims`.

Owns: the check.
"""

from __future__ import annotations

from typing import Any

from cognid.protocol.claims import CLAIMS, claimed
from cognid.protocol.errors import CognidError


def check_claims(
    data: dict[str, Any], labels: list[str], owner: str, agent: str | None, session_id: str | None
) -> None:
    """Refuse content that claims another identity than its request.

    Raises:
        CognidError: `identity_mismatch`, naming the field or the label's key, never its value.
    """
    identity = {"owner": owner, "agent": agent, "session_id": session_id}
    for name, value in data.items():
        of = claimed(name)
        if of is not None and value != identity[of]:
            # A header's name may hold more than the claim.
            field = f".{name}" if name in CLAIMS else ""
            raise CognidError("identity_mismatch", f"event.data{field} is not the request's {of}")
    for label in labels:
        name, _, value = label.replace("=", ":", 1).partition(":")
        of = claimed(name)
        if of is not None and value and value.strip() != identity[of]:
            raise CognidError("identity_mismatch", f"a label claims another {of} than the request")
