"""The worked handshake of docs/protocol.md, computed by its words with hashlib alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any

from support.pages import page

from cognid.protocol.canonical import event_hash


def _worked() -> str:
    text = page("docs/protocol.md").partition("<!-- generated: handshake -->")[2]
    return text.partition("<!-- end of handshake -->")[0]


def _named(name: str) -> bytes:
    found = re.search(rf"^{name} +([0-9a-f]+)$", _worked(), re.MULTILINE)
    assert found
    return bytes.fromhex(found[1])


def _lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _worked().splitlines() if line.startswith("{")]


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def test_the_worked_handshake_follows_from_the_words() -> None:
    """Whoever knows only the page's text arrives at the same transcript, proof and signature."""
    hello, answer, prove = _lines()
    asked, chosen = hello["params"], answer["result"]
    parts = [
        "cognid.bridge",
        asked["credential_id"],
        asked["client_nonce"],
        ",".join(map(str, asked["versions"])),
        chosen["server_nonce"],
        str(chosen["version"]),
    ]
    transcript = b"".join(len(p).to_bytes(4, "big") + p.encode() for p in parts)
    shown = re.search(r"in hex.*?```text\n(.*?)```", _worked(), re.DOTALL)
    assert shown
    assert bytes.fromhex(shown[1].replace("\n", "")) == transcript

    secret = _named("secret")
    client_key = _hmac(secret, b"Client Key")
    stored_key = hashlib.sha256(client_key).digest()
    server_key = _hmac(secret, b"Server Key")
    assert (_named("StoredKey"), _named("ServerKey")) == (stored_key, server_key)
    signature = _hmac(stored_key, transcript)
    proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    assert _named("ClientProof") == proof
    assert prove["params"] == {"client_proof": proof.hex()}
    assert _named("DaemonSignature") == _hmac(server_key, transcript)


def test_the_check_value_of_the_event_hash_holds() -> None:
    """The example event of the docs hashes to the value that they give."""
    data = {"role": "user", "content": "Cafe\u0301", "turn_id": "t1"}
    value = event_hash("s1", 7, "user_message", data)
    assert value in page("docs/protocol.md")
    assert value in page("docs/compatibility.md")
