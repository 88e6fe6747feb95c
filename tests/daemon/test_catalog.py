"""The catalog: bindings and keys that survive, and what is said when they do not."""

import asyncio
import errno
import os
import stat
from pathlib import Path

import pytest

from cognid_daemon import catalog_copy
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import DamagedError, NewerSchemaError, WrongKeyError
from cognid_daemon.catalog import COPY_NAME, Catalog, data_exists
from cognid_daemon.catalog_file import FILE_NAME

MASTER = bytes(range(32, 64))
OTHER = bytes(32)


async def _filled(folder: Path) -> list[str]:
    """A catalog with three banks; gives their ids."""
    catalog = await Catalog.open(folder, MASTER)
    pairs = [("local", None), ("local", "agent"), ("Zoë", "agent")]
    made = [await catalog.ensure_bank(*pair, enabled=True) for pair in pairs]
    await catalog.close()
    return [record.bank_id for record, _ in made]


async def test_a_bank_is_made_once(tmp_path: Path) -> None:
    """The same pair gives the same bank, at once and after a restart; its key opens its file."""
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    calls = (catalog.ensure_bank("local", "agent", enabled=False) for _ in range(5))
    made = await asyncio.gather(*calls)
    assert sorted(new for _, new in made) == [False] * 4 + [True]
    record = made[0][0]
    assert not record.enabled
    assert await catalog.ensure_bank("local", "agent", enabled=True) == (record, False)
    await catalog.close()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is None
    assert catalog.find("local", "agent") == record
    assert catalog.banks() == [record]
    key = catalog.bank_key(record.bank_id)
    bank = await Bank.open(catalog.folder(record.bank_id), record.bank_id, key, create=False)
    await bank.close()
    await catalog.close()


async def test_no_agent_is_a_bank_of_its_own(tmp_path: Path) -> None:
    """A null agent is neither a wildcard nor an agent of some name; every bank has its own key."""
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    agents = [None, "None", "0", "1", "null"]
    ids = [(await catalog.ensure_bank("o", agent, enabled=True))[0].bank_id for agent in agents]
    assert len(set(ids)) == len({catalog.bank_key(bank_id) for bank_id in ids}) == len(agents)
    assert catalog.find("o", "other") is None
    assert catalog.find("O", None) is None
    await catalog.close()


async def test_names_keep_their_bytes_in_the_copy(tmp_path: Path) -> None:
    """Composed and decomposed names are two owners, also after the copy has taken over."""
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    owners = ["Zo\u00eb", "Zoe\u0308"]
    ids = [(await catalog.ensure_bank(owner, None, enabled=True))[0].bank_id for owner in owners]
    await catalog.close()
    (tmp_path / "d" / FILE_NAME).unlink()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    found = [catalog.find(owner, None) for owner in owners]
    assert [record and record.bank_id for record in found] == ids
    await catalog.close()


@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty", "missing", "random"])
async def test_the_copy_takes_over(tmp_path: Path, damage: str) -> None:
    """A damaged or missing catalog.db is set aside and made again from the copy, and it is said."""
    ids = await _filled(tmp_path / "d")
    path = tmp_path / "d" / FILE_NAME
    content = path.read_bytes()
    match damage:
        case "flipped":
            path.write_bytes(bytes(byte ^ 1 for byte in content))
        case "truncated":
            path.write_bytes(content[:5000])
        case "empty":
            path.write_bytes(b"")
        case "missing":
            path.unlink()
        case _:
            path.write_bytes(os.urandom(len(content)))
    damaged = path.read_bytes() if path.exists() else None
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is not None
    if damaged is not None:
        assert catalog.restored.name.startswith(f"{FILE_NAME}.damaged-")
        assert catalog.restored.read_bytes() == damaged
    assert [record.bank_id for record in catalog.banks()] == ids
    for bank_id in ids:
        key = catalog.bank_key(bank_id)
        await (await Bank.open(catalog.folder(bank_id), bank_id, key, create=False)).close()
    await catalog.close()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is None
    assert len(catalog.banks()) == 3
    await catalog.close()


async def test_a_crash_while_restoring_is_resumed(tmp_path: Path) -> None:
    """A catalog.db whose making broke off is not taken for an empty catalog."""
    ids = await _filled(tmp_path / "d")
    path = tmp_path / "d" / FILE_NAME
    path.unlink()
    (tmp_path / "e").mkdir()
    half = await Catalog.open(tmp_path / "e", MASTER)
    await half._database.run(lambda c: c.execute("DELETE FROM meta").fetchall())
    await half.close()
    (tmp_path / "e" / FILE_NAME).rename(path)
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert [record.bank_id for record in catalog.banks()] == ids
    await catalog.close()


async def test_an_older_catalog_put_back_does_not_win(tmp_path: Path) -> None:
    """A catalog.db that is older than its copy is set aside: the copy knows more."""
    await _filled(tmp_path / "d")
    path = tmp_path / "d" / FILE_NAME
    old = path.read_bytes()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    await catalog.ensure_bank("later", None, enabled=True)
    await catalog.close()
    path.write_bytes(old)
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is not None
    assert catalog.find("later", None) is not None
    await catalog.close()


