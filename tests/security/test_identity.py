"""Other identities: another user at the socket, folders that are not ours, requests that name
more than their grant allows."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running

from cognid.credentials import Credential, load_credential, new_credential, save_credential
from cognid.paths import distrust, make_folder
from cognid.protocol.errors import CognidError
from cognid.protocol.ids import new_operation_id
from cognid.protocol.proof import verifier_of

NOBODY = 65534


@pytest.fixture(scope="module")
def target() -> Iterator[DaemonProcess]:
    """One daemon for all tests of this file."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


def pair(daemon: DaemonProcess, name: str, **limits: Any) -> Credential:
    """Pair a credential as the owner."""
    credential = new_credential(name)
    verifier = verifier_of(credential.secret)
    with daemon.connect() as connection:
        connection.result(
            "grant.create",
            {
                "operation_id": new_operation_id(),
                "credential_id": credential.credential_id,
                "name": name,
                "stored_key": verifier.stored_key.hex(),
                "server_key": verifier.server_key.hex(),
                "owners": "*",
                "agents": "*",
                "rights": ["remember", "recall"],
                **limits,
            },
        )
    return credential


_CONNECT = """
import os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
one = socket.socket(socket.AF_UNIX)
one.settimeout(10)
try:
    one.connect(sys.argv[1])
except OSError as error:
    print("refused by the system", error.errno)
else:
    print(one.recv(4096).decode(), one.recv(4096))
"""


