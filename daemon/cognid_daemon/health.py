"""Health: the findings that rooms report about what is not as it should be.

Owns: the set of open findings, the words of the ones that follow from a room's state, and the
worst level. May not change anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from cognid.protocol.errors import ERRORS
from cognid.protocol.link import Finding
from cognid_models import ModelChangedError, ModelFailedError, ModelMissingError

if TYPE_CHECKING:
    from cognid_daemon.banks import Banks
    from cognid_daemon.recall.models import EmbedderHost

HealthLevel = Literal["green", "yellow", "red"]
_MODEL_REMEDIES: Final = {
    error.code: error.remedy for error in (ModelMissingError, ModelChangedError, ModelFailedError)
}


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


def of_model(embedder: EmbedderHost) -> list[Finding]:
    """What the model's state means for a person."""
    if embedder.state != "failed":
        return []
    code = embedder.code or ModelFailedError.code
    remedy = _MODEL_REMEDIES.get(code, ModelFailedError.remedy)
    message = "The embedding model cannot be used; recall answers lexically and says so."
    return [Finding(code=code, level="red", message=message, remedy=remedy)]


def of_banks(banks: Banks) -> list[Finding]:
    """What a bank that does not open, the last COMMIT and the reads of each open one, and its age
    when it was opened, mean for a person."""
    faults: dict[str, str | None] = {**banks.unopened()}
    faults |= {held.bank.bank_id: held.bank.fault for held in banks.open_banks()}
    failed = [
        Finding(
            code=code,
            level="red",
            message=f"{bank_id}: {ERRORS[code].meaning}",
            remedy=ERRORS[code].remedy,
        )
        for bank_id, code in faults.items()
        if code
    ]
    older = [
        Finding(
            code="rolled_back",
            level="yellow",
            message=f"{held.bank.bank_id}: an older file of this bank was put back.",
            remedy="What was forgotten since is forgotten again; what else came since is missing.",
        )
        for held in banks.open_banks()
        if held.rolled_back
    ]
    anew = [
        Finding(
            code="embedding_anew",
            level="yellow",
            message=f"{held.bank.bank_id}: the embedding model is another than before;"
            f" {percent} % of the memories are embedded anew.",
            remedy="Nothing is to be done: recall finds words meanwhile, and by their meaning what"
            " is embedded by now. `cognid reindex --status` shows the progress.",
        )
        for held in banks.open_banks()
        if (percent := held.recaller.serving.embedding_anew) is not None
    ]
    return failed + older + anew


def worst(findings: list[Finding]) -> HealthLevel:
    """The worst level among findings; green where there is none."""
    levels = {finding.level for finding in findings}
    return "red" if "red" in levels else "yellow" if "yellow" in levels else "green"
