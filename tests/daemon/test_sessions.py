"""Session messages over a real daemon: kept in order, found in their session only, filtered, and
gone again."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened
from support.clock import Clock
from support.daemon import DaemonProcess
from support.talk import Agent, id_of, operation, pair

from cognid.protocol.sessions import SessionAppend
from cognid.protocol.values import Role
from cognid_daemon.bank import retention, sessions
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.erase import owed
from cognid_daemon.bank.errors import QuotaError
from cognid_daemon.bank.fence import Fence
from cognid_daemon.bank.keeping import DAY, Keeping
from cognid_daemon.bank.sessions import NewMessage, SessionMessage
from cognid_daemon.bank.view import View
from cognid_daemon.intake.admission import Order
from cognid_daemon.operations.sessions import _screen, appending

KEY = "my password is hunter2-Zebra-99"


def said(content: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    """A message of a request."""
    return {"role": role, "content": content, **fields}


def append(bank: Agent, session: str, *messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Append messages to a session."""
    params = {"session_id": session, "messages": list(messages), **operation(), **fields}
    return bank.result("session.append", params)


def messages(bank: Agent, session: str, **fields: Any) -> list[dict[str, Any]]:
    """A page of a session."""
    page = bank.result("session.messages", {"session_id": session, **fields})
    assert page["outcome"] == "messages"
    found: list[dict[str, Any]] = page["messages"]
    return found


def contents(bank: Agent, session: str, **fields: Any) -> list[str | None]:
    """What the messages of a page say."""
    return [message["content"] for message in messages(bank, session, **fields)]


def test_messages_stand_in_the_order_of_their_coming(bank: Agent) -> None:
    """Oldest first, as they were told, with role, name, time and place."""
    told = said("Hi", name="Ines", occurred_at="2026-05-01T10:00:00+02:00")
    answer = append(bank, "s", told, said("Hello, Ines", "assistant"))
    assert answer["outcome"] == "appended"
    assert [one["index"] for one in answer["messages"]] == [0, 1]
    assert all(one["message_id"].startswith("msg_") for one in answer["messages"])
    append(bank, "s", said("  three\n"))
    found = messages(bank, "s")
    assert [one["content"] for one in found] == ["Hi", "Hello, Ines", "  three\n"]
    assert [one["message_id"] for one in found][:2] == [
        one["message_id"] for one in answer["messages"]
    ]
    assert found[0]["role"] == "user"
    assert found[0]["name"] == "Ines"
    assert found[0]["occurred_at"] == "2026-05-01T08:00:00.000000Z"
    assert found[0]["untrusted"] is True


def test_a_pipelined_append_is_in_the_order_of_the_lines(bank: Agent) -> None:
    """Forty appends in flight on one connection, long ones among them, keep their order."""
    texts = [f"message {number} {'long ' * (200 * (number % 3))}" for number in range(40)]
    sent = [
        bank.connection.send(
            "session.append",
            {**bank.whose, "session_id": "s", "messages": [said(text)], **operation()},
        )
        for text in texts
    ]
    for number in sent:
        assert bank.connection.answer(number)["result"]["outcome"] == "appended"
    assert contents(bank, "s", limit=40) == texts


def test_pages_go_back_to_the_beginning(bank: Agent) -> None:
    """The cursor gives the page before; it is good for this session and nothing else."""
    append(bank, "s", *[said(f"m{number}") for number in range(7)])
    append(bank, "other", said("x"))
    page = bank.result("session.messages", {"session_id": "s", "limit": 3})
    assert [one["content"] for one in page["messages"]] == ["m4", "m5", "m6"]
    assert page["total"] == 7
    cursor = page["cursor"]
    wrong = {"session_id": "other", "before": cursor}
    assert bank.error("session.messages", wrong)["code"] == "cursor_invalid"
    second = bank.result("session.messages", {"session_id": "s", "limit": 3, "before": cursor})
    assert [one["content"] for one in second["messages"]] == ["m1", "m2", "m3"]
    last = {"session_id": "s", "limit": 3, "before": second["cursor"]}
    page = bank.result("session.messages", last)
    assert [one["content"] for one in page["messages"]] == ["m0"]
    assert page["cursor"] is None


