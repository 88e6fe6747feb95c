"""The sealed snapshot: one bank's packed vectors in a file, so that a start need not read them all.

A cache and nothing more. It stands beside the bank's file, is sealed under a key of its own made of
the bank's, chunk by chunk, each bound to the header and to its place; nothing of it is used before
its size and its seal hold. What it holds is compared with the bank's rows after it was read, so
that it may be behind; one of another bank, generation or past is refused. A forget deletes it
before it is answered (`erase`), and one that was begun before a forget never gets its name.

Form: 8 bytes of magic, the header's length (4 bytes, big-endian), the header as JSON, then the
chunks: 1,024 vectors each as owners, spans, scales, codes; the last may be shorter. Sealing and
opening hold the interpreter's lock: 0.1 ms for a chunk of 400 kB (measured), and nobody waits
longer for either.

Owns: that form, its writing and its reading. Importing this module imports numpy.
"""

from __future__ import annotations

import json
import os
import stat
import struct
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from cognid_daemon.bank import files, keys
from cognid_daemon.bank.errors import WrongKeyError
from cognid_daemon.recall.matrix import Windows

if TYPE_CHECKING:
    from cognid_daemon.recall.vectors import VectorIndex

_MAGIC: Final = b"cognid\x00\x02"
_LENGTH: Final = struct.Struct(">I")
_HEADER_BYTES: Final = 4096
_SEAL_BYTES: Final = 12 + 16
_CHUNK: Final = 1024
_SYNC_EVERY: Final = 4
"""Chunks. One fsync of all at the end would hold up those of the bank's own commits."""

_OWN_BYTES: Final = 8 + 8 + 4
"""Of a vector beside its codes: owner, span, scale."""


class SnapshotError(Exception):
    """Raised where a snapshot cannot be used; `code` says why. It holds no name and no content."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a snapshot is of. `head` is the hash of the ledger's entry `sequence`, in hex."""

    bank_id: str
    generation: int
    space_id: str
    dimension: int
    count: int
    sequence: int
    head: str


class SnapshotWriter:
    """Writes a snapshot beside its name, a chunk at a time; `name` puts it there."""

    def __init__(self, path: Path, key: bytes, facts: Facts) -> None:
        self._path = path
        self._beside = path.with_name(f"{path.name}.new")
        self._key = key
        self._header = json.dumps(asdict(facts), sort_keys=True).encode()
        self._chunks = 0
        with suppress(FileNotFoundError):
            self._beside.unlink()
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(self._beside, flags, 0o600), "wb")
        self._file.write(_MAGIC + _LENGTH.pack(len(self._header)) + self._header)

    def add_part(self, index: VectorIndex) -> bool:
        """Seal and write the next chunk of an index; False past its end."""
        windows = index.part(self._chunks * _CHUNK, _CHUNK)
        if windows is None:
            return False
        parts = (windows.owners, windows.spans, windows.scales, windows.codes)
        content = b"".join(part.data for part in parts)
        bound_to = _bound_to(self._header, self._chunks)
        self._file.write(keys.seal(self._key, content, bound_to))
        self._chunks += 1
        if self._chunks % _SYNC_EVERY == 0:
            files.sync_file(self._file)
        return True

    def end(self) -> None:
        """Make the bytes durable."""
        files.sync_file(self._file)
        self._file.close()

    def name(self) -> None:
        """Put it in its place, durably. Only after `end`."""
        self._beside.replace(self._path)
        files.sync_folder(self._path.parent)

    def drop(self) -> None:
        """Leave nothing behind; after `name`, nothing happens."""
        self._file.close()
        with suppress(OSError):
            self._beside.unlink()


class Snapshot:
    """An open snapshot: what it is of, as it says itself, and its chunks one after the other.

    The first chunk proves the header. Nothing is mapped, and nothing read beyond what the header
    and the size agree on. `close` it.
    """

    def __init__(self, path: Path, key: bytes) -> None:
        """Open it.

        Raises:
            SnapshotError: `missing`, `malformed` or `size`.
        """
        try:
            self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")
        except OSError:
            raise SnapshotError("missing") from None
        self._key = key
        self._chunks = 0
        try:
            self._header, self.facts = _read_header(self._file)
            status = os.fstat(self._file.fileno())
            whole, rest = divmod(self.facts.count, _CHUNK)
            expected = len(_MAGIC) + _LENGTH.size + len(self._header)
            expected += self.facts.count * (_OWN_BYTES + self.facts.dimension)
            expected += (whole + (rest > 0)) * _SEAL_BYTES
            if not stat.S_ISREG(status.st_mode) or status.st_size != expected:
                raise SnapshotError("size")
        except BaseException:
            self.close()
            raise

    def next(self) -> Windows | None:
        """The next chunk; None past the last.

        Raises:
            SnapshotError: `seal`.
        """
        dimension = self.facts.dimension
        size = min(_CHUNK, self.facts.count - self._chunks * _CHUNK)
        if size <= 0:
            return None
        sealed = self._file.read(size * (_OWN_BYTES + dimension) + _SEAL_BYTES)
        try:
            content = keys.unseal(self._key, sealed, _bound_to(self._header, self._chunks))
        except WrongKeyError:
            raise SnapshotError("seal") from None
        self._chunks += 1
        ends = (8 * size, 16 * size, 20 * size)
        return Windows(
            np.frombuffer(content[: ends[0]], np.int64),
            np.frombuffer(content[ends[0] : ends[1]], np.int32).reshape(-1, 2),
            np.frombuffer(content[ends[2] :], np.int8).reshape(-1, dimension),
            np.frombuffer(content[ends[1] : ends[2]], np.float32),
        )

    def close(self) -> None:
        """End reading."""
        self._file.close()


def _read_header(file: BinaryIO) -> tuple[bytes, Facts]:
    head = file.read(len(_MAGIC) + _LENGTH.size)
    if len(head) != len(_MAGIC) + _LENGTH.size or not head.startswith(_MAGIC):
        raise SnapshotError("malformed")
    (length,) = _LENGTH.unpack(head[len(_MAGIC) :])
    if length > _HEADER_BYTES:
        raise SnapshotError("malformed")
    header = file.read(length)
    try:
        facts = Facts(**json.loads(header))
    except (ValueError, TypeError):
        raise SnapshotError("malformed") from None
    numbers = (facts.generation, facts.dimension, facts.count, facts.sequence)
    if any(type(one) is not int or one < 0 for one in numbers):
        raise SnapshotError("malformed")
    return header, facts


def _bound_to(header: bytes, number: int) -> bytes:
    return header + _LENGTH.pack(number)
