"""Field cases: forget, correct, deleteAll, switching off. Numbers are the cases'."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
import time
from typing import Any

from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.pages_of import clear_bytes, clear_wal
from support.talk import Agent, id_of, operation

from cognid_daemon.catalog import Catalog
from cognid_daemon.master_key import find_master_key
from cognid_models import load

SECRET = "The lamp code is amber-sky"
WORD = "amber"


def _read_everything(bank: Agent, memory_id: str) -> str:
    """What every read verb says of a bank, as one text."""
    handle = {"handle": bank.handle()}
    one = {**handle, "memory_id": memory_id}
    answers: list[Any] = [
        bank.recall("lamp code amber-sky", limit=50),
        bank.recall("lamp code", limit=50, session_id="one"),
        bank.recall("lamp code", limit=50, labels=["house"]),
        bank.recall("lamp code", limit=50, kinds=["remark", "fact"], roles=["user"]),
        bank.lexical("lamp code amber-sky", limit=100),
        bank.vector("lamp code amber-sky", limit=100),
        bank.listed(),
        bank.listed(text="AMBER"),
        bank.listed(labels=["house"]),
        bank.listed(session_id="one"),
        bank.listed(kinds=["remark", "fact"], provenances=["explicit"]),
        bank.listed(since="2020-01-01T00:00:00Z", until="2100-01-01T00:00:00Z"),
        bank.listed(lifecycles=["current", "superseded", "expired"]),
        bank.result("memory.inspect", {"view": "get", **one}),
        bank.result("memory.inspect", {"view": "history", **one}),
        bank.preview(text=WORD),
        bank.preview(targets=[{"memory_id": memory_id}]),
        bank.exported(),
        bank.result("bank.status", {"stream": "chat"}),
    ]
    return json.dumps(answers)


def test_what_was_forgotten_is_in_no_answer(bank: Agent) -> None:
    """61, 63: a fact and a turn, forgotten: absent in every read verb with every filter."""
    kept = id_of(bank.add("The lamp is in the hall", labels=["house"], session_id="one"))
    added = id_of(bank.add(SECRET, labels=["house"], session_id="one"))
    said = id_of(bank.remember(SECRET, labels=["house"], session_id="one"))
    bank.wait_indexed()
    assert _read_everything(bank, added).count(WORD) > 10
    answer = bank.forget(added, said)
    assert set(answer["affected"]) == {added, said}
    assert WORD not in json.dumps(answer)
    for memory_id in (added, said):
        assert WORD not in _read_everything(bank, memory_id)
    assert [hit["memory_id"] for hit in bank.recall("lamp code")["hits"]] == [kept]


def test_a_wipe_of_one_bank_touches_no_file_of_another(
    shared_daemon: DaemonProcess, connection: RawConnection
) -> None:
    """62: the other bank's files are byte for byte what they were, and so are its answers."""
    a, b = Agent(connection), Agent(connection)
    a.add(SECRET)
    b.add(SECRET)
    b.wait_indexed()
    folder = shared_daemon.places.data / "banks" / b.result("bank.status")["bank_id"]

    def state() -> dict[str, str]:
        # The -shm file is shared memory: reading the bank writes there.
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if not path.name.endswith("-shm")
        }

    before = state()
    assert a.delete_all()["outcome"] == "committed"
    assert state() == before
    assert a.recall("lamp code")["outcome"] == "no_hits"
    assert b.texts("lamp code") == [SECRET]


def test_forget_and_recall_in_one_send(bank: Agent) -> None:
    """65: the recall waits for the forget before it, and does not show it."""
    connection = bank.connection
    for number in range(20):
        memory_id = id_of(bank.add(f"{SECRET} {number}"))
        handle = bank.handle()
        lines = []
        forget = {"targets": [{"memory_id": memory_id}], "confirmed": True, "handle": handle}
        recall = {"query": "lamp code", "deadline_ms": 9_000, "limit": 50}
        for id, method, params in (
            (f"f{number}", "memory.forget", {**forget, **operation()}),
            (f"r{number}", "memory.recall", recall),
            (f"s{number}", "memory.search", {**recall, "pipeline": "lexical"}),
            (f"i{number}", "memory.inspect", {"view": "list", "handle": handle}),
        ):
            frame = {"jsonrpc": "2.0", "id": id, "method": method}
            lines.append(json.dumps({**frame, "params": {**bank.whose, **params}}).encode())
        connection.send_bytes(b"\n".join(lines) + b"\n")
        assert connection.answer(f"f{number}")["result"]["outcome"] == "committed"
        for id in ("r", "s", "i"):
            answer = connection.answer(f"{id}{number}")
            assert WORD not in json.dumps(answer["result"]), id


