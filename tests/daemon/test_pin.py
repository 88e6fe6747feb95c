"""memory.pin, and what every other operation makes of a memory that is past its term: a whole
daemon without its socket, by a clock that is set."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from support.authority_room import WHOSE, AuthorityRoom, RefusedError, operation, scratch
from support.clock import Clock, keeping

from cognid_daemon.bank.bank import Bank

NEVER = f"mem_{'0' * 32}"
TEXT = "The ferry leaves at nine"


class Room(AuthorityRoom):
    """A room with a clock; nothing is swept in it but by `sweep`."""

    def __init__(self) -> None:
        self.clock = Clock()
        super().__init__(scratch(), keeping=keeping(self.clock))

    async def add(self, text: str = TEXT, kind: str = "context", **fields: Any) -> str:
        """Assert a memory."""
        params = {"text": text, "kind": kind, **operation(), **fields}
        memory_id: str = (await self.ask("memory.add", **params))["memories"][0]["memory_id"]
        return memory_id

    async def pin(self, memory_id: str, pinned: bool = True, **fields: Any) -> dict[str, Any]:
        """Pin a memory, or take the pin away."""
        params = {"memory_id": memory_id, "pinned": pinned, **operation(), **fields}
        return await self.ask("memory.pin", handle=await self.handle(), **params)

    async def shown(self, memory_id: str) -> dict[str, Any]:
        """One memory, or what is left of it."""
        handle = await self.handle()
        return await self.ask("memory.inspect", view="get", handle=handle, memory_id=memory_id)

    async def texts(self, *lifecycles: str) -> list[str]:
        """The texts of what is listed, without lifecycles of what is current."""
        more = {"lifecycles": list(lifecycles)} if lifecycles else {}
        handle = await self.handle()
        page = await self.ask("memory.inspect", view="list", handle=handle, **more)
        assert page["total"] == len(page["memories"])
        return [memory["text"] for memory in page["memories"]]

    async def recalled(self, query: str = "ferry") -> list[str]:
        """The texts that a recall brings back."""
        answer = await self.ask("memory.recall", query=query)
        return [hit["text"] for hit in answer.get("hits", [])]

    async def sweep(self, days: float = 0) -> None:
        """Let some days pass, and have done what is due then."""
        self.clock.turn(days)
        async with self.parts.banks.lease(**WHOSE) as lease:
            sweeper = lease.bank.sweeper
            await sweeper.look()
            sweeper.wake()
            async with asyncio.timeout(10):
                while (sweeper._due.sweep or self.clock.now + 1) <= self.clock.now:  # noqa: ASYNC110 # tells it to nobody
                    await asyncio.sleep(0.002)

    async def erase(self, days: float) -> None:
        """Let a memory's term of so many days pass, and then all that follows it."""
        for later in (days, 30, 1):
            await self.sweep(later)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """An open room with an empty bank."""
    room = Room()
    await room.open()
    yield room
    await room.close()
    shutil.rmtree(room._home)


def _outcome(answer: dict[str, Any]) -> tuple[str, str | None]:
    return answer["outcome"], answer.get("reason")


@pytest.mark.parametrize("swept", [False, True])
async def test_pinning_revives_what_has_expired(room: Room, swept: bool) -> None:
    """It is current, recalled and in the projection again, whether it was swept or not."""
    memory_id = await room.add()
    room.clock.turn(7)
    if swept:
        await room.sweep()
    assert await room.recalled() == []
    answer = await room.pin(memory_id)
    assert _outcome(answer) == ("committed", None)
    assert (answer["affected"], answer["revision"]) == ([memory_id], 1)
    assert (answer["pinned"], answer["revived"], answer["lifecycle"]) == (True, True, "current")
    assert answer["expires_at"] is None
    (listed,) = answer["projection"]["memories"]
    assert (listed["memory_id"], listed["pinned"]) == (memory_id, True)
    await room.wait_indexed()
    assert await room.recalled() == [TEXT]


async def test_pinning_in_time_keeps_it(room: Room) -> None:
    """There is nothing to revive, and the term is over for good."""
    memory_id = await room.add()
    answer = await room.pin(memory_id, expected_revision=1)
    assert (answer["outcome"], answer["revived"]) == ("committed", False)
    await room.sweep(1_000)
    assert await room.texts() == [TEXT]


async def test_a_pin_that_is_taken_away_lets_the_term_hold(room: Room) -> None:
    """In its term the memory says when it expires; past it it has expired, as the answer says."""
    memory_id = await room.add(pinned=True)
    answer = await room.pin(memory_id, pinned=False)
    assert (answer["lifecycle"], answer["revived"]) == ("current", False)
    shown = (await room.shown(memory_id))["memory"]
    assert answer["expires_at"] == shown["expires_at"] is not None
    await room.pin(memory_id)
    room.clock.turn(8)
    answer = await room.pin(memory_id, pinned=False)
    assert (answer["outcome"], answer["lifecycle"]) == ("committed", "expired")
    assert answer["projection"]["memories"] == []
    assert await room.texts("expired") == [TEXT]


