"""Screening: what the filters keep out of a turn, an assertion, a correction and an import, and
what a conversation withholds after a request not to be remembered."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from support.daemon import WITHOUT_MODEL, running
from support.talk import Agent, id_of, operation

from cognid.protocol.lanes import LaneReplace
from cognid.protocol.sessions import SessionAppend
from cognid.protocol.values import Role
from cognid_daemon.bank.rows import Withholding
from cognid_daemon.intake.promotion import Told, prepare
from cognid_daemon.intake.screening import heard, note_of
from cognid_daemon.intake.withholding import Intent, Reading, Scope
from cognid_daemon.intake.worker import ScreeningThread

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cF2hJ4"
SECRET = f"The deploy token is {TOKEN}"
GITHUB = "credential.github_token"


def _event(content: str, sequence: int, role: str = "user", **fields: Any) -> dict[str, Any]:
    data = {"role": role, "content": content}
    return {"event": {"stream": "s", "sequence": sequence, "data": data, **fields}, **operation()}


def test_a_turn_with_a_credential_is_acknowledged_and_not_stored(bank: Agent) -> None:
    """The event is taken and decided, its text is nowhere; a replay and the event under another
    operation answer the same, with whatever content; the stream goes on."""
    turn = _event(SECRET, 1)
    said = bank.result("memory.remember", turn)
    assert (said["outcome"], said["event"]) == ("rejected", {"stream": "s", "sequence": 1})
    assert said["rules"]
    assert all(rule.startswith("credential.") for rule in said["rules"])
    assert "allow_credentials" in said["note"]
    assert bank.result("memory.remember", turn) == {**said, "replayed": True}
    for content in (SECRET, "Something else"):
        again = bank.result("memory.remember", _event(content, 1))
        assert (again["outcome"], again["rules"]) == ("rejected", said["rules"])
    assert bank.resolve(turn["operation_id"])["outcome"] == "refused"
    following = _event("All is well", 2, after=1)
    assert bank.result("memory.remember", following)["outcome"] == "committed"
    frontier = bank.result("bank.status", {"stream": "s"})["frontier"]
    assert frontier == {"stream": "s", "received": 2, "decided": 2, "ready": 1}
    assert [memory["text"] for memory in bank.listed()] == ["All is well"]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_credentials_are_looked_for_in_every_role(bank: Agent, role: str) -> None:
    """What the assistant repeats is as secret as what the user said."""
    assert bank.result("memory.remember", _event(SECRET, 1, role))["outcome"] == "rejected"


def test_a_candidate_with_a_credential_leaves_the_turn(bank: Agent) -> None:
    """Only that part is kept out; one that repeats a request not to be remembered as well."""
    candidates = [
        {"text": "The build is green"},
        {"text": SECRET},
        {"text": "Please do not save this"},
    ]
    turn = {**_event("The build is green again", 1), "candidates": candidates}
    made = bank.result("memory.remember", turn)
    assert made["outcome"] == "committed"
    assert [part["index"] for part in made["rejected"]] == [1, 2]
    assert made["rejected"][0]["rules"][0].startswith("credential.")
    assert made["rejected"][1]["rules"][0].startswith("withheld.")
    texts = {memory["text"] for memory in bank.listed()}
    assert texts == {"The build is green again", "The build is green"}


def test_an_assertion_with_a_credential_needs_to_be_told_so(bank: Agent) -> None:
    """Refused with its rules; with the override it is stored byte for byte, and the ledger says
    by which rules it would have been refused."""
    refused = bank.add(SECRET)
    assert refused["outcome"] == "rejected"
    assert refused["rules"][0].startswith("credential.")
    assert bank.listed() == []
    stored = bank.add(SECRET, allow_credentials=True)
    assert stored["outcome"] == "committed"
    assert bank.listed()[0]["text"] == SECRET
    (entry,) = bank.history(id_of(stored))["entries"]
    assert entry["details"]["override"] == refused["rules"]
    plain = bank.add("Nothing secret", allow_credentials=True)
    (entry,) = bank.history(id_of(plain))["entries"]
    assert "override" not in entry["details"]


def test_a_request_not_to_be_remembered_can_be_asserted(bank: Agent) -> None:
    """memory.add is deliberate: only credentials are looked for in it."""
    assert bank.add("Please do not save this")["outcome"] == "committed"


def test_a_correction_with_a_credential_needs_to_be_told_so(bank: Agent) -> None:
    """Refused with its rules and nothing changed; with the override the ledger records it."""
    memory_id = id_of(bank.add("The deploy token is in the safe"))
    refused = bank.correct(memory_id, 1, SECRET)
    assert refused["outcome"] == "rejected"
    assert refused["rules"][0].startswith("credential.")
    assert bank.shown(memory_id)["memory"]["revision"] == 1
    done = bank.correct(memory_id, 1, SECRET, allow_credentials=True)
    assert (done["outcome"], done["revision"]) == ("committed", 2)
    details = bank.history(memory_id)["entries"][-1]["details"]
    assert details["override"] == refused["rules"]


def test_an_import_leaves_out_what_the_filters_stop(bank: Agent) -> None:
    """Counted and named with its rules, also where an older revision holds it; the rest is in."""
    bank.add("Nothing secret")
    bank.add("Nothing here either")
    bank.add("And this is a remark", kind="remark")
    records = bank.exported()
    records[1]["revisions"][0]["text"] = SECRET
    older = {**records[2]["revisions"][0], "lifecycle": "superseded", "text": "Don't save this."}
    records[2]["revisions"] = [older, {**records[2]["revisions"][0], "revision": 2}]
    target = Agent(bank.connection)
    answer = target.result("import", {"records": records, **operation()})
    assert (answer["imported"], answer["skipped"], answer["blocked"]) == (1, 0, [])
    rejected = {one["memory_id"]: one["rules"] for one in answer["rejected"]}
    assert set(rejected) == {records[1]["memory_id"], records[2]["memory_id"]}
    assert rejected[records[1]["memory_id"]][0].startswith("credential.")
    assert rejected[records[2]["memory_id"]][0].startswith("withheld.")
    assert [memory["text"] for memory in target.listed()] == ["Nothing secret"]


# Do not remember.


def _said(bank: Agent, content: str, role: str = "user", **fields: Any) -> str:
    """The outcome of a turn, or the rules against it."""
    answer = bank.remember(content, role, **fields)
    return " ".join(answer["rules"]) if answer["outcome"] == "rejected" else answer["outcome"]


def test_a_message_and_what_answers_it_are_withheld(bank: Agent) -> None:
    """The replies of every role until the user speaks again, since they repeat it."""
    session = {"session_id": "monday"}
    assert _said(bank, "Please don't remember this, but I may move to Oslo.", **session) == (
        "withheld.message"
    )
    assert _said(bank, "Oslo would suit you.", "assistant", **session) == "withheld.reply"
    assert _said(bank, "Shall I look for flats?", "assistant", **session) == "withheld.reply"
    # Another session of the same stream is another conversation.
    assert _said(bank, "Hello", "assistant", session_id="tuesday") == "committed"
    assert _said(bank, "Let us talk of something else.", **session) == "committed"
    assert _said(bank, "Gladly.", "assistant", **session) == "committed"
    assert "Oslo" not in str(bank.exported())


def test_the_next_message_is_withheld_once(bank: Agent) -> None:
    """It, and what answers it; a credential in it is named as well."""
    assert _said(bank, "Do not log the next message, please.") == "withheld.next"
    assert _said(bank, "Of course.", "assistant") == "withheld.reply"
    assert _said(bank, SECRET).endswith(" withheld.after_request")
    assert _said(bank, "I see.", "assistant") == "withheld.reply"
    assert _said(bank, "That was all.") == "committed"


def test_a_session_is_withheld_until_it_is_lifted(bank: Agent, shared_daemon: Any) -> None:
    """Both speakers, through a new connection too, until the user says otherwise; other sessions
    go on."""
    session = {"session_id": "private"}
    first = bank.remember("Don't save this conversation, I'm just thinking out loud.", **session)
    assert first["rules"] == ["withheld.session"]
    assert _said(bank, "Understood.", "assistant", **session) == "withheld.in_session"
    with shared_daemon.connect() as connection:
        again = Agent(connection, bank.agent)
        assert _said(again, "I think I will quit.", **session) == "withheld.in_session"
        assert _said(again, "I have a cat.", session_id="other") == "committed"
    answer = bank.remember("Hm.", **session)
    assert "until the user says" in answer["note"]
    assert _said(bank, "You can save things again.", **session) == "committed"
    assert _said(bank, "Fine.", "assistant", **session) == "committed"


def test_without_a_session_a_request_holds_for_its_stream(bank: Agent) -> None:
    """Turns of another stream are another conversation."""
    first = _event("Don't save this conversation.", 1)
    assert bank.result("memory.remember", first)["outcome"] == "rejected"
    assert bank.result("memory.remember", _event("Aha", 2, "assistant"))["outcome"] == "rejected"
    assert _said(bank, "Hello") == "committed"  # the stream `chat`


def test_forget_phrasing_forgets_nothing_and_says_how_to(bank: Agent) -> None:
    """The message is withheld, and every memory is still there."""
    bank.remember("My sister is called Runa.")
    before = bank.exported()
    answer = bank.remember("Wipe everything you know about my sister.")
    assert (answer["outcome"], answer["rules"]) == ("rejected", ["withheld.forget"])
    assert "cognid forget" in answer["note"]
    assert bank.exported() == before


def test_a_topic_is_not_tracked_and_the_answer_says_so(bank: Agent) -> None:
    """This message is kept out; a later one about it is not."""
    answer = bank.remember("Never store anything about my health.")
    assert answer["rules"] == ["withheld.topic"]
    assert "not tracked" in answer["note"]
    assert _said(bank, "I have a cold.") == "committed"


@pytest.mark.parametrize(
    "content",
    [
        "Don't forget my birthday is on the 3rd of May.",
        "I do not remember my PIN",
        "There is no API key in this build",
        "apiKey: import.meta.env.KEY",
    ],
)
def test_what_is_no_request_and_no_secret_is_stored_as_it_is(bank: Agent, content: str) -> None:
    """84: nothing is kept out or altered because of how it sounds."""
    assert _said(bank, content) == "committed"
    remarks = bank.listed(kinds=["remark"])
    assert [memory["text"] for memory in remarks] == [content]


def test_a_known_event_changes_nothing_of_what_is_withheld(bank: Agent) -> None:
    """A replayed request not to be remembered does not hold a second time."""
    asked = _event("Do not log the next message, please.", 1)
    bank.result("memory.remember", asked)
    bank.result("memory.remember", _event("The secret plan", 2))
    again = bank.result("memory.remember", {**asked, **operation()})
    assert (again["outcome"], again["rules"]) == ("rejected", ["withheld.next"])
    assert bank.result("memory.remember", _event("Nothing special", 3))["outcome"] == "committed"


def test_what_is_withheld_goes_with_a_wipe(bank: Agent) -> None:
    """A wiped bank knows of no request."""
    session = {"session_id": "private"}
    bank.remember("Don't save this conversation.", **session)
    bank.delete_all()
    assert _said(bank, "Hello again.", **session) == "committed"


def test_while_memory_is_off_nothing_is_screened(bank: Agent) -> None:
    """Off comes before the filters: the event has no effect and leaves no state behind."""
    bank.set_enabled(False)
    answer = bank.remember("Don't save this conversation.", session_id="s")
    assert (answer["outcome"], answer["reason"]) == ("no_effect", "disabled")
    bank.set_enabled(True)
    assert _said(bank, "Hello.", session_id="s") == "committed"


def test_a_session_that_is_withheld_outlives_a_restart() -> None:
    """The state stands in the bank, beside the event."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            bank = Agent(connection, "person")
            bank.remember("Don't save this conversation.", session_id="s")
        daemon.restart()
        with daemon.connect() as connection:
            assert _said(Agent(connection, "person"), "Hm.", session_id="s") == (
                "withheld.in_session"
            )