def test_a_query_searches_this_session(bank: Agent) -> None:
    """What shares words comes best first, with a score, and nothing from another session."""
    append(bank, "s", said("The ferry leaves at nine"), said("I like tea"), said("Ferry to Pico"))
    append(bank, "other", said("The ferry to Pico leaves"))
    page = bank.result("session.messages", {"session_id": "s", "query": "ferry Pico?"})
    assert [one["content"] for one in page["messages"]] == [
        "Ferry to Pico",
        "The ferry leaves at nine",
    ]
    assert page["total"] == 2
    assert page["searched"] == 3
    first, second = (one["score"] for one in page["messages"])
    assert first == 1.0
    assert 0 < second < first
    assert contents(bank, "s", query="zeppelin") == []


def test_no_recall_finds_a_message(bank: Agent) -> None:
    """Messages are beside the memories: neither recall nor search brings one back."""
    append(bank, "s", said("The heron nests by the weir"))
    assert bank.recall("heron weir", session_id="s")["outcome"] == "no_hits"
    assert bank.lexical("heron weir") == []


def test_a_repeated_append_is_one(bank: Agent) -> None:
    """The same operation again gives the stored answer; with other content it is a conflict."""
    same = operation()
    first = append(bank, "s", said("once"), **same)
    again = append(bank, "s", said("once"), **same)
    assert again == {**first, "replayed": True}
    other = append(bank, "s", said("twice"), **same)
    assert (other["outcome"], other["reason"]) == ("conflict", "operation_reused")
    assert contents(bank, "s") == ["once"]
    resolved = bank.resolve(same["operation_id"])
    assert resolved["outcome"] == "committed"
    assert "once" not in str(resolved)


def test_a_withheld_message_keeps_role_and_time(bank: Agent) -> None:
    """A credential leaves a place without a text, and so do what the user asks not to be kept and
    the reply to that."""
    answer = append(
        bank,
        "s",
        said("All good"),
        said(KEY, name="Ines"),
        said("I shall not look at it", "assistant"),
        said("Please don't remember this: I am ill"),
        said("I see that you are ill", "assistant"),
        said("What is the weather?"),
    )
    rules = [one["withheld"] for one in answer["messages"]]
    assert rules[0] is None
    assert any(rule.startswith("credential.") for rule in rules[1])
    assert rules[2] is None
    assert rules[3] == ["withheld.message"]
    assert rules[4] == ["withheld.reply"]
    assert rules[5] is None
    found = messages(bank, "s")
    assert [one["content"] for one in found] == [
        "All good",
        None,
        "I shall not look at it",
        None,
        None,
        "What is the weather?",
    ]
    assert [one["withheld"] for one in found] == rules
    assert [one["role"] for one in found][1:3] == ["user", "assistant"]
    assert found[1]["name"] is None
    assert found[1]["created_at"]


def test_the_next_message_is_withheld_though_intake_hears_of_it_too(bank: Agent) -> None:
    """The same turns told to session.append and to memory.remember withhold the same."""
    ask, secret = "Don't save my next message.", "My cousin is in hiding at the mill."
    for sequence, text in enumerate((ask, secret), 1):
        append(bank, "s", said(text))
        event = {"stream": "t", "sequence": sequence, "data": said(text)}
        outcome = bank.result("memory.remember", {"event": event, "session_id": "s", **operation()})
        assert outcome["outcome"] == "rejected"
    assert contents(bank, "s") == [None, None]
    append(bank, "s", said("Back to work."))
    assert contents(bank, "s")[-1] == "Back to work."


def test_a_session_of_which_nothing_is_remembered_keeps_no_message(bank: Agent) -> None:
    """What intake was told of the whole session holds here too, and in no other session."""
    event = {"stream": "t", "data": said("Don't remember anything from this conversation.")}
    bank.result("memory.remember", {"event": event, "session_id": "s", **operation()})
    append(bank, "s", said("I moved to Porto"))
    append(bank, "other", said("I moved to Porto"))
    assert contents(bank, "s") == [None]
    assert contents(bank, "other") == ["I moved to Porto"]