async def test_a_pin_is_answered_once_and_for_all(room: Room) -> None:
    """The same operation gives its stored outcome and a fresh projection; another is a conflict."""
    memory_id, other = await room.add(), await room.add("The bus leaves at ten")
    once: dict[str, Any] = operation()
    made = await room.pin(memory_id, **once)
    await room.pin(memory_id, pinned=False)
    again = await room.pin(memory_id, **once)
    assert (made["replayed"], again["replayed"]) == (False, True)
    assert [memory["pinned"] for memory in again["projection"]["memories"]] == [False, False]
    same = {"replayed": False, "projection": None}
    assert {**again, **same} == {**made, **same}
    assert _outcome(await room.pin(other, **once)) == ("conflict", "operation_reused")


async def test_what_cannot_be_pinned_stays_as_it_is(room: Room) -> None:
    """Unknown, forgotten, stale, superseded, pinned before: each has its own answer."""
    memory_id = await room.add()
    assert _outcome(await room.pin(NEVER)) == ("not_found", None)
    stale = await room.pin(memory_id, expected_revision=2)
    assert (_outcome(stale), stale["current"]) == (("conflict", "revision_stale"), {memory_id: 1})
    assert _outcome(await room.pin(memory_id, pinned=False)) == ("no_effect", "unchanged")
    superseded = await _superseded(room)
    assert _outcome(await room.pin(superseded)) == ("conflict", "not_current")
    handle = await room.handle()
    targets = [{"memory_id": memory_id}]
    await room.ask("memory.forget", handle=handle, targets=targets, confirmed=True, **operation())
    assert _outcome(await room.pin(memory_id)) == ("forgotten", None)


async def _superseded(room: Room) -> str:
    """A remark that the correction of its fact superseded."""
    said, fact = (f"mem_{letter * 32}" for letter in "ab")
    event = {"stream": "s", "sequence": 1, "type": "user_message"}
    made = "2026-05-01T10:00:00Z"
    records = [
        {
            **{"memory_id": one, "origin_id": one, "kind": kind, "role": "user", "event": event},
            **{"provenance": "explicit", "confidence": 1.0, "span": [0, 16], "created_at": made},
            "revisions": [
                {
                    "revision": 1,
                    "lifecycle": "current",
                    "text": "I live in Lyon.",
                    "created_at": made,
                }
            ],
        }
        for one, kind in ((said, "remark"), (fact, "fact"))
    ]
    assert (await room.ask("import", records=records, **operation()))["imported"] == 2
    corrected = await room.ask(
        "memory.correct",
        **{"handle": await room.handle(), "memory_id": fact, "expected_revision": 1},
        **{"text": "I live in Nice.", **operation()},
    )
    assert corrected["affected"] == [fact, said]
    return said


async def test_a_disabled_bank_takes_no_pin(room: Room) -> None:
    """Off is off; but what is past its term goes all the same."""
    memory_id = await room.add()
    handle = await room.handle()
    await room.ask("bank.set_enabled", handle=handle, enabled=False, **operation())
    assert _outcome(await room.pin(memory_id)) == ("no_effect", "disabled")
    await room.erase(7)
    assert (await room.shown(memory_id))["view"] == "forgotten"


async def test_a_pin_needs_a_good_handle(room: Room) -> None:
    """A handle that nobody gave is refused."""
    memory_id = await room.add()
    with pytest.raises(RefusedError, match="handle_invalid"):
        await room.ask(
            "memory.pin", handle=f"mgr_{'0' * 64}", memory_id=memory_id, pinned=True, **operation()
        )


# What the others make of it.


@pytest.mark.parametrize("swept", [False, True])
async def test_an_expired_memory_can_be_seen(room: Room, swept: bool) -> None:
    """Inspect lists and shows it with its text; status counts it; nothing calls it current."""
    memory_id = await room.add()
    room.clock.turn(7)
    if swept:
        await room.sweep()
    assert (await room.texts(), await room.texts("expired")) == ([], [TEXT])
    shown = await room.shown(memory_id)
    assert (shown["memory"]["lifecycle"], shown["memory"]["text"]) == ("expired", TEXT)
    assert [one["lifecycle"] for one in shown["revisions"]] == ["expired"]
    history = await room.ask(
        "memory.inspect", view="history", handle=await room.handle(), memory_id=memory_id
    )
    assert history["lifecycle"] == "expired"
    status = await room.ask("bank.status")
    assert (status["memories"], status["by_kind"], status["expired"]) == (0, {}, 1)
    assert status["quota"]["memories"] == 1


