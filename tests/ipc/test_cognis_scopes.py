"""`Cognis` by owner, agent and session, in many threads and processes, until it is closed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.cognis_room import PORTO, TEA, contents, environment_of, new_owner, raw, said, user
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid import AsyncCognis, Cognis


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """A daemon that the tests of this module share."""
    with running(settings=WITHOUT_MODEL) as started:
        yield started


@pytest.fixture(autouse=True)
def at_home(clean_environment: None, shared: DaemonProcess) -> Iterator[None]:
    """Every test finds that daemon by its environment."""
    with environment_of(shared):
        yield


@pytest.fixture
def owner() -> str:
    """An owner of whom nothing is known yet."""
    return new_owner()


@pytest.fixture
def m(owner: str) -> Iterator[Cognis]:
    """An object of that owner, without an agent."""
    with Cognis(owner_id=owner) as made:
        yield made


# Scopes.


def test_no_agent_is_a_scope_of_its_own(owner: str) -> None:
    """What is said without an agent is not an agent's, nor the other way round."""
    with Cognis(owner_id=owner) as nobody, Cognis(owner_id=owner, agent_id="bot") as bot:
        (memory,) = nobody.add([user(TEA)])["memories"]
        (other,) = bot.add([user(PORTO)])["memories"]
        assert contents(nobody.get_all()) == [TEA]
        assert contents(bot.get_all()) == [PORTO]
        assert contents(bot.search("green tea Porto")) == [PORTO]
        assert contents(nobody.search("green tea Porto")) == [TEA]
        bot.set_agent(None)
        assert contents(bot.get_all()) == [TEA]
        assert (bot.agent_id, memory["agent_id"], other["agent_id"]) == (None, None, "bot")


def test_reads_and_deletes_honour_the_agent(owner: str) -> None:
    """Another agent's id is a miss for get and delete; count and clear are of one agent."""
    with Cognis(owner_id=owner, agent_id="a", session_id="s") as a:
        (memory,) = a.add([user(TEA)])["memories"]
        a.set_agent("b")
        a.add([user(PORTO), user("Hm.")])
        assert a.get(memory["id"])["success"] is False
        assert a.delete(memory["id"])["success"] is False
        assert a.count() == 2
        assert a.clear()["message"] == "Deleted 2 messages"
        a.set_agent("a")
        assert said(a) == [TEA]
        assert a.count() == 1
        assert a.get(memory["id"])["success"] is True
        assert a.get(memory["id"], agent_id="b")["success"] is False


def test_messages_are_of_owner_agent_and_session(owner: str) -> None:
    """The same session id under another agent or owner is another session."""
    with Cognis(owner_id=owner, agent_id="a", session_id="s") as m:
        m.add([user(TEA)])
        assert raw(m.search("green tea")) == [TEA]
        others: list[dict[str, Any]] = [
            *({"agent_id": "b"}, {"owner_id": new_owner()}, {"session_id": "t"})
        ]
        for scope in others:
            assert said(m, **scope) == []
            assert raw(m.search("green tea", **scope)) == []
        assert said(m) == [TEA]


def test_facts_outlive_sessions_and_messages_do_not_leave_them(m: Cognis) -> None:
    """A new session knows the facts, and none of the messages."""
    first = m.session_id
    m.add([user(TEA)])
    assert m.new_session() == m.session_id != first
    assert m.session_id.startswith("ses_")
    found = m.search("green tea")
    assert contents(found) == [TEA]
    assert raw(found) == []
    context = m.get_context([user("green tea?")])
    assert context["short_term"] == []
    assert TEA in context["context_string"]
    m.set_session(first)
    assert said(m) == [TEA]


def test_session_only_and_agent_only(owner: str) -> None:
    """Without an owner it is the local user's."""
    session = f"session of {owner}"
    with Cognis(session_id=session) as m:
        assert (m.owner_id, m.agent_id, m.session_id) == (None, None, session)
        (memory,) = m.add([user(f"I love the tea of {owner}.")])["memories"]
        assert memory["owner_id"] == "local"
    with Cognis(agent_id=f"agent of {owner}") as m:
        assert m.count() == 0
        m.add([user(TEA)])
        assert m.count() == 1
    with Cognis(owner_id="local", session_id=session) as m:
        assert m.get(memory["id"])["success"] is True
        assert said(m) == [memory["content"]]


