"""Nothing readable at rest: no file, WAL or log holds a byte of a text, a query or a vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.daemon import DaemonProcess
from support.talk import Agent, operation

from cognid_models import load

CANARY = "Quetzalcoatl-canary keeps the silver-lantern password-free diary"
SPEAKER = "Zacharias-canary"
QUERY = "silver-lantern query-canary"
LABEL = "label-canary-Xylophone"
WORDS = ("Quetzalcoatl", "silver-lantern", "Zacharias-canary", "query-canary", "Xylophone")


def _needles() -> list[bytes]:
    """Each word in UTF-8 and both UTF-16 orders, and the text's own vector in three precisions."""
    needles = [
        word.encode(codec) for word in WORDS for codec in ("utf-8", "utf-16-le", "utf-16-be")
    ]
    # Folded terms as the index has them.
    needles += [b"quetzalcoatl", b"silverlantern", b"zachariascanari"]
    embedder = load()
    for text in (CANARY, f"{SPEAKER}: {CANARY}"):
        for window in embedder.windows(text):
            vector = embedder.embed_window(window)
            scaled = np.rint(vector * 127 / np.abs(vector).max()).astype(np.int8)
            # A run of 16 numbers cannot be there by chance.
            needles.append(vector.astype("<f4")[:16].tobytes())
            needles.append(vector.astype("<f2")[:16].tobytes())
            needles.append(scaled[:16].tobytes())
    return needles


def _found(folder: Path, needles: list[bytes]) -> list[tuple[str, bytes]]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [(path.name, needle) for needle in needles if needle in content]
    return found


def test_no_file_of_the_home_holds_a_byte_of_a_canary(daemon: DaemonProcess) -> None:
    """With the WAL hot, after kill -9, and after an orderly stop: nothing is found anywhere."""
    needles = _needles()
    with daemon.connect() as connection:
        bank = Agent(connection, "canary-agent-is-sealed-too")
        event = {
            "stream": "s",
            "data": {"role": "user", "content": CANARY, "speaker": SPEAKER},
        }
        bank.result("memory.remember", {"event": event, "labels": [LABEL], **operation()})
        bank.add(CANARY, labels=[LABEL])
        bank.wait_indexed()
        assert CANARY in bank.texts(QUERY)
        bank.error("memory.add", {"text": CANARY, "kind": CANARY, **operation()})
        bank.error("memory.add", {"text": CANARY, CANARY: 1, **operation()})
        connection.send_bytes(CANARY.encode() + b"\n")
        wal = list(daemon.places.data.rglob("bank.db-wal"))
        assert wal
        assert wal[0].stat().st_size > 0
        assert _found(daemon.home, needles) == []
        assert b"canary-agent" not in b"".join(
            path.read_bytes() for path in daemon.home.rglob("*") if path.is_file()
        )
    daemon.kill9()
    assert _found(daemon.home, needles) == []
    daemon.start()
    assert daemon.stop() == 0
    assert _found(daemon.home, needles) == []


def test_the_scan_would_find_what_is_there(tmp_path: Path) -> None:
    """The search itself works: each needle in a file of its own is found."""
    needles = _needles()
    for number, needle in enumerate(needles):
        (tmp_path / str(number)).write_bytes(b"before" + needle + b"after")
    assert {needle for _, needle in _found(tmp_path, needles)} == set(needles)


def test_the_process_title_and_environment_hold_no_text(daemon: DaemonProcess) -> None:
    """What `ps` can show says nothing of what is remembered."""
    with daemon.connect() as connection:
        Agent(connection).add(CANARY)
        for name in ("cmdline", "comm", "environ"):
            try:
                content = Path(f"/proc/{daemon.pid}/{name}").read_bytes()
            except OSError:
                continue  # not dumpable, or no /proc: then nobody can read it
            assert b"Quetzalcoatl" not in content
