"""The pages of an encrypted file in the clear, free places included, decrypted by hand.

SQLCipher 4: pages of 4,096 bytes, each encrypted with AES-256-CBC; the last 80 bytes of a page are
its IV (16) and HMAC (64); the first 16 bytes of the file are the salt. The key is a raw one.
"""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

PAGE_BYTES = 4096
_RESERVED = 80
_SALT = 16
_FRAME_HEADER = 24
_WAL_HEADER = 32


def clear_bytes(path: Path, key: bytes) -> bytes:
    """Every page of a database file, decrypted, one after another."""
    content = path.read_bytes()
    assert len(content) % PAGE_BYTES == 0
    pages = [content[at : at + PAGE_BYTES] for at in range(0, len(content), PAGE_BYTES)]
    clear = b"".join(_clear(page, key, first=number == 0) for number, page in enumerate(pages))
    assert b"CREATE TABLE" in clear  # it was the right key
    return clear


def clear_wal(path: Path, key: bytes) -> bytes:
    """Every frame of a WAL, decrypted, whether it is still valid or not."""
    content = path.read_bytes() if path.exists() else b""
    size = _FRAME_HEADER + PAGE_BYTES
    frames = (content[at : at + size] for at in range(_WAL_HEADER, len(content) - size + 1, size))
    return b"".join(
        _clear(frame[_FRAME_HEADER:], key, first=frame[:4] == b"\0\0\0\1") for frame in frames
    )


def _clear(page: bytes, key: bytes, *, first: bool) -> bytes:
    start = _SALT if first else 0
    end = PAGE_BYTES - _RESERVED
    iv = page[end : end + 16]
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(page[start:end]) + decryptor.finalize()
