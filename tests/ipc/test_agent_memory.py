"""An agent's memory in its person's hands: every method against a real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid import (
    AgentConfigure,
    Aliases,
    AlreadyAbsent,
    Changed,
    Client,
    CognidError,
    Committed,
    Disabled,
    ForgottenMemory,
    History,
    Hits,
    ManagerHandle,
    NoEffect,
    Shown,
    Target,
    TargetsConflict,
    TargetsNotFound,
    Unaffected,
)
from cognid.protocol.ids import new_operation_id

NOWHERE = "mem_" + "0" * 12


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


class Agent:
    """One agent of the shared daemon, with a bank: as its runtime and as its person see it."""

    def __init__(self, daemon: DaemonProcess, name: str, aliases: Aliases | None = None) -> None:
        self.where = (daemon.places.socket, daemon.credential())
        self.name = name
        self.client = Client(*self.where, agent=name)
        self.configure = AgentConfigure(*self.where, agent=name, aliases=aliases)
        self.memory = self.configure.memory
        self.client.ensure_bank(enabled=True)

    def add(self, text: str, **more: Any) -> str:
        """Assert a memory; gives its id."""
        outcome = self.client.add(text, **more)
        assert isinstance(outcome, Committed)
        return outcome.memories[0].memory_id

    def recalled(self, query: str) -> list[str]:
        """The texts that a recall gives."""
        answer = self.client.recall(query, limit=100, deadline_ms=5_000)
        return [hit.text for hit in answer.hits] if isinstance(answer, Hits) else []

    def close(self) -> None:
        """Hang up."""
        self.configure.close()
        self.client.close()


@pytest.fixture
def agent(shared: DaemonProcess, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """An agent of this test's own."""
    made = Agent(shared, request.node.name)
    yield made
    made.close()


def test_correct_makes_a_new_revision(agent: Agent) -> None:
    """After a correct only the new text is recalled; the old one stands in the history, ended."""
    ssh = agent.add("SSH is on port 22.")
    outcome = agent.memory.correct(ssh, "SSH is on port 49222.", expected_revision=1)
    assert isinstance(outcome, Changed)
    assert (outcome.affected, outcome.revision) == ([ssh], 2)
    assert outcome.projection is not None
    assert [memory.text for memory in outcome.projection.memories] == ["SSH is on port 49222."]
    assert agent.recalled("which port is SSH on") == ["SSH is on port 49222."]
    shown = agent.memory.get(ssh)
    assert isinstance(shown, Shown)
    assert [one.revision for one in shown.revisions] == [1, 2]
    assert shown.revisions[0].ended_at is not None
    history = agent.memory.history(ssh)
    assert isinstance(history, History)
    assert [entry.text for entry in history.entries if entry.text] == [
        "SSH is on port 22.",
        "SSH is on port 49222.",
    ]
    stale = agent.memory.correct(ssh, "SSH is off.", expected_revision=1)
    assert isinstance(stale, TargetsConflict)
    assert (stale.reason, stale.current) == ("revision_stale", {ssh: 2})


def test_forgotten_memory_is_gone(agent: Agent) -> None:
    """After a forget no read path gives the memory; forgetting it again is `already_absent`."""
    lamp = agent.add("The lamp code is amber-sky.")
    other = agent.add("The lamp is in the hall.")
    assert isinstance(
        agent.memory.correct(lamp, "The lamp code is b.", expected_revision=1), Changed
    )
    outcome = agent.memory.forget(lamp, confirmed=True)
    assert isinstance(outcome, Changed)
    assert outcome.affected == [lamp]
    assert outcome.projection is not None
    assert [memory.memory_id for memory in outcome.projection.memories] == [other]
    assert agent.recalled("lamp code") == ["The lamp is in the hall."]
    assert [memory.memory_id for memory in agent.memory.inspect().memories] == [other]
    assert isinstance(agent.memory.get(lamp), ForgottenMemory)
    history = agent.memory.history(lamp)
    assert isinstance(history, History)
    assert [entry.text for entry in history.entries if entry.text] == []
    assert isinstance(agent.memory.forget(lamp, confirmed=True), AlreadyAbsent)
    unknown = agent.memory.forget([other, NOWHERE], confirmed=True)
    assert isinstance(unknown, TargetsNotFound)
    assert isinstance(agent.memory.get(other), Shown)


def test_replayed_forget_answers_the_same(agent: Agent) -> None:
    """The same operation sent again through a new connection replays its outcome."""
    lamp = agent.add("The lamp code is amber-sky.")
    id = new_operation_id()
    first = agent.memory.forget(lamp, confirmed=True, operation_id=id)
    assert isinstance(first, Changed)
    with AgentConfigure(*agent.where, agent=agent.name) as again:
        second = again.memory.forget(lamp, confirmed=True, operation_id=id)
        assert isinstance(second, Changed)
        assert (second.replayed, second.affected) == (True, first.affected)
        changed = again.memory.forget(NOWHERE, confirmed=True, operation_id=id)
        assert isinstance(changed, TargetsConflict)
        assert changed.reason == "operation_reused"
        assert again.memory.resolve(id).outcome == "committed"


