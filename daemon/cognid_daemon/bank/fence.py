"""What work that takes a while must still agree with when it ends: the epoch, and what is current.

Owns: the two values; who changes them is the bank (watches) and the set of banks (the epoch).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Fence:
    """The epoch that a bank's writes must belong to. Changed on the loop, read on any thread."""

    epoch: str = ""


@dataclass(slots=True, eq=False)
class Watch:
    """Revisions that ceased to be current since the watch began; what was read before may show
    them. `erased`: something was forgotten, cleared or dropped, whatever it was."""

    removed: set[int] = field(default_factory=set)
    erased: bool = False
