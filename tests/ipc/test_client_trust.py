"""The client refuses a peer it cannot trust before it has told it anything."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from support.scripted_daemon import ScriptedDaemon

from cognid import AsyncClient, CognidError
from cognid.client import trust
from cognid.credentials import Credential, new_credential
from cognid.protocol.proof import verifier_of


async def refusal(socket: Path, credential: Credential) -> CognidError:
    """The error that a ping meets."""
    async with AsyncClient(socket, credential) as client:
        with pytest.raises(CognidError) as caught:
            await client.ping()
    return caught.value


async def test_proven_peer_is_taken(tmp_path: Path) -> None:
    """A peer that knows the credential is taken, and what it proved is told."""
    async with (
        ScriptedDaemon(tmp_path / "run") as daemon,
        AsyncClient(daemon.socket, daemon.credential) as client,
    ):
        proven = await client.connect()
        assert (proven.build, proven.grant.name) == ("0.1.0", "test")
        assert (await client.ping()).instance == "ins_scripted"
        assert await client.connect() == proven
        assert daemon.connections == 1, "a living link is kept"


async def test_missing_socket_is_unreachable(tmp_path: Path) -> None:
    """No socket: unreachable, with the path and how to start the daemon."""
    error = await refusal(tmp_path / "none.sock", new_credential("test"))
    assert error.code == "unreachable"
    assert str(tmp_path) in error.detail
    assert "cognid serve" in error.remedy


async def test_dead_socket_is_unreachable(tmp_path: Path) -> None:
    """A socket file that nobody listens at is unreachable, not trusted and not awaited."""
    folder = tmp_path / "run"
    async with ScriptedDaemon(folder) as daemon:
        os.link(daemon.socket, folder / "left.sock")
    error = await refusal(folder / "left.sock", daemon.credential)
    assert error.code == "unreachable"


async def test_squatter_without_the_secret_is_refused(tmp_path: Path) -> None:
    """Another program at the socket, not knowing the secret, gets no request."""
    stranger = verifier_of(new_credential("other").secret)
    async with ScriptedDaemon(tmp_path / "run", verifier=stranger) as daemon:
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "daemon_unproven"
    assert daemon.requests == []


async def test_reflected_nonce_is_refused(tmp_path: Path) -> None:
    """A peer that gives our own nonce back is refused before our proof is sent."""
    async with ScriptedDaemon(tmp_path / "run", reflects=True) as daemon:
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "daemon_unproven"
    assert "nonce" in error.detail


@pytest.mark.parametrize(
    "hello",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b'{"jsonrpc":"2.0","id":1,"result":{"server_nonce":"x","version":1}}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{"server_nonce":7}}\n',
        b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
        b"\xff\xfe\n",
        b"[" * 2000 + b"\n",
    ],
)
async def test_nonsense_at_hello_is_no_daemon(tmp_path: Path, hello: bytes) -> None:
    """Whatever does not answer hello as the protocol says is not the daemon."""
    async with ScriptedDaemon(tmp_path / "run", hello=hello) as daemon:
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "daemon_unproven"


async def test_chosen_version_must_be_one_of_ours(tmp_path: Path) -> None:
    """A daemon that chooses a version we did not offer is named with both versions."""
    async with ScriptedDaemon(tmp_path / "run", extra={"version": 2}) as daemon:
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "version_unsupported"
    assert "2" in error.detail and "[1]" in error.detail


async def test_handshake_may_grow_fields(tmp_path: Path) -> None:
    """Unknown fields of hello's and prove's answers are let pass."""
    async with (
        ScriptedDaemon(tmp_path / "run", extra={"novelty": {"a": [1]}}) as daemon,
        AsyncClient(daemon.socket, daemon.credential) as client,
    ):
        await client.ping()


@pytest.mark.parametrize("mode", [0o750, 0o701, 0o777])
async def test_loose_folder_is_refused(tmp_path: Path, mode: int) -> None:
    """A socket in a folder that others can enter is not connected to."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        daemon.folder.chmod(mode)
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "untrusted_socket"
    assert daemon.connections == 0


@pytest.mark.parametrize("mode", [0o660, 0o606])
async def test_loose_socket_is_refused(tmp_path: Path, mode: int) -> None:
    """A socket that others can write to is not connected to."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        daemon.socket.chmod(mode)
        error = await refusal(daemon.socket, daemon.credential)
    assert error.code == "untrusted_socket"
    assert daemon.connections == 0


async def test_link_to_a_socket_is_refused(tmp_path: Path) -> None:
    """A symbolic link in place of the socket is refused."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        link = daemon.folder / "link.sock"
        link.symlink_to(daemon.socket)
        error = await refusal(link, daemon.credential)
    assert error.code == "untrusted_socket"


async def test_linked_folder_is_refused(tmp_path: Path) -> None:
    """A symbolic link in place of the socket's folder is refused."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        (tmp_path / "link").symlink_to(daemon.folder)
        error = await refusal(tmp_path / "link/bridge.sock", daemon.credential)
    assert error.code == "untrusted_socket"


async def test_plain_file_is_refused(tmp_path: Path) -> None:
    """A file in place of the socket is refused."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    (folder / "bridge.sock").touch(mode=0o600)
    error = await refusal(folder / "bridge.sock", new_credential("test"))
    assert error.code == "untrusted_socket"


async def test_listener_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another user than us or root listens at is refused by the kernel's word."""
    monkeypatch.setattr(trust, "peer_uid", lambda connected: os.getuid() + 4711)
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        error = await refusal(daemon.socket, daemon.credential)
        await asyncio.sleep(0)
    assert error.code == "untrusted_socket"
    assert daemon.requests == []


async def test_silent_peer_does_not_hold_a_call(tmp_path: Path) -> None:
    """A peer that accepts and says nothing costs a call its own deadline, no more."""
    loop = asyncio.get_running_loop()
    async with (
        ScriptedDaemon(tmp_path / "run", hello=b"") as daemon,
        AsyncClient(daemon.socket, daemon.credential) as client,
    ):
        began = loop.time()
        with pytest.raises(CognidError) as caught:
            await client.recall("x", deadline_ms=50)
        assert caught.value.code == "deadline_exceeded"
        assert loop.time() - began < 0.5


async def test_missing_credential_is_named(tmp_path: Path) -> None:
    """Without a credential file nothing is sent and the file is named."""
    async with ScriptedDaemon(tmp_path / "run") as daemon:
        async with AsyncClient(daemon.socket, tmp_path / "none.json") as client:
            with pytest.raises(CognidError) as caught:
                await client.ping()
        assert caught.value.code == "credential_missing"
        assert daemon.connections == 0
