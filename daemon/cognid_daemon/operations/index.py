"""index.status and index.rebuild: where the indexes of a bank stand, and having them made anew."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from cognid.protocol.index import (
    GenerationView,
    IndexRebuild,
    IndexReport,
    IndexStatus,
    IndexView,
    PipelineState,
    RebuildBegun,
    RebuildConflict,
    RebuildOutcome,
    RebuildWithoutEffect,
    SkippedRow,
)
from cognid.protocol.values import Pipeline
from cognid_daemon.authority.receipts import keep, met
from cognid_daemon.bank import generations
from cognid_daemon.bank.generations import Generation
from cognid_daemon.bank.rows import LedgerEntry
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import Order
from cognid_daemon.operations.writing import committed, order_of
from cognid_daemon.recall import worklist
from cognid_daemon.recall.answer import IndexState, State
from cognid_daemon.recall.models import EmbedderUnavailableError
from cognid_daemon.recall.worklist import Skipped

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_SKIPPED_ROWS: Final = 100


def _in_our_words(stored: dict[str, Any]) -> dict[str, Any]:
    """What a wipe left of a receipt (`before_cutoff`), in a word that a rebuild has for it."""
    return (
        {**stored, "reason": "epoch_ended"} if stored.get("reason") == "before_cutoff" else stored
    )


_OUTCOMES: Final[TypeAdapter[RebuildOutcome]] = TypeAdapter(
    Annotated[RebuildOutcome, BeforeValidator(_in_our_words)],
    config=ConfigDict(hide_input_in_errors=True, defer_build=True),
)


async def _status(call: Call, request: IndexStatus) -> IndexReport:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:

        def read(connection: Connection) -> tuple[list[Generation], list[Skipped]]:
            found = generations.generations(connection)
            return found, worklist.skipped(connection, _SKIPPED_ROWS)

        begun, skipped = await lease.bank.read(read, deadline=call.deadline)
        return IndexReport(
            **_fields(lease.recaller.index_status()),
            generations=[_generation(one) for one in begun],
            skipped_rows=[
                SkippedRow(
                    memory_id=one.memory_id,
                    revision=one.revision,
                    pipeline=Pipeline(one.pipeline),
                    code=one.code,
                )
                for one in skipped
            ],
        )


def index_view(index: IndexState) -> IndexView:
    """Where a bank's indexes stand, as a caller sees it."""
    return IndexView(**_fields(index))


def _fields(index: IndexState) -> dict[str, Any]:
    return {
        "lexical": pipeline_state(index.lexical),
        "vector": pipeline_state(index.vector),
        "space_id": index.space_id,
        "indexed": index.indexed,
        "backlog": index.backlog,
        "skipped": index.skipped,
    }


def _generation(one: Generation) -> GenerationView:
    share = 100.0 if one.cursor is None or not one.total else 100 * one.done / one.total
    return GenerationView(
        generation=one.number,
        kind=Pipeline(one.kind),
        state=one.state,
        space_id=one.space_id,
        percent=round(share, 1),
    )


@lru_cache(64)
def pipeline_state(state: State) -> PipelineState:
    """Where one pipeline stands, as a caller sees it."""
    return PipelineState(state=state.state, code=state.code, percent=state.percent)


async def _rebuild(call: Call, request: IndexRebuild) -> RebuildOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        model: tuple[str, int] | None = None
        if Pipeline.VECTOR in request.pipelines:
            try:
                async with asyncio.timeout_at(call.deadline):
                    model = await lease.recaller.model()
            except (EmbedderUnavailableError, TimeoutError):
                model = None
        order = order_of(call, request, lease)
        write = lease.bank.submit(
            rebuilding(order, frozenset(request.pipelines), model), deadline=call.deadline
        )
        outcome = await committed(write)
        lease.recaller.wake()
        return outcome


def rebuilding(
    order: Order, pipelines: frozenset[Pipeline], model: tuple[str, int] | None
) -> Callable[[Transaction], RebuildOutcome]:
    """The write that begins generations, to be run in the bank's transaction.

    Args:
        model: the space and the dimension of the model; None where there is none.
    """

    def apply(tx: Transaction) -> RebuildOutcome:
        operation_id = order.operation_id
        known = met(tx, order, _OUTCOMES, RebuildConflict(operation_id=operation_id))
        if known is not None:
            return known
        if order.has_ended:
            ended = RebuildWithoutEffect(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended)
        if Pipeline.VECTOR in pipelines and model is None:
            # Without a receipt: asked again under this id, it may find a model.
            return RebuildWithoutEffect(operation_id=operation_id, reason="model_unavailable")
        begun: dict[Pipeline, int] = {}
        for pipeline in sorted(pipelines):
            if pipeline is Pipeline.LEXICAL:
                begun[pipeline] = _begin_words(tx, order)
            elif model is not None:
                begun[pipeline] = _begin_vectors(tx, order, *model)
        tx.note(
            LedgerEntry(
                operation=order.operation,
                operation_id=operation_id,
                authority=order.authority,
                body=json.dumps({"generations": begun}, separators=(",", ":")),
                policy_fingerprint=order.policy_fingerprint,
            )
        )
        outcome = RebuildBegun(operation_id=operation_id, generations=begun, epoch=order.epoch)
        return keep(tx, order, outcome)

    return apply


def _begin_words(tx: Transaction, order: Order) -> int:
    building = generations.find(tx.connection, "lexical", "building")
    return (building or generations.begin(tx, "lexical", epoch=order.epoch)).number


def _begin_vectors(tx: Transaction, order: Order, space_id: str, dimension: int) -> int:
    vectors = generations.settle_vectors(tx, space_id, dimension, order.epoch)
    if vectors.building is not None:
        return vectors.building.number
    return generations.begin(
        tx, "vector", epoch=order.epoch, space_id=space_id, dimension=dimension
    ).number


HANDLERS: Final[dict[str, Handler]] = {"index.status": _status, "index.rebuild": _rebuild}
