"""doctor: proofs about one bank, made now: that a memory is erased, that the ledger is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cognid.protocol.doctor import Doctor, DoctorReply, ErasureProof, LedgerProof
from cognid_daemon.bank import ledger
from cognid_daemon.bank.rows import Barrier
from cognid_daemon.bank.view import View
from cognid_daemon.banks import Lease
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.instants import instant_of

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


async def _doctor(call: Call, request: Doctor) -> DoctorReply:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        erasure = None
        if request.erasure is not None:
            erasure = await _erasure(call, lease, request.erasure)
        return DoctorReply(
            erasure=erasure,
            ledger=await _ledger(call, lease) if request.ledger else None,
            epoch=lease.record.epoch,
        )


async def _erasure(call: Call, lease: Lease, memory_id: str) -> ErasureProof:
    """Erase what is owed, then look at what is left."""

    def read(connection: Connection) -> Barrier | None:
        return View(connection).barrier(memory_id)

    barrier = await lease.bank.read(read, deadline=call.deadline)
    if barrier is None:
        return ErasureProof(memory_id=memory_id, forgotten_at=None, erased=False, pending=[])
    await lease.bank.erase_now(call.deadline)
    proof = await lease.bank.erasure_of(memory_id)
    return ErasureProof(
        memory_id=memory_id,
        forgotten_at=instant_of(barrier.forgotten_at),
        erased=proof is not None and proof.erased,
        pending=[] if proof is None else list(proof.pending),
    )


async def _ledger(call: Call, lease: Lease) -> LedgerProof:
    def read(connection: Connection) -> tuple[int | None, int, bytes]:
        return ledger.verify(connection), *ledger.head(connection)

    broken, entries, head = await lease.bank.read(read, deadline=call.deadline)
    return LedgerProof(
        entries=entries,
        whole=broken is None and not lease.rolled_back,
        broken_at=broken,
        head=head.hex(),
        rolled_back=lease.rolled_back,
    )


HANDLERS: Final[dict[str, Handler]] = {"doctor": _doctor}