def test_the_settings_say_whose_turns_are_kept_and_whether_facts_are_found() -> None:
    """A role that is not kept is still heard when it asks not to be remembered."""
    settings = '[intake]\nroles = ["assistant"]\nextract = false\n'
    with running(settings=WITHOUT_MODEL + settings) as daemon, daemon.connect() as connection:
        bank = Agent(connection)
        assert _said(bank, "My name is Ines.") == "role_not_kept"
        assert _said(bank, "Hello Ines.", "assistant") == "committed"
        asked = _said(bank, "Please don't remember this: I am moving.")
        assert asked == "role_not_kept withheld.message"
        assert _said(bank, "Where to?", "assistant") == "withheld.reply"


# Long texts.


def test_what_stands_behind_a_long_text_keeps_its_place(bank: Agent) -> None:
    """A text that is screened on the thread and writes behind it in one send: stored in the order
    in which they stood on the wire, a correct and a forget among them."""
    kept = id_of(bank.add("Kept"))
    connection = bank.connection
    long = "The tide table hangs beside the door. " * 8_000
    for _ in range(3):
        last = len(bank.listed())
        ids = [
            connection.send(
                "memory.add", {**bank.whose, "text": "before", "kind": "remark", **operation()}
            ),
            connection.send(
                "memory.add", {**bank.whose, "text": long, "kind": "remark", **operation()}
            ),
            *(
                connection.send(
                    "memory.add",
                    {**bank.whose, "text": f"after {number}", "kind": "remark", **operation()},
                )
                for number in range(20)
            ),
        ]
        answers = [connection.answer(one)["result"] for one in ids]
        wanted = [id_of(answer) for answer in answers]
        listed = [memory["memory_id"] for memory in reversed(bank.listed())]
        assert listed[last:] == wanted
    assert bank.shown(kept)["memory"]["text"] == "Kept"


