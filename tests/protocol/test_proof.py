"""The handshake's mathematics: who holds the secret can prove it, and nobody else."""

from cognid.protocol.proof import (
    client_proof,
    daemon_signature,
    new_nonce,
    new_secret,
    proof_holds,
    signature_holds,
    transcript,
    verifier_of,
)


def _script(**changes: object) -> bytes:
    parts: dict[str, object] = {
        "credential_id": "crd_1",
        "client_nonce": "aa",
        "versions": [1],
        "server_nonce": "bb",
        "version": 1,
    }
    parts.update(changes)
    return transcript(**parts)  # type: ignore[arg-type]  # the keys are the parameters


def test_both_ends_prove_themselves_with_one_secret() -> None:
    """A proof made from the secret holds against the verifier, and the signature against it."""
    secret = new_secret()
    verifier = verifier_of(secret)
    script = _script()
    assert proof_holds(verifier, script, client_proof(secret, script))
    assert signature_holds(secret, script, daemon_signature(verifier, script))


def test_a_proof_holds_for_its_own_transcript_only() -> None:
    """Any part of the handshake that differs voids proof and signature: no replay, no downgrade."""
    secret = new_secret()
    verifier = verifier_of(secret)
    proof = client_proof(secret, _script())
    signature = daemon_signature(verifier, _script())
    for change in (
        {"credential_id": "crd_2"},
        {"client_nonce": "ab"},
        {"versions": [1, 2]},
        {"server_nonce": "bc"},
        {"version": 2},
        {"client_nonce": "aab", "server_nonce": "b"},
    ):
        assert not proof_holds(verifier, _script(**change), proof)
        assert not signature_holds(secret, _script(**change), signature)


def test_a_proof_reflected_is_no_signature() -> None:
    """What the caller sent cannot be sent back to it as the daemon's proof."""
    secret = new_secret()
    script = _script()
    assert not signature_holds(secret, script, client_proof(secret, script))


def test_the_verifier_does_not_make_a_caller() -> None:
    """Who reads what the daemon keeps cannot prove itself with it."""
    verifier = verifier_of(new_secret())
    script = _script()
    for stolen in (verifier.stored_key, verifier.server_key):
        assert not proof_holds(verifier, script, client_proof(stolen, script))
        assert not proof_holds(verifier, script, stolen)
    assert not proof_holds(verifier, script, b"")


def test_secrets_and_nonces_do_not_repeat_and_do_not_print() -> None:
    """Fresh values differ, and a verifier's repr shows neither key."""
    assert new_secret() != new_secret()
    assert new_nonce() != new_nonce()
    verifier = verifier_of(new_secret())
    assert verifier.stored_key.hex() not in repr(verifier)
    assert repr(verifier.stored_key) not in repr(verifier)
