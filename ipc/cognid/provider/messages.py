"""Messages: what was said in a session, as a host hands it over.

Of a message `role`, `content`, `name` and `occurred_at` are taken. What has no content (a call of a
tool, say) says nothing to be remembered and is left out. Any other field is the host's own: it is
looked at for claims of identity, and goes no further.

Owns: how a host's messages are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from cognid.client.arguments import make
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Instant, MemoryText, Message, Reference, Role, Word
from cognid.provider.identity import Identity

_TAKEN: Final = frozenset({"role", "content", "name", "occurred_at"})


class Turn(Message):
    """One message that says something."""

    role: Annotated[Role, Word]
    content: MemoryText = Field(repr=False)
    name: Reference | None = None
    occurred_at: Instant | None = None


def turns_of(
    messages: Sequence[Mapping[str, Any]], role: str | None, identity: Identity, session_id: str
) -> list[Turn]:
    """Read a host's messages.

    Args:
        messages: as the host has them, at most `bounds.MESSAGES`.
        role: of those that name none; `user` where this is None.
        identity: what they may claim.
        session_id: of all of them.

    Raises:
        CognidError: `invalid_argument` or `identity_mismatch`, naming the message and the field.
    """
    if len(messages) > bounds.MESSAGES:
        raise CognidError("invalid_argument", f"messages: at most {bounds.MESSAGES} at a time")
    turns = []
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        if not isinstance(message, Mapping):
            raise CognidError("invalid_argument", f"{where}: must be an object")
        others = {name: part for name, part in message.items() if name not in _TAKEN}
        identity.check_fields(where, others, session_id)
        content = message.get("content")
        if content is None or (isinstance(content, str) and not content.strip()):
            continue
        told = {name: message[name] for name in _TAKEN if message.get(name) is not None}
        try:
            turns.append(make(Turn, **{"role": role or Role.USER, **told}))
        except CognidError as error:
            raise CognidError(error.code, f"{where}.{error.detail}") from None
    return turns
