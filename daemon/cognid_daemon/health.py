"""Health: the findings that rooms report about what is not as it should be.

Owns: the set of open findings and its worst level. May not look for findings itself.
"""

from __future__ import annotations

from typing import Literal

from cognid.protocol.link import Finding

HealthLevel = Literal["green", "yellow", "red"]


class Health:
    """The open findings, one for each code and subject."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Finding] = {}

    def report(self, finding: Finding, subject: str = "") -> None:
        """Open a finding, or renew it. `subject` is an id of ours where a code can have several."""
        self._open[finding.code, subject] = finding

    def clear(self, code: str, subject: str = "") -> None:
        """Close a finding; one that is not open is no fault."""
        self._open.pop((code, subject), None)

    def findings(self) -> list[Finding]:
        """The open findings, red before yellow, in the order they were opened."""
        return sorted(self._open.values(), key=lambda finding: finding.level != "red")


def worst(findings: list[Finding]) -> HealthLevel:
    """The worst level among findings; green where there is none."""
    levels = {finding.level for finding in findings}
    return "red" if "red" in levels else "yellow" if "yellow" in levels else "green"
