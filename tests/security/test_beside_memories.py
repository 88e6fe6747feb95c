"""Sessions, lanes and contexts: nobody sees another's, and nothing of them is readable at rest or
left behind once it was cleared or forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.bank_room import KEY, opened, remark
from support.daemon import DaemonProcess, RawConnection
from support.pages_of import clear_bytes, clear_wal
from support.talk import Agent, operation, pair

from cognid.protocol.values import Role
from cognid_daemon.bank import lanes, sessions
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.lanes import Unit
from cognid_daemon.bank.rows import Barrier, Decision, NewEvent, Receipt
from cognid_daemon.bank.sessions import NewMessage
from cognid_daemon.bank.transaction import Transaction

SECRET = "The harbour door opens at the kite-77 sign"
DIGEST = bytes(range(100, 132))


def tell(bank: Agent, session: str, text: str, **fields: Any) -> dict[str, Any]:
    """Append a message, as the user."""
    message = {"role": "user", "content": text, **fields}
    params = {"session_id": session, "messages": [message], **operation()}
    return bank.result("session.append", params)


def lane_of(bank: Agent, text: str) -> None:
    """Put a lane with one unit beside a bank."""
    bank.result(
        "lane.replace",
        {
            "lane": "docs",
            "snapshot": {"id": "v1", "hash": "ab" * 32},
            "units": [{"unit_id": "u", "type": "note", "text": text}],
            **operation(),
        },
    )


def reads(bank: Agent, session: str) -> list[dict[str, Any]]:
    """Every read of a bank that could show messages, units or memories."""
    return [
        bank.result("session.messages", {"session_id": session}),
        bank.result("session.messages", {"session_id": session, "query": SECRET}),
        bank.result("lane.query", {"query": SECRET}),
        bank.result("lane.query", {"lane": "docs"}),
        bank.result("context.assemble", {"session_id": session, "deadline_ms": 9_000}),
        bank.result(
            "context.assemble", {"query": SECRET, "session_id": session, "deadline_ms": 9_000}
        ),
        bank.recall(SECRET, session_id=session),
        bank.result("memory.inspect", {"view": "list", "handle": bank.handle()}),
    ]


def test_another_agent_with_the_same_session_sees_nothing(connection: RawConnection) -> None:
    """The same session id, lane and operation ids under another agent are another's."""
    a, b = Agent(connection), Agent(connection)
    nobody = Agent(connection, None)
    tell(a, "s", SECRET)
    lane_of(a, SECRET)
    for other in (b, nobody):
        assert "kite-77" not in str(reads(other, "s"))
    assert "kite-77" in str(reads(a, "s"))


def test_another_session_of_the_same_agent_sees_no_message(connection: RawConnection) -> None:
    """Messages are of one session; lanes are the agent's."""
    bank = Agent(connection)
    tell(bank, "s", SECRET)
    assert "kite-77" not in str(reads(bank, "another"))
    assert "kite-77" not in str(bank.result("context.assemble", {"deadline_ms": 9_000}))


def test_a_cursor_is_good_in_its_bank_only(connection: RawConnection) -> None:
    """Carried to another agent's session of the same name it is refused."""
    a, b = Agent(connection), Agent(connection)
    for bank in (a, b):
        for text in ("one", "two"):
            tell(bank, "s", text)
    asked = {"session_id": "s", "limit": 1}
    cursor = a.result("session.messages", asked)["cursor"]
    assert b.error("session.messages", {**asked, "before": cursor})["code"] == "cursor_invalid"


def test_a_grant_bounds_owner_agent_and_right(
    shared_daemon: DaemonProcess, connection: RawConnection
) -> None:
    """Without the right, owner or agent every operation is forbidden, and a context leaves out and
    names what its grant may not see."""
    bank = Agent(connection)
    tell(bank, "s", SECRET)
    lane_of(bank, SECRET)
    name = f"bound-{bank.agent}"
    credential = pair(connection, name, agents=[bank.agent], rights=["recall"])
    calls: list[tuple[str, dict[str, Any]]] = [
        ("session.messages", {"session_id": "s"}),
        ("session.clear", {"session_id": "s", **operation()}),
        ("lane.query", {}),
        ("lane.drop", {"lane": "docs", **operation()}),
    ]
    with shared_daemon.connect(credential) as bound:
        for method, params in calls:
            assert bound.error(method, {**bank.whose, **params})["code"] == "forbidden"
        asked = {"session_id": "s", "query": SECRET, "deadline_ms": 9_000}
        context = bound.result("context.assemble", {**bank.whose, **asked})
        assert "kite-77" not in str(context)
        missing = {(one["section"], one["reason"]) for one in context["omitted"]}
        assert {("lanes", "not_granted"), ("messages", "not_granted")} <= missing
    rights = ["session", "lane", "recall"]
    credential = pair(connection, f"{name}-2", agents=["somebody-else"], rights=rights)
    calls.append(("context.assemble", asked))
    with shared_daemon.connect(credential) as bound:
        for method, params in calls:
            assert bound.error(method, {**bank.whose, **params})["code"] == "forbidden"
            foreign = {"owner": "another", "agent": "somebody-else", **params}
            assert bound.error(method, foreign)["code"] == "forbidden"
    assert "kite-77" in str(reads(bank, "s"))


