"""Canonical JSON and the digests made of it: the event hash and the request digest.

Canonical form: string *values* in NFC (keys untouched), through objects and arrays; keys in
code-point order; separators `,` and `:`; no ASCII escaping; UTF-8. Integers up to 2^53 in size;
floats are refused, since two writers may print one number differently.

Owns: the form and its hashes. The check values of `docs/protocol.md` are tests.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any, Final

_INTEGER_LIMIT: Final = 2**53
_OF_THE_MOMENT: Final = frozenset({"deadline_ms", "handle", "preview_token"})
"""Fields that another connection has to fill anew when it repeats the same request."""
_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


class NotCanonicalError(ValueError):
    """A value that has no canonical form: a float, a too large integer, or no JSON at all."""


def _normalize(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > _INTEGER_LIMIT:
            raise NotCanonicalError("integers may be at most 2^53 in size")
        return value
    if isinstance(value, dict):
        return {key: _normalize(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_normalize(part) for part in value]
    raise NotCanonicalError("only strings, integers, booleans, null, arrays and objects")


def canonical_json(value: Any) -> bytes:
    """Write a JSON value in its canonical form.

    Raises:
        NotCanonicalError: for floats, integers beyond 2^53 and lone surrogates.
    """
    try:
        return _encode(_normalize(value)).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        raise NotCanonicalError("not valid UTF-8, or nested too deeply") from None


def event_form(stream_id: str, sequence: int, event_type: str, data: dict[str, Any]) -> bytes:
    """The canonical bytes of an event: {"event": {"data", "type"}, "seq", "stream_id"}.

    Raises:
        NotCanonicalError: where `data` has no canonical form.
    """
    event = {"event": {"data": data, "type": event_type}, "seq": sequence, "stream_id": stream_id}
    return canonical_json(event)


def event_hash(stream_id: str, sequence: int, event_type: str, data: dict[str, Any]) -> str:
    """The event hash: SHA-256 hex of `event_form`."""
    return hashlib.sha256(event_form(stream_id, sequence, event_type, data)).hexdigest()


def request_digest(method: str, params: dict[str, Any]) -> bytes:
    """The SHA-256 of a request as it was meant: method and parameters, without what only says how
    long it may take and by which handle or preview it may be asked.

    Plain ASCII JSON with sorted keys, not the canonical form: a request may hold floats, and half
    a surrogate pair in a field that validation has yet to reach; and the digest only ever meets
    digests that this function made.
    """
    kept = {key: value for key, value in params.items() if key not in _OF_THE_MOMENT}
    return hashlib.sha256(_encode_ascii([method, kept]).encode("ascii")).digest()