def test_a_long_text_is_screened_whole(bank: Agent) -> None:
    """A credential at the very end of 300,000 characters is found; the tail of a clean one is
    there."""
    long = "The tide table hangs beside the door. " * 8_000
    assert bank.remember(long + SECRET)["outcome"] == "rejected"
    clean = long + "the end mark is CORAL-5"
    assert bank.remember(clean)["outcome"] == "committed"
    assert bank.listed(kinds=["remark"])[0]["text"] == clean


def test_the_deadline_of_a_long_text_is_kept(bank: Agent) -> None:
    """One millisecond is not enough to screen it: nothing happened, and its id stays free."""
    request = {"text": "door " * 79_000, "kind": "remark", **operation()}
    error = bank.error("memory.add", {**request, "deadline_ms": 1})
    assert (error["code"], error["effect"]) == ("deadline_exceeded", "none")
    assert bank.result("memory.add", request)["outcome"] == "committed"


_MANY = "The tide table hangs beside the door. " * 200


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        (
            SessionAppend,
            {"session_id": "s", "messages": [{"role": "tool", "content": _MANY}] * 100},
        ),
        (
            LaneReplace,
            {
                "lane": "docs",
                "snapshot": {"id": "v1", "hash": "0" * 64},
                "units": [{"unit_id": f"{n}", "type": "note", "text": _MANY} for n in range(256)],
            },
        ),
    ],
)
async def test_what_many_texts_say_holds_nobody_up(
    request_: type[SessionAppend | LaneReplace], where: dict[str, Any]
) -> None:
    """Messages of a session and units of a lane, megabytes of them, are screened beside the loop:
    on it every recall of every agent would wait for them."""
    request = request_.model_validate({"owner": "local", "agent": None, **where, **operation()})
    thread = ScreeningThread()
    until = asyncio.get_running_loop().time() + 30
    try:
        name = await thread.screen(request, lambda: threading.current_thread().name, until)
    finally:
        thread.close()
    assert name.startswith("screening")


