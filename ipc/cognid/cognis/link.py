"""The link of a `Cognis`: one connection, and the daemon that is started where none runs.

Owns: whose bank a call is about, the manager handles, and what it means that there is no such bank
yet. Has no call of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from cognid.client import AsyncClient
from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.starting import Home, have_daemon

AT_ONCE: Final = 32
"""Requests that one call has under way together: when one fails no more are sent."""
_ROOM: Final = bounds.REQUESTS_IN_FLIGHT - 8
"""Requests in flight on the connection; the rest is for what calls off others."""
_HANDLES: Final = 32
"""Manager handles kept, of 64 that the daemon keeps for a connection."""
_NOWHERE: Final = frozenset({"unreachable", "credential_missing"})

_R = TypeVar("_R")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose bank, and which conversation."""

    owner: str
    agent: str | None
    session: str

    @property
    def bank(self) -> tuple[str, str | None]:
        """The bank alone."""
        return self.owner, self.agent

    @property
    def whose(self) -> dict[str, Any]:
        """The bank, as the client takes it."""
        return {"owner": self.owner, "agent": self.agent}


class _PatientClient(AsyncClient):
    """A client that waits for room on its connection, where the daemon would be overloaded."""

    def __init__(self, home: Home) -> None:
        super().__init__(home.places.socket, home.credential)
        self._room = asyncio.Semaphore(_ROOM)

    async def call(self, name: str, request: BaseModel) -> Any:
        """Call an operation when there is room; its deadline counts from then."""
        async with self._room:
            return await super().call(name, request)


class CognisLink:
    """The connection, for calls about any bank. Belongs to the loop it is first used on."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._client = _PatientClient(home)
        self._handles: dict[tuple[str, str | None], str] = {}

    async def close(self) -> None:
        """End the connection."""
        await self._client.close()

    async def _connected(self) -> AsyncClient:
        """Give the client, connected; where no daemon runs, start one."""
        try:
            await self._client.connect()
        except CognidError as error:
            if error.code not in _NOWHERE:
                raise
            await have_daemon(self._home)
            await self._client.connect()
        return self._client

    async def _managed(self, scope: Scope, ask: Callable[[str], Awaitable[_R]]) -> _R:
        """Ask with a manager handle; once more with a new one where the daemon refuses it.

        A refused handle means that nothing was done.
        """
        handle = self._handles.get(scope.bank) or await self._open(scope)
        try:
            return await ask(handle)
        except CognidError as refusal:
            if refusal.code != "handle_invalid":
                raise
        newer = self._handles.get(scope.bank)
        return await ask(newer if newer and newer != handle else await self._open(scope))

    async def _open(self, scope: Scope) -> str:
        opened = await self._client.open_configure(**scope.whose)
        self._handles.pop(scope.bank, None)
        while len(self._handles) >= _HANDLES:
            del self._handles[next(iter(self._handles))]
        self._handles[scope.bank] = opened.handle
        return opened.handle


async def all_of(asked: Iterable[Awaitable[_R]]) -> list[_R]:
    """Wait for all, in whatever way they end; then raise the first failure, if there is one."""
    ended = await asyncio.gather(*asked, return_exceptions=True)
    answers: list[_R] = []
    for one in ended:
        if isinstance(one, BaseException):
            raise one
        answers.append(one)
    return answers


async def known(asked: Awaitable[_R]) -> _R | None:
    """Wait for an answer; None where there is no such bank yet, so that it holds nothing."""
    try:
        return await asked
    except CognidError as error:
        if error.code != "unknown_bank":
            raise
        return None


async def there(asked: Awaitable[_R]) -> _R | None:
    """The same, and None for an id that no memory can have."""
    try:
        return await known(asked)
    except CognidError as error:
        if error.code != "invalid_argument":
            raise
        return None


def batches(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    """A list in parts of so many."""
    return (items[start : start + size] for start in range(0, len(items), size))
