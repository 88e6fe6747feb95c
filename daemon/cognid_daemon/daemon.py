"""Daemon: what the rooms of one running daemon share.

Owns: the parts that a handler reaches through its call, the daemon's state, and the sum of its
findings. May not start or end a part: `lifecycle` does.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from cognid.paths import Places
from cognid.protocol.link import Finding
from cognid_daemon.cutoffs import Cutoffs
from cognid_daemon.grants import Grants
from cognid_daemon.health import Health, of_banks, of_model
from cognid_daemon.intake.worker import ScreeningThread
from cognid_daemon.logs import Log
from cognid_daemon.recall.reranker import RerankerHost
from cognid_daemon.recent import Recent
from cognid_daemon.settings import Settings

if TYPE_CHECKING:
    from cognid_daemon.banks import Banks
    from cognid_daemon.recall.models import EmbedderHost
    from cognid_daemon.server import Server

State = Literal["starting", "ready", "draining"]


@dataclass(slots=True)
class Daemon:
    """One running daemon."""

    places: Places
    settings: Settings
    log: Log
    health: Health
    grants: Grants
    banks: Banks
    embedder: EmbedderHost
    key_backend: str
    instance: str = field(default_factory=lambda: f"ins_{secrets.token_hex(8)}")
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    state: State = "starting"
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    cutoffs: Cutoffs = field(default_factory=Cutoffs)
    recent: Recent = field(default_factory=Recent)
    screening: ScreeningThread = field(default_factory=ScreeningThread)
    reranker: RerankerHost = field(init=False)
    server: Server = field(init=False)
    """Set once, by whoever makes the server for this daemon."""

    def __post_init__(self) -> None:
        self.reranker = RerankerHost(self.places.data)

    def stop(self) -> None:
        """Take no new work from now on, and let the lifecycle end the process."""
        self.state = "draining"
        self.stopping.set()

    def findings(self) -> list[Finding]:
        """What is not as it should be now: what rooms reported, and what their state means."""
        return [*of_model(self.embedder), *of_banks(self.banks), *self.health.findings()]
