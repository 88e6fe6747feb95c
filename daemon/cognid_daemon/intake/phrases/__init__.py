"""The phrases by which people speak of remembering: a table a language.

The languages other than English have fewer: the plain requests, the usual idioms, their traps.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.chinese import CHINESE
from cognid_daemon.intake.phrases.dutch import DUTCH
from cognid_daemon.intake.phrases.english import ENGLISH
from cognid_daemon.intake.phrases.french import FRENCH
from cognid_daemon.intake.phrases.german import GERMAN
from cognid_daemon.intake.phrases.italian import ITALIAN
from cognid_daemon.intake.phrases.japanese import JAPANESE
from cognid_daemon.intake.phrases.korean import KOREAN
from cognid_daemon.intake.phrases.polish import POLISH
from cognid_daemon.intake.phrases.portuguese import PORTUGUESE
from cognid_daemon.intake.phrases.russian import RUSSIAN
from cognid_daemon.intake.phrases.spanish import SPANISH
from cognid_daemon.intake.phrases.tongue import Tongue
from cognid_daemon.intake.phrases.turkish import TURKISH

TONGUES: Final[tuple[Tongue, ...]] = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    POLISH,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
    TURKISH,
)
