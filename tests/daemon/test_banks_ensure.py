"""bank.ensure that is called off, or that the disk stops: what is answered is what there is."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2
from support.authority_room import AuthorityRoom, RefusedError, authority_room, operation

from cognid_daemon import catalog_copy
from cognid_daemon.bank import files


@pytest.fixture
async def room() -> AsyncIterator[AuthorityRoom]:
    """A daemon's parts."""
    async with authority_room() as room:
        yield room


def _agents(room: AuthorityRoom) -> set[str | None]:
    return {record.agent for record in room.parts.banks.records()}


async def test_a_bank_whose_making_was_called_off_too_late_is_told_as_made(
    room: AuthorityRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called off while the catalog's copy is written: the answer is not that nothing happened, and
    nobody else's change of the catalog runs into what was left."""
    loop = asyncio.get_running_loop()
    writing, go_on = asyncio.Event(), asyncio.Event()
    real = catalog_copy.write

    def slowly(*arguments: object) -> None:
        monkeypatch.undo()
        loop.call_soon_threadsafe(writing.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(10)
        real(*arguments)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(catalog_copy, "write", slowly)
    asked = asyncio.create_task(room.ask("bank.ensure", agent="eva", enabled=False, **operation()))
    await writing.wait()
    asked.cancel()
    await asyncio.sleep(0.05)
    other = asyncio.create_task(room.ask("bank.ensure", agent="ida", enabled=True, **operation()))
    await asyncio.sleep(0.05)
    go_on.set()
    answer = await asked
    assert (answer["created"], answer["enabled"]) == (True, False)
    assert (await other)["created"]
    assert _agents(room) == {"ada", "eva", "ida"}
    await room.restart()
    assert _agents(room) == {"ada", "eva", "ida"}


def _full(path: Path) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def _not_opened(*_: object, **__: object) -> None:
    error = dbapi2.OperationalError("unable to open database file")
    error.sqlite_errorcode, error.sqlite_errorname = 14, "SQLITE_CANTOPEN"
    raise error


@pytest.mark.parametrize(
    ("owner", "name", "fails", "code"),
    [
        (files, "private_folder", _full, "storage_full"),
        (files, "make_empty", _full, "storage_full"),
        (dbapi2, "connect", _not_opened, "storage_failed"),
    ],
)
async def test_a_bank_that_the_disk_does_not_take_is_a_typed_error_and_leaves_nothing(
    room: AuthorityRoom,
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    fails: object,
    code: str,
) -> None:
    """Neither `internal`, nor a folder more at each try; once the disk takes it, it is made."""
    ensure = {"agent": "eva", "enabled": True}
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, fails)
        with pytest.raises(RefusedError, match=code):
            await room.ask("bank.ensure", **ensure, **operation())
    assert [one.name for one in (room.data / "banks").iterdir()] == [room.bank_id]
    assert (await room.ask("bank.ensure", **ensure, **operation()))["created"]
