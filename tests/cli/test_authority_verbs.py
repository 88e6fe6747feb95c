"""The verbs by which a person looks at, mends and ends what is remembered."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command import COMMAND, INTERRUPTIBLE, Ran, call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, operation

from cognid.cli.outcomes import erasure
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id

NOWHERE = "mem_" + "0" * 12


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


class Bank:
    """The bank of one agent, by way of the command line."""

    def __init__(self, daemon: DaemonProcess, agent: str) -> None:
        self.agent = agent
        self._environment = daemon.environment

    def run(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run a verb for this agent."""
        return call_command(self._environment, *arguments, "--agent", self.agent, stdin=stdin)

    def remember(self, text: str, *more: str) -> str:
        """Assert a memory; gives its id."""
        ran = self.run("remember", "-", "--json", *more, stdin=text.encode())
        memory_id = ran.json["memories"][0]["memory_id"]
        assert isinstance(memory_id, str)
        return memory_id

    def listed(self, *filters: str) -> list[str]:
        """The texts that `list` shows, newest first."""
        page = self.run("list", "--limit", "100", "--json", *filters).json
        return [memory["text"] for memory in page["memories"]]


@pytest.fixture
def bank(shared: DaemonProcess, request: pytest.FixtureRequest) -> Bank:
    """A bank of this test's own."""
    return Bank(shared, request.node.name)


def test_correct_replaces_the_text(bank: Bank) -> None:
    """`correct` makes a new revision; recall gives it, and history shows both."""
    ssh = bank.remember("SSH is on port 22.")
    ran = bank.run("correct", ssh, "-", stdin=b"SSH is on port 49222.\n")
    assert (ran.status, ran.text) == (0, f"Corrected: {ssh}, now revision 2\n")
    assert bank.listed() == ["SSH is on port 49222."]
    assert bank.listed("--lifecycle", "superseded") in ([], ["SSH is on port 22."])
    ran = bank.run("history", ssh)
    assert ran.status == 0
    assert "SSH is on port 22." in ran.text
    assert "  by owner" in ran.text
    assert ran.text.index("port 22.") < ran.text.index("port 49222.")
    entries = bank.run("history", ssh, "--json").json["entries"]
    assert [entry["text"] for entry in entries if entry["text"]] == [
        "SSH is on port 22.",
        "SSH is on port 49222.",
    ]
    ran = bank.run("show", ssh)
    assert "revisions    1 (superseded) until " in ran.text
    assert "             2 (current)" in ran.text


def test_correct_with_a_stale_revision_does_nothing(bank: Bank) -> None:
    """`--revision` that is not the current one, or an unknown id, is status 1."""
    ssh = bank.remember("SSH is on port 22.")
    ran = bank.run("correct", ssh, "SSH is off.", "--revision", "7")
    assert (ran.status, ran.output) == (1, b"")
    assert f"{ssh} is at revision 1" in ran.errors
    ran = bank.run("correct", NOWHERE, "x", "--json")
    assert (ran.status, ran.json["outcome"]) == (1, "not_found")
    assert bank.listed() == ["SSH is on port 22."]


def test_bare_forget_only_shows(bank: Bank) -> None:
    """Without --yes `forget` lists id, kind and first line of what would go, and nothing goes."""
    lamp = bank.remember("The lamp code\nis amber-sky.")
    bank.remember("The lamp is in the hall.")
    ran = bank.run("forget", lamp)
    assert ran.status == 1
    head, first = ran.text.splitlines()
    assert head.startswith(f"{lamp}  fact  ")
    assert first == "  The lamp code…"
    assert "Nothing is forgotten yet. 1 memory would go" in ran.errors
    assert "--yes" in ran.errors
    assert len(bank.listed()) == 2
    preview = bank.run("forget", lamp, "--json")
    assert (preview.status, preview.json["outcome"]) == (1, "preview")
    assert [one["memory_id"] for one in preview.json["affected"]] == [lamp]
    assert "preview_token" not in preview.json


