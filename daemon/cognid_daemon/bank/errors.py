"""What a bank or the catalog can fail with: closed set, each with a code of the error table.

Owns: the exception types of the bank room. No message holds memory text, a query or a key: a
detail is an id, a number, a path of ours or the name of an SQLite result code.
"""

from __future__ import annotations

from typing import ClassVar

from cognid.protocol.errors import ERRORS, Effect


class BankError(Exception):
    """The root of the bank room's errors. Never raised itself.

    Args:
        detail: what exactly, in words without content.
        effect: whether a write may have happened; by default what the error table says.
    """

    code: ClassVar[str]

    def __init__(self, detail: str = "", *, effect: Effect | None = None) -> None:
        kind = ERRORS[self.code]
        self.detail = detail
        self.effect: Effect = effect or kind.effect
        super().__init__(f"{self.code}: {detail or kind.meaning}")


class StorageFullError(BankError):
    """The disk, a quota or a file size limit is full; the write did not happen."""

    code = "storage_full"


class QuotaError(BankError):
    """The bank holds as much as its quota lets it; the write did not happen."""

    code = "quota_exceeded"


class StorageFailedError(BankError):
    """The disk refused a read or a write. For a write, `effect` says what is known of it."""

    code = "storage_failed"


class DamagedError(BankError):
    """A file does not decrypt, does not parse or does not agree with itself."""

    code = "bank_damaged"


class NewerSchemaError(BankError):
    """A file was written by a newer build; it was not changed."""

    code = "schema_newer"


class MissingKeyError(BankError):
    """There is data, but no key to open it with."""

    code = "key_missing"


class WrongKeyError(BankError):
    """The key is not the one that the data was written under."""

    code = "key_wrong"


class UnsafeFileError(BankError):
    """A file or folder of ours belongs to someone else, or is a symbolic link."""

    code = "folder_unsafe"


class DeadlineError(BankError):
    """The deadline passed; a write that raises this did not happen."""

    code = "deadline_exceeded"


class CancelledWriteError(BankError):
    """The write was cancelled before its COMMIT began; it did not happen."""

    code = "cancelled"


class OverloadedError(BankError):
    """The bank's queue is full; the write or read was not taken."""

    code = "overloaded"


class ClosedError(BankError):
    """The bank is closing or closed and takes no new work."""

    code = "shutting_down"


class InternalError(BankError):
    """A statement of our own was wrong: a fault of the program, never of the caller."""

    code = "internal"
