"""What a filter stops is written nowhere: in no file of the home, in no row of the opened bank, as
no digest, and in no statement that was ever run."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

from support.banks_room import AGENT, OWNER, banks_room
from support.daemon import WITHOUT_MODEL, DaemonProcess, running
from support.talk import Agent, id_of, operation

from cognid.protocol.canonical import event_form, event_hash
from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import Remember
from cognid.protocol.values import Role
from cognid_daemon.bank.connection import Database
from cognid_daemon.bank.likeness import likeness, normal_form
from cognid_daemon.catalog import Catalog
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.promotion import Told, prepare
from cognid_daemon.intake.remember import remembering
from cognid_daemon.master_key import find_master_key

TOKEN = "ghp_" + "Zq3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cF2hJ4"
SECRET = f"My token for the Quetzalcoatl server is {TOKEN}"
WITHHELD = "Please don't remember this: Zacharias hides the silver lantern."
STORED = "The Xylophone stands in the hall."
WORDS = ("quetzalcoatl", TOKEN.lower(), "zacharias", "lantern")


def _cells(daemon: DaemonProcess, agent: str) -> list[bytes]:
    """Every value of every table of a stopped daemon's bank, the index's own tables among them."""

    async def read() -> list[bytes]:
        master = find_master_key(daemon.places.configuration, {}, data_exists=True)
        catalog = await Catalog.open(daemon.places.data, master.key)
        record = catalog.find("local", agent)
        assert record is not None
        path, key = catalog.folder(record.bank_id) / "bank.db", catalog.bank_key(record.bank_id)
        await catalog.close()
        database = await Database.open(path, key, query_only=True, name="test")
        try:
            return await database.run(_all_cells)
        finally:
            await database.close()

    return asyncio.run(read())


def _all_cells(connection: Any) -> list[bytes]:
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    cells: list[bytes] = []
    for (table,) in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():  # noqa: S608
            cells += [
                one if isinstance(one, bytes) else one.encode()
                for one in row
                if isinstance(one, str | bytes)
            ]
    return cells


def _digests(content: str, sequence: int) -> list[bytes]:
    """What could give a guess of the content away."""
    data = {"role": "user", "content": content}
    form = event_form("s", sequence, "message", data)
    return [
        hashlib.sha256(form).digest(),
        event_hash("s", sequence, "message", data).encode(),
        hashlib.sha256(content.encode()).digest(),
        hashlib.sha256(normal_form(content).encode()).digest(),
        likeness(content),
    ]


def _found(cells: list[bytes], needles: list[bytes]) -> list[bytes]:
    both = [(cell, cell.lower()) for cell in cells]
    return [one for one in needles if any(one in cell or one in low for cell, low in both)]


def test_what_was_rejected_is_in_no_file_and_no_row() -> None:
    """By remember, evidence, candidate, add, correct and import; and the search finds what is
    stored."""
    with running(settings=WITHOUT_MODEL) as daemon:
        with daemon.connect() as connection:
            bank = Agent(connection, "person")
            for sequence, content in enumerate((SECRET, WITHHELD), 1):
                data = {"role": "user", "content": content}
                event = {"stream": "s", "sequence": sequence, "data": data}
                said = bank.result("memory.remember", {"event": event, **operation()})
                assert said["outcome"] == "rejected"
                evidence = {
                    "version": 1,
                    "actor": {"user_id": "u", "owner_id": "local"},
                    "event": {
                        "id": f"e:{sequence}",
                        "event_hash": event_hash("e", sequence, "user_message", data),
                        "session": "t",
                        "conversation": "c",
                        "turn": "t",
                    },
                    "messages": [data],
                }
                said = bank.result(
                    "memory.remember_evidence", {"evidence": evidence, **operation()}
                )
                assert said["outcome"] == "rejected"
            stored = bank.add(STORED)
            assert bank.add(SECRET)["outcome"] == "rejected"
            assert bank.correct(id_of(stored), 1, SECRET)["outcome"] == "rejected"
            records = bank.exported()
            records[0] = {**records[0], "memory_id": "mem_" + "a" * 32}
            records[0]["revisions"][0]["text"] = WITHHELD
            answer = bank.result("import", {"records": records, **operation()})
            assert len(answer["rejected"]) == 1
            event = {"stream": "t", "data": {"role": "user", "content": "Look at the hall."}}
            candidates = [{"text": SECRET}, {"text": WITHHELD}]
            made = bank.result(
                "memory.remember", {"event": event, "candidates": candidates, **operation()}
            )
            assert (made["outcome"], len(made["rejected"])) == ("committed", 2)
            written = b"".join(p.read_bytes() for p in daemon.home.rglob("*") if p.is_file())
            assert not [word for word in WORDS if word.encode() in written.lower()]
        assert daemon.stop() == 0
        cells = _cells(daemon, "person")
        needles = [word.encode() for word in WORDS]
        needles += _digests(SECRET, 1) + _digests(WITHHELD, 2)
        assert _found(cells, needles) == []
        there = [b"xylophone", likeness(STORED)]
        assert _found(cells, there) == there
        assert not [word for word in WORDS if word in daemon.log_text().lower()]


async def test_no_statement_ever_carries_what_was_rejected(tmp_path: Path) -> None:
    """Not even for a moment: the bank is watched while it takes the event."""
    async with banks_room(tmp_path / "data") as room, room.banks.lease(OWNER, AGENT) as lease:
        seen: list[str] = []
        await lease.bank.alone(lambda connection: connection.set_trace_callback(seen.append))

        async def say(content: str, sequence: int) -> str:
            operation_id = new_operation_id()
            event = {
                "stream": "s",
                "sequence": sequence,
                "data": {"role": "user", "content": content},
            }
            request = Remember.model_validate(
                {"owner": OWNER, "agent": AGENT, "operation_id": operation_id, "event": event}
            )
            order = Order(
                operation_id=operation_id,
                operation="memory.remember",
                digest=hashlib.sha256(content.encode()).digest(),
                authority="crd_test",
                policy_fingerprint=None,
                epoch=lease.record.epoch,
                enabled=True,
                horizon=0,
                fence=lease.bank.fence,
            )
            told = Told(role=Role.USER, content=content)
            apply = remembering(order, request, told, prepare(told, extracts=True), set(Role))
            return (await lease.bank.submit(apply).outcome()).outcome

        assert await say(SECRET, 1) == "rejected"
        assert await say(WITHHELD, 2) == "rejected"
        text = "\n".join(seen).lower()
        assert "insert into events" in text
        assert not [word for word in WORDS if word in text]
        digests = _digests(SECRET, 1) + _digests(WITHHELD, 2)
        assert not [one for one in digests if one.hex() in text]
        assert await say(STORED, 3) == "committed"
        assert "xylophone" in "\n".join(seen).lower()
        await lease.bank.alone(lambda connection: connection.set_trace_callback(None))
