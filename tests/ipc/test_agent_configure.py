"""`AgentConfigure`: its manager handle and its aliases, against a daemon that a test scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.scripted_daemon import Answer, ScriptedConnection, ScriptedDaemon

from cognid import (
    Aliases,
    AsyncAgentConfigure,
    Changed,
    CognidError,
    OutcomeUnknownError,
)
from cognid.protocol.frames import Request
from cognid.protocol.ids import new_operation_id

ONE, TWO = "mem_" + "1" * 12, "mem_" + "2" * 12
PROJECTION: dict[str, Any] = {
    "memories": [],
    "total": 0,
    "by_kind": {},
    "epoch": "epo_1",
    "enabled": True,
}


def handle(number: int, epoch: str = "epo_1") -> dict[str, Any]:
    """The answer to configure.open."""
    return {
        "handle": f"mgr_{number:064x}",
        "expires_at": "2030-01-01T00:00:00Z",
        "epoch": epoch,
        "enabled": True,
    }


def scripted(*epochs: str, refuses: int = 0) -> Answer:
    """A daemon that gives a handle in each of the epochs in turn, and refuses the first handles."""
    opened = 0
    left = refuses

    def answer(request: Request, connection: ScriptedConnection) -> None:
        nonlocal opened, left
        if request.method == "configure.open":
            epoch = epochs[min(opened, len(epochs) - 1)]
            opened += 1
            connection.reply(request, handle(opened, epoch))
        elif left:
            left -= 1
            connection.error(request, "handle_invalid")
        else:
            changed = {
                "outcome": "committed",
                "operation_id": request.params.get("operation_id"),
                "affected": [ONE],
                "projection": PROJECTION,
            }
            connection.reply(request, changed)

    return answer


def configure_of(daemon: ScriptedDaemon, aliases: Aliases | None = None) -> AsyncAgentConfigure:
    """The face of one agent at a scripted daemon."""
    return AsyncAgentConfigure(daemon.socket, daemon.credential, agent="a", aliases=aliases)


async def test_handle_is_opened_once_and_used_again(tmp_path: Path) -> None:
    """The first call opens a handle; the next ones use it."""
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1")) as daemon,
        configure_of(daemon) as configure,
    ):
        await configure.memory.forget(ONE, confirmed=True)
        await configure.memory.forget(TWO, confirmed=True)
    assert daemon.methods() == ["configure.open", "memory.forget", "memory.forget"]
    assert {request.params["handle"] for request in daemon.requests[1:]} == {handle(1)["handle"]}


async def test_refused_handle_is_renewed_once(tmp_path: Path) -> None:
    """A handle that the daemon does not know is replaced, and the same operation asked again."""
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1", refuses=1)) as daemon,
        configure_of(daemon) as configure,
    ):
        await configure.memory.forget(ONE, confirmed=True)
    asked = [request for request in daemon.requests if request.method == "memory.forget"]
    assert [request.params["handle"] for request in asked] == [
        handle(1)["handle"],
        handle(2)["handle"],
    ]
    assert len({request.params["operation_id"] for request in asked}) == 1


async def test_handle_that_is_refused_again_is_an_error(tmp_path: Path) -> None:
    """A second refusal is told; nothing is tried for ever."""
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1", refuses=9)) as daemon,
        configure_of(daemon) as configure,
    ):
        with pytest.raises(CognidError, match="handle_invalid"):
            await configure.memory.inspect()
    assert daemon.methods().count("memory.inspect") == 2


@pytest.mark.parametrize("verb", ["wipe", "switch"])
async def test_cutoff_is_not_carried_into_an_epoch_nobody_saw(tmp_path: Path, verb: str) -> None:
    """Where another has begun a new epoch meanwhile, a wipe or a switch is refused, not repeated;
    asked again by its caller it goes."""
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1", "epo_2", refuses=1)) as daemon,
        configure_of(daemon) as configure,
    ):

        async def cut_off() -> Any:
            if verb == "wipe":
                return await configure.memory.delete_all(confirmed=True)
            return await configure.memory.set_enabled(False)

        with pytest.raises(CognidError, match="handle_invalid"):
            await cut_off()
        assert daemon.methods().count("configure.open") == 2
        assert isinstance(await cut_off(), Changed)
    assert daemon.methods().count("configure.open") == 2


async def test_handle_of_a_new_epoch_is_taken_from_the_answer(tmp_path: Path) -> None:
    """After a cutoff the face goes on with the handle that its answer brought."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "configure.open":
            connection.reply(request, handle(1))
        else:
            changed = {
                "outcome": "committed",
                "operation_id": request.params["operation_id"],
                "affected": [],
                "handle": handle(2, "epo_2"),
            }
            connection.reply(request, changed)

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        configure_of(daemon) as configure,
    ):
        await configure.memory.set_enabled(False)
        await configure.memory.delete_all(confirmed=True)
    assert daemon.methods() == ["configure.open", "bank.set_enabled", "bank.delete_all"]
    assert daemon.requests[2].params["handle"] == handle(2)["handle"]


