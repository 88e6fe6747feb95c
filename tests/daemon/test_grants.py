from __future__ import annotations

import asyncio
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cognid.credentials import (
    Credential,
    credential_path,
    load_credential,
    new_credential,
    save_credential,
)
from cognid.paths import Places, make_folder, write_private
from cognid.protocol.errors import CognidError
from cognid.protocol.proof import verifier_of
from cognid.protocol.values import Right
from cognid_daemon import grants as grants_module
from cognid_daemon.grants import FILE, Grant, Grants

Load = Callable[[], Grants]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Folders of our own."""
    tmp_path.chmod(0o700)
    made = Places(tmp_path / "data", tmp_path / "config", tmp_path / "bridge.sock")
    make_folder(made.data)
    return made


@pytest.fixture
def load(places: Places) -> Iterator[Load]:
    """Read the grants as a daemon that starts does; all are closed in the end."""
    opened: list[Grants] = []

    def loaded() -> Grants:
        opened.append(Grants.load(places.data))
        return opened[-1]

    yield loaded
    for grants in opened:
        grants.close()


def grant_of(
    name: str = "app",
    *,
    owners: tuple[str, ...] | None = None,
    agents: tuple[str | None, ...] | None = None,
    rights: tuple[Right, ...] = (Right.RECALL,),
    credential: Credential | None = None,
) -> Grant:
    """A grant, for a fresh credential unless one is given."""
    held = credential or new_credential(name)
    return Grant(
        held.credential_id,
        name,
        owners,
        agents,
        rights,
        datetime.now(UTC),
        verifier_of(held.secret),
    )


def test_first_start_makes_the_owners_credential(places: Places, load: Load) -> None:
    """The first start writes owner.json, 0600, with every right that is not given by name."""
    grants = load()
    assert grants.settle_owner(places) is False
    path = credential_path(places)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    grant = grants.find(load_credential(path).credential_id)
    assert grant is not None
    assert (grant.owners, grant.agents) == (None, None)
    assert set(Right) - set(grant.rights) == {Right.TOOL_FORGET, Right.TOOL_CORRECT}


def test_later_starts_change_nothing(places: Places, load: Load) -> None:
    """A second start finds the credential and its grant as they are."""
    load().settle_owner(places)
    before = (places.data / FILE).read_bytes(), credential_path(places).read_bytes()
    again = load()
    assert again.settle_owner(places) is False
    assert ((places.data / FILE).read_bytes(), credential_path(places).read_bytes()) == before


async def test_lost_credential_is_replaced_and_the_others_stay(places: Places, load: Load) -> None:
    """Where owner.json is gone a new one is made, the old grant ends, other grants live on."""
    grants = load()
    grants.settle_owner(places)
    old = load_credential(credential_path(places))
    await grants.create(grant_of("app"))
    credential_path(places).unlink()
    again = load()
    assert again.settle_owner(places) is True
    assert again.find(old.credential_id) is None
    assert [grant.name for grant in load().all()] == ["owner", "app"]


def test_credential_without_its_grant_is_taken_up(places: Places, load: Load) -> None:
    """owner.json of a start that crashed before the grant was written, or of a data folder that
    was put back, is used as it stands."""
    credential = new_credential("owner")
    save_credential(credential, credential_path(places))
    grants = load()
    assert grants.settle_owner(places) is False
    grant = load().find(credential.credential_id)
    assert grant is not None
    assert grant.verifier == verifier_of(credential.secret)


def test_other_secret_under_the_same_id_replaces_the_grant(places: Places, load: Load) -> None:
    """A grant whose keys do not belong to owner.json is made anew: the file's holder comes in."""
    load().settle_owner(places)
    known = load_credential(credential_path(places))
    changed = Credential(known.credential_id, "owner", bytes(32))
    save_credential(changed, credential_path(places))
    grants = load()
    assert grants.settle_owner(places) is True
    grant = grants.find(known.credential_id)
    assert grant is not None
    assert grant.verifier == verifier_of(changed.secret)


def test_readable_credential_stops_the_start(places: Places, load: Load) -> None:
    """An owner.json that others can read is refused, not used."""
    load().settle_owner(places)
    credential_path(places).chmod(0o644)
    with pytest.raises(CognidError) as caught:
        load().settle_owner(places)
    assert caught.value.code == "credential_unsafe"


async def test_grants_survive_a_restart_whole(places: Places, load: Load) -> None:
    """A created grant is read back equal, null agent and all."""
    grant = grant_of(owners=("ana", "ben"), agents=("chat", None), rights=(Right.RECALL,))
    await load().create(grant)
    assert load().all() == [grant]


async def test_file_is_private_and_holds_no_secret(places: Places, load: Load) -> None:
    """verifiers.json is 0600 and nothing in it opens a door."""
    credential = new_credential("app")
    before = os.umask(0)
    try:
        await load().create(grant_of(credential=credential))
    finally:
        os.umask(before)
    path = places.data / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert credential.secret.hex() not in path.read_text()
    assert credential.secret not in path.read_bytes()


async def test_same_grant_again_is_no_second_one(load: Load) -> None:
    """A create whose answer was lost can be repeated."""
    grants = load()
    credential = new_credential("app")
    first = await grants.create(grant_of(credential=credential))
    assert await grants.create(grant_of(credential=credential)) == first
    assert len(grants.all()) == 1


