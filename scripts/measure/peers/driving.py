"""The bench's side of a driver: a process of its own, under its peer's Python, asked line by line.

Owns: finding that Python, the process, and what an answer holds. A peer that is not installed is
absent, with a word; one that fails ends the bench's interest in it, with its last words.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from measure.peers.serving import SYNCS_VARIABLE, Said
from measure.report import ROOT

_PRELOAD: Final = "LD_PRELOAD"
_SHIM: Final = Path(__file__).with_name("count_syncs.c")


class AbsentError(Exception):
    """A peer that is not installed here; the text says what is missing."""


class DriverError(Exception):
    """A peer that failed, with its last words."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer: its package, the module that drives it, and that module's arguments."""

    package: str
    module: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What one line of texts gave and cost. `syncs` is None where they cannot be counted."""

    ids: list[Any]
    seconds: list[float]
    cpu_seconds: float
    syncs: int | None


def find_python(folder: Path | None, package: str) -> Path:
    """The Python that has a peer: `FOLDER/PACKAGE/bin/python`, else `FOLDER/bin/python`.

    Raises:
        AbsentError: neither is there.
    """
    if folder is None:
        raise AbsentError("no --peers FOLDER")
    for place in (folder / package, folder):
        python = place / "bin" / "python"
        if python.exists():
            return python
    raise AbsentError(f"no {folder / package / 'bin' / 'python'}")


def counting_shim(folder: Path) -> Path | None:
    """The compiled shim that counts syncs, or None where it cannot be preloaded here."""
    if sys.platform != "linux" or shutil.which("cc") is None:
        return None
    shim = folder / "count_syncs.so"
    words = ["cc", "-shared", "-fPIC", "-O2", "-o", str(shim), str(_SHIM), "-ldl"]
    subprocess.run(words, check=True, timeout=60)
    return shim


class Driver:
    """A running driver whose store is open."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log
        self.version = self.how = ""

    def open(self, folder: Path, vectors: Path) -> None:
        """Open a new store in a folder. Raises AbsentError, DriverError."""
        said = self._ask({"do": "open", "folder": str(folder), "vectors": str(vectors)})
        self.version, self.how = str(said["version"]), str(said["how"])

    def prepare(self, told: Sequence[str], asked: Sequence[str]) -> None:
        """Let it embed what it embeds itself. Raises DriverError, as all that follow."""
        self._ask({"do": "prepare", "told": list(told), "asked": list(asked)})

    def add(self, said: Sequence[Said], *, durable: bool) -> Answer:
        """Store texts one after another; an id each. Not `durable`: syncs may be left out."""
        told = [asdict(one) for one in said]
        return _answer(self._ask({"do": "add", "said": told, "durable": durable}))

    def search(self, texts: Sequence[str], count: int) -> Answer:
        """Ask one after another; a list of ids each."""
        return _answer(self._ask({"do": "search", "texts": list(texts), "count": count}))

    def close(self) -> None:
        """Close the store, so that all of it is in its files."""
        self._ask({"do": "close"})
        self._process.wait(60)

    def _ask(self, line: dict[str, Any]) -> dict[str, Any]:
        pipes = self._process.stdin, self._process.stdout
        assert pipes[0] is not None and pipes[1] is not None  # noqa: S101 - PIPE was asked for
        try:
            pipes[0].write(json.dumps(line) + "\n")
            pipes[0].flush()
            answered = pipes[1].readline()
        except BrokenPipeError:
            answered = ""
        try:
            found = json.loads(answered)
        except ValueError:
            raise DriverError(self._last_words()) from None
        if not isinstance(found, dict):
            raise DriverError("a line that is no object")
        if "absent" in found:
            raise AbsentError(str(found["absent"]))
        return found

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


def _answer(found: dict[str, Any]) -> Answer:
    try:
        syncs = found["syncs"]
        return Answer(
            ids=list(found["ids"]),
            seconds=[float(one) for one in found["seconds"]],
            cpu_seconds=float(found["cpu_seconds"]),
            syncs=None if syncs is None else int(syncs),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DriverError(f"not an answer ({type(error).__name__})") from None


@contextmanager
def driving(peer: Peer, python: Path, folder: Path, shim: Path | None) -> Iterator[Driver]:
    """A driver in a folder of its own, which is also its home; it ends with the block."""
    log, syncs = folder / "driver.log", folder / "syncs"
    environment = {
        **os.environ,
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT / "scripts"),
        "PYTHONUNBUFFERED": "1",  # so that what it says last stands last in its log
        "PYTHONWARNINGS": "ignore",
        "TOKENIZERS_PARALLELISM": "false",
    }
    if shim is not None:
        syncs.write_bytes(bytes(16))
        environment |= {_PRELOAD: str(shim), SYNCS_VARIABLE: str(syncs)}
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [str(python), "-m", peer.module, *peer.arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        yield Driver(process, log)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


OUR_PYTHON: Final = Path(sys.executable)