def test_a_recall_that_is_answered_after_a_forget_does_not_show_it(bank: Agent) -> None:
    """65, its kind: begun before, but sent after the forget's answer: it holds nothing of it."""
    connection = bank.connection
    late = 0
    for number in range(40):
        memory_id = id_of(bank.add(f"{SECRET} {number}"))
        handle = bank.handle()
        forget = {"targets": [{"memory_id": memory_id}], "confirmed": True, "handle": handle}
        # Each its own question: the vector of one that was asked before is kept, and no delay.
        reading = {
            connection.send(
                "memory.recall",
                {**bank.whose, "query": f"lamp code {number} {one}", "deadline_ms": 9_000},
            )
            for one in range(3)
        }
        forgetting = connection.send("memory.forget", {**bank.whose, **forget, **operation()})
        forgotten = False
        while reading or not forgotten:
            frame = connection.read()
            if frame["id"] == forgetting:
                forgotten = True
                assert frame["result"]["outcome"] == "committed"
            else:
                reading.remove(frame["id"])
                late += forgotten
                assert not forgotten or WORD not in json.dumps(frame["result"])
    assert late > 0  # some were: otherwise this has shown nothing


def test_a_short_deadline_behind_a_forget_says_so(bank: Agent) -> None:
    """65: a recall that cannot wait for the forget before it names the reason."""
    connection = bank.connection
    ids = [id_of(bank.add(f"Note {number}")) for number in range(40)]
    forget = {
        "targets": [{"memory_id": one} for one in ids],
        "confirmed": True,
        "handle": bank.handle(),
    }
    first = connection.send("memory.forget", {**bank.whose, **forget, **operation()})
    second = connection.send("memory.recall", {**bank.whose, "query": "Note", "deadline_ms": 1})
    answer = connection.answer(second)["result"]
    assert (answer["outcome"], answer["reason"]) == ("unavailable", "pending_mutation")
    assert connection.answer(first)["result"]["outcome"] == "committed"


def test_a_vector_that_is_still_being_made_is_dropped(bank: Agent) -> None:
    """67: forgotten while its many windows are being embedded: none of them is stored."""
    rng = random.Random(67)
    words = ["harbour", "ladder", "violet", "engine", "meadow", "copper", "window", "thread"]
    long = " ".join(rng.choices(words, k=6_000))
    memory_id = id_of(bank.remember(f"{long} {SECRET}"))
    time.sleep(0.3)
    bank.forget(memory_id)
    bank.wait_indexed()
    assert bank.vector("lamp code amber-sky harbour", limit=100) == []
    status = bank.result("index.status")
    assert (status["indexed"], status["backlog"], status["skipped"]) == (0, 0, 0)
    assert bank.result("doctor", {"erasure": memory_id})["erasure"]["erased"] is True


def test_nothing_brings_it_back() -> None:
    """68: restart, replay, an older export, an older bank file put back: it stays gone."""
    with running(settings=WITHOUT_MODEL) as daemon:
        event = {"stream": "s", "sequence": 1, "data": {"role": "user", "content": SECRET}}
        same, add = operation(), operation()
        with daemon.connect() as connection:
            bank = Agent(connection, "person")
            said = id_of(bank.result("memory.remember", {"event": event, **same}))
            added = id_of(bank.add(SECRET, **add))
            records = bank.exported()
            folder = daemon.places.data / "banks" / bank.result("bank.status")["bank_id"]
        assert daemon.stop() == 0
        older = daemon.home / "older"
        shutil.copytree(folder, older)
        daemon.start()

        def check(agent: Agent) -> None:
            replayed = agent.result("memory.remember", {"event": event, **same})
            assert replayed["outcome"] in ("committed", "no_effect", "forgotten")
            again = agent.result("memory.remember", {"event": event, **operation()})
            assert again["outcome"] == "forgotten"
            agent.add(SECRET, **add)
            blocked = agent.result("import", {"records": records, **operation()})["blocked"]
            assert blocked == [said, added]
            assert agent.listed() == []
            assert WORD not in json.dumps(agent.exported())
            assert agent.lexical("amber-sky lamp") == []

        with daemon.connect() as connection:
            bank = Agent(connection, "person")
            bank.forget(said, added)
            check(bank)
        daemon.restart()
        with daemon.connect() as connection:
            check(Agent(connection, "person"))
        assert daemon.stop() == 0
        shutil.rmtree(folder)
        shutil.copytree(older, folder)
        daemon.start()
        with daemon.connect() as connection:
            bank = Agent(connection, "person")
            check(bank)
            assert bank.result("doctor", {"ledger": True})["ledger"]["rolled_back"] is True
            assert bank.result("bank.status")["rolled_back"] is True
            codes = [finding["code"] for finding in connection.result("status")["findings"]]
            assert "rolled_back" in codes
            fresh = {"stream": "s", "data": {"role": "user", "content": SECRET}}
            new = bank.result("memory.remember", {"event": fresh, **operation()})
            assert new["outcome"] == "committed"  # newly said: a new memory


