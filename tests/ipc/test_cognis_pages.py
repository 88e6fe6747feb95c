"""The public examples of the scoping SDK run as they stand, but for where `Cognis` comes from, and
give what their pages say they give."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from support.cognis_room import environment_of
from support.daemon import DaemonProcess, running

from cognid import Cognis


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """A daemon with its model, that the tests of this module share."""
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def at_home(clean_environment: None, shared: DaemonProcess) -> Iterator[None]:
    """Every example finds that daemon by its environment."""
    with environment_of(shared):
        yield


def run(program: str, **names: Any) -> dict[str, Any]:
    """Run an example; gives what its names stand for at its end."""
    exec(compile(textwrap.dedent(program), "example", "exec"), names)  # noqa: S102 (our own text)
    return names


def user(content: str) -> list[dict[str, str]]:
    """A conversation of one message."""
    return [{"role": "user", "content": content}]


def contents(found: Any) -> list[str]:
    """The texts of the results of a search."""
    return [one["content"] for one in found["results"]]


def test_setting_scope_at_init() -> None:
    """An owner alone, with an agent, with a session: what is not named is made up or None."""
    names = run(
        """
        from cognid import Cognis
        # User-scoped (auto-generates session_id)
        m = Cognis(owner_id="user_alice")
        first = m
        # User + agent scoped
        m = Cognis(owner_id="user_alice", agent_id="support_bot")
        second = m
        # Explicit session
        m = Cognis(owner_id="user_alice", session_id="conv_morning")
        """
    )
    first, second, third = names["first"], names["second"], names["m"]
    assert (first.owner_id, first.agent_id) == ("user_alice", None)
    assert first.session_id.startswith("ses_")
    assert second.agent_id == "support_bot"
    assert third.session_id == "conv_morning"


def test_per_call_overrides() -> None:
    """A call for somebody else stores and finds there, and leaves who is set alone."""
    names = run(
        """
        from cognid import Cognis
        m = Cognis(owner_id="user_alice")
        # Add memories for a different owner
        m.add(messages, owner_id="user_bob", agent_id="bot_1")
        # Search a specific owner
        found = m.search("query", owner_id="user_bob")
        # Get context for a specific session
        context = m.get_context(messages, session_id="ses_morning")
        """,
        messages=user("I collect old sea charts."),
    )
    m = names["m"]
    assert m.owner_id == "user_alice"
    assert m.count() == 0
    assert names["found"]["count"] == 0  # it was stored for bot_1, not for no agent
    assert m.search("sea charts", owner_id="user_bob", agent_id="bot_1")["results"][0][
        "content"
    ] == ("I collect old sea charts.")
    assert names["context"]["short_term"] == []


def test_switching_sessions() -> None:
    """A session that begins has no messages of the last one, but all its facts."""
    names = run(
        """
        from cognid import Cognis
        m = Cognis(owner_id="user_carol")
        # Morning conversation
        m.add([{"role": "user", "content": "Good morning! I need help with Python."}])
        morning = m.session_id
        # Switch to a new session (auto-generates ID)
        new_id = m.new_session()
        print(f"New session: {new_id}")
        between = m.get_context()
        # Or switch to a specific session
        m.set_session("afternoon_chat")
        m.add([{"role": "user", "content": "Now let's talk about JavaScript."}])
        """
    )
    m = names["m"]
    assert names["new_id"] not in {names["morning"], m.session_id}
    assert names["between"]["short_term"] == []
    assert m.session_id == "afternoon_chat"
    assert m.get_context()["short_term"] == user("Now let's talk about JavaScript.")
    found = m.search("Python")["results"]
    assert "help with Python" in found[0]["content"]
    assert {one["session_id"] for one in found if one["type"] == "raw_evidence"} <= {m.session_id}


def test_switching_owners() -> None:
    """Memories stay isolated between owners, in one session id too."""
    names = run(
        """
        from cognid import Cognis
        m = Cognis(session_id="shared_session")
        # Multi-tenant: serve different users with the same instance
        m.set_owner("alice")
        m.add(messages_from_alice)
        m.set_owner("bob")
        m.add(messages_from_bob)
        # Memories stay isolated between owners
        """,
        messages_from_alice=user("I play the cello."),
        messages_from_bob=user("I repair bicycles."),
    )
    m = names["m"]
    assert set(contents(m.search("What do I do?"))) == {"I repair bicycles."}
    assert m.get_context()["short_term"] == user("I repair bicycles.")
    m.set_owner("alice")
    assert set(contents(m.search("What do I do?"))) == {"I play the cello."}
    m.set_owner(None)
    assert m.get_context()["short_term"] == []


def test_properties() -> None:
    """The current session is text, owner and agent text or None."""
    m = Cognis(agent_id="bot")
    assert isinstance(m.session_id, str)
    assert (m.owner_id, m.agent_id) == (None, "bot")
    m.set_agent("other")
    assert m.agent_id == "other"


def test_multi_agent_example() -> None:
    """The search as the travel researcher returns the beach destinations and not the food."""
    names = run(
        """
        from cognid import Cognis
        # Agent 1: Travel researcher
        m = Cognis(owner_id="user_1", agent_id="travel_researcher")
        m.add([{"role": "user", "content": "I love beach destinations."}])
        # Agent 2: Restaurant recommender (separate memory space)
        m.set_agent("restaurant_bot")
        m.add([{"role": "user", "content": "I prefer Italian food."}])
        # Each agent has its own memory scope
        m.set_agent("travel_researcher")
        resp = m.search("preferences") # Returns beach destinations, not food
        """
    )
    assert "I love beach destinations." in contents(names["resp"])
    assert not any("Italian" in one for one in contents(names["resp"]))
    assert names["resp"].keys() == {"success", "results", "count", "query"}


def test_quick_start() -> None:
    """What the package's own first page does: facts found by a question, and context to prompt."""
    names = run(
        """
        from cognid import Cognis
        m = Cognis(owner_id="user_quick")
        m.add([
            {"role": "user", "content": "My name is Alice and I work at Google as a data "
                                        "scientist."},
            {"role": "user", "content": "I love hiking and I'm a huge fan of Taylor Swift."},
        ])
        resp = m.search("Where does Alice work?")
        lines = [f"  {r['content']}  (score: {r['score']})" for r in resp["results"]]
        ctx = m.get_context([{"role": "user", "content": "Tell me about myself"}])
        listed = [f"[{mem['metadata']['category']}] {mem['content']}"
                  for mem in m.get_all()["memories"]]
        m.close()
        """
    )
    assert "Google" in names["lines"][0]
    assert "data scientist" in names["ctx"]["context_string"]
    assert names["listed"] == [
        "[preference] I love hiking and I'm a huge fan of Taylor Swift.",
        "[fact] My name is Alice and I work at Google as a data scientist.",
    ]


def test_what_was_added_is_found_by_its_meaning_at_once() -> None:
    """A search right after an add waits until the new memories have their vectors."""
    with Cognis(owner_id="user_meaning") as m:
        for number in range(5):
            m.add(user(f"I keep {number} kittens in the attic."), agent_id=f"agent-{number}")
            found = m.search("household pets", agent_id=f"agent-{number}")
            assert contents(found) == [f"I keep {number} kittens in the attic."]