@pytest.mark.parametrize("name", ["", " ", "x" * 513, "a\0b", 7])
def test_a_name_that_names_nobody_is_refused(m: Cognis, name: Any) -> None:
    """ "" never falls back to who is set: it is refused wherever it is given."""
    for argument in ("owner_id", "agent_id", "session_id"):
        with pytest.raises(ValueError, match=argument):
            Cognis(**{"owner_id": "o", argument: name})
        with pytest.raises(ValueError, match=argument):
            m.add([user(TEA)], **{argument: name})
        with pytest.raises(ValueError, match=argument):
            m.search("tea", **{argument: name})
    for change in (m.set_owner, m.set_agent, m.set_session):
        with pytest.raises(ValueError, match="_id"):
            change(name)
    assert m.count() == 0


def test_clear_takes_the_current_session_unless_told_otherwise(m: Cognis) -> None:
    """Messages of one session go, of the others and all facts nothing; another can be named."""
    m.set_session("one")
    m.add([user(TEA)])
    m.set_session("two")
    m.add([user(PORTO)])
    assert m.clear() == {"success": True, "message": "Deleted 1 messages"}
    assert said(m) == []
    assert said(m, session_id="one") == [TEA]
    assert m.clear(session_id="one")["message"] == "Deleted 1 messages"
    assert m.clear(owner_id=m.owner_id)["message"] == "Deleted 0 messages"
    assert m.count() == 2


def test_total_honours_the_filters(owner: str) -> None:
    """Pages are cut of what the total counts: of this owner and agent, and current."""
    with Cognis(owner_id=owner, agent_id="a") as m:
        facts = [f"I own {number} boats in harbour {number}." for number in range(5)]
        m.add([user(fact) for fact in facts])
        m.add([user(TEA)], agent_id="b")
        newest_first = contents(m.get_all())
        assert newest_first == facts[::-1]
        page = m.get_all(limit=2, offset=1)
        assert contents(page) == newest_first[1:3]
        assert (page["total"], page["limit"], page["offset"]) == (5, 2, 1)
        assert m.get_all(offset=9)["memories"] == []
        assert m.get_all(agent_id="b")["total"] == 1
        m.update(m.get_all()["memories"][0]["id"], "I own no boats any more.")
        assert m.get_all()["total"] == 5
        assert m.get_all(include_historical=True)["total"] == 6


def test_long_lists_are_walked(m: Cognis) -> None:
    """More messages than a request or a page takes: all stored, all listed, in order."""
    texts = [f"I own {number} boats." for number in range(120)]
    added = m.add([user(text) for text in texts])
    assert added["session_message_count"] == m.count() == 120
    assert contents(added) == texts
    assert contents(m.get_all(limit=110, offset=5)) == texts[114:4:-1]
    context = m.get_context(max_short_term=115, include_long_term=False)
    assert [one["content"] for one in context["short_term"]] == texts[5:]
    assert m.get_context(max_short_term=0)["short_term"] == []


# Many at once.


def test_two_instances_see_the_same(m: Cognis, owner: str) -> None:
    """A second object of the same owner reads and goes on in the same session."""
    m.add([user(TEA)])
    with Cognis(owner_id=owner, session_id=m.session_id) as second:
        assert contents(second.get_all()) == [TEA]
        second.add([user(PORTO)])
        assert said(second) == said(m) == [TEA, PORTO]


def run_of(program: str, owner: str) -> subprocess.CompletedProcess[str]:
    """A program's run, in a process of its own, for an owner."""
    return subprocess.run(
        [sys.executable, "-c", program, owner],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )


def test_another_process_works_and_so_does_a_fork(owner: str) -> None:
    """An object works in another process, in the child of a fork, and in its parent after it."""
    program = """
import os, sys
from cognid import Cognis
m = Cognis(owner_id=sys.argv[1])
m.add([{"role": "user", "content": "I love green tea."}])
child = os.fork()
if not child:
    m.add([{"role": "user", "content": "I live in Porto."}])
    os._exit(0 if m.count() == 2 else 1)
ended = os.waitpid(child, 0)[1]
print(ended, m.count(), m.count())
"""
    ran = run_of(program, owner)
    assert ran.stdout == "0 2 2\n", ran.stderr
    with Cognis(owner_id=owner) as m:
        assert m.count() == 2


