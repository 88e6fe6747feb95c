"""Plans: a forget or a correct that was previewed and waits for its confirmation.

A plan is made from a preview and stands for exactly what was asked for and shown: the same tool
with the same arguments, the preview's token and, of a forget, the ids that it listed. Its code is
good once and as long as the token is. Whoever confirms something else is shown a new preview.

Owns: making, keeping and finding plans. Lives and ends with the process; asks nothing.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Final

from cognid.mcp.arguments import CorrectArguments, ForgetArguments
from cognid.protocol import bounds

MOST_PLANS: Final = 32
"""Kept at once; the oldest goes when another is made."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done once it is confirmed. `targets`: every id that goes or is changed."""

    asked: ForgetArguments | CorrectArguments = field(repr=False)
    targets: tuple[str, ...]
    preview_token: str = field(repr=False)


class Plans:
    """The plans of one process."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Plan, float]] = {}

    def keep(self, plan: Plan) -> str:
        """Keep a plan; gives its code."""
        while len(self._kept) >= MOST_PLANS:
            del self._kept[next(iter(self._kept))]
        code = f"cnf_{secrets.token_hex(8)}"
        self._kept[code] = plan, time.monotonic() + bounds.PREVIEW_SECONDS
        return code

    def take(self, code: str, asked: ForgetArguments | CorrectArguments) -> Plan | None:
        """Take a plan out by its code; None where there is none, or it is for something else."""
        plan, until = self._kept.pop(code, (None, 0.0))
        if plan is None or time.monotonic() > until or plan.asked != _bare(asked):
            return None
        return plan


def plan_of(
    asked: ForgetArguments | CorrectArguments, targets: tuple[str, ...], preview_token: str
) -> Plan:
    """Make a plan of what was asked, with or without a confirmation that no longer counts."""
    return Plan(_bare(asked), targets, preview_token)


def _bare(asked: ForgetArguments | CorrectArguments) -> ForgetArguments | CorrectArguments:
    return asked.model_copy(update={"confirmation": None})
