"""`CognidProvider` against a real daemon: beyond the conformance suite, what is Cognid's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import pair

from cognid import Aliases, Changed, CognidError, EvidenceAccepted, History, Shown
from cognid.client import AsyncClient
from cognid.client.caller import Caller
from cognid.credentials import Credential
from cognid.protocol.canonical import event_hash
from cognid.protocol.evidence import EvidenceRejected, EvidenceSkipped
from cognid.protocol.sessions import SessionPage
from cognid.provider import BRIDGE_OPERATIONS, CognidProvider, RecallAnswer

_USUAL = ["remember", "recall", "session", "configure"]


@pytest.fixture(scope="module")
def kept() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has an agent of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def pairs(kept: DaemonProcess) -> Callable[..., Credential]:
    """Makes a credential with these rights, once for the same."""
    made: dict[str, Credential] = {}

    def paired(*rights: str) -> Credential:
        name = " ".join(rights)
        if name not in made:
            with kept.connect() as owner:
                made[name] = pair(owner, name, rights=list(rights))
        return made[name]

    return paired


Opens = Callable[..., CognidProvider]


@pytest.fixture
async def opens(
    kept: DaemonProcess, pairs: Callable[..., Credential], request: pytest.FixtureRequest
) -> AsyncIterator[Opens]:
    """Opens providers of this test's agent, with these rights, and closes them after it."""
    opened: list[CognidProvider] = []

    def open_one(*rights: str, **arguments: Any) -> CognidProvider:
        provider = CognidProvider(
            kept.places.socket,
            pairs(*(rights or _USUAL)),
            agent=request.node.name,
            recall_deadline_ms=10_000,
            **arguments,
        )
        opened.append(provider)
        return provider

    yield open_one
    for provider in opened:
        await provider.close()


@pytest.fixture
async def provider(opens: Opens) -> CognidProvider:
    """A provider with the usual rights, its bank made."""
    provider = opens()
    await provider.bootstrap_agent(None)
    return provider


def metadata_of(answer: dict[str, Any]) -> dict[str, Any]:
    """What a recall says of itself."""
    assert isinstance(answer, RecallAnswer)
    return answer.metadata


def said(*contents: str) -> list[dict[str, Any]]:
    """These things, said by the user."""
    return [{"role": "user", "content": content} for content in contents]


async def test_session_begins_with_instructions_and_core(provider: CognidProvider) -> None:
    """A bootstrap recall gives the options' instructions, and pinned memories before
    preferences, fenced as data; a recall within the session gives neither."""
    under = provider.under({"instructions": "Ask before you delete."})
    await under.add_memory("The user likes tea.", memory_type="preference")
    await under.add_memory("The user is called Ines.", pinned=True)
    await under.add_memory("The lamp is in the hall.")
    begun = await under.load_session_identity(session_id="s1")
    assert begun["instructions"] == "Ask before you delete."
    core = begun["core_memories"]
    assert core.startswith("<cognid-memory untrusted>")
    assert "likes tea" in core
    assert "called Ines" in core
    assert "lamp" not in core
    assert begun["stats"]["core_count"] == 2
    within = await under.recall("Where is the lamp?", session_id="s1")
    assert (within["instructions"], within["core_memories"]) == (None, None)
    assert [item["memory"] for item in within["search_results"]][:1] == ["The lamp is in the hall."]
    without = await under.recall("Where is the lamp?")
    assert without["core_memories"] == core
    assert without["session_id"].startswith("ses_")
    plain = await provider.load_session_identity()
    assert (plain["instructions"], plain["core_memories"]) == (None, core)
    small = await provider.under({"mode": "on_demand"}).load_session_identity()
    assert (small["instructions"], small["core_memories"]) == (None, None)


async def test_core_keeps_its_budget_with_what_is_pinned_first(provider: CognidProvider) -> None:
    """Where not all of it fits, the pinned memory is there whole, and what is missing is named."""
    await provider.add_memory(f"The user is called Ines. {'x' * 300}", pinned=True)
    for number in range(4):
        await provider.add_memory(f"Likes {number} {'y' * 300}.", memory_type="preference")
    # Without a model tokens are counted as bytes, which are never fewer.
    narrow = provider.under({"core_tokens": 1_000})
    begun = await narrow.load_session_identity()
    assert len(begun["core_memories"].encode()) <= 1_000
    assert f"Ines. {'x' * 300}" in begun["core_memories"]
    assert begun["stats"]["core_count"] < 5
    told = metadata_of(begun)
    assert "core_omitted" in told["degraded"]
    assert told["core"]["tokens"] <= 1_000


