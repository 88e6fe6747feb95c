"""The caller's side of hello and prove: both ends show that they know the credential.

Owns: the order of the two messages and the refusal of a daemon that does not prove itself. The
mathematics are in `protocol/proof.py`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from cognid.client.link import Frame, LateError, Link, LostError
from cognid.credentials import Credential
from cognid.protocol import proof
from cognid.protocol.errors import CognidError
from cognid.protocol.frames import error_from
from cognid.protocol.link import Hello, HelloReply, Prove, Proven
from cognid.protocol.table import HANDSHAKE
from cognid.protocol.validation import describe

_HEX_32: Final = re.compile(r"[0-9a-f]{64}")


async def shake_hands(link: Link, credential: Credential, until: float) -> Proven:
    """Prove ourselves to the daemon and have it prove itself, until a time of the loop's clock.

    Raises:
        CognidError: `daemon_unproven` where what answers does not know the credential;
            `unauthenticated`, `version_unsupported` and the like where the daemon refuses;
            `unreachable` where it says nothing.
    """
    ours = proof.new_nonce()
    hello = Hello(
        credential_id=credential.credential_id, client_nonce=ours, versions=list(proof.VERSIONS)
    )
    answer: HelloReply = await _step(link, "hello", hello, until)
    theirs = answer.server_nonce
    if theirs == ours or not _HEX_32.fullmatch(theirs):
        raise CognidError("daemon_unproven", "it gave back our own nonce or none")
    if answer.version not in proof.VERSIONS:
        raise CognidError(
            "version_unsupported",
            f"the daemon chose {answer.version}, this build speaks {list(proof.VERSIONS)}",
        )
    script = proof.transcript(
        credential.credential_id, ours, list(proof.VERSIONS), theirs, answer.version
    )
    prove = Prove(client_proof=proof.client_proof(credential.secret, script).hex())
    proven: Proven = await _step(link, "prove", prove, until)
    signature = proven.daemon_signature
    if not _HEX_32.fullmatch(signature) or not proof.signature_holds(
        credential.secret, script, bytes.fromhex(signature)
    ):
        raise CognidError("daemon_unproven", "its signature does not fit this credential")
    return proven


async def _step(link: Link, method: str, request: Hello | Prove, until: float) -> Any:
    try:
        frame = await link.ask(method, request.model_dump_json().encode("ascii"), until)
    except LateError:
        raise CognidError("unreachable", f"no answer to {method} in time") from None
    except LostError as lost:
        if lost.reason is None:
            raise CognidError("unreachable", f"the connection ended at {method}") from None
        raise _unproven(lost.reason) from None
    return _read(method, frame)


def _read(method: str, frame: Frame) -> Any:
    if isinstance(frame.get("error"), dict):
        raise error_from(frame["error"])
    try:
        return HANDSHAKE[method].read_reply.validate_python(frame.get("result"))
    except ValidationError as error:
        raise CognidError("daemon_unproven", f"{method}: {describe(error)}") from None


def _unproven(reason: CognidError) -> CognidError:
    """What answers without making sense before its proof is no daemon of ours."""
    if reason.code == "protocol_violation":
        return CognidError("daemon_unproven", reason.detail)
    return reason
