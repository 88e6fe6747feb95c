"""Frames: JSON-RPC 2.0, one UTF-8 JSON object a line, both ways. The specification stands here.

- A request is `{"jsonrpc": "2.0", "id": ID, "method": NAME, "params": {…}}` and a line feed. ID is
  a string of 1–64 characters or an integer within ±2^53; notifications and batches are not taken.
- An answer is `{"jsonrpc": "2.0", "id": ID, "result": {…}}`, or with `"error": {"code": NUMBER,
  "message": TEXT, "data": {"code", "retryable", "effect", "remedy", "detail"}}`. Answers come in
  any order. The id is null where the line was too broken to tell it.
- Duplicate keys, NaN, infinities and integers of more than 4,300 digits are not JSON here.

Owns: how a line becomes a request and an answer becomes a line. Knows no operation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from cognid.protocol.errors import ERRORS, CognidError, Effect

RequestId = str | int
_ID_CHARACTERS: Final = 64
_ID_LIMIT: Final = 2**53


class FrameError(Exception):
    """A line that is no request. Carries the id if one could be read; never the line."""

    def __init__(self, code: str, detail: str, request_id: RequestId | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.request_id = request_id


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it stands on the line; `params` is not yet validated."""

    id: RequestId
    method: str
    params: dict[str, Any]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("duplicate key")
    return made


def _refuse(constant: str) -> NoReturn:
    raise ValueError("not a JSON number")


_decode = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse).decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def parse_json(line: bytes) -> Any:
    """Parse one line.

    Raises:
        FrameError: `parse_error` for whatever is not one JSON value in UTF-8.
    """
    try:
        return _decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        # From None: the parser's own message quotes the line.
        raise FrameError("parse_error", "the line is not JSON in UTF-8") from None


def _read_id(value: object) -> RequestId | None:
    if isinstance(value, str):
        return value if 0 < len(value) <= _ID_CHARACTERS and value.isprintable() else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _ID_LIMIT:
        return value
    return None


def parse_request(line: bytes) -> Request:
    """Read one request from a line without its line feed.

    Raises:
        FrameError: with the request's id wherever it could be read.
    """
    frame = parse_json(line)
    if not isinstance(frame, dict):
        raise FrameError("invalid_request", "the line is not a JSON object")
    request_id = _read_id(frame.get("id"))
    if request_id is None:
        raise FrameError("invalid_request", "id must be 1 to 64 characters or an integer")
    if frame.get("jsonrpc") != "2.0":
        raise FrameError("invalid_request", 'jsonrpc must be "2.0"', request_id)
    method = frame.get("method")
    if not isinstance(method, str):
        raise FrameError("invalid_request", "method must be a string", request_id)
    params = frame.get("params", {})
    if not isinstance(params, dict):
        raise FrameError("invalid_request", "params must be an object", request_id)
    if len(frame) > 4 or not frame.keys() <= {"jsonrpc", "id", "method", "params"}:
        raise FrameError("invalid_request", "an unknown field beside params", request_id)
    return Request(request_id, method, params)


def request_line(request_id: RequestId, method: str, params: dict[str, Any]) -> bytes:
    """Write one request as a line."""
    frame = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return _encode(frame).encode("utf-8") + b"\n"


def result_line(request_id: RequestId, result_json: bytes) -> bytes:
    """Write one answer as a line; `result_json` is the result in JSON without line feeds."""
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (
        _encode(request_id).encode("utf-8"),
        result_json,
    )


def error_line(
    request_id: RequestId | None, code: str, detail: str = "", effect: Effect | None = None
) -> bytes:
    """Write one error as a line. `code` is a key of `ERRORS`; `effect` where more is known of it
    than the table says."""
    kind = ERRORS[code]
    frame = {
        "jsonrpc": "2.0",
        "id": request_id,
        "error": {
            "code": kind.number,
            "message": kind.meaning,
            "data": {
                "code": kind.code,
                "retryable": kind.retryable,
                "effect": effect or kind.effect,
                "remedy": kind.remedy,
                "detail": detail,
            },
        },
    }
    return _encode(frame).encode("utf-8") + b"\n"


def error_from(error: dict[str, Any], operation_id: str | None = None) -> CognidError:
    """Turn an answer's `error` object into the exception that the caller sees."""
    data = error.get("data")
    data = data if isinstance(data, dict) else {}
    return CognidError(
        str(data.get("code", "internal")),
        str(data.get("detail") or error.get("message") or ""),
        operation_id=operation_id,
        retryable=bool(data.get("retryable", False)),
        effect="none" if data.get("effect") == "none" else "unknown",
        remedy=str(data.get("remedy") or "") or None,
    )