def test_a_disabled_bank_takes_and_shows_no_messages(bank: Agent) -> None:
    """Off is off: append is no_effect, messages disabled, clear works; nothing is caught up."""
    append(bank, "s", said("before"))
    bank.set_enabled(False)
    answer = append(bank, "s", said("meanwhile"))
    assert (answer["outcome"], answer["reason"]) == ("no_effect", "disabled")
    assert bank.resolve(answer["operation_id"])["outcome"] == "refused"
    asked = {"session_id": "s"}
    assert bank.result("session.messages", asked)["outcome"] == "disabled"
    assert bank.result("session.clear", {**asked, **operation()})["count"] == 1
    bank.set_enabled(True)
    assert contents(bank, "s") == []


def test_clear_takes_the_messages_of_one_session(bank: Agent) -> None:
    """Gone from every read at once; other sessions and the memories stay; a repetition is one."""
    append(bank, "s", said("one"), said("two"))
    append(bank, "other", said("three"))
    bank.remember("I keep bees", session_id="s")
    same = operation()
    cleared = bank.result("session.clear", {"session_id": "s", **same})
    assert (cleared["outcome"], cleared["count"]) == ("cleared", 2)
    assert contents(bank, "s") == []
    assert contents(bank, "s", query="one") == []
    assert contents(bank, "other") == ["three"]
    assert set(bank.texts("bees")) == {"I keep bees"}
    append(bank, "s", said("four"))
    assert bank.result("session.clear", {"session_id": "s", **same})["replayed"] is True
    assert contents(bank, "s") == ["four"]


def test_a_read_behind_a_clear_waits_for_it(bank: Agent) -> None:
    """Sent in one go on one connection, the read does not see what the clear takes."""
    for _ in range(10):
        append(bank, "s", said("gone"))
        asked = {**bank.whose, "session_id": "s"}
        bank.connection.send("session.clear", {**asked, **operation()})
        number = bank.connection.send("session.messages", asked)
        assert bank.connection.answer(number)["result"]["messages"] == []


def test_a_forget_scrubs_the_messages_of_its_turn(bank: Agent) -> None:
    """By the event that the message names; role and time stay; the rest of the session too."""
    event = {"stream": "chat", "sequence": 5}
    append(bank, "s", said("I live in Ghent", event=event), said("Nice place", "assistant"))
    outcome = bank.result(
        "memory.remember",
        {"event": {**event, "data": said("I live in Ghent")}, "session_id": "s", **operation()},
    )
    forgotten = bank.forget(id_of(outcome))
    assert forgotten["messages_scrubbed"] == 1
    assert forgotten["messages_kept"] is None
    found = messages(bank, "s")
    assert [one["content"] for one in found] == [None, "Nice place"]
    assert found[0]["withheld"] == ["forgotten"]
    assert found[0]["role"] == "user"
    # Told again, it meets the barrier; newly said, it is a new message.
    late = append(bank, "s", said("I live in Ghent", event=event))
    assert late["messages"][0]["withheld"] == ["forgotten"]
    append(bank, "s", said("I live in Ghent"))
    assert contents(bank, "s") == [None, "Nice place", None, "I live in Ghent"]


def test_a_message_without_an_event_is_scrubbed_by_its_words(bank: Agent) -> None:
    """In the session of the memory, and only where it says the very same."""
    append(bank, "s", said("I live in Ghent"), said("I live in Ghent now"))
    append(bank, "other", said("I live in Ghent"))
    memory = id_of(bank.remember("I live in Ghent", session_id="s"))
    assert bank.forget(memory)["messages_scrubbed"] == 1
    assert contents(bank, "s") == [None, "I live in Ghent now"]
    assert contents(bank, "other") == ["I live in Ghent"]


