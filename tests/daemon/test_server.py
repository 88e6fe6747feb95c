from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.daemon import ClosedError, RawConnection
from support.server_room import ServerRoom, server_room

from cognid.credentials import Credential, new_credential
from cognid.protocol import bounds
from cognid.protocol.banks import BankList, BankListReply
from cognid.protocol.ids import new_operation_id
from cognid.protocol.proof import verifier_of
from cognid_daemon import listener as listener_module
from cognid_daemon.connection import CLOSING_SECONDS
from cognid_daemon.dispatch import Call
from cognid_daemon.server import CANCEL_SECONDS, FLUSH_SECONDS

FINISHED: list[str] = []


async def _wait(call: Call, request: BankList) -> BankListReply:
    await asyncio.sleep(float(request.owner or "0"))
    FINISHED.append("done")
    return BankListReply(banks=[])


@pytest.fixture
def room(tmp_path: Path) -> Iterator[ServerRoom]:
    """A server whose `bank.list` waits as many seconds as its owner says."""
    FINISHED.clear()
    with server_room(tmp_path, {"bank.list": _wait}) as made:
        yield made


def pair(connection: RawConnection, name: str, **limits: Any) -> Credential:
    """Pair a credential over a connection that may."""
    credential = new_credential(name)
    verifier = verifier_of(credential.secret)
    asked = {
        "operation_id": new_operation_id(),
        "credential_id": credential.credential_id,
        "name": name,
        "stored_key": verifier.stored_key.hex(),
        "server_key": verifier.server_key.hex(),
        "owners": "*",
        "agents": "*",
        "rights": ["recall"],
        **limits,
    }
    grant = connection.result("grant.create", asked)["grant"]
    assert grant["name"] == name
    return credential


def revoke(connection: RawConnection, credential: Credential) -> dict[str, Any]:
    """Revoke a credential over a connection that may."""
    asked = {"operation_id": new_operation_id(), "credential_id": credential.credential_id}
    return connection.result("grant.revoke", asked)


def test_17th_unproven_connection_waits_for_its_turn(room: ServerRoom) -> None:
    """16 connections may be without proof; the next is heard once one of them has proved itself."""
    crowd = [room.connect(prove=False) for _ in range(bounds.UNPROVEN_CONNECTIONS)]
    late = room.connect(prove=False)
    hello = {"credential_id": "crd_none", "client_nonce": "0" * 64, "versions": [1]}
    asked = late.send("hello", hello)
    late.socket.settimeout(0.3)
    with pytest.raises(TimeoutError):
        late.read()
    crowd[0].shake(room.owner)
    late.socket.settimeout(5.0)
    assert "server_nonce" in late.answer(asked)["result"]


def test_silent_crowd_holds_others_up_no_longer_than_a_handshake(room: ServerRoom) -> None:
    """16 callers that say nothing are closed after two seconds, and who waited is served."""
    for _ in range(bounds.UNPROVEN_CONNECTIONS):
        room.connect(prove=False)
    began = time.monotonic()
    assert room.connect().result("ping")
    assert time.monotonic() - began < 2 * bounds.HANDSHAKE_SECONDS


def test_burst_of_callers_is_served(room: ServerRoom) -> None:
    """A hundred callers at once are all let in."""
    with ThreadPoolExecutor(100) as callers:
        answers = list(callers.map(lambda _: room.connect().result("ping"), range(100)))
    assert len(answers) == 100


