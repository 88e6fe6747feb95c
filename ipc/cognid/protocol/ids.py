"""Identifiers: UUIDv7 for operations, prefixed time-ordered hex for everything else.

Owns: how an id is made and what time it carries.
"""

from __future__ import annotations

import secrets
import time


def uuid7_int(milliseconds: int | None = None) -> int:
    """Make a UUIDv7 as a 128-bit integer (RFC 9562, section 5.7): 48 bits of Unix milliseconds,
    then 74 random bits around the version and variant."""
    stamp = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    value = (stamp & 0xFFFF_FFFF_FFFF) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    return value & ~(0x3 << 62) | 0x2 << 62


def new_operation_id(milliseconds: int | None = None) -> str:
    """A fresh operation id: a UUIDv7 in canonical lower-case form."""
    text = f"{uuid7_int(milliseconds):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def operation_milliseconds(operation_id: str) -> int:
    """The Unix milliseconds that a UUIDv7 carries."""
    return int(operation_id[:8] + operation_id[9:13], 16)


def new_memory_id() -> str:
    """A fresh memory id: `mem_` and 32 hex digits, ordered by time."""
    return f"mem_{uuid7_int():032x}"


def new_message_id() -> str:
    """A fresh id of a session's message: `msg_` and 32 hex digits, ordered by time."""
    return f"msg_{uuid7_int():032x}"


def new_epoch() -> str:
    """A fresh lifetime token of a bank."""
    return f"epo_{uuid7_int():032x}"


def new_bank_id() -> str:
    """A fresh, opaque bank id; it names the bank's folder and says nothing about its owner."""
    return f"bnk_{secrets.token_hex(16)}"