def test_messages_can_be_kept_and_are_counted(bank: Agent) -> None:
    """With keep_messages the text stays and the answer says how many; so does a repetition."""
    event = {"stream": "chat", "sequence": 5}
    append(bank, "s", said("I live in Ghent", event=event))
    told = {"event": {**event, "data": said("I live in Ghent")}, **operation()}
    memory = id_of(bank.result("memory.remember", told))
    same = operation()
    kept = bank.forget(memory, keep_messages=True, **same)
    assert (kept["messages_kept"], kept["messages_scrubbed"]) == (1, 0)
    assert contents(bank, "s") == ["I live in Ghent"]
    assert bank.forget(memory, keep_messages=True, **same)["messages_kept"] == 1


def test_the_tool_may_keep_messages_too(shared_daemon: DaemonProcess, bank: Agent) -> None:
    """memory.tool_forget has the same switch."""
    append(bank, "s", said("I live in Ghent"))
    memory = id_of(bank.remember("I live in Ghent", session_id="s"))
    credential = pair(bank.connection, f"tool-{bank.agent}", rights=["tool_forget"])
    with shared_daemon.connect(credential) as tool:
        targets = {**bank.whose, "targets": [{"memory_id": memory}]}
        preview = tool.result("memory.tool_forget_preview", targets)
        ids = [one["memory_id"] for one in preview["affected"]]
        outcome = tool.result(
            "memory.tool_forget",
            {
                **bank.whose,
                "targets": [{"memory_id": one} for one in ids],
                "preview_token": preview["preview_token"],
                "keep_messages": True,
                **operation(),
            },
        )
    assert outcome["messages_kept"] == 1
    assert contents(bank, "s") == ["I live in Ghent"]


def test_a_wipe_takes_every_message(bank: Agent) -> None:
    """Nothing is there afterwards, and an append of before has no effect."""
    same = operation()
    append(bank, "s", said("one"), **same)
    bank.delete_all()
    assert contents(bank, "s") == []
    again = append(bank, "s", said("one"), **same)
    assert (again["outcome"], again["reason"]) == ("no_effect", "before_cutoff")
    assert contents(bank, "s") == []


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": "x"}] * 101}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x" * 400_001}]}, "messages.0.content"),
        ({"messages": [{"role": "boss", "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": "x", "more": 1}]}, "messages.0.more"),
        ({"session_id": ""}, "session_id"),
        ({"session_id": None}, "session_id"),
    ],
)
def test_what_is_out_of_bounds_is_refused(bank: Agent, change: dict[str, Any], names: str) -> None:
    """With the field's name, and nothing is stored."""
    params = {"session_id": "s", "messages": [said("x")], **operation(), **change}
    error = bank.error("session.append", params)
    assert error["code"] == "invalid_argument"
    assert names in error["detail"]
    assert contents(bank, "s") == []


# The bank's own part: terms, quotas and what is left of a text.


def _user(text: str) -> NewMessage:
    return NewMessage(Role.USER, text)


async def _add(bank: Bank, *texts: str, session: str = "s") -> None:
    operation_id = operation()["operation_id"]
    await bank.submit(
        lambda tx: sessions.add(tx, session, [_user(text) for text in texts], operation_id)
    ).outcome()


async def _texts(bank: Bank, session: str = "s") -> list[str | None]:
    def read(connection: Any) -> list[SessionMessage]:
        page = sessions.page(
            connection, session, before=None, limit=200, text_bytes=1 << 20, keeping=bank.keeping
        )
        return page.messages

    return [one.text for one in await bank.read(read)]


async def test_a_search_holds_no_more_than_it_looks_through(tmp_path: Path) -> None:
    """Of forty long messages the newest are read, as far as the bound goes, and the others not."""
    long = "x" * 400_000
    async with opened(tmp_path) as bank:
        await _add(bank, *[long] * 40)

        def read(connection: Any) -> list[int]:
            found = sessions.newest(
                connection, "s", limit=5_000, text_bytes=1 << 20, keeping=bank.keeping
            )
            return [one.message_rowid for one in found]

        tracemalloc.start()
        try:
            assert await bank.read(read) == [40, 39]
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 4 * len(long)


