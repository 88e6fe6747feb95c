"""Lines and requests: what is a frame, and what is refused without a word of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognid.protocol.errors import ERRORS, CognidError
from cognid.protocol.frames import (
    FrameError,
    error_from,
    error_line,
    parse_request,
    request_line,
    result_line,
)

SECRET = "KITE-77"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "parse_error"),
        (b"{", "parse_error"),
        (b"not json KITE-77", "parse_error"),
        (b'{"a":1,"a":2}', "parse_error"),
        (b'{"id":1,"jsonrpc":"2.0","method":"ping","params":{"x":NaN}}', "parse_error"),
        (
            b'{"id":1,"jsonrpc":"2.0","method":"ping","params":{"x":' + b"9" * 5000 + b"}}",
            "parse_error",
        ),
        (b"\xff\xfe", "parse_error"),
        (b"[" * 100_000, "parse_error"),
        (b"[]", "invalid_request"),
        (b'[{"id":1}]', "invalid_request"),
        (b'"text"', "invalid_request"),
        (b'{"jsonrpc":"2.0","method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":"","method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","owner":"KITE-77"}', "invalid_request"),
    ],
)
def test_a_line_that_is_no_request_is_refused_without_quoting_it(line: bytes, code: str) -> None:
    """Each kind of broken line has its code, and neither code nor detail holds the line."""
    with pytest.raises(FrameError) as refused:
        parse_request(line)
    assert refused.value.code == code
    assert SECRET not in str(refused.value) + refused.value.detail
    assert refused.value.__cause__ is None


def test_the_id_is_told_wherever_it_can_be_read() -> None:
    """A request with a sound id and an unsound rest is answered under its id."""
    with pytest.raises(FrameError) as refused:
        parse_request(b'{"jsonrpc":"2.0","id":"r-1","method":7}')
    assert refused.value.request_id == "r-1"


def test_a_lone_surrogate_does_not_cost_the_id() -> None:
    """Half a surrogate pair parses, so that validation can name its field under the right id."""
    request = parse_request(
        b'{"jsonrpc":"2.0","id":4,"method":"memory.add","params":{"text":"cut \\ud83d"}}'
    )
    assert request.id == 4


@given(st.text(), st.integers(min_value=-(2**53), max_value=2**53))
def test_what_is_written_is_read_back(text: str, number: int) -> None:
    """Any text and any id in range go through a line unchanged, on one line."""
    line = request_line(number, "memory.add", {"text": text.encode("utf-8", "replace").decode()})
    assert line.count(b"\n") == 1
    request = parse_request(line[:-1])
    assert request.id == number
    assert request.params["text"] == text.encode("utf-8", "replace").decode()


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_frame_error(line: bytes) -> None:
    """Whatever comes in, the reader gives a request or a FrameError."""
    try:
        parse_request(line)
    except FrameError as refused:
        assert refused.code in ("parse_error", "invalid_request")


def test_a_result_and_an_error_are_one_line_each() -> None:
    """Answers carry the id they belong to and end with their only line feed."""
    assert result_line("a", b'{"x":1}') == b'{"jsonrpc":"2.0","id":"a","result":{"x":1}}\n'
    error = json.loads(error_line(7, "unknown_bank", "why"))
    assert error["id"] == 7
    assert error["error"]["code"] == ERRORS["unknown_bank"].number
    assert error["error"]["data"]["remedy"] == ERRORS["unknown_bank"].remedy


def test_an_error_comes_out_as_it_went_in() -> None:
    """The exception that a caller sees has the code, effect and remedy of the wire."""
    line = json.loads(error_line(1, "storage_failed", "SQLITE_IOERR"))
    raised = error_from(line["error"], "op")
    assert isinstance(raised, CognidError)
    assert (raised.code, raised.effect, raised.retryable) == ("storage_failed", "unknown", True)
    assert raised.operation_id == "op"


def test_the_table_of_errors_is_sound() -> None:
    """Numbers are unique, exit statuses are the shell's, every row has a remedy."""
    numbers = [kind.number for kind in ERRORS.values()]
    assert len(set(numbers)) == len(numbers)
    for kind in ERRORS.values():
        assert 1 < kind.exit < 126
        assert kind.meaning.endswith(".")
        assert kind.remedy.endswith(".")
        assert not (kind.retryable and kind.effect == "unknown" and kind.code == "internal")