def test_forget_with_yes_forgets(bank: Bank) -> None:
    """`--yes` forgets for good; no verb gives the text any more; twice is status 0 and said."""
    lamp = bank.remember("The lamp code is amber-sky.")
    ran = bank.run("forget", lamp, "--yes")
    assert (ran.status, ran.text) == (0, f"{lamp}\n")
    assert ran.errors.startswith("1 memory forgotten. Erased from the files")
    assert bank.listed() == []
    for verb in (("show", lamp), ("history", lamp), ("recall", "lamp code"), ("export",)):
        assert b"amber" not in bank.run(*verb).output
    ran = bank.run("show", lamp)
    assert (ran.status, "Forgotten 20" in ran.errors) == (1, True)
    ran = bank.run("forget", lamp, "--yes")
    assert (ran.status, ran.output) == (0, b"")
    assert "forgotten before" in ran.errors
    assert bank.run("forget", lamp, "--yes", "--json").json["outcome"] == "already_absent"


def test_forget_is_all_or_nothing(bank: Bank) -> None:
    """One unknown id among the ids: nothing goes, and it is named."""
    lamp = bank.remember("The lamp code is amber-sky.")
    ran = bank.run("forget", lamp, NOWHERE, "--yes")
    assert ran.status == 1
    assert f"{NOWHERE} is not in this bank" in ran.errors
    ran = bank.run("forget", lamp, NOWHERE, "--yes", "--json")
    assert (ran.json["outcome"], ran.json["unknown"]) == ("not_found", [NOWHERE])
    assert len(bank.listed()) == 1


def test_forget_by_filters(bank: Bank) -> None:
    """Filters preview and forget what they let through, and nothing else."""
    for number in range(3):
        bank.remember(f"Trip note {number}", "--label", "trip", "--session", "s1")
    bank.remember("Home note", "--label", "home")
    ran = bank.run("forget", "--label", "trip", "--text", "-", stdin=b"note 1")
    assert ran.text.splitlines()[1] == "  Trip note 1"
    assert bank.run("forget", "--label", "trip", "--session", "s2").status == 1
    ran = bank.run("forget", "--session", "s1", "--since", "2020-01-01", "--yes", "--json")
    assert (ran.status, len(ran.json["affected"])) == (0, 3)
    assert len(ran.json["operations"]) == 1
    assert bank.listed() == ["Home note"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (NOWHERE, "--label", "x"),
        ("--since", "yesterday"),
        ("--label", "x", "--confirm", "somebody else"),
        ("no-id",),
    ],
)
def test_forget_needs_one_clear_wish(bank: Bank, arguments: tuple[str, ...]) -> None:
    """Neither ids nor filters, both, a wrong time, id or name: status 64, and nothing is done."""
    bank.remember("stays")
    assert bank.run("forget", *arguments, "--yes").status == 64
    assert bank.listed() == ["stays"]


def test_a_command_that_is_named_is_for_that_bank(bank: Bank) -> None:
    """What `forget`, `show`, `why` and `reindex` say to call next finds the same bank."""
    assert "cognid doctor --erasure ID --owner ines --agent 'my helper')" in (
        erasure(False, "ines", "my helper")
    )
    assert "--erasure ID)" in erasure(False, "local", None)
    memory_id = bank.remember("one")
    said = bank.run("reindex", "--only", "lexical", "--no-wait").text
    assert said.endswith(f": cognid reindex --status --agent {bank.agent}\n")
    for number in range(bounds.INSPECT_PAGE_MAX):
        bank.run("unpin" if number % 2 else "pin", memory_id)
    assert f"More: cognid history {memory_id} --agent {bank.agent}" in (
        bank.run("why", memory_id).errors
    )


def test_wide_forget_needs_the_name(bank: Bank) -> None:
    """More than one preview can list goes only with the agent's name typed.

    It takes a second: it needs more than 256 memories.
    """
    lines = "".join(f'{{"role": "user", "content": "turn {n}"}}\n' for n in range(300))
    assert bank.run("ingest", "-", "--session", "wide", stdin=lines.encode()).status == 0
    stays = bank.remember("stays")
    ran = bank.run("forget", "--session", "wide", "--yes")
    assert ran.status == 1
    assert "300 memories would go, more than are listed; to forget them for good: --confirm " in (
        ran.errors
    )
    assert len(ran.text.splitlines()) <= 2 * 256
    ran = bank.run("forget", "--session", "wide", "--confirm", bank.agent, "--json")
    assert ran.status == 0
    assert len(set(ran.json["affected"])) == 300
    assert len(ran.json["operations"]) == 2
    assert bank.run("list", "--json").json["memories"][0]["memory_id"] == stays


