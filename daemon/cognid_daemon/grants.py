"""Grants: who may come in, and what for. Kept in `verifiers.json`, 0600, in the data folder.

The file holds of each credential only StoredKey and ServerKey (`cognid.protocol.proof`): who reads
it can neither pose as a caller nor learn a secret. It is plain, so that callers can prove
themselves while the banks are locked.

The owner's credential is made at the first start. Its file stands in the configuration folder, and
belongs to the person whose machine this is: where the file is gone or names a credential that is
not known here, the owner's grant is made anew from the file as it stands, or with a new one.

Owns: the grants, in memory and in their file. May not speak to a connection.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cognid.credentials import (
    OWNER,
    Credential,
    credential_path,
    load_credential,
    new_credential,
    save_credential,
)
from cognid.paths import Places, read_private, write_private
from cognid.protocol.errors import CognidError
from cognid.protocol.grants import Agents, GrantRecord, GrantView, Owners, Rights
from cognid.protocol.proof import Verifier, verifier_of
from cognid.protocol.values import Instant, Reference, Right, Sha256Hex
from cognid_daemon.faults import storage_fault

T = TypeVar("T")

FILE: Final = "verifiers.json"
GRANTS: Final = 1_024
"""Grants in all: the file stays small enough to be written whole."""
_FILE_BYTES: Final = 64 * 1024 * 1024
_FORM: Final = 1
_GIVEN_BY_NAME: Final = frozenset({Right.TOOL_FORGET, Right.TOOL_CORRECT})


@dataclass(frozen=True, slots=True)
class Grant:
    """What one credential may do. `owners` and `agents` are None where there is no limit."""

    credential_id: str
    name: str
    owners: tuple[str, ...] | None
    agents: tuple[str | None, ...] | None
    rights: tuple[Right, ...]
    created_at: datetime
    verifier: Verifier = field(repr=False)

    def lacks(self, right: Right | None) -> bool:
        """Whether a right that an operation needs is missing."""
        return right is not None and right not in self.rights

    def reaches_owner(self, owner: str) -> bool:
        """Whether the grant is for this owner."""
        return self.owners is None or owner in self.owners

    def reaches_agent(self, agent: str | None) -> bool:
        """Whether the grant is for this agent; null is an agent of its own."""
        return self.agents is None or agent in self.agents

    def reaches(self, owner: str, agent: str | None) -> bool:
        """Whether the grant is for this owner and agent."""
        return self.reaches_owner(owner) and self.reaches_agent(agent)

    def allows(self, right: Right | None, owner: str, agent: str | None) -> bool:
        """Whether the bearer may do this for this owner and agent."""
        return not self.lacks(right) and self.reaches(owner, agent)

    def beyond(self, other: Grant) -> str | None:
        """Name the field in which another grant reaches further than this one, or None."""
        if self.owners is not None and not set(other.owners or ("*",)) <= set(self.owners):
            return "owners"
        if self.agents is not None and (
            other.agents is None or not set(other.agents) <= set(self.agents)
        ):
            return "agents"
        return None

    def view(self) -> GrantView:
        """The grant as its bearer sees it."""
        return GrantView(**self._fields())

    def record(self) -> GrantRecord:
        """The grant as an administrator sees it."""
        return GrantRecord(**self._fields(), created_at=self.created_at)

    def _fields(self) -> dict[str, Any]:
        return {
            "credential_id": self.credential_id,
            "name": self.name,
            "owners": "*" if self.owners is None else list(self.owners),
            "agents": "*" if self.agents is None else list(self.agents),
            "rights": list(self.rights),
        }


class _StoredGrant(BaseModel):
    """One grant as it stands in the file."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    credential_id: Reference
    name: Reference
    owners: Owners
    agents: Agents
    rights: Rights
    created_at: Instant
    stored_key: Sha256Hex
    server_key: Sha256Hex