def test_no_file_holds_a_byte_of_them(
    connection: RawConnection, shared_daemon: DaemonProcess
) -> None:
    """With the WAL hot: text, name and session of a message, text and source of a unit."""
    bank = Agent(connection)
    words = ("Quetzalcoatl-canary", "Zacharias-canary", "session-canary", "lantern-canary")
    tell(bank, words[2], words[0], name=words[1])
    lane_of(bank, words[3])
    assert list(shared_daemon.places.data.rglob("bank.db-wal"))
    for path in shared_daemon.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [word for word in words if word.encode() in content], path


# What is left in the file itself, decrypted.


async def _told(bank: Bank, text: str, *, event: tuple[str, int] | None = None) -> None:
    """A message, with the receipt and digest of the request that brought it."""

    def apply(tx: Transaction) -> None:
        made = operation()["operation_id"]
        message = NewMessage(Role.USER, text, name="Zacharias", event=event)
        sessions.add(tx, "s", [message], made)
        tx.add_receipt(Receipt(made, "session.append", DIGEST, "{}", "test"))

    await bank.submit(apply).outcome()


async def _remembered(bank: Bank, text: str, event: tuple[str, int]) -> str:
    def apply(tx: Transaction) -> str:
        taken = NewEvent(*event, "message", None, Decision.COMMITTED, session_id="s")
        return tx.add_memory(
            remark(text, session_id="s", event_rowid=tx.add_event(taken))
        ).memory_id

    return await bank.submit(apply).outcome()


async def _digests(bank: Bank) -> list[bytes | None]:
    rows = await bank.read(lambda c: c.execute("SELECT digest FROM receipts").fetchall())
    return [digest for (digest,) in rows]


def _traces(bank: Bank) -> list[bytes]:
    content = clear_bytes(bank.path, KEY) + clear_wal(bank.path.with_name("bank.db-wal"), KEY)
    return [one for one in (b"kite-77", b"Zacharias", DIGEST) if one in content]


async def test_a_cleared_session_leaves_no_byte(tmp_path: Path) -> None:
    """Text, name and digest of the request are in the file before, and in no page after."""
    async with opened(tmp_path / "b") as bank:
        for number in range(30):
            await _told(bank, f"{SECRET} {number} {'and more ' * number}")
        await bank.eraser.scrub()
        assert _traces(bank) == [b"kite-77", b"Zacharias", DIGEST]
        assert await bank.submit(lambda tx: sessions.clear(tx, "s")).outcome() == 30
        assert await _digests(bank) == [None] * 30
        assert await bank.erase_now()
        assert await bank.eraser.is_even()
        assert _traces(bank) == []


async def test_a_scrubbed_message_leaves_no_byte(tmp_path: Path) -> None:
    """Neither by the event that it names nor by its words does anything stay of it."""
    event = ("chat", 1)
    async with opened(tmp_path / "b") as bank:
        memory_id = await _remembered(bank, SECRET, event)
        await _told(bank, f"{SECRET}, said in other words", event=event)
        await _told(bank, SECRET)

        def forget(tx: Transaction) -> int:
            memories = tx.group_of([memory_id]).memories
            said = sessions.saying(tx, memories)
            tx.forget(memories, None)
            sessions.scrub(tx, said)
            return len(said)

        assert await bank.submit(forget).outcome() == 2
        assert await _digests(bank) == [None, None]
        assert await bank.erase_now()
        assert _traces(bank) == []


async def test_a_barrier_from_elsewhere_scrubs_too(tmp_path: Path) -> None:
    """An older file that is put back holds the message; the barrier takes its text on opening."""
    event = ("chat", 1)
    async with opened(tmp_path / "b") as bank:
        memory_id = await _remembered(bank, SECRET, event)
        await _told(bank, SECRET)
        await _told(bank, f"{SECRET}, said in other words", event=event)
        barrier = Barrier(memory_id, memory_id, *event, None, 1, None)
        assert await bank.submit(lambda tx: tx.obey(barrier)).outcome()
        assert await bank.erase_now()
        assert _traces(bank) == []


async def test_a_dropped_lane_leaves_no_byte(tmp_path: Path) -> None:
    """Nor does the digest of the request that brought it."""

    def bring(tx: Transaction) -> None:
        made = operation()["operation_id"]
        units = [Unit(str(n), "note", f"{SECRET} {n}", "Zacharias", None) for n in range(40)]
        lanes.replace(tx, "docs", ("v1", "ab" * 32), units, [], made)
        tx.add_receipt(Receipt(made, "lane.replace", DIGEST, "{}", "test"))

    async with opened(tmp_path / "b") as bank:
        await bank.submit(bring).outcome()
        await bank.eraser.scrub()
        assert _traces(bank) == [b"kite-77", b"Zacharias", DIGEST]
        assert await bank.submit(lambda tx: lanes.drop(tx, "docs")).outcome() == 40
        assert await bank.erase_now()
        assert _traces(bank) == []
