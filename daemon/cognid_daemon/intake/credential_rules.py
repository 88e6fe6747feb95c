"""The table of the credential filter: every rule, in the order that decides between overlaps."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.credential_codes import CODE_RULES
from cognid_daemon.intake.credential_opened import OPENED_RULES
from cognid_daemon.intake.credential_phrases import PHRASE_RULES
from cognid_daemon.intake.credential_rule import Rule
from cognid_daemon.intake.credential_settings import SETTING_RULES
from cognid_daemon.intake.credential_statements import SAID_RULES
from cognid_daemon.intake.credential_tokens import TOKEN_RULES
from cognid_daemon.intake.credential_vendors import VENDOR_RULES

RULES: Final[tuple[Rule, ...]] = (
    *VENDOR_RULES,
    *TOKEN_RULES,
    *CODE_RULES,
    *PHRASE_RULES,
    *SAID_RULES,
    *OPENED_RULES,
    *SETTING_RULES,
)
"""A credential that fits several rules is reported under the first."""