async def _stored(bank: Bank) -> int:
    count: int = await bank.read(
        lambda c: c.execute("SELECT count(*) FROM session_messages").fetchone()[0]
    )
    return count


async def test_a_message_past_its_term_is_in_no_read(tmp_path: Path) -> None:
    """From that very instant, whether anything was swept or not."""
    clock = Clock()
    async with opened(tmp_path, keeping=Keeping(messages=30 * DAY, clock=clock)) as bank:
        await _add(bank, "old")
        clock.turn(29)
        await _add(bank, "new")
        assert await _texts(bank) == ["old", "new"]
        clock.turn(1)
        assert await _texts(bank) == ["new"]
        assert await _stored(bank) == 2
        newest = await bank.read(
            lambda c: sessions.newest(c, "s", limit=9, text_bytes=99, keeping=bank.keeping)
        )
        assert [one.text for one in newest] == ["new"]


async def test_the_sweep_takes_it_after_two_looks_and_owes_an_erasure(tmp_path: Path) -> None:
    """A look, a day, and it is gone: row, text, and the bytes are owed. It goes in steps."""
    clock = Clock()
    async with opened(tmp_path, keeping=Keeping(messages=30 * DAY, clock=clock)) as bank:
        await _add(bank, *[f"m{number}" for number in range(40)])
        assert await bank.read(lambda c: retention.due(c, bank.keeping)) == retention.Due(
            None, clock() + 30 * DAY
        )
        clock.turn(30)
        assert not (await bank.submit(retention.sweep).outcome()).more
        assert await _stored(bank) == 40
        clock.turn(1)
        assert (await bank.submit(retention.sweep).outcome()).more
        assert await _stored(bank) == 24
        while (await bank.submit(retention.sweep).outcome()).more:
            pass
        assert await _stored(bank) == 0
        assert await bank.read(owed)
        assert (await check(bank)).sound
        assert (await bank.read(lambda c: retention.due(c, bank.keeping))).sweep is None


async def test_a_look_into_a_wrong_future_takes_nothing(tmp_path: Path) -> None:
    """A clock that is a year ahead for a while hides messages, and gives them back."""
    clock = Clock()
    async with opened(tmp_path, keeping=Keeping(messages=30 * DAY, clock=clock)) as bank:
        await _add(bank, "here")
        clock.turn(365)
        await bank.submit(retention.sweep).outcome()
        assert await _texts(bank) == []
        clock.turn(-365)
        await bank.submit(retention.sweep).outcome()
        clock.turn(2)
        await bank.submit(retention.sweep).outcome()
        assert await _texts(bank) == ["here"]


async def test_a_full_bank_takes_no_messages(tmp_path: Path) -> None:
    """The quota of bytes holds for messages as for memories; nothing is evicted."""
    async with opened(tmp_path, keeping=Keeping(file_bytes=1)) as bank:
        with pytest.raises(QuotaError):
            await _add(bank, "no room")
        assert await _texts(bank) == []


async def test_what_a_switch_kept_out_leaves_no_digest(tmp_path: Path) -> None:
    """The bank was switched while messages waited: they are not stored, and neither is a digest of
    their text, which no forget and no clear would ever reach."""
    request = SessionAppend.model_validate(
        {
            "owner": "local",
            "agent": "ada",
            "session_id": "s",
            "messages": [said("The lamp code is amber-sky.")],
            **operation(),
        }
    )
    order = Order(
        operation_id=request.operation_id,
        operation="session.append",
        digest=bytes(range(32)),
        authority="crd_test",
        policy_fingerprint=None,
        epoch="epo_before",
        enabled=True,
        horizon=0,
        fence=Fence("epo_after"),
    )
    async with opened(tmp_path / "b") as bank:
        apply = appending(order, request, _screen(request.messages))
        outcome = await bank.submit(apply).outcome()
        assert outcome.outcome == "no_effect"
        receipt = await bank.read(lambda c: View(c).receipt(order.operation_id))
        assert receipt is not None
        assert receipt.digest is None
