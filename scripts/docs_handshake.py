"""The worked handshake of docs/protocol.md: fixed secret and nonces, every byte computed.

Owns: the example's inputs. The mathematics are the product's own (`cognid.protocol.proof`).
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from cognid.protocol import proof
from cognid.protocol.frames import request_line, result_line

SECRET: Final = bytes(range(32))
CREDENTIAL_ID: Final = "crd_0123456789abcdef0123456789abcdef"
CLIENT_NONCE: Final = hashlib.sha256(b"client").hexdigest()
SERVER_NONCE: Final = hashlib.sha256(b"server").hexdigest()
VERSIONS: Final = [1]
VERSION: Final = 1


def _result(request_id: int, result: dict[str, Any]) -> str:
    encoded = json.dumps(result, separators=(",", ":")).encode()
    return result_line(request_id, encoded).decode().rstrip("\n")


def _wrapped(text: str, width: int = 96) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def handshake_block() -> str:
    """The transcript: what both ends know, what is sent, and what is computed."""
    script = proof.transcript(CREDENTIAL_ID, CLIENT_NONCE, VERSIONS, SERVER_NONCE, VERSION)
    verifier = proof.verifier_of(SECRET)
    sent = proof.client_proof(SECRET, script).hex()
    signature = proof.daemon_signature(verifier, script).hex()
    hello = {
        "credential_id": CREDENTIAL_ID,
        "client_nonce": CLIENT_NONCE,
        "versions": VERSIONS,
    }
    lines = [
        "```text",
        f"secret        {SECRET.hex()}",
        f"StoredKey     {verifier.stored_key.hex()}",
        f"ServerKey     {verifier.server_key.hex()}",
        "```",
        "",
        "The caller's first line, and the daemon's answer:",
        "",
        "```json",
        request_line(1, "hello", hello).decode().rstrip("\n"),
        _result(1, {"server_nonce": SERVER_NONCE, "version": VERSION}),
        "```",
        "",
        f"The transcript, {len(script)} bytes, in hex (broken into lines here):",
        "",
        "```text",
        *_wrapped(script.hex()),
        "```",
        "",
        "The caller's second line, with ClientProof; the answer begins with DaemonSignature:",
        "",
        "```json",
        request_line(2, "prove", {"client_proof": sent}).decode().rstrip("\n"),
        "```",
        "",
        "```text",
        f"ClientProof      {sent}",
        f"DaemonSignature  {signature}",
        "```",
    ]
    return "\n".join(lines)