async def test_core_is_not_found_a_second_time(provider: CognidProvider) -> None:
    """What stands in the core memories of an answer does not stand among its results."""
    pinned = await provider.add_memory("The lamp code is amber-sky.", pinned=True)
    begun = await provider.recall("lamp code")
    assert "amber-sky" in begun["core_memories"]
    assert pinned not in {item["id"] for item in begun["search_results"]}
    assert begun["stats"]["known_skipped"] == 1


@pytest.mark.parametrize(
    ("asked", "used", "operation"),
    [
        ("find", "find", "memory.recall"),
        ("search", "search", "memory.recall"),
        ("thorough", "thorough", "memory.recall"),
        ("lexical", "lexical", "memory.search"),
        ("by-magic", "find", "memory.recall"),
    ],
)
async def test_search_modes(
    provider: CognidProvider, monkeypatch: pytest.MonkeyPatch, asked: str, used: str, operation: str
) -> None:
    """Each mode has its operation; an unknown one is answered as `find`, and said so."""
    await provider.add_memory("The lamp is in the hall.")
    calls = spied(monkeypatch)
    answer = await provider.recall("lamp", session_id="s", search_mode=asked)
    assert calls == [operation]
    told = metadata_of(answer)
    assert told["search_mode"] == used
    assert ("search_mode" in told["degraded"]) is (asked != used)
    [item] = answer["search_results"]
    assert item["metadata"]["search_mode"] == used
    assert item["metadata"]["degraded"] == told["degraded"]


async def test_instruction_mode_is_named_as_degraded(provider: CognidProvider) -> None:
    """No mode has instructions of its own, and the answer says so."""
    answer = await provider.recall("", "s", instruction_mode="personality", managed=True)
    assert metadata_of(answer)["degraded"] == ["instruction_mode"]
    assert metadata_of(answer)["outcome"] == "not_asked"


async def test_item_carries_belief_and_source(provider: CognidProvider) -> None:
    """An item says why it is believed, where it came from, and that it is data."""
    await provider.remember("s1", said("I live in Porto."), labels={"project": "move"})
    found = await provider.search("Porto", labels={"project": "move"})
    metadata = found[0]["metadata"]
    assert metadata["provenance"] == "explicit"
    assert metadata["lifecycle"] == "current"
    assert metadata["labels"] == {"project": "move"}
    assert metadata["session_id"] == "s1"
    assert metadata["source"]["event"]["stream"] == "session:s1"
    assert metadata["untrusted"] is True
    assert await provider.search("Porto", labels={"project": "other"}) == []
    assert await provider.search("Porto", categories=["other"]) == []


async def test_remembered_turns_are_events_and_messages(provider: CognidProvider) -> None:
    """Each message is an event of the session's stream and a message of the session, bound to each
    other: forgetting what was remembered takes the message along."""
    await provider.remember("s1", [*said("My lamp code is amber-sky."), {"content": "Thanks."}])
    client = provider._client
    page = await client.session_messages(session_id="s1")
    assert isinstance(page, SessionPage)
    assert [message.content for message in page.messages] == [
        *("My lamp code is amber-sky.", "Thanks."),
    ]
    stream = (await client.bank_status(stream="session:s1")).frontier
    assert stream is not None
    assert stream.received == page.messages[1].event.sequence  # type: ignore[union-attr]
    [remark] = [one for one in await provider.search("amber") if "lamp code" in one["memory"]][:1]
    await provider.delete_memory(remark["id"])
    page = await client.session_messages(session_id="s1")
    assert isinstance(page, SessionPage)
    assert page.messages[0].content is None


