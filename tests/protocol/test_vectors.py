"""The shared vectors: what a client in any language can be checked with, daemon and client pass.

`tests/vectors/README.md` says what each file holds.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from support.daemon import WITHOUT_MODEL, ClosedError, DaemonProcess, running
from support.scripted_daemon import ScriptedConnection, ScriptedDaemon
from support.talk import Agent
from support.vectors import VECTORS, Player, form, vectors

from cognid import AsyncClient, CognidError
from cognid.client.handshake import shake_hands
from cognid.client.link import Link
from cognid.credentials import Credential
from cognid.protocol import proof
from cognid.protocol.canonical import NotCanonicalError, event_form, event_hash
from cognid.protocol.evidence import evidence_root
from cognid.protocol.frames import Request
from cognid.protocol.table import KNOWLEDGE, OPERATIONS, find_operation

_HANDSHAKES = vectors("handshake")
_EVENTS = vectors("event_hashes")
_FRAMES = vectors("frames")
_STEPS = vectors("operations")


def _why(vector: dict[str, Any]) -> str:
    return str(vector["why"])


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for the frames, with one bank."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            Agent(connection, "vectors")
        yield daemon


@pytest.mark.parametrize("vector", _HANDSHAKES, ids=_why)
def test_both_ends_compute_the_handshake(vector: dict[str, Any]) -> None:
    """Transcript, proof and signature are the vectors', and each end takes the other's."""
    secret = bytes.fromhex(vector["secret"])
    script = proof.transcript(
        vector["credential_id"],
        vector["client_nonce"],
        vector["versions"],
        vector["server_nonce"],
        vector["version"],
    )
    verifier = proof.verifier_of(secret)
    assert script.hex() == vector["transcript"]
    assert verifier.stored_key.hex() == vector["stored_key"]
    assert verifier.server_key.hex() == vector["server_key"]
    assert proof.client_proof(secret, script).hex() == vector["client_proof"]
    assert proof.daemon_signature(verifier, script).hex() == vector["daemon_signature"]
    assert proof.proof_holds(verifier, script, bytes.fromhex(vector["client_proof"]))
    assert proof.signature_holds(secret, script, bytes.fromhex(vector["daemon_signature"]))


async def test_the_client_sends_the_lines_of_the_handshake() -> None:
    """With the vector's nonce, the client's lines are the vector's, and it is content."""
    vector = _HANDSHAKES[0]
    sent: list[dict[str, Any]] = []
    proven = {
        "daemon_signature": vector["daemon_signature"],
        "grant": {
            "credential_id": vector["credential_id"],
            "name": "x",
            "owners": "*",
            "agents": "*",
            "rights": [],
        },
        "bounds": {},
        "build": "1",
        "instance": "ins_1",
        "state": "ready",
    }
    answers = [json.loads(vector["lines"][1])["result"], proven]

    async def ask(method: str, params: bytes, until: float) -> dict[str, Any]:
        sent.append({"method": method, "params": json.loads(params)})
        return {"result": answers[len(sent) - 1]}

    link = mock.create_autospec(Link, instance=True)
    link.ask.side_effect = ask
    credential = Credential(vector["credential_id"], "x", bytes.fromhex(vector["secret"]))
    with mock.patch.object(proof, "new_nonce", return_value=vector["client_nonce"]):
        await shake_hands(link, credential, asyncio.get_running_loop().time() + 5)
    lines = [json.loads(vector["lines"][place]) for place in (0, 2)]
    assert sent == [{"method": one["method"], "params": one["params"]} for one in lines]


@pytest.mark.parametrize("vector", _EVENTS, ids=_why)
def test_events_hash_as_the_vectors_say(vector: dict[str, Any]) -> None:
    """The canonical form and its hash are the vectors', or there is none."""
    event = (vector["stream"], vector["sequence"], vector["type"], vector["data"])
    if "refused" in vector:
        with pytest.raises(NotCanonicalError):
            event_form(*event)
        return
    assert event_form(*event).decode() == vector["canonical"]
    assert event_hash(*event) == vector["hash"]


@pytest.mark.parametrize("vector", vectors("evidence_roots"), ids=_why)
def test_evidence_has_the_roots_of_the_vectors(vector: dict[str, Any]) -> None:
    """The root of the seven names is the vector's."""
    parts = {name: value for name, value in vector.items() if name not in ("why", "root")}
    assert evidence_root(**parts) == vector["root"]


@pytest.mark.parametrize("vector", _FRAMES, ids=_why)
def test_the_daemon_answers_each_frame(shared: DaemonProcess, vector: dict[str, Any]) -> None:
    """Each line gets the vector's error, or a result, under its id; the connection lives on."""
    line = vector["line"].encode() if "line" in vector else bytes.fromhex(vector["line_hex"])
    with shared.connect() as connection:
        connection.send_bytes(line + b"\n")
        answer = connection.read()
        assert answer["id"] == vector["id"]
        assert answer.get("error", {}).get("data", {}).get("code") == vector["error"]
        assert connection.result("ping")


@pytest.mark.parametrize("vector", vectors("before_proof"), ids=_why)
def test_the_daemon_ends_a_wrong_handshake(shared: DaemonProcess, vector: dict[str, Any]) -> None:
    """The last line gets the vector's error, and then the connection is closed."""
    with shared.connect(prove=False) as connection:
        for line in vector["lines"]:
            connection.send_bytes(line.encode() + b"\n")
        last = connection.closed_with()
        assert last is not None
        assert last["code"] == vector["error"]
        with pytest.raises((ClosedError, BrokenPipeError)):
            connection.read()


@pytest.mark.parametrize("vector", vectors("answers"), ids=_why)
async def test_the_client_takes_each_answer(tmp_path: Path, vector: dict[str, Any]) -> None:
    """Each answer to a ping is taken, or is the vector's error."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.raw(vector["line"].replace("ID", str(request.id)).encode() + b"\n")

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        AsyncClient(daemon.socket, daemon.credential) as client,
    ):
        if vector["then"] == "ok":
            assert (await client.ping()).instance == "ins_1"
            return
        with pytest.raises(CognidError) as failed:
            await client.ping()
        assert failed.value.code == vector["then"]


def test_the_session_has_every_operation() -> None:
    """Each operation of the table is asked, and answered with a result, at least once."""
    answered = {step["request"]["method"] for step in _STEPS if "result" in step["answer"]}
    known = {name for name in answered if find_operation(name) is not KNOWLEDGE}
    assert known == OPERATIONS.keys()
    assert answered - known  # and one of the knowledge family


def test_the_client_reads_every_answer_of_the_session() -> None:
    """The client's models take each recorded request and each recorded result."""
    for step in _STEPS:
        operation = find_operation(step["request"]["method"])
        if operation is not None and "result" in step["answer"]:
            operation.read_request.validate_python(step["request"]["params"])
            operation.read_reply.validate_python(step["answer"]["result"])


def test_the_daemon_plays_the_session() -> None:
    """Request by request a daemon answers as was recorded, but for ids, times and tokens.

    Where an answer has grown a field, scripts/record-vectors records the session anew.
    """
    with running() as daemon:
        player = Player(daemon)
        with player.connection:
            for step in _STEPS:
                here = player.play(step["request"])
                assert form(here) == form(step["answer"]), step["request"]["method"]
                player.learn(step["answer"], here)


def test_every_file_of_vectors_is_described() -> None:
    """The page of the vectors names each of them."""
    page = (VECTORS / "README.md").read_text("utf-8")
    for path in VECTORS.glob("*.json"):
        assert f"`{path.name}`" in page
