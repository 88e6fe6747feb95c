"""The conformance suite: both providers pass it, one of them with a real daemon behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import pair

from cognid.credentials import Credential
from cognid.provider import CognidProvider, MemoryProvider, NullProvider
from cognid.testing import MemoryProviderConformance, OpenProvider

_RIGHTS = ["remember", "recall", "session", "configure", "tool_forget"]


@pytest.fixture(scope="module")
def kept() -> Iterator[DaemonProcess]:
    """One daemon for the suite."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def host(kept: DaemonProcess) -> Credential:
    """The credential of a host whose agent may delete."""
    with kept.connect() as owner:
        return pair(owner, "host", rights=_RIGHTS)


class TestCognidProvider(MemoryProviderConformance):
    """The provider that the daemon keeps, with the tool's own right."""

    @pytest.fixture
    def memory_provider(self, kept: DaemonProcess, host: Credential) -> OpenProvider:
        """A provider of the agent `helper`, its bank made ready."""

        @asynccontextmanager
        async def open_provider() -> AsyncIterator[MemoryProvider]:
            where = (kept.places.socket, host)
            async with CognidProvider(
                *where, agent="helper", recall_deadline_ms=10_000
            ) as provider:
                await provider.bootstrap_agent("helper")
                yield provider

        return open_provider


class TestNullProvider(MemoryProviderConformance):
    """The provider that keeps nothing."""

    @pytest.fixture
    def memory_provider(self) -> OpenProvider:
        """A provider of the agent `helper`."""

        @asynccontextmanager
        async def open_provider() -> AsyncIterator[MemoryProvider]:
            yield NullProvider(agent="helper")

        return open_provider