def test_disable_and_enable(bank: Bank) -> None:
    """Switched off, nothing is stored or recalled; switched on again, what was there is."""
    bank.remember("The boiler is in the cellar.")
    ran = bank.run("disable")
    assert (ran.status, ran.text.split(":")[0]) == (0, "Memory is off")
    assert bank.run("disable").text.startswith("Memory is off already")
    assert bank.run("remember", "The boiler is new.").status == 1
    assert bank.run("recall", "boiler").status == 1
    assert bank.listed() == ["The boiler is in the cellar."]
    assert bank.run("enable", "--json").json["outcome"] == "committed"
    assert bank.run("recall", "boiler", "--deadline-ms", "5000").status == 0
    assert bank.listed() == ["The boiler is in the cellar."]


def test_wipe_needs_the_name(bank: Bank) -> None:
    """`wipe` alone says what would go; with another name it is refused; with the name all goes."""
    bank.remember("The safe is behind the mirror.")
    ran = bank.run("wipe")
    assert (ran.status, ran.text.splitlines()[0]) == (1, "1 memory (1 fact)")
    assert f"--confirm {bank.agent}" in ran.errors
    assert bank.run("wipe", "--confirm", "local").status == 64
    assert len(bank.listed()) == 1
    ran = bank.run("wipe", "--confirm", bank.agent)
    assert ran.status == 0
    assert ran.text.startswith("Wiped: owner local, agent ")
    assert bank.listed() == []
    assert bank.remember("The safe was sold.")


def test_the_name_to_confirm_is_one_word_of_a_command(shared: DaemonProcess) -> None:
    """A name with a space stands in quotes where a preview says what to type."""
    bank = Bank(shared, "my helper")
    bank.remember("The safe is behind the mirror.")
    assert "--confirm 'my helper'\n" in bank.run("wipe").errors
    lines = "".join(f'{{"role": "user", "content": "turn {n}"}}\n' for n in range(257))
    assert bank.run("ingest", "-", "--session", "wide", stdin=lines.encode()).status == 0
    assert "--confirm 'my helper'\n" in bank.run("forget", "--session", "wide").errors


def test_wipe_of_no_agent_needs_the_owner(shared: DaemonProcess) -> None:
    """The bank of no agent is confirmed with the owner's name."""
    environment = shared.environment
    call_command(environment, "remember", "x", "--owner", "ines")
    assert call_command(environment, "wipe", "--owner", "ines", "--confirm", "local").status == 64
    assert call_command(environment, "wipe", "--owner", "ines", "--confirm", "ines").status == 0


def test_verify_and_doctor(bank: Bank) -> None:
    """`verify` finds the ledger whole; `doctor` says how all is, and proves an erasure."""
    lamp = bank.remember("The lamp code is amber-sky.")
    ran = bank.run("verify")
    assert ran.status == 0
    assert ran.text.startswith("The ledger is whole: ")
    assert bank.run("verify", "--json").json["whole"] is True
    ran = bank.run("doctor")
    assert "keys    key-file" in ran.text
    assert "The ledger is whole" in ran.text
    assert bank.run("doctor", "--erasure", lamp).status == 1
    bank.run("forget", lamp, "--yes")
    ran = bank.run("doctor", "--erasure", lamp)
    assert ran.status == 0
    assert "erased      yes" in ran.text
    assert bank.run("doctor", "--erasure", lamp, "--json").json["erasure"]["erased"] is True


def test_doctor_without_a_bank_says_how_the_daemon_is(shared: DaemonProcess) -> None:
    """Where there is no bank of that name, the daemon is looked at all the same."""
    ran = call_command(shared.environment, "doctor", "--agent", "never")
    assert ran.status == call_command(shared.environment, "status").status
    assert "keys    key-file" in ran.text
    assert "There is no bank of owner local, agent never" in ran.errors
    ran = call_command(shared.environment, "doctor", "--agent", "never", "--json")
    assert (ran.json["daemon"]["state"], ran.json["ledger"]) == ("ready", None)