def test_many_threads_at_once_work_in_a_fork(owner: str) -> None:
    """The first calls of a forked process come from eight threads at once: all are answered, and so
    are the next ones."""
    program = """
import os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from cognid import AsyncCognis, Cognis
m = Cognis(owner_id=sys.argv[1])
m.add([{"role": "user", "content": "I love green tea."}])
renew = AsyncCognis.renew
def slowly(self):
    made = renew(self)
    time.sleep(0.05)  # another thread's turn
    return made
AsyncCognis.renew = slowly
child = os.fork()
if not child:
    try:
        with ThreadPoolExecutor(8) as pool:
            counts = [*pool.map(lambda _: m.count(), range(8)), m.count()]
        os._exit(0 if counts == [1] * 9 and len(m._inherited) == 2 else 1)
    finally:
        os._exit(2)
print(os.waitpid(child, 0)[1])
"""
    ran = run_of(program, owner)
    assert ran.stdout == "0\n", ran.stderr


def cross_results(m: Cognis, owner: str, calls: int) -> int:
    """Two threads call as two agents through one object; counts answers that are the other's."""
    other = {"ann": "bob", "bob": "ann"}

    def call_as(agent: str) -> int:
        scope: dict[str, Any] = {"owner_id": owner, "agent_id": agent}
        wrong = 0
        for number in range(calls // 2):
            match number % 10:
                case 0:
                    added = m.add([user(f"I am {agent}, note {number}.")], **scope)
                    answers = [json.dumps(added)]
                case 1 | 6:
                    answers = [json.dumps(m.search(f"note {number}", limit=3, **scope))]
                case 2:
                    answers = [json.dumps(m.get_context([user("note")], 5, **scope))]
                case 3:
                    answers = [json.dumps(m.get_all(limit=3, **scope))]
                case _:
                    expected = number // 10 + 1
                    wrong += m.count(**scope) != expected
                    answers = []
            wrong += sum(f"I am {other[agent]}" in answer for answer in answers)
        return wrong

    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(call_as, other))


@pytest.mark.timeout(120)
def test_two_agents_over_one_object_never_cross(m: Cognis, owner: str) -> None:
    """500 calls of two threads as two agents through one object: no answer is the other's."""
    assert cross_results(m, owner, 500) == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_calls_never_cross(m: Cognis, owner: str) -> None:
    """The same 10,000 times."""
    assert cross_results(m, owner, 10_000) == 0


async def test_hundreds_of_calls_at_once_are_answered(owner: str) -> None:
    """More calls than a connection has room for wait their turn; none is refused."""
    async with AsyncCognis(owner_id=owner) as m:
        adding = (m.add([user(f"I own {number} boats.")]) for number in range(100))
        assert all(added["success"] for added in await asyncio.gather(*adding))
        counts = await asyncio.gather(*(m.count() for _ in range(200)))
        assert counts == [100] * 200


async def test_who_is_set_is_read_when_the_method_is_called(owner: str) -> None:
    """A call that is awaited later, or beside others, is for who was set when it was made."""
    async with AsyncCognis(owner_id=owner, agent_id="a") as m:
        first = m.add([user(TEA)])
        m.set_agent("b")
        await asyncio.gather(m.add([user(PORTO)]), first)
        a, b = await asyncio.gather(m.get_all(agent_id="a"), m.get_all())
        assert (contents(a), contents(b)) == ([TEA], [PORTO])


# Its life.


def test_closed_is_closed(owner: str) -> None:
    """After close a call is refused, a second close is nothing, and the repr still works."""
    with Cognis(owner_id=owner, agent_id="a", session_id="s") as m:
        m.add([user(TEA)])
    m.close()
    assert repr(m) == f"Cognis(owner='{owner}', agent='a', session='s')"
    assert TEA not in repr(m)
    with pytest.raises(RuntimeError, match="closed"):
        m.count()


def test_an_object_that_nobody_closes_leaves_nothing_behind() -> None:
    """Its thread ends when the object is gone."""

    def threads() -> int:
        return sum(one.name == "cognid client" for one in threading.enumerate())

    before = threads()
    for _ in range(3):
        Cognis(owner_id="o").count()
    for _ in range(500):
        if threads() == before:
            break
        threading.Event().wait(0.01)
    assert threads() == before
