"""Chat transcripts: JSON lines of `{"role", "content", "time"?, "speaker"?, "session"?}`.

A line's number, from 1 on, is its place in the stream `file:<sha256 of the file>`, so reading the
same file again adds nothing. Other fields of a line are passed over; blank lines too. A line that
is not a turn is reported with its number and what is wrong, never with its text.

Owns: the form of a turn, and reading a file twice (for the digest, then the lines) without holding
it. May not talk to the daemon.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Final

from pydantic import ConfigDict

from cognid.json_lines import Broken, read_as, read_lines
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Instant, MemoryText, Message, Reference, Role, Word

PIPE_BYTES: Final = 64 * 1024 * 1024
"""What is not a file is held in memory to be read twice; it may not go to a temporary file, where
it would lie readable."""
_CHUNK_BYTES: Final = 1024 * 1024


class Turn(Message):
    """One line: who said what, and when."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[Role, Word]
    content: MemoryText
    time: Instant | None = None
    speaker: Reference | None = None
    session: Reference | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. `end` is the offset of the byte after it."""

    number: int
    end: int
    turn: Turn | Broken


class Transcript:
    """An open transcript.

    Raises:
        CognidError: `invalid_argument` for a pipe with more than 64 MiB.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._source = source if source.seekable() else _held(source)
        self._source.seek(0)
        self._first = self._identity()
        digest = hashlib.sha256()
        size = 0
        while chunk := self._source.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
        self.sha256: Final = digest.hexdigest()
        self.size: Final = size

    @property
    def stream(self) -> str:
        """The stream that its lines stand in."""
        return f"file:{self.sha256}"

    @property
    def session_id(self) -> str:
        """The session of lines that name none."""
        return f"file:{self.sha256[:12]}"

    @property
    def changed(self) -> bool:
        """Whether the file is another than when its digest was taken."""
        return self._identity() != self._first

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = os.fstat(self._source.fileno())
        except OSError:
            return None  # held in memory
        return status.st_size, status.st_mtime_ns

    def lines(self) -> Iterator[Line]:
        """Read the lines in their order, those that are blank left out."""
        self._source.seek(0)
        for line in read_lines(self._source):
            yield Line(line.number, line.end, read_as(Turn, line.value))


def _held(pipe: BinaryIO) -> BinaryIO:
    content = pipe.read(PIPE_BYTES + 1)
    if len(content) > PIPE_BYTES:
        raise CognidError(
            "invalid_argument",
            f"more than {PIPE_BYTES} bytes cannot be read from a pipe: give a file",
        )
    return io.BytesIO(content)
