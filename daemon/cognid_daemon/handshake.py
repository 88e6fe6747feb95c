"""Handshake: the daemon's side of hello and prove (`cognid.protocol.proof` has the mathematics).

A hello is answered the same way for a known and an unknown credential, and a proof under an
unknown one is checked against a decoy verifier, so that a caller without a secret cannot tell
which credentials exist. Each handshake has a fresh nonce of the daemon: an old proof proves
nothing. The first wrong step ends it.

Owns: the order of the steps and their check. May not touch a socket.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from cognid.protocol.errors import CognidError
from cognid.protocol.link import Hello, HelloReply, Prove
from cognid.protocol.proof import (
    VERSIONS,
    Verifier,
    daemon_signature,
    new_nonce,
    proof_holds,
    transcript,
)
from cognid_daemon.grants import Grant, Grants


class Decoys:
    """Verifiers of credentials that do not exist: the same one each time an id is named."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def verifier(self, credential_id: str) -> Verifier:
        """A verifier that no proof holds under."""
        name = credential_id.encode("utf-8")
        return Verifier(
            hmac.digest(self._key, b"stored" + name, "sha256"),
            hmac.digest(self._key, b"server" + name, "sha256"),
        )


@dataclass(frozen=True, slots=True)
class Proof:
    """A handshake that holds: the grant it opened, and the daemon's own proof."""

    grant: Grant
    signature: bytes


class Handshake:
    """One connection's handshake."""

    def __init__(self, grants: Grants, decoys: Decoys) -> None:
        self._grants = grants
        self._decoys = decoys
        self._credential_id = ""
        self._script: bytes | None = None

    def hello(self, hello: Hello) -> HelloReply:
        """Take the caller's hello.

        Raises:
            CognidError: `version_unsupported`, or `invalid_request` for a second hello.
        """
        if self._script is not None:
            raise CognidError("invalid_request", "a second hello")
        common = set(hello.versions) & set(VERSIONS)
        if not common:
            raise CognidError(
                "version_unsupported",
                f"the caller offers {sorted(hello.versions)}, the daemon speaks {list(VERSIONS)}",
            )
        version = max(common)
        nonce = new_nonce()
        self._credential_id = hello.credential_id
        self._script = transcript(
            hello.credential_id, hello.client_nonce, hello.versions, nonce, version
        )
        return HelloReply(server_nonce=nonce, version=version)

    def prove(self, prove: Prove) -> Proof:
        """Take the caller's proof.

        Raises:
            CognidError: `unauthenticated`, or `invalid_request` where no hello went before.
        """
        if self._script is None:
            raise CognidError("invalid_request", "a proof without a hello")
        # Looked up now, not at hello: a grant revoked in between opens nothing.
        grant = self._grants.find(self._credential_id)
        verifier = grant.verifier if grant else self._decoys.verifier(self._credential_id)
        holds = proof_holds(verifier, self._script, bytes.fromhex(prove.client_proof))
        if not holds or grant is None:
            raise CognidError("unauthenticated")
        return Proof(grant, daemon_signature(verifier, self._script))
