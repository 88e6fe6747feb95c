"""A measured figure beside its bar.

Owns: what counts as over a bar, and how a figure is printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

_DIGITS: Final = {"x": 2, "µs": 0, "ms": 2, "MB": 0, "%": 3, "/s": 0, "writes": 0, "bytes": 0}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the bench. A bar is what the value may be at most, or with `least` at least.

    Where it could not be measured, `value` is None and `not_run` says why.
    """

    name: str
    value: float | None
    unit: str
    bar: float | None = None
    least: bool = False
    not_run: str | None = None

    @property
    def verdict(self) -> str:
        """`ok`, `over`, `under`, `not run`, or nothing where there is no bar."""
        if self.value is None:
            return "not run"
        if self.bar is None:
            return ""
        if self.least:
            return "ok" if self.value >= self.bar else "under"
        return "ok" if self.value <= self.bar else "over"

    def line(self) -> str:
        """The figure as one line of a report."""
        if self.value is None:
            return f"  {self.name:56} not run: {self.not_run}"
        value = f"{self.value:,.{_DIGITS[self.unit]}f} {self.unit}"
        if self.bar is None:
            return f"  {self.name:56} {value:>14}"
        bar = f"{'>=' if self.least else '<='} {self.bar:g} {self.unit}"
        return f"  {self.name:56} {value:>14}   {bar:<14} {self.verdict}"

    def as_json(self) -> dict[str, Any]:
        """The figure as an object."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "bar": self.bar,
            "bar_is": None if self.bar is None else ("least" if self.least else "most"),
            "verdict": self.verdict,
            "not_run": self.not_run,
        }