async def test_without_the_right_no_messages_are_kept(opens: Opens) -> None:
    """A credential without `session` remembers, keeps no messages, and health says so."""
    provider = opens("remember", "recall")
    await provider.bootstrap_agent(None)
    await provider.remember("s1", said("The lamp is in the hall."))
    assert await provider.search("lamp")
    assert (await provider.health())["details"]["session_messages"] is False


async def test_saying_it_twice_is_remembered_twice(provider: CognidProvider) -> None:
    """A write that is through is not taken up again."""
    for _ in range(2):
        await provider.remember("s1", said("Good morning, lamp."))
    assert len(await provider.search("lamp")) == 2


async def test_every_write_carries_the_fingerprint_into_the_ledger(opens: Opens) -> None:
    """Whichever method wrote it, the ledger names the policy; a profile's is its own."""
    provider = opens(*_USUAL, "tool_forget")
    await provider.bootstrap_agent(None)
    night = provider.under({"mode": "on_demand"}, profile_id="night")
    mine, nights = provider.policy.policy_fingerprint, night.policy.policy_fingerprint
    assert mine != nights
    lamp = await provider.add_memory("The lamp is in the hall.")
    await night.correct(lamp, "The lamp is in the attic.", expected_revision=1)
    await provider.delete_memory(lamp)
    boat = await night.add_memory("The boat is in the shed.")
    await provider.delete_memory_tool(boat)
    assert await ledger_of(provider, lamp) == [
        ("memory.add", mine),
        ("memory.correct", nights),
        ("memory.forget", mine),
    ]
    assert await ledger_of(provider, boat) == [("memory.add", nights), ("memory.tool_forget", mine)]
    await provider.remember("s1", said("The kettle is blue."))
    [kettle] = [one for one in await provider.search("kettle") if "blue" in one["memory"]][:1]
    assert kettle["metadata"]["source"]["policy_fingerprint"] == mine


async def test_tool_deletes_by_its_own_right(opens: Opens) -> None:
    """The agent's delete needs `tool_forget`, and nothing else; the host's needs `configure`."""
    provider = opens()
    await provider.bootstrap_agent(None)
    lamp = await provider.add_memory("The lamp is in the hall.")
    with pytest.raises(CognidError, match="forbidden"):
        await provider.delete_memory_tool(lamp)
    agent = opens("tool_forget")
    with pytest.raises(CognidError, match="forbidden"):
        await agent.delete_memory(lamp)
    with pytest.raises(CognidError, match="forbidden"):
        await agent.under(enabled=False).delete_memory_tool(lamp)
    await agent.delete_memory_tool(lamp)
    assert await provider.search("lamp") == []


@pytest.mark.parametrize("delete", ["delete_memory", "delete_memory_tool"])
async def test_delete_of_what_never_was_is_refused(opens: Opens, delete: str) -> None:
    """A wrong id is an error, since None could not say it."""
    provider = opens(*_USUAL, "tool_forget")
    await provider.bootstrap_agent(None)
    with pytest.raises(CognidError) as refused:
        await getattr(provider, delete)("mem_" + "0" * 32)
    assert (refused.value.code, refused.value.detail) == ("memory_refused", "not_found")


async def test_memory_that_is_not_stored_is_an_error(provider: CognidProvider) -> None:
    """A credential in a deliberate memory has no id to give; the error names the rule only."""
    with pytest.raises(CognidError) as refused:
        await provider.add_memory("The deploy token is ghp_" + "a1B2" * 9)
    assert refused.value.code == "memory_refused"
    assert refused.value.detail.startswith("rejected: credential.")
    assert "a1B2" not in str(refused.value)


async def test_equal_memory_gives_the_id_of_the_one_that_is_there(provider: CognidProvider) -> None:
    """What says the same is not stored twice."""
    lamp = await provider.add_memory("The lamp is in the hall.")
    assert await provider.add_memory("The lamp is in the hall.") == lamp