async def test_lost_answer_is_outcome_unknown(tmp_path: Path) -> None:
    """A forget whose answer is lost is never sent again; its operation id is told."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        if request.method == "configure.open":
            connection.reply(request, handle(1))
        else:
            connection.hang_up()

    async with (
        ScriptedDaemon(tmp_path / "run", answer) as daemon,
        configure_of(daemon) as configure,
    ):
        id = new_operation_id()
        with pytest.raises(OutcomeUnknownError) as caught:
            await configure.memory.forget(ONE, confirmed=True, operation_id=id)
        assert caught.value.operation_id == id
    assert daemon.methods() == ["configure.open", "memory.forget"]


@pytest.mark.parametrize(
    ("shown", "alias", "code"),
    [
        ([{"id": ONE, "revision": 1}], "m7", "memory_alias_unknown"),
        ([{"id": ONE, "revision": 1}, {"id": ONE, "revision": 2}], "m1", "memory_alias_stale"),
        ([{"id": ONE, "memory": "x"}], "m1", "memory_alias_precondition_unavailable"),
    ],
)
async def test_refused_alias_sends_nothing(
    tmp_path: Path, shown: list[dict[str, Any]], alias: str, code: str
) -> None:
    """An alias that is unknown, stale or without a revision never reaches the daemon."""
    aliases = Aliases("s")
    aliases.name(shown)
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1")) as daemon,
        configure_of(daemon, aliases) as configure,
    ):
        for mutate in (
            lambda: configure.memory.correct(alias, "y"),
            lambda: configure.memory.forget([TWO, alias], confirmed=True),
            lambda: configure.memory.forget_preview(alias),
        ):
            with pytest.raises(CognidError) as caught:
                await mutate()
            assert caught.value.code == code
            assert caught.value.remedy.startswith("Search again")
        if code != "memory_alias_precondition_unavailable":
            with pytest.raises(CognidError, match=code):
                await configure.memory.get(alias)
        assert daemon.requests == []


async def test_alias_without_a_session_is_unknown(tmp_path: Path) -> None:
    """Without the aliases of a session no alias is known."""
    async with (
        ScriptedDaemon(tmp_path / "run") as daemon,
        configure_of(daemon) as configure,
    ):
        with pytest.raises(CognidError, match="memory_alias_unknown"):
            await configure.memory.forget("m1", confirmed=True)
        assert daemon.requests == []


async def test_mutation_through_an_alias_carries_the_revision(tmp_path: Path) -> None:
    """What is sent through an alias is the id and the revision that was shown; then it is stale."""
    aliases = Aliases("s")
    aliases.name([{"id": ONE, "revision": 4}])
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1")) as daemon,
        configure_of(daemon, aliases) as configure,
    ):
        await configure.memory.forget("m1", confirmed=True)
        assert daemon.requests[-1].params["targets"] == [{"memory_id": ONE, "expected_revision": 4}]
        with pytest.raises(CognidError, match="memory_alias_stale"):
            await configure.memory.forget("m1", confirmed=True)
        aliases.name([{"id": ONE, "revision": 5}, {"id": TWO, "revision": 2}])
        await configure.memory.correct("m2", "y")
        assert daemon.requests[-1].params["memory_id"] == ONE
        assert daemon.requests[-1].params["expected_revision"] == 5
        await configure.memory.delete_all(confirmed=True)
        with pytest.raises(CognidError, match="memory_alias_stale"):
            aliases.precondition("m3")


async def test_what_is_not_confirmed_is_not_sent(tmp_path: Path) -> None:
    """Forget and wipe without `confirmed=True`, and correct without a revision, send nothing."""
    async with (
        ScriptedDaemon(tmp_path / "run", scripted("epo_1")) as daemon,
        configure_of(daemon) as configure,
    ):
        for mutate in (
            lambda: configure.memory.forget(ONE, confirmed=False),
            lambda: configure.memory.forget([], confirmed=True),
            lambda: configure.memory.delete_all(confirmed=False),
            lambda: configure.memory.correct(ONE, "y"),
            lambda: configure.memory.forget("no id", confirmed=True),
        ):
            with pytest.raises(CognidError, match="invalid_argument"):
                await mutate()
    assert set(daemon.methods()) <= {"configure.open"}
