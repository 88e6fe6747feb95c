"""ping, status, cancel, shutdown. All of them answer at once; none may block."""

from __future__ import annotations

import os
from typing import Final

import cognid
from cognid.protocol.link import (
    Cancel,
    Cancelled,
    ModelView,
    Ping,
    Pong,
    RerankerView,
    Shutdown,
    ShuttingDown,
    Status,
    StatusReply,
)
from cognid_daemon.daemon import Daemon
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.health import worst
from cognid_models import ModelError


def _ping(call: Call, request: Ping) -> Pong:
    return Pong(instance=call.daemon.instance)


def _cancel(call: Call, request: Cancel) -> Cancelled:
    return Cancelled(found=call.connection.cancel(request.request_id))


def _shutdown(call: Call, request: Shutdown) -> ShuttingDown:
    call.daemon.stop()
    return ShuttingDown()


def _status(call: Call, request: Status) -> StatusReply:
    daemon = call.daemon
    findings = daemon.findings()
    open_banks = daemon.banks.open_banks()
    commits: dict[str, int] = {}
    for held in open_banks:
        for writes, count in held.bank.group_commits().items():
            commits[str(writes)] = commits.get(str(writes), 0) + count
    return StatusReply(
        health=worst(findings),
        findings=findings,
        build=cognid.__version__,
        instance=daemon.instance,
        pid=os.getpid(),
        state=daemon.state,
        started_at=daemon.started_at,
        key_backend=daemon.key_backend,
        model=ModelView(
            state=daemon.embedder.state,
            space_id=daemon.embedder.space_id,
            code=daemon.embedder.code,
        ),
        reranker=_reranker(daemon),
        banks=len(daemon.banks.records()),
        banks_open=len(open_banks),
        connections=daemon.server.connections,
        requests_in_flight=daemon.server.in_flight,
        group_commits=commits,
    )


def _reranker(daemon: Daemon) -> RerankerView | None:
    host = daemon.reranker
    try:
        model = host.manifest.model
    except ModelError:
        return None  # the package is damaged, and the embedding model's finding says so
    return RerankerView(
        state=host.state,
        code=host.code,
        name=host.manifest.name,
        file=model.file,
        bytes=model.bytes,
        sha256=model.sha256,
    )


HANDLERS: Final[dict[str, Handler]] = {
    "ping": _ping,
    "status": _status,
    "cancel": _cancel,
    "shutdown": _shutdown,
}
