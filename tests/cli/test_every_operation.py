"""Every operation of the bridge can be had on the command line, or it is said here why not."""

from __future__ import annotations

import importlib
import inspect

import pytest

from cognid.cli.app import GROUPS, VERBS
from cognid.protocol.table import OPERATIONS

_VERBS = {
    "status": ("status", ".status("),
    "shutdown": ("stop", ".shutdown("),
    "bank.ensure": ("bank", ".ensure_bank("),
    "bank.status": ("bank", ".bank_status("),
    "bank.list": ("bank", ".banks("),
    "memory.remember": ("ingest", ".remember("),
    "memory.add": ("remember", ".add("),
    "memory.explain": ("explain", ".explain("),
    "memory.recall": ("recall", ".recall("),
    "memory.search": ("recall", ".search("),
    "context.assemble": ("context", ".assemble_context("),
    "session.append": ("session", ".append_messages,"),
    "session.messages": ("session", ".session_messages("),
    "session.clear": ("session", ".clear_session("),
    "lane.replace": ("lane", ".replace_lane,"),
    "lane.query": ("lane", ".query_lanes("),
    "lane.drop": ("lane", ".drop_lane("),
    "memory.inspect": ("list", ".inspect("),
    "memory.correct": ("correct", ".correct("),
    "memory.pin": ("pinning", ".pin("),
    "memory.forget": ("forget", ".forget("),
    "memory.forget_preview": ("forget", ".forget_preview("),
    "bank.set_enabled": ("switch", ".set_enabled("),
    "bank.delete_all": ("wipe", ".delete_all("),
    "operation.resolve": ("resolve", ".resolve("),
    "index.rebuild": ("reindex", ".rebuild_indexes("),
    "export": ("export", ".export("),
    "import": ("import_", ".import_records("),
    "doctor": ("doctor", ".doctor("),
    "grant.create": ("pair", ".create_grant("),
    "grant.list": ("grant", ".grants("),
    "grant.revoke": ("grant", ".revoke_grant("),
}
"""The module of the verb, and the call that it makes there. `pinning` and `switch` are what pin and
unpin, enable and disable share."""
_WITHOUT = {
    "ping": "`status` is a sign of life that says more",
    "cancel": "Ctrl-C calls off what a verb waits for",
    "configure.open": "a verb that needs a manager handle opens one; it lasts for a connection",
    "index.status": "`bank status` has it in its answer",
    "memory.remember_evidence": "its evidence is vouched for by the host that persisted the event",
    "memory.tool_forget": "an agent's tool: a person has `forget`",
    "memory.tool_forget_preview": "an agent's tool: a person has `forget`",
    "memory.tool_correct": "an agent's tool: a person has `correct`",
    "memory.tool_correct_preview": "an agent's tool: a person has `correct`",
}


def test_every_operation_has_a_verb_or_a_reason() -> None:
    """The two lists together are the table, and no operation stands in both."""
    assert not _VERBS.keys() & _WITHOUT.keys()
    assert _VERBS.keys() | _WITHOUT.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("operation", _VERBS)
def test_the_verb_makes_the_call(operation: str) -> None:
    """The module of the verb has the call in it, and is a verb or what verbs share."""
    name, call = _VERBS[operation]
    module = importlib.import_module(f"cognid.cli.{name}")
    assert call in inspect.getsource(module)
    assert name.rstrip("_") in {*VERBS, *GROUPS, "pinning", "switch"}


def test_each_view_of_inspect_has_a_verb() -> None:
    """list, get, history and recent are list, show, history and tail."""
    for verb, call in (
        ("list", "inspect"),
        ("show", "get"),
        ("history", "history"),
        ("tail", "recent"),
    ):
        assert f"memory.{call}(" in inspect.getsource(importlib.import_module(f"cognid.cli.{verb}"))
