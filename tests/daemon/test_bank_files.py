"""The files of a bank: what can be read in them, who may, and what is done about damage."""

import asyncio
import importlib.metadata
import inspect
import logging
import os
import stat
import struct
from pathlib import Path

import aiosqlite
import pytest
from support.bank_room import BANK_ID, KEY, opened, remembering

from cognid_daemon.bank import schema
from cognid_daemon.bank.bank import FILE_NAME, Bank
from cognid_daemon.bank.check import Fault, check
from cognid_daemon.bank.errors import DamagedError, NewerSchemaError, UnsafeFileError
from cognid_daemon.bank.migrate import Step
from cognid_daemon.bank.rows import NewEmbedding
from cognid_daemon.bank.transaction import Transaction

CANARY = "Kanarienvogel-7719"


def test_aiosqlite_is_the_version_that_was_read() -> None:
    """The private parts of aiosqlite that one module uses are those of the pinned version."""
    assert importlib.metadata.version("aiosqlite") == "0.22.1"
    assert list(inspect.signature(aiosqlite.Connection._execute).parameters) == [
        "self",
        "fn",
        "args",
        "kwargs",
    ]
    made = aiosqlite.Connection(lambda: None, 64)  # type: ignore[arg-type,return-value] # not run
    assert made._connection is None
    assert made._thread.name
    assert logging.getLogger("aiosqlite").disabled


async def test_nothing_is_readable_in_any_file(tmp_path: Path) -> None:
    """No file holds a byte of a text or a vector, in UTF-8 or UTF-16, open or closed."""
    vector = struct.pack("<8e", *(0.125 * n for n in range(1, 9)))
    folder = tmp_path / "b"

    def look() -> None:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        for path in files:
            content = path.read_bytes()
            for form in (CANARY.encode(), CANARY.encode("utf-16-le"), b"kanarienvogel", vector):
                assert form not in content, path
            assert b"SQLite format 3" not in content

    async with opened(folder) as bank:
        stored = await bank.submit(remembering(CANARY, sequence=1)).outcome()

        def embed(tx: Transaction) -> None:
            space = tx.ensure_space("space", 8)
            tx.add_embeddings(stored.revision_rowid, space, [NewEmbedding(0, (0, 3), vector)])

        await bank.submit(embed).outcome()
        assert (folder / f"{FILE_NAME}-wal").stat().st_size > 0
        look()
    look()


async def test_files_are_ours_alone_whatever_the_umask(tmp_path: Path) -> None:
    """Folders are 0700 and files 0600 under umask 0, and loose ones are tightened at open."""
    before = os.umask(0)
    try:
        async with opened(tmp_path / "home" / "b") as bank:
            await bank.submit(remembering("one", sequence=1)).outcome()
            for path in (tmp_path / "home").rglob("*"):
                mode = stat.S_IMODE(path.stat().st_mode)
                assert mode == (0o700 if path.is_dir() else 0o600), path
    finally:
        os.umask(before)
    path = tmp_path / "home" / "b" / FILE_NAME
    path.chmod(0o644)
    async with opened(path.parent, create=False):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_linked_file_is_refused(tmp_path: Path) -> None:
    """A symbolic link in place of the bank's file is not followed."""
    async with opened(tmp_path / "b"):
        pass
    (tmp_path / "b" / FILE_NAME).rename(tmp_path / "elsewhere.db")
    (tmp_path / "b" / FILE_NAME).symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(UnsafeFileError):
        await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False)


async def test_a_wrong_key_is_refused(tmp_path: Path) -> None:
    """Another key opens nothing and changes nothing; no message holds either key."""
    async with opened(tmp_path / "b") as bank:
        await bank.submit(remembering("one", sequence=1)).outcome()
    before = (tmp_path / "b" / FILE_NAME).read_bytes()
    wrong = bytes(32)
    with pytest.raises(DamagedError) as caught:
        await Bank.open(tmp_path / "b", BANK_ID, wrong, create=False)
    assert wrong.hex() not in repr(caught.value)
    assert (tmp_path / "b" / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "missing"])
async def test_a_missing_file_is_never_made_anew(tmp_path: Path, empty: bool) -> None:
    """A bank whose file is missing or empty is damaged, not new."""
    (tmp_path / "b").mkdir()
    path = tmp_path / "b" / FILE_NAME
    if empty:
        path.touch()
    with pytest.raises(DamagedError, match="missing or empty"):
        await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False)
    assert path.exists() == empty


async def test_the_file_of_another_bank_is_refused(tmp_path: Path) -> None:
    """A file carries its bank's id, even under the same key."""
    async with opened(tmp_path / "b"):
        pass
    with pytest.raises(DamagedError, match="another bank"):
        await Bank.open(tmp_path / "b", BANK_ID.replace("1", "2"), KEY, create=False)