def test_screening_leaves_no_thread_waiting() -> None:
    """A turn is prepared where it is called: nothing is started for it."""
    before = threading.active_count()
    prepare(Told(role=Role.USER, content="I prefer mint tea in the morning."), extracts=True)
    assert threading.active_count() == before


# The state by itself.

_STORED = Reading(Intent.NONE)
_NEXT = Reading(Intent.NO_STORE, Scope.NEXT, "withheld.next", withholds=True)
_SESSION = Reading(Intent.NO_STORE, Scope.SESSION, "withheld.session", withholds=True)
_LIFT = Reading(Intent.REMEMBER, lifts=True)


def test_what_a_conversation_withholds_turn_by_turn() -> None:
    """A request about the next message, one about the session, its end, and the others' replies."""
    state = Withholding()
    steps = [
        (Role.USER, _NEXT, ("withheld.next",)),
        (Role.ASSISTANT, None, ("withheld.reply",)),
        (Role.USER, _NEXT, ("withheld.next", "withheld.after_request")),
        (Role.USER, _STORED, ("withheld.after_request",)),
        (Role.TOOL, None, ("withheld.reply",)),
        (Role.USER, _STORED, ()),
        (Role.ASSISTANT, None, ()),
        (Role.USER, _SESSION, ("withheld.session",)),
        (Role.ASSISTANT, None, ("withheld.in_session",)),
        (Role.USER, _SESSION, ("withheld.session", "withheld.in_session")),
        (Role.USER, _LIFT, ()),
        (Role.ASSISTANT, None, ()),
    ]
    for role, reading, rules in steps:
        now = heard(state, role, reading)
        assert now.rules == rules
        state = now.state
    assert state == Withholding()


@pytest.mark.parametrize("rule", ["withheld.message", "withheld.doubt", GITHUB])
def test_a_rejection_has_a_sentence_for_a_person(rule: str) -> None:
    """One that is about the rule, and none for rules that speak for themselves."""
    assert note_of([rule])
    assert note_of(["role_not_kept"]) is None
