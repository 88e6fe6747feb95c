from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cognid.protocol.errors import CognidError
from cognid.protocol.link import Hello, Prove
from cognid.protocol.proof import (
    client_proof,
    new_nonce,
    new_secret,
    signature_holds,
    transcript,
    verifier_of,
)
from cognid.protocol.values import Right
from cognid_daemon.grants import Grant, Grants
from cognid_daemon.handshake import Decoys, Handshake

SECRET = new_secret()
ID = "crd_known"


@pytest.fixture
def grants(tmp_path: Path) -> Grants:
    """One grant, under `SECRET`."""
    grant = Grant(ID, "one", None, None, (Right.ADMIN,), datetime.now(UTC), verifier_of(SECRET))
    return Grants(tmp_path / "verifiers.json", [grant])


def hello_of(credential_id: str = ID, versions: list[int] | None = None) -> Hello:
    """A hello with a fresh nonce."""
    return Hello(credential_id=credential_id, client_nonce=new_nonce(), versions=versions or [1])


def script_of(hello: Hello, nonce: str, version: int = 1) -> bytes:
    """The transcript of a handshake."""
    return transcript(hello.credential_id, hello.client_nonce, hello.versions, nonce, version)


def proof_of(secret: bytes, script: bytes) -> Prove:
    """The proof that a secret gives over a transcript."""
    return Prove(client_proof=client_proof(secret, script).hex())


def refused(handshake: Handshake, prove: Prove) -> str:
    """The code with which a proof is refused."""
    with pytest.raises(CognidError) as caught:
        handshake.prove(prove)
    return caught.value.code


def test_right_proof_opens_its_grant(grants: Grants) -> None:
    """A caller with the secret gets its grant and a signature that only the daemon can make."""
    handshake = Handshake(grants, Decoys())
    hello = hello_of()
    script = script_of(hello, handshake.hello(hello).server_nonce)
    proof = handshake.prove(proof_of(SECRET, script))
    assert proof.grant.credential_id == ID
    assert signature_holds(SECRET, script, proof.signature)


def test_highest_common_version_is_chosen(grants: Grants) -> None:
    """Of the versions offered the highest that the daemon speaks is chosen."""
    assert Handshake(grants, Decoys()).hello(hello_of(versions=[9999, 1])).version == 1


def test_no_common_version_names_both_sides(grants: Grants) -> None:
    """Without a common version the error says what each side speaks."""
    with pytest.raises(CognidError) as caught:
        Handshake(grants, Decoys()).hello(hello_of(versions=[7, 9]))
    assert caught.value.code == "version_unsupported"
    assert "[7, 9]" in caught.value.detail
    assert "[1]" in caught.value.detail


def test_nonce_is_fresh_each_time(grants: Grants) -> None:
    """Two handshakes never share the daemon's nonce."""
    hello = hello_of()
    nonces = {Handshake(grants, Decoys()).hello(hello).server_nonce for _ in range(20)}
    assert len(nonces) == 20


def test_old_proof_proves_nothing(grants: Grants) -> None:
    """A recorded hello and proof, sent again, are refused: the daemon's nonce differs."""
    decoys = Decoys()
    first = Handshake(grants, decoys)
    hello = hello_of()
    prove = proof_of(SECRET, script_of(hello, first.hello(hello).server_nonce))
    first.prove(prove)
    second = Handshake(grants, decoys)
    second.hello(hello)
    assert refused(second, prove) == "unauthenticated"


@pytest.mark.parametrize("what", ["secret", "nonce", "versions", "version", "name"])
def test_proof_over_another_transcript_is_refused(grants: Grants, what: str) -> None:
    """Each part of the handshake is bound: a proof over anything else is refused."""
    handshake = Handshake(grants, Decoys())
    hello = hello_of()
    nonce = handshake.hello(hello).server_nonce
    parts = {
        "secret": (SECRET, script_of(hello, nonce)),
        "nonce": (SECRET, script_of(hello, new_nonce())),
        "versions": (SECRET, script_of(hello.model_copy(update={"versions": [1, 2]}), nonce)),
        "version": (SECRET, script_of(hello, nonce, 2)),
        "name": (SECRET, script_of(hello.model_copy(update={"credential_id": "x"}), nonce)),
    }
    secret, script = parts[what]
    if what == "secret":
        secret = new_secret()
    assert refused(handshake, proof_of(secret, script)) == "unauthenticated"


def test_daemons_own_words_prove_nothing(grants: Grants) -> None:
    """What a caller can see of the daemon, reflected as a proof, is refused."""
    handshake = Handshake(grants, Decoys())
    hello = hello_of()
    nonce = handshake.hello(hello).server_nonce
    assert refused(handshake, Prove(client_proof=nonce)) == "unauthenticated"


def test_unknown_credential_looks_like_a_known_one(grants: Grants) -> None:
    """hello answers an unknown credential as a known one, and prove refuses both alike."""
    decoys = Decoys()
    answers = []
    for credential_id in (ID, "crd_unknown"):
        handshake = Handshake(grants, decoys)
        hello = hello_of(credential_id)
        reply = handshake.hello(hello)
        with pytest.raises(CognidError) as caught:
            handshake.prove(proof_of(new_secret(), script_of(hello, reply.server_nonce)))
        fields = sorted(reply.model_dump())
        answers.append((fields, len(reply.server_nonce), caught.value.code, caught.value.detail))
    assert answers[0] == answers[1]


def test_decoy_is_the_same_for_an_id_and_differs_between_processes() -> None:
    """A decoy verifier depends on the id and on a key of this process, so it tells nothing."""
    decoys = Decoys()
    assert decoys.verifier("a") == decoys.verifier("a")
    assert decoys.verifier("a") != decoys.verifier("b")
    assert decoys.verifier("a") != Decoys().verifier("a")


def test_steps_have_one_order(grants: Grants) -> None:
    """A second hello and a proof without a hello are refused."""
    handshake = Handshake(grants, Decoys())
    assert refused(handshake, Prove(client_proof=new_nonce())) == "invalid_request"
    handshake.hello(hello_of())
    with pytest.raises(CognidError, match="second hello"):
        handshake.hello(hello_of())


async def test_grant_revoked_between_the_steps_opens_nothing(grants: Grants) -> None:
    """A grant that is revoked after hello is not opened by its proof."""
    handshake = Handshake(grants, Decoys())
    hello = hello_of()
    script = script_of(hello, handshake.hello(hello).server_nonce)
    other = Grant(
        "crd_2", "two", None, None, (Right.ADMIN,), datetime.now(UTC), verifier_of(new_secret())
    )
    await grants.create(other)
    await grants.revoke(ID)
    assert refused(handshake, proof_of(SECRET, script)) == "unauthenticated"
    grants.close()
