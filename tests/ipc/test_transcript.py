"""Reading transcripts: every line is a turn or is named as broken, and none is held in memory."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pytest

from cognid import CognidError
from cognid.json_lines import LINE_BYTES, Broken
from cognid.protocol.values import Role
from cognid.transcript import PIPE_BYTES, Transcript, Turn


def transcript_of(content: bytes) -> Transcript:
    """A transcript of some bytes."""
    return Transcript(io.BytesIO(content))


def test_lines_keep_their_numbers() -> None:
    """Blank lines are passed over, and the numbers are those an editor shows."""
    read = list(
        transcript_of(
            b'{"role":"user","content":"a"}\n\n  \r\n{"role":"assistant","content":"b"}'
        ).lines()
    )
    assert [(line.number, line.end) for line in read] == [(1, 30), (4, 69)]
    assert all(isinstance(line.turn, Turn) for line in read)


def test_turn_has_its_fields() -> None:
    """Time, speaker and session are taken where they stand; other fields are passed over."""
    content = (
        b'{"role":"user","content":"a","time":"2026-05-08T14:02:00+02:00","speaker":"Ann",'
        b'"session":"s","mood":1}\n'
    )
    (line,) = transcript_of(content).lines()
    assert isinstance(line.turn, Turn)
    turn = line.turn
    assert (turn.role, turn.speaker, turn.session) == (Role.USER, "Ann", "s")
    assert turn.time is not None
    assert turn.time.isoformat() == "2026-05-08T14:02:00+02:00"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"canary", "not JSON in UTF-8"),
        (b'{"role":"user","content":"canary\xff"}', "not JSON in UTF-8"),
        (b'{"role":"user","content":"canary","content":"canary"}', "not JSON in UTF-8"),
        (b'["canary"]', "not a JSON object"),
        (b'{"content":"canary"}', "role: Field required"),
        (b'{"role":"canary","content":"canary"}', "role: "),
        (b'{"role":"user","content":""}', "content: "),
        (b'{"role":"user","content":" \\n"}', "content: must not be blank"),
        (b'{"role":"user","content":"canary\\u0000"}', "content: must not contain NUL"),
        (b'{"role":"user","content":"canary \\ud800"}', "content: "),
        (b'{"role":"user","content":7}', "content: "),
        (b'{"role":"user","content":"canary","time":1715000000}', "time: "),
        (b'{"role":"user","content":"canary","time":"2026-05-08T14:02:00"}', "time: must name"),
        (b'{"role":"user","content":"%s"}' % (b"canary " * 60_000), "content: "),
    ],
)
def test_broken_line_is_named_without_its_text(line: bytes, reason: str) -> None:
    """A line that is no turn says why, quotes nothing, and does not stop the next."""
    read = list(transcript_of(line + b'\n{"role":"user","content":"a"}\n').lines())
    assert isinstance(read[0].turn, Broken)
    assert read[0].turn.reason.startswith(reason)
    assert "canary" not in read[0].turn.reason
    assert isinstance(read[1].turn, Turn)


def test_overlong_line_is_passed_over_in_pieces() -> None:
    """A line over the bridge's bound is broken; the one after it is read, under its number."""
    long = b'{"role":"user","content":"' + b"x" * LINE_BYTES + b'"}\n'
    read = list(transcript_of(long + b'{"role":"user","content":"a"}\n').lines())
    assert [type(line.turn) for line in read] == [Broken, Turn]
    assert [line.number for line in read] == [1, 2]


def test_byte_order_mark_is_let_pass() -> None:
    """A file that begins with a byte order mark, as some editors write it, is read."""
    (line,) = transcript_of(b'\xef\xbb\xbf{"role":"user","content":"a"}\n').lines()
    assert isinstance(line.turn, Turn)


def test_empty_file_has_no_lines() -> None:
    """An empty file is an empty transcript."""
    assert list(transcript_of(b"").lines()) == []


def test_stream_is_the_digest_of_the_file(tmp_path: Path) -> None:
    """Stream and session are made of the file's SHA-256, from a file or from a pipe."""
    content = b'{"role":"user","content":"a"}\n'
    digest = hashlib.sha256(content).hexdigest()
    path = tmp_path / "chat.jsonl"
    path.write_bytes(content)
    with path.open("rb") as source:
        transcript = Transcript(source)
        assert (transcript.stream, transcript.session_id) == (
            f"file:{digest}",
            f"file:{digest[:12]}",
        )
        assert not transcript.changed
        path.write_bytes(content * 2)
        assert transcript.changed
    read_end, write_end = os.pipe()
    os.write(write_end, content)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        piped = Transcript(pipe)
        assert piped.sha256 == digest
        assert [line.number for line in piped.lines()] == [1]


def test_endless_pipe_is_refused() -> None:
    """A pipe with more than can be held is refused rather than written to a temporary file."""

    class Endless(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size <= PIPE_BYTES + 1, "no more is asked for than can be held"
            return bytes(size)

    with pytest.raises(CognidError) as caught:
        Transcript(Endless())
    assert str(PIPE_BYTES) in caught.value.detail
