"""Arrears: the banks that owed a VACUUM when the daemon ended are opened after its start.

Nobody may ever ask for them again, and what was forgotten in them would stay in free places of
their files. Once open, a bank pays by itself.

Owns: when and which. May not read or write a memory.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

from cognid.protocol.errors import CognidError
from cognid_daemon.bank.erase import marker_of
from cognid_daemon.bank.errors import BankError
from cognid_daemon.banks import Banks
from cognid_daemon.catalog import BANKS_NAME

AFTER_SECONDS: Final = 3.0
"""From the start: the first recalls of a runtime that has waited for the daemon go first."""
_PAYS_SECONDS: Final = 0.1
_MOST_SECONDS: Final = 60.0
"""For one bank, before the next: a disk that is full keeps it waiting, and it goes on by itself."""


async def pay(banks: Banks, data_folder: Path) -> None:
    """Open the banks that owe, one after the other."""
    await asyncio.sleep(AFTER_SECONDS)
    for record in banks.records():
        if not marker_of(data_folder / BANKS_NAME / record.bank_id).exists():
            continue
        with suppress(BankError, CognidError, TimeoutError):
            async with (
                asyncio.timeout(_MOST_SECONDS),
                banks.lease(record.owner, record.agent) as lease,
            ):
                while lease.bank.eraser.may_owe:  # noqa: ASYNC110 # seconds, once in a start
                    await asyncio.sleep(_PAYS_SECONDS)
