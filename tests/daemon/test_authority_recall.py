"""A recall on its way while something is forgotten: what it has read by then is not sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.recall_room import recall_room

from cognid_daemon.bank.bank import Bank
from cognid_daemon.recall.hydration import Hydrated


async def test_what_is_forgotten_after_it_was_read_is_not_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forgotten between the reading of the hits and the answer: it is not among them."""
    async with recall_room(tmp_path) as room:
        gone = await room.add("The lamp code is amber-sky")
        await room.add("The lamp is in the hall")
        await room.settle()
        as_it_is = Bank.read

        async def read(bank: Bank, work: Callable[[Any], Any], **more: Any) -> Any:
            answer = await as_it_is(bank, work, **more)
            if isinstance(answer, Hydrated):
                assert len(answer.hits) == 2
                await room.remove(gone)
            return answer

        monkeypatch.setattr(Bank, "read", read)
        answer = await room.ask("lamp code")
        assert [hit.text for hit in answer.hits] == ["The lamp is in the hall"]