def test_resolve_settles_an_operation(bank: Bank) -> None:
    """`resolve` says what became of a write; an id that never arrived is sealed, status 1."""
    lamp = bank.remember("The lamp code is amber-sky.")
    operation = bank.run("forget", lamp, "--yes", "--json").json["operations"][0]
    ran = bank.run("resolve", operation)
    assert (ran.status, ran.text.splitlines()[0]) == (0, "committed: It is on disk.")
    ran = bank.run("resolve", new_operation_id(), "--json")
    assert (ran.status, ran.json["outcome"]) == (1, "sealed")
    assert bank.run("resolve", "nonsense").status == 64


def test_what_was_wiped_is_not_called_on_disk(bank: Bank) -> None:
    """An operation of before a wipe was done, and nothing of it is left."""
    bank.remember("The lamp code is amber-sky.")
    operation_id = bank.run("tail", "--json").json["changes"][0]["operation_id"]
    assert "It is on disk." in bank.run("resolve", operation_id).text
    bank.run("wipe", "--confirm", bank.agent)
    ran = bank.run("resolve", operation_id)
    assert ran.status == 0
    assert ran.text.splitlines() == [
        "committed: It was done, and the bank was wiped since: nothing of it is left.",
        "  its answer: committed",
    ]


def records(ran: Ran) -> list[dict[str, Any]]:
    """The records that an export printed."""
    return [json.loads(line) for line in ran.text.splitlines()]


def test_export_wipe_import_export_is_the_same(bank: Bank, tmp_path: Path) -> None:
    """What is exported, wiped and imported again exports the same lines."""
    ssh = bank.remember("SSH is on port 22.", "--label", "net")
    bank.run("correct", ssh, "SSH is on port 49222.")
    bank.run("ingest", "-", stdin='{"role": "user", "content": "Grüße – 東京"}\n'.encode())
    first = bank.run("export")
    assert first.status == 0
    assert "2 memories exported" in first.errors
    assert len(records(first)) == 2
    assert [one["text"] for one in records(first)[0]["revisions"]] == [
        "SSH is on port 22.",
        "SSH is on port 49222.",
    ]
    file = tmp_path / "bank.jsonl"
    ran = bank.run("export", str(file), "--json")
    assert ran.json == {"exported": 2, "path": str(file)}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == first.output
    assert list(tmp_path.iterdir()) == [file]
    assert bank.run("export", str(file)).status == 64
    assert bank.run("export", "--json").status == 64
    assert bank.run("wipe", "--confirm", bank.agent).status == 0
    ran = bank.run("import", str(file))
    assert (ran.status, ran.text) == (
        0,
        "2 lines: 2 imported, 0 skipped, 0 blocked, 0 rejected, 0 broken.\n",
    )
    assert bank.run("export").output == first.output
    again = bank.run("import", "-", "--json", stdin=first.output).json
    assert (again["imported"], again["skipped"]) == (0, 2)


@pytest.mark.parametrize("rule", ["skip", "overwrite", "new-id"])
def test_import_of_an_older_export_brings_nothing_back(bank: Bank, rule: str) -> None:
    """What was forgotten since the export stays out under every rule, and is named."""
    lamp = bank.remember("The lamp code is amber-sky.")
    bank.remember("The lamp is in the hall.")
    older = bank.run("export").output
    bank.run("forget", lamp, "--yes")
    ran = bank.run("import", "-", "--rule", rule, stdin=older)
    assert ran.status == 1
    assert f"{lamp} was forgotten in this bank" in ran.errors
    assert "1 blocked" in ran.text
    assert "The lamp code is amber-sky." not in bank.listed()


def test_broken_lines_are_named_and_the_rest_goes_in(bank: Bank, shared: DaemonProcess) -> None:
    """A broken line is reported by number without its text; the exit status is 1."""
    bank.remember("one")
    bank.remember("two")
    first, second = bank.run("export").text.splitlines()
    broken = f'{first}\nnot json canary\n\n{{"form": "canary"}}\n{second}\n'
    other = Bank(shared, f"{bank.agent} other")
    ran = other.run("import", "-", stdin=broken.encode())
    assert ran.status == 1
    assert "line 2: not JSON in UTF-8" in ran.errors
    assert "line 4: " in ran.errors
    assert "canary" not in ran.errors.replace("form", "")
    assert "4 lines: 2 imported, 0 skipped, 0 blocked, 0 rejected, 2 broken." in ran.text
    assert other.listed() == ["two", "one"]


