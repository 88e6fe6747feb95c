"""A whole daemon without its socket: real catalog, banks and recall, and every operation's handler,
asked through the real dispatcher. It can be closed and opened again on its folder, go on from a
copy of it as a crash leaves it, and get an older file of its bank put back."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast

from cognid.paths import Places, make_folder
from cognid.protocol.frames import Request
from cognid.protocol.ids import new_operation_id
from cognid_daemon.bank.keeping import KEEP_ALL, Keeping
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.banks import Banks, Lease
from cognid_daemon.catalog import Catalog
from cognid_daemon.daemon import Daemon
from cognid_daemon.dispatch import Dispatcher
from cognid_daemon.grants import Grant, Grants
from cognid_daemon.health import Health
from cognid_daemon.logs import Log
from cognid_daemon.managers import Managers
from cognid_daemon.operations import HANDLERS
from cognid_daemon.previews import Previews
from cognid_daemon.recall.models import EmbedderHost
from cognid_daemon.settings import Settings
from cognid_daemon.turns import Turns
from cognid_models import Embedder

MASTER = bytes(range(32))
WHOSE: dict[str, Any] = {"owner": "local", "agent": "ada"}
DEADLINE_MS = 20_000
DIMENSION = 32
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 # where an fsync costs nothing
_LEFT_BEHIND = shutil.ignore_patterns("*-shm", "ballast", "bank.copied")


def scratch() -> Path:
    """A folder for a room: in memory where that can be, since nothing here is about fsync."""
    inside = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    return Path(tempfile.mkdtemp(prefix="cognid-room-", dir=inside))


def small_model(delay: float = 0.0) -> Embedder:
    """The deterministic embedder for tests, in few dimensions, as slow as is wanted."""
    from support.embedder import WordEmbedder

    return WordEmbedder(DIMENSION, delay)


class Caller:
    """What a handler sees of a proven connection."""

    number = 1

    def __init__(self, grant: Grant) -> None:
        self.grant = grant
        self.credential_id = grant.credential_id
        self.managers = Managers()
        self.previews = Previews()
        self.turns = Turns()


class RefusedError(Exception):
    """The daemon answered an error; its code."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.code: str = data["code"]
        super().__init__(f"{data['code']}: {data.get('detail')}")


@dataclass(frozen=True, slots=True)
class BankCopy:
    """A bank's folder as it was."""

    bank_id: str
    folder: Path


@dataclass
class _Open:
    """What lives between an opening and a closing."""

    catalog: Catalog
    banks: Banks
    host: EmbedderHost
    grants: Grants
    dispatcher: Dispatcher
    caller: Caller


