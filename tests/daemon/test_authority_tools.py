"""The agent's own forget and correct: their rights, their tokens, their names in the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import DaemonProcess, RawConnection
from support.talk import Agent, id_of, operation

from cognid.credentials import Credential, new_credential
from cognid.protocol.proof import verifier_of


@pytest.fixture
def owner(shared_daemon: DaemonProcess) -> Iterator[RawConnection]:
    """A connection of the owner."""
    with shared_daemon.connect() as connected:
        yield connected


@pytest.fixture(scope="module")
def tool(shared_daemon: DaemonProcess) -> Credential:
    """A credential with the two rights of tools and no right to configure."""
    credential = new_credential("tool")
    verifier = verifier_of(credential.secret)
    with shared_daemon.connect() as owner:
        owner.result(
            "grant.create",
            {
                "credential_id": credential.credential_id,
                "name": "tool",
                "stored_key": verifier.stored_key.hex(),
                "server_key": verifier.server_key.hex(),
                "owners": ["local"],
                "agents": "*",
                "rights": ["remember", "recall", "tool_forget", "tool_correct"],
                **operation(),
            },
        )
    return credential


@pytest.fixture
def person(owner: RawConnection) -> Agent:
    """A bank as the person sees it."""
    return Agent(owner)


@pytest.fixture
def agent(shared_daemon: DaemonProcess, tool: Credential, person: Agent) -> Iterator[Agent]:
    """The same bank as the tool sees it."""
    with shared_daemon.connect(tool) as connected:
        yield Agent(connected, person.agent)


def _preview(agent: Agent, *memory_ids: str) -> dict[str, Any]:
    targets = [{"memory_id": memory_id} for memory_id in memory_ids]
    return agent.result("memory.tool_forget_preview", {"targets": targets})


def _forget(agent: Agent, token: str, *memory_ids: str, **fields: Any) -> dict[str, Any]:
    targets = [{"memory_id": memory_id} for memory_id in memory_ids]
    params = {"targets": targets, "preview_token": token, **operation(), **fields}
    return agent.result("memory.tool_forget", params)


def test_a_tool_forgets_what_its_preview_listed(person: Agent, agent: Agent) -> None:
    """It gets the ids back and no listing; the ledger has it under the tool's name."""
    memory_id = id_of(person.add("The kettle is blue"))
    preview = _preview(agent, memory_id)
    answer = _forget(agent, preview["preview_token"], memory_id)
    assert (answer["outcome"], answer["affected"]) == ("committed", [memory_id])
    assert answer["projection"] is None
    last = person.history(memory_id)["entries"][-1]
    assert (last["operation"], last["authority_name"]) == ("memory.tool_forget", "tool")


def test_a_tool_corrects_the_revision_that_its_preview_showed(person: Agent, agent: Agent) -> None:
    """A revision that came between is a conflict."""
    memory_id = id_of(person.add("SSH is on port 22"))
    wanted = {"memory_id": memory_id}
    shown = agent.result("memory.tool_correct_preview", wanted)
    assert (shown["outcome"], shown["memory"]["text"]) == ("preview", "SSH is on port 22")
    params = {**wanted, "text": "SSH is on port 49222", "preview_token": shown["preview_token"]}
    answer = agent.result("memory.tool_correct", {**params, **operation()})
    assert (answer["outcome"], answer["revision"], answer["projection"]) == ("committed", 2, None)
    late = agent.result("memory.tool_correct", {**params, **operation()})
    assert (late["outcome"], late["reason"]) == ("conflict", "preview_stale")
    last = person.history(memory_id)["entries"][-1]
    assert last["operation"] == "memory.tool_correct"
    person.forget(memory_id)
    assert agent.result("memory.tool_correct_preview", wanted)["outcome"] == "forgotten"
    never = {"memory_id": f"mem_{'0' * 32}"}
    assert agent.result("memory.tool_correct_preview", never)["outcome"] == "not_found"


def test_a_token_is_good_for_nothing_else(
    shared_daemon: DaemonProcess, tool: Credential, person: Agent, agent: Agent
) -> None:
    """Not for other ids, another bank, another operation, another connection, or made up."""
    memory_id, other = id_of(person.add("The kettle is blue")), id_of(person.add("The mat is red"))
    token = _preview(agent, memory_id)["preview_token"]
    assert _forget(agent, token, other)["reason"] == "preview_stale"
    assert _forget(agent, token, memory_id, other)["reason"] == "preview_stale"
    with shared_daemon.connect(tool) as second:
        elsewhere = Agent(second, person.agent)
        foreign = Agent(agent.connection)
        correct = agent.result("memory.tool_correct_preview", {"memory_id": memory_id})
        for bank, wrong in (
            (elsewhere, token),
            (foreign, token),
            (agent, correct["preview_token"]),
            (agent, f"prv_{'0' * 64}"),
        ):
            params = {"targets": [{"memory_id": memory_id}], "preview_token": wrong}
            data = bank.error("memory.tool_forget", {**params, **operation()})
            assert (data["code"], data["effect"]) == ("preview_invalid", "none")
    managed = person.preview(targets=[{"memory_id": memory_id}])["preview_token"]
    params = {"targets": [{"memory_id": memory_id}], "preview_token": managed, **operation()}
    assert person.connection.error("memory.tool_forget", {**person.whose, **params})["code"] == (
        "forbidden"
    )
    assert person.shown(memory_id)["view"] == "get"


def test_a_token_ends_with_its_epoch(person: Agent, agent: Agent) -> None:
    """What was listed before a switch is not confirmed after it."""
    memory_id = id_of(person.add("The kettle is blue"))
    token = _preview(agent, memory_id)["preview_token"]
    person.set_enabled(False)
    params = {"targets": [{"memory_id": memory_id}], "preview_token": token, **operation()}
    assert agent.error("memory.tool_forget", params)["code"] == "preview_invalid"


def test_a_tools_forget_is_replayed_through_another_connection(
    shared_daemon: DaemonProcess, tool: Credential, person: Agent, agent: Agent
) -> None:
    """The receipt is looked at before the token, which lived on the connection that was lost."""
    memory_id = id_of(person.add("The kettle is blue"))
    token = _preview(agent, memory_id)["preview_token"]
    same = operation()
    _forget(agent, token, memory_id, **same)
    with shared_daemon.connect(tool) as second:
        again = _forget(Agent(second, person.agent), token, memory_id, **same)
        told = Agent(second, person.agent).resolve(same["operation_id"])
    assert (again["outcome"], again["replayed"]) == ("committed", True)
    assert told["outcome"] == "committed"


@pytest.mark.parametrize(
    "fields", [{"preview_token": None}, {"confirmed": True}, {"targets": []}, {"text": "kettle"}]
)
def test_a_tool_cannot_forget_without_a_token_or_by_words(
    agent: Agent, fields: dict[str, Any]
) -> None:
    """There is no tool forget by filter, and confirmed: true is no token."""
    params = {"targets": [{"memory_id": "mem_000000000000"}], **operation(), **fields}
    assert agent.error("memory.tool_forget", params)["code"] == "invalid_argument"
