"""The calls of a bank's upkeep, which need the right `admin`: export, import, doctor.

Owns: the parameters of those methods. Files of records are `cognid/records.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cognid.client.addressing import Addressing
from cognid.client.arguments import UNSET, Unset, make
from cognid.protocol import bounds
from cognid.protocol.doctor import Doctor, DoctorReply
from cognid.protocol.ids import new_operation_id
from cognid.protocol.transfer import Export, ExportPage, Import, ImportOutcome, Record


class UpkeepCalls(Addressing):
    """What `AsyncClient` can do to move a bank's memories and to prove how it stands."""

    async def export(
        self,
        *,
        limit: int = bounds.RECORDS,
        cursor: str | None = None,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> ExportPage:
        """Fetch the memories of a bank whole, oldest first, a page at a time."""
        request = make(
            Export,
            **self._whose(owner, agent),
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
        )
        reply: ExportPage = await self.call("export", request)
        return reply

    async def import_records(
        self,
        records: Sequence[Record],
        *,
        rule: Literal["skip", "overwrite", "new_id"] = "skip",
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> ImportOutcome:
        """Bring records into a bank in one step; what was forgotten there stays out."""
        request = make(
            Import,
            **self._whose(owner, agent),
            rule=rule,
            records=list(records),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        outcome: ImportOutcome = await self.call("import", request)
        return outcome

    async def doctor(
        self,
        *,
        erasure: str | None = None,
        ledger: bool = False,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        deadline_ms: int | None = None,
    ) -> DoctorReply:
        """Have it proved that a forgotten memory is erased, or that the ledger is whole.

        Args:
            erasure: the id of a forgotten memory; what is still owed is done first.
            ledger: whether to go through the whole ledger.
            owner, agent, deadline_ms: see `AsyncClient`.
        """
        request = make(
            Doctor,
            **self._whose(owner, agent),
            erasure=erasure,
            ledger=ledger,
            deadline_ms=deadline_ms,
        )
        reply: DoctorReply = await self.call("doctor", request)
        return reply
