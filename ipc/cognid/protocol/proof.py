"""The proof of the handshake: RFC 5802's construction without the iterations.

The secret is 256 random bits, so no iterated hash is needed to slow a guess. The daemon keeps only
StoredKey and ServerKey: who reads them can neither pose as a caller nor learn the secret.

    ClientKey  = HMAC(secret, "Client Key")      StoredKey = SHA-256(ClientKey)
    ServerKey  = HMAC(secret, "Server Key")
    ClientProof     = ClientKey XOR HMAC(StoredKey, transcript)
    DaemonSignature = HMAC(ServerKey, transcript)

The transcript is the whole handshake, each part with its length before it: protocol name,
credential id, client nonce, versions offered, server nonce, version chosen. HMAC is HMAC-SHA-256,
nonces are 32 random bytes in hex.

Owns: keys, proofs and the transcript. Knows neither socket nor files.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final

PROTOCOL: Final = "cognid.bridge"
VERSIONS: Final[tuple[int, ...]] = (1,)
"""Protocol versions that this build speaks, oldest first."""
SECRET_BYTES: Final = 32
NONCE_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Verifier:
    """What the daemon keeps of a credential."""

    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)


def new_secret() -> bytes:
    """Make a credential's secret: 256 random bits."""
    return secrets.token_bytes(SECRET_BYTES)


def new_nonce() -> str:
    """Make a nonce: 32 random bytes in hex."""
    return secrets.token_hex(NONCE_BYTES)


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def verifier_of(secret: bytes) -> Verifier:
    """Derive what the daemon keeps from a credential's secret."""
    client_key = _hmac(secret, b"Client Key")
    return Verifier(hashlib.sha256(client_key).digest(), _hmac(secret, b"Server Key"))


def transcript(
    credential_id: str, client_nonce: str, versions: list[int], server_nonce: str, version: int
) -> bytes:
    """Bind the whole handshake into one string of length-prefixed parts."""
    parts = (
        PROTOCOL,
        credential_id,
        client_nonce,
        ",".join(map(str, versions)),
        server_nonce,
        str(version),
    )
    encoded = [part.encode("utf-8") for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def client_proof(secret: bytes, script: bytes) -> bytes:
    """Prove to the daemon that the caller holds the secret."""
    client_key = _hmac(secret, b"Client Key")
    signature = _hmac(hashlib.sha256(client_key).digest(), script)
    return bytes(a ^ b for a, b in zip(client_key, signature, strict=True))


def proof_holds(verifier: Verifier, script: bytes, proof: bytes) -> bool:
    """Check a caller's proof in constant time."""
    if len(proof) != hashlib.sha256().digest_size:
        return False
    signature = _hmac(verifier.stored_key, script)
    client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
    return hmac.compare_digest(hashlib.sha256(client_key).digest(), verifier.stored_key)


def daemon_signature(verifier: Verifier, script: bytes) -> bytes:
    """Prove to the caller that the daemon knows this credential."""
    return _hmac(verifier.server_key, script)


def signature_holds(secret: bytes, script: bytes, signature: bytes) -> bool:
    """Check the daemon's signature in constant time."""
    return hmac.compare_digest(daemon_signature(verifier_of(secret), script), signature)
