"""Faults: what the system's refusal of a file means in the words of the error table.

Owns: that translation, for the files outside the bank room. May not open a file.
"""

from __future__ import annotations

from cognid.protocol.errors import CognidError
from cognid_daemon.bank import files


def storage_fault(error: OSError) -> CognidError:
    """The typed error for a file that could not be read or written; it names path and reason."""
    code = "storage_full" if error.errno in files.FULL else "storage_failed"
    where = f"{error.filename}: " if error.filename else ""
    return CognidError(code, f"{where}{error.strerror}")
