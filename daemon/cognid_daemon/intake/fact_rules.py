"""The rules of extraction in their order: the table that everything is recognised by.

Where several rules match, the one whose words come first in the sentence speaks, and of those the
first in the table; what is dated or short-lived is told by `extraction` afterwards.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import Rule
from cognid_daemon.intake.facts_in_chinese import CHINESE, NEIGHBOURS
from cognid_daemon.intake.facts_in_german import GERMAN, ROMANCE
from cognid_daemon.intake.facts_of_life import LIFE
from cognid_daemon.intake.facts_of_manner import MANNER
from cognid_daemon.intake.facts_of_person import PERSON
from cognid_daemon.intake.facts_of_project import PROJECT, SHAPE
from cognid_daemon.intake.facts_of_taste import TASTE
from cognid_daemon.intake.facts_of_time import TIME

SPACED: Final[tuple[Rule, ...]] = (
    *MANNER, *PROJECT, *PERSON, *TASTE, *LIFE, *TIME, *SHAPE, *GERMAN, *ROMANCE,
)  # fmt: skip
"""Tried where one of their words stands in the sentence."""
UNSPACED: Final[tuple[Rule, ...]] = (*CHINESE, *NEIGHBOURS)
"""Tried on every sentence in a script that sets no spaces between words."""
