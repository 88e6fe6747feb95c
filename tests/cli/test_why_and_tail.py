"""`cognid why` and `cognid tail`: where a memory comes from, and what happened just now."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from support.command import Ran, call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

SAID = "I work at the port of Porto and I never drink coffee."
QUERY = "zebra port lighthouse"


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module, without a model."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


def _run(daemon: DaemonProcess, *arguments: str, agent: str, stdin: bytes = b"") -> Ran:
    return call_command(daemon.environment, *arguments, "--agent", agent, stdin=stdin)


def _told(daemon: DaemonProcess, agent: str) -> str:
    """Take one turn in; gives the id of the fact that was found in it."""
    line = json.dumps({"role": "user", "content": SAID, "speaker": "Ines", "session": "monday"})
    _run(daemon, "ingest", "-", agent=agent, stdin=line.encode())
    listed = _run(daemon, "list", "--kind", "fact", "--json", agent=agent).json
    memory_id: str = listed["memories"][0]["memory_id"]
    return memory_id


def test_why_names_the_source(shared: DaemonProcess) -> None:
    """The event, span, rule, provenance, group, term and ledger entries are told; no text is."""
    memory_id = _told(shared, "why")
    text = _run(shared, "why", memory_id, agent="why").text
    assert "provenance   explicit: the user said it" in text
    assert "said by      Ines (user)" in text
    assert "#1 (message)" in text
    assert "span         characters 0 to 53 of what was said" in text
    assert "found by     rules-1" in text
    assert "same event   mem_" in text
    assert "expires      " in text
    assert "memory.remember  revision 1 current  by owner" in text
    assert "Porto" not in text


def test_why_as_json_has_no_text(shared: DaemonProcess) -> None:
    """JSON has the memory and its entries, each without its text."""
    memory_id = _told(shared, "why-json")
    answer = _run(shared, "why", memory_id, "--json", agent="why-json").json
    assert answer["memory"]["memory_id"] == memory_id
    assert [entry["operation"] for entry in answer["entries"]] == ["memory.remember"]
    assert "Porto" not in json.dumps(answer)


def test_why_of_what_was_forgotten_and_of_what_never_was(shared: DaemonProcess) -> None:
    """A forgotten memory has its entries left, an unknown one nothing; the status is 1."""
    memory_id = _told(shared, "gone")
    _run(shared, "forget", memory_id, "--yes", agent="gone")
    ran = _run(shared, "why", memory_id, agent="gone")
    assert ran.status == 1
    assert "memory.forget  revision 1 forgotten  by owner" in ran.text
    assert ran.errors.startswith("Forgotten ")
    ran = _run(shared, "why", f"mem_{'0' * 32}", agent="gone")
    assert (ran.status, ran.output) == (1, b"")


def test_tail_tells_ids_and_reasons(shared: DaemonProcess) -> None:
    """Changes and recalls stand in their order, with reasons; no text and no query anywhere."""
    memory_id = _told(shared, "tail")
    _run(shared, "recall", QUERY, "--session", "monday", "--deadline-ms", "5000", agent="tail")
    text = _run(shared, "tail", agent="tail").text
    stored, recalled = (
        text.index("memory.remember  by owner"),
        text.index("memory.recall  by owner"),
    )
    assert stored < recalled
    assert f"{memory_id}\n            fact, explicit, from file:" in text[:recalled]
    assert " by rules-1; revision 1 current" in text
    assert "hits, " in text[recalled:]
    assert "          session monday\n" in text[recalled:]
    assert memory_id in text[recalled:]
    assert "Porto" not in text
    assert "zebra" not in text
    assert SAID in _run(shared, "tail", "--text", agent="tail").text


def test_tail_as_json(shared: DaemonProcess) -> None:
    """JSON has changes, recalls and the memories they name, their text with --text alone."""
    memory_id = _told(shared, "tail-json")
    _run(shared, "recall", QUERY, "--deadline-ms", "5000", agent="tail-json")
    answer = _run(shared, "tail", "--json", agent="tail-json").json
    (recall,) = answer["recalls"]
    assert memory_id in recall["memory_ids"]
    assert answer["changes"][0]["operation"] == "memory.remember"
    assert "Porto" not in json.dumps(answer)
    assert "zebra" not in json.dumps(answer)
    answer = _run(shared, "tail", "--json", "--text", agent="tail-json").json
    assert answer["memories"][memory_id]["text"]


def test_tail_of_an_empty_bank_is_status_1(shared: DaemonProcess) -> None:
    """Where nothing happened it says so."""
    _run(shared, "bank", "make", agent="empty")
    ran = _run(shared, "tail", agent="empty")
    assert (ran.status, ran.output) == (1, b"")
    assert ran.errors.startswith("Nothing was stored")