@pytest.mark.root
def test_other_user_cannot_even_reach_the_socket(target: DaemonProcess) -> None:
    """For another user the 0700 folder is closed."""
    asked = subprocess.run(
        [sys.executable, "-c", _CONNECT, str(target.places.socket), str(NOBODY)],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert asked.stdout.startswith("refused by the system 13"), asked


@pytest.mark.root
def test_other_user_is_refused_by_its_uid() -> None:
    """Even where the folder and the socket are opened by mistake, another user is refused."""
    with running(settings=WITHOUT_MODEL) as daemon:
        for folder in (daemon.home, daemon.home / "run", daemon.places.socket.parent):
            folder.chmod(0o755)
        daemon.places.socket.chmod(0o666)
        asked = subprocess.run(
            [sys.executable, "-c", _CONNECT, str(daemon.places.socket), str(NOBODY)],
            capture_output=True,
            text=True,
            timeout=20,
        )
        answer, _, rest = asked.stdout.rpartition(" ")
        assert '"code":"unauthenticated"' in answer, asked
        assert "another user" in answer
        assert rest.strip() == "b''"
        assert "peer_refused" in daemon.log_text()
        with daemon.connect() as connection:
            assert connection.result("ping")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of ours, made as the daemon makes it."""
    tmp_path.chmod(0o700)
    made = tmp_path / "in/cognid"
    make_folder(made)
    return made


def test_callers_distrust_a_loose_folder(folder: Path) -> None:
    """A socket's folder that others can enter is named and not used."""
    assert distrust(folder) is None
    folder.chmod(0o750)
    assert "0750" in str(distrust(folder))
    folder.chmod(0o700)
    folder.parent.chmod(0o777)
    assert "writable by others" in str(distrust(folder))


def test_callers_distrust_a_symlinked_folder(folder: Path) -> None:
    """A link in the place of the socket's folder is named and not used."""
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert "symbolic link" in str(distrust(link))


@pytest.mark.parametrize("above", ["gone", "n" * 300, "file"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, above: str) -> None:
    """A home whose link leads nowhere (a disk that is not mounted), a name that is too long, a file
    in the way: each is an error with a remedy, and nothing else."""
    tmp_path.chmod(0o700)
    (tmp_path / "gone").symlink_to(tmp_path / "not mounted")
    (tmp_path / "file").touch()
    with pytest.raises(CognidError, match=above) as caught:
        make_folder(tmp_path / above / "share/cognid")
    assert caught.value.code == "folder_unsafe"


def test_each_folder_that_is_made_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of each is synced where it stands: without one of them all below it is lost."""
    tmp_path.chmod(0o700)
    synced: list[Path] = []
    monkeypatch.setattr("cognid.paths.sync_folder", synced.append)
    make_folder(tmp_path / "local/share/cognid")
    assert synced == [tmp_path, tmp_path / "local", tmp_path / "local/share"]


@pytest.mark.root
def test_callers_distrust_a_squatted_folder(folder: Path) -> None:
    """A folder that somebody else made in our place is named and not used, and not taken over."""
    os.chown(folder, NOBODY, NOBODY)
    assert f"user {NOBODY}" in str(distrust(folder))
    with pytest.raises(CognidError) as caught:
        make_folder(folder)
    assert caught.value.code == "folder_unsafe"
    os.chown(folder, 0, 0)
    os.chown(folder.parent, NOBODY, NOBODY)
    assert f"user {NOBODY}" in str(distrust(folder))


@pytest.mark.root
def test_daemon_does_not_start_over_a_squatted_socket_folder() -> None:
    """Where another user holds the socket's folder the daemon ends with 78 and binds nothing."""
    daemon = DaemonProcess(settings=WITHOUT_MODEL)
    squatted = daemon.places.socket.parent
    squatted.mkdir()
    os.chown(squatted, NOBODY, NOBODY)
    assert daemon.run_to_end() == 78
    assert list(squatted.iterdir()) == []
    assert "code=folder_unsafe" in daemon.log_text()
    daemon.close()


def test_outer_folders_are_made_for_us_alone(tmp_path: Path) -> None:
    """Under a umask of 0 the folders above a new folder are 0700 too."""
    tmp_path.chmod(0o700)
    before = os.umask(0)
    try:
        make_folder(tmp_path / "a/b/c")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")} == {0o700}


LIMITED = {"owners": ["ana"], "agents": ["chat"]}
BANK_OPERATIONS: list[tuple[str, dict[str, Any]]] = [
    ("bank.status", {}),
    ("memory.recall", {"query": "x"}),
    ("memory.search", {"query": "x", "pipeline": "lexical"}),
    ("index.status", {}),
    ("bank.ensure", {"enabled": True}),
    ("memory.add", {"kind": "fact", "text": "x"}),
    (
        "memory.remember",
        {"event": {"stream": "s", "data": {"role": "user", "content": "x"}}},
    ),
    ("operation.resolve", {}),
]
_MUTATIONS = {"bank.ensure", "memory.add", "memory.remember", "operation.resolve"}


@pytest.fixture(scope="module")
def limited(target: DaemonProcess) -> Iterator[RawConnection]:
    """A connection whose grant is for owner ana and agent chat, without admin or configure."""
    with target.connect(pair(target, "limited", **LIMITED)) as connection:
        yield connection


@pytest.mark.parametrize(("method", "params"), BANK_OPERATIONS, ids=lambda one: str(one)[:16])
@pytest.mark.parametrize(
    ("owner", "agent", "missing"),
    [
        ("ben", "chat", "owner"),
        ("ana", "mail", "agent"),
        ("ana", None, "agent"),
        (None, "chat", "owner"),
        ("*", "chat", "owner"),
        ("ana", "*", "agent"),
        ("ana\u0301", "chat", "owner"),
        ("ANA", "chat", "owner"),
    ],
)
def test_request_for_another_identity_is_refused(
    limited: RawConnection,
    method: str,
    params: dict[str, Any],
    owner: str | None,
    agent: str | None,
    missing: str,
) -> None:
    """A request that names another owner or agent than its grant is refused, for every operation:
    leaving a field out, a star, another case or another normal form is another identity."""
    asked: dict[str, Any] = {**params, "agent": agent}
    if owner is not None:
        asked["owner"] = owner
    if method in _MUTATIONS:
        asked["operation_id"] = new_operation_id()
    error = limited.error(method, asked)
    assert error["code"] == "forbidden"
    assert error["detail"].startswith(missing)


@pytest.mark.parametrize(
    ("method", "params", "right"),
    [
        ("shutdown", {}, "admin"),
        ("grant.list", {}, "admin"),
        ("grant.revoke", {"operation_id": new_operation_id(), "credential_id": "x"}, "admin"),
        ("configure.open", {"owner": "ana", "agent": "chat"}, "configure"),
        (
            "memory.inspect",
            {
                "owner": "ana",
                "agent": "chat",
                "view": "get",
                "handle": "mgr_" + "0" * 64,
                "memory_id": "mem_" + "0" * 32,
            },
            "configure",
        ),
    ],
)
def test_operation_without_its_right_is_refused(
    limited: RawConnection, method: str, params: dict[str, Any], right: str
) -> None:
    """What the grant gives no right to is refused by the name of the right."""
    error = limited.error(method, params)
    assert error["code"] == "forbidden"
    assert f"right {right} " in error["detail"]


def test_bearer_cannot_widen_its_grant(target: DaemonProcess, limited: RawConnection) -> None:
    """Without admin no grant can be made, not even a narrower one."""
    error = limited.error(
        "grant.create",
        {
            "operation_id": new_operation_id(),
            "credential_id": "crd_x",
            "name": "x",
            "stored_key": "0" * 64,
            "server_key": "0" * 64,
            "owners": ["ana"],
            "agents": ["chat"],
            "rights": ["recall"],
        },
    )
    assert error["code"] == "forbidden"
    with target.connect() as admin:
        names = [grant["name"] for grant in admin.result("grant.list")["grants"]]
    assert "x" not in names


def test_credential_file_of_another_name_proves_itself(
    target: DaemonProcess, tmp_path: Path
) -> None:
    """A paired program needs the socket and its own credential file, nothing else."""
    tmp_path.chmod(0o700)
    credential = pair(target, "boxed", owners=["ana"])
    save_credential(credential, tmp_path / "boxed.json")
    with target.connect(load_credential(tmp_path / "boxed.json")) as connection:
        assert connection.proven["grant"]["owners"] == ["ana"]


def test_grants_hold_after_a_restart() -> None:
    """A pairing and a revocation are still there after the daemon was killed."""
    with running(settings=WITHOUT_MODEL) as daemon:
        kept, ended = pair(daemon, "kept"), pair(daemon, "ended")
        with daemon.connect() as connection:
            connection.result(
                "grant.revoke",
                {
                    "operation_id": new_operation_id(),
                    "credential_id": ended.credential_id,
                },
            )
        daemon.kill9()
        daemon.start()
        with daemon.connect(kept) as connection:
            assert connection.result("ping")
        with pytest.raises(AssertionError, match="unauthenticated"):
            daemon.connect(ended)


def test_stale_socket_of_a_dead_daemon_answers_nobody(target: DaemonProcess) -> None:
    """A socket file that nobody listens at gives an error at once, not a wait."""
    path = target.home / "dead.sock"
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as dead:
        dead.bind(os.fspath(path))
    with pytest.raises(ConnectionRefusedError):
        RawConnection(path, target.credential())
