"""Keys made of the master key, and what is sealed under them.

Owns: the labels of HKDF-SHA256 (one key, one use) and the form of a sealed value: a 12-byte random
nonce, then AES-256-GCM's ciphertext and tag.
"""

from __future__ import annotations

import secrets
from enum import Enum
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from cognid_daemon.bank.errors import WrongKeyError

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class Use(Enum):
    """What a derived key is for; the value is its HKDF label."""

    CATALOG = b"cognid/1/catalog.db"
    CATALOG_COPY = b"cognid/1/catalog.copy"
    BANK_KEYS = b"cognid/1/bank keys"
    VECTORS = b"cognid/1/vector snapshot"


def derive(master: bytes, use: Use) -> bytes:
    """The 32-byte key for one use."""
    return HKDF(SHA256(), length=KEY_BYTES, salt=None, info=use.value).derive(master)


def new_key() -> bytes:
    """A fresh random 256-bit key."""
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, content: bytes, bound_to: bytes) -> bytes:
    """Encrypt and authenticate `content`, bound to what it belongs to."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, content, bound_to)


def unseal(key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    """Give back what was sealed.

    Raises:
        WrongKeyError: another key, other bytes, or bound to something else; which cannot be told.
    """
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError):
        raise WrongKeyError("a sealed value does not open") from None