class AuthorityRoom:
    """One data folder, its daemon's parts, and one agent's bank. `open` first, `close` at the end.

    Args:
        load: the embedding model.
        keeping: how long and how much the bank keeps.
    """

    def __init__(
        self,
        home: Path,
        load: Callable[[], Embedder] = small_model,
        keeping: Keeping = KEEP_ALL,
    ) -> None:
        self._home = home
        self._load = load
        self._keeping = keeping
        self._numbers = itertools.count(1)
        self.data = home / "data-0"
        self._parts: _Open | None = None

    @property
    def parts(self) -> _Open:
        """What is open now."""
        assert self._parts is not None
        return self._parts

    @property
    def bank_id(self) -> str:
        """The id of the agent's bank, which a wipe changes."""
        return self.parts.banks.record(**WHOSE).bank_id

    async def open(self) -> Self:
        """Open everything on the folder, as the lifecycle does; the bank is made if it is new."""
        places = Places(self.data, self._home / "config", self._home / "bridge.sock")
        make_folder(places.data)
        make_folder(places.credentials)
        grants = Grants.load(places.data)
        grants.settle_owner(places)
        catalog = await Catalog.open(places.data, MASTER)
        host = EmbedderHost(self._load)
        banks = Banks(catalog, host, self._keeping)
        # Eight MiB of ballast a start would be most of what this room does.
        banks._ballast = cast(Any, SimpleNamespace(keep=lambda: None, give_up=lambda: False))
        await banks.start()
        daemon = Daemon(places, Settings(), Log("error"), Health(), grants, banks, host, "none")
        daemon.state = "ready"
        (owner,) = grants.all()
        dispatcher = Dispatcher(daemon, HANDLERS)
        self._parts = _Open(catalog, banks, host, grants, dispatcher, Caller(owner))
        host.start()
        await self.ask("bank.ensure", enabled=True, **operation())
        return self

    async def close(self) -> None:
        """Close everything in order."""
        parts, self._parts = self.parts, None
        await parts.banks.close()
        await parts.catalog.close()
        await parts.host.close()
        parts.grants.close()

    async def restart(self) -> None:
        """Close in order and open again."""
        await self.close()
        await self.open()

    async def crash(self) -> None:
        """Go on from what kill -9 would leave now."""
        copy = self._home / f"data-{next(self._numbers)}"
        await self._between_writes(lambda: _copy(self.data, copy))
        old = self.data
        await self.close()
        shutil.rmtree(old)
        self.data = copy
        await self.open()

    async def copy_bank(self) -> BankCopy:
        """Copy the bank's folder as it is now."""
        bank_id = self.bank_id
        copy = BankCopy(bank_id, self._home / f"bank-{next(self._numbers)}")
        await self._between_writes(lambda: _copy(self.parts.catalog.folder(bank_id), copy.folder))
        return copy

    async def put_back(self, copy: BankCopy) -> None:
        """Put an older copy in the place of the bank's folder, with everything closed."""
        folder = self.parts.catalog.folder(copy.bank_id)
        await self.close()
        shutil.rmtree(folder)
        shutil.copytree(copy.folder, folder)
        await self.open()

    async def rebuild(self) -> None:
        """Have both indexes made anew beside the live ones; does not wait for them."""
        answer = await self.ask("index.rebuild", **operation())
        assert answer["outcome"] == "committed", answer

    async def _between_writes(self, work: Callable[[], None]) -> None:
        """Do something on the writer's thread: no COMMIT, checkpoint or VACUUM is under way."""

        def apply(_: Transaction) -> None:
            work()

        async with self.parts.banks.lease(**WHOSE) as lease:
            await lease.bank.submit(apply).outcome()

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask as the owner's connection does. Raises RefusedError."""
        parts = self.parts
        caller = cast(Any, parts.caller)
        request = Request(1, method, {**WHOSE, "deadline_ms": DEADLINE_MS, **params})
        answer = parts.dispatcher.take(caller, request, asyncio.get_running_loop().time())
        if not isinstance(answer, bytes):
            turn = parts.caller.turns.take(answer.operation, answer.request)
            answer = await parts.dispatcher.run(answer, turn)
        frame: dict[str, Any] = json.loads(answer)
        if "error" in frame:
            raise RefusedError(frame["error"]["data"])
        result: dict[str, Any] = frame["result"]
        return result

    async def handle(self) -> str:
        """A fresh manager handle."""
        handle: str = (await self.ask("configure.open"))["handle"]
        return handle

    async def listed(self) -> list[dict[str, Any]]:
        """Every current memory."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = await self.ask(
                "memory.inspect", view="list", handle=await self.handle(), limit=100, cursor=cursor
            )
            found += page["memories"]
            cursor = page["cursor"]
            if cursor is None:
                assert page["total"] == len(found)
                return found

    async def exported(self) -> list[dict[str, Any]]:
        """Every record of the bank."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = await self.ask("export", cursor=cursor)
            if not page["records"]:
                return found
            found += page["records"]
            cursor = page["cursor"]

    async def peek(self) -> Peek:
        """Look into the bank and the vector index themselves."""
        async with self.parts.banks.lease(**WHOSE) as lease:
            await lease.bank.submit(lambda tx: None).outcome()
            return await lease.bank.read(partial(_peek, lease=lease))

    async def wait_indexed(self) -> None:
        """Wait until nothing waits for its vectors."""
        async with asyncio.timeout(20):
            while True:
                index = await self.ask("index.status")
                if index["vector"]["state"] == "ready" and not index["backlog"]:
                    return
                await asyncio.sleep(0.002)


@dataclass(frozen=True, slots=True)
class Peek:
    """What a bank's tables and its vector index hold, whoever may ask for it."""

    texts: list[str]
    current: set[int]
    words: set[int]
    embedded: set[int]
    indexed: set[int]


def _peek(connection: Any, *, lease: Lease) -> Peek:
    def column(query: str) -> list[Any]:
        return [row[0] for row in connection.execute(query).fetchall()]

    service = lease.recaller.serving.service
    indexed: set[int] = set()
    if service is not None:
        service.index.settle()
        indexed = set(service.index._matrix.owners.tolist())
    return Peek(
        texts=sorted(column("SELECT text FROM texts")),
        current=set(column("SELECT revision_rowid FROM revisions WHERE lifecycle = 'current'")),
        words=set(column("SELECT id FROM lexical_docsize")),
        embedded=set(column("SELECT revision_rowid FROM embeddings")),
        indexed=indexed,
    )


def _copy(source: Path, to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)  # a write may be applied twice
    shutil.copytree(source, to, ignore=_LEFT_BEHIND)


def operation() -> dict[str, str]:
    """A fresh operation id, as a field of a request."""
    return {"operation_id": new_operation_id()}


@asynccontextmanager
async def authority_room() -> AsyncIterator[AuthorityRoom]:
    """An open room on a folder of its own, gone at the end."""
    home = scratch()
    room = await AuthorityRoom(home).open()
    try:
        yield room
    finally:
        await room.close()
        shutil.rmtree(home)
