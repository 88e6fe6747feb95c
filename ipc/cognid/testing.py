# ruff: noqa: S101 (a suite of tests asserts)
"""A conformance suite for memory providers, as a pytest plugin. Run it on your own:

    # conftest.py
    pytest_plugins = ["cognid.testing"]

    # test_mine.py
    from cognid.testing import MemoryProviderConformance

    class TestMine(MemoryProviderConformance):
        @pytest.fixture
        def memory_provider(self):
            return open_mine  # called without arguments, it gives an async context manager

Each test opens a provider of its own, on an event loop of its own, so the suite needs no plugin for
asyncio. The provider's memory may hold what earlier tests left. One whose health says `disabled` is
held to keep nothing; every other is held to keep what it is given.

Owns: the suite. Needs pytest, and nothing of the daemon.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar

import pytest

from cognid.protocol.authority import Changed, TargetsNotFound
from cognid.protocol.canonical import event_hash
from cognid.protocol.configure import ForgottenMemory, History, NotFound, Page, Shown
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import EvidenceAccepted, EvidenceReplayed, EvidenceSkipped
from cognid.provider.protocol import (
    BELIEF_KEYS,
    HEALTH_KEYS,
    HEALTH_STATUSES,
    ITEM_KEYS,
    RECALL_KEYS,
    STATS_KEYS,
    MemoryProvider,
)

OpenProvider = Callable[[], AbstractAsyncContextManager[MemoryProvider]]
Check = Callable[[MemoryProvider], Awaitable[None]]


@pytest.fixture
def memory_provider() -> OpenProvider:
    """What opens the provider under test. The test class has to define it."""
    raise pytest.UsageError(
        "define a fixture `memory_provider`: it returns a function without arguments that gives"
        " an async context manager with the provider"
    )


def check_recall(answer: Mapping[str, Any]) -> None:
    """Hold an answer of recall to the contract: its keys, theirs of stats, and each item."""
    assert set(answer) == RECALL_KEYS
    assert isinstance(answer["session_id"], str)
    assert answer["session_id"]
    assert answer["instructions"] is None or isinstance(answer["instructions"], str)
    assert answer["core_memories"] is None or isinstance(answer["core_memories"], str)
    assert isinstance(answer["search_results"], list)
    stats = answer["stats"]
    assert set(stats) == STATS_KEYS
    for name in STATS_KEYS - {"latency_ms"}:
        assert type(stats[name]) is int
        assert stats[name] >= 0
    assert isinstance(stats["latency_ms"], int | float)
    assert stats["latency_ms"] >= 0
    assert stats["new_count"] == len(answer["search_results"])
    assert stats["search_count"] == stats["new_count"] + stats["known_skipped"]
    for item in answer["search_results"]:
        check_item(item)
    json.dumps(answer)


def check_item(item: Mapping[str, Any]) -> None:
    """Hold one item to the contract; belief stands in its metadata."""
    assert set(item) == ITEM_KEYS
    assert isinstance(item["id"], str)
    assert isinstance(item["memory"], str)
    assert isinstance(item["score"], int | float)
    assert item["has_artifacts"] in (True, False)
    assert set(item["metadata"]) >= BELIEF_KEYS
    json.dumps(item)


class MemoryProviderConformance:
    """The suite. Inherit from it, name the class `Test…`, and define `memory_provider`."""

    other_agent: ClassVar[str] = "somebody-elses-agent"
    """An agent that is not the provider's."""
    other_user: ClassVar[str] = "somebody-else@example.org"
    """A user who is not the provider's owner."""
    owner: ClassVar[str] = "local"
    """The provider's owner."""
    settle_seconds: ClassVar[float] = 10.0
    """How long what was said may take to be found; it is waited for no longer than needed."""

    def test_has_every_method(self, memory_provider: OpenProvider) -> None:
        """Each method of the protocol is there, is async, and takes the protocol's parameters."""

        async def check(provider: MemoryProvider) -> None:
            for name, wanted in vars(MemoryProvider).items():
                if name.startswith("_") or not inspect.isfunction(wanted):
                    continue
                method = getattr(provider, name)
                assert inspect.iscoroutinefunction(method), name
                has = inspect.signature(method).parameters
                for parameter in list(inspect.signature(wanted).parameters.values())[1:]:
                    assert parameter.name in has, f"{name}({parameter.name})"
                    mine = has[parameter.name]
                    assert (mine.kind, mine.default) == (parameter.kind, parameter.default), (
                        f"{name}({parameter.name})"
                    )

        _run(memory_provider, check)

    def test_recall_has_every_key(self, memory_provider: OpenProvider) -> None:
        """recall has exactly its keys, names a new session, and keeps a given one."""

        async def check(provider: MemoryProvider) -> None:
            begun = await provider.recall("Where is the lamp?")
            check_recall(begun)
            again = await provider.recall("Where is the lamp?", session_id="session-of-the-host")
            check_recall(again)
            assert again["session_id"] == "session-of-the-host"

        _run(memory_provider, check)

    def test_session_identity_has_the_shape_of_a_recall(
        self, memory_provider: OpenProvider
    ) -> None:
        """What a session begins with comes in a recall's shape, and searches nothing."""

        async def check(provider: MemoryProvider) -> None:
            identity = await provider.load_session_identity(session_id="session-of-the-host")
            check_recall(identity)
            assert identity["search_results"] == []

        _run(memory_provider, check)

    def test_unknown_search_mode_degrades(self, memory_provider: OpenProvider) -> None:
        """An unknown search mode breaks nothing, and each item's metadata says so."""

        async def check(provider: MemoryProvider) -> None:
            word = await _keep_one(provider)
            answer = await provider.recall(
                word, session_id=f"session-{word}", search_mode="mode-of-the-day"
            )
            check_recall(answer)
            assert bool(answer["search_results"]) is await _keeps(provider)
            for item in answer["search_results"]:
                assert "search_mode" in item["metadata"]["degraded"]

        _run(memory_provider, check)

    def test_what_was_said_is_found(self, memory_provider: OpenProvider) -> None:
        """remember gives None, and what was said is found later, unless memory is off."""

        async def check(provider: MemoryProvider) -> None:
            word = _word()
            said = [
                {"role": "user", "content": f"My boat is called {word}."},
                {"role": "assistant", "content": "A fine name."},
            ]
            await _gives_none(provider.remember(f"session-{word}", said))
            found = await self._settled(provider, word)
            assert any(word in item["memory"] for item in found) is await _keeps(provider)

        _run(memory_provider, check)

    def test_session_is_not_given_the_same_twice(self, memory_provider: OpenProvider) -> None:
        """What a session was given is counted as known the next time, and not given again."""

        async def check(provider: MemoryProvider) -> None:
            word = await _keep_one(provider)
            first = await provider.recall(word, session_id=f"session-{word}")
            second = await provider.recall(word, session_id=f"session-{word}")
            check_recall(second)
            given = {item["id"] for item in first["search_results"]}
            assert not given & {item["id"] for item in second["search_results"]}
            assert second["stats"]["known_skipped"] >= len(given)

        _run(memory_provider, check)

    def test_deliberate_memory_has_an_id_and_belief(self, memory_provider: OpenProvider) -> None:
        """add_memory gives an id; search gives the item with that id, its text and its belief."""

        async def check(provider: MemoryProvider) -> None:
            word = _word()
            memory_id = await provider.add_memory(
                f"The gate code of the harbour is {word}.",
                memory_type="fact",
                categories=["harbour"],
                importance="high",
                labels={"project": "harbour"},
            )
            assert isinstance(memory_id, str)
            assert memory_id
            found = await provider.search(
                word, labels={"project": "harbour"}, categories=["harbour"], limit=5
            )
            assert len(found) <= 5
            for item in found:
                check_item(item)
            assert (memory_id in {item["id"] for item in found}) is await _keeps(provider)

        _run(memory_provider, check)

    @pytest.mark.parametrize("delete", ["delete_memory", "delete_memory_tool"])
    def test_deleted_is_gone(self, memory_provider: OpenProvider, delete: str) -> None:
        """After either delete nothing finds the memory, and deleting it again is no error."""

        async def check(provider: MemoryProvider) -> None:
            word = _word()
            memory_id = await provider.add_memory(f"The lamp oil is called {word}.")
            for _ in range(2):
                await _gives_none(getattr(provider, delete)(memory_id))
            assert word not in json.dumps(await provider.search(word))
            assert word not in json.dumps(await provider.recall(word))

        _run(memory_provider, check)

    def test_bootstrap_can_be_repeated(self, memory_provider: OpenProvider) -> None:
        """bootstrap_agent gives None, however often, and for no agent but the provider's."""

        async def check(provider: MemoryProvider) -> None:
            for _ in range(2):
                await _gives_none(provider.bootstrap_agent({}))
            await _refused(provider.bootstrap_agent({"agent_id": self.other_agent}))

        _run(memory_provider, check)

    def test_health_has_every_key(self, memory_provider: OpenProvider) -> None:
        """health has exactly its keys, and one of its words as the status."""

        async def check(provider: MemoryProvider) -> None:
            health = await provider.health()
            assert set(health) == HEALTH_KEYS
            assert isinstance(health["name"], str)
            assert health["status"] in HEALTH_STATUSES
            assert isinstance(health["latency_ms"], int | float)
            assert isinstance(health["circuit_state"], str)
            assert health["error"] is None or isinstance(health["error"], str)
            assert isinstance(health["details"], dict)
            json.dumps(health)

        _run(memory_provider, check)

    @pytest.mark.parametrize("claim", ["agent_id", "user_email"])
    def test_argument_that_claims_another_is_refused(
        self, memory_provider: OpenProvider, claim: str
    ) -> None:
        """Every method that takes an agent or a user refuses one that is not the provider's."""
        stated: dict[str, Any] = {
            claim: self.other_agent if claim == "agent_id" else self.other_user
        }

        async def check(provider: MemoryProvider) -> None:
            said = [{"role": "user", "content": "x"}]
            event = _event(_word(), self.owner)
            for call in (
                lambda: provider.remember("s", said, **stated),
                lambda: provider.add_memory("x", **stated),
                lambda: provider.search("x", **stated),
                lambda: provider.delete_memory("x", **stated),
                lambda: provider.delete_memory_tool("x", **stated),
                lambda: provider.remember_user_event(**event, **stated),
                lambda: provider.remember_evidence(_evidence(event, self.owner), **stated),
                lambda: provider.correct("x", "y", expected_revision=1, **stated),
                lambda: provider.inspect(**stated),
                lambda: provider.history("x", **stated),
            ):
                await _refused(call())

        _run(memory_provider, check)

    @pytest.mark.parametrize("name", ["agent_id", "user_email", "owner_id", "X-Agent-Id"])
    def test_label_field_or_header_that_claims_another_is_refused(
        self, memory_provider: OpenProvider, name: str
    ) -> None:
        """A label, a field of a message or of the context, or a header in it cannot move a memory
        to somebody else."""
        value = self.other_agent if "agent" in name.lower() else self.other_user
        claim = {name: value}

        async def check(provider: MemoryProvider) -> None:
            said = [{"role": "user", "content": "x"}]
            for call in (
                lambda: provider.recall("x", labels=claim),
                lambda: provider.recall("x", context=claim),
                lambda: provider.recall("x", context=f"{name}: {value}"),
                lambda: provider.load_session_identity(labels=claim),
                lambda: provider.load_session_identity(context={"headers": claim}),
                lambda: provider.remember("s", said, labels=claim),
                lambda: provider.remember("s", said, context=claim),
                lambda: provider.remember("s", [{**said[0], **claim}]),
                lambda: provider.add_memory("x", labels=claim),
                lambda: provider.search("x", labels=claim),
            ):
                await _refused(call())

        _run(memory_provider, check)

    def test_correct_inspect_and_history_are_typed(self, memory_provider: OpenProvider) -> None:
        """What is corrected has a new revision, the old one stays in its history, and a stale
        revision changes nothing; where nothing is kept, nothing is found."""

        async def check(provider: MemoryProvider) -> None:
            word = _word()
            memory_id = await provider.add_memory(f"The lamp stands on the {word}.")
            assert isinstance(await provider.inspect(), Page)
            if not await _keeps(provider):
                assert isinstance(await provider.inspect(memory_id), NotFound)
                assert isinstance(await provider.history(memory_id), NotFound)
                outcome = await provider.correct(memory_id, "x", expected_revision=1)
                assert isinstance(outcome, TargetsNotFound)
                return
            shown = await provider.inspect(memory_id)
            assert isinstance(shown, Shown)
            seen = shown.memory.revision
            text = f"The lamp stands beside the {word}."
            outcome = await provider.correct(memory_id, text, expected_revision=seen)
            assert isinstance(outcome, Changed)
            stale = await provider.correct(memory_id, "x", expected_revision=seen)
            assert not isinstance(stale, Changed)
            [item] = [one for one in await provider.search(word) if one["id"] == memory_id]
            assert item["memory"] == text
            assert item["metadata"]["revision"] > seen
            history = await provider.history(memory_id)
            assert isinstance(history, History)
            assert len(history.entries) >= 2
            await provider.delete_memory(memory_id)
            assert isinstance(await provider.inspect(memory_id), ForgottenMemory)

        _run(memory_provider, check)

    def test_corrected_memory_is_new_to_a_session(self, memory_provider: OpenProvider) -> None:
        """What a session was given and was then corrected is given to it again."""

        async def check(provider: MemoryProvider) -> None:
            if not await _keeps(provider):
                return
            word = _word()
            memory_id = await provider.add_memory(f"The ferry {word} leaves at nine.")
            before = await provider.recall(word, session_id=f"session-{word}")
            [seen] = [one for one in before["search_results"] if one["id"] == memory_id]
            revision = seen["metadata"]["revision"]
            text = f"The ferry {word} leaves at ten."
            await provider.correct(memory_id, text, expected_revision=revision)
            after = await provider.recall(word, session_id=f"session-{word}")
            assert text in [one["memory"] for one in after["search_results"]]

        _run(memory_provider, check)

    def test_evidence_is_settled_once(self, memory_provider: OpenProvider) -> None:
        """The same evidence again is a replay; where nothing is kept it is skipped."""

        async def check(provider: MemoryProvider) -> None:
            evidence = _evidence(_event(_word(), self.owner), self.owner)
            first = await provider.remember_evidence(evidence)
            again = await provider.remember_evidence(evidence)
            if await _keeps(provider):
                assert isinstance(first, EvidenceAccepted)
                assert isinstance(again, EvidenceReplayed)
            else:
                assert isinstance(first, EvidenceSkipped)
                assert isinstance(again, EvidenceSkipped)
            other = _evidence(_event(_word(), self.owner), self.other_user)
            await _refused(provider.remember_evidence(other))

        _run(memory_provider, check)

    def test_user_event_fires_only_for_the_owner_and_with_a_hash(
        self, memory_provider: OpenProvider
    ) -> None:
        """Without the event's hash, or said by somebody else, a user event sends nothing."""

        async def check(provider: MemoryProvider) -> None:
            word = _word()
            event = _event(word, self.owner)
            assert await provider.remember_user_event(**{**event, "event_hash": None}) is None
            others = {**event, "user_id": self.other_user}
            assert await provider.remember_user_event(**others) is None
            assert word not in json.dumps(await provider.search(word))

        _run(memory_provider, check)

    async def _settled(self, provider: MemoryProvider, word: str) -> list[dict[str, Any]]:
        """What a search finds, once it finds the word; none is waited for where none is kept."""
        until = time.monotonic() + (self.settle_seconds if await _keeps(provider) else 0)
        while True:
            found = await provider.search(word)
            if any(word in item["memory"] for item in found) or time.monotonic() >= until:
                return found
            await asyncio.sleep(0.05)


