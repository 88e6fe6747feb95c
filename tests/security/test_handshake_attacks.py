"""Attacks on the handshake, each against a real daemon or by a false one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, ClosedError, DaemonProcess, RawConnection, running
from support.fake_daemon import fake_daemon

from cognid.credentials import Credential, new_credential
from cognid.protocol import bounds
from cognid.protocol.proof import VERSIONS, client_proof, new_nonce, new_secret, transcript


@pytest.fixture(scope="module")
def target() -> Iterator[DaemonProcess]:
    """One daemon under attack by all tests of this file: it must outlive each of them."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon
        with daemon.connect() as connection:
            assert connection.result("ping")


class Attempt:
    """A handshake of which each step can be bent."""

    def __init__(self, daemon: DaemonProcess, credential_id: str) -> None:
        self.connection = daemon.connect(prove=False)
        self.nonce = new_nonce()
        self.credential_id = credential_id
        self.hello = {
            "credential_id": credential_id,
            "client_nonce": self.nonce,
            "versions": list(VERSIONS),
        }
        self.answer = self.connection.result("hello", self.hello)

    def script(self) -> bytes:
        """The transcript as the daemon sees it."""
        return transcript(
            self.credential_id,
            self.nonce,
            list(VERSIONS),
            self.answer["server_nonce"],
            self.answer["version"],
        )

    def refusal(self, proof: str) -> str:
        """Send a proof that must fail: the connection closes and nothing was opened."""
        error = self.connection.error("prove", {"client_proof": proof})
        with pytest.raises(ClosedError):
            self.connection.read()
        self.connection.close()
        return str(error["code"])


def test_wrong_secret_is_refused(target: DaemonProcess) -> None:
    """A known id with another secret opens nothing."""
    attempt = Attempt(target, target.credential().credential_id)
    assert attempt.refusal(client_proof(new_secret(), attempt.script()).hex()) == "unauthenticated"


def test_unknown_credential_is_refused_in_the_same_way(target: DaemonProcess) -> None:
    """An id that does not exist answers hello alike and fails at prove with the same words."""
    stranger = new_credential("stranger")
    attempt = Attempt(target, stranger.credential_id)
    assert sorted(attempt.answer) == ["server_nonce", "version"]
    assert attempt.refusal(client_proof(stranger.secret, attempt.script()).hex()) == (
        "unauthenticated"
    )


def test_replayed_proof_is_refused(target: DaemonProcess) -> None:
    """A whole recorded handshake, sent again, opens nothing: the daemon's nonce is fresh."""
    owner = target.credential()
    first = Attempt(target, owner.credential_id)
    proof = client_proof(owner.secret, first.script()).hex()
    assert "result" in first.connection.call("prove", {"client_proof": proof})
    first.connection.close()
    with target.connect(prove=False) as second:
        nonce = second.result("hello", first.hello)["server_nonce"]
        assert nonce != first.answer["server_nonce"]
        assert second.error("prove", {"client_proof": proof})["code"] == "unauthenticated"


@pytest.mark.parametrize("reflected", ["server_nonce", "client_nonce"])
def test_reflected_words_are_refused(target: DaemonProcess, reflected: str) -> None:
    """Nothing that was said in the open serves as a proof."""
    attempt = Attempt(target, target.credential().credential_id)
    said = attempt.answer.get(reflected, attempt.nonce)
    assert attempt.refusal(str(said)) == "unauthenticated"


def test_signature_of_the_daemon_is_no_proof(target: DaemonProcess) -> None:
    """The daemon's own proof from one connection cannot be used as the caller's on another."""
    owner = target.credential()
    with target.connect() as connection:
        signature = connection.proven["daemon_signature"]
    assert Attempt(target, owner.credential_id).refusal(signature) == "unauthenticated"


def test_proof_for_one_connection_fails_on_another(target: DaemonProcess) -> None:
    """A man in the middle who carries a proof to another connection gains nothing."""
    owner = target.credential()
    first, second = (Attempt(target, owner.credential_id) for _ in range(2))
    proof = client_proof(owner.secret, first.script()).hex()
    assert second.refusal(proof) == "unauthenticated"
    first.connection.close()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("ping", {}, "unauthenticated"),
        ("memory.recall", {"query": "x"}, "unauthenticated"),
        ("shutdown", {}, "unauthenticated"),
        ("prove", {"client_proof": "0" * 64}, "invalid_request"),
        ("prove", {"client_proof": "0" * 63}, "invalid_argument"),
        ("prove", {"client_proof": "0" * 64, "rights": ["admin"]}, "invalid_argument"),
        ("hello", {}, "invalid_argument"),
        ("hello", {"credential_id": "x", "client_nonce": "y", "versions": [1]}, "invalid_argument"),
        (
            "hello",
            {"credential_id": "x", "client_nonce": "0" * 64, "versions": [999]},
            "version_unsupported",
        ),
    ],
)
def test_nothing_but_the_handshake_is_taken_before_the_proof(
    target: DaemonProcess, method: str, params: dict[str, Any], code: str
) -> None:
    """Before the proof every other request, and every wrong step, closes the connection."""
    with target.connect(prove=False) as connection:
        assert connection.error(method, params)["code"] == code
        with pytest.raises(ClosedError):
            connection.read()