def test_import_into_a_bank_that_is_off(bank: Bank) -> None:
    """A bank that is off takes no import, and the command says so."""
    bank.remember("one")
    lines = bank.run("export").output
    bank.run("disable")
    ran = bank.run("import", "-", "--rule", "new-id", stdin=lines)
    assert ran.status == 1
    assert "memory is switched off" in ran.errors
    assert ran.errors.startswith("Nothing was imported: ")
    assert bank.listed() == ["one"]


def test_an_export_names_a_memory_whose_history_is_not_whole(bank: Bank) -> None:
    """Revisions that are not in the file are never missing without a word."""
    ssh = bank.remember("SSH is on port 22.")
    assert bank.run("export").errors == "1 memory exported.\n"
    record = bank.run("export").json
    assert bank.run("wipe", "--confirm", bank.agent).status == 0
    record["revisions"][0]["revision"] = 3
    given = json.dumps(record).encode() + b"\n"
    assert bank.run("import", "-", stdin=given).status == 0
    said = f"{ssh}: its revisions before 3 are not in the file.\n1 memory exported.\n"
    assert bank.run("export").errors == said


def test_failed_export_leaves_no_file(bank: Bank, tmp_path: Path) -> None:
    """Where the export fails no file is left, nor is one that was there touched."""
    assert bank.run("export", str(tmp_path / "x.jsonl")).status == 66
    assert list(tmp_path.iterdir()) == []
    assert bank.run("export", str(tmp_path / "none" / "x.jsonl")).status == 64
    bank.remember("one")
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    assert bank.run("export", str(there)).status == 64
    assert there.read_text() == "mine"


def test_the_leftover_of_an_export_that_was_killed_is_named(bank: Bank, tmp_path: Path) -> None:
    """What is in the way holds memories, and has another name than the one that was given."""
    bank.remember("one")
    left = tmp_path / "bank.jsonl.part"
    left.write_text("half a memory")
    ran = bank.run("export", str(tmp_path / "bank.jsonl"))
    assert ran.status == 64
    assert f"{left}: File exists" in ran.errors
    assert left.read_text() == "half a memory"


def test_an_interrupted_forget_says_how_much_is_gone(bank: Bank, shared: DaemonProcess) -> None:
    """Ctrl-C between two of its operations: what was forgotten is for good, and is counted."""
    whose = ("--agent", bank.agent, "--confirm", bank.agent)
    with shared.connect() as connection:
        other = Agent(connection, bank.agent)
        other.add("The tide is high")
        record = other.exported()[0]
        fresh = [f"mem_{number:032x}" for number in range(1_500)]
        records = [{**record, "memory_id": one, "origin_id": one} for one in fresh]
        for first in range(0, len(records), bounds.RECORDS):
            batch = records[first : first + bounds.RECORDS]
            other.result("import", {"records": batch, **operation()})
        with subprocess.Popen(
            [*INTERRUPTIBLE, COMMAND, "forget", "--text", "tide", *whose],
            env=shared.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            while other.result("bank.status")["memories"] > 1_300 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (130, b"")
    assert b" memories forgotten before that." in errors
    assert b"Traceback" not in errors


def test_list_filters(bank: Bank) -> None:
    """`list` takes the filters of `forget`, and lifecycle besides."""
    tea = bank.remember("Ana likes tea.", "--label", "x")
    bank.remember("Bo likes milk.", "--kind", "preference")
    assert bank.listed("--label", "x") == ["Ana likes tea."]
    assert bank.listed("--kind", "preference") == ["Bo likes milk."]
    assert bank.listed("--text", "LIKES M") == ["Bo likes milk."]
    assert bank.listed("--provenance", "inferred") == []
    assert bank.listed("--until", "2020-01-01") == []
    assert len(bank.listed("--since", "2020-01-01T00:00:00Z")) == 2
    assert bank.run("list", "--since", "soon").status == 64
    assert bank.run("history", tea, "--limit", "1").status == 0
    assert bank.run("history", NOWHERE).status == 1
