"""One rule of extraction: its form, and how it is tried.

Owns: that a rule is tried only where one of its words stands, and compiled when it is first tried.
Patterns are tried on the plain form of a sentence (`extraction`): lower case, contractions written
out, single spaces. No pattern may backtrack beyond a bounded gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from cognid.protocol.values import Kind

PREFERENCE: Final = Kind.PREFERENCE
FACT: Final = Kind.FACT
EPISODIC: Final = Kind.EPISODIC
PROCEDURAL: Final = Kind.PROCEDURAL
CONTEXT: Final = Kind.CONTEXT

Tells = Literal["state", "past_state", "past", "plan", "decision", "deadline", "now"]
"""How a sentence stands to time: how its dates are read, and whether they make it an episode."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a fact is said.

    `sure` is the confidence of its facts. `needs_score`: it speaks only where the scored model
    finds the sentence likely, since requests are said in the same words. `needs_when`: only beside
    an expression of time. `is_cased`: the pattern is tried on the sentence as it was said.
    """

    id: str
    kind: Kind
    pattern: str
    words: frozenset[str]
    sure: float = 0.9
    needs_score: bool = False
    needs_when: bool = False
    is_cased: bool = False
    tells: Tells = "state"

    def found_in(self, text: str) -> int | None:
        """Where the sentence begins to say it; None: it does not."""
        found = _compiled(self.pattern).search(text)
        return None if found is None else found.start()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use: all of them at once would cost a daemon's start a sixth of a second."""
    return re.compile(pattern)


def rule(
    name: str,
    kind: Kind,
    words: str,
    pattern: str,
    *,
    sure: float = 0.9,
    needs_score: bool = False,
    needs_when: bool = False,
    is_cased: bool = False,
    tells: Tells = "state",
) -> Rule:
    """One row of the table; `words`: separated by spaces or bars."""
    apart = frozenset(words.replace("|", " ").split())
    return Rule(
        f"extract.{name}", kind, pattern, apart, sure, needs_score, needs_when, is_cased, tells
    )
