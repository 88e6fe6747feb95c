"""Field cases: files that are spoiled, and a disk that is full. Numbers are the cases'."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.command import call_command
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.talk import Agent, id_of, operation

from cognid_daemon.bank.bank import Bank
from cognid_daemon.catalog import Catalog
from cognid_daemon.master_key import find_master_key

PAGE_BYTES = 4096


def _file_of(daemon: DaemonProcess, bank: Agent) -> Path:
    bank_id: str = bank.result("bank.status")["bank_id"]
    return daemon.places.data / "banks" / bank_id / "bank.db"


def _red(connection: RawConnection) -> set[str]:
    """The banks that health is red for; that the model is missing here does not count."""
    findings = connection.result("status")["findings"]
    red = [one for one in findings if one["level"] == "red" and one["code"] != "model_missing"]
    return {one["message"].partition(":")[0] for one in red}


def test_a_damaged_bank_is_one_clear_error_and_the_others_work() -> None:
    """48, 50: cut to 60 %, or with spoiled pages: what meets it names code, file and remedy, health
    is red from then on, and the other banks work; put back, the cut one works again."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            cut, spoiled = Agent(connection, "cut"), Agent(connection, "spoiled")
            for number in range(40):
                for bank in (cut, spoiled):
                    bank.add(f"Note {number} " + "about the lamp " * 100)
            Agent(connection, "whole").add("The kettle is green")
            path, other = _file_of(daemon, cut), _file_of(daemon, spoiled)
        assert daemon.stop() == 0
        good = path.read_bytes()
        os.truncate(path, len(good) * 6 // 10)
        content = bytearray(other.read_bytes())
        for page in range(len(content) // 3, len(content), PAGE_BYTES):
            content[page] ^= 1
        other.write_bytes(content)
        daemon.start()
        with daemon.connect() as connection:
            assert _red(connection) == set()  # nobody has asked yet
            assert connection.error("export", spoiled.whose)["code"] == "bank_damaged"
            assert _red(connection) == {other.parent.name}
            for method, params in (
                ("memory.recall", {"query": "lamp", "deadline_ms": 10_000}),
                ("memory.add", {"text": "More", **operation()}),
                ("index.status", {}),
                ("export", {}),
            ):
                error = connection.error(method, {**cut.whose, **params})
                assert (error["code"], error["effect"]) == ("bank_damaged", "none"), method
                assert str(path) in error["detail"]
                assert "good copy" in error["remedy"]
            assert Agent(connection, "whole").texts("kettle") == ["The kettle is green"]
            assert _red(connection) == {other.parent.name, path.parent.name}
        ran = call_command(daemon.environment, "recall", "lamp", "--agent", "cut")
        assert ran.status == 74
        assert str(path) in ran.errors
        assert len(ran.errors.splitlines()) <= 3
        path.write_bytes(good)
        with daemon.connect() as connection:
            assert Agent(connection, "cut").lexical("lamp") != []
            assert _red(connection) == {other.parent.name}


async def _spoil(daemon: DaemonProcess, memory_id: str) -> None:
    """Put a byte that is no UTF-8 into a memory's stored text."""
    places = daemon.places
    master = find_master_key(places.configuration, {}, data_exists=True)
    catalog = await Catalog.open(places.data, master.key)
    try:
        (record,) = catalog.banks()
        folder, key = catalog.folder(record.bank_id), catalog.bank_key(record.bank_id)
        bank = await Bank.open(folder, record.bank_id, key, create=False)
        changed = await bank.submit(
            lambda tx: (
                tx.connection.execute(
                    "UPDATE texts SET text = CAST(x'62ff64' AS TEXT) WHERE revision_rowid IN"
                    " (SELECT r.rowid FROM revisions r JOIN memories m ON m.rowid = r.memory_rowid"
                    " WHERE m.memory_id = ?)",
                    (memory_id,),
                ).rowcount
            )
        ).outcome()
        assert changed == 1
        await bank.close()
    finally:
        await catalog.close()


def test_reindex_reports_a_bad_row_and_does_the_rest(daemon: DaemonProcess) -> None:
    """28: `cognid reindex` over a row with broken UTF-8 names it, and indexes every other one."""
    with daemon.connect() as connection:
        bank = Agent(connection, "rows")
        ids = [id_of(bank.add(f"The key to room {number} is w{number}")) for number in range(20)]
        bank.wait_indexed()
    assert daemon.stop() == 0
    asyncio.run(_spoil(daemon, ids[7]))
    daemon.start()
    ran = call_command(daemon.environment, "reindex", "--agent", "rows")
    assert ids[7] in ran.text + ran.errors
    with daemon.connect() as connection:
        bank = Agent(connection, "rows")
        bank.wait_indexed()  # the bad row is tried more than once
        report = bank.result("index.status")
        found = {(one["memory_id"], one["pipeline"]) for one in report["skipped_rows"]}
        assert found == {(ids[7], "lexical"), (ids[7], "vector")}
        assert (report["indexed"], report["backlog"]) == (19, 0)
        assert bank.lexical("w8") == ["The key to room 8 is w8"]
        assert len(bank.vector("the key to a room", limit=100)) == 19


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o700)
    options = "size=8m,mode=700"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]).returncode:
        pytest.skip("cannot mount here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.root
def test_a_full_disk_refuses_and_health_is_red_meanwhile() -> None:
    """51: 8 MiB until nothing fits: storage_full, reads go on, writes resume, nothing is lost."""
    daemon = DaemonProcess(settings=WITHOUT_MODEL)
    with _small_disk(daemon.home / "data"):
        try:
            daemon.start()
            filler = daemon.home / "data" / "filler"
            filler.write_bytes(bytes(1 << 20))
            with daemon.connect() as connection:
                bank = Agent(connection, "disk")
                bank_id = bank.result("bank.status")["bank_id"]
                acked: list[str] = []
                while True:
                    frame = _remember(bank, len(acked))
                    if "error" in frame:
                        break
                    acked.append(id_of(frame["result"]))
                    assert len(acked) < 5_000
                error = frame["error"]["data"]
                assert (error["code"], error["effect"]) == ("storage_full", "none")
                assert len(acked) > 10
                assert _red(connection) == {bank_id}
                assert bank.lexical("turn0") != []
                filler.unlink()
                acked.append(id_of(_remember(bank, len(acked))["result"]))
                assert _red(connection) == set()
            daemon.restart()
            with daemon.connect() as connection:
                bank = Agent(connection, "disk")
                assert {memory["memory_id"] for memory in bank.listed()} == set(acked)
                assert bank.result("doctor", {"ledger": True})["ledger"]["whole"] is True
        finally:
            daemon.close()


def _remember(bank: Agent, number: int) -> dict[str, Any]:
    event = {"stream": "s", "data": {"role": "user", "content": f"turn{number} " * 3_000}}
    params = {**bank.whose, "event": event, "deadline_ms": 60_000, **operation()}
    return bank.connection.call("memory.remember", params)
