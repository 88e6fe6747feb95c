"""Cursors: where the next page of a listing begins, good only for the same bank, epoch and filters.

Owns: their form. A cursor is authenticated with a key of this process, so that it can be neither
made up nor carried to another listing; it holds a place (a rowid or a sequence) and a digest,
nothing readable.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from typing import Any, Final

from cognid.protocol.errors import CognidError

_KEY: Final = secrets.token_bytes(32)
_TAG_BYTES: Final = 16
_PLACE_BYTES: Final = 8


def _tag(place: bytes, bank_id: str, epoch: str, filters: dict[str, Any]) -> bytes:
    listing = json.dumps([bank_id, epoch, filters], sort_keys=True, separators=(",", ":"))
    return hmac.digest(_KEY, place + listing.encode("utf-8"), hashlib.sha256)[:_TAG_BYTES]


def make_cursor(place: int, bank_id: str, epoch: str, filters: dict[str, Any]) -> str:
    """The cursor of the page that goes on from a place in a listing."""
    packed = place.to_bytes(_PLACE_BYTES, "big")
    return base64.urlsafe_b64encode(packed + _tag(packed, bank_id, epoch, filters)).decode("ascii")


def read_cursor(cursor: str, bank_id: str, epoch: str, filters: dict[str, Any]) -> int:
    """The place from which the page goes on.

    Raises:
        CognidError: `cursor_invalid`.
    """
    try:
        content = base64.urlsafe_b64decode(cursor.encode("ascii"))
    except ValueError:
        raise CognidError("cursor_invalid") from None
    packed, tag = content[:_PLACE_BYTES], content[_PLACE_BYTES:]
    if not hmac.compare_digest(tag, _tag(packed, bank_id, epoch, filters)):
        raise CognidError("cursor_invalid")
    return int.from_bytes(packed, "big")