def test_forget_by_filter_in_two_steps(agent: Agent) -> None:
    """A preview by filter lists what would go; exactly that, with its token, goes."""
    going = {agent.add(f"Trip note {n}", labels=["trip"]) for n in range(3)}
    staying = agent.add("Home note", labels=["home"])
    preview = agent.memory.forget_preview(labels=["trip"])
    assert {one.memory_id for one in preview.affected} == going
    assert preview.preview_token is not None
    short = agent.memory.forget(
        list(going)[:2], confirmed=True, preview_token=preview.preview_token
    )
    assert isinstance(short, TargetsConflict)
    assert short.reason == "preview_stale"
    outcome = agent.memory.forget(
        [one.memory_id for one in preview.affected],
        confirmed=True,
        preview_token=preview.preview_token,
    )
    assert isinstance(outcome, Changed)
    assert set(outcome.affected) == going
    assert [memory.memory_id for memory in agent.memory.inspect().memories] == [staying]


def test_alias_of_a_changed_memory_is_refused_by_the_daemon_too(shared: DaemonProcess) -> None:
    """A memory that changed unseen is a conflict through its alias; then the alias is stale."""
    aliases = Aliases("s")
    agent = Agent(shared, "aliased", aliases)
    tea = agent.add("Ana likes tea.")
    (alias,) = aliases.name(agent.memory.inspect().memories).aliases
    with AgentConfigure(*agent.where, agent=agent.name) as other:
        other.memory.correct(tea, "Ana likes coffee.", expected_revision=1)
    outcome = agent.memory.forget(alias, confirmed=True)
    assert isinstance(outcome, TargetsConflict)
    with pytest.raises(CognidError, match="memory_alias_stale"):
        agent.memory.forget(alias, confirmed=True)
    (fresh,) = aliases.name(agent.memory.inspect().memories).aliases
    assert (alias, fresh) == ("m1", "m2")
    assert isinstance(agent.memory.forget(fresh, confirmed=True), Changed)
    agent.close()


def test_off_is_off_and_on_again(agent: Agent) -> None:
    """A bank that is off takes nothing and recalls nothing; inspect and forget go on; what was
    said meanwhile never appears."""
    kept = agent.add("The boiler is in the cellar.")
    gone = agent.add("The boiler is broken.")
    off = agent.memory.set_enabled(False)
    assert isinstance(off, Changed)
    assert off.projection is not None
    assert not off.projection.enabled
    assert isinstance(off.handle, ManagerHandle)
    assert isinstance(agent.client.add("The boiler is new."), NoEffect)
    assert isinstance(agent.client.recall("boiler"), Disabled)
    assert agent.memory.inspect().total == 2
    assert isinstance(agent.memory.forget(gone, confirmed=True), Changed)
    assert isinstance(agent.memory.set_enabled(False), Unaffected)
    assert isinstance(agent.memory.set_enabled(True), Changed)
    assert agent.recalled("boiler") == ["The boiler is in the cellar."]
    assert [memory.memory_id for memory in agent.memory.inspect().memories] == [kept]


def test_wipe_leaves_nothing_and_the_face_goes_on(agent: Agent) -> None:
    """After a wipe nothing is left, an earlier operation has no effect, and new memories stay."""
    id = new_operation_id()
    agent.add("The safe is behind the mirror.", operation_id=id)
    outcome = agent.memory.delete_all(confirmed=True)
    assert isinstance(outcome, Changed)
    assert outcome.erased
    assert agent.memory.inspect().total == 0
    assert agent.recalled("safe") == []
    late = agent.client.add("The safe is behind the mirror.", operation_id=id)
    assert isinstance(late, NoEffect)
    assert late.reason == "before_cutoff"
    new = agent.add("The safe was sold.")
    assert [memory.memory_id for memory in agent.memory.inspect().memories] == [new]


def test_expected_revision_of_a_target_is_checked(agent: Agent) -> None:
    """A target that was seen at another revision is a conflict, and nothing goes."""
    tea = agent.add("Ana likes tea.")
    outcome = agent.memory.forget(Target(memory_id=tea, expected_revision=2), confirmed=True)
    assert isinstance(outcome, TargetsConflict)
    assert outcome.current == {tea: 1}
    assert agent.memory.inspect().total == 1


def test_filters_and_total_agree(agent: Agent) -> None:
    """Each filter lets through what it names, and the total counts the same."""
    red = agent.add("Red kite", labels=["x", "y"], session_id="s1")
    blue = agent.add("Blue kite", kind="preference", provenance="inferred", labels=["x"])
    agent.memory.correct(red, "Crimson kite", expected_revision=1)
    for filters, expected in (
        ({"labels": ["x"]}, {red, blue}),
        ({"labels": ["x", "y"]}, {red}),
        ({"kinds": ["preference"]}, {blue}),
        ({"provenances": ["inferred"]}, {blue}),
        ({"session_id": "s1"}, {red}),
        ({"text": "crimson"}, {red}),
        ({"text": "red kite"}, set()),
        ({}, {red, blue}),
    ):
        page = agent.memory.inspect(**filters)
        assert {memory.memory_id for memory in page.memories} == expected, filters
        assert page.total == len(expected)


def test_connection_lost_between_calls_is_no_matter() -> None:
    """After a restart of the daemon the face opens a new handle by itself.

    It takes a second: a daemon of its own starts twice.
    """
    with running(settings=WITHOUT_MODEL) as daemon:
        agent = Agent(daemon, "restarted")
        tea = agent.add("Ana likes tea.")
        assert agent.memory.inspect().total == 1
        daemon.restart()
        assert isinstance(agent.memory.forget(tea, confirmed=True), Changed)
        agent.close()
