"""Admission after a switch or a wipe, in the bank's own transaction: receipt, cutoff, epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.banks_room import AGENT, OWNER, BanksRoom, banks_room, cutoff

from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import Add, IntakeOutcome, Remember
from cognid.protocol.values import Role
from cognid_daemon.banks import Lease
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.assertion import asserting
from cognid_daemon.intake.promotion import Told, prepare
from cognid_daemon.intake.remember import remembering


def _order(lease: Lease, operation: str, operation_id: str) -> Order:
    return Order(
        operation_id=operation_id,
        operation=operation,
        digest=bytes(32),
        authority="crd_test",
        policy_fingerprint=None,
        epoch=lease.record.epoch,
        enabled=lease.record.enabled,
        horizon=0,
        fence=lease.bank.fence,
    )


async def _remember(lease: Lease, sequence: int | None, **fields: Any) -> IntakeOutcome:
    operation_id = fields.pop("operation_id", None) or new_operation_id()
    event = {"stream": "s", "data": {"role": "user", "content": "Said."}, **fields}
    if sequence is not None:
        event["sequence"] = sequence
    request = Remember.model_validate(
        {"owner": OWNER, "agent": AGENT, "operation_id": operation_id, "event": event}
    )
    told = Told(role=Role.USER, content="Said.")
    prepared = prepare(told, extracts=False)
    order = _order(lease, "memory.remember", operation_id)
    apply = remembering(order, request, told, prepared, set(Role))
    return await lease.bank.submit(apply).outcome()


async def _add(lease: Lease, operation_id: str) -> IntakeOutcome:
    request = Add.model_validate(
        {"owner": OWNER, "agent": AGENT, "operation_id": operation_id, "text": "Stated."}
    )
    apply = asserting(_order(lease, "memory.add", operation_id), request, ())
    return await lease.bank.submit(apply).outcome()


def _said(outcome: IntakeOutcome) -> tuple[str, str | None]:
    return outcome.outcome, getattr(outcome, "reason", None)


async def _wipe(room: BanksRoom) -> None:
    await room.banks.delete_all(OWNER, AGENT, cutoff("bank.delete_all"), deadline=float("inf"))


async def test_after_a_wipe_what_was_known_has_no_effect(tmp_path: Path) -> None:
    """Earlier operation ids and events, with or without a sequence, store nothing; what comes next
    in the stream does."""
    async with banks_room(tmp_path / "data") as room:
        added, said = new_operation_id(), new_operation_id()
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert _said(await _add(lease, added)) == ("committed", None)
            assert _said(await _remember(lease, 3)) == ("committed", None)
            assert _said(await _remember(lease, None, operation_id=said)) == ("committed", None)
        await _wipe(room)
        async with room.banks.lease(OWNER, AGENT) as lease:
            before = ("no_effect", "before_cutoff")
            assert _said(await _add(lease, added)) == before
            assert _said(await _remember(lease, None, operation_id=said)) == before
            for sequence in (1, 3, 4):
                assert _said(await _remember(lease, sequence)) == before
        assert await room.texts() == []
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert _said(await _remember(lease, 5, after=4)) == ("committed", None)
        assert await room.texts() == ["Said."]
        await _wipe(room)
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert _said(await _add(lease, added)) == before
            assert _said(await _remember(lease, 5)) == before


async def test_a_write_of_an_older_epoch_has_no_effect(tmp_path: Path) -> None:
    """What was let in before a switch and reaches the bank after it stores nothing, says so again
    when it is replayed, and the stream goes on."""
    async with banks_room(tmp_path / "data") as room:
        late, added = new_operation_id(), new_operation_id()
        async with room.banks.lease(OWNER, AGENT) as lease:
            await room.banks.set_enabled(OWNER, AGENT, cutoff("bank.set_enabled"), enabled=True)
            ended = ("no_effect", "epoch_ended")
            assert _said(await _remember(lease, 1, operation_id=late)) == ended
            assert _said(await _add(lease, added)) == ended
        async with room.banks.lease(OWNER, AGENT) as lease:
            assert _said(await _remember(lease, 1, operation_id=late)) == ended
            assert _said(await _add(lease, added)) == ended
            assert _said(await _remember(lease, 2, after=1)) == ("committed", None)
        assert await room.texts() == ["Said."]


async def test_a_receipt_of_another_operation_is_no_replay(tmp_path: Path) -> None:
    """The id of a switch does not pass for a remember of the same id."""
    async with banks_room(tmp_path / "data") as room:
        switch = cutoff("bank.set_enabled")
        await room.banks.set_enabled(OWNER, AGENT, switch, enabled=True)
        async with room.banks.lease(OWNER, AGENT) as lease:
            said = await _add(lease, switch.operation_id)
            assert _said(said) == ("conflict", "operation_reused")
