"""Why a write had no effect, in words that the verbs share.

Apart from `outcomes`, whose messages of the protocol not every verb needs to load.
"""

from __future__ import annotations

from typing import Final

WHY_NO_EFFECT: Final = {
    "unchanged": "it is so already",
    "disabled": "memory is switched off for this agent",
    "epoch_ended": "the bank began a new epoch meanwhile",
    "before_cutoff": "it came before a cutoff",
}