def test_second_hello_closes(target: DaemonProcess) -> None:
    """A handshake cannot be begun again on the same connection."""
    attempt = Attempt(target, target.credential().credential_id)
    assert attempt.connection.error("hello", attempt.hello)["code"] == "invalid_request"
    with pytest.raises(ClosedError):
        attempt.connection.read()
    attempt.connection.close()


@pytest.mark.parametrize("method", ["hello", "prove"])
def test_handshake_after_the_proof_changes_nothing(target: DaemonProcess, method: str) -> None:
    """A proven connection cannot change whose it is; it stays as it was."""
    with target.connect() as connection:
        params = {"credential_id": "x", "client_nonce": "0" * 64, "versions": [1]}
        assert connection.error(method, params)["code"] == "unknown_operation"
        assert connection.result("ping")


def test_hello_may_grow_fields(target: DaemonProcess) -> None:
    """A newer caller's hello with more fields is taken."""
    with target.connect(prove=False) as connection:
        params = {
            "credential_id": "x",
            "client_nonce": "0" * 64,
            "versions": [1, 2],
            "features": ["later"],
        }
        assert connection.result("hello", params)["version"] == 1


def test_slow_handshake_is_closed_after_two_seconds(target: DaemonProcess) -> None:
    """Whatever is or is not sent, without a proof the connection ends after two seconds in all."""
    with target.connect(prove=False) as silent, target.connect(prove=False) as trickling:
        began = time.monotonic()
        content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello"}).encode()
        for byte in content[:3]:
            trickling.send_bytes(bytes([byte]))
            time.sleep(0.3)
        for connection in (silent, trickling):
            ended = connection.closed_with()
            assert ended is not None
            assert ended["code"] == "handshake_timeout"
        took = time.monotonic() - began
    assert bounds.HANDSHAKE_SECONDS - 0.1 < took < bounds.HANDSHAKE_SECONDS + 1


def test_line_before_the_proof_is_small(target: DaemonProcess) -> None:
    """Before the proof 4 KiB a line are taken and no byte more, ended or not."""
    for content in (b"x" * (bounds.LINE_BYTES_BEFORE_PROOF + 1), b"x" * 9000 + b"\n"):
        with target.connect(prove=False) as connection:
            connection.send_bytes(content)
            ended = connection.closed_with()
            assert ended is not None
            assert ended["code"] == "line_too_long"
    with target.connect(prove=False) as connection:
        connection.send_bytes(b" " * (bounds.LINE_BYTES_BEFORE_PROOF - 2) + b"{}\n")
        ended = connection.closed_with()
        assert ended is not None
        assert ended["code"] == "invalid_request"


def test_proven_callers_are_served_beside_17_unproven(target: DaemonProcess) -> None:
    """A crowd before the door neither gets in nor disturbs who is inside."""
    with target.connect() as inside:
        crowd = [target.connect(prove=False) for _ in range(bounds.UNPROVEN_CONNECTIONS + 1)]
        assert inside.result("ping")
        for connection in crowd:
            connection.close()


# The other side: what a caller sees of a daemon that is none.


@pytest.fixture
def squatted(tmp_path: Path) -> tuple[Path, Credential]:
    """A path where something else listens, and a caller's credential."""
    tmp_path.chmod(0o700)
    return tmp_path / "bridge.sock", new_credential("caller")


@pytest.mark.parametrize("signature", ["random", "reflected proof", "short"])
def test_false_daemon_is_not_believed(squatted: tuple[Path, Credential], signature: str) -> None:
    """Who does not hold the credential's keys cannot answer as the daemon, not even by sending
    the caller's own words back."""
    path, credential = squatted

    def answer(frame: dict[str, Any]) -> dict[str, Any]:
        if frame["method"] == "hello":
            return {"server_nonce": new_nonce(), "version": 1}
        made = {
            "random": new_nonce(),
            "reflected proof": frame["params"]["client_proof"],
            "short": "00",
        }
        return {"daemon_signature": made[signature]}

    with fake_daemon(path, answer) as came, pytest.raises(AssertionError, match="not proven"):
        RawConnection(path, credential)
    assert [frame["method"] for frame in came] == ["hello", "prove"]
    assert credential.secret.hex() not in json.dumps(came)