@pytest.mark.parametrize("damage", [b"", b"COGNIDCAT\x00\x00\x01" + bytes(64), None])
async def test_a_lost_copy_is_written_again(tmp_path: Path, damage: bytes | None) -> None:
    """A damaged or missing copy is replaced from catalog.db."""
    ids = await _filled(tmp_path / "d")
    copy = tmp_path / "d" / COPY_NAME
    if damage is None:
        copy.unlink()
    else:
        copy.write_bytes(damage)
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is None
    await catalog.close()
    (tmp_path / "d" / FILE_NAME).unlink()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert [record.bank_id for record in catalog.banks()] == ids
    await catalog.close()


async def test_banks_without_a_catalog_are_never_covered_up(tmp_path: Path) -> None:
    """With catalog and copy both lost, the start is refused while there are banks."""
    await _filled(tmp_path / "d")
    for name in (FILE_NAME, COPY_NAME):
        (tmp_path / "d" / name).unlink()
    assert data_exists(tmp_path / "d")
    for _ in range(2):
        with pytest.raises(DamagedError):
            await Catalog.open(tmp_path / "d", MASTER)
    assert not (tmp_path / "d" / FILE_NAME).exists()


async def test_a_wrong_master_key_is_not_damage(tmp_path: Path) -> None:
    """Under another master key neither file opens, both stay, and the right key still works."""
    await _filled(tmp_path / "d")
    before = {p.name: p.read_bytes() for p in (tmp_path / "d").iterdir() if p.is_file()}
    with pytest.raises(WrongKeyError) as caught:
        await Catalog.open(tmp_path / "d", OTHER)
    assert OTHER.hex() not in repr(caught.value)
    after = {p.name: p.read_bytes() for p in (tmp_path / "d").iterdir() if p.is_file()}
    assert after == before
    await (await Catalog.open(tmp_path / "d", MASTER)).close()


async def test_a_wrapped_key_belongs_to_its_bank(tmp_path: Path) -> None:
    """The wrapped key of one bank does not unwrap as another's."""
    first, second, _ = await _filled(tmp_path / "d")
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    swap = (
        "UPDATE banks SET wrapped_key = (SELECT wrapped_key FROM banks WHERE bank_id = ?)"
        " WHERE bank_id = ?"
    )
    await catalog._database.run(lambda c: c.execute(swap, (first, second)).fetchall())
    await catalog.close()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.bank_key(first)
    with pytest.raises(WrongKeyError):
        catalog.bank_key(second)
    await catalog.close()


async def test_a_newer_catalog_is_refused(tmp_path: Path) -> None:
    """A catalog or copy of a newer build is refused and left as it is."""
    await _filled(tmp_path / "d")
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    await catalog._database.run(lambda c: c.execute("PRAGMA user_version = 2").fetchall())
    await catalog.close()
    with pytest.raises(NewerSchemaError):
        await Catalog.open(tmp_path / "d", MASTER)
    (tmp_path / "d" / COPY_NAME).write_bytes(b"COGNIDCAT\x00\x00\x02")
    with pytest.raises(NewerSchemaError):
        await Catalog.open(tmp_path / "d", MASTER)


async def test_nothing_readable_in_the_data_folder(tmp_path: Path) -> None:
    """Neither names nor keys can be read in any file, and all of them are ours alone."""
    before = os.umask(0)
    try:
        catalog = await Catalog.open(tmp_path / "d", MASTER)
        record, _ = await catalog.ensure_bank("Kanarienvogel", "Kanarienvogel", enabled=True)
        key = catalog.bank_key(record.bank_id)
        for path in [tmp_path / "d", *(tmp_path / "d").rglob("*")]:
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), path
            if path.is_file():
                content = path.read_bytes()
                for secret in (b"Kanarienvogel", key, key.hex().encode(), MASTER):
                    assert secret not in content, path
        await catalog.close()
    finally:
        os.umask(before)


async def test_the_purge_horizon_only_rises(tmp_path: Path) -> None:
    """A bank's purge horizon outlives restarts and is never lowered."""
    bank_id, _, _ = await _filled(tmp_path / "d")
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    await catalog.raise_purge_horizon(bank_id, 1000)
    await catalog.raise_purge_horizon(bank_id, 500)
    await catalog.close()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    record = catalog.find("local", None)
    assert record is not None
    assert record.purge_horizon == 1000
    await catalog.close()


async def test_a_start_that_broke_off_before_any_bank_is_begun_again(tmp_path: Path) -> None:
    """An empty catalog.db with neither copy nor banks is what a first start left behind."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / FILE_NAME).touch()
    catalog = await Catalog.open(tmp_path / "d", MASTER)
    assert catalog.restored is None
    assert catalog.banks() == []
    await catalog.close()


async def test_a_start_without_room_for_the_copy_is_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is behind and the disk is full: the catalog is whole without it, its banks can be
    read, and the next start writes it."""
    made = await _filled(tmp_path)
    copy = tmp_path / COPY_NAME
    copy.unlink()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(catalog_copy, "write", full)
        catalog = await Catalog.open(tmp_path, MASTER)
        assert sorted(record.bank_id for record in catalog.banks()) == sorted(made)
        await catalog.close()
    assert not copy.exists()
    await (await Catalog.open(tmp_path, MASTER)).close()
    assert copy.exists()
