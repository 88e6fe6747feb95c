"""`Client` from threads, against a real daemon: no mix-up, no thread left, clear refusals."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.daemon import DaemonProcess, running

from cognid import (
    AsyncClient,
    Client,
    CognidError,
    Committed,
    Hits,
    OutcomeUnknownError,
    Page,
    Shown,
)
from cognid.protocol.ids import new_operation_id

AGENTS = ("ann", "bob")


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running() as daemon:
        yield daemon


@pytest.fixture
def client(shared: DaemonProcess) -> Iterator[Client]:
    """A client of that daemon."""
    with Client(shared.places.socket, shared.credential()) as made:
        yield made


def cross_results(client: Client, calls: int) -> int:
    """Two threads call as two agents over one client; counts answers that are the other's."""

    def call_as(agent: str) -> int:
        wrong = 0
        for number in range(calls // 2):
            if number % 20 == 0:
                outcome = client.add(f"{agent} note {number} of {calls}", agent=agent)
                assert isinstance(outcome, Committed)
            elif number % 20 == 10:
                hits = client.recall("note", agent=agent, limit=3, deadline_ms=5_000)
                assert isinstance(hits, Hits)
                wrong += any(not hit.text.startswith(agent) for hit in hits.hits)
            else:
                wrong += client.bank_status(agent=agent).agent != agent
        return wrong

    for agent in AGENTS:
        client.ensure_bank(enabled=True, agent=agent)
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(call_as, AGENTS))


@pytest.mark.timeout(120)
def test_two_agents_over_one_client_never_cross(client: Client) -> None:
    """2,000 calls of two threads as two agents over one client: no answer is the other's.

    It takes some seconds: the calls are real.
    """
    assert cross_results(client, 2_000) == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_agents_over_one_client_never_cross_long(client: Client) -> None:
    """10,000 such calls: no answer is the other's."""
    assert cross_results(client, 10_000) == 0


def test_methods_work_end_to_end(client: Client) -> None:
    """Each method of the client meets its operation in the daemon."""
    agent = "all"
    assert client.ensure_bank(enabled=True, agent=agent).created
    assert not client.ensure_bank(enabled=False, agent=agent).created
    outcome = client.remember(
        role="user", content="My tram is the 28.", stream="s", sequence=1, agent=agent
    )
    assert isinstance(outcome, Committed)
    resolution = client.resolve(outcome.operation_id, agent=agent)
    assert resolution.outcome == "committed"
    asserted = client.add("Ann takes the tram 28.", agent=agent)
    assert isinstance(asserted, Committed)
    found = client.search("tram", "lexical", agent=agent, deadline_ms=5_000)
    assert isinstance(found, Hits)
    handle = client.open_configure(agent=agent).handle
    page = client.inspect_list(handle, agent=agent, limit=1)
    assert isinstance(page, Page)
    assert page.total == 2
    shown = client.inspect_get(handle, outcome.memories[0].memory_id, agent=agent)
    assert isinstance(shown, Shown)
    assert shown.memory.text == "My tram is the 28."
    assert client.bank_status(agent=agent, stream="s").memories == 2
    assert agent in {bank.agent for bank in client.banks()}
    index = client.index_status(agent=agent)
    assert index.indexed + index.backlog == 2
    assert client.ping().instance == client.status().instance == client.connect().instance
    assert [grant.name for grant in client.grants()] == ["owner"]


def test_a_line_that_the_daemon_cannot_read_ends_no_later_call(shared: DaemonProcess) -> None:
    """One call whose data is no JSON (two keys that are one in it) is told so at once, and the next
    calls are answered."""
    twice = {"turn": {1: "a", "1": "b"}}
    with Client(shared.places.socket, shared.credential(), agent="twice") as client:
        client.ensure_bank(enabled=True)
        with pytest.raises(OutcomeUnknownError, match="parse_error") as caught:
            client.remember(role="user", content="The key hangs here.", stream="s", data=twice)
        assert caught.value.operation_id is not None
        assert client.resolve(caught.value.operation_id).outcome == "sealed"
        assert isinstance(client.add("The key is under the mat."), Committed)
        assert isinstance(client.recall("key", deadline_ms=5_000), Hits)


def test_close_ends_the_thread(shared: DaemonProcess) -> None:
    """After close neither the thread nor the connection is left, and calls are refused."""
    before = threading.active_count()
    with Client(shared.places.socket, shared.credential()) as client:
        client.ping()
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="closed"):
        client.ping()
    client.close()


def test_unused_client_starts_nothing() -> None:
    """Making a client and closing it costs neither a thread nor a connection."""
    before = threading.active_count()
    with Client():
        assert threading.active_count() == before


def test_errors_reach_the_calling_thread(client: Client) -> None:
    """What the daemon refuses is raised where the call was made."""
    with pytest.raises(CognidError) as caught:
        client.recall("x", agent="nobody")
    assert caught.value.code == "unknown_bank"
    client.ping()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_is_refused_in_the_child(client: Client) -> None:
    """In a forked child the client says that it was made before the fork; the parent's lives on."""
    client.ping()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            client.ping()
        except RuntimeError as error:
            client.close()
            status = 0 if "fork" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    client.ping()


async def test_killed_daemon_is_found_again(daemon: DaemonProcess) -> None:
    """After kill -9 five reads at once fail as unreachable; after a start the client goes on."""
    async with AsyncClient(daemon.places.socket, daemon.credential()) as client:
        before = (await client.ping()).instance
        daemon.kill9()
        failures = await asyncio.gather(*(client.ping() for _ in range(5)), return_exceptions=True)
        assert {failure.code for failure in failures if isinstance(failure, CognidError)} == {
            "unreachable"
        }
        await asyncio.to_thread(daemon.start)
        pongs = await asyncio.gather(*(client.ping() for _ in range(5)))
        assert {pong.instance for pong in pongs} == {pongs[0].instance}
        assert pongs[0].instance != before


async def test_outcome_is_settled_by_resolve(daemon: DaemonProcess) -> None:
    """An id that never arrived is sealed by resolve, and the write under it then refused."""
    async with AsyncClient(daemon.places.socket, daemon.credential()) as client:
        await client.ensure_bank(enabled=True)
        lost = new_operation_id()
        assert (await client.resolve(lost)).outcome == "sealed"
        with pytest.raises(CognidError) as caught:
            await client.add("x", operation_id=lost)
        assert caught.value.code == "operation_sealed"
