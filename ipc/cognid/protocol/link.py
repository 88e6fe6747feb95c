"""The link family: hello, prove, ping, status, cancel, shutdown.

`hello` and `prove` are the handshake (`proof.py` has its mathematics); before the proof nothing
else is taken. `hello` may grow fields; a daemon lets the ones it does not know pass.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from cognid.protocol.addressed import Timed
from cognid.protocol.grants import GrantView
from cognid.protocol.values import Instant, Message, Reference, Reply, Sha256Hex

Version = Annotated[int, Field(ge=1, le=10_000)]


class Hello(Message):
    """Name a credential, give a nonce and offer versions."""

    model_config = ConfigDict(extra="ignore")

    credential_id: Reference
    client_nonce: Sha256Hex
    versions: Annotated[
        list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=16)
    ]


class HelloReply(Reply):
    """The daemon's nonce and the version it chose. Given for unknown credentials too."""

    server_nonce: str
    version: int


class Prove(Message):
    """The caller's proof over the transcript, in hex."""

    client_proof: Sha256Hex


class Proven(Reply):
    """The daemon's own proof, what the grant allows, and who is speaking."""

    daemon_signature: str
    grant: GrantView
    bounds: dict[str, float]
    build: str
    instance: str
    state: Literal["starting", "ready", "draining"]


class Ping(Timed):
    """Ask for a sign of life."""


class Pong(Reply):
    """A sign of life."""

    instance: str


class Cancel(Timed):
    """Call off a request in flight on this connection, by the id it was sent under."""

    request_id: str | int


class Cancelled(Reply):
    """Whether there was such a request. Its own answer still comes, and tells its fate."""

    found: bool


class Shutdown(Timed):
    """Stop the daemon: no new work, what is in flight is finished, then it ends."""


class ShuttingDown(Reply):
    """The daemon has begun to stop."""

    stopping: Literal[True] = True


class Status(Timed):
    """Ask how the daemon is."""


class Finding(Reply):
    """One thing that is not as it should be. `level` red: a promise is not kept at present."""

    code: str
    level: Literal["yellow", "red"]
    message: str
    remedy: str


class ModelView(Reply):
    """The embedding model: where it stands and which space its vectors live in."""

    state: Literal["loading", "ready", "failed"]
    space_id: str | None = None
    code: str | None = None


class RerankerView(Reply):
    """The reranker, an optional part: where it stands, and which file this daemon takes for it."""

    state: Literal["absent", "installed", "loading", "ready", "failed"]
    """`installed`: its file is there. It is proven and loaded when a thorough recall asks for it,
    and let go some minutes after the last one."""
    code: str | None = None
    name: str
    file: str
    """Its name in the folder `reranker` of the data folder."""
    bytes: int
    sha256: Sha256Hex


class StatusReply(Reply):
    """How the daemon is. `health` is the worst level among the findings."""

    health: Literal["green", "yellow", "red"]
    findings: list[Finding]
    build: str
    instance: str
    pid: int
    state: Literal["starting", "ready", "draining"]
    started_at: Instant
    key_backend: str
    model: ModelView
    reranker: RerankerView | None = None
    banks: int
    banks_open: int
    connections: int
    requests_in_flight: int
    group_commits: dict[str, int]
    """Commits by the number of writes that shared them, over all open banks."""
