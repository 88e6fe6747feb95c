"""Names: the owner, agent and session that are set, and how a call overrides them.

Owns: what a name may be, and that no call sees half of a change. Knows no call.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from cognid.cognis.link import Scope
from cognid.protocol.values import Reference

DEFAULT_OWNER: Final = "local"
"""Whose memories where only an agent or a session is named."""
_REFERENCE: Final[TypeAdapter[str]] = TypeAdapter(Reference)


@dataclass(frozen=True, slots=True)
class _Names:
    """Who is set. One value, so that no call sees half of a change."""

    owner: str | None
    agent: str | None
    session: str


class Who:
    """Who is set, for any number of threads.

    Raises:
        ValueError: none of the three is named, or one of them is "" or too long.
    """

    def __init__(self, owner_id: str | None, agent_id: str | None, session_id: str | None) -> None:
        if owner_id is None and agent_id is None and session_id is None:
            raise ValueError("At least one of (owner_id, agent_id, session_id) is required")
        self._guard = threading.Lock()
        self.names = _Names(
            _checked("owner_id", owner_id),
            _checked("agent_id", agent_id),
            _checked("session_id", session_id) or _new_session(),
        )

    def set(self, **names: str | None) -> None:
        """Set some of the three."""
        with self._guard:
            self.names = replace(self.names, **names)  # type: ignore[arg-type]

    def scope(
        self,
        owner_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
    ) -> Scope:
        """The scope of a call: whom it names, else who is set."""
        names = self.names
        return Scope(
            _checked("owner_id", owner_id) or names.owner or DEFAULT_OWNER,
            _checked("agent_id", agent_id) or names.agent,
            _checked("session_id", session_id) or names.session,
        )


class Scoped:
    """A face that somebody is set on."""

    _who: Who

    @property
    def owner_id(self) -> str | None:
        """The owner that is set; None stands for the local user."""
        return self._who.names.owner

    @property
    def agent_id(self) -> str | None:
        """The agent that is set; None is a scope of its own."""
        return self._who.names.agent

    @property
    def session_id(self) -> str:
        """The session that is set."""
        return self._who.names.session

    def new_session(self) -> str:
        """Begin a session; gives its id."""
        session_id = _new_session()
        self._who.set(session=session_id)
        return session_id

    def set_session(self, session_id: str) -> None:
        """Go on in a session."""
        self._who.set(session=_named("session_id", session_id))

    def set_owner(self, owner_id: str | None) -> None:
        """Go on for an owner; None stands for the local user."""
        self._who.set(owner=_checked("owner_id", owner_id))

    def set_agent(self, agent_id: str | None) -> None:
        """Go on as an agent; None is a scope of its own."""
        self._who.set(agent=_checked("agent_id", agent_id))

    def __repr__(self) -> str:
        names = self._who.names
        return (
            f"{type(self).__name__}(owner={names.owner!r}, agent={names.agent!r},"
            f" session={names.session!r})"
        )


def _new_session() -> str:
    return f"ses_{secrets.token_hex(16)}"


def _named(name: str, value: str) -> str:
    """A name of an owner, agent or session.

    Raises:
        ValueError: it is "", blank, too long, or no text.
    """
    try:
        return _REFERENCE.validate_python(value, strict=True)
    except ValidationError as error:
        raise ValueError(f"{name}: {error.errors()[0]['msg']}") from None


def _checked(name: str, value: str | None) -> str | None:
    """The same, where None means that it is not given."""
    return None if value is None else _named(name, value)