def test_its_bytes_are_in_no_file(daemon: DaemonProcess) -> None:
    """70: text, UTF-16, words and vectors: in no file as it is, in no page of the open bank."""
    with daemon.connect() as connection:
        bank = Agent(connection, "person")
        for number in range(20):
            bank.add(f"Note number {number} of the many")
        ids = [id_of(bank.add(SECRET)), id_of(bank.remember(SECRET))]
        corrected = id_of(bank.add("SSH is on port 22"))
        bank.correct(corrected, 1, SECRET + " too")
        bank.wait_indexed()
        bank.forget(*ids, corrected)
        for number in range(20):
            bank.add(f"Another note, {number}")
        for memory_id in (*ids, corrected):
            assert bank.result("doctor", {"erasure": memory_id})["erasure"]["erased"] is True
        bank_id = bank.result("bank.status")["bank_id"]
    assert daemon.stop() == 0
    needles = [SECRET.encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be")]
    needles += [b"amber", b"SSH is on", b"port 22", *_vectors(SECRET), *_vectors(f"{SECRET} too")]
    for path in daemon.home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            assert [needle for needle in needles if needle in content] == [], path.name
    clear = asyncio.run(_clear_bank(daemon, bank_id))
    assert b"Note number 3 of the many" in clear
    assert [needle for needle in needles if needle in clear] == []


def _vectors(text: str) -> list[bytes]:
    """The beginning of each of a text's vectors, as the bank keeps them."""
    embedder = load()
    windows = [embedder.embed_window(window) for window in embedder.windows(text)]
    return [window.astype("<f2")[:16].tobytes() for window in windows]


async def _clear_bank(daemon: DaemonProcess, bank_id: str) -> bytes:
    """Every page of a bank's file and its WAL in the clear."""
    places = daemon.places
    master = find_master_key(places.configuration, {}, data_exists=True)
    catalog = await Catalog.open(places.data, master.key)
    try:
        key, folder = catalog.bank_key(bank_id), catalog.folder(bank_id)
    finally:
        await catalog.close()
    wal = clear_wal(folder / "bank.db-wal", key)
    return clear_bytes(folder / "bank.db", key) + wal


def test_forgetting_says_the_same_of_what_is_gone_and_of_what_never_was(bank: Agent) -> None:
    """71: twice: already_absent; unknown: not_found; each time."""
    memory_id, never = id_of(bank.add(SECRET)), f"mem_{'0' * 32}"
    assert bank.forget(memory_id)["outcome"] == "committed"
    for _ in range(2):
        assert bank.forget(memory_id)["outcome"] == "already_absent"
        assert bank.forget(never)["outcome"] == "not_found"


def test_forgetting_by_filter_counts_first(bank: Agent) -> None:
    """72: a session's memories: the preview counts them, the confirmed ids do it."""
    for number in range(7):
        bank.remember(f"Of the trip, {number}", session_id="trip")
    bank.remember("Of the house", session_id="house")
    preview = bank.preview(session_id="trip")
    assert (preview["total"], len(preview["affected"])) == (7, 7)
    assert len(bank.listed()) == 8
    ids = [one["memory_id"] for one in preview["affected"]]
    answer = bank.forget(*ids, preview_token=preview["preview_token"])
    assert (len(answer["affected"]), answer["projection"]["total"]) == (7, 1)
    assert [memory["text"] for memory in bank.listed()] == ["Of the house"]


def test_a_correction_outranks_what_it_corrects(bank: Agent) -> None:
    """38: by default only the correction is recalled, lexically and by its vector."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    bank.wait_indexed()
    bank.correct(memory_id, 1, "SSH is on port 49222")
    bank.wait_indexed()
    assert bank.texts("which port is SSH on") == ["SSH is on port 49222"]
    assert bank.lexical("SSH port 22 49222") == ["SSH is on port 49222"]
    assert bank.vector("which port is SSH on") == ["SSH is on port 49222"]


def test_a_corrected_value_can_be_seen_a_forgotten_one_cannot(bank: Agent) -> None:
    """39: the earlier value stands in history with its end; after a forget nothing of it does."""
    memory_id = id_of(bank.add("SSH is on port 22"))
    bank.correct(memory_id, 1, "SSH is on port 49222")
    first = bank.history(memory_id)["entries"][0]
    assert (first["text"], first["ended_at"] is not None) == ("SSH is on port 22", True)
    bank.forget(memory_id)
    left = json.dumps([bank.history(memory_id), bank.shown(memory_id), bank.exported()])
    assert "port" not in left.replace("import", "")


def test_fifty_changes_in_one_send(bank: Agent) -> None:
    """46: remember, correct and forget pipelined: answers match by id, the bank is consistent."""
    connection, handle = bank.connection, bank.handle()
    there = [id_of(bank.add(f"Fact number {number}")) for number in range(20)]
    frames: list[tuple[str, str, dict[str, Any]]] = []
    for number in range(50):
        memory_id = there[number % 20]
        if number % 5 in (0, 1):
            event = {"stream": "s", "data": {"role": "user", "content": f"Turn {number}"}}
            frames.append((f"r{number}", "memory.remember", {"event": event}))
        elif number % 5 in (2, 3):
            fields = {"memory_id": memory_id, "expected_revision": 1, "text": f"Now {number}"}
            frames.append((f"c{number}", "memory.correct", {"handle": handle, **fields}))
        else:
            targets = {"targets": [{"memory_id": memory_id}], "confirmed": True}
            frames.append((f"f{number}", "memory.forget", {"handle": handle, **targets}))
    lines = [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": id,
                "method": method,
                "params": {**bank.whose, **params, "deadline_ms": 60_000, **operation()},
            }
        ).encode()
        for id, method, params in frames
    ]
    connection.send_bytes(b"\n".join(lines) + b"\n")
    outcomes = {id: connection.answer(id)["result"] for id, _, _ in frames}
    # As a plain model has it, in the order of the lines.
    model = dict.fromkeys(there, 1)
    texts = {one: f"Fact number {number}" for number, one in enumerate(there)}
    for number, (id, _, params) in enumerate(frames):
        outcome = outcomes[id]["outcome"]
        memory_id = there[number % 20]
        if id.startswith("r"):
            assert outcome == "committed"
        elif id.startswith("c"):
            wanted = {None: "forgotten", 1: "committed"}.get(model.get(memory_id), "conflict")
            assert outcome == wanted, id
            if wanted == "committed":
                model[memory_id], texts[memory_id] = 2, params["text"]
        else:
            assert outcome == ("committed" if memory_id in model else "already_absent"), id
            model.pop(memory_id, None)
    facts = {memory["memory_id"]: memory["text"] for memory in bank.listed(kinds=["fact"])}
    assert facts == {one: texts[one] for one in model}
    assert len(bank.listed(kinds=["remark"])) == 20
    assert bank.result("doctor", {"ledger": True})["ledger"]["whole"] is True


def test_off_is_off(bank: Agent) -> None:
    """87: no write, no recall; inspect and forget work; nothing of it appears later."""
    memory_id = id_of(bank.add("The kettle is blue"))
    bank.set_enabled(False)
    assert bank.remember(SECRET)["reason"] == "disabled"
    assert bank.add(SECRET)["reason"] == "disabled"
    assert bank.recall("kettle")["outcome"] == "disabled"
    assert bank.result("memory.search", {"query": "kettle", "pipeline": "vector"})["outcome"] == (
        "disabled"
    )
    assert [memory["memory_id"] for memory in bank.listed()] == [memory_id]
    bank.set_enabled(True)
    bank.wait_indexed()
    assert bank.texts("lamp code") == ["The kettle is blue"]
    assert [memory["text"] for memory in bank.listed()] == ["The kettle is blue"]
    assert WORD not in json.dumps(bank.exported())


def test_five_live_ones_among_many_forgotten(bank: Agent) -> None:
    """200 memories close to each other, 190 forgotten: recall k=5 gives five live ones."""
    connection = bank.connection
    sent = [
        connection.send(
            "memory.add",
            {**bank.whose, "text": f"The lamp code of room {number} is amber", **operation()},
        )
        for number in range(60)
    ]
    ids = [id_of(connection.answer(one)["result"]) for one in sent]
    texts = [f"The lamp code of room {number} is amber" for number in range(60, 200)]
    ids += [id_of(bank.add(text)) for text in texts]
    bank.wait_indexed()
    random.Random(5).shuffle(ids)
    assert bank.forget(*ids[:190])["outcome"] == "committed"
    live = set(ids[190:])
    for hits in (
        bank.recall("what is the lamp code", limit=5)["hits"],
        bank.result(
            "memory.search",
            {"query": "lamp code", "pipeline": "vector", "limit": 5, "deadline_ms": 9_000},
        )["hits"],
    ):
        found = {hit["memory_id"] for hit in hits}
        assert len(found) == 5
        assert found <= live
