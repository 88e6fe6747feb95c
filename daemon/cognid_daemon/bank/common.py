"""What the writes of one open transaction have in common, so that not each must look it up.

Owns: those few values. They are good for the transaction alone: its first write that needs one asks
the file, the next ones go on from there, and after a ROLLBACK, of the whole or to a savepoint,
nothing of it holds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Common:
    """None: not looked up yet.

    `head`: sequence and hash of the ledger's last entry. `horizon`: the purge horizon in Unix
    milliseconds. `held`: memories of every lifecycle. `spare`: bytes that may be written for sure
    before the file's quota is reached; 0 where that is not known. `beside`: whether a lexical index
    is built beside the live one; who changes that says so.
    """

    head: tuple[int, bytes] | None = None
    horizon: int | None = None
    held: int | None = None
    spare: int = 0
    beside: bool | None = None

    def clear(self) -> None:
        """Know nothing any more."""
        self.head = self.horizon = self.held = self.beside = None
        self.spare = 0
