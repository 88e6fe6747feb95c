"""The calls of a bank's upkeep, which need the right `admin`: export, import, rebuild, doctor.

Owns: the parameters of those methods. Files of records are `cognid/records.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cognid.client.addressing import Addressing
from cognid.client.arguments import UNSET, Unset
from cognid.protocol import bounds
from cognid.protocol.ids import new_operation_id
from cognid.protocol.values import Pipeline

if TYPE_CHECKING:
    from cognid.protocol.doctor import DoctorReply
    from cognid.protocol.index import RebuildOutcome
    from cognid.protocol.transfer import ExportPage, ImportOutcome, Record


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
        reply: ExportPage = await self.ask(
            "export",
            **self._whose(owner, agent),
            limit=limit,
            cursor=cursor,
            deadline_ms=deadline_ms,
        )
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
        outcome: ImportOutcome = await self.ask(
            "import",
            **self._whose(owner, agent),
            rule=rule,
            records=list(records),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
        return outcome

    async def rebuild_indexes(
        self,
        pipelines: Sequence[Pipeline | str] = tuple(Pipeline),
        *,
        owner: str | None = None,
        agent: str | Unset | None = UNSET,
        policy_fingerprint: str | None = None,
        operation_id: str | None = None,
        deadline_ms: int | None = None,
    ) -> RebuildOutcome:
        """Have indexes of a bank made anew beside the live ones; `index_status` tells how far.

        Args:
            pipelines: which indexes; all, unless named.
            owner, agent, policy_fingerprint, operation_id, deadline_ms: see `AsyncClient`.
        """
        outcome: RebuildOutcome = await self.ask(
            "index.rebuild",
            **self._whose(owner, agent),
            pipelines=list(pipelines),
            policy_fingerprint=policy_fingerprint,
            operation_id=operation_id or new_operation_id(),
            deadline_ms=deadline_ms,
        )
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
        reply: DoctorReply = await self.ask(
            "doctor",
            **self._whose(owner, agent),
            erasure=erasure,
            ledger=ledger,
            deadline_ms=deadline_ms,
        )
        return reply
