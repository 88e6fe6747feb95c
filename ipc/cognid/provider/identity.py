"""Identity: whose memory a provider is, and what a host's arguments may claim about it.

Who is meant is settled where the provider is made, and at the daemon by the credential. An
argument, a label, a field of a message or of the context, or a header that was passed along can
repeat it; one that says otherwise is refused before anything is sent. The daemon checks the same.

Which names are a claim: `cognid.protocol.claims`.

Owns: the check. Holds no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cognid.protocol.claims import CLAIMS, Claimed, claimed
from cognid.protocol.errors import CognidError

_PARTS: Final = frozenset({"id", "email"})
_DEEPEST: Final = 32


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose memory it is. An agent of None is an agent of its own, never all."""

    owner: str
    agent: str | None

    def check(self, *, agent_id: str | None = None, user_email: str | None = None) -> None:
        """Refuse an agent or a user that is not this one; None claims nothing.

        Raises:
            CognidError: `identity_mismatch`, naming the argument, never its value.
        """
        if agent_id is not None and agent_id != self.agent:
            raise _mismatch("agent_id", "agent")
        if user_email is not None and user_email != self.owner:
            raise _mismatch("user_email", "owner")

    def check_fields(
        self,
        what: str,
        fields: Mapping[str, Any] | None,
        session_id: str | None = None,
        *,
        deep: bool = False,
    ) -> None:
        """Refuse fields that claim another identity.

        Args:
            what: the argument that they came in, for the error.
            fields: as they came.
            session_id: the session that the call is about; where there is none, none can be
                contradicted.
            deep: whether fields of fields are looked at too. In a message they may be anything:
                the arguments of a tool, say, which name whom they like.
        """
        left: list[tuple[Any, int]] = [(fields or {}, 0)]
        while left:
            value, depth = left.pop()
            if depth > _DEEPEST:
                raise CognidError("invalid_argument", f"{what}: is nested too deeply")
            if isinstance(value, Mapping):
                for name, part in value.items():
                    self._check_one(what, str(name), part, session_id)
                    if deep:
                        left.append((part, depth + 1))
            elif isinstance(value, list | tuple):
                left += [(part, depth + 1) for part in value]

    def check_context(
        self, context: str | Mapping[str, Any] | None, session_id: str | None = None
    ) -> None:
        """Refuse a context that claims another identity.

        Of a text only lines that look like a header or a field are read (`X-Agent-Id: …`,
        `owner_id=…`): "user: hello" may be a transcript.
        """
        if not isinstance(context, str):
            self.check_fields("context", context, session_id, deep=True)
            return
        for line in context.splitlines():
            name, mark, value = line.replace("=", ":", 1).partition(":")
            if mark and ("_" in name or "-" in name) and len(name) <= 64:
                told = value.strip().strip("\"',").strip()
                self._check_one("context", name.strip(" \"'"), told, session_id)

    def check_agent(self, agent: Any) -> None:
        """Refuse a host's agent that is not this one: a name, an object, or a mapping."""
        if isinstance(agent, str):
            self.check(agent_id=agent)
        elif isinstance(agent, Mapping):
            self.check_fields("agent", agent)
        else:
            told = {name: getattr(agent, name, None) for name in CLAIMS}
            self.check_fields("agent", told)

    def _check_one(self, what: str, name: str, value: Any, session_id: str | None) -> None:
        of = claimed(name)
        if of is None or value is None:
            return
        is_ = {"owner": self.owner, "agent": self.agent, "session_id": session_id}[of]
        if of == "session_id" and is_ is None:
            return
        if isinstance(value, Mapping):
            told = [part for key, part in value.items() if key in _PARTS and part is not None]
        elif isinstance(value, list | tuple):
            told = list(value)
        else:
            told = [value]
        if any(not isinstance(one, Mapping) and one != is_ for one in told):
            raise _mismatch(f"{what}.{of}", of)


def _mismatch(where: str, of: Claimed) -> CognidError:
    whose = "session" if of == "session_id" else of
    return CognidError("identity_mismatch", f"{where} is not the provider's {whose}")