async def test_policy_without_memory_is_off(provider: CognidProvider) -> None:
    """Under a disabled policy nothing is taken or given; deleting and looking still work."""
    lamp = await provider.add_memory("The lamp is in the hall.")
    off = provider.under(enabled=False, profile_id="guest")
    assert off.policy.audit_metadata()["memory_enabled"] is False
    answer = await off.recall("lamp")
    assert answer["search_results"] == []
    assert metadata_of(answer)["outcome"] == "disabled"
    assert await off.search("lamp") == []
    await off.remember("s1", said("The boat is in the shed."))
    with pytest.raises(CognidError, match="memory_refused"):
        await off.add_memory("The boat is in the shed.")
    assert await off.remember_user_event(**event("The boat.")) is None
    outcome = await off.remember_evidence(evidence("The boat."))
    assert isinstance(outcome, EvidenceSkipped)
    assert (await off.health())["status"] == "disabled"
    await off.delete_memory(lamp)
    assert await provider.search("boat lamp") == []


async def test_bank_that_is_off_is_off(provider: CognidProvider) -> None:
    """Switched off by its person, the bank gives nothing and takes nothing, and health says so."""
    await provider.add_memory("The lamp is in the hall.")
    await provider._memory.set_enabled(False)
    await provider.remember("s1", said("The boat is in the shed."))
    answer = await provider.recall("lamp", include_instructions=True)
    assert (answer["search_results"], answer["core_memories"]) == ([], None)
    assert metadata_of(answer)["outcome"] == "disabled"
    assert (await provider.health())["status"] == "disabled"
    with pytest.raises(CognidError, match="no_effect: disabled"):
        await provider.add_memory("The boat is in the shed.")


async def test_aliases_name_what_was_shown(opens: Opens) -> None:
    """With a session's aliases each item has one; through a stale one nothing is changed."""
    base = opens(*_USUAL, "tool_forget")
    await base.bootstrap_agent(None)
    provider = base.under(aliases=Aliases("s1"))
    await provider.add_memory("The lamp is in the hall.")
    [item] = await provider.search("lamp")
    assert item["metadata"]["alias"] == "m1"
    outcome = await provider.correct("m1", "The lamp is in the attic.")
    assert isinstance(outcome, Changed)
    for stale in (provider.delete_memory("m1"), provider.delete_memory_tool("m1")):
        with pytest.raises(CognidError, match="memory_alias_stale"):
            await stale
    [item] = await provider.search("lamp")
    assert item["metadata"]["alias"] == "m2"
    assert isinstance(await provider.inspect("m2"), Shown)
    await provider.delete_memory_tool("m2")
    with pytest.raises(CognidError, match="memory_alias_stale"):
        await provider.delete_memory_tool("m2")
    with pytest.raises(CognidError, match="memory_alias_unknown"):
        await base.delete_memory_tool("m2")


async def test_user_event_is_accepted_with_its_fingerprint(provider: CognidProvider) -> None:
    """What the owner says is remembered where the policy remembers by itself, and only there."""
    told = event("The kayak is green.")
    assert await provider.under({"mode": "proactive"}).remember_user_event(**told) is None
    outcome = await provider.remember_user_event(**told)
    assert isinstance(outcome, EvidenceAccepted)
    shown = await provider.inspect(outcome.memories[0].memory_id)
    assert isinstance(shown, Shown)
    assert shown.memory.source.policy_fingerprint == provider.policy.policy_fingerprint


async def test_evidence_outside_the_bounds_is_rejected(provider: CognidProvider) -> None:
    """What is longer than any memory is rejected before anything is sent; what is no evidence is
    an error that does not repeat it."""
    outcome = await provider.remember_evidence(evidence("x" * 400_001))
    assert isinstance(outcome, EvidenceRejected)
    assert outcome.rejection.reason == "input_budget_exceeded"
    for wrong in (
        {**evidence("amber"), "extra": 1},
        {**evidence("amber"), "version": True},
        {**evidence("amber"), "messages": []},
    ):
        with pytest.raises(CognidError) as refused:
            await provider.remember_evidence(wrong)
        assert refused.value.code == "invalid_argument"
        assert "amber" not in str(refused.value)