async def test_a_flipped_byte_is_found(tmp_path: Path) -> None:
    """A changed page fails its authentication: in the check, and in the read that meets it."""
    path = tmp_path / "b" / FILE_NAME
    async with opened(tmp_path / "b") as bank:
        await bank.submit(remembering("word " * 60_000, sequence=1)).outcome()
    content = bytearray(path.read_bytes())
    content[60 * 4096 + 99] ^= 1  # one of the 73 pages over which the text runs
    path.write_bytes(content)
    async with opened(tmp_path / "b", create=False) as bank:
        with pytest.raises(DamagedError) as caught:
            await bank.read(lambda c: c.execute("SELECT text FROM texts").fetchall())
        assert caught.value.__context__ is None
        # The reader was opened anew, so what is whole can still be read.
        assert await bank.read(lambda c: c.execute("SELECT count(*) FROM meta").fetchone())
        assert Fault.PAGES in {finding.fault for finding in (await check(bank)).findings}


async def test_a_truncated_file_is_found(tmp_path: Path) -> None:
    """A file cut to 60 % is damaged, by a typed error that names the file."""
    path = tmp_path / "b" / FILE_NAME
    async with opened(tmp_path / "b") as bank:
        for n in range(40):
            await bank.submit(remembering(f"{n} " * 2000, sequence=n)).outcome()
    os.truncate(path, path.stat().st_size * 6 // 10)
    with pytest.raises(DamagedError, match=FILE_NAME):
        async with opened(tmp_path / "b", create=False) as bank:
            assert not (await check(bank)).sound
            raise DamagedError(f"found by the check: {path}")


_NEXT = (*schema.STEPS, Step(2, ("CREATE TABLE later(a)", "INSERT INTO later VALUES (1)")))


async def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    """An older build refuses a newer file in one sentence, and leaves it as it is."""
    bank = await Bank.open(tmp_path / "b", BANK_ID, KEY, create=True, steps=_NEXT)
    await bank.close()
    before = (tmp_path / "b" / FILE_NAME).read_bytes()
    with pytest.raises(NewerSchemaError) as caught:
        await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False)
    assert str(caught.value) == (
        "schema_newer: The file has schema version 2, and this Cognid knows versions up to 1:"
        " upgrade Cognid."
    )
    assert (tmp_path / "b" / FILE_NAME).read_bytes() == before


async def test_an_older_file_is_migrated_and_a_sealed_copy_kept(tmp_path: Path) -> None:
    """A migration keeps the file as it was; that copy opens under the key with the old build."""
    async with opened(tmp_path / "b") as bank:
        await bank.submit(remembering("one", sequence=1)).outcome()
    bank = await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False, steps=_NEXT)
    rows = await bank.read(lambda c: c.execute("SELECT a, text FROM later, texts").fetchall())
    assert rows == [(1, "one")]
    await bank.close()
    copy = tmp_path / "b" / f"{FILE_NAME}.before-migration"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    (tmp_path / "old").mkdir()
    copy.rename(tmp_path / "old" / FILE_NAME)
    async with opened(tmp_path / "old", create=False) as old:
        assert (await check(old)).memories == 1


async def test_a_migration_that_fails_leaves_the_file_as_before(tmp_path: Path) -> None:
    """A step that breaks off is rolled back whole, and a later open does it anew."""
    async with opened(tmp_path / "b"):
        pass
    broken = (*schema.STEPS, Step(2, (*_NEXT[1].statements, "no statement")))
    with pytest.raises(Exception, match="SQLITE_ERROR"):
        await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False, steps=broken)
    async with opened(tmp_path / "b", create=False):
        pass
    bank = await Bank.open(tmp_path / "b", BANK_ID, KEY, create=False, steps=_NEXT)
    await bank.close()


async def test_a_new_fold_indexes_the_texts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bank that was indexed by another version of the fold is indexed again at open."""
    async with opened(tmp_path / "b") as bank:
        await bank.submit(remembering("one", sequence=1)).outcome()
    module = "cognid_daemon.bank.bank"
    monkeypatch.setattr(f"{module}.FOLD_VERSION", 99)
    monkeypatch.setattr(f"{module}.fold_document", lambda text, speaker: "another")
    async with opened(tmp_path / "b", create=False) as bank:
        found = await bank.read(
            lambda c: c.execute("SELECT rowid FROM lexical('another')").fetchall()
        )
        assert found == [(1,)]
        assert (await check(bank)).sound


async def test_banks_open_and_close_without_a_trace(tmp_path: Path) -> None:
    """Twenty rounds of open and close leave no descriptor and no thread behind."""
    import threading

    async with opened(tmp_path / "b"):
        pass
    await asyncio.sleep(0)
    descriptors, threads = len(os.listdir("/dev/fd")), threading.active_count()  # noqa: PTH208
    for _ in range(20):
        async with opened(tmp_path / "b", create=False):
            pass
    assert len(os.listdir("/dev/fd")) <= descriptors + 1  # noqa: PTH208
    assert threading.active_count() <= threads + 1
