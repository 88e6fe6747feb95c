"""bank.ensure, bank.status, bank.list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cognid.protocol.banks import (
    BankEnsure,
    BankEnsured,
    BankList,
    BankListReply,
    BankStatus,
    BankStatusReply,
    BankView,
    Frontier,
    QuotaView,
)
from cognid_daemon.bank.listing import Counts, counts, ready_frontier
from cognid_daemon.bank.quota import Held, held
from cognid_daemon.bank.view import View
from cognid_daemon.catalog_copy import BankRecord
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.operations.index import index_view
from cognid_daemon.operations.writing import to_the_end

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _ensure(call: Call, request: BankEnsure) -> BankEnsured:
    # To its end, whatever the caller does: called off half-way it would be answered as without
    # effect, and the bank might be there all the same, at once or from the next start on.
    record, created = await to_the_end(
        call.daemon.banks.ensure(request.owner, request.agent, enabled=request.enabled)
    )
    return BankEnsured(**_fields(record), created=created)


async def _status(call: Call, request: BankStatus) -> BankStatusReply:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:

        def read(connection: Connection) -> tuple[Counts, Held, Frontier | None]:
            stream = request.stream
            if stream is None:
                return counts(connection), held(connection), None
            # An event is decided in the transaction that takes it.
            last = View(connection).frontier(stream)
            ready = ready_frontier(connection, stream)
            frontier = Frontier(stream=stream, received=last, decided=last, ready=ready)
            return counts(connection), held(connection), frontier

        found, room, frontier = await lease.bank.read(read, deadline=call.deadline)
        return BankStatusReply(
            **_fields(lease.record),
            memories=sum(found.by_kind.values()),
            by_kind=found.by_kind,
            expired=found.expired,
            events=found.events,
            receipts=found.receipts,
            ledger_entries=found.ledger_entries,
            file_bytes=lease.bank.file_bytes(),
            quota=QuotaView(
                memories=room.memories,
                memories_allowed=lease.bank.keeping.memories,
                bytes=room.file_bytes,
                bytes_allowed=lease.bank.keeping.file_bytes,
            ),
            index=index_view(lease.recaller.index_status()),
            frontier=frontier,
            rolled_back=lease.rolled_back,
        )


async def _list(call: Call, request: BankList) -> BankListReply:
    grant = call.connection.grant
    return BankListReply(
        banks=[
            BankView(**_fields(record))
            for record in call.daemon.banks.records()
            if grant.reaches(record.owner, record.agent) and request.owner in (None, record.owner)
        ]
    )


def _fields(record: BankRecord) -> dict[str, Any]:
    return {
        "bank_id": record.bank_id,
        "owner": record.owner,
        "agent": record.agent,
        "epoch": record.epoch,
        "enabled": record.enabled,
        "created_at": instant_of(record.created_at),
    }


HANDLERS: Final[dict[str, Handler]] = {
    "bank.ensure": _ensure,
    "bank.status": _status,
    "bank.list": _list,
}