async def test_methods_use_the_operations_of_the_table(
    opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each method asks the daemon for its operations of the table, and all of them are asked."""
    provider = opens(*_USUAL, "tool_forget")
    await provider.bootstrap_agent(None)
    lamp = await provider.add_memory("The lamp is in the hall.")
    calls = spied(monkeypatch)
    used: dict[str, set[str]] = {}

    async def note(name: str, *calls_of_it: Any) -> None:
        for call in calls_of_it:
            await call
        used[name] = set(calls)
        calls.clear()

    await note("load_session_identity", provider.load_session_identity())
    await note("recall", provider.recall("x"), provider.recall("x", search_mode="lexical"))
    await note("remember", provider.remember("s", said("Hello.")))
    await note("add_memory", provider.add_memory("The boat is in the shed."))
    await note("search", provider.search("x"))
    for method in ("correct", "inspect", "history", "delete_memory"):
        fresh = provider.under()  # its manager handle is opened anew
        more = {"text": "The lamp.", "expected_revision": 1} if method == "correct" else {}
        await note(method, getattr(fresh, method)(lamp, **more))
    lamp = await provider.add_memory("The lamp is in the cellar.")
    calls.clear()
    await note("delete_memory_tool", provider.delete_memory_tool(lamp))
    await note("bootstrap_agent", provider.bootstrap_agent(None))
    await note("health", provider.health())
    await note("remember_evidence", provider.remember_evidence(evidence("The kayak.")))
    await note("remember_user_event", provider.remember_user_event(**event("The canoe.", 2)))
    assert used == {name: set(operations) for name, operations in BRIDGE_OPERATIONS.items()}


async def test_bootstrap_agent_reads_what_a_host_has(opens: Opens) -> None:
    """A name, a mapping or an object will do, as long as it is the provider's agent and owner."""
    provider = opens()
    agent = provider._identity.agent

    class Agent:
        agent_id = agent
        owner_email = "otto@example.org"

    for mine in (agent, {"agent_id": agent, "model": {"user": None}}):
        await provider.bootstrap_agent(mine)
    for other in (Agent(), "other", {"agent_id": agent, "owner_email": "otto@example.org"}):
        with pytest.raises(CognidError, match="identity_mismatch"):
            await provider.bootstrap_agent(other)


async def test_wrong_arguments_are_refused_before_anything_is_sent(
    provider: CognidProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds and words are checked here."""
    calls = spied(monkeypatch)
    for call in (
        provider.recall("x", ttl=-1),
        provider.search("x", limit=0),
        provider.search("x", limit=101),
        provider.search("x", categories=["a"], limit=1_000),
        provider.add_memory("x", memory_type="rumour"),
        provider.add_memory("x", importance="enormous"),
        provider.add_memory("x", importance=2.0),
        provider.remember("s", [{"role": "pope", "content": "x"}]),
        provider.recall("x", labels={"a": ["b"]}),
    ):
        with pytest.raises(CognidError) as refused:
            await call
        assert refused.value.code == "invalid_argument"
    assert calls == []


async def ledger_of(provider: CognidProvider, memory_id: str) -> list[tuple[str, str | None]]:
    """What was done to a memory and under which policy, oldest first, each once."""
    history = await provider.history(memory_id)
    assert isinstance(history, History)
    entries = [(entry.operation, entry.policy_fingerprint) for entry in history.entries]
    return list(dict.fromkeys(entries))


def spied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations that are asked for from now on."""
    calls: list[str] = []
    call = Caller.call

    async def spy(self: AsyncClient, name: str, request: Any) -> Any:
        calls.append(name)
        return await call(self, name, request)

    monkeypatch.setattr(Caller, "call", spy)
    return calls


def event(content: str, sequence: int = 1) -> dict[str, Any]:
    """What a host tells of its user's event."""
    data = {"role": "user", "content": content}
    return {
        "content": content,
        "session_id": "s1",
        "stream": "host",
        "sequence": sequence,
        "event_hash": event_hash("host", sequence, "user_message", data),
        "user_id": "local",
        "conversation": "c1",
        "turn": "t1",
    }


def evidence(content: str) -> dict[str, Any]:
    """The same as a trusted evidence."""
    told = event(content)
    names = {"session": told["session_id"], "conversation": "c1", "turn": "t1"}
    return {
        "version": 1,
        "actor": {"user_id": "local", "owner_id": "local"},
        "event": {"id": "host:1", "event_hash": told["event_hash"], **names},
        "messages": [{"role": "user", "content": content}],
    }