def _run(memory_provider: OpenProvider, check: Check) -> None:
    async def run() -> None:
        async with memory_provider() as provider:
            await check(provider)

    asyncio.run(run())


async def _keeps(provider: MemoryProvider) -> bool:
    """Whether a provider is held to keep what it is given."""
    health = await provider.health()
    return bool(health["status"] != "disabled")


async def _gives_none(call: Awaitable[object]) -> None:
    assert await call is None


async def _refused(call: Awaitable[object]) -> None:
    with pytest.raises(CognidError) as refused:
        await call
    assert refused.value.code == "identity_mismatch"


async def _keep_one(provider: MemoryProvider) -> str:
    """Assert a memory; gives a word that only it has."""
    word = _word()
    await provider.add_memory(f"The lighthouse keeper calls it {word}.")
    return word


def _word() -> str:
    """A word that no memory has yet."""
    return "kite" + "".join(secrets.choice("bcdfghklmnprstvz") for _ in range(12))


def _event(word: str, owner: str) -> dict[str, Any]:
    """What a host tells of an event of its user, with a stream of its own."""
    content = f"My compass is called {word}."
    data = {"role": "user", "content": content}
    return {
        "content": content,
        "session_id": f"session-{word}",
        "stream": f"host-{word}",
        "sequence": 1,
        "event_hash": event_hash(f"host-{word}", 1, "user_message", data),
        "user_id": owner,
        "conversation": "conversation-1",
        "turn": "turn-1",
    }


def _evidence(event: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The same event as a trusted evidence."""
    return {
        "version": 1,
        "actor": {"user_id": event["user_id"], "owner_id": owner},
        "event": {
            "id": f"{event['stream']}:{event['sequence']}",
            "event_hash": event["event_hash"],
            "session": event["session_id"],
            "conversation": event["conversation"],
            "turn": event["turn"],
        },
        "messages": [{"role": "user", "content": event["content"]}],
    }