async def test_taken_name_or_credential_is_refused(load: Load) -> None:
    """Another grant under a taken name, or under a taken credential, is refused."""
    grants = load()
    credential = new_credential("app")
    await grants.create(grant_of(credential=credential))
    for other in (
        grant_of("app"),
        grant_of("other", credential=credential),
        grant_of(credential=credential, rights=(Right.ADMIN,)),
    ):
        with pytest.raises(CognidError) as caught:
            await grants.create(other)
        assert caught.value.code == "grant_exists"
    assert len(load().all()) == 1


async def test_number_of_grants_is_bounded(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound no grant is made."""
    monkeypatch.setattr(grants_module, "GRANTS", 1)
    grants = load()
    await grants.create(grant_of("one"))
    with pytest.raises(CognidError, match="invalid_argument"):
        await grants.create(grant_of("two"))


async def test_last_admin_cannot_be_revoked(load: Load) -> None:
    """Somebody can always pair and revoke."""
    grants = load()
    admin = await grants.create(grant_of("admin", rights=(Right.ADMIN,)))
    plain = await grants.create(grant_of("plain"))
    with pytest.raises(CognidError) as caught:
        await grants.revoke(admin.credential_id)
    assert caught.value.code == "invalid_argument"
    await grants.revoke(plain.credential_id)
    with pytest.raises(CognidError) as caught:
        await grants.revoke(plain.credential_id)
    assert caught.value.code == "unknown_grant"
    assert load().all() == [admin]


async def test_failed_write_changes_nothing(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grant that could not be written does not hold in memory either."""
    grants = load()

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(grants_module, "write_private", full)
    with pytest.raises(CognidError, match="No space") as caught:
        await grants.create(grant_of())
    assert (caught.value.code, caught.value.effect) == ("storage_full", "none")
    assert grants.all() == []


async def test_cancelling_a_write_that_has_begun_is_too_late(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is being written holds in memory too, whatever the caller does meanwhile."""
    grants = load()
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(path: Path, content: bytes) -> None:
        loop.call_soon_threadsafe(started.set)
        time.sleep(0.05)
        write_private(path, content)

    monkeypatch.setattr(grants_module, "write_private", slow)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(grants.create(grant_of()))
        await started.wait()
        task.cancel()
    assert task.result() == grants.all()[0] == load().all()[0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"form": 1', '"form": 2'),
        lambda text: text.replace("recall", "everything"),
        lambda text: "[]",
        lambda text: "",
    ],
)
async def test_damaged_file_lets_nobody_in(
    places: Places, load: Load, damage: Callable[[str], str]
) -> None:
    """A verifiers.json that cannot be read stops the start with its own code."""
    await load().create(grant_of())
    path = places.data / FILE
    path.write_text(damage(path.read_text()))
    with pytest.raises(CognidError) as caught:
        load()
    assert caught.value.code == "grants_damaged"
    assert caught.value.exit == 78


async def test_readable_file_is_refused(places: Places, load: Load) -> None:
    """A verifiers.json that others can read or that is a link is refused."""
    await load().create(grant_of())
    path = places.data / FILE
    path.chmod(0o640)
    with pytest.raises(CognidError, match="credential_unsafe"):
        load()
    path.chmod(0o600)
    path.rename(path.with_name("real"))
    path.symlink_to("real")
    with pytest.raises(CognidError, match="credential_unsafe"):
        load()


@pytest.mark.parametrize(
    ("owners", "agents", "owner", "agent", "reaches"),
    [
        (None, None, "ana", "chat", True),
        (None, None, "ana", None, True),
        (("ana",), None, "ana", "chat", True),
        (("ana",), None, "ben", "chat", False),
        (None, ("chat",), "ana", "chat", True),
        (None, ("chat",), "ana", "mail", False),
        (None, ("chat",), "ana", None, False),
        (None, (None,), "ana", None, True),
        (None, (None,), "ana", "chat", False),
        (("ana",), ("chat",), "ben", "chat", False),
    ],
)
def test_reach_is_by_name_and_null_is_a_name(
    owners: tuple[str, ...] | None,
    agents: tuple[str | None, ...] | None,
    owner: str,
    agent: str | None,
    reaches: bool,
) -> None:
    """A grant reaches the owners and agents it names; a null agent is one of them, no wildcard."""
    grant = grant_of(owners=owners, agents=agents)
    assert grant.reaches(owner, agent) is reaches
    assert grant.allows(Right.RECALL, owner, agent) is reaches
    assert grant.allows(Right.ADMIN, owner, agent) is False


@pytest.mark.parametrize(
    ("holder", "other", "beyond"),
    [
        ((None, None), (None, None), None),
        ((("ana",), None), (("ana",), None), None),
        ((("ana",), None), (None, None), "owners"),
        ((("ana",), None), (("ana", "ben"), None), "owners"),
        ((None, ("chat",)), (None, None), "agents"),
        ((None, ("chat",)), (None, ("chat", None)), "agents"),
        ((None, ("chat", None)), (None, (None,)), None),
    ],
)
def test_who_pairs_cannot_reach_beyond_itself(
    holder: tuple[tuple[str, ...] | None, tuple[str | None, ...] | None],
    other: tuple[tuple[str, ...] | None, tuple[str | None, ...] | None],
    beyond: str | None,
) -> None:
    """A grant made by a limited administrator lies within the administrator's own."""
    mine = grant_of(owners=holder[0], agents=holder[1])
    assert mine.beyond(grant_of(owners=other[0], agents=other[1])) == beyond


def test_file_has_a_form_that_a_person_can_read(places: Places, load: Load) -> None:
    """verifiers.json is plain JSON with a form number."""
    load().settle_owner(places)
    content = json.loads((places.data / FILE).read_text())
    assert content["form"] == 1
    assert [grant["name"] for grant in content["grants"]] == ["owner"]
