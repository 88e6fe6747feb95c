"""A bank's readers: what a read does before it has a snapshot, and how long it has."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from support.bank_room import opened

from cognid_daemon.bank.errors import DeadlineError

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


async def test_what_comes_first_has_a_deadline_of_its_own(tmp_path: Path) -> None:
    """Where it is late nobody waits on; where it is not, the read has its whole time."""
    async with opened(tmp_path / "b") as bank:
        loop = asyncio.get_running_loop()

        async def took(first_seconds: float, work_seconds: float) -> float:
            began = loop.time()
            with suppress(DeadlineError):
                await bank.read(
                    lambda _: time.sleep(work_seconds),
                    deadline=began + 2.0,
                    first=lambda: time.sleep(first_seconds),
                    first_deadline=began + 0.2,
                )
            return loop.time() - began

        assert 0.19 <= await took(1.0, 0.0) < 0.9
        assert 0.6 <= await took(0.0, 0.6) < 1.9


async def test_what_comes_first_runs_once_and_before_the_snapshot(tmp_path: Path) -> None:
    """A read that begins again, since its snapshot became too old, has it from the first time."""
    async with opened(tmp_path / "b") as bank:
        seen: list[str] = []
        begun = threading.Event()

        def work(connection: Connection) -> None:
            seen.append("work")
            begun.set()
            if seen.count("work") == 1:
                connection.execute(_ENDLESS).fetchone()

        reading = asyncio.ensure_future(
            bank.read(
                work,
                deadline=asyncio.get_running_loop().time() + 5.0,
                first=lambda: seen.append("first"),
            )
        )
        await asyncio.to_thread(begun.wait, 5)
        await bank.refresh_readers()
        await reading
        assert seen == ["first", "work", "work"]
