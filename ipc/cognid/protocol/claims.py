"""Claims of identity: names under which content says whose it is.

Who is meant is settled by the credential and the request. A field, a label or a header that is
passed along in content can repeat that; what says otherwise is refused, by the daemon and, before
anything is sent, by the provider.

Owns: which names are a claim, and of what. May not judge a value.
"""

from __future__ import annotations

from typing import Final, Literal

Claimed = Literal["owner", "agent", "session_id"]
"""What of a request a claim must agree with."""

CLAIMS: Final[dict[str, Claimed]] = {
    "owner": "owner",
    "owner_id": "owner",
    "owner_email": "owner",
    "user": "owner",
    "user_id": "owner",
    "user_email": "owner",
    "tenant_id": "owner",
    "agent_owner_email": "owner",
    "agent": "agent",
    "agent_id": "agent",
    "session": "session_id",
    "session_id": "session_id",
}
"""Names that claim an identity. Read with dashes for underscores and in any case, and as headers:
`X-Agent-Id`, and `X-Anything-User-Email` for those of more words than one."""
_OF_HEADERS: Final = tuple(f"_{name}" for name in CLAIMS if "_" in name)


def claimed(name: str) -> Claimed | None:
    """What a name claims; None where it is any other name."""
    plain = name.strip(" \"'").casefold().replace("-", "_")
    if plain.startswith("x_"):
        plain = plain[2:]
        for ending in _OF_HEADERS:
            if plain.endswith(ending):
                return CLAIMS[ending[1:]]
    return CLAIMS.get(plain)
