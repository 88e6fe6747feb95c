"""Forget: exact ids, all or nothing, with the groups they belong to; and the preview of it.

Owns: which memories go, in which cases nothing happens, and what the ledger says. What of them is
in which table is the bank's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol import bounds
from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    ForgetOutcome,
    Target,
    TargetsConflict,
    TargetsNotFound,
    Unaffected,
)
from cognid.protocol.errors import CognidError
from cognid_daemon.authority.receipts import Warrant, keep, met, note
from cognid_daemon.bank import sessions
from cognid_daemon.bank.filters import Filters
from cognid_daemon.bank.listing import count_of, ids_of
from cognid_daemon.bank.rows import Barrier, Group, Memory
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.bank.view import View
from cognid_daemon.intake.admission import Order

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

_OUTCOMES: Final[TypeAdapter[ForgetOutcome]] = TypeAdapter(
    ForgetOutcome, config=ConfigDict(hide_input_in_errors=True)
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a forget came to, and the barriers of all that is gone by it or was before."""

    outcome: ForgetOutcome
    barriers: tuple[Barrier, ...]


@dataclass(frozen=True, slots=True)
class Previewed:
    """What a forget would take; `total` counts the targets, also those beyond this preview."""

    group: Group
    named: tuple[str, ...]
    total: int
    stale: Mapping[str, int]

    @property
    def revisions(self) -> dict[str, int]:
        """The revision of each memory that would go."""
        return {memory.memory_id: memory.revision for memory in self.group.memories}


def forgetting(
    order: Order, targets: Sequence[Target], warrant: Warrant, *, keep_messages: bool
) -> Callable[[Transaction], Forgotten]:
    """The write of one forget, to be run in the bank's transaction.

    Session messages that say the same lose their text with it, unless they are to be kept.

    The transaction raises CognidError (`handle_invalid`, `preview_invalid`, `invalid_argument`).
    """
    ids = [target.memory_id for target in targets]
    # What was listed beside the named ones takes nothing further along: exactly the list goes.
    named = ids if warrant.preview is None else warrant.preview.named

    def apply(tx: Transaction) -> Forgotten:
        reused = TargetsConflict(operation_id=order.operation_id, reason="operation_reused")
        known = met(tx, order, _OUTCOMES, reused)
        if known is not None:
            return Forgotten(known, _barriers(tx, known))
        if order.has_ended:
            ended = Unaffected(operation_id=order.operation_id, reason="epoch_ended")
            return Forgotten(keep(tx, order, ended), ())
        warrant.check(order.epoch)
        group = tx.group_of(named)
        refusal = _refusal(order, targets, group, warrant)
        if refusal is not None:
            return Forgotten(keep(tx, order, refusal), ())
        if not group.memories:
            absent = AlreadyAbsent(
                operation_id=order.operation_id, already_absent=list(group.absent), erased=False
            )
            return Forgotten(keep(tx, order, absent), _barriers(tx, absent))
        check_size(group)
        messages = sessions.saying(tx, group.memories)  # while the memories are there
        barriers = tx.forget(group.memories, order.operation_id)
        if not keep_messages:
            sessions.scrub(tx, messages)
        note(
            tx,
            order,
            [
                {"id": memory.memory_id, "revision": memory.revision, "lifecycle": "forgotten"}
                for memory in group.memories
            ],
            **_counted(messages, keep_messages=keep_messages),
        )
        changed = Changed(
            operation_id=order.operation_id,
            affected=[memory.memory_id for memory in group.memories],
            already_absent=list(group.absent),
            messages_scrubbed=0 if keep_messages else len(messages),
            messages_kept=len(messages) if keep_messages else None,
        )
        return Forgotten(keep(tx, order, changed), barriers)

    return apply


def _counted(messages: Sequence[int], *, keep_messages: bool) -> dict[str, int]:
    """What the ledger says of the session messages that a forget met; nothing where none were."""
    word = "messages_kept" if keep_messages else "messages_scrubbed"
    return {word: len(messages)} if messages else {}


def _refusal(
    order: Order, targets: Sequence[Target], group: Group, warrant: Warrant
) -> TargetsNotFound | TargetsConflict | None:
    """Why nothing is forgotten, if so."""
    operation_id = order.operation_id
    if group.unknown:
        return TargetsNotFound(operation_id=operation_id, unknown=list(group.unknown))
    stale = _stale(targets, group)
    if stale:
        return TargetsConflict(operation_id=operation_id, reason="revision_stale", current=stale)
    listed = warrant.preview
    if listed is None:
        return None
    now = {memory.memory_id: memory.revision for memory in group.memories}
    if now != listed.revisions or {target.memory_id for target in targets} != now.keys():
        differs = {one: now[one] for one in now if listed.revisions.get(one) != now[one]}
        return TargetsConflict(operation_id=operation_id, reason="preview_stale", current=differs)
    return None


def _stale(targets: Sequence[Target], group: Group) -> dict[str, int]:
    """The current revisions of the targets that were expected to be at another."""
    expected = {target.memory_id: target.expected_revision for target in targets}
    return {
        memory.memory_id: memory.revision
        for memory in group.memories
        if expected.get(memory.memory_id) not in (None, memory.revision)
    }


def _barriers(tx: Transaction, outcome: ForgetOutcome) -> tuple[Barrier, ...]:
    """The barriers of what an outcome says is gone."""
    gone: list[str] = []
    if isinstance(outcome, Changed):
        gone += outcome.affected
    if isinstance(outcome, Changed | AlreadyAbsent):
        gone += outcome.already_absent
    found = [tx.barrier(memory_id) for memory_id in gone]
    return tuple(barrier for barrier in found if barrier is not None)


def check_size(group: Group) -> None:
    """Hold a forget to its bound, with all that it takes along.

    Raises:
        CognidError: `invalid_argument`.
    """
    if len(group.memories) > bounds.FORGET_TARGETS:
        raise CognidError(
            "invalid_argument",
            f"targets: with what they take along more than {bounds.FORGET_TARGETS} memories",
        )


def preview_targets(connection: Connection, targets: Sequence[Target]) -> Previewed:
    """What a forget of these ids would take."""
    ids = [target.memory_id for target in targets]
    group = View(connection).group_of(ids)
    check_size(group)
    return Previewed(group, tuple(ids), len(ids), _stale(targets, group))


def preview_filters(connection: Connection, filters: Filters) -> Previewed:
    """What a forget of all that the filters let through would take: the newest of it, as far as one
    forget reaches."""
    ids = ids_of(connection, filters, bounds.FORGET_TARGETS)
    view = View(connection)
    group = view.group_of(ids)
    while len(group.memories) > bounds.FORGET_TARGETS:
        beyond = len(group.memories) - bounds.FORGET_TARGETS
        ids = ids[: len(ids) - (beyond + 1) // 2]  # each brings one along, at the most usual
        group = view.group_of(ids)
    return Previewed(group, tuple(ids), count_of(connection, filters), {})


def excerpt_of(memory: Memory, characters: int) -> tuple[str, bool]:
    """The first characters of a memory, and whether they are all of it."""
    text = memory.text or ""
    return text[:characters], len(text) <= characters