@pytest.mark.parametrize("swept", [False, True])
async def test_an_expired_memory_can_be_forgotten_and_not_corrected(
    room: Room, swept: bool
) -> None:
    """A correction says that it is not current; a forget takes it for good."""
    memory_id = await room.add()
    room.clock.turn(7)
    if swept:
        await room.sweep()
    wanted = {"memory_id": memory_id, "expected_revision": 1, "text": "It leaves at ten"}
    answer = await room.ask("memory.correct", handle=await room.handle(), **wanted, **operation())
    assert _outcome(answer) == ("conflict", "not_current")
    answer = await room.ask(
        "memory.forget",
        **{"handle": await room.handle(), "targets": [{"memory_id": memory_id}]},
        **{"confirmed": True, **operation()},
    )
    assert answer["outcome"] == "committed"
    assert (await room.peek()).texts == []


async def test_a_replay_stores_nothing_anew(room: Room) -> None:
    """The event of what has expired is a duplicate, of what was erased it is forgotten."""
    data = {"role": "user", "content": TEXT}
    event = {"stream": "chat", "sequence": 4, "data": data}

    async def report(**once: str) -> dict[str, Any]:
        return await room.ask("memory.remember", event=event, **(once or operation()))

    once = operation()
    made = (await report(**once))["memories"][0]["memory_id"]
    room.clock.turn(180)
    for _ in range(2):
        answer = await report()
        assert (answer["outcome"], answer["memories"][0]["memory_id"]) == ("duplicate", made)
        assert await room.texts() == []
        await room.sweep()
    await room.erase(0)
    assert (await report())["outcome"] == "forgotten"
    assert (await report(**once))["replayed"] is True
    assert (await room.peek()).texts == []


async def test_what_was_erased_stays_away_from_an_older_file(room: Room) -> None:
    """The catalog knows the barriers of an erasure, so a bank file that is put back obeys them."""
    memory_id = await room.add()
    await room.add("The bus leaves at ten", kind="fact")
    await room.sweep(7)
    copy = await room.copy_bank()
    await room.erase(0)
    assert (await room.shown(memory_id))["view"] == "forgotten"
    catalog = room.parts.catalog
    assert [one.memory_id for one in await catalog.barriers(room.bank_id)] == [memory_id]
    await room.put_back(copy)
    assert (await room.shown(memory_id))["view"] == "forgotten"
    assert (await room.peek()).texts == ["The bus leaves at ten"]


async def test_the_history_names_the_cause_of_an_erasure(room: Room) -> None:
    """retention expired it and erased it; nothing of the text is left in the history."""
    memory_id = await room.add()
    await room.erase(7)
    history = await room.ask(
        "memory.inspect", view="history", handle=await room.handle(), memory_id=memory_id
    )
    told = [(one["operation"], one["authority"], one["lifecycle"]) for one in history["entries"]]
    assert told[1:] == [
        ("retention.expire", "retention", "expired"),
        ("retention.erase", "retention", "forgotten"),
    ]
    assert history["entries"][2]["details"] == {"cause": "expired"}
    assert TEXT not in str(history)


async def test_export_and_import_keep_it_expired(room: Room) -> None:
    """It comes back as it was, and can still be revived; what is current gets a new term."""
    memory_id = await room.add()
    await room.sweep(5)
    await room.add("The bus leaves at ten")
    await room.sweep(3)
    records = await room.exported()
    assert [record["revisions"][0]["lifecycle"] for record in records] == ["expired", "current"]
    handle = await room.handle()
    await room.ask("bank.delete_all", handle=handle, confirmed=True, **operation())
    await room.ask("import", records=records, **operation())
    for days in (0, 6):
        await room.sweep(days)
        assert await room.texts("expired") == [TEXT]
        assert await room.texts() == ["The bus leaves at ten"]
    assert (await room.pin(memory_id))["revived"] is True


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("memory.inspect", {"view": "get"}),
        ("memory.inspect", {"view": "list", "lifecycles": ["expired"]}),
        ("memory.inspect", {"view": "history"}),
        ("memory.forget_preview", {}),
        ("export", {}),
    ],
)
async def test_what_has_expired_and_is_forgotten_on_the_way_is_not_shown(
    room: Room, monkeypatch: pytest.MonkeyPatch, method: str, asked: dict[str, Any]
) -> None:
    """Forgotten between the reading of an expired memory and the answer: its text is not in it."""
    memory_id = await room.add()
    await room.sweep(7)
    if method != "export":
        asked = {**asked, "handle": await room.handle()}
    if asked.get("view") in ("get", "history"):
        asked = {**asked, "memory_id": memory_id}
    if method == "memory.forget_preview":
        asked = {**asked, "targets": [{"memory_id": memory_id}]}
    assert TEXT in str(await room.ask(method, **asked))
    as_it_is = Bank.read

    async def read(bank: Bank, work: Callable[[Any], Any], **more: Any) -> Any:
        found = await as_it_is(bank, work, **more)
        monkeypatch.undo()
        await bank.submit(lambda tx: tx.forget(tx.group_of([memory_id]).memories, None)).outcome()
        return found

    monkeypatch.setattr(Bank, "read", read)
    assert TEXT not in str(await room.ask(method, **asked))