class _File(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    form: int
    grants: list[_StoredGrant]


class Grants:
    """All grants, oldest first, and the worker that writes them."""

    def __init__(self, path: Path, grants: list[Grant]) -> None:
        self._path = path
        self._by_id = {grant.credential_id: grant for grant in grants}
        self._turn = asyncio.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="cognid-grants")

    @classmethod
    def load(cls, data: Path) -> Grants:
        """Read the grants; without the file there are none.

        Raises:
            CognidError: `grants_damaged`; `credential_unsafe` where others can read the file.
        """
        path = data / FILE
        try:
            content = read_private(path, _FILE_BYTES)
        except FileNotFoundError:
            return cls(path, [])
        try:
            stored = TypeAdapter(_File).validate_json(content)
        except ValidationError:
            raise CognidError("grants_damaged", str(path)) from None
        if stored.form != _FORM:
            raise CognidError("grants_damaged", f"{path} has form {stored.form}, not {_FORM}")
        return cls(path, [_from_stored(one) for one in stored.grants])

    def find(self, credential_id: str) -> Grant | None:
        """The grant of a credential."""
        return self._by_id.get(credential_id)

    def all(self) -> list[Grant]:
        """Every grant, oldest first."""
        return list(self._by_id.values())

    def settle_owner(self, places: Places) -> bool:
        """Make sure that the owner's credential file and grant belong together.

        At start only, before the loop serves anyone: it writes on this thread.

        Returns:
            Whether a grant of the owner had to be replaced.
        """
        path = credential_path(places)
        try:
            credential = load_credential(path)
        except CognidError as error:
            if error.code != "credential_missing":
                raise
            credential = new_credential(OWNER)
            # The file first: after a crash in between the next start makes the grant from it.
            save_credential(credential, path)
        known = self._by_id.get(credential.credential_id)
        if known and known.verifier == verifier_of(credential.secret):
            return False
        kept = [grant for grant in self.all() if grant.name != OWNER and grant is not known]
        replaced = len(kept) < len(self._by_id)
        grants = [_owner_grant(credential), *kept]
        self._write(grants)
        self._by_id = {grant.credential_id: grant for grant in grants}
        return replaced

    async def create(self, grant: Grant) -> Grant:
        """Add a grant, durably. The very same grant again answers the one there is.

        Raises:
            CognidError: `grant_exists` for a name or credential that is taken;
                `invalid_argument` beyond the bound on grants; `storage_full`, `storage_failed`.
        """
        async with self._turn:
            known = self._by_id.get(grant.credential_id)
            if known and replace(grant, created_at=known.created_at) == known:
                return known
            if known or any(other.name == grant.name for other in self._by_id.values()):
                raise CognidError("grant_exists", "the name or the credential is taken")
            if len(self._by_id) >= GRANTS:
                raise CognidError("invalid_argument", f"there are {GRANTS} grants, the most kept")
            await self._replace([*self.all(), grant])
            return grant

    async def revoke(self, credential_id: str) -> None:
        """Take a grant away, durably.

        Raises:
            CognidError: `unknown_grant`; `invalid_argument` for the last one with `admin`;
                `storage_full`, `storage_failed`.
        """
        async with self._turn:
            kept = [grant for grant in self.all() if grant.credential_id != credential_id]
            if len(kept) == len(self._by_id):
                raise CognidError("unknown_grant")
            if all(grant.lacks(Right.ADMIN) for grant in kept):
                raise CognidError("invalid_argument", "the last grant with admin cannot be revoked")
            await self._replace(kept)

    def close(self) -> None:
        """End the worker; a write that has begun is finished first."""
        self._worker.shutdown()

    async def _replace(self, grants: list[Grant]) -> None:
        try:
            await _settled(self._worker, lambda: self._write(grants))
        except OSError as error:
            raise storage_fault(error) from None
        self._by_id = {grant.credential_id: grant for grant in grants}

    def _write(self, grants: list[Grant]) -> None:
        content = {"form": _FORM, "grants": [_to_stored(grant) for grant in grants]}
        write_private(self._path, json.dumps(content, indent=1).encode("utf-8") + b"\n")


async def _settled(worker: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run work that cannot be called off once begun: a cancellation is too late and is let go."""
    future = asyncio.get_running_loop().run_in_executor(worker, work)
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            continue
    return future.result()


def _owner_grant(credential: Credential) -> Grant:
    rights = tuple(right for right in Right if right not in _GIVEN_BY_NAME)
    verifier = verifier_of(credential.secret)
    now = datetime.now(UTC)
    return Grant(credential.credential_id, OWNER, None, None, rights, now, verifier)


def make_grant(
    credential_id: str,
    name: str,
    owners: Owners,
    agents: Agents,
    rights: list[Right],
    keys: tuple[str, str],
    created_at: datetime,
) -> Grant:
    """Make a grant from the wire's words. `keys` are StoredKey and ServerKey in hex."""
    return Grant(
        credential_id,
        name,
        None if owners == "*" else tuple(dict.fromkeys(owners)),
        None if agents == "*" else tuple(dict.fromkeys(agents)),
        tuple(right for right in Right if right in rights),
        created_at,
        Verifier(bytes.fromhex(keys[0]), bytes.fromhex(keys[1])),
    )


def _from_stored(one: _StoredGrant) -> Grant:
    return make_grant(
        one.credential_id,
        one.name,
        one.owners,
        one.agents,
        one.rights,
        (one.stored_key, one.server_key),
        one.created_at,
    )


def _to_stored(grant: Grant) -> dict[str, object]:
    return {
        **grant.record().model_dump(mode="json"),
        "stored_key": grant.verifier.stored_key.hex(),
        "server_key": grant.verifier.server_key.hex(),
    }