def test_connections_are_bounded(room: ServerRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound on connections, proven ones counted, the next is refused."""
    monkeypatch.setattr(bounds, "CONNECTIONS", 5)
    kept = [room.connect() for _ in range(5)]
    refused = room.connect(prove=False).closed_with()
    assert refused is not None
    assert refused["code"] == "too_many_connections"
    kept[0].close()
    time.sleep(0.05)
    assert room.connect().result("ping")


def test_proof_tells_who_speaks(room: ServerRoom) -> None:
    """The answer to the proof names grant, bounds, build, instance and state."""
    proven = room.connect().proven
    assert proven["grant"]["name"] == "owner"
    assert proven["grant"]["owners"] == "*"
    assert proven["bounds"]["in_flight"] == bounds.REQUESTS_IN_FLIGHT
    assert proven["instance"] == room.daemon.instance
    assert proven["state"] == "ready"
    assert proven["build"]


def test_revoked_credential_is_cut_off_at_once(room: ServerRoom) -> None:
    """Revoking closes the credential's connections with a reason, and no new one opens."""
    admin = room.connect()
    credential = pair(admin, "app")
    lost = [room.connect(credential) for _ in range(3)]
    asked = lost[0].send("bank.list", {"owner": "30"})
    assert lost[0].result("ping")
    answer = revoke(admin, credential)
    assert answer == {"credential_id": credential.credential_id, "connections_closed": 3}
    for connection in lost:
        ended = connection.closed_with()
        assert ended is not None
        assert ended["code"] == "unauthenticated"
    assert asked
    with pytest.raises(AssertionError, match="unauthenticated"):
        room.connect(credential)
    assert admin.result("ping")


def test_what_a_revoked_caller_asked_for_is_called_off_at_once(room: ServerRoom) -> None:
    """Its requests in flight end with the grant, even while its answers lie unread."""
    admin = room.connect()
    credential = pair(admin, "app")
    lost = room.connect(credential)
    lost.send("bank.list", {"owner": "30"})
    assert lost.result("ping")
    served = next(
        one for one in room.server._connections if one.credential_id == credential.credential_id
    )
    room.do(lambda: served.send(b"x" * (8 * 1024 * 1024)))
    revoke(admin, credential)
    until = time.monotonic() + CLOSING_SECONDS / 2
    while room.server.in_flight and time.monotonic() < until:
        time.sleep(0.01)
    assert room.server.in_flight == 0


def test_who_revokes_itself_still_gets_its_answer(room: ServerRoom) -> None:
    """The answer to one's own end comes first, then the close."""
    admin = room.connect()
    other = room.connect(pair(admin, "second", rights=["admin"]))
    assert revoke(other, admin_of(other, "second"))["connections_closed"] == 1
    with pytest.raises(ClosedError):
        other.read()
    assert admin.result("ping")


def admin_of(connection: RawConnection, name: str) -> Credential:
    """A grant's credential by name, without its secret."""
    listed = connection.result("grant.list")["grants"]
    found = next(grant for grant in listed if grant["name"] == name)
    return Credential(found["credential_id"], name, b"")


def test_list_shows_grants_without_keys(room: ServerRoom) -> None:
    """grant.list gives every grant, oldest first, and no key."""
    admin = room.connect()
    pair(admin, "app", owners=["ana"], agents=["chat", None])
    grants = admin.result("grant.list")["grants"]
    assert [grant["name"] for grant in grants] == ["owner", "app"]
    assert grants[1]["owners"] == ["ana"]
    assert grants[1]["agents"] == ["chat", None]
    assert "key" not in str(grants)


def test_limited_admin_pairs_within_its_own_limits(room: ServerRoom) -> None:
    """An administrator of one owner cannot make a grant for another."""
    limited = room.connect(pair(room.connect(), "limited", owners=["ana"], rights=["admin"]))
    with pytest.raises(AssertionError, match=r"forbidden.*owners"):
        pair(limited, "wider")
    pair(limited, "within", owners=["ana"])


def test_drain_finishes_what_is_in_flight(room: ServerRoom) -> None:
    """A stop lets requests in flight answer, then closes, and the socket's file is gone."""
    connection = room.connect()
    asked = connection.send("bank.list", {"owner": "0.2"})
    assert connection.result("shutdown")
    assert "result" in connection.answer(asked)
    ended = connection.closed_with()
    assert ended is not None
    assert ended["code"] == "shutting_down"
    assert FINISHED == ["done"]
    assert not room.places.socket.exists()


def test_drain_calls_off_what_takes_too_long(room: ServerRoom) -> None:
    """A request that outlasts the drain is called off and told so; the drain keeps its time."""
    connection = room.connect()
    asked = connection.send("bank.list", {"owner": "30"})
    assert connection.result("ping")
    began = time.monotonic()
    room.run(room.server.drain(0.1))
    assert time.monotonic() - began < 0.1 + CANCEL_SECONDS + FLUSH_SECONDS + 0.2
    assert connection.answer(asked)["error"]["data"]["code"] == "cancelled"
    assert FINISHED == []


def test_drain_does_not_wait_for_a_caller_that_does_not_read(room: ServerRoom) -> None:
    """A stop ends in time beside a connection that leaves its answers unread."""
    connection = room.connect()
    served = next(iter(room.server._connections))
    room.do(lambda: served.send(b"x" * (8 * 1024 * 1024)))
    began = time.monotonic()
    room.run(room.server.drain(0.1))
    assert time.monotonic() - began < FLUSH_SECONDS + 0.3
    connection.close()


def test_backlog_holds_a_burst_of_callers(room: ServerRoom) -> None:
    """Many callers may connect in one moment: none is turned away by the system."""
    assert listener_module._BACKLOG >= bounds.CONNECTIONS
