"""lane.replace, lane.query and lane.drop: typed units of a snapshot, beside the memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol import bounds
from cognid.protocol.errors import CognidError
from cognid.protocol.lanes import (
    Coverage,
    DropOutcome,
    LaneAbsent,
    LaneConflict,
    LaneDrop,
    LaneDropped,
    LaneQuery,
    LaneRejected,
    LaneReplace,
    LaneReplaced,
    LaneUnaffected,
    LaneUnchanged,
    LaneUnit,
    LaneUnits,
    LaneView,
    Omission,
    QueryOutcome,
    RefusedUnit,
    ReplaceOutcome,
    Snapshot,
    UnitView,
)
from cognid_daemon.authority.receipts import keep, met, note
from cognid_daemon.bank import lanes
from cognid_daemon.bank.lanes import Lane, Placed, Unit, Wanted
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.banks import Lease
from cognid_daemon.cursors import make_cursor, read_cursor
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.instants import instant_of, microseconds
from cognid_daemon.intake.screening import credentials_in
from cognid_daemon.operations.reading import read_whole
from cognid_daemon.operations.sessions import SEARCHED_BYTES
from cognid_daemon.operations.writing import (
    committed,
    committed_with_ballast,
    order_of,
    scrubbed,
    to_the_end,
)
from cognid_daemon.recall.overlap import overlaps

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_REPLACES: Final[TypeAdapter[ReplaceOutcome]] = TypeAdapter(
    ReplaceOutcome, config=ConfigDict(hide_input_in_errors=True)
)
_DROPS: Final[TypeAdapter[DropOutcome]] = TypeAdapter(
    DropOutcome, config=ConfigDict(hide_input_in_errors=True)
)
_OF_PROSE: Final = "credential.mail_and_password"
"""A rule for what people write; an address as `imap://ann@example.com/INBOX;UID=20` is none."""
_ALL: Final = bounds.LANES * bounds.LANE_UNITS


async def _replace(call: Call, request: LaneReplace) -> ReplaceOutcome:
    screen = partial(_screen, request)
    refused = await call.daemon.screening.screen(request, screen, call.deadline)
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(replacing(order, request, refused), deadline=call.deadline)
        return await committed(write)


def _screen(request: LaneReplace) -> dict[str, tuple[str, ...]]:
    """The units that hold credentials, and by which rules."""
    found = {unit.unit_id: _credentials_of(unit) for unit in request.units}
    return {unit_id: rules for unit_id, rules in found.items() if rules}


def _credentials_of(unit: LaneUnit) -> tuple[str, ...]:
    """The rules against a unit's text, and against the address that it was taken from: that is
    shown and put into prompts beside the text."""
    there = () if unit.source is None else credentials_in(unit.source)
    found = (*credentials_in(unit.text), *(rule for rule in there if rule != _OF_PROSE))
    return tuple(dict.fromkeys(found))


def replacing(
    order: Order, request: LaneReplace, refused: Mapping[str, tuple[str, ...]]
) -> Callable[[Transaction], ReplaceOutcome]:
    """The write of one lane, to be run in the bank's transaction.

    The transaction raises CognidError (`invalid_argument`) where there are too many lanes.
    """
    units = [
        Unit(one.unit_id, one.type, one.text, one.source, microseconds(one.occurred_at))
        for one in request.units
    ]
    omissions = [(one.unit_id, one.reason) for one in request.omissions]
    coverage = _coverage(len(units), len(omissions))
    snapshot = request.snapshot

    def apply(tx: Transaction) -> ReplaceOutcome:
        operation_id = order.operation_id
        reused = LaneConflict(operation_id=operation_id, reason="operation_reused")
        known = met(tx, order, _REPLACES, reused)
        if known is not None:
            return known
        # What is not stored leaves no digest either: hence `holds_text`.
        if order.has_ended:
            ended = LaneUnaffected(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended, holds_text=True)
        if not order.enabled:
            disabled = LaneUnaffected(operation_id=operation_id, reason="disabled")
            return keep(tx, order, disabled, holds_text=True)
        if refused:
            rejected = LaneRejected(
                operation_id=operation_id,
                units=[RefusedUnit(unit_id=one, rules=list(refused[one])) for one in refused],
            )
            return keep(tx, order, rejected, holds_text=True)
        was = lanes.lane_named(tx.connection, request.lane)
        if was is not None and was.snapshot_id == snapshot.id:
            same = was.snapshot_hash == snapshot.hash
            if not same or not lanes.is_same(tx.connection, was, units, omissions):
                differs = LaneConflict(operation_id=operation_id, reason="snapshot_differs")
                return keep(tx, order, differs, holds_text=True)
            unchanged = LaneUnchanged(
                operation_id=operation_id, lane=request.lane, coverage=coverage
            )
            return keep(tx, order, unchanged, holds_text=True)
        if was is None and lanes.count(tx.connection) >= bounds.LANES:
            raise CognidError(
                "invalid_argument", f"lane: an agent has at most {bounds.LANES} lanes"
            )
        lanes.replace(
            tx, request.lane, (snapshot.id, snapshot.hash), units, omissions, operation_id
        )
        note(tx, order, [], lane=request.lane, snapshot=snapshot.id, units=len(units))
        replaced = LaneReplaced(operation_id=operation_id, lane=request.lane, coverage=coverage)
        return keep(tx, order, replaced)

    return apply


async def _query(call: Call, request: LaneQuery) -> QueryOutcome:
    return await read_whole(call, request, _units)


async def _units(call: Call, request: LaneQuery, lease: Lease) -> LaneUnits:
    record = lease.record
    wanted = Wanted(
        None if request.lane is None else (request.lane,),
        None if request.types is None else tuple(sorted(set(request.types))),
    )
    listing = {"lane": request.lane, "types": wanted.types}
    after = 0
    if request.cursor is not None:
        after = read_cursor(request.cursor, record.bank_id, record.epoch, listing)

    def read(connection: Connection) -> tuple[list[Lane], list[Placed], int]:
        return (
            lanes.lanes_of(connection, wanted),
            lanes.units(
                connection,
                wanted,
                after=after,
                limit=request.limit,
                text_bytes=bounds.REPLY_TEXT_BYTES,
            ),
            lanes.count_units(connection, wanted),
        )

    def find(connection: Connection) -> tuple[list[Lane], list[tuple[float, Placed]], int]:
        looked = lanes.units(connection, wanted, after=0, limit=_ALL, text_bytes=SEARCHED_BYTES)
        return lanes.lanes_of(connection, wanted), ranked(request.query or "", looked), len(looked)

    if request.query is not None:
        there, best, searched = await lease.bank.read(find, deadline=call.deadline)
        found = [(score, placed) for score, placed in best if score]
        units: list[UnitView] = []
        size = 0
        for score, placed in found[: request.limit]:
            size += len(placed.unit.text.encode("utf-8"))
            if units and size > bounds.REPLY_TEXT_BYTES:
                break
            units.append(_unit_view(placed, score))
        return LaneUnits(
            lanes=_lane_views(request, there),
            units=units,
            total=len(found),
            cursor=None,
            searched=searched,
            epoch=record.epoch,
        )
    there, placed_units, total = await lease.bank.read(read, deadline=call.deadline)
    cursor = None
    if placed_units and after + len(placed_units) < total:
        place = after + len(placed_units)
        cursor = make_cursor(place, record.bank_id, record.epoch, listing)
    return LaneUnits(
        lanes=_lane_views(request, there),
        units=[_unit_view(one) for one in placed_units],
        total=total,
        cursor=cursor,
        epoch=record.epoch,
    )


def ranked(query: str, units: list[Placed]) -> list[tuple[float, Placed]]:
    """Units with their scores, best first; of equal ones in their order."""
    scores = overlaps(query, [one.unit.text for one in units])
    return sorted(zip(scores, units, strict=True), key=lambda pair: -pair[0])


async def _drop(call: Call, request: LaneDrop) -> DropOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        writing = partial(dropping, lane=request.lane)
        outcome = await committed_with_ballast(call, request, lease, writing)
        if not isinstance(outcome, LaneDropped):
            return outcome
        return outcome.model_copy(update={"erased": await to_the_end(scrubbed(lease))})


def dropping(order: Order, lane: str) -> Callable[[Transaction], DropOutcome]:
    """The write that takes a lane away, to be run in the bank's transaction.

    It works while the bank is disabled, as a forget does.
    """

    def apply(tx: Transaction) -> DropOutcome:
        operation_id = order.operation_id
        reused = LaneConflict(operation_id=operation_id, reason="operation_reused")
        known = met(tx, order, _DROPS, reused)
        if known is not None:
            return known
        if order.has_ended:
            ended = LaneUnaffected(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended)
        units = lanes.drop(tx, lane)
        if units is None:
            return keep(tx, order, LaneAbsent(operation_id=operation_id, lane=lane))
        note(tx, order, [], lane=lane, units=units)
        return keep(tx, order, LaneDropped(operation_id=operation_id, lane=lane, units=units))

    return apply


def _coverage(units: int, omissions: int) -> Coverage:
    return Coverage(units=units, omissions=omissions, covered=units + omissions)


def _lane_views(request: LaneQuery, there: list[Lane]) -> list[LaneView]:
    return [_lane_view(one, omissions=request.lane is not None) for one in there]


def _lane_view(lane: Lane, *, omissions: bool) -> LaneView:
    return LaneView(
        lane=lane.lane,
        snapshot=Snapshot(id=lane.snapshot_id, hash=lane.snapshot_hash),
        coverage=_coverage(lane.units, len(lane.omissions)),
        omissions=(
            [Omission(unit_id=unit, reason=reason) for unit, reason in lane.omissions]
            if omissions
            else None
        ),
        replaced_at=instant_of(lane.replaced_at),
    )


def _unit_view(placed: Placed, score: float | None = None) -> UnitView:
    unit = placed.unit
    return UnitView(
        lane=placed.lane,
        unit_id=unit.unit_id,
        type=unit.type,
        text=unit.text,
        source=unit.source,
        occurred_at=instant_of(unit.occurred_at),
        score=score,
    )


HANDLERS: Final[dict[str, Handler]] = {
    "lane.replace": _replace,
    "lane.query": _query,
    "lane.drop": _drop,
}
